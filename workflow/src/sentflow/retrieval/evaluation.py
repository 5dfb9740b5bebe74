"""Effectiveness of runs: per question, with ties in every order, as files."""

import math
import time
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import DataError
from sentflow.files.io import write_sealed
from sentflow.files.parquet import Columns, numbers_of, read_parquet, readable, table_of, write_parquet
from sentflow.retrieval.measures import (
    Grades,
    Ranking,
    chance,
    first_at,
    judged_questions,
    parsed,
    per_question,
)
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.settings import CertifySettings
from sentflow.stats.means import interval_of_scores, says_enough
from sentflow.stats.paired import PairedT
from sentflow.stats.resampling import Bootstrap
from sentflow.stats.seeds import derive_seed
from sentflow.texts.corpora import Corpus, CorpusFile, Questions, copies

CORPUS, MEAN, TREC_EVAL = RULES = ("corpus", "mean", "trec_eval")
DECISIVE = 0.01  # of a mean: what can move by more is no ground to call a run better than another
_DRAWS = 100  # orders, where no closed form is known
_SEED = 0
_DIGITS = 12  # of means in closed form: sums that should be 1 are 1
JUDGED_AT = 10
CLEAN, LEAKED = "clean", "leaked"
Orders = dict[str, list[str]]


def decisive(worst: float, best: float) -> bool:
    """Whether the order decides on a mean, which is between `worst` and `best`; not if these are NaN."""
    return best - worst > DECISIVE


def decided(results: Iterable[Mapping[str, Any]]) -> set[tuple[str, str, str]]:
    """Question set, measure and retriever of means on which the order decides; `results` are as they are written."""
    return {
        (one["questions"], measure, one["retriever"])
        for one in results
        for measure, stated in one["measures"].items()
        if decisive(stated.get("worst_order", math.nan), stated.get("best_order", math.nan))
    }


def as_trec_eval(run: Run) -> Run:
    """A run in the order of trec_eval: by scores in single precision, equal ones by identifiers, the last first."""
    names = [name.encode() for name in run.document_ids]
    place = np.empty(len(names), dtype=np.int64)
    place[sorted(range(len(names)), key=names.__getitem__, reverse=True)] = np.arange(len(names))
    ranked = {}
    for question, found in run.ranked.items():
        scores = _single(found.scores)
        order = np.lexsort((place[found.rows], -scores))
        ranked[question] = Ranked(found.rows[order], scores[order].astype(np.float64), found.tied_at_cut)
    return replace(run, ranked=ranked)


def n_equal_in_trec_eval(run: Run) -> int:
    """Questions with different scores that are equal in single precision, so that trec_eval orders them by name."""
    distinct = [(one.scores, _single(one.scores)) for one in run.ranked.values()]
    return sum(len(np.unique(scores)) > len(np.unique(single)) for scores, single in distinct)


def _single(scores: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # large ones are infinite there, too
        return scores.astype(np.float32)


def best_and_worst(run: Run, ranking: Ranking, grades: Grades) -> tuple[Orders, Orders]:
    """Documents with equal scores by falling, and by rising grade, for the questions of which that is another order."""
    best: Orders = {}
    worst: Orders = {}
    for name, documents in ranking.items():
        scores = run.ranked[name].scores
        if (scores[1:] != scores[:-1]).all():
            continue
        judged = grades[name]
        own = np.array([judged.get(document, -1) for document in documents], dtype=np.int64)
        for found, sign in ((best, -1), (worst, 1)):
            order = np.lexsort((sign * own, -scores))
            if (own[order] != own).any():
                found[name] = [documents[place] for place in order.tolist()]
    return best, worst


def mean_over_orders(
    ranking: Ranking,
    scores: Mapping[str, Mapping[str, float]],
    grades: Grades,
    measures: Sequence[str],
    *,
    relevant_grade: int = 1,
) -> dict[str, np.ndarray]:
    """The mean of each measure over all orders of documents with equal scores, question by question.

    Returns measure → (n,) float64: in closed form for nDCG (with linear gains), R, P, RR, Success and AP (McSherry and
    Najork 2008), else the mean of 100 orders, drawn with a seed per question.
    """
    values = per_question(ranking, grades, measures, relevant_grade=relevant_grade)
    sizes = {
        name: [len([*same]) for _, same in groupby(ranking[name], key=scores[name].__getitem__)]
        for name in grades
        if name in ranking
    }
    rows = {name: row for row, name in enumerate(grades) if max(sizes.get(name, ()), default=1) > 1}
    drawn = []
    for name in measures:
        measure = parsed(name, relevant_grade)
        expected = [_expected(measure, ranking[one], sizes[one], grades[one]) for one in rows]
        if None in expected:
            drawn.append(name)
        else:
            values[name][[*rows.values()]] = np.round(np.array(expected, dtype=float), _DIGITS)
    if drawn and rows:
        truth = {name: grades[name] for name in rows}
        randoms = {name: np.random.default_rng(derive_seed(_SEED, "ties", name)) for name in rows}
        groups = {name: np.repeat(np.arange(len(sizes[name])), sizes[name]) for name in rows}
        totals = {name: np.zeros(len(rows)) for name in drawn}
        for _ in range(_DRAWS):
            order = {
                name: [
                    ranking[name][place]
                    for place in np.lexsort((random.random(len(groups[name])), groups[name]))
                ]
                for name, random in randoms.items()
            }
            for name, own in per_question(order, truth, drawn, relevant_grade=relevant_grade).items():
                totals[name] += own
        for name, total in totals.items():
            values[name][[*rows.values()]] = total / _DRAWS
    return values


def _expected(
    measure: Any, documents: Sequence[str], sizes: Sequence[int], judged: Mapping[str, int]
) -> float | None:
    """The mean over the orders within groups of these `sizes`; None where no closed form is known here."""
    params = dict(measure.params)
    cutoff, least = params.pop("cutoff", None), params.pop("rel", 1)
    if params or measure.NAME not in ("nDCG", "R", "P", "RR", "Success", "AP"):
        return None
    n_relevant = sum(grade >= least for grade in judged.values())
    k = min(cutoff or len(documents), len(documents))
    starts = np.cumsum([0, *sizes[:-1]])
    own = np.array([max(0, judged.get(document, 0)) for document in documents], dtype=np.float64)
    size, start = np.repeat(sizes, sizes)[:k], np.repeat(starts, sizes)[:k]
    places = np.arange(k)

    def of_groups(values: np.ndarray) -> np.ndarray:
        """The sum over the group of each place."""
        return np.repeat(np.add.reduceat(values, starts), sizes)[:k]

    relevant = (own >= least).astype(np.float64)
    within = of_groups(relevant)
    share = within / size
    match measure.NAME:
        case "R":
            return float(share.sum() / n_relevant) if n_relevant else 0.0
        case "P":
            return float(share.sum() / (cutoff or len(documents)))
        case "AP":
            before = np.concatenate([[0], np.cumsum(relevant)])[start]
            earlier = (places - start) * (within - 1) / np.maximum(size - 1, 1)
            return (
                float((share * (before + earlier + 1) / (places + 1)).sum() / n_relevant)
                if n_relevant
                else 0.0
            )
        case "nDCG":
            gains = np.array(
                sorted((grade for grade in judged.values() if grade > 0), reverse=True), dtype=float
            )[:cutoff]
            ideal = float(gains @ (1 / np.log2(np.arange(2, len(gains) + 2))))
            return float(of_groups(own) / size @ (1 / np.log2(places + 2))) / ideal if ideal else 0.0
    # RR and Success follow from the place of the first relevant document, which is in the first group with one
    first = next((group for group, r in enumerate(np.add.reduceat(relevant, starts)) if r), None)
    if first is None:
        return 0.0
    begin = int(starts[first])
    shown = min(sizes[first], max(0, k - begin))
    chances = first_at(shown, int(relevant[begin : begin + sizes[first]].sum()), sizes[first])
    return float(
        chances @ (1 / np.arange(begin + 1, begin + shown + 1)) if measure.NAME == "RR" else chances.sum()
    )


@dataclass(frozen=True)
class Evaluation:
    """What a run reached on the questions that have a relevant document."""

    questions: list[str]  # n identifiers
    groups: list[str]  # n names of groups, empty where there are none
    leaked: np.ndarray | None  # (n,) bool: known from training; None where no training set is named
    n_relevant: np.ndarray  # (n,) int64 relevant documents of each question
    ranks: list[np.ndarray]  # n arrays: the ranks, from 1, at which the run has them, ascending
    # values: measure → (n,) float64; 0 for a question for which the run has no document
    values: dict[str, np.ndarray]
    # best_order, worst_order: the same if documents with equal scores were in the order that is best, or worst, for
    # the question; equal to `values` where no scores are equal
    best_order: dict[str, np.ndarray]
    worst_order: dict[str, np.ndarray]
    # condensed: the same without the documents that nobody judged; empty where only relevant documents were judged, so
    # that a document without a judgement says nothing
    condensed: dict[str, np.ndarray]
    # with_duplicates: the same if a document whose text equals that of a judged one has its grade; empty without such
    with_duplicates: dict[str, np.ndarray]
    # chance: measure → what a random order of the documents reaches on average; NaN for measures without a closed form
    chance: dict[str, float]
    judged_share: float  # share of judged documents among the first 10 of a question, mean over the questions
    n_left_out: int  # questions without a relevant document, which count in no mean
    n_unanswered: int  # of the n questions those for which the run has no document
    n_tied_at_cut: int  # questions for which documents with the score of the last one were cut off


def evaluate(
    run: Run,
    questions: Questions,
    corpus: Corpus | CorpusFile,
    measures: Sequence[str],
    *,
    depth: int | None = None,
    leaked: Collection[str] | None = None,
    ties: str = CORPUS,
) -> Evaluation:
    """Measure a run.

    `run`: over the documents of `corpus`. `depth`: documents that were ranked per question at most; None for no limit.
    `leaked`: the questions that are known from training; None where no training set is named. `ties`: documents with
    equal scores are taken in the order of the run (``corpus``) or of ``trec_eval``, or values are means over all
    orders (``mean``), which are best and worst, too.
    """
    run = as_trec_eval(run) if ties == TREC_EVAL else run
    least = questions.relevant_grade
    grades, relevant = judged_questions(questions)
    ranking = {name: run.documents(name) for name in grades if name in run.ranked}
    scores = {
        name: dict(zip(documents, run.ranked[name].scores.tolist(), strict=True))
        for name, documents in ranking.items()
        if ties == MEAN
    }

    def measured(order: Ranking, truth: Grades) -> dict[str, np.ndarray]:
        if ties == MEAN:
            return mean_over_orders(order, scores, truth, measures, relevant_grade=least)
        return per_question(order, truth, measures, relevant_grade=least)

    values = measured(ranking, grades)
    rows = {name: row for row, name in enumerate(grades)}

    def changed(order: Ranking, truth: Grades) -> dict[str, np.ndarray]:
        """`values` with those of the questions of `truth` measured anew."""
        if not truth:
            return values
        found = {measure: own.copy() for measure, own in values.items()}
        places = [rows[name] for name in truth]
        for measure, own in measured(order, truth).items():
            found[measure][places] = own
        return found

    def of_order(order: Ranking) -> dict[str, np.ndarray]:
        return changed(order, {name: grades[name] for name in order})

    best, worst = ({}, {}) if ties == MEAN else best_and_worst(run, ranking, grades)
    # only judged documents, for the questions that have others, too
    condensed = {name: [one for one in own if one in grades[name]] for name, own in ranking.items()}
    condensed = {name: own for name, own in condensed.items() if len(own) < len(ranking[name])}
    equals = copies(corpus, {document for own in grades.values() for document in own})
    widened = {name: _widened(found, equals) for name, found in grades.items()}
    widened = {name: found for name, found in widened.items() if len(found) > len(grades[name])}
    negatives = any(grade < least for found in grades.values() for grade in found.values())
    group_of = dict(zip(questions.ids, questions.groups, strict=True))
    first = {name: ranking.get(name, [])[:JUDGED_AT] for name in grades}
    shares = [
        sum(one in grades[name] for one in some) / len(some) if some else 0.0 for name, some in first.items()
    ]
    depth = len(corpus) if depth is None else depth
    return Evaluation(
        questions=[*grades],
        groups=[group_of[name] for name in grades],
        leaked=None if leaked is None else np.array([name in leaked for name in grades], dtype=bool),
        n_relevant=np.array([len(wanted) for wanted in relevant.values()], dtype=np.int64),
        ranks=[_ranks(ranking.get(name, ()), {*wanted}) for name, wanted in relevant.items()],
        values=values,
        best_order=of_order(best),
        worst_order=of_order(worst),
        condensed=of_order(condensed) if negatives else {},
        with_duplicates=changed(ranking, widened) if widened else {},
        chance=chance(grades, measures, relevant_grade=least, n_documents=len(corpus), depth=depth),
        judged_share=float(np.mean(shares)) if shares else 0.0,
        n_left_out=len(questions) - len(grades),
        n_unanswered=sum(not ranking.get(name) for name in grades),
        n_tied_at_cut=sum(run.ranked[name].tied_at_cut > 0 for name in ranking),
    )


def _ranks(documents: Sequence[str], wanted: Container[str]) -> np.ndarray:
    return np.array([rank for rank, name in enumerate(documents, 1) if name in wanted], dtype=np.int64)


def _widened(grades: Mapping[str, int], equals: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Grades with those of equal texts; a document that is judged itself keeps its own."""
    found = dict(grades)
    for document, grade in grades.items():
        for other in equals.get(document, ()):
            if other not in grades:
                found[other] = max(grade, found.get(other, grade))
    return found


_NAMES = ("questions", "retriever")
_COUNTS = ("n_left_out", "n_unanswered", "n_tied_at_cut", "judged_share")
_ABOUT_QUESTION = ("question", "group", "cluster", "n_relevant", "ranks")  # the other columns are measures


@dataclass(frozen=True)
class QuestionValues:
    """The values of a retriever on the questions of a set that have a relevant document."""

    question_set: str
    retriever: str
    questions: list[str]  # n identifiers
    groups: list[str]  # n names of groups
    n_relevant: np.ndarray  # (n,) int64 relevant documents of each question
    ranks: list[np.ndarray]  # n arrays of the ranks, from 1, at which they were found
    values: Mapping[str, np.ndarray]  # measure → (n,) float64
    clusters: list[str | None] | None = None  # n names, None for none; None altogether if all are independent


def write_results(
    output: Path,
    rows: Path,
    found: Evaluation,
    about: Mapping[str, Any],
    bootstrap: Bootstrap,
    clusters: Mapping[str, str] | None = None,
) -> None:
    """Write values and ranks of relevant documents of every question as Parquet, means with intervals as JSON.

    `about`: names, at least ``questions`` and ``retriever``; kept in both files. `clusters`: question → its cluster,
    see `sentflow.retrieval.tuning`; None where questions are independent.
    """
    columns: Columns = {
        "question": found.questions,
        "group": found.groups,
        "n_relevant": found.n_relevant,
        "ranks": [" ".join(map(str, ranks.tolist())) for ranks in found.ranks],
        **found.values,
    }
    if clusters is not None:
        columns = {**columns, "cluster": [clusters.get(name) for name in found.questions]}
    names = {key.encode(): str(about[key]).encode() for key in _NAMES}
    write_parquet(rows, table_of(columns, names))
    write_sealed(
        output,
        {
            **about,
            "n_questions": len(found.questions),
            "n_relevant": int(found.n_relevant.sum()),
            **{name: getattr(found, name) for name in _COUNTS},
            **{name: getattr(bootstrap, name) for name in ("level", "n_resamples")},
            "measures": stated_means(found, bootstrap),
            "groups": _groups(found),
        },
    )


def read_values(path: Path | str) -> QuestionValues:
    """The values of every question. Raises DataError: the file is none of these, or is damaged."""
    with readable(path, "table of values per question"):
        stored = read_parquet(path)
        about = {key: stored.schema.metadata[key.encode()].decode() for key in _NAMES}
        names = [name for name in stored.column_names if name not in _ABOUT_QUESTION]
        return QuestionValues(
            about["questions"],
            about["retriever"],
            stored.column("question").to_pylist(),
            stored.column("group").to_pylist(),
            numbers_of(stored.column("n_relevant")),
            [np.array(ranks.split(), dtype=np.int64) for ranks in stored.column("ranks").to_pylist()],
            {name: numbers_of(stored.column(name)) for name in names},
            stored.column("cluster").to_pylist() if "cluster" in stored.column_names else None,
        )


def stated_means(found: Evaluation, bootstrap: Bootstrap) -> dict[str, dict[str, float]]:
    """Measure → mean over questions, ``low`` and ``high`` of its interval, means under other readings of ties, …"""
    stated = {}
    for measure, values in found.values.items():
        low, high = interval_of_scores(values, bootstrap)
        means = {"mean": float(values.mean()), "low": low, "high": high, "chance": found.chance[measure]}
        for reading in ("best_order", "worst_order", "condensed", "with_duplicates"):
            if others := getattr(found, reading):
                means[reading] = float(others[measure].mean())
        stated[measure] = means
    return stated


def _groups(found: Evaluation) -> dict[str, Any]:
    """Group → number of questions and means: those of the question set, then what is clean or leaked of it."""
    own = np.array(found.groups, dtype=object)
    parts = {name: own == name for name in dict.fromkeys(found.groups) if name}
    if found.leaked is not None:
        if taken := sorted({CLEAN, LEAKED} & parts.keys()):
            raise DataError(
                f"A group of questions is called {taken[0]!r}, as those that are compared with training questions "
                "are. Name it otherwise."
            )
        parts |= {CLEAN: ~found.leaked, LEAKED: found.leaked}
    return {
        name: {
            "n_questions": int(rows.sum()),
            "measures": {measure: float(values[rows].mean()) for measure, values in found.values.items()},
        }
        for name, rows in parts.items()
        if rows.any()
    }


def common_questions(values: Sequence[QuestionValues], measure: str) -> tuple[list[str], np.ndarray]:
    """The questions that several retrievers were measured on, and (m, n) values; all were measured on the same."""
    return values[0].questions, np.stack([one.values[measure] for one in values])


Search = Callable[[], Iterable[Ranked]]


def certificate(
    approximate: Search,
    exact: Search,
    questions: Questions,
    document_ids: Sequence[str],
    settings: CertifySettings,
) -> dict[str, Any]:
    """What an approximate index costs and saves beside the exact search, on the same questions.

    Recall of the exact search; the main measure of both, and whether they are equal within the margin, NaN of too few
    questions; and questions per second (the faster of two runs).
    """
    seconds = {"approximate": math.inf, "exact": math.inf}
    found: dict[str, list[Ranked]] = {}
    for _ in range(2):
        for name, search in (("approximate", approximate), ("exact", exact)):
            started = time.process_time()
            found[name] = list(search())
            seconds[name] = min(seconds[name], time.process_time() - started)
    measure, (grades, _) = settings.measure, judged_questions(questions)
    values = {}
    for name, ranked in found.items():
        of_question = dict(zip(questions.ids, ranked, strict=True))
        order = {one: [document_ids[row] for row in of_question[one].rows.tolist()] for one in grades}
        values[name] = per_question(order, grades, [measure], relevant_grade=questions.relevant_grade)[
            measure
        ]
    # rounded, so that rounding makes no difference
    differences = (values["approximate"] - values["exact"]).round(_DIGITS)
    test, enough = PairedT(differences), says_enough(differences)
    low, high = test.interval(settings.level) if enough else (math.nan, math.nan)
    tested = enough or (len(differences) > 1 and test.degenerate)
    return {
        "n_questions": len(questions),
        "recalls": [
            _recall(found["approximate"], found["exact"], k)
            for k in sorted({min(k, settings.depth) for k in settings.cutoffs})
        ],
        "per_second": {name: len(questions) / max(least, 1e-9) for name, least in seconds.items()},
        "measure": measure,
        "n_judged": len(differences),
        "values": {name: float(own.mean()) if len(own) else math.nan for name, own in values.items()},
        "low": low,
        "high": high,
        "p_equivalence": test.p_equivalence(settings.margin) if tested else math.nan,
        "margin": settings.margin,
        "level": settings.level,
    }


def _recall(found: Sequence[Ranked], exact: Sequence[Ranked], k: int) -> dict[str, float]:
    values = recalls(found, exact, k)
    values = values[~np.isnan(values)]
    if not len(values):
        return {"k": k, "mean": math.nan, "p5": math.nan}
    return {"k": k, "mean": float(values.mean()), "p5": float(np.quantile(values, 0.05))}


def recalls(found: Sequence[Ranked], exact: Sequence[Ranked], k: int) -> np.ndarray:
    """(q,) share of the k best documents that an approximate search finds, NaN for a question that has none.

    A document counts if its score is at least that of the k-th of the exact search, up to rounding: where several have
    that score, any of them is as good.
    """
    values = np.full(len(found), np.nan)
    for row, (one, whole) in enumerate(zip(found, exact, strict=True)):
        best = whole.scores[:k]
        if len(best):
            least = best[-1] - 1e-5 * max(1e-3, abs(float(best[-1])))
            values[row] = min(1.0, float((one.scores[:k] >= least).sum()) / len(best))
    return values
