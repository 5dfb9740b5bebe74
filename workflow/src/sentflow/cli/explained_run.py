"""The terms behind the scores of a run, out of the files of the experiment that it is of. No model is loaded."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sentflow.cli.answering import in_folder, to_make_first
from sentflow.cli.configuration import read_experiment
from sentflow.cli.terminal import Block, Listing, beginning, quiet
from sentflow.config.problems.common import made_of_seeds, unknown
from sentflow.errors import ConfigError, DataError, instead
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.retrieval.parts import EXPLAINED
from sentflow.graph import paths
from sentflow.jobs.machine import prepare_environment
from sentflow.report.numbers import counted, share
from sentflow.retrieval.contributions import Explanation
from sentflow.retrieval.ranking import Run
from sentflow.retrieval.runs import read_run
from sentflow.retrieval.settings import SearchSettings, Sparse
from sentflow.retrieval.shared_terms import (
    ExplainInputs,
    Pair,
    best_ranked,
    explained_pairs,
    explainer,
    rank_of,
)
from sentflow.texts.corpora import Questions, read_corpus, read_questions

_CORPUS, _QUESTIONS, _JUDGEMENTS, _RUN = "corpus", "questions", "judgements", "run"
_MANIFEST = "manifest"
_OF_VECTORS = (
    "A term adds the product of its vectors, which is 0 where these have no value above 0 in common; weights only "
    "chose the candidates and are no factor of it."
)


@dataclass(frozen=True)
class ExplainedRun:
    """A title, captions of documents with the explanations of their scores, and notes."""

    title: str
    documents: Sequence[tuple[str, Explanation]]
    notes: Sequence[str]


def explained_run(
    retriever: str,
    questions: str,
    question: str,
    documents: Sequence[str],
    *,
    configs: Sequence[Path] | None,
    results: Path,
) -> tuple[dict[str, Any], ExplainedRun]:
    """What a retriever found for a question, and what its scores are sums of: for programs, and for people.

    Parameters
    ----------
    retriever, questions, question
        Names of the retriever, of the set and of the question.
    documents
        Identifiers; of none, the best ranked one and the best ranked relevant one.
    configs, results
        Those that the results were made with, and their folder.

    Raises
    ------
    ConfigError
        A name does not exist, or the scores of the retriever are no sums over terms.
    DataError
        A file is missing or damaged, or the run was made from other files.
    """
    family = Retrieval(read_experiment(configs))
    job = _job(retriever, questions, family)
    files = _files(job, family)
    absent = [file for names in files.values() for file in names if not in_folder(results, file).is_file()]
    if absent:
        why = "Nothing is searched, embedded or downloaded here"
        raise DataError(to_make_first(absent, configs or [], needed_by="the explanations", why=why))
    place = {option: [in_folder(results, file) for file in names] for option, names in files.items()}
    corpus = read_corpus(place[_CORPUS][0])
    asked = read_questions(place[_QUESTIONS][0], place[_JUDGEMENTS][0])
    _, run = read_run(place[_RUN][0], corpus.ids)
    _refuse_unknown("--question", f"question {question!r} in {questions}", question, asked.ids)
    for name in documents:
        _refuse_unknown("--document", f"document {name!r} in {corpus.name}", name, corpus.ids)
    chosen = list(dict.fromkeys(documents)) or _by_default(question, run, asked)
    settings = SearchSettings.model_validate_json(family.search_settings(job))
    with quiet():
        prepare_environment(1)
        explain = explainer(asked, settings, _inputs(place))
        pairs = [Pair(question, name) for name in chosen]
        found = explained_pairs(pairs, explain, run, where=place[_RUN][0])
    text = asked.texts[asked.ids.index(question)]
    grades, texts = asked.by_question()[question], dict(zip(corpus.ids, corpus.whole_texts(), strict=True))
    records, captions = [], []
    for pair, explanation in found.items():
        rank, grade = rank_of(pair, run), grades.get(pair.document)
        is_relevant = grade is not None and grade >= asked.relevant_grade
        records.append(
            {
                "document": pair.document,
                "rank": rank or None,
                "grade": grade,
                "is_relevant": is_relevant,
                "score": explanation.score,
                "rest": explanation.rest,
                "terms": [
                    {**vars(term), "share": explanation.share(term.addend)} for term in explanation.shared
                ],
            }
        )
        ranked = f"rank {rank}" if rank else "not ranked"
        judged = "relevant" if is_relevant else "not judged" if grade is None else "not relevant"
        about = f"{pair.document}, {ranked}, score {explanation.score:.6g}, {judged}"
        captions.append(f"{about}: {beginning(texts[pair.document])}")
    notes = _notes(question, run, asked) if not documents else []
    if isinstance(settings.by, Sparse) and settings.by.candidates:
        notes.append(_OF_VECTORS)
    title = f"{retriever}, {questions}, {question}: {beginning(text)}"
    record = {"retriever": retriever, "questions": questions, "question": question, "text": text}
    shown = ExplainedRun(title, list(zip(captions, found.values(), strict=True)), notes)
    return {**record, "documents": records}, shown


def blocks_of_run(run: ExplainedRun, *, most: int) -> list[Block]:
    """A table per document, and what is to be known."""
    return [run.title, *(_table(*document, most) for document in run.documents), *run.notes]


def _table(caption: str, explanation: Explanation, most: int) -> Listing:
    rows = [
        (
            one.term,
            f"{one.in_question:.4g}",
            f"{one.in_document:.4g}",
            f"{one.addend:.4g}",
            share(explanation.share(one.addend)),
        )
        for one in explanation.shared[:most]
    ]
    left, rest = explanation.shared[most:], explanation.rest
    notes = []
    if not rows:
        notes.append("No shared term.")
    if left:
        total = sum(one.addend for one in left)
        further = counted(len(left), "further shared term")
        notes.append(f"{further}: {total:.4g}, {share(explanation.share(total))}.")
    if rest:
        part = share(explanation.share(rest))
        notes.append(f"Terms of the question that the document lacks: {rest:.4g}, {part}.")
    header = ("Shared term", "In question", "In document", "Adds", "Share")
    return Listing(header, rows, "lrrrr", caption=caption, notes=tuple(notes))


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


def _files(job: SimpleNamespace, family: Retrieval) -> dict[str, list[str]]:
    """What is read, as the rule `explain` reads it."""
    names = vars(job)
    return {
        _CORPUS: [family.corpus(job)],
        _QUESTIONS: [paths.QUESTIONS.format(**names)],
        _JUDGEMENTS: [paths.JUDGEMENTS.format(**names)],
        _RUN: [paths.RUN.format(**names)],
        "terms": family.of_searches(family.terms)(job),
        "counts": family.of_searches(family.counts)(job),
        "passages": family.of_searches(family.passages)(job),
        "documents": family.of_searches(family.document_vectors)(job),
        "documents_info": family.of_searches(family.document_info)(job),
        "queries": [*family.question_vectors(job), *family.question_info(job)],
        _MANIFEST: family.manifest(job),
    }


def _inputs(place: dict[str, list[Path]]) -> ExplainInputs:
    several = {
        key: files
        for key, files in place.items()
        if key not in (_CORPUS, _QUESTIONS, _JUDGEMENTS, _RUN, _MANIFEST)
    }
    return ExplainInputs(corpus=place[_CORPUS][0], manifest=next(iter(place[_MANIFEST]), None), **several)


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
    if name in known:
        return
    near = get_close_matches(name, known, n=1) or known[:1]
    raise ConfigError(f"{option}: there is no {what}. Write one of its {len(known)} names, say {near[0]}.")
