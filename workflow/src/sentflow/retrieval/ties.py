"""What another order of documents with equal scores does to measures; ours is that of the corpus (`ranking`)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from sentflow.retrieval.chance import first_at
from sentflow.retrieval.measures import Grades, Ranking, parsed, per_question
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.stats.seeds import derive_seed

CORPUS, MEAN, TREC_EVAL = RULES = ("corpus", "mean", "trec_eval")
DECISIVE = 0.01  # of a mean: what can move by more is no ground to call a run better than another
_DRAWS = 100  # orders, where no closed form is known
_SEED = 0
_DIGITS = 12  # of means in closed form: sums that should be 1 are 1
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
        scores = found.scores.astype(np.float32)
        order = np.lexsort((place[found.rows], -scores))
        ranked[question] = Ranked(found.rows[order], scores[order].astype(np.float64), found.tied_at_cut)
    return replace(run, ranked=ranked)


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
