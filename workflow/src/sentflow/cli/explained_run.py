"""The terms behind the scores of a run, out of the files of the experiment that it is of. No model is loaded."""

import math
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sentflow.cli.answering import in_folder, to_make_first
from sentflow.cli.configuration import read_experiment
from sentflow.cli.terminal import Block, beginning, listing, quiet
from sentflow.config.problems.common import made_of_seeds, unknown
from sentflow.errors import ConfigError, DataError, instead
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.retrieval.parts import EXPLAINED
from sentflow.flow import paths
from sentflow.jobs.machine import prepare_environment
from sentflow.report.numbers import counted, share
from sentflow.report.table.table import Table
from sentflow.retrieval.explanation import (
    ExplainInputs,
    Explanation,
    Pair,
    best_ranked,
    explained_pairs,
    explainer,
    rank_of,
)
from sentflow.retrieval.ranking import Run
from sentflow.retrieval.runs import read_run
from sentflow.retrieval.settings import SearchSettings, Sparse
from sentflow.texts.corpora import Corpus, Questions, read_corpus, read_questions

_OF_VECTORS = (
    "A term adds the product of its vectors, which is 0 where these have no value above 0 in common; weights only "
    "chose the candidates and are no factor of it."
)


def explained_run(
    retriever: str,
    questions: str,
    question: str,
    documents: Sequence[str],
    *,
    configs: Sequence[Path] | None,
    results: Path,
) -> dict[str, Any]:
    """What a retriever ranked for a question, and what the scores of documents are sums of, as JSON."""
    family = Retrieval(read_experiment(configs))
    job = _job(retriever, questions, family)
    common = _files(job, family)
    inputs = _inputs(job, family)
    files = [*common, *(file for names in inputs.values() for file in names)]
    if absent := [file for file in files if not in_folder(results, file).is_file()]:
        why = "Nothing is searched, embedded or downloaded here"
        raise DataError(to_make_first(absent, configs or [], needed_by="the explanations", why=why))
    corpus_file, questions_file, judgements, run_file = (in_folder(results, file) for file in common)
    corpus, asked = read_corpus(corpus_file), read_questions(questions_file, judgements)
    _, run = read_run(run_file, corpus.ids)
    _refuse_unknown("--question", f"question {question!r} in {questions}", question, asked.ids)
    for name in documents:
        _refuse_unknown("--document", f"document {name!r} in {corpus.name}", name, corpus.ids)
    chosen = list(dict.fromkeys(documents)) or _by_default(question, run, asked)
    settings = SearchSettings.model_validate_json(family.search_settings(job))
    notes = _notes(question, run, asked) if not documents else []
    if isinstance(settings.by, Sparse) and settings.by.candidates:
        notes.append(_OF_VECTORS)
    with quiet():
        prepare_environment(1)
        places: dict[str, Any] = {
            name: [in_folder(results, file) for file in names] for name, names in inputs.items()
        }
        places["manifest"] = next(iter(places["manifest"]), None)
        explain = explainer(asked, settings, ExplainInputs(corpus=corpus_file, **places))
        found = explained_pairs([Pair(question, name) for name in chosen], explain, run, where=run_file)
    return {
        "retriever": retriever,
        "questions": questions,
        "question": question,
        "text": asked.texts[asked.ids.index(question)],
        "documents": [_document(pair, one, run, corpus, asked) for pair, one in found.items()],
        "notes": notes,
    }


def _document(
    pair: Pair, explanation: Explanation, run: Run, corpus: Corpus, questions: Questions
) -> dict[str, Any]:
    """A document, what the run says of it, and why; shares of a score of 0 are NaN."""
    grade = questions.by_question()[pair.question].get(pair.document)
    return {
        "document": pair.document,
        "text": corpus.whole_texts()[corpus.ids.index(pair.document)],
        "rank": rank_of(pair, run) or None,
        "grade": grade,
        "is_relevant": grade is not None and grade >= questions.relevant_grade,
        "score": explanation.score,
        "rest": explanation.rest,
        "terms": [{**vars(term), "share": explanation.share(term.addend)} for term in explanation.shared],
    }


def blocks_of_run(record: Mapping[str, Any], *, most: int) -> list[Block]:
    """A table per document, and what is to be known."""
    head = f"{record['retriever']}, {record['questions']}, {record['question']}: {beginning(record['text'])}"
    return [head, *(_table(document, most) for document in record["documents"]), *record["notes"]]


def _table(document: Mapping[str, Any], most: int) -> Table:
    terms, rest, score = document["terms"], document["rest"], document["score"]
    rows = [
        (
            one["term"],
            *(f"{one[key]:.4g}" for key in ("in_question", "in_document", "addend")),
            share(one["share"]),
        )
        for one in terms[:most]
    ]

    def part(addend: float) -> str:
        return f"{addend:.4g}, {share(addend / score if score else math.nan)}."

    notes = [] if rows else ["No shared term."]
    if left := terms[most:]:
        addend = sum(one["addend"] for one in left)
        notes.append(f"{counted(len(left), 'further shared term')}: {part(addend)}")
    if rest:
        notes.append(f"Terms of the question that the document lacks: {part(rest)}")
    ranked = f"rank {document['rank']}" if document["rank"] else "not ranked"
    judged = (
        "relevant"
        if document["is_relevant"]
        else "not judged"
        if document["grade"] is None
        else "not relevant"
    )
    caption = f"{document['document']}, {ranked}, score {score:.6g}, {judged}: {beginning(document['text'])}"
    header = ("Shared term", "In question", "In document", "Adds", "Share")
    return listing(header, rows, "lrrrr", caption=caption, notes=tuple(notes))


def _job(retriever: str, questions: str, family: Retrieval) -> SimpleNamespace:
    """The wildcards of a search that can be explained."""
    if questions not in family.needed:
        raise ConfigError(
            f"--questions: {questions!r} is not searched in this experiment. {instead(questions, family.needed)}"
        )
    searched = {name: family.retrievers[name] for name in family.needed[questions]}
    known = [name for name, entry in searched.items() if entry["kind"] in EXPLAINED]
    if made_of_seeds(retriever, searched):
        raise ConfigError(unknown("--retriever", "retriever", retriever, searched))
    if retriever not in searched:
        raise ConfigError(
            f"--retriever: {retriever!r} does not search {questions}. {instead(retriever, known or searched)}"
        )
    if retriever not in known:
        other = (
            f"Write one of: {', '.join(known)}." if known else f"Select one of kind {' or '.join(EXPLAINED)}."
        )
        raise ConfigError(
            f"--retriever: {retriever} is of kind {searched[retriever]['kind']}, whose scores are no sums over shared "
            f"terms. {other}"
        )
    return SimpleNamespace(questions=questions, retriever=retriever)


def _files(job: SimpleNamespace, family: Retrieval) -> list[str]:
    patterns = (paths.QUESTIONS, paths.JUDGEMENTS, paths.RUN)
    return [family.corpus(job), *(pattern.format(**vars(job)) for pattern in patterns)]


def _inputs(job: SimpleNamespace, family: Retrieval) -> dict[str, list[str]]:
    """What the rule `explain` reads beside `_files`."""
    return {
        "terms": family.of_searches(family.terms)(job),
        "counts": family.of_searches(family.counts)(job),
        "passages": family.of_searches(family.passages)(job),
        "documents": family.of_searches(family.document_vectors)(job),
        "documents_info": family.of_searches(family.document_info)(job),
        "queries": [*family.question_vectors(job), *family.question_info(job)],
        "manifest": family.manifest(job),
    }


def _by_default(question: str, run: Run, questions: Questions) -> list[str]:
    """The best ranked document and the best ranked relevant one, which may be one."""
    first = run.documents(question)[:1] if question in run.ranked else []
    relevant = best_ranked(question, run, questions, relevant=True)
    return list(dict.fromkeys([*first, *([relevant] if relevant else [])]))


def _notes(question: str, run: Run, questions: Questions) -> list[str]:
    """What is said where a document of the default is not there."""
    if question not in run.ranked or not len(run.ranked[question]):
        return ["Nothing was found for this question."]
    if best_ranked(question, run, questions, relevant=True):
        return []
    grades = questions.by_question()[question]
    relevant = [name for name, grade in grades.items() if grade >= questions.relevant_grade]
    if not relevant:
        return ["No document is known to be relevant."]
    more = f" and {len(relevant) - 1} more" if len(relevant) > 1 else ""
    return [
        f"No relevant document is ranked. See what it shares with the question by --document {relevant[0]}{more}."
    ]


def _refuse_unknown(option: str, what: str, name: str, known: Sequence[str]) -> None:
    """Refuse a name that is not there; there may be too many others to list them."""
    if name not in known:
        near = get_close_matches(name, known, n=1) or known[:1]
        raise ConfigError(
            f"{option}: there is no {what}. Write one of its {len(known)} names, say {near[0]}."
        )
