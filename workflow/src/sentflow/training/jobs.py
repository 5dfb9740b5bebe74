"""Jobs of training: its data, the training itself, the choice of a snapshot, seeds."""

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.errors import DataError, SentflowError, parts
from sentflow.files.atomic import atomic
from sentflow.files.io import digest_of, read_json, read_sealed, write_json, write_sealed, write_text
from sentflow.files.limits import USUAL, Limits, use_limits
from sentflow.files.parquet import DescribedParts, DescribedWriter, readable
from sentflow.jobs.job import In, Json, Manual, Out, Resource, Wildcard, job
from sentflow.jobs.machine import library_version, prepare_environment
from sentflow.texts.collection import read_table
from sentflow.texts.corpora import read_corpus, read_questions
from sentflow.texts.pairs import read_pairs
from sentflow.training.data.prepare import table_of_rows
from sentflow.training.data.settings import (
    AuditedData,
    CleanedPairs,
    CollectedRows,
    MinedRows,
    PreparedRows,
    RowChecks,
)
from sentflow.training.data.table import write_training_data
from sentflow.training.settings import ComparedTrainings, ScoredSnapshot, SnapshotChoice, TrainingRun

logger = logging.getLogger(__name__)


@job("numpy")
def prepare_training(
    *,
    raw: list[In],
    data: Wildcard,
    settings: PreparedRows,
    checks: Resource[RowChecks],
    limits: Resource[Limits] = USUAL,
    table: Out,
) -> None:
    """The raw files of training data into their table, with counts of what was left out."""
    from sentflow.training.data.prepare import ROWS, Preparation, labels_of, read_sources
    from sentflow.training.data.table import write_parts

    use_limits(limits)
    preparation = Preparation(data, settings, checks.rows, labels_of(settings))
    batches = read_sources(settings, raw, checks.files, rows=ROWS)
    write_parts(table, preparation.parts(batches), preparation.facts)


@job("numpy")
def collect_training(
    *,
    corpora: Sequence[In] = (),
    questions: Sequence[In] = (),
    judgements: Sequence[In] = (),
    data: Wildcard,
    settings: CollectedRows,
    checks: Resource[RowChecks],
    table: Out,
) -> None:
    """Documents of corpora and questions into a table of training data."""
    from sentflow.training.data.collect import (
        collected_neighbours,
        collected_spans,
        collected_texts,
        collected_titles,
    )

    documents = [read_corpus(path) for path in corpora]
    asked = [read_questions(*paths) for paths in zip(questions, judgements, strict=True)]
    match settings.form:
        case "spans":
            found = collected_spans(documents, settings.split)
        case "pairs" if settings.neighbours:
            words = None if settings.neighbours is True else settings.neighbours.words
            found = collected_neighbours(documents, words)
        case "pairs":
            found = collected_titles(documents)
        case _:
            found = collected_texts(documents, asked)
    write_training_data(table, *table_of_rows(data, found, settings, checks.rows))


@job("numpy")
def mine_training(
    *,
    questions: list[In],
    judgements: list[In],
    corpora: list[In],
    runs: Sequence[In] = (),
    labels: Sequence[In] = (),
    held_out: Sequence[In] = (),
    held_out_judgements: Sequence[In] = (),
    data: Wildcard,
    settings: MinedRows,
    checks: Resource[RowChecks],
    looked_at: Out,
    table: Out,
) -> None:
    """Questions, judgements and what a retriever found into a table of training data."""
    from sentflow.retrieval.ranking import read_run
    from sentflow.training.data.mine import Mined, mine, pseudo_labelled, write_looked_at

    corpus_of = {corpus.name: corpus for corpus in map(read_corpus, corpora)}
    held_out_documents: dict[str, set[str]] = {}
    for paths in zip(held_out, held_out_judgements, strict=True):
        of_test = read_questions(*paths)
        held_out_documents.setdefault(of_test.corpus, set()).update(of_test.documents)
    mined = Mined()
    for place, paths in enumerate(zip(questions, judgements, strict=True)):
        question_set = read_questions(*paths)
        corpus = corpus_of[question_set.corpus]
        run = read_run(runs[place], corpus.ids)[1] if runs else None
        if settings.pseudo_margin is not None:
            labelling_run = read_run(labels[place], corpus.ids)[1]
            question_set = pseudo_labelled(question_set, labelling_run, settings.pseudo_margin)
        of_tests = held_out_documents.get(corpus.name, ())
        mine(question_set, corpus, run, settings.negatives, settings.form, mined, of_tests)
    estimable = settings.negatives.margin is None and not labels
    facts_of_mining = mined.facts(estimable=estimable)
    if not mined.rows:
        raise DataError(f"training_data.{data}: no row is left. {_counts(facts_of_mining)}")
    training_rows, facts = table_of_rows(data, mined.as_rows(settings.form), settings, checks.rows)
    write_looked_at(looked_at, data, mined.looked_at)
    write_training_data(table, training_rows, {**facts, "mined": facts_of_mining})


def _counts(facts: Mapping[str, Any]) -> str:
    counts = {name: n for name, n in facts.items() if isinstance(n, int)}
    return ", ".join(f"{name.replace('_', ' ')}: {n}" for name, n in counts.items()) + "."


@job("numpy", "py3langid")
def clean_pairs(*, relation: In, tests: Sequence[In] = (), settings: CleanedPairs, table: Out) -> None:
    """A table of training data and the tables of tests → its pairs that may be trained on."""
    from sentflow.training.data.clean_pairs import Cleaned, HeldOut

    tables_of_tests = {
        (kind, name): read_table(path) for (kind, name), path in zip(settings.tests, tests, strict=True)
    }
    cleaned = Cleaned(settings.language, HeldOut(tables_of_tests))
    with readable(relation, "table of training data"):
        training_table = DescribedParts(relation)
        name_of_relation = str(training_table.about["training"])
    batches = (
        list(zip(batch.column("text").to_pylist(), batch.column("other").to_pylist(), strict=True))
        for batch in training_table.batches("text", "other")
    )
    with atomic(table) as part:
        writer = DescribedWriter(part, {"training": name_of_relation, "form": "pairs", "classes": []})
        for pairs in cleaned.pairs(batches):
            texts, others = zip(*pairs, strict=True) if pairs else ((), ())
            writer.write({"text": texts, "other": others})
        writer.close()
        facts = {"relation": name_of_relation, **cleaned.facts()}
        if not facts["kept"]:
            raise DataError(f"training_data.{name_of_relation}: no pair is left. {_counts(facts)}")
    write_json(table.with_suffix(".json"), {**facts, **digest_of(table)})
    logger.info("%s: %s", name_of_relation, _counts(facts))


@job("numpy")
def combine_pairs(
    *,
    relations: list[In],
    data: Wildcard,
    near: float,
    checks: Resource[RowChecks],
    table: Out,
) -> None:
    """Cleaned relations → one table of training data, without copies and near copies, of that similarity or more."""
    from sentflow.training.data.combine_pairs import Scratch, combined, write_rows

    known = [read_json(path.with_suffix(".json")) for path in relations]
    names = [one["relation"] for one in known]
    table.parent.mkdir(parents=True, exist_ok=True)
    with Scratch(table.parent, relations) as scratch:
        found = combined(scratch, names, near=near)
        n_rows = int(found.kept.sum())
        if checks.rows not in (None, n_rows):
            raise DataError(f"training_data.{data}: {n_rows} rows, expected {checks.rows}.")
        with atomic(table) as part:
            writer = DescribedWriter(part, {"training": data, "form": "pairs", "classes": []})
            write_rows(writer, scratch, found)
            writer.close()
    combined_relations = [
        {**{key: value for key, value in cleaned.items() if key not in {"bytes", "file", "sha256"}}, **counts}
        for cleaned, counts in zip(known, found.facts(), strict=True)
    ]
    facts = {"data": data, "form": "pairs", "rows": n_rows, "relations": combined_relations}
    write_json(table.with_suffix(".json"), {**facts, **digest_of(table)})
    for one in combined_relations:
        logger.info(
            "%s: %d rows; %d are copies and %d near copies of earlier ones",
            *(one[key] for key in ("relation", "rows", "copies", "near")),
        )
    logger.info("%s: %d rows", data, n_rows)


@job("numpy")
def audit_training(*, data: In, tests: list[In], settings: AuditedData, output: Out) -> None:
    """Training data and the tables of tests → what texts they have in common."""
    from sentflow.audit.training_audit import audit_training
    from sentflow.training.data.table import read_training_data

    tables_of_tests = {
        (kind, name): read_table(path) for (kind, name), path in zip(settings.tests, tests, strict=True)
    }
    facts = audit_training(read_training_data(data), tables_of_tests, declared=settings.declared)
    write_sealed(output, facts)
    for found in facts["tests"]:
        logger.info(
            "%s, %s %s: %d of %d texts are copies of training texts, %d more are nearly",
            facts["data"],
            found["kind"],
            found["name"],
            found["texts"]["copies"],
            found["texts"]["n"],
            found["texts"]["near"],
        )
    for sentence in facts["warnings"]:
        logger.warning("%s: %s", facts["data"], sentence)


@job("torch", "transformers", "sentence-transformers")
def train(
    *,
    start: In,
    start_files: In | None = None,
    rows: In,
    teacher_texts: In | None = None,
    teacher_embeddings: In | None = None,
    teacher_info: In | None = None,
    settings: TrainingRun,
    libraries: str = "",
    code: str = "",
    device: Resource[Json] = None,
    attempt: Resource[int] = 1,
    threads: int = 1,
    save_seconds: Manual[float] = 300.0,
    storage: Resource[Json] = None,
    limits: Resource[Limits] = USUAL,
    record: Out,
    made: Out,
    history: Out,
    held_out: Out,
    snapshots: list[Out],
) -> None:
    """An encoder and rows of text → the trained encoder, at every step that is asked for, and the way there.

    Snakemake repeats every failure. One that was explained would fail again, so a later attempt only says it again.
    """
    from sentflow.training.cache import state_folder, storage_of_states

    use_limits(limits)
    versions = {library: library_version(library) for library in libraries.split()}
    teacher = [file for file in (teacher_texts, teacher_embeddings, teacher_info) if file]
    state = state_folder(record, settings, start, [rows, *teacher], code, versions)
    refusal = state / "refusal.txt"
    if attempt > 1 and refusal.is_file():
        raise DataError(refusal.read_text(encoding="utf-8"))
    refusal.unlink(missing_ok=True)
    prepare_environment(threads)
    devices = tuple(device) if isinstance(device, list) else (device,)
    if len(devices) > 1 and "WORLD_SIZE" not in os.environ:
        _in_processes(len(devices))
        return

    from sentflow.files.rows import write_rows
    from sentflow.training.job import Job
    from sentflow.training.leave import EXIT_CODE
    from sentflow.training.loop import LeftEarly
    from sentflow.training.record import HeldOutRow, write_history
    from sentflow.training.selection import give_snapshots

    training = Job(
        settings,
        start,
        rows,
        code,
        versions,
        state,
        teacher,
        devices,
        threads,
        save_seconds,
        start_files,
        storage_of_states(storage),
    )
    try:
        recorded, costs, progress = training.run()
    except LeftEarly as reason:
        logger.warning("%s: asked to end, or little time is left. The next run goes on from there.", reason)
        sys.exit(EXIT_CODE)
    except SentflowError as error:
        write_text(refusal, str(error))
        raise
    if int(os.environ.get("RANK", "0")):
        return  # the first process writes
    give_snapshots(state / "snapshots", snapshots)
    write_history(history, progress.history)
    write_rows(held_out, HeldOutRow, [HeldOutRow(**row) for row in progress.held_out])
    costs.write(made)
    # The state stays for a run that is killed before Snakemake takes these outputs; `choose_snapshot` deletes it
    recorded.write(record)


def _in_processes(n: int) -> None:
    """Run this job once per device, as torchrun does, and end as the first of them that fails.

    A wish to leave is passed on to them; torchrun's own command would then end with a traceback. It would also take
    options of this job for its own.
    """
    from torch.distributed.elastic.multiprocessing import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    from sentflow.training.leave import EXIT_CODE, SIGNALS

    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=n,
        run_id=str(os.getpid()),
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",  # any port that is free
        max_restarts=0,
        signals_to_handle=",".join(number.name for number in SIGNALS),
        # for the step that is being computed, and to save; torchrun then kills
        shutdown_timeout=600,
    )
    words = [sys.executable, "-m", "sentflow.jobs", *sys.argv[1:]]
    try:
        elastic_launch(config, words[0])(*words[1:])
    except SignalException:
        sys.exit(EXIT_CODE)
    except ChildFailedError as error:
        sys.exit(error.get_first_failure()[1].exitcode)


@job("numpy", "scipy")
def score_snapshots(
    *,
    pairs: In,
    texts: In,
    embeddings: list[In],
    info: list[In],
    settings: tuple[ScoredSnapshot, ...],
    scores: list[Out],
) -> None:
    """Development pairs and their vectors by the snapshots of a training → how good each is there."""
    from sentflow.geometry.facts import ScoredVectors, measure
    from sentflow.geometry.settings import AlignmentSettings
    from sentflow.similarity.measures import cosine, pearson, spearman
    from sentflow.texts.lookup import read_vectors

    table = read_pairs(pairs)
    low, high = table.info.scale
    # Positive is 4 of 5 in the scores of STS (Gao et al. 2021, section 3)
    positive = AlignmentSettings(threshold=low + 0.8 * (high - low))
    with parts() as part:
        for about, npy, described, output in zip(settings, embeddings, info, scores, strict=True):
            with part(f"{about.model}, step {about.step}"):
                family = read_vectors(texts, npy, described)
                first, second = family.rows_of_pairs(table)
                cosines = cosine(family.vectors[first], family.vectors[second])
                shape = measure(ScoredVectors(family.vectors, first, second, table.score), positive)
                measures = {
                    "spearman": spearman(cosines, table.score),
                    "pearson": pearson(cosines, table.score),
                    "alignment": shape.alignment,
                    "uniformity": shape.uniformity,
                }
                write_sealed(output, {**about.as_dict(), "measures": measures})


@job("numpy", "ir-measures", "pytrec-eval-terrier")
def evaluate_snapshot(
    *, corpus: In, questions: In, judgements: In, run: In, settings: ScoredSnapshot, output: Out
) -> None:
    """What one snapshot of a training found for development questions → how good it is there."""
    from sentflow.retrieval.measures import judged_questions, per_question
    from sentflow.retrieval.ranking import read_run
    from sentflow.texts.corpora import read_ids

    asked, measure = read_questions(questions, judgements), str(settings.measure)
    found, (grades, _) = read_run(run, read_ids(corpus)[1])[1], judged_questions(asked)
    if not grades:
        raise DataError(f"selection.questions: no question of {asked.name} has a relevant document.")
    ranking = {name: found.documents(name) for name in grades if name in found.ranked}
    values = per_question(ranking, grades, [measure], relevant_grade=asked.relevant_grade)[measure]
    write_sealed(output, {**settings.as_dict(), "measures": {measure: float(values.mean())}})


@job()
def choose_snapshot(
    *,
    snapshots: list[In],
    record: In,
    made: In,
    scores: Sequence[In] = (),
    held_out: In,
    storage: Resource[Json] = None,
    settings: SnapshotChoice,
    manifest: Out,
    model_files: Out,
    selection: Out,
    last: Out,
) -> None:
    """Development scores of a training's snapshots, or what held-out rows measured → the one that is the encoder."""
    from sentflow.encoders.manifest import manifest_of_archive, write_manifest
    from sentflow.files.atomic import link_file
    from sentflow.files.rows import read_rows
    from sentflow.training.cache import drop_states, storage_of_states
    from sentflow.training.record import HeldOutRow, Made, Record
    from sentflow.training.selection import choose, take_snapshot

    # Snakemake has the outputs of the training, which it had not while that ran
    drop_states(record, settings.model, Made.read(made).copies, storage_of_states(storage))
    found = [read_sealed(file) for file in scores]
    scored = [(score["step"], score["measures"][settings.measure]) for score in found]
    if settings.pairs and not scored:  # no job scored them, but held-out rows
        measured = read_rows(held_out, HeldOutRow)
        scored = [(row.step, row.value) for row in measured if row.measure == settings.measure]
    steps, development = zip(*scored or [(Record.read(record).steps, None)], strict=True)
    chosen = choose(settings, steps, [float("nan") if score is None else score for score in development])
    logger.info("chosen: the encoder after step %d of %d scored", chosen["step"], len(scored))
    if settings.pairs and chosen["score"] is None:
        logger.warning(
            "no %s is known of %s, so the last snapshot is chosen (average precision needs held-out rows that are "
            "positive). Write another selection.measure.",
            *(settings.measure, settings.pairs),
        )
    take_snapshot(snapshots, chosen["step"], model_files)
    if steps[-1] == chosen["step"]:
        link_file(model_files, last)
    else:
        take_snapshot(snapshots, steps[-1], last)
    entry = {"kind": settings.kind, "source": {"trained": settings.model}}
    write_manifest(manifest, manifest_of_archive(model_files, entry))
    write_sealed(selection, chosen)


@job("numpy", "scipy")
def compare_training(*, rows: list[In], settings: ComparedTrainings, output: Out) -> None:
    """The similarities of all trainings on all pair sets → what seeds and pairs decide."""
    from sentflow.compare.pair_sets import refuse_other_pairs
    from sentflow.compare.rows import TrainingSeeds
    from sentflow.compare.trainings import Trainings
    from sentflow.files.rows import write_rows
    from sentflow.similarity.scores import bootstrap_seed, read_similarities

    groups = settings.groups
    similarities = {(one.pairs, one.model): one for one in map(read_similarities, rows)}
    found: list[TrainingSeeds] = []
    for pairs in settings.pair_sets:
        own = [similarities[pairs, model] for seeds in groups.values() for model in seeds.values()]
        refuse_other_pairs(own)
        places = {one.model: place for place, one in enumerate(own)}
        trainings = Trainings(
            rows=own,
            groups={
                name: {int(seed): places[model] for seed, model in seeds.items()}
                for name, seeds in groups.items()
            },
            controls=settings.controls,
            settings=settings.model_copy(update={"seed": bootstrap_seed(settings.seed, pairs)}),
        )
        found += trainings.seed_rows()
        logger.info("%s: %d trainings in %d groups", pairs, len(own), len(groups))
    write_rows(output, TrainingSeeds, found)
