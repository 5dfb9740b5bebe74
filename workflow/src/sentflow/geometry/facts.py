"""What files say of the vectors of an encoder: alignment and uniformity (Wang and Isola 2020), and their geometry."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from sentflow.encoders.vectors.storage import FloatArray
from sentflow.errors import DataError
from sentflow.geometry.measures import (
    BLOCK_ROWS,
    SAME,
    average_cosine,
    average_cosine_interval,
    count_zeros,
    dimension_mle,
    dimension_two_nn,
    distances_of_pairs,
    effective_rank,
    hubness,
    log_mean_exp,
    nearest,
    partition_ratio,
    spectrum,
    unit_vectors,
    whitened,
)
from sentflow.geometry.permuted_texts import PermutedTexts
from sentflow.geometry.settings import ALIGNUNFORMEVAL, PER_BATCH, AlignmentSettings, GeometrySettings
from sentflow.similarity.measures import CORRELATIONS, MEASURES
from sentflow.similarity.scores import graph_of
from sentflow.stats.pair_graph import interval_of_pair_mean
from sentflow.stats.resampling import Bootstrap, interval_of_mean
from sentflow.texts.collection import TextRows, rows_of
from sentflow.texts.pairs import PairTable


@dataclass(frozen=True)
class ScoredVectors:
    """Scored pairs of sentences as rows of an array of vectors."""

    vectors: np.ndarray  # (m, d) float32 or float64, one per distinct sentence
    first: np.ndarray  # (n,) int64 rows of `vectors`, in the order of the file
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
    n_positive: int  # pairs
    n_sentences: int  # of the uniformity
    n_pairs: int  # of these
    n_zero: int  # zero vectors among these sentences, which have no direction and stay zero
    # positive_distances: (n_positive,) float64, whose mean (of batches: of means) is the alignment
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


def uniformity(
    vectors: np.ndarray, block_rows: int = BLOCK_ROWS, *, squared: bool = True
) -> tuple[float, int]:
    """ln of the mean of exp(−2 ‖x − y‖²) over all pairs of (n, d) float64 unit vectors, and how many pairs there are.

    In [−8, 0], lower is better, NaN with fewer than two vectors. `block_rows`: of the computation; changes nothing. Not
    `squared`: of exp(−2 ‖x − y‖).
    """
    blocks = distances_of_pairs(vectors, block_rows=block_rows)
    return log_mean_exp(-2 * (block if squared else np.sqrt(block)) for block in blocks)


def measure(
    pairs: ScoredVectors, settings: AlignmentSettings, positives: ScoredVectors | None = None
) -> AlignmentUniformity:
    """Alignment of the positive pairs and uniformity of the sentences, by a variant.

    `pairs`: whose sentences the uniformity is that of. `positives`: whose positive pairs the alignment is that of,
    where they are another form of the same texts; under ``per-batch`` the uniformity is of these too.
    """
    positives = positives or pairs
    plain, per_batch = settings.variant == ALIGNUNFORMEVAL, settings.variant == PER_BATCH
    prepared = partial(np.asarray, dtype=np.float64) if plain else unit_vectors
    chosen = np.flatnonzero(is_positive(positives.scores, settings))
    first, second = (
        prepared(positives.vectors[side[chosen]]) for side in (positives.first, positives.second)
    )
    difference = first - second
    distances: np.ndarray = np.einsum("ij,ij->i", difference, difference)
    if plain:
        distances = distances**0.5
    if per_batch:
        n_batches = -(-len(positives.scores) // settings.batch)
        parts = [chosen // settings.batch == number for number in range(n_batches)]
        alignments = [_mean(distances[own]) for own in parts]
        sentences = [np.concatenate([first[own], second[own]]) for own in parts]
    else:
        rows = np.concatenate([pairs.first, pairs.second])
        alignments = [_mean(distances)]
        sentences = [prepared(pairs.vectors[np.unique(rows) if settings.sentences == "unique" else rows])]
    shapes = [uniformity(one, squared=not plain) for one in sentences]
    uniformities, batches = [value for value, _ in shapes], None
    if per_batch:
        known = (_mean([one for one in values if not np.isnan(one)]) for values in (alignments, uniformities))
        batches = BatchFacts(len(alignments), int(np.isnan(alignments).sum()), *known)
    found = AlignmentUniformity(
        # a batch without a positive pair makes its mean, and so the mean of all, NaN, as in the study
        _mean(alignments),
        _mean(uniformities),
        len(distances),
        sum(map(len, sentences)),
        sum(n for _, n in shapes),
        sum(map(count_zeros, sentences)),
        distances,
        batches,
    )
    return replace(found, warnings=_warnings(found, settings, sentences[0] if plain else None))


def is_positive(scores: np.ndarray, settings: AlignmentSettings) -> np.ndarray:
    """(n,) whether pairs are positive by their gold scores."""
    return scores >= settings.threshold if settings.comparison == "at-least" else scores > settings.threshold


def _warnings(
    found: AlignmentUniformity, settings: AlignmentSettings, as_they_are: np.ndarray | None
) -> list[str]:
    """What to know of the numbers; of vectors as they are, that they depend on lengths."""
    sign = ">=" if settings.comparison == "at-least" else ">"
    warnings = []
    if not found.n_positive:
        warnings.append(f"alignment is undefined: no pair has a score {sign} {settings.threshold:g}.")
    if found.n_sentences < 2:
        warnings.append("uniformity is undefined: it needs two sentences.")
    if found.n_zero:
        warnings.append(
            f"{found.n_zero} of {found.n_sentences} vectors are zero. They have no direction and stay zero: their "
            "distance to every other vector is 1."
        )
    if as_they_are is not None and len(as_they_are):
        lengths = np.linalg.norm(as_they_are, axis=1)
        if np.abs(lengths - 1).max() >= 1e-3:
            warnings.append(
                f"vectors have lengths from {lengths.min():.4g} to {lengths.max():.4g}, and this variant does not "
                "normalise them: its values depend on the lengths."
            )
    batches = found.batches
    if batches and batches.n_empty and found.n_positive:
        warnings.append(
            f"{batches.n_empty} of {batches.n} batches have no positive pair, which makes the mean of all "
            f"batches undefined, as in the study. Without them: alignment {batches.alignment:.4f}, uniformity "
            f"{batches.uniformity:.4f}."
        )
    return warnings


def _mean(values: np.ndarray | Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


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

    The uniformity has no interval: sentences that are drawn twice lie on each other. That of the alignment draws
    positive pairs, or what those that share sentences make up (`PairGraph.units`).
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
    facts = asdict(found)
    del facts["positive_distances"]
    return {
        **facts,
        "interval": {"alignment": interval, "uniformity": None},
        "drawn": drawn,
        "level": settings.level,
        "set": name,
        "model": model,
        "config": {**settings.facts(), **tables},
    }


REDUCED = 256  # dimensions that BERT-whitening keeps for base models
_FEWEST_TEXTS = 3
_NO_INTERVAL = {
    "partition_ratio": "a ratio of extremes: resampling biases it",
    "effective_rank": "drawing sentences twice lowers the rank of every resample",
    "hubness_skewness": "sentences drawn twice are each other's neighbours",
    "dimension_twonn": "sentences drawn twice have the distance 0",
    "dimension_mle": "sentences drawn twice have the distance 0",
}


def described(
    *,
    family: str,
    model: str,
    texts: Sequence[str],
    vectors: FloatArray,
    pairs: Sequence[PairTable],
    permuted: tuple[PermutedTexts, FloatArray] | None,
    settings: GeometrySettings,
) -> dict[str, Any]:
    """Every measure of one encoder on one family."""
    if len(texts) < _FEWEST_TEXTS:
        raise DataError(
            f"{family} has {len(texts)} texts. Measures of geometry need at least {_FEWEST_TEXTS}."
        )
    unit = unit_vectors(vectors)
    row_of = rows_of(texts)
    scored = {table.info.pairs: scored_vectors([table], vectors, row_of) for table in pairs}
    shares = spectrum(unit)
    resampling = Bootstrap(settings.level, settings.n_resamples, settings.seed)
    bootstrap = resampling if settings.n_resamples else None
    stated = {**_of_all(unit, shares, bootstrap), **_of_neighbours(texts, unit, settings)}
    if permuted is not None:
        rows = row_of.of(permuted[0].originals, whose=f"the permuted texts of {family}")
        stated["word_order_cosine"] = _word_order(*permuted, unit[rows], bootstrap)
    measures = {
        name: {
            "value": value,
            "low": low,
            "high": high,
            "range": extent,
            "n": n,
            "no_interval": _NO_INTERVAL.get(name),
        }
        for name, (value, extent, n, (low, high)) in stated.items()
    }
    of_whitened, lost = _whitened(vectors, scored, settings)
    return {
        "family": family,
        "model": model,
        "n_texts": len(texts),
        "dimension": vectors.shape[1],
        "measure": settings.measure,
        "correlation": settings.correlation,
        "level": settings.level,
        "n_resamples": settings.n_resamples,
        "measures": measures,
        "spectrum": shares.tolist(),
        "whitened": of_whitened,
        "truncation": _truncated(vectors, scored, settings),
        "warnings": _of_vectors_warnings(vectors, unit, measures) + lost,
    }


# Value, where it lies, of how many texts, limits of its interval
_Stated = tuple[float, str, int, tuple[float | None, float | None]]
_NONE = (None, None)


def _of_all(unit: np.ndarray, shares: np.ndarray, bootstrap: Bootstrap | None) -> dict[str, _Stated]:
    n, d = unit.shape
    interval = average_cosine_interval(unit, bootstrap) if bootstrap else _NONE
    return {
        "average_cosine": (average_cosine(unit), "-1 to 1; near 0 is isotropic", n, interval),
        "partition_ratio": (partition_ratio(unit), "0 to 1; 1 is isotropic", n, _NONE),
        "effective_rank": (effective_rank(shares), f"1 to {d} dimensions", n, _NONE),
    }


def _of_neighbours(texts: Sequence[str], unit: np.ndarray, settings: GeometrySettings) -> dict[str, _Stated]:
    rows = _sampled_rows(texts, settings)
    k = min(settings.neighbours, len(rows) - 1)
    near = nearest(unit[rows], k)
    n_apart = int((near.distances[:, 0] > SAME).sum())
    return {
        "hubness_skewness": (hubness(near), f"above 0: hubs ({k} neighbours)", len(rows), _NONE),
        "dimension_twonn": (dimension_two_nn(near), "dimensions", n_apart, _NONE),
        "dimension_mle": (dimension_mle(near), f"dimensions ({k} neighbours)", n_apart, _NONE),
    }


def _word_order(
    permuted: PermutedTexts, vectors: FloatArray, originals: np.ndarray, bootstrap: Bootstrap | None
) -> _Stated:
    cosines = np.einsum("ij,ij->i", originals, unit_vectors(vectors))
    extent = f"-1 to 1; 1: the order of {permuted.unit} makes no difference"
    interval = interval_of_mean(cosines, bootstrap) if bootstrap else _NONE
    return float(cosines.mean()), extent, len(cosines), interval


def _whitened(
    vectors: FloatArray, scored: Mapping[str, ScoredVectors], settings: GeometrySettings
) -> tuple[dict[str, Any], list[str]]:
    """Scores of whitened vectors, with all dimensions and with `REDUCED`; and a warning if some are lost."""
    whole = whitened(vectors)
    rank, d = whole.shape[1], vectors.shape[1]
    if not rank:
        return {}, ["vectors cannot be whitened: they are all the same."]
    found = {}
    for name, pairs in scored.items():
        reduced = None
        if rank > REDUCED:
            reduced = {"dimensions": REDUCED, **_correlations(whole[:, :REDUCED], pairs, settings)}
        found[name] = {"dimensions": rank, **_correlations(whole, pairs, settings), "reduced": reduced}
    if rank == d:
        return found, []
    return found, [f"vectors vary along {rank} of {d} axes; whitened ones have {rank} dimensions."]


def _truncated(
    vectors: FloatArray, scored: Mapping[str, ScoredVectors], settings: GeometrySettings
) -> list[dict[str, Any]]:
    d = vectors.shape[1]
    widths = sorted({width for width in settings.truncation if width < d} | {d})
    return [
        {"dimensions": width, "pairs": name, **_correlations(vectors[:, :width], pairs, settings)}
        for width in widths
        for name, pairs in scored.items()
    ]


def _correlations(vectors: np.ndarray, pairs: ScoredVectors, settings: GeometrySettings) -> dict[str, float]:
    similarity = MEASURES[settings.measure]
    wide = np.asarray(vectors, dtype=np.float64)
    values = similarity(wide[pairs.first], wide[pairs.second])
    return {name: correlation(values, pairs.scores) for name, correlation in CORRELATIONS.items()}


def _sampled_rows(texts: Sequence[str], settings: GeometrySettings) -> np.ndarray:
    """Rows of a sample in ascending order: the same texts for every encoder, by their own words and the seed."""
    if len(texts) <= settings.sample:
        return np.arange(len(texts))
    keys = [hashlib.sha256(f"{settings.seed}\0{text}".encode()).digest() for text in texts]
    return np.sort(np.array(sorted(range(len(texts)), key=keys.__getitem__)[: settings.sample]))


def _of_vectors_warnings(
    vectors: FloatArray, unit: np.ndarray, measures: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    found = [
        f"{name} is undefined on these vectors."
        for name, measure in measures.items()
        if math.isnan(measure["value"])
    ]
    if n_zero := count_zeros(vectors):
        found.append(f"{n_zero} of {len(unit)} vectors are zero: they have no direction and stay zero.")
    searched, apart = measures["hubness_skewness"]["n"], measures["dimension_twonn"]["n"]
    if searched < len(unit):
        found.append(f"neighbours were searched among {searched} of {len(unit)} texts, drawn by the seed.")
    if apart < searched:
        found.append(
            f"{searched - apart} of {searched} texts have the same vector as another; they are left out of "
            "the intrinsic dimension."
        )
    return found
