"""Words that tables, figures and the report share for semantic similarity and geometry."""

from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.report.families.geometry.rows import AlignmentRow
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.numbers import decimal, percent
from sentflow.report.rows import is_sample, unique
from sentflow.stats.pair_graph import COMPONENTS, LEAST_COMPONENTS, SENTENCES

MEASURES = {
    "cosine": "cosine",
    "euclidean": "negative Euclidean distance",
    "manhattan": "negative Manhattan distance",
    "dot": "dot product",
    "overlap": "overlap",
}
COEFFICIENTS = {"spearman": "Spearman", "pearson": "Pearson"}
AGGREGATIONS = {"all": "all", "mean": "mean", "wmean": "weighted mean"}
GEOMETRY = {
    "average_cosine": "Average cosine",
    "partition_ratio": "Partition ratio",
    "effective_rank": "Effective rank",
    "hubness_skewness": "Hubness (skewness)",
    "dimension_twonn": "Intrinsic dimension (two neighbours)",
    "dimension_mle": "Intrinsic dimension (maximum likelihood)",
    "word_order_cosine": "Cosine to permuted words",
    "whitened-spearman": "Whitened, Spearman",
    "whitened-pearson": "Whitened, Pearson",
}
VARIANTS = {
    "definition": "definition: as defined by Wang and Isola (2020), for vectors of length 1",
    "alignunformeval": "AlignUniformEval: as that package, without squares, and vectors not normalised",
    "per-batch": "per batch: as the Korean/English contrastive study, the mean over batches in file order",
}
CONTAMINATION = (
    "About half of STS-B's training part is test material of STS12 to STS16: do not score encoders fine-tuned on it "
    "there."
)


def hundred(value: float) -> str:
    """A correlation × 100 with two decimals, as papers print it."""
    return decimal(100 * value, 2)


def hundred_interval(low: float, high: float) -> str:
    """``[71.2, 73.5]``, for resamples know no more, or nothing if a limit is undefined."""
    if low != low or high != high:
        return ""
    return f"[{decimal(100 * low, 1)}, {decimal(100 * high, 1)}]"


def protocol(rows: Sequence[SimilarityRow]) -> str:
    """``Spearman, all, cosine`` of the rows of encoders; of baselines where there are no encoders."""
    of_encoders = [row for row in rows if not row.is_baseline] or list(rows)
    row = of_encoders[0]
    return ", ".join(
        (
            COEFFICIENTS[row.coefficient],
            AGGREGATIONS.get(row.aggregation, row.aggregation),
            MEASURES[row.measure],
        )
    )


def protocol_note(rows: Sequence[SimilarityRow]) -> str:
    """The protocol in a sentence."""
    row = rows[0]
    return (
        f"Protocol: {protocol(rows)}; {COEFFICIENTS[row.coefficient]}'s correlation × 100 of similarities and gold "
        "scores; “all” is one over the pairs of all sub-sources. Nothing was trained."
    )


def drawn_note(drawn: Mapping[str, str]) -> str:
    """What resamples draw, and what the effective number of pairs is."""
    own = {kind: ", ".join(name for name in drawn if drawn[name] == kind) for kind in (COMPONENTS, SENTENCES)}
    said = []
    if own[COMPONENTS]:
        said.append(f"whole components of pairs connected by sentences ({own[COMPONENTS]})")
    if own[SENTENCES]:
        said.append(
            f"sentences, if there are fewer than {LEAST_COMPONENTS} effective components ({own[SENTENCES]}; these "
            "intervals tend to be too wide)"
        )
    if not said:
        return "No two pairs share a sentence; resamples draw pairs."
    return (
        f"If pairs share sentences, resamples draw {'; and '.join(said)}. Effective: at least so many independent "
        "pairs have as much information."
    )


def scored_pairs(name: str, n: int, effective_pairs: float) -> str:
    """``STS12 3,108 (effective 292)``; without the parenthesis where no pairs share a sentence."""
    return f"{name} {n:,}" + (f" (effective {effective_pairs:,.0f})" if effective_pairs < n else "")


def interval_of(level: float) -> str:
    """``the 99 % interval``, or ``an interval`` where the level is not known."""
    return "an interval" if level != level else f"the {percent(level)} interval"


def warning_notes(rows: Sequence[SimilarityRow]) -> list[str]:
    """The warnings of rows that are shown, each with its set and encoder."""
    return unique(f"{row.pairs} × {row.model_title}: {row.warnings}" for row in rows if row.warnings)


def variant_notes(rows: Sequence[AlignmentRow]) -> list[str]:
    """What each variant that occurs computes."""
    used = unique(row.variant for row in rows)
    return [
        "Lower is better for both. Values of different variants, splits or thresholds cannot be compared.",
        *(f"Variant {VARIANTS.get(name, name)}." for name in used),
    ]


def criterion(threshold: float, comparison: str) -> str:
    """``> 4`` or ``≥ 4``."""
    return f"{'≥' if comparison == 'at-least' else '>'} {threshold:g}"


def geometry_name(measure: str, pairs: str = "") -> str:
    """Name of a measure of geometry, with the pair set behind it."""
    name = GEOMETRY.get(measure, measure.replace("_", " ").capitalize())
    return f"{name}, {pairs}" if pairs else name


def contamination(pair_sets: Mapping[str, Mapping[str, Any]]) -> str:
    """The sentence on STS-B and STS12 to STS16 if both are among these entries of real data, else nothing."""
    names = [name for name, entry in pair_sets.items() if not is_sample(entry["data_version"])]
    has_train = any(name.startswith("STSB-train") for name in names)
    has_years = any(name.startswith(("STS12", "STS13", "STS14", "STS15", "STS16")) for name in names)
    return CONTAMINATION if has_train and has_years else ""
