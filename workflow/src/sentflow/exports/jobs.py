"""Jobs of exports: scores, runs and data in the formats of others."""

import hashlib
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError, parts
from sentflow.exports.identity import (
    REVISION_DIGITS,
    Crate,
    PairCorpus,
    RetrievalExport,
    RunExport,
    ScoreExport,
    TaskFacts,
)
from sentflow.files.io import read_json, read_sealed, write_json, write_text
from sentflow.files.rows import read_rows
from sentflow.jobs.job import In, Out, job
from sentflow.report.rows import unique
from sentflow.retrieval.ranking import read_run
from sentflow.texts.corpora import CorpusFile, read_corpus, read_ids, read_questions
from sentflow.training.settings import CardSettings

if TYPE_CHECKING:
    from sentflow.exports.identity import TaskFacts
    from sentflow.texts.corpora import Questions

logger = logging.getLogger(__name__)


@job()
def export_mteb(
    *,
    summary: In,
    digests: list[In],
    tables: list[In],
    versions: In,
    settings: ScoreExport,
    output: list[Out],
) -> None:
    """Every score → MTEB's result files, in the layout of its own results folder."""
    from sentflow.compare.tasks import fold_scores
    from sentflow.exports.mteb import model_meta, run_settings, task_result

    tasks = _task_facts(settings, digests)
    rows, recorded = read_rows(summary, ScoreRow), read_json(versions)
    table_of = {(file.parent.name, file.stem): file for file in tables}
    file_of = {"/".join(file.parts[-3:]): file for file in output}
    for row in rows:
        folds = fold_scores(table_of[row.task, row.model]).tolist()
        file = file_of[f"{settings.models[row.model].folder}/{row.task}.json"]
        write_json(file, task_result(row, tasks[row.task], folds))
    for model in unique(row.model for row in rows):
        own = [row for row in rows if row.model == model]
        facts = settings.models[model]
        write_json(file_of[f"{facts.folder}/model_meta.json"], model_meta(facts, own[0].dimension))
        text = run_settings([row.task for row in own], recorded)
        write_text(file_of[f"{facts.folder}/run_settings.jsonl"], text)


@job("huggingface_hub")
def export_huggingface(*, summary: In, digests: list[In], settings: ScoreExport, output: list[Out]) -> None:
    """Every score → files for the Hugging Face hub: .eval_results and a model card with a model-index."""
    from sentflow.exports.huggingface import eval_results, model_card

    tasks = _task_facts(settings, digests)
    rows = read_rows(summary, ScoreRow)
    results = {(file.parts[-3], file.stem): file for file in output if file.suffix == ".yaml"}
    cards = {file.parts[-2]: file for file in output if file.suffix == ".md"}
    for model in unique(row.model for row in rows):
        own = [(row, tasks[row.task]) for row in rows if row.model == model]
        for row, task in own:
            write_text(results[model, row.task], eval_results(row, task))
        write_text(cards[model], model_card(settings.models[model], own))


def _task_facts(settings: ScoreExport, digests: Sequence[Path]) -> "dict[str, TaskFacts]":
    """`digests`: a file of the name of each task, with the SHA-256 of its table."""

    revisions = {file.stem: read_json(file)["sha256"][:REVISION_DIGITS] for file in digests}
    return {
        name: TaskFacts(language=task.language, data=task.data, data_revision=revisions[name])
        for name, task in settings.tasks.items()
    }


@job()
def export_numbers(*, summary: In, title: str, output: Out) -> None:
    """Every score → LaTeX macros for the text of a paper."""
    from sentflow.exports.macros import macros

    rows = read_rows(summary, ScoreRow)
    write_text(output, macros(rows, title=title))


@job("ir-measures", "pytrec-eval-terrier")
def export_mteb_retrieval(
    *,
    corpora: list[In],
    questions: list[In],
    judgements: list[In],
    digests: list[In],
    runs: list[In],
    manifests: list[In],
    versions: In,
    settings: RetrievalExport,
    output: list[Out],
) -> None:
    """What dense retrievers found → MTEB's result files, laid out as in its results folder."""
    from sentflow.exports.mteb import model_meta, retrieval_measures, retrieval_result, run_settings
    from sentflow.retrieval.evaluation import evaluate

    recorded = read_json(versions)
    file_of = {"/".join(file.parts[-3:]): file for file in output}
    ranked_runs = iter(runs)
    n_sets = len(settings.question_sets)
    for place, task in enumerate(settings.question_sets.values()):
        corpus = CorpusFile(corpora[place])
        _, ids = read_ids(corpora[place])
        question_set = read_questions(questions[place], judgements[place])
        revision = _revision(digests[place::n_sets])
        for retriever, model in settings.retrievers.items():
            about, run = read_run(next(ranked_runs), ids)
            names = retrieval_measures(about["depth"])
            found = evaluate(run, question_set, corpus, list(names.values())).values
            values = {key: found[measure] for key, measure in names.items()}
            told = {"n_questions": len(next(iter(values.values()))), "retriever": retriever}
            if question_set.relevant_grade != 1:
                told["relevant_from_grade"] = question_set.relevant_grade
            file = file_of[f"{model.folder}/{task.task}.json"]
            write_json(file, retrieval_result(task.task, task.language, revision, values, told))
    tasks = [task.task for task in settings.question_sets.values()]
    for facts, manifest in zip(settings.retrievers.values(), manifests, strict=True):
        meta = model_meta(facts, read_json(manifest)["dimension"])
        write_json(file_of[f"{facts.folder}/model_meta.json"], meta)
        write_text(file_of[f"{facts.folder}/run_settings.jsonl"], run_settings(tasks, recorded))


def _revision(digests: list[Path]) -> str:
    """What stands where others have a commit: of the SHA-256 of corpus, questions and judgements."""

    text = " ".join(read_json(file)["sha256"] for file in digests)
    return hashlib.sha256(text.encode()).hexdigest()[:REVISION_DIGITS]


@job()
def export_trec(
    *,
    corpus: In,
    questions: In,
    judgements: In,
    runs: list[In],
    versions: In,
    benchmarks: Sequence[In] = (),
    settings: RunExport,
    files: list[Out],
    qrels: Out,
) -> None:
    """The runs on a question set and its judgements, in TREC's form."""
    from sentflow.exports.trec import annotated_run, judgement_file
    from sentflow.report.costs.summary import job_of, read_records

    (_, ids), question_set = read_ids(corpus), read_questions(questions, judgements)
    recorded = read_json(versions)
    for retriever, source, output in zip(settings.shown, runs, files, strict=True):
        about, run = read_run(source, ids)
        if (about["questions"], about["retriever"]) != (question_set.name, retriever):
            raise DataError(
                f"{source} is the run of {about['retriever']} on {about['questions']}, not of {retriever} on "
                f"{question_set.name}. Delete it and run snakemake again."
            )
        measured = [
            read_records(file) for file in benchmarks if job_of(file)[1] == f"{question_set.name}/{retriever}"
        ]
        took = measured[0][-1] if measured and measured[0] else None
        write_text(output, annotated_run(run, retriever, settings, recorded, took))
    write_text(qrels, judgement_file(question_set))
    logger.info("%d runs of %s", len(runs), question_set.name)


@job()
def export_submissions(*, decided: list[In], questions: In, output: list[Out]) -> None:
    """What is decided for a question set → submissions of the Zalo challenge."""
    from sentflow.exports.submission import submission, submission_text
    from sentflow.retrieval.decisions import read_decided

    question_set = _questions(questions)
    for path, file in zip(decided, output, strict=True):
        found = submission(question_set.ids, read_decided(path).documents)
        write_text(file, submission_text(found))
        n_empty = sum(not one["relevant_articles"] for one in found)
        logger.info("%s: %d questions, %d of them without an article", file, len(found), n_empty)


@job()
def export_law_files(
    *, corpus: In, questions: Sequence[In] = (), text: Out, dictionary: Out, articles: Out
) -> None:
    """A corpus of laws and questions → the intermediate files of the published Zalo system."""
    from sentflow.exports.submission import article_list, article_texts, text_lines

    documents = read_corpus(corpus)
    asked = [_questions(path) for path in questions]
    write_text(text, "".join(f"{line}\n" for line in text_lines(documents, asked)))
    write_text(dictionary, json.dumps(article_texts(documents), ensure_ascii=False))
    write_text(articles, json.dumps(article_list(documents), ensure_ascii=False))


def _questions(path: Path) -> "Questions":
    from sentflow.files.parquet import read_described, readable
    from sentflow.texts.corpora import questions_of

    with readable(path, "table of questions"):
        return questions_of(*read_described(path))


@job()
def export_pairs(*, data: In, audit: In | None = None, settings: PairCorpus, shards: Out, card: Out) -> None:
    """Training data that were put together → shards and a card, as a data set of the hub."""
    from sentflow.exports import pair_corpus
    from sentflow.files.parquet import DescribedParts, readable, write_parquet

    size_bytes = 0
    with readable(data, "table of training data"):
        table = DescribedParts(data)
        for place, (start, stop) in enumerate(pair_corpus.shard_borders(table.n_rows, settings.shards)):
            path = shards / pair_corpus.shard_name(place, settings.shards)
            # The metadata of the table mean nothing outside
            write_parquet(path, table.rows(start, stop).replace_schema_metadata(None))
            size_bytes += path.stat().st_size
    audited = read_sealed(audit) if audit else None
    write_text(card, pair_corpus.card(read_json(data.with_suffix(".json")), settings, audited, size_bytes))
    logger.info("%d pairs in %d shards, %d bytes", table.n_rows, settings.shards, size_bytes)


@job("rocrate")
def export_ro_crate(
    *, files: list[In], digests: Sequence[In] = (), versions: In, settings: Crate, output: Out
) -> None:
    """The files of a run → an RO-Crate with checksums, data, encoders and versions."""
    from sentflow.exports.crate import names_in_crate, write_crate

    for file, (table, dataset) in zip(digests, settings.tables, strict=True):
        settings.datasets[dataset]["checksums"][table] = read_json(file)["sha256"]
    write_crate(output, names_in_crate(files), about=settings, versions=read_json(versions))


@job("huggingface_hub", "jinja2")
def model_card(
    *,
    records: list[In],
    manifests: list[In],
    summaries: Sequence[In] = (),
    audits: Sequence[In] = (),
    settings: dict[str, CardSettings],
    cards: list[Out],
) -> None:
    """The files of all trainings and all scores → the model card of each encoder."""
    from sentflow.training.cards.card import model_card, read_facts

    of_data = {file.stem: file for file in audits}
    with parts() as part:
        for record, manifest, card in zip(records, manifests, cards, strict=True):
            model = record.parent.name
            with part(model):
                own = settings[model]
                facts = read_facts(record.parent, manifest, own, summaries, of_data.get(own.data))
                write_text(card, model_card(facts))
                logger.info("%s: %d scores of %d seeds", model, len(facts.scores), len(own.siblings))
