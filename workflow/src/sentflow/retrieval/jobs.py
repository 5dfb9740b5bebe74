"""Jobs of retrieval: terms, indexes, searches, fusions, decisions, measures, what explains them."""

import logging
import time
from collections.abc import Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from sentflow.config.collections import Analyser as AnalyserSettings
from sentflow.errors import parts
from sentflow.files.io import read_json, read_sealed, write_digest, write_json, write_sealed
from sentflow.files.rows import write_rows
from sentflow.jobs.job import In, Json, Out, Resource, Wildcard, job
from sentflow.jobs.machine import prepare_environment
from sentflow.retrieval.ranking import read_run
from sentflow.retrieval.search import Search
from sentflow.retrieval.settings import (
    CertifySettings,
    ComparisonSettings,
    DecideSettings,
    DecisionSettings,
    EvaluateSettings,
    Fusion,
    HardestSettings,
    ResamplingSettings,
    RetrievalComparisonSettings,
    RetrieverSettings,
    SearchSettings,
    TuningSettings,
    WeighSettings,
)
from sentflow.texts.corpora import CorpusFile, read_corpus, read_ids, read_questions, whole_text

if TYPE_CHECKING:
    from sentflow.audit.question_audit import Judged
    from sentflow.stats.resampling import Bootstrap

logger = logging.getLogger(__name__)
_ANALYSED = 1 << 13  # texts at a time


@job("pyarrow")
def analyse(*, corpus: In, analyser: Wildcard, settings: AnalyserSettings, table: Out) -> None:
    """The documents of a corpus into an index of terms, once for all retrievers that count them alike."""
    from sentflow.retrieval.analysers import Analyser
    from sentflow.retrieval.term_index import TermIndex

    documents, terms_of = CorpusFile(corpus), Analyser(settings, f"analysers.{analyser}").terms
    texts = (whole_text(title, text) for _, title, text in documents.documents())
    parts = iter(lambda: [*islice(texts, _ANALYSED)], [])
    index = TermIndex.of(map(terms_of, parts), corpus=documents.name, analyser=settings.as_json())
    index.write(table)
    write_digest(table)
    logger.info("%s: %d terms in %d documents", index.corpus, index.n_terms, index.n_documents)


@job()
def count_terms(*, terms: list[In], table: Out) -> None:
    """The terms of the shards of a corpus → in how many documents of the whole each of them is."""
    from sentflow.retrieval.term_index import TermCounts, TermIndex

    counts = TermCounts.summed(map(TermIndex.read, terms))
    counts.write(table)
    write_digest(table)
    logger.info("%d different terms in %d documents", len(counts.terms), counts.n_documents)


@job("numpy")
def audit_questions(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    training_corpora: Sequence[In] = (),
    training_questions: Sequence[In] = (),
    training_judgements: Sequence[In] = (),
    output: Out,
) -> None:
    """Questions, judgements and documents → what occurs twice, and what training has shown."""
    from sentflow.audit.question_audit import audit_questions

    corpora = {one.name: one for one in map(CorpusFile, [corpus, *training_corpora])}
    [test] = _judged([questions], [judgements], corpora)
    training = _judged(training_questions, training_judgements, corpora)
    facts = audit_questions(test, training)
    write_sealed(output, facts)
    logger.info(
        "%s: %d questions, %d of them leaked, %d with a document of training",
        facts["questions"],
        facts["n_questions"],
        len(facts["leaked"]),
        facts["same_document"],
    )


def _judged(
    questions: Sequence[Path], judgements: Sequence[Path], corpora: dict[str, CorpusFile]
) -> "list[Judged]":
    from sentflow.audit.question_audit import Judged

    question_sets = [read_questions(*files) for files in zip(questions, judgements, strict=True)]
    return [Judged(one, corpora[one.corpus]) for one in question_sets]


@job("numpy", "bm25s", "scipy", "faiss-cpu", "sentence-transformers", "torch", "transformers")
def search(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    terms: In | None = None,
    counts: In | None = None,
    passages: In | None = None,
    documents: Sequence[In] = (),
    documents_info: In | None = None,
    queries: Sequence[In] = (),
    queries_info: In | None = None,
    index: In | None = None,
    runs: Sequence[In] = (),
    weights: In | None = None,
    manifest: In | None = None,
    model_files: In | None = None,
    trec: In | None = None,
    settings: SearchSettings,
    device: Resource[Json] = None,
    threads: int = 1,
    run: Out,
) -> None:
    """What a retriever finds for the questions of a set, by its kind."""
    from sentflow.retrieval.search import SearchInputs

    inputs = SearchInputs(
        terms=terms,
        counts=counts,
        passages=passages,
        documents=_described(documents, documents_info),
        queries=_described(queries, queries_info),
        index=index,
        runs=runs,
        weights=weights,
        manifest=manifest,
        model_files=model_files,
        trec=trec,
        devices=(device,) if isinstance(device, str) else device or (),
        threads=threads,
    )
    retriever = import_module(settings.module)
    retriever.search(Search.read(corpus, questions, judgements, settings, run), inputs)


def _described(files: Sequence[Path], info: Path | None) -> list[Path]:
    """Files of vectors with what describes them; nothing where there are none."""
    return [*files, *([info] if info else [])]


@job()
def merge_shards(*, runs: list[In], questions: In, run: Out) -> None:
    """What a retriever found in each shard of a corpus → what it found in the whole."""
    from sentflow.retrieval.ranking import write_run
    from sentflow.retrieval.shard_runs import cost_of_shards, merged_shards
    from sentflow.texts.corpora import read_ids

    _, ids = read_ids(questions)
    about, merged = merged_shards(runs, ids)
    write_run(run, merged, about)
    write_digest(run)
    cost = cost_of_shards([read_json(path.with_suffix(".made.json")) for path in runs])
    names = {key: about[key] for key in ("questions", "retriever")}
    write_json(run.with_suffix(".made.json"), {**names, "n_questions": len(ids), **cost})
    logger.info("%d questions in %d shards", len(merged.ranked), len(runs))


@job("numpy", "faiss-cpu")
def build_index(
    *,
    corpus: In,
    passages: In | None = None,
    documents: list[In],
    documents_info: In,
    settings: RetrieverSettings,
    index: Out,
    made: Out,
) -> None:
    """The vectors of the documents of a corpus → an index of them."""
    from sentflow.retrieval.retrievers.index import build, indexed, write_index

    by, vectors = indexed(settings.by, [*documents, documents_info], passages, read_corpus(corpus))
    started = time.process_time()
    built = build(by, vectors)
    seconds = time.process_time() - started
    write_index(index, built)
    write_digest(index)
    n_bytes, n_vectors = index.stat().st_size, len(vectors.documents)
    write_json(made, {"cpu_seconds": round(seconds, 3), "n_vectors": n_vectors, "bytes": n_bytes})
    logger.info("%d vectors in %.1f CPU seconds, %d bytes", n_vectors, seconds, n_bytes)


@job("numpy", "faiss-cpu", "ir-measures", "pytrec-eval-terrier", "scipy")
def certify_index(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    passages: In | None = None,
    documents: list[In],
    documents_info: In,
    queries: list[In],
    queries_info: In,
    index: In,
    made: In,
    settings: CertifySettings,
    output: Out,
) -> None:
    """An approximate index beside the exact search of the same vectors."""
    from sentflow.retrieval.evaluation import certificate
    from sentflow.retrieval.retrievers.dense import question_vectors, search_vectors
    from sentflow.retrieval.retrievers.index import indexed, read_index, search_index

    search = Search.read(corpus, questions, judgements, settings, output)
    by, vectors = indexed(settings.by, [*documents, documents_info], passages, search.corpus)
    asked = question_vectors([*queries, queries_info], search.questions).values
    loaded = read_index(index)
    certified = certificate(
        lambda: search_index(loaded, asked, by, vectors, search.depth),
        lambda: search_vectors(asked, vectors, search.depth, similarity=by.similarity),
        search.questions,
        search.ids,
        settings,
    )
    about = {"questions": search.questions.name, "retriever": search.retriever, "corpus": search.corpus_name}
    costs = {**read_json(made), "vector_bytes": int(vectors.values.nbytes)}
    index_facts = {
        "depth": search.depth,
        "index": settings.index and settings.index.model_dump(),
        "made": costs,
    }
    write_sealed(output, {**about, **index_facts, **certified})
    for recall in certified["recalls"]:
        logger.info("recall@%d %.4f, 5th percentile %.4f", recall["k"], recall["mean"], recall["p5"])


@job("ir-measures", "pytrec-eval-terrier", "numpy")
def weigh(
    *, corpus: In, questions: In, judgements: In, runs: list[In], settings: WeighSettings, weighed: Out
) -> None:
    """The runs of a question set and its judgements → what each weight of their fusion reaches."""
    from sentflow.retrieval.retrievers.fusion import weigh, weight_grid, write_weighed

    search = Search.read(corpus, questions, judgements, settings, weighed)
    fusion = settings.by
    assert isinstance(fusion, Fusion)
    candidates = weight_grid(len(fusion.of), settings.steps)
    ranked = [read_run(path, search.ids)[1].ranked for path in runs]
    reached = weigh(
        ranked, search.ids, search.questions, fusion,
        retriever=search.retriever, candidates=candidates, measure=settings.measure, depth=search.depth,
    )  # fmt: skip
    write_weighed(weighed, reached)
    write_digest(weighed)
    logger.info(
        "%d weights on %d questions of %s", len(candidates), len(reached.questions), search.questions.name
    )


@job("numpy", "scipy")
def choose_weights(
    *, weighed: list[In], questions: list[In], judgements: list[In], settings: TuningSettings, chosen: Out
) -> None:
    """What weights reach on training questions → those that are used, and by folds their worth."""
    import numpy as np

    from sentflow.retrieval.decisions import write_digest_with
    from sentflow.retrieval.retrievers.fusion import read_weighed, write_chosen
    from sentflow.retrieval.tuning import choose, folds_of, training_questions

    reached = [read_weighed(path) for path in weighed]
    training = [
        one
        for files in zip(questions, judgements, strict=True)
        for one in training_questions(read_questions(*files))
    ]
    # documents of other corpora may have the same names
    relevant = [[f"{one.about['corpus']}|{name}" for name in own] for one in reached for own in one.relevant]
    fold_of = folds_of(relevant, settings.folds, settings.seed)
    choice = choose(np.concatenate([one.values for one in reached], axis=1), fold_of)
    about = write_chosen(chosen, choice, reached, training, row_ids=settings.row_ids, margin=settings.margin)
    write_digest_with(chosen, about)
    logger.info(
        "weights %s: %s %.4f on the questions that they were chosen on, %.4f by folds (optimism %.4f)",
        about["weights"], about["measure"], choice.in_sample, choice.nested, choice.optimism,
    )  # fmt: skip


@job("ir-measures", "pytrec-eval-terrier", "numpy", "scipy")
def decide(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    run: In,
    training_corpora: Sequence[In] = (),
    training_questions: Sequence[In] = (),
    training_judgements: Sequence[In] = (),
    training_runs: Sequence[In] = (),
    settings: DecideSettings,
    decided: Out,
) -> None:
    """A run → the documents that are given for each question."""
    from sentflow.retrieval.decisions import grid, tune_decision, write_decided
    from sentflow.retrieval.tuning import refuse_shared
    from sentflow.retrieval.tuning import training_questions as questions_of

    candidates, tuning = grid(settings.parameters), settings.tuning
    (_, ids), question_set = read_ids(corpus), read_questions(questions, judgements)
    said, ranked_run = read_run(run, ids)
    about = {key: said[key] for key in ("questions", "retriever", "corpus", "n_documents", "depth")}
    about["decision"] = settings.decision
    if tuning:
        training = []
        files = zip(training_corpora, training_questions, training_judgements, training_runs, strict=True)
        for corpus_file, asked, judged, run_file in files:
            training_set = read_questions(asked, judged)
            known = questions_of(training_set, ids_are_rows=training_set.name in tuning.row_ids)
            refuse_shared(question_set, known, f"decisions.{settings.decision}")
            training.append((training_set, read_run(run_file, read_ids(corpus_file)[1])[1]))
        tuned = tune_decision(candidates, training, n_folds=tuning.folds, seed=tuning.seed)
        kept, chosen = tuned.decided(ranked_run, question_set.name), tuned.best
        facts = tuned.facts(tuning.margin)
        about["tuning"] = {"tuned_on": [one.name for one, _ in training], **facts}
        logger.info(
            "%s: F2 %.4f on the training questions, %.4f by folds",
            *(chosen.parameters(), facts["in_sample"], facts["nested"]),
        )
    else:
        [chosen] = candidates
        kept = {name: chosen.kept(ranked) for name, ranked in ranked_run.ranked.items()}
    about["parameters"] = chosen.parameters()
    write_decided(decided, kept, ids, about)
    logger.info("%d documents for %d questions", sum(map(len, kept.values())), len(question_set))


@job("ir-measures", "pytrec-eval-terrier", "numpy")
def evaluate(
    *,
    runs: list[In],
    corpus: In,
    questions: In,
    leaks: Sequence[In] = (),
    judgements: In,
    settings: EvaluateSettings,
    scores: list[Out],
    rows: list[Out],
) -> None:
    """The runs of all retrievers and the judgements of their questions → measures per question, means and intervals."""
    from sentflow.retrieval.evaluation import evaluate, write_results
    from sentflow.retrieval.tuning import clusters_of

    documents, question_set = CorpusFile(corpus), read_questions(questions, judgements)
    ids = read_ids(corpus)[1]
    leaked = next((read_sealed(file)["leaked"] for file in leaks), None)
    bootstrap = _bootstrap(settings, question_set.name)
    clusters = None
    if settings.cluster:
        clusters = clusters_of(question_set, settings.cluster, settings.cluster_pattern)

    def measure(run: Path, scores_file: Path, rows_file: Path) -> None:
        """Let go of a run before the next is read."""
        about, ranked_run = read_run(run, ids)
        evaluation = evaluate(
            ranked_run, question_set, documents, settings.measures, depth=about["depth"], leaked=leaked
        )
        kept = {key: value for key, value in about.items() if key != "tied_at_cut"}
        write_results(scores_file, rows_file, evaluation, kept, bootstrap, clusters)
        means = ", ".join(f"{name} {values.mean():.4f}" for name, values in evaluation.values.items())
        logger.info("%s on %s: %s", about["retriever"], question_set.name, means)

    with parts() as part:
        for run, scores_file, rows_file in zip(runs, scores, rows, strict=True):
            with part(f"{run.stem} on {question_set.name}"):
                measure(run, scores_file, rows_file)


@job("ir-measures", "pytrec-eval-terrier", "numpy")
def evaluate_decisions(
    *, decided: list[In], questions: In, judgements: In, settings: DecisionSettings, scores: Out, rows: Out
) -> None:
    """What is decided for a question set, and judgements → set measures, means, intervals."""
    from sentflow.retrieval.decisions import evaluate_decided, read_decided, write_decision_values

    question_set = read_questions(questions, judgements)
    decisions = [read_decided(path) for path in decided]
    measured = [(one, evaluate_decided(one, question_set)) for one in decisions]
    bootstrap = _bootstrap(settings, question_set.name)
    write_decision_values(scores, rows, measured, len(question_set), bootstrap)
    for _, one in measured:
        means = ", ".join(f"{name} {own.mean():.4f}" for name, own in one.values.items())
        logger.info("%s on %s: %s", one.system, question_set.name, means)


def _bootstrap(settings: ResamplingSettings, questions: str) -> "Bootstrap":
    from sentflow.stats.resampling import Bootstrap
    from sentflow.stats.seeds import derive_seed

    seed = derive_seed(settings.seed, questions, "bootstrap")
    return Bootstrap(settings.level, settings.n_resamples, seed)


@job("numpy", "scipy")
def compare_retrieval(
    *,
    scores: list[In],
    rows: list[In],
    settings: RetrievalComparisonSettings,
    differences: Out,
    document_differences: Out,
    group_differences: Out,
    clusters: Out,
    groups: Out,
    seeds: Out,
) -> None:
    """The values of all retrievers on all questions → which differ, and for what that holds."""
    from dataclasses import replace

    from sentflow.compare import rows as kinds
    from sentflow.compare.questions import QuestionScores
    from sentflow.retrieval.evaluation import common_questions, decided, read_values

    main, families = settings.main, settings.families
    values_of = {(one.question_set, one.retriever): one for one in map(read_values, rows)}
    by_ties = decided(map(read_sealed, scores))
    compared, of_seeds, tested = [], [], []

    def members(family: str) -> set[str]:
        return set(families.get(family, {}).values()) or {family}

    for name in settings.question_sets:
        own = [values_of[name, system] for system in settings.systems if (name, system) in values_of]
        if not own:
            continue
        questions, values = common_questions(own, main)
        question_set = QuestionScores(
            unit_set=name,
            measure=main,
            systems=[one.retriever for one in own],
            questions=questions,
            groups=own[0].groups,
            clusters=own[0].clusters,
            scores=values,
            settings=settings,
        )
        compared.append(question_set)
        kept = [place for place, one in enumerate(own) if (name, main, one.retriever) not in by_ties]
        if len(kept) < len(own):
            logger.warning(
                "%s: the order of equal scores decides on %s of %s, which take part in no test",
                *(name, main, ", ".join(one.retriever for place, one in enumerate(own) if place not in kept)),
            )
        tested.append(
            replace(question_set, systems=[own[place].retriever for place in kept], scores=values[kept])
        )
        for measure in settings.measures:  # no test is adjusted for the others: they cost nothing
            by_measure = replace(question_set, measure=measure, scores=common_questions(own, measure)[1])
            of_seeds += [
                row
                for row in by_measure.seed_rows(families)
                if not row.other
                or not by_ties & {(name, measure, one) for one in members(row.family) | members(row.other)}
            ]
        logger.info("%s: %d retrievers on %d questions", name, len(own), len(questions))
    write_rows(differences, kinds.QuestionDifference, [row for one in tested for row in one.differences()])
    write_rows(
        document_differences,
        kinds.QuestionDifference,
        [row for one in tested for row in one.document_differences()],
    )
    write_rows(
        group_differences,
        kinds.GroupDifference,
        [row for one in tested for row in one.group_differences()],
    )
    write_rows(clusters, kinds.ClusterRow, [row for one in compared for row in one.cluster_rows()])
    write_rows(groups, kinds.GroupRow, [row for one in compared for row in one.group_rows()])
    write_rows(seeds, kinds.SeedRow, of_seeds)


@job("numpy", "scipy")
def compare_decisions(*, rows: list[In], settings: ComparisonSettings, output: Out) -> None:
    """The values of retrievers with their decisions on all questions → which differ."""
    import numpy as np

    from sentflow.compare.differences import all_differences
    from sentflow.compare.questions import QuestionScores
    from sentflow.compare.rows import QuestionDifference
    from sentflow.retrieval.decisions import read_decision_values
    from sentflow.retrieval.tuning import F2

    values_of = {(one.question_set, one.system): one for path in rows for one in read_decision_values(path)}
    differences: list[QuestionDifference] = []
    for name in settings.question_sets:
        own = [values_of[name, one] for one in settings.systems if (name, one) in values_of]
        if len(own) < 2 or len(own[0].questions) < 2:
            continue
        values = np.stack([one.values[F2] for one in own])
        names = [one.system for one in own]
        scores = QuestionScores(name, F2, names, own[0].questions, values, settings)
        here = all_differences(scores)
        differences += here
        logger.info("%s: %d pairs of decisions", name, len(here))
    write_rows(output, QuestionDifference, differences)


@job()
def hardest_questions(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    runs: list[In],
    rows: list[In],
    settings: HardestSettings,
    output: Out,
) -> None:
    """What all retrievers found on one question set → the questions that are worth reading."""
    from sentflow.retrieval.evaluation import common_questions, read_values
    from sentflow.retrieval.hardest import HardQuestion, best_two, hard_questions

    documents, question_set = CorpusFile(corpus), read_questions(questions, judgements)
    _, ids = read_ids(corpus)
    measured = {one.retriever: one for one in map(read_values, rows)}
    retrievers = [name for name in settings.retrievers if name in measured]
    # where nothing but controls was searched, they are what there is to show
    serious = [name for name in retrievers if name not in settings.controls] or retrievers
    names, values = common_questions([measured[name] for name in retrievers], settings.measure)
    values_of = dict(zip(retrievers, values, strict=True))
    pair = settings.pair or best_two(serious, values[[retrievers.index(name) for name in serious]])
    ranked_runs = {}
    for path in runs:
        about, run = read_run(path, ids)
        if about["retriever"] in pair:
            ranked_runs[about["retriever"]] = run
    hard_rows = hard_questions(
        documents, question_set, values_of, names, ranked_runs,
        measure=settings.measure, serious=serious, pair=pair, limit=settings.limit,
    )  # fmt: skip
    write_rows(output, HardQuestion, hard_rows)
    logger.info("%s: %d rows, %s", question_set.name, len(hard_rows), " and ".join(pair))


@job("numpy", "bm25s", "scipy", "tokenizers", "transformers")
def explain(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    run: In,
    hardest: In,
    terms: Sequence[In] = (),
    counts: Sequence[In] = (),
    passages: Sequence[In] = (),
    documents: Sequence[In] = (),
    documents_info: Sequence[In] = (),
    queries: Sequence[In] = (),
    queries_info: In | None = None,
    manifest: In | None = None,
    model_files: In | None = None,
    settings: SearchSettings,
    output: Out,
) -> None:
    """The questions worth reading → the terms by which a retriever finds their documents."""
    prepare_environment(1)
    from sentflow.retrieval import explanation

    inputs = explanation.ExplainInputs(
        corpus=corpus,
        terms=terms,
        counts=counts,
        passages=passages,
        documents=documents,
        documents_info=documents_info,
        queries=_described(queries, queries_info),
        manifest=manifest,
        model_files=model_files,
    )
    job = Search.read(corpus, questions, judgements, settings, output)
    explanation.write_shared_terms(
        job,
        lambda pairs: explanation.explain(pairs, job.questions, settings, inputs),
        run=run,
        hardest=hardest,
    )
