"""Correlations of similarities with gold scores, their bootstrap intervals, and overlap of words."""

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np

from sentflow.errors import ConfigError, DataError
from sentflow.files.io import write_sealed
from sentflow.files.parquet import Columns, numbers_of, read_parquet, readable, table_of, write_parquet
from sentflow.similarity.measures import CORRELATIONS, is_constant
from sentflow.similarity.settings import Resampling
from sentflow.stats.pair_graph import PairGraph, PairUnits
from sentflow.stats.resampling import Bootstrap, drawn_counts, percentile_limits
from sentflow.stats.seeds import derive_seed
from sentflow.texts.pairs import PairTable
from sentflow.texts.plain import plain

logger = logging.getLogger(__name__)

OVERLAP = "overlap"  # the one measure of a baseline
_ABOUT = ("row", "subset", "gold", "sentence_a", "sentence_b")
# Of one array of pairs × resamples: 0.4 MB, which the allocator keeps; of many pairs so many resamples
_CELLS_AT_ONCE, _FEWEST_AT_ONCE = 50_000, 20


def bootstrap(
    gold: np.ndarray, columns: Sequence[np.ndarray], units: PairUnits, *, n_resamples: int, seed: int
) -> dict[str, np.ndarray]:
    """Draw units with replacement and correlate; all columns see the same resamples.

    `gold`: (n,) float64. `columns`: K arrays (n,) float64: measures of one encoder, or one measure of several. `units`:
    what is drawn: pairs, or what pairs that share sentences make up. `n_resamples`, `seed`: R, and where the draws come
    from. Returns ``spearman`` and ``pearson``: (R, K) float64 correlations with the gold scores; NaN where a resample
    has a single value, or no pair.

    Ranks are taken anew within each resample. A pair's average rank there follows from how often each value was drawn:
    with c draws of a value and s of all smaller ones, each of the c has the rank s + (c + 1) / 2. So values are sorted
    once, and a resample costs sums alone. Where units hold several pairs, the size of a resample changes.
    """
    ranked_gold, ranked = _Ranked.of(gold), [_Ranked.of(column) for column in columns]
    centred_gold, centred = gold - gold.mean(), [column - column.mean() for column in columns]
    found: dict[str, list[np.ndarray]] = {"spearman": [], "pearson": []}
    everything = [np.arange(units.n_units)]
    cells = max(1, max(_CELLS_AT_ONCE, _FEWEST_AT_ONCE * len(gold)) * units.n_units // len(gold))
    for drawn in drawn_counts(everything, n_resamples=n_resamples, seed=seed, cells=cells, dtype=np.float64):
        # sums run over pairs, one resample beside the other
        counts = np.ascontiguousarray(units.weights(drawn).T)
        size = np.maximum(counts.sum(axis=0), 1)  # without any pair all sums are 0, and so is the spread
        sides = {
            "spearman": (ranked_gold.ranks(counts), (column.ranks(counts) for column in ranked)),
            "pearson": (centred_gold[:, None], (column[:, None] for column in centred)),
        }
        for name, (first, others) in sides.items():
            side = _Weighted.of(first, counts, size)
            found[name].append(np.array([side.correlation(other, counts) for other in others]).T)
    return {name: np.concatenate(blocks) for name, blocks in found.items()}


@dataclass(frozen=True)
class _Ranked:
    """A column sorted once."""

    order: np.ndarray  # (n,) pairs in ascending order of their values
    last: np.ndarray  # (g,) the last place of each of g distinct values in that order
    value: np.ndarray  # (n,) the distinct value of each pair, from 0

    @classmethod
    def of(cls, column: np.ndarray) -> "_Ranked":
        _, value, counts = np.unique(column, return_inverse=True, return_counts=True)
        return cls(np.argsort(value, kind="stable"), np.cumsum(counts) - 1, value)

    def ranks(self, counts: np.ndarray) -> np.ndarray:
        """(n, block) average ranks within each resample, less their mean."""
        reached = np.cumsum(counts[self.order], axis=0)[self.last]
        drawn = np.diff(reached, axis=0, prepend=0)
        # the last rank is `reached`, the mean of `drawn` ranks up to it is (drawn - 1) / 2 less; their mean (n + 1) / 2
        return np.asarray((reached - drawn / 2 - reached[-1] / 2)[self.value])


@dataclass(frozen=True)
class _Weighted:
    """One side of a correlation in a block of resamples."""

    values: np.ndarray  # (n, block) or (n, 1), less the mean of each resample where it is known
    weighted: np.ndarray  # (n, block) values times counts
    size: np.ndarray  # (block,) pairs of each resample
    mean: np.ndarray  # (block,), still to be taken from `values`
    spread: np.ndarray  # (block,) sum of squared differences from it

    @classmethod
    def of(cls, values: np.ndarray, counts: np.ndarray, size: np.ndarray) -> "_Weighted":
        weighted = values * counts
        mean = weighted.sum(axis=0) / size
        spread = _columns_product(weighted, values) - size * mean**2
        # Of a resample with a single value, rounding is left
        smallest = 1e-12 * len(values) * float(np.abs(values).max()) ** 2
        return cls(values, weighted, size, mean, np.where(spread > smallest, spread, 0.0))

    def correlation(self, values: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """(block,) correlations with another side; NaN where either has one value."""
        other = _Weighted.of(values, counts, self.size)
        product = _columns_product(self.weighted, values) - self.size * self.mean * other.mean
        scale = np.sqrt(self.spread * other.spread)
        found = np.divide(product, scale, out=np.full_like(product, np.nan), where=scale > 0)
        return np.asarray(np.clip(found, -1.0, 1.0))


def _columns_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(block,) sums over pairs; not by BLAS, whose order of sums depends on its number of threads."""
    return np.asarray(np.einsum("nb,nb->b", a, np.broadcast_to(b, a.shape)))


Units = Callable[[str], list[str]]
Measure = Callable[[list[str], list[str]], float]


def words(text: str) -> list[str]:
    """What white space separates, as written: neither case nor punctuation is touched."""
    return text.split()


def character_bigrams(text: str) -> list[str]:
    """Pairs of neighbouring characters, white space left out; for languages written without spaces too."""
    characters = "".join(text.split())
    return [characters[index : index + 2] for index in range(len(characters) - 1)]


def jaccard(first: list[str], second: list[str]) -> float:
    """Shared units among all units of two texts, each counted once; in [0, 1], and 0 where neither has any."""
    a, b = set(first), set(second)
    return len(a & b) / len(a | b) if a or b else 0.0


def count_cosine(first: list[str], second: list[str]) -> float:
    """Cosine of how often each unit stands in two texts, in [0, 1]; an exact fraction, so that ties are ties."""
    a, b = Counter(first), Counter(second)
    if not a or not b:
        return 0.0
    product = sum(count * b[unit] for unit, count in a.items())
    squares = sum(count**2 for count in a.values()) * sum(count**2 for count in b.values())
    return math.sqrt(Fraction(product**2, squares))


BASELINES: dict[str, tuple[Units, Measure, bool]] = {
    "jaccard-words": (words, jaccard, False),
    "jaccard-bigrams": (character_bigrams, jaccard, False),
    "count-cosine": (words, count_cosine, False),
    "jaccard-words-lowercase": (words, jaccard, True),
    "jaccard-bigrams-lowercase": (character_bigrams, jaccard, True),
}


def overlap(baseline: str, texts_a: Sequence[str], texts_b: Sequence[str]) -> np.ndarray:
    """(n,) float64 similarities in [0, 1] of n pairs of texts."""
    if baseline not in BASELINES:
        raise ConfigError(f"{baseline!r} is not a baseline. Write one of: {', '.join(BASELINES)}.")
    units, measure, lowercase = BASELINES[baseline]
    composed = ([normalize("NFC", text) for text in texts] for texts in (texts_a, texts_b))
    pairs = zip(*composed, strict=True)
    if lowercase:
        pairs = ((a.lower(), b.lower()) for a, b in pairs)  # type: ignore[assignment]
    return np.array([measure(units(a), units(b)) for a, b in pairs], dtype=np.float64)


AGGREGATIONS = ("all", "mean", "wmean")


def similarity_scores(
    gold: np.ndarray,
    subsets: Sequence[str],
    columns: Mapping[str, np.ndarray],
    graph: PairGraph,
    settings: Bootstrap,
) -> dict[str, Any]:
    """Correlations with intervals.

    `gold`: (n,) scores of people. `subsets`: n names of sub-sources. `columns`: Measure → (n,) similarities. `graph`:
    which sentences the n pairs share. `settings`: of the intervals. Returns ``scores``: per measure ``all``, ``mean``,
    ``wmean`` (correlation → value in [-1, 1]) and ``subsets`` (name → ``n`` and correlations; empty where there is one
    sub-source alone). ``intervals``: the same with ``[low, high]``. ``drawn``: for each of these intervals what was
    drawn (``kind``), how many (``n_units``), and ``effective_pairs``; see `PairGraph.units`. ``warnings``: sentences.
    Undefined values are NaN.

    all: one correlation over the pairs of all sub-sources; mean: of the correlations of the sub-sources; wmean: the
    same, weighted by their numbers of pairs. facebookresearch/SentEval@1869aaa and princeton-nlp/SimCSE@7edb07e,
    ``senteval/sts.py``. Intervals are percentiles of a bootstrap over pairs, or over what pairs that share sentences
    make up; for mean and wmean these are drawn within each sub-source, for its size is no accident.
    """
    parts = rows_by_subset(subsets)
    values = list(columns.values())
    units = graph.units
    units_of = {name: graph.of(rows).units for name, rows in parts.items()} if len(parts) > 1 else {}
    whole = bootstrap(gold, values, units, n_resamples=settings.n_resamples, seed=settings.seed)
    replicates = {
        name: bootstrap(
            gold[parts[name]],
            [column[parts[name]] for column in values],
            own,
            n_resamples=settings.n_resamples,
            seed=derive_seed(settings.seed, name),
        )
        for name, own in units_of.items()
    }
    scores, intervals, warnings = {}, {}, []
    for index, (measure, column) in enumerate(columns.items()):
        scores[measure] = point_scores(gold, column, parts)
        intervals[measure], undefined = _intervals(
            {key: of_all[:, index] for key, of_all in whole.items()},
            {name: {key: own[key][:, index] for key in own} for name, own in replicates.items()},
            units,
            units_of,
            sizes=[len(parts[name]) for name in replicates],
            level=settings.level,
        )
        told = _warnings(measure, gold, column, parts)
        if undefined and not told:
            told = [
                f"{measure}: some of {settings.n_resamples} resamples have only one distinct value; their "
                "correlations are undefined and left out of the interval."
            ]
        warnings += told
    # Sub-sources are independent, so that what they have adds up
    drawn = list(units_of.values()) or [units]
    several = {
        "kind": ", ".join(dict.fromkeys(part.kind for part in drawn)),
        "n_units": sum(part.n_units for part in drawn),
        "effective_pairs": sum(part.effective_pairs for part in drawn),
    }
    of_subsets = {name: own.facts() for name, own in units_of.items()}
    of_units = {"all": units.facts(), "mean": several, "wmean": several, "subsets": of_subsets}
    return {"scores": scores, "intervals": intervals, "drawn": of_units, "warnings": warnings}


def rows_by_subset(subsets: Sequence[str]) -> dict[str, np.ndarray]:
    """Sub-source → its rows, ascending; in order of first occurrence."""
    names = np.array(subsets, dtype=object)
    return {name: np.flatnonzero(names == name) for name in dict.fromkeys(subsets)}


def point_scores(gold: np.ndarray, column: np.ndarray, parts: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The ``scores`` of one measure, see `similarity_scores`; `parts` are those of `rows_by_subset`."""
    by_subset = {
        name: {key: correlation(column[rows], gold[rows]) for key, correlation in CORRELATIONS.items()}
        for name, rows in parts.items()
    }
    sizes = [len(rows) for rows in parts.values()]
    found: dict[str, Any] = {name: {} for name in AGGREGATIONS}
    for key, correlation in CORRELATIONS.items():
        found["all"][key] = correlation(column, gold)
        for name, value in aggregate([part[key] for part in by_subset.values()], sizes).items():
            found[name][key] = value
    several = {name: {"n": len(parts[name]), **by_subset[name]} for name in parts} if len(parts) > 1 else {}
    return {**found, "subsets": several}


def aggregate(values: Sequence[float], sizes: Sequence[int]) -> dict[str, float]:
    """Mean, and mean weighted by size, of the correlations of sub-sources; NaN where one of them is."""
    if len(values) == 1:
        return {"mean": values[0], "wmean": values[0]}  # to the last bit
    return {"mean": float(np.mean(values)), "wmean": float(np.average(values, weights=sizes))}


def _intervals(
    whole: Mapping[str, np.ndarray],
    by_subset: Mapping[str, Mapping[str, np.ndarray]],
    units: PairUnits,
    units_of: Mapping[str, PairUnits],
    *,
    sizes: Sequence[int],
    level: float,
) -> tuple[dict[str, Any], bool]:
    """The limits of one measure, none of too few effective pairs, and whether some resample had no correlation."""
    none = (math.nan, math.nan)
    found: dict[str, Any] = {"subsets": {name: {} for name in by_subset}, **{one: {} for one in AGGREGATIONS}}
    undefined = False
    for key, of_all in whole.items():
        drawn = dict.fromkeys(AGGREGATIONS, of_all)
        if by_subset:
            values = np.stack([own[key] for own in by_subset.values()], axis=1)
            drawn |= {"mean": values.mean(axis=1), "wmean": np.average(values, axis=1, weights=sizes)}
        for name, own in by_subset.items():
            found["subsets"][name][key] = limits(own[key], level) if units_of[name].says_enough else none
        for name, values in drawn.items():
            found[name][key] = limits(values, level) if units.says_enough else none
            undefined = undefined or bool(np.isnan(values).any())
    return found, undefined


def limits(values: np.ndarray, level: float) -> tuple[float, float]:
    """The two limits between which the middle `level` of the defined values lies; NaN where there is none."""
    return percentile_limits(values[~np.isnan(values)], level)


def _warnings(
    measure: str, gold: np.ndarray, column: np.ndarray, parts: Mapping[str, np.ndarray]
) -> list[str]:
    if is_constant(column):
        return [f"{measure}: every pair has the same similarity, so the correlation is undefined."]
    if is_constant(gold):
        return [f"{measure}: every pair has the same gold score, so the correlation is undefined."]
    undefined = [name for name, rows in parts.items() if is_constant(column[rows]) or is_constant(gold[rows])]
    if not undefined:
        return []
    return [
        f"{measure}: the pairs of {', '.join(undefined)} have only one distinct value, so their correlation "
        "and the means over sub-sources are undefined."
    ]


@dataclass(frozen=True)
class SimilarityRows:
    """Similarities of the n pairs of a pair set by one encoder or baseline."""

    pairs: str
    model: str
    subset: list[str]  # n names of sub-sources
    gold: np.ndarray  # (n,) float64
    graph: PairGraph  # which sentences the pairs share
    columns: dict[str, np.ndarray]  # measure → (n,) float64


def graph_of(tables: Iterable[PairTable]) -> PairGraph:
    """The graph of the pairs of tables, one after the other.

    Sentences that differ in case, punctuation or white space alone are one (`plain`), for they are rated alike.
    """
    found = [[plain(text) for text in row] for table in tables for row in table.row_texts()]
    return PairGraph.of_texts([first for first, _ in found], [second for _, second in found])


def write_similarities(path: Path | str, rows: SimilarityRows) -> None:
    """Write Parquet: row, subset, gold, sentence_a, sentence_b (numbers of equal sentences), one per measure."""
    columns: Columns = {
        "row": np.arange(len(rows.gold)),
        "subset": rows.subset,
        "gold": rows.gold,
        "sentence_a": rows.graph.first,
        "sentence_b": rows.graph.second,
        **rows.columns,
    }
    metadata = {b"pairs": rows.pairs.encode(), b"model": rows.model.encode()}
    write_parquet(path, table_of(columns, metadata))


def read_similarities(path: Path | str) -> SimilarityRows:
    """Read what `write_similarities` wrote."""
    with readable(path, "file of similarities"):
        table = read_parquet(path)
        metadata = table.schema.metadata or {}
        return SimilarityRows(
            pairs=metadata[b"pairs"].decode(),
            model=metadata[b"model"].decode(),
            subset=table.column("subset").to_pylist(),
            gold=numbers_of(table.column("gold")),
            graph=PairGraph(numbers_of(table.column("sentence_a")), numbers_of(table.column("sentence_b"))),
            columns={
                name: numbers_of(table.column(name)) for name in table.column_names if name not in _ABOUT
            },
        )


def write_results(
    output: Path,
    rows: Path,
    table: PairTable,
    columns: Mapping[str, np.ndarray],
    settings: Resampling,
    *,
    model: str,
    embeddings: str | None,
    warnings: Sequence[str],
) -> None:
    """Score, and write scores (JSON) and similarities (Parquet)."""
    pairs = table.info.pairs
    if not len(table):
        raise DataError(f"the pair set {pairs} has no pair, so nothing can be scored.")
    graph = graph_of([table])
    bootstrap = Bootstrap(settings.level, settings.n_resamples, bootstrap_seed(settings.seed, pairs))
    found = similarity_scores(table.score, table.subset, columns, graph, bootstrap)
    said = [*warnings, *found["warnings"]]
    for warning in said:
        logger.warning("%s × %s: %s", pairs, model, warning)
    about = {
        "pairs": pairs,
        "model": model,
        **{key: getattr(table.info, key) for key in ("data_version", "language")},
        "n_pairs": len(table),
        "embeddings": embeddings,
        **{key: getattr(settings, key) for key in ("level", "n_resamples")},
    }
    write_similarities(
        rows, SimilarityRows(pairs, model, list(table.subset), table.score, graph, dict(columns))
    )
    write_sealed(output, {**about, **found, "warnings": said})
    first = next(iter(columns))
    spearman = found["scores"][first]["all"]["spearman"]
    logger.info("%s × %s: %d pairs, %s %.4f (Spearman)", pairs, model, len(table), first, spearman)


def bootstrap_seed(seed: int, pairs: str) -> int:
    """The seed depends on the pair set only, so every encoder gets the same resamples."""
    return derive_seed(seed, "similarity", pairs)
