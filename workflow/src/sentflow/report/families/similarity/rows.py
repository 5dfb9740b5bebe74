"""The rows of the summaries of semantic similarity and geometry: one dataclass per file, undefined numbers NaN.

Correlations lie in [-1, 1]; tables print them × 100. `sentflow.files.rows` writes and reads the files.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sentflow.report.rows import Stored

# how the scores of sub-sources become one; "subset" is a single sub-source
AGGREGATIONS = ("all", "mean", "wmean", "subset")
# from this cosine on two vectors are the same: what float32 leaves of 1
SAME_VECTOR = 1 - 1e-6


@dataclass(frozen=True)
class SimilarityRow(Stored, file="similarity"):
    """One correlation between the similarity of pairs and their gold scores."""

    # pairs, pairs_title, group: name and title of the pair set, and what paper tables call it
    pairs: str
    pairs_title: str
    group: str
    family: str  # pair sets whose sentences are embedded together
    language: str
    data_version: str
    # model, model_title: encoder, or baseline where `is_baseline`
    model: str
    model_title: str
    is_control: bool
    is_baseline: bool
    # measure, coefficient: ``"cosine"``, ``"euclidean"``, ``"manhattan"``, ``"dot"`` or ``"overlap"``; ``"spearman"``
    # or ``"pearson"``
    measure: str
    coefficient: str
    # aggregation, subset: one of `AGGREGATIONS`; the name of the sub-source, empty unless it is one
    aggregation: str
    subset: str
    n: int  # pairs behind the number
    # n_equal: of all pairs of the set those whose two vectors are the same (cosine 1): equal texts for most encoders
    n_equal: int
    value: float
    # low, high: bootstrap at `level`; see `drawn`
    low: float
    high: float
    level: float
    n_resamples: int
    # drawn, n_units, effective_pairs: what a resample draws: ``pairs``, or where some share sentences ``components``
    # of them or ``sentences`` (of means over sub-sources what their own resamples draw, joined by commas); how many;
    # and the least number of independent pairs that these are worth. See `PairGraph.units`.
    drawn: str
    n_units: int
    effective_pairs: float
    # is_main: whether measure and coefficient are those of ``similarity`` in the config; overlap counts as any measure
    is_main: bool
    warnings: str = ""  # of the score file, joined by spaces; empty for none


@dataclass(frozen=True)
class RegressionRow(Stored, file="regressions"):
    """One encoder under the regressor of original SentEval."""

    # regression, regression_title: name and title
    regression: str
    regression_title: str
    # train, dev, test: pair sets
    train: str
    dev: str
    test: str
    model: str
    model_title: str
    is_control: bool
    n_train: int
    n_dev: int
    n_test: int
    dev_pearson: float  # of the chosen strength of regularisation
    pearson: float
    spearman: float
    mse: float
    epochs: float
    data_version: str


@dataclass(frozen=True)
class HistogramRow(Stored, file="histograms"):
    """How many pairs of a range of gold scores have a similarity in a range."""

    pairs: str
    pairs_title: str
    model: str
    model_title: str
    is_control: bool
    measure: str
    # gold_low, gold_high: of the gold scores; closed below, open above but for the last
    gold_low: float
    gold_high: float
    n_gold: int  # pairs in it
    # quartile_1, median, quartile_3: of their similarities; NaN without pairs
    quartile_1: float
    median: float
    quartile_3: float
    # low, high, count: range of similarities, and the pairs in it
    low: float
    high: float
    count: int
    value: float
    data_version: str


def main_rows(rows: Sequence[SimilarityRow]) -> list[SimilarityRow]:
    """The rows of the chosen measure and coefficient over whole pair sets."""
    return [row for row in rows if row.is_main and row.aggregation == "all"]
