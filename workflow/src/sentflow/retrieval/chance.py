"""What a random order of all documents reaches on average: the level that a control should be at."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def chance_levels(
    grades: Mapping[str, Mapping[str, int]], measures: Sequence[Any], *, n_documents: int, depth: int
) -> dict[str, float]:
    """The expected value of each measure, mean over the questions, in closed form.

    `grades`: question → document → grade; at least one question. `measures`: measures of ir-measures, whose parameter
    ``rel`` says from which grade a document is relevant. `n_documents`: N, of the corpus. Every one of the N! orders
    is as likely as the others. `depth`: documents that are ranked at most. Returns name → in [0, 1]; NaN for other
    measures than nDCG (with linear gains), R, P, RR, Success and AP.

    With r relevant documents and k the smallest of cutoff, depth and N: R k / N; P k r / (N · cutoff);
    nDCG (Σ gains / N) Σ_{i≤k} 1 / log2(i + 1), over the ideal; AP Σ_{i≤k} (1 + (i − 1)(r − 1) / (N − 1)) / (i N);
    RR and Success from the probability that the first relevant document is the i-th, r / (N − i + 1) Π_{j<i}
    (N − r − j + 1) / (N − j + 1).
    """
    of_questions = [tuple(sorted(own.values())) for own in grades.values()]
    levels = {}
    for measure in measures:
        # questions with the same grades have the same expectation
        found = {own: _expected(measure, own, n_documents, depth) for own in set(of_questions)}
        levels[str(measure)] = float(np.mean([found[own] for own in of_questions]))
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
