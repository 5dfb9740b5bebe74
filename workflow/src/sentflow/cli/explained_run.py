"""The terms behind the scores of a run, out of the files of the experiment that it is of. No model is loaded."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import SimpleNamespace

from sentflow.cli.configuration import read_experiment
from sentflow.cli.quiet import quiet
from sentflow.cli.steps import in_folder, to_make_first
from sentflow.config.problems.common import made_of_seeds, unknown
from sentflow.errors import ConfigError, DataError, instead
from sentflow.families.retrieval.family import Retrieval
from sentflow.families.retrieval.parts import EXPLAINED
from sentflow.graph import paths
from sentflow.jobs.environment import prepare_environment
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
from sentflow.texts.corpora import Corpus, Questions, read_corpus, read_questions

_CORPUS, _QUESTIONS, _JUDGEMENTS, _RUN = "corpus", "questions", "judgements", "run"
_MANIFEST = "manifest"
_OF_VECTORS = (
    "A term adds the product of its vectors, which is 0 where these have no value above 0 in common; weights only "
    "chose the candidates and are no factor of it."
)


@dataclass(frozen=True)
class ExplainedDocument:
    """A document, what a run says of it, and why.

    Attributes
    ----------
    name, text
        Identifier and whole text.
    rank
        In the run, from 1; 0 where it is not there.
    grade
        Of the judgements; None where nobody judged it.
    is_relevant
        Whether the grade is one that counts as relevant.
    explanation
        Of its score.
    """

    name: str
    text: str
    rank: int
    grade: int | None
    is_relevant: bool
    explanation: Explanation


@dataclass(frozen=True)
class ExplainedRun:
    """What a retriever found for a question, and by which terms.

    Attributes
    ----------
    retriever, questions, question, text
        Names of the retriever, of the set and of the question, and what it asks.
    documents
        Those that were asked for.
    notes
        What is to be known of the choice, and of vectors of terms.
    """

    retriever: str
    questions: str
    question: str
    text: str
    documents: tuple[ExplainedDocument, ...]
    notes: tuple[str, ...]


def explained_run(
    retriever: str,
    questions: str,
    question: str,
    documents: Sequence[str],
    *,
    configs: Sequence[Path],
    results: Path,
) -> ExplainedRun:
    """Read what a retriever found, and what its scores are sums of.

    Parameters
    ----------
    retriever, questions, question
        Names.
    documents
        Identifiers; of none, the best ranked one and the best ranked relevant one.
    configs, results
        See `sentflow.cli.explain.explain`.

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
        raise DataError(to_make_first(absent, configs, needed_by="the explanations", why=why))
    place = {option: [in_folder(results, file) for file in names] for option, names in files.items()}
    corpus = read_corpus(place[_CORPUS][0])
    asked = read_questions(place[_QUESTIONS][0], place[_JUDGEMENTS][0])
    _, run = read_run(place[_RUN][0], corpus.ids)
    _refuse_unknown("--question", f"question {question!r} in {questions}", question, asked.ids)
    for name in documents:
        _refuse_unknown("--document", f"document {name!r} in {corpus.name}", name, corpus.ids)
    chosen = list(dict.fromkeys(documents)) or _by_default(question, run, asked)
    settings = SearchSettings.model_validate_json(family.search_settings(job))
    by_vectors = isinstance(settings.by, Sparse) and settings.by.candidates
    with quiet():
        prepare_environment(1)
        explain = explainer(asked, settings, _inputs(place))
        pairs = [Pair(question, name) for name in chosen]
        found = explained_pairs(pairs, explain, run, where=place[_RUN][0])
    return ExplainedRun(
        retriever,
        questions,
        question,
        asked.texts[asked.ids.index(question)],
        _documents(found, run, corpus, asked),
        (
            *(_notes(question, run, asked) if not documents else ()),
            *([_OF_VECTORS] if by_vectors else []),
        ),
    )


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


def _notes(question: str, run: Run, questions: Questions) -> tuple[str, ...]:
    """What is said where a document of the default is not there."""
    if question not in run.ranked or not len(run.ranked[question]):
        return ("Nothing was found for this question.",)
    if best_ranked(question, run, questions, relevant=True):
        return ()
    grades = questions.by_question()[question]
    relevant = [name for name, grade in grades.items() if grade >= questions.relevant_grade]
    if not relevant:
        return ("No document is known to be relevant.",)
    more = f" and {len(relevant) - 1} more" if len(relevant) > 1 else ""
    return (
        f"No relevant document is ranked. See what it shares with the question by --document {relevant[0]}{more}.",
    )


def _documents(
    found: dict[Pair, Explanation], run: Run, corpus: Corpus, questions: Questions
) -> tuple[ExplainedDocument, ...]:
    judged = questions.by_question()
    texts = corpus.whole_texts()
    row_of = {name: row for row, name in enumerate(corpus.ids)}

    def document(pair: Pair, explanation: Explanation) -> ExplainedDocument:
        grade = judged[pair.question].get(pair.document)
        is_relevant = grade is not None and grade >= questions.relevant_grade
        text = texts[row_of[pair.document]]
        return ExplainedDocument(pair.document, text, rank_of(pair, run), grade, is_relevant, explanation)

    return tuple(document(pair, explanation) for pair, explanation in found.items())


def _refuse_unknown(option: str, what: str, name: str, known: Sequence[str]) -> None:
    """Refuse a name that is not there; there may be too many others to list them."""
    if name in known:
        return
    near = get_close_matches(name, known, n=1) or known[:1]
    raise ConfigError(f"{option}: there is no {what}. Write one of its {len(known)} names, say {near[0]}.")
