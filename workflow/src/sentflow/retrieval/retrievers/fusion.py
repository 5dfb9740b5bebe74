"""Several runs into one, and the files in which weights are chosen for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.files.parquet import Columns, numbers_of, read_described, readable, write_described
from sentflow.retrieval.measures import cutoff_of, judged_questions, per_question
from sentflow.retrieval.ranking import NOTHING, Ranked, top
from sentflow.retrieval.search import Search, SearchInputs
from sentflow.retrieval.settings import Fusion, TunedWeights
from sentflow.retrieval.tuning import Choice, TrainingQuestion, refuse_shared
from sentflow.texts.corpora import Questions

Weights = tuple[float, ...]
_SEPARATOR = "\x1f"


def fused(runs: Sequence[Ranked], settings: Fusion, weights: Sequence[float], k: int) -> Ranked:
    """The k best documents of one question by several runs, which may be empty; with `times`, the last is the factor.

    ``reciprocal-rank``: Σ weight / (k + rank), Cormack et al. 2009; ``least-to-greatest``: (s − least) / (greatest −
    least); ``standard``: (s − mean) / standard deviation. Of ``sum``, a document that a run lacks has the least score
    of that run. `weights`: one per run, but for the factor.
    """
    return _best(*_aligned(runs, settings), settings, weights, k)


def _aligned(runs: Sequence[Ranked], settings: Fusion) -> tuple[np.ndarray, np.ndarray]:
    """(r,) rows of documents, ascending, and (m, r) what each of m runs adds, or multiplies, without its weight."""
    runs, factor = (runs[:-1], runs[-1]) if settings.times else (runs, None)
    if settings.rule == "product":
        rows = reduce(partial(np.intersect1d, assume_unique=True), [run.rows for run in runs])
        values = np.array([_at(run, run.scores, rows, 0.0) for run in runs])
    else:
        rows = np.unique(np.concatenate([run.rows for run in runs]))
        values = np.array([_added(run, settings, rows) for run in runs])
    if factor is not None:
        kept = np.isin(rows, factor.rows)
        rows = rows[kept]
        values = values[:, kept] * _at(factor, factor.scores, rows, 0.0)
    return rows, values


def _best(rows: np.ndarray, values: np.ndarray, settings: Fusion, weights: Sequence[float], k: int) -> Ranked:
    """The k best of aligned documents; a product has no weights."""
    if settings.rule == "product":
        return top(np.prod(values, axis=0), k, rows=rows)
    total = np.zeros(len(rows))
    for weight, own in zip(weights, values, strict=True):
        total += weight * own
    return top(total, k, rows=rows)


def _added(run: Ranked, settings: Fusion, rows: np.ndarray) -> np.ndarray:
    """(r,) what a run adds to each document, for a weight of 1."""
    if not len(run):
        return np.zeros(len(rows))
    if settings.rule == "reciprocal-rank":
        return _at(run, 1 / (settings.k + np.arange(1, len(run) + 1)), rows, 0.0)
    values = _normalised(run.scores, settings.normalise)
    # the least score is 0 then, also where all scores are equal
    missing = 0.0 if settings.normalise == "least-to-greatest" else float(values.min())
    return _at(run, values, rows, missing)


def _at(run: Ranked, values: np.ndarray, rows: np.ndarray, missing: float) -> np.ndarray:
    """(r,) the values of a run at rows; `missing` where it has none."""
    found = np.full(len(rows), missing)
    if len(run):
        order = np.argsort(run.rows)
        own = run.rows[order]
        places = np.minimum(np.searchsorted(own, rows), len(own) - 1)
        there = own[places] == rows
        found[there] = values[order][places[there]]
    return found


def _normalised(scores: np.ndarray, how: str) -> np.ndarray:
    if how == "none":
        return scores
    if how == "standard":
        return np.asarray((scores - scores.mean()) / (scores.std() or 1.0))
    least, greatest = scores.min(), scores.max()
    if greatest == least:
        return np.ones(len(scores))
    return np.asarray((scores - least) / (greatest - least))


def search(job: Search, inputs: SearchInputs) -> None:
    """The documents that several runs rank first together."""
    by, name = job.settings.by, job.questions.name
    assert isinstance(by, Fusion) and not isinstance(by.weights, TunedWeights)
    weights: Sequence[float] = by.weights or (1.0,) * len(by.of)
    without: Mapping[tuple[str, str], Weights] = {}
    if inputs.weights:
        about, without, training = read_chosen(inputs.weights)
        weights = about["weights"]
        refuse_shared(job.questions, training, f"retrievers.{job.retriever}.weights")
    runs = zip(job.questions.ids, *map(job.ranked, inputs.runs), strict=True)
    job.write(
        fused(ranked, by, without.get((name, question), weights), job.depth) for question, *ranked in runs
    )


def weight_grid(n_runs: int, steps: int) -> list[Weights]:
    """Weights of `n_runs` runs that are multiples of 1 / `steps` and add up to 1, those of the first run falling."""
    grid = []
    for bars in combinations(range(steps + n_runs - 1), n_runs - 1):
        edges = (-1, *bars, steps + n_runs - 1)
        parts = [right - left - 1 for left, right in zip(edges, edges[1:], strict=False)]
        grid.append(tuple(part / steps for part in parts))
    return sorted(grid, reverse=True)


@dataclass(frozen=True)
class Weighed:
    """What each weight of a grid reaches on the questions of a set that have a relevant document."""

    # about: ``questions``, ``retriever``, ``corpus``, ``measure``; ``candidates``, c weights
    about: Mapping[str, Any]
    questions: list[str]  # n identifiers
    relevant: list[list[str]]  # documents of each
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
    """Fuse runs by every weight, and measure; weights of `settings` do not count."""
    grades, relevant = judged_questions(questions)
    aligned = {name: _aligned([run.get(name, NOTHING) for run in runs], settings) for name in grades}
    # what is ranked below the cut of a measure changes no value
    cut = min(depth, cutoff_of(measure) or depth)
    values = []
    for weights in candidates:
        ranking = {
            name: [document_ids[row] for row in _best(*one, settings, weights, cut).rows.tolist()]
            for name, one in aligned.items()
        }
        measured = per_question(ranking, grades, [measure], relevant_grade=questions.relevant_grade)
        values.append(measured[measure])
    about = {
        "questions": questions.name,
        "retriever": retriever,
        "corpus": questions.corpus,
        "measure": measure,
        "candidates": list(candidates),
    }
    reached = np.array(values).reshape(len(candidates), len(grades))
    return Weighed(about, [*grades], [relevant[name] for name in grades], reached)


def write_weighed(path: Path, weighed: Weighed) -> None:
    """Write what weights reach: columns question, relevant, and one for each weight."""
    columns: Columns = {
        "question": weighed.questions,
        "relevant": [_SEPARATOR.join(own) for own in weighed.relevant],
        **{f"weights-{n}": own for n, own in enumerate(weighed.values)},
    }
    write_described(path, columns, weighed.about)


def read_weighed(path: Path | str) -> Weighed:
    """Read what `write_weighed` wrote."""
    with readable(path, "table of weights"):
        about, stored = read_described(path)
        candidates = [tuple(one) for one in about["candidates"]]
        values = [numbers_of(stored.column(f"weights-{n}")) for n in range(len(candidates))]
        questions = stored.column("question").to_pylist()
        relevant = [own.split(_SEPARATOR) for own in stored.column("relevant").to_pylist()]
        reached = np.array(values).reshape(len(candidates), len(questions))
        return Weighed({**about, "candidates": candidates}, questions, relevant, reached)


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

    `choice`: on the questions of `weighed`, one set after the other. `margin`: see `Choice.near`. Returns what the file
    says of itself.
    """
    sets, first = [one.about["questions"] for one in weighed], weighed[0].about
    keys = [(name, question) for name, one in zip(sets, weighed, strict=True) for question in one.questions]
    fold_of = dict(zip(keys, choice.fold_of.tolist(), strict=True))
    candidates = first["candidates"]
    about = {
        **{key: first[key] for key in ("retriever", "measure")},
        "tuned_on": sets,
        "weights": candidates[choice.best],
        "weights_of_folds": [candidates[one] for one in choice.best_without],
        "row_ids": list(row_ids),
        **choice.facts(candidates, margin),
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


def read_chosen(
    path: Path | str,
) -> tuple[dict[str, Any], dict[tuple[str, str], Weights], list[TrainingQuestion]]:
    """Read what `write_chosen` wrote.

    Returns what it says of itself, ``weights`` being for questions that none was chosen on; (question set, question) →
    weights that were chosen on other folds; all training questions.
    """
    with readable(path, "choice of weights"):
        about, stored = read_described(path)
        # a question without a relevant document was in no fold, −1: what was chosen on the others is its own
        of_folds = [tuple(one) for one in (*about["weights_of_folds"], about["weights"])]
        without, training = {}, []
        for row in stored.to_pylist():
            name, question = row["question_set"], row["id"]
            without[name, question] = of_folds[row["fold"]]
            known = "" if name in about["row_ids"] else question
            training.append(TrainingQuestion(name, row["corpus"], known, row["words"]))
        return about, without, training
