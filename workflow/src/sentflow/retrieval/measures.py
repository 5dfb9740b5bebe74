"""Measures of ranked lists, and what they are by chance."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import quote

import numpy as np

from sentflow.errors import ConfigError, DataError
from sentflow.texts.corpora import Questions

Ranking = Mapping[str, Sequence[str]]
"""Question → identifiers of documents, best first."""
Grades = Mapping[str, Mapping[str, int]]
"""Question → document → grade."""


def relevant_of(grades: Grades, relevant_grade: int) -> dict[str, list[str]]:
    """Question → its relevant documents."""
    return {
        name: [document for document, grade in own.items() if grade >= relevant_grade]
        for name, own in grades.items()
    }


def judged_questions(questions: Questions) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    """Question → its grades, and its relevant documents, of those questions that have any of these."""
    judged = questions.by_question()
    relevant = {name: own for name, own in relevant_of(judged, questions.relevant_grade).items() if own}
    return {name: judged[name] for name in relevant}, relevant


def per_question(
    ranking: Ranking, grades: Grades, measures: Sequence[str], *, relevant_grade: int = 1
) -> dict[str, np.ndarray]:
    """The value of each measure for each question.

    `ranking`: Their order counts, so that the rule for ties is ours; questions may be missing. `grades`: of the n
    questions that count, in the order of the values; documents without one are not relevant. `measures`: names as
    ir-measures writes them, such as nDCG@10. `relevant_grade`: the least grade that is relevant. The gains of nDCG are
    the grades themselves. Returns Measure → (n,) float64; 0 for a question without a document. Raises ConfigError:
    ir-measures does not know a measure, or cannot compute it; DataError: it cannot on these questions.
    """
    values = {name: np.zeros(len(grades)) for name in measures}
    # By the number of documents that they see: a program that is given no more is faster. Measures that differ in these
    # parameters alone hide each other
    alike: dict[tuple[Any, ...], dict[Any, list[str]]] = {}
    for name in measures:
        measure = parsed(name, relevant_grade)
        kind = (_seen_by(measure), *(str(measure.params.get(key)) for key in ("gains", "judged_only")))
        alike.setdefault(kind, {}).setdefault(measure, []).append(name)
    for (cutoff, *_), names_of in alike.items():
        # gdeval reads files, in which white space ends a name and questions are numbers
        in_files = any(one.NAME == "ERR" or one.params.get("dcg") == "exp-log2" for one in names_of)
        called = quote if in_files else str
        # trec_eval takes a document of a negative grade for one that nobody judged
        qrels = {
            str(row): {called(one): max(grade, 0) for one, grade in own.items()}
            for row, own in enumerate(grades.values())
        }
        found = {
            str(row): {called(document): -float(rank) for rank, document in enumerate(ranking[name][:cutoff])}
            for row, name in enumerate(grades)
            if ranking.get(name)
        }
        # equality of measures is that of their names as text, which would be made anew for each of the values
        key_of = {id(measure): names for measure, names in names_of.items()}
        for value in _calculated([*names_of], qrels, found):
            for name in key_of[id(value.measure)]:
                values[name][int(value.query_id)] = value.value
    return values


def _calculated(measures: Sequence[Any], qrels: Any, found: Any) -> Iterator[Any]:
    """The values of measures; whatever ends a provider of ir-measures becomes a DataError."""
    import ir_measures

    try:
        yield from ir_measures.iter_calc(measures, qrels, found)
    except Exception as error:
        names = ", ".join(map(str, measures))
        raise DataError(
            f"{names}: ir-measures cannot compute this on these questions ({type(error).__name__}: {error}). Leave "
            "the measure out."
        ) from error


def cutoff_of(name: str) -> int | None:
    """The rank below which documents change no value of a measure; None where all count, or unjudged ones do not.

    Raises ConfigError: ir-measures does not know the measure.
    """
    return _seen_by(parsed(name))


def _seen_by(measure: Any) -> int | None:
    cutoff: int | None = measure.params.get("cutoff")
    return None if measure.params.get("judged_only") else cutoff


@cache
def parsed(name: str, relevant_grade: int = 1, where: str = "measures") -> Any:
    """A measure of ir-measures, whose documents are relevant from that grade on.

    Raises ConfigError: ir-measures does not know it, or cannot compute it, which is tried on three documents; `where`
    it was named.
    """
    import ir_measures

    try:
        measure = ir_measures.parse_measure(name)
    except (
        NameError,
        ValueError,
        SyntaxError,
        TypeError,
        AttributeError,
        RecursionError,
        MemoryError,
    ) as error:
        raise ConfigError(
            f"{where}: {name!r} is not a measure of ir-measures ({error}). {_EXAMPLES}"
        ) from error
    # of NumRet and RBP, a grade changes what they count
    usual = getattr(measure.SUPPORTED_PARAMS.get("rel"), "default", None)
    if usual == 1 and "rel" not in measure.params and relevant_grade != 1:
        measure = measure(rel=relevant_grade)
    fault = _fault(measure)
    if not fault:
        try:
            list(_calculated([measure], *_TRIED))
        except DataError as error:
            fault = str(error.__cause__)
    if fault:
        raise ConfigError(f"{where}: {name!r} cannot be computed: {fault}. {_EXAMPLES}")
    return measure


_EXAMPLES = "Write for example nDCG@10, R@100, RR@10, AP@100."
_TRIED = {"1": {"a": 2, "b": 1, "c": 0, "e": 3, "f": 4}}, {"1": {"b": -1.0, "d": -2.0, "a": -3.0}}
# At a cutoff of 0 trec_eval aborts the process, and it rounds recall to two digits
_RANGES = {"cutoff": (1, 1_000_000), "rel": (1, 1_000_000), "recall": (0, 1)}


def _fault(measure: Any) -> str:
    """What is wrong with a measure, or what it needs; empty where there is nothing."""
    import ir_measures

    takes, given = measure.SUPPORTED_PARAMS, measure.params
    if missing := [
        f"{key} ({info.desc})" for key, info in takes.items() if info.required and key not in given
    ]:
        return f"it needs {', '.join(missing)}"
    for key, value in given.items():
        if key not in takes:
            return f"it takes no {key}, only {', '.join(takes) or 'its name'}"
        kind, (least, most) = takes[key].dtype, _RANGES.get(key, (-math.inf, math.inf))
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            return f"{key} is {value!r}, not of type {kind.__name__}"
        if not takes[key].validate(value):
            return f"{key} is {value!r}, not one of {takes[key].choices}"
        if key in _RANGES and not (least <= value <= most and round(value, 2) == value):
            return f"{key} is {value}, not {least} to {most}{', with two decimals' * (kind is float)}"
    if ir_measures.pyndeval.supports(measure):
        return "it needs judgements of subtopics, which are not read here"
    if ir_measures.DefaultPipeline.supports(measure):
        return ""
    words = {"@NOT_PROVIDED": "", "REQUIRED": "…", "ANY": "…"}
    forms = [
        re.sub("@NOT_PROVIDED|REQUIRED|ANY", lambda found: words[found[0]], str(form))
        + f" by {provider.NAME} ({provider.install_instructions()})"
        for provider in ir_measures.DefaultPipeline.providers
        for form in provider.SUPPORTED_MEASURES
        if form.NAME == measure.NAME
    ]
    return f"ir-measures computes only {', '.join(forms) or 'others'}"


_PER_DECADE = 16


def cutoffs(depth: int) -> list[int]:
    """Where a curve of recall is computed: 1 to `depth`, about evenly on a logarithmic axis, both ends included."""
    n = int(np.ceil(_PER_DECADE * np.log10(depth))) + 1 if depth > 1 else 1
    return sorted({*np.rint(np.geomspace(1, depth, n)).astype(int).tolist()})


def recall_at(ranks: Sequence[np.ndarray], n_relevant: np.ndarray, cuts: Sequence[int]) -> np.ndarray:
    """Recall of each question at each cut.

    `ranks`: n arrays of ascending ranks, from 1, at which relevant documents were found. `n_relevant`: (n,) relevant
    documents, each at least 1. `cuts`: k numbers of documents, at least 1. Returns (n, k) float64 in [0, 1]: as
    ir-measures' ``R@k``.
    """
    found = np.stack([np.searchsorted(own, cuts, side="right") for own in ranks])
    shares: np.ndarray = found / n_relevant[:, None]
    return shares


def chance(
    grades: Grades, measures: Sequence[str], *, relevant_grade: int, n_documents: int, depth: int
) -> dict[str, float]:
    """What a random order reaches on average: mean over the questions, in closed form.

    `grades`, `measures`, `relevant_grade`: see `per_question`. `n_documents`: N, of the corpus. Every one of the N!
    orders is as likely as the others. `depth`: documents that are ranked at most. Returns name → in [0, 1]; NaN for
    other measures than nDCG (with linear gains), R, P, RR, Success and AP; nothing without questions.

    With r relevant documents and k the smallest of cutoff, depth and N: R k / N; P k r / (N · cutoff);
    nDCG (Σ gains / N) Σ_{i≤k} 1 / log2(i + 1), over the ideal; AP Σ_{i≤k} (1 + (i − 1)(r − 1) / (N − 1)) / (i N);
    RR and Success from the probability that the first relevant document is the i-th, r / (N − i + 1) Π_{j<i}
    (N − r − j + 1) / (N − j + 1).
    """
    of_questions = [tuple(sorted(own.values())) for own in grades.values()]
    levels = {}
    for name in measures if grades else ():
        measure = parsed(name, relevant_grade)
        # questions with the same grades have the same expectation
        found = {own: _expected(measure, own, n_documents, depth) for own in set(of_questions)}
        levels[name] = float(np.mean([found[own] for own in of_questions]))
    return levels


def _expected(measure: Any, grades: Sequence[int], n_documents: int, depth: int) -> float:
    params = dict(measure.params)
    cutoff, least = params.pop("cutoff", None), params.pop("rel", 1)
    relevant = sum(grade >= least for grade in grades)
    k = min(cutoff or n_documents, depth, n_documents)
    if params or (measure.NAME != "nDCG" and not relevant):
        return math.nan
    places = np.arange(1, k + 1)
    match measure.NAME:
        case "R":
            return float(k / n_documents)
        case "P":
            return float(k * relevant / n_documents / (cutoff or n_documents))
        case "nDCG":
            gains = np.array(sorted((grade for grade in grades if grade > 0), reverse=True), dtype=float)
            discounts = 1 / np.log2(np.arange(2, max(k, len(gains)) + 2))
            counted = gains[: cutoff or n_documents]
            ideal = float(counted @ discounts[: len(counted)])
            return float(gains.sum() / n_documents * discounts[:k].sum() / ideal) if ideal else math.nan
        case "AP":
            others = (relevant - 1) / max(n_documents - 1, 1)
            return float(((1 + (places - 1) * others) / places).sum() / n_documents)
        case "RR":
            return float(first_at(k, relevant, n_documents) @ (1 / places))
        case "Success":
            return float(first_at(k, relevant, n_documents).sum())
    return math.nan


def first_at(k: int, relevant: int, n_documents: int) -> np.ndarray:
    """(k,) probability that the first relevant document stands at each place."""
    before = np.arange(k)
    left = n_documents - before
    missed = (
        np.cumprod(np.concatenate([[1.0], np.clip(1 - relevant / left[:-1], 0, 1)])) if k else np.zeros(0)
    )
    found: np.ndarray = missed * np.minimum(relevant / left, 1.0)
    return found
