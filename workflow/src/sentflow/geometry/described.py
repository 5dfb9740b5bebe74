"""The geometry of an encoder's vectors of one family of sentences, as what its file holds."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentflow.encoders.vectors.storage import FloatArray
from sentflow.errors import DataError
from sentflow.geometry.alignment_uniformity import ScoredVectors, scored_vectors
from sentflow.geometry.measures import (
    SAME,
    average_cosine,
    average_cosine_interval,
    count_zeros,
    dimension_mle,
    dimension_two_nn,
    effective_rank,
    hubness,
    nearest,
    partition_ratio,
    spectrum,
    unit_vectors,
    whitened,
)
from sentflow.geometry.permuted_texts import PermutedTexts
from sentflow.geometry.settings import GeometrySettings
from sentflow.similarity.measures import CORRELATIONS, MEASURES
from sentflow.stats.resampling import Bootstrap, interval_of_mean
from sentflow.texts.collection import TextRows, rows_of
from sentflow.texts.pairs import PairTable

REDUCED = 256  # dimensions that BERT-whitening keeps for base models
_FEWEST_TEXTS = 3
_NO_INTERVAL = {
    "partition_ratio": "a ratio of extremes: resampling biases it",
    "effective_rank": "drawing sentences twice lowers the rank of every resample",
    "hubness_skewness": "sentences drawn twice are each other's neighbours",
    "dimension_twonn": "sentences drawn twice have the distance 0",
    "dimension_mle": "sentences drawn twice have the distance 0",
}


@dataclass(frozen=True)
class Permuted:
    """Permuted texts and their (n, d) vectors."""

    texts: PermutedTexts
    vectors: FloatArray


def described(
    *,
    family: str,
    model: str,
    texts: Sequence[str],
    vectors: FloatArray,
    pairs: Sequence[PairTable],
    permuted: Permuted | None,
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
    measures = {**_of_all(unit, shares, settings), **_of_neighbours(texts, unit, settings)}
    if permuted is not None:
        measures["word_order_cosine"] = _word_order(permuted, unit, row_of, settings)
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
        "warnings": _warnings(vectors, unit, measures) + lost,
    }


def _of_all(unit: np.ndarray, shares: np.ndarray, settings: GeometrySettings) -> dict[str, dict[str, Any]]:
    n, d = unit.shape
    interval = average_cosine_interval(unit, _bootstrap(settings)) if settings.n_resamples else None
    return {
        "average_cosine": _measure(average_cosine(unit), "-1 to 1; near 0 is isotropic", n, interval),
        "partition_ratio": _without_interval(
            "partition_ratio", partition_ratio(unit), "0 to 1; 1 is isotropic", n
        ),
        "effective_rank": _without_interval(
            "effective_rank", effective_rank(shares), f"1 to {d} dimensions", n
        ),
    }


def _of_neighbours(
    texts: Sequence[str], unit: np.ndarray, settings: GeometrySettings
) -> dict[str, dict[str, Any]]:
    rows = _sampled_rows(texts, settings)
    k = min(settings.neighbours, len(rows) - 1)
    near = nearest(unit[rows], k)
    n_apart = int((near.distances[:, 0] > SAME).sum())
    values = {
        "hubness_skewness": (hubness(near), f"above 0: hubs ({k} neighbours)", len(rows)),
        "dimension_twonn": (dimension_two_nn(near), "dimensions", n_apart),
        "dimension_mle": (dimension_mle(near), f"dimensions ({k} neighbours)", n_apart),
    }
    return {name: _without_interval(name, *value) for name, value in values.items()}


def _word_order(
    permuted: Permuted, unit: np.ndarray, row_of: TextRows, settings: GeometrySettings
) -> dict[str, Any]:
    rows = row_of.of(permuted.texts.originals, whose="the permuted texts")
    cosines = np.einsum("ij,ij->i", unit[rows], unit_vectors(permuted.vectors))
    interval = interval_of_mean(cosines, _bootstrap(settings)) if settings.n_resamples else None
    extent = f"-1 to 1; 1: the order of {permuted.texts.unit} makes no difference"
    return _measure(float(cosines.mean()), extent, len(rows), interval)


def _bootstrap(settings: GeometrySettings) -> Bootstrap:
    return Bootstrap(settings.level, settings.n_resamples, settings.seed)


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


def _measure(
    value: float, extent: str, n: int, interval: tuple[float, float] | None = None
) -> dict[str, Any]:
    low, high = interval or (None, None)
    return {"value": value, "low": low, "high": high, "range": extent, "n": n, "no_interval": None}


def _without_interval(name: str, value: float, extent: str, n: int) -> dict[str, Any]:
    return {**_measure(value, extent, n), "no_interval": _NO_INTERVAL[name]}


def _warnings(vectors: FloatArray, unit: np.ndarray, measures: Mapping[str, Mapping[str, Any]]) -> list[str]:
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
