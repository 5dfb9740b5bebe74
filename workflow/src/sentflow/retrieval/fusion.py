"""Several runs into one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.files.parquet import Columns, numbers_of, read_described, readable, write_described
from sentflow.retrieval.measures import cutoff_of, per_question
from sentflow.retrieval.ranking import NOTHING, Ranked, top
from sentflow.retrieval.settings import Fusion
from sentflow.retrieval.tuning import Choice, TrainingQuestion, relevant_of
from sentflow.texts.corpora import Questions


@dataclass(frozen=True)
class Aligned:
    """What m runs found for one question, side by side."""

    rows: np.ndarray  # (r,) int64 rows of documents in the corpus, ascending
    # values: (m, r) float64 what each run adds, or multiplies, for each document; weights are still to be applied
    values: np.ndarray
    is_product: bool  # whether the runs are multiplied, without weights

    @classmethod
    def of(cls, runs: Sequence[Ranked], settings: Fusion) -> "Aligned":
        """Align what each run found for a question, which may be nothing; with `times`, the last run is the factor."""
        if settings.times:
            return cls._side_by_side(runs[:-1], settings)._multiplied(runs[-1])
        return cls._side_by_side(runs, settings)

    @classmethod
    def _side_by_side(cls, runs: Sequence[Ranked], settings: Fusion) -> "Aligned":
        if settings.rule == "product":
            rows = _common([run.rows for run in runs])
            return cls(rows, np.array([_at(run, run.scores, rows, 0.0) for run in runs]), True)
        rows = np.unique(np.concatenate([run.rows for run in runs]))
        values = np.zeros((len(runs), len(rows)))
        for own, run in zip(values, runs, strict=True):
            if len(run):
                own[:] = _added(run, settings, rows)
        return cls(rows, values, False)

    def _multiplied(self, factor: Ranked) -> "Aligned":
        """The documents that a further run has, too, with what the runs add times its scores."""
        kept = np.isin(self.rows, factor.rows)
        rows = self.rows[kept]
        return replace(self, rows=rows, values=self.values[:, kept] * _at(factor, factor.scores, rows, 0.0))

    def top(self, weights: Sequence[float], k: int) -> Ranked:
        """The k best documents by these weights, one per run."""
        if self.is_product:
            return top(np.prod(self.values, axis=0), k, rows=self.rows)
        total = np.zeros(len(self.rows))
        for weight, own in zip(weights, self.values, strict=True):
            total += weight * own
        return top(total, k, rows=self.rows)


def fused(runs: Sequence[Ranked], settings: Fusion, weights: Sequence[float], k: int) -> Ranked:
    """The k best documents of one question by several runs.

    `runs`: what each found for the question; may be empty. `settings`: ``reciprocal-rank``: Σ weight / (k + rank),
    Cormack et al. 2009; ``least-to-greatest``: (s − least) / (greatest − least); ``standard``: (s − mean) / standard
    deviation. Of ``sum``, a document that a run lacks has the least score of that run there. `weights`: one per run,
    but for the factor. `k`: at least 1.
    """
    return Aligned.of(runs, settings).top(weights, k)


def _added(run: Ranked, settings: Fusion, rows: np.ndarray) -> np.ndarray:
    """(r,) what a run adds to each document, for a weight of 1."""
    if settings.rule == "reciprocal-rank":
        return _at(run, 1 / (settings.k + np.arange(1, len(run) + 1)), rows, 0.0)
    values = _normalised(run.scores, settings.normalise)
    # the least score is 0 then, also where all scores are equal
    missing = 0.0 if settings.normalise == "least-to-greatest" else float(values.min())
    return _at(run, values, rows, missing)


def _common(rows: Sequence[np.ndarray]) -> np.ndarray:
    found = rows[0]
    for other in rows[1:]:
        found = np.intersect1d(found, other)
    return np.sort(found)


def _at(run: Ranked, values: np.ndarray, rows: np.ndarray, missing: float) -> np.ndarray:
    """(r,) the values of a run at rows; `missing` where it has none."""
    found = np.full(len(rows), missing)
    order = np.argsort(run.rows)
    places = np.searchsorted(run.rows[order], rows)
    places = np.minimum(places, len(order) - 1)
    is_there = run.rows[order][places] == rows if len(order) else np.zeros(len(rows), dtype=bool)
    found[is_there] = values[order][places[is_there]] if len(order) else []
    return found


def _normalised(scores: np.ndarray, how: str) -> np.ndarray:
    if how == "none":
        return scores
    if how == "standard":
        spread = scores.std()
        return np.asarray((scores - scores.mean()) / (spread if spread else 1.0))
    least, greatest = scores.min(), scores.max()
    if greatest == least:
        return np.ones(len(scores))
    scaled: np.ndarray = (scores - least) / (greatest - least)
    return scaled


_SEPARATOR = "\x1f"
Weights = tuple[float, ...]


def weight_grid(n_runs: int, steps: int) -> list[Weights]:
    """Weights of `n_runs` runs that are multiples of 1 / `steps` and add up to 1, those of the first run falling."""
    found = []
    for bars in combinations(range(steps + n_runs - 1), n_runs - 1):
        edges = (-1, *bars, steps + n_runs - 1)
        parts = [right - left - 1 for left, right in zip(edges, edges[1:], strict=False)]
        found.append(tuple(part / steps for part in parts))
    return sorted(found, reverse=True)


@dataclass(frozen=True)
class Weighed:
    """What each weight of a grid reaches on the questions of a set that have a relevant document."""

    # question_set, retriever, corpus, measure: names
    question_set: str
    retriever: str
    corpus: str
    measure: str
    candidates: list[Weights]  # c weights
    # questions, relevant: n identifiers, and the relevant documents of each
    questions: list[str]
    relevant: list[list[str]]
    values: np.ndarray  # (c, n) float64


def weigh(
    runs: Sequence[Mapping[str, Ranked]],
    document_ids: Sequence[str],
    questions: Questions,
    settings: Fusion,
    *,
    retriever: str,
    candidates: Sequence[Weights],
    measure: str,
    depth: int,
) -> Weighed:
    """Fuse runs by every weight, and measure.

    `settings`: how runs are fused; its weights do not count. `depth`: documents per question at most.
    """
    least = questions.relevant_grade
    relevant = {name: own for name, own in relevant_of(questions.by_question(), least).items() if own}
    grades = {name: own for name, own in questions.by_question().items() if name in relevant}
    aligned = {name: Aligned.of([run.get(name, NOTHING) for run in runs], settings) for name in grades}
    # what is ranked below the cut of a measure changes no value
    cut = min(depth, cutoff_of(measure) or depth)
    values = []
    for weights in candidates:
        ranking = {
            name: [document_ids[row] for row in one.top(weights, cut).rows.tolist()]
            for name, one in aligned.items()
        }
        values.append(per_question(ranking, grades, [measure], relevant_grade=least)[measure])
    return Weighed(
        questions.name, retriever, questions.corpus, measure, list(candidates), [*grades],
        [relevant[name] for name in grades], np.array(values).reshape(len(candidates), len(grades)),
    )  # fmt: skip


def write_weighed(path: Path, weighed: Weighed) -> None:
    """Write what weights reach: columns question, relevant, and one for each weight."""
    columns: Columns = {
        "question": weighed.questions,
        "relevant": [_SEPARATOR.join(own) for own in weighed.relevant],
        **{f"weights-{n}": own for n, own in enumerate(weighed.values)},
    }
    about = {
        "questions": weighed.question_set,
        "retriever": weighed.retriever,
        "corpus": weighed.corpus,
        "measure": weighed.measure,
        "candidates": weighed.candidates,
    }
    write_described(path, columns, about)


def read_weighed(path: Path | str) -> Weighed:
    """Read what `write_weighed` wrote."""
    with readable(path, "table of weights"):
        about, stored = read_described(path)
        candidates = [tuple(one) for one in about["candidates"]]
        values = [numbers_of(stored.column(f"weights-{n}")) for n in range(len(candidates))]
        questions = stored.column("question").to_pylist()
        relevant = [own.split(_SEPARATOR) for own in stored.column("relevant").to_pylist()]
        names = (about["questions"], about["retriever"], about["corpus"], about["measure"])
        return Weighed(
            *names, candidates, questions, relevant, np.array(values).reshape(len(candidates), len(questions))
        )


@dataclass(frozen=True)
class ChosenWeights:
    """Weights that were chosen, and for each training question those that were chosen without it."""

    weights: Weights  # chosen on all training questions, for others
    # without: (question set, question) → weights chosen on the questions of other folds
    without: Mapping[tuple[str, str], Weights]
    training: list[TrainingQuestion]  # all training questions

    def of(self, question_set: str, question: str) -> Weights:
        """The weights of a question that none of them was chosen on."""
        return self.without.get((question_set, question), self.weights)


def write_chosen(
    path: Path,
    choice: Choice,
    weighed: Sequence[Weighed],
    training: Sequence[TrainingQuestion],
    *,
    row_ids: Sequence[str],
    margin: float,
) -> dict[str, Any]:
    """Write what was chosen: columns question_set, corpus, id, words (a fingerprint), fold (−1 for none).

    `choice`: on the questions of `weighed`, one set after the other. `margin`: within which the mean of a candidate
    counts as that of the best, see `Choice.near`. Returns what the file says of itself.
    """
    keys = [(one.question_set, name) for one in weighed for name in one.questions]
    fold_of = dict(zip(keys, choice.fold_of.tolist(), strict=True))
    candidates = weighed[0].candidates
    about = {
        "retriever": weighed[0].retriever,
        "tuned_on": [one.question_set for one in weighed],
        "measure": weighed[0].measure,
        "n_questions": len(keys),
        "weights": candidates[choice.best],
        "weights_of_folds": [candidates[one] for one in choice.best_without],
        "in_sample": choice.in_sample,
        "nested": choice.nested,
        "optimism": choice.optimism,
        "margin": margin,
        "within_margin": [candidates[one] for one in choice.near(margin)],
        "row_ids": list(row_ids),
    }
    columns: Columns = {
        "question_set": [one.question_set for one in training],
        "corpus": [one.corpus for one in training],
        "id": [one.id for one in training],
        "words": [one.words for one in training],
        "fold": np.array([fold_of.get((one.question_set, one.id), -1) for one in training], dtype=np.int64),
    }
    write_described(path, columns, about)
    return about


def read_chosen(path: Path | str) -> tuple[dict[str, Any], ChosenWeights]:
    """Read what `write_chosen` wrote: what it says of itself, and the weights."""
    with readable(path, "choice of weights"):
        about, stored = read_described(path)
        of_folds = [tuple(one) for one in about["weights_of_folds"]]
        rows = stored.to_pylist()
        weights = tuple(about["weights"])
        without = {
            # a question without a relevant document was in no fold: what was chosen on the others is its own
            (row["question_set"], row["id"]): of_folds[row["fold"]] if row["fold"] >= 0 else weights
            for row in rows
        }
        training = [
            TrainingQuestion(
                row["question_set"],
                row["corpus"],
                "" if row["question_set"] in about["row_ids"] else row["id"],
                row["words"],
            )
            for row in rows
        ]
        return about, ChosenWeights(weights, without, training)
