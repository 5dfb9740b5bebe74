"""Alignment and uniformity of vectors (Wang and Isola 2020), and their files."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from sentflow.encoders.vectors.storage import FloatArray
from sentflow.geometry.measures import BLOCK_ROWS, count_zeros, distances_of_pairs, log_mean_exp, unit_vectors
from sentflow.geometry.settings import ALIGNUNFORMEVAL, PER_BATCH, AlignmentSettings
from sentflow.similarity.scores import graph_of
from sentflow.stats.pair_graph import interval_of_pair_mean
from sentflow.stats.resampling import Bootstrap
from sentflow.texts.collection import TextRows, rows_of
from sentflow.texts.pairs import PairTable


@dataclass(frozen=True)
class ScoredVectors:
    """Scored pairs of sentences as rows of an array of vectors."""

    vectors: np.ndarray  # (m, d) float32 or float64, one per distinct sentence
    # first, second: (n,) int64 rows of `vectors`, in the order of the file
    first: np.ndarray
    second: np.ndarray
    scores: np.ndarray  # (n,) float64 gold scores


@dataclass(frozen=True)
class BatchFacts:
    """Of ``per-batch``: how many batches there are, how many have no positive pair, and the means without these."""

    n: int
    n_empty: int
    alignment: float
    uniformity: float


@dataclass(frozen=True)
class AlignmentUniformity:
    """Alignment and uniformity of an encoder on a set of pairs; lower is better for both."""

    alignment: float  # in [0, 4] on vectors of length one; NaN without a positive pair
    uniformity: float  # in [−8, 0] on vectors of length one; NaN with fewer than two sentences
    # n_positive, n_sentences, n_pairs: positive pairs; sentences of the uniformity; their pairs
    n_positive: int
    n_sentences: int
    n_pairs: int
    n_zero: int  # zero vectors among these sentences, which have no direction and stay zero
    # positive_distances: (n_positive,) float64, whose mean is the alignment (of ``per-batch``: the mean of the means)
    positive_distances: np.ndarray
    batches: BatchFacts | None = None  # of ``per-batch``
    warnings: list[str] = field(default_factory=list)  # in plain words


def scored_vectors(tables: Sequence[PairTable], vectors: FloatArray, row_of: TextRows) -> ScoredVectors:
    """The pairs of tables, at least one and all of one family, one after the other; (m, d) vectors of its texts."""
    sides = [
        [row_of.of(texts, whose=f"the pair set {table.info.pairs}") for texts in (table.text_a, table.text_b)]
        for table in tables
    ]
    first, second = (np.concatenate(rows) for rows in zip(*sides, strict=True))
    return ScoredVectors(vectors, first, second, np.concatenate([table.score for table in tables]))


def uniformity(vectors: np.ndarray, block_rows: int = BLOCK_ROWS) -> tuple[float, int]:
    """ln of the mean of exp(−2 ‖x − y‖²) over all pairs of vectors, and how many pairs there are.

    `vectors`: (n, d) float64 of length one. `block_rows`: of the computation; changes nothing. Returns a float in [−8,
    0], lower is better, NaN with fewer than two vectors; and an int.
    """
    if len(vectors) < 2:
        return float("nan"), 0
    return log_mean_exp(-2 * block for block in distances_of_pairs(vectors, block_rows=block_rows))


def measure(
    pairs: ScoredVectors, settings: AlignmentSettings, positives: ScoredVectors | None = None
) -> AlignmentUniformity:
    """Alignment of the positive pairs and uniformity of the sentences, by a variant.

    `pairs`: whose sentences the uniformity is that of. `settings`: see `AlignmentSettings`. `positives`: whose positive
    pairs the alignment is that of, where they are another form of the same texts; under ``per-batch`` the uniformity is
    of these too.
    """
    positives = positives or pairs
    if settings.variant == PER_BATCH:
        return _per_batch(positives, settings)
    plain = settings.variant == ALIGNUNFORMEVAL
    prepared = _as_float64 if plain else unit_vectors
    rows = np.concatenate([pairs.first, pairs.second])
    if settings.sentences == "unique":
        rows = np.unique(rows)
    sentences = prepared(pairs.vectors[rows])
    chosen = np.flatnonzero(is_positive(positives.scores, settings))
    distances = _squared_distances(
        prepared(positives.vectors[positives.first[chosen]]),
        prepared(positives.vectors[positives.second[chosen]]),
    )
    if plain:
        distances = distances**0.5
        uniform, n_pairs = log_mean_exp(-2 * np.sqrt(block) for block in distances_of_pairs(sentences))
    else:
        uniform, n_pairs = uniformity(sentences)
    n_zero = count_zeros(sentences)
    warnings = [
        *_set_warnings(len(distances), len(sentences), n_zero, settings),
        *(_length_warnings(sentences) if plain else []),
    ]
    return AlignmentUniformity(
        _mean(distances), uniform, len(distances), len(sentences), n_pairs, n_zero, distances, None, warnings
    )


def is_positive(scores: np.ndarray, settings: AlignmentSettings) -> np.ndarray:
    """(n,) whether pairs are positive by their gold scores."""
    return scores >= settings.threshold if settings.comparison == "at-least" else scores > settings.threshold


def _per_batch(pairs: ScoredVectors, settings: AlignmentSettings) -> AlignmentUniformity:
    """The study's figures: a batch without a positive pair makes its mean, and so the mean of all, NaN."""
    chosen = is_positive(pairs.scores, settings)
    alignments, uniformities, distances, n_pairs, n_zero = [], [], [], 0, 0
    for start in range(0, len(chosen), settings.batch):
        rows = start + np.flatnonzero(chosen[start : start + settings.batch])
        first, second = (unit_vectors(pairs.vectors[side[rows]]) for side in (pairs.first, pairs.second))
        sentences = np.concatenate([first, second])
        distances.append(_squared_distances(first, second))
        alignments.append(_mean(distances[-1]))
        uniform, n = uniformity(sentences)
        uniformities.append(uniform)
        n_pairs += n
        n_zero += count_zeros(sentences)
    n_empty = int(np.isnan(alignments).sum())
    n_positive = int(chosen.sum())
    warnings = _set_warnings(n_positive, 2 * n_positive, n_zero, settings)
    facts = BatchFacts(len(alignments), n_empty, _mean_of_known(alignments), _mean_of_known(uniformities))
    if n_empty and n_positive:
        warnings.append(
            f"{n_empty} of {len(alignments)} batches have no positive pair, which makes the mean of all "
            f"batches undefined, as in the study. Without them: alignment {facts.alignment:.4f}, uniformity "
            f"{facts.uniformity:.4f}."
        )
    return AlignmentUniformity(
        _mean(alignments),
        _mean(uniformities),
        n_positive,
        2 * n_positive,
        n_pairs,
        n_zero,
        np.concatenate(distances) if distances else np.empty(0),
        facts,
        warnings,
    )


def _squared_distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    difference = first - second
    squared: np.ndarray = np.einsum("ij,ij->i", difference, difference)
    return squared


def _set_warnings(n_positive: int, n_sentences: int, n_zero: int, settings: AlignmentSettings) -> list[str]:
    sign = ">=" if settings.comparison == "at-least" else ">"
    found = []
    if not n_positive:
        found.append(f"alignment is undefined: no pair has a score {sign} {settings.threshold:g}.")
    if n_sentences < 2:
        found.append("uniformity is undefined: it needs two sentences.")
    if n_zero:
        found.append(
            f"{n_zero} of {n_sentences} vectors are zero. They have no direction and stay zero: their "
            "distance to every other vector is 1."
        )
    return found


def _length_warnings(vectors: np.ndarray) -> list[str]:
    lengths = np.linalg.norm(vectors, axis=1)
    if not len(lengths) or np.abs(lengths - 1).max() < 1e-3:
        return []
    return [
        f"vectors have lengths from {lengths.min():.4g} to {lengths.max():.4g}, and this variant does not "
        "normalise them: its values depend on the lengths."
    ]


def _as_float64(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(vectors, dtype=np.float64)


def _mean(values: np.ndarray | Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _mean_of_known(values: Sequence[float]) -> float:
    return _mean([value for value in values if not np.isnan(value)])


def measured_alignment(
    *,
    name: str,
    model: str,
    pairs: Sequence[PairTable],
    positives: Sequence[PairTable],
    texts: Sequence[str],
    vectors: FloatArray,
    settings: AlignmentSettings,
) -> dict[str, Any]:
    """Alignment and uniformity with all that decides them.

    The uniformity has no interval: sentences that a bootstrap draws twice lie on each other. That of the alignment
    draws positive pairs, or what those of them that share sentences make up (`PairGraph.units`).
    """
    row_of = rows_of(texts)
    whole = scored_vectors(pairs, vectors, row_of)
    scored = scored_vectors(positives, vectors, row_of) if positives else whole
    found = measure(whole, settings, scored)
    interval, drawn = None, None
    # a mean of means over batches of an order is no mean of drawn pairs
    if settings.n_resamples and settings.variant != PER_BATCH and found.n_positive > 1:
        bootstrap = Bootstrap(settings.level, settings.n_resamples, settings.seed)
        chosen = np.flatnonzero(is_positive(scored.scores, settings))
        units = graph_of(positives or pairs).of(chosen).units
        interval = list(interval_of_pair_mean(found.positive_distances, units, bootstrap))
        drawn = units.facts()
    tables = {"pairs": [table.info.pairs for table in pairs]}
    if positives:
        tables["positives"] = [table.info.pairs for table in positives]
    return {
        "alignment": found.alignment,
        "uniformity": found.uniformity,
        "interval": {"alignment": interval, "uniformity": None},
        "drawn": drawn,
        "level": settings.level,
        "set": name,
        "model": model,
        "n_positive": found.n_positive,
        "n_sentences": found.n_sentences,
        "n_pairs": found.n_pairs,
        "n_zero": found.n_zero,
        "batches": asdict(found.batches) if found.batches else None,
        "config": {**settings.facts(), **tables},
        "warnings": found.warnings,
    }
