"""The rows of the summaries of semantic similarity and geometry: one dataclass per file, undefined numbers NaN.

Correlations lie in [-1, 1]; tables print them × 100. `sentflow.files.rows` writes and reads the files.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

# how the scores of sub-sources become one; "subset" is a single sub-source
AGGREGATIONS = ("all", "mean", "wmean", "subset")
# from this cosine on two vectors are the same: what float32 leaves of 1
SAME_VECTOR = 1 - 1e-6


@dataclass(frozen=True)
class SimilarityRow:
    """One correlation between the similarity of pairs and their gold scores.

    Attributes
    ----------
    pairs, pairs_title, group
        Name and title of the pair set, and what paper tables call it.
    family
        Pair sets whose sentences are embedded together.
    model, model_title
        Encoder, or baseline where `is_baseline`.
    measure, coefficient
        ``"cosine"``, ``"euclidean"``, ``"manhattan"``, ``"dot"`` or ``"overlap"``; ``"spearman"`` or ``"pearson"``.
    aggregation, subset
        One of `AGGREGATIONS`; the name of the sub-source, empty unless it is one.
    n
        Pairs behind the number.
    n_equal
        Of all pairs of the set those whose two vectors are the same (cosine 1): equal texts for most encoders.
    low, high
        Bootstrap over pairs at `level`.
    is_main
        Whether measure and coefficient are those of ``similarity`` in the config; overlap counts as any measure.
    warnings
        Of the score file, joined by spaces; empty for none.
    """

    FILE: ClassVar[str] = "similarity"

    pairs: str
    pairs_title: str
    group: str
    family: str
    language: str
    data_version: str
    model: str
    model_title: str
    is_control: bool
    is_baseline: bool
    measure: str
    coefficient: str
    aggregation: str
    subset: str
    n: int
    n_equal: int
    value: float
    low: float
    high: float
    level: float
    n_resamples: int
    is_main: bool
    warnings: str = ""


@dataclass(frozen=True)
class RegressionRow:
    """One encoder under the regressor of original SentEval.

    Attributes
    ----------
    regression, regression_title
        Name and title.
    train, dev, test
        Pair sets.
    dev_pearson
        Of the chosen strength of regularisation.
    """

    FILE: ClassVar[str] = "regressions"

    regression: str
    regression_title: str
    train: str
    dev: str
    test: str
    model: str
    model_title: str
    is_control: bool
    n_train: int
    n_dev: int
    n_test: int
    dev_pearson: float
    pearson: float
    spearman: float
    mse: float
    epochs: float
    data_version: str


@dataclass(frozen=True)
class AlignmentRow:
    """Alignment and uniformity of one encoder on one set of pairs; lower is better for both.

    Attributes
    ----------
    alignment_set, alignment_title
        Name and title of the measurement.
    pairs
        Pair sets, joined by spaces.
    variant
        ``"definition"``, ``"alignunformeval"`` or ``"per-batch"``: three metrics that share two names.
    threshold, comparison
        Pairs scored ``above`` or ``at-least`` it are positive.
    sentences
        ``"all"`` or ``"unique"``: what uniformity is taken over.
    batch
        Pairs of a batch; 0 where the set is measured as a whole.
    positives
        Pair sets that alignment is taken from, where these are others than `pairs`; joined by spaces.
    alignment_low, alignment_high
        Bootstrap over the positive pairs at `level`; NaN where there is none.
    n_positive, n_sentences, n_pairs, n_zero
        Positive pairs, sentences and their pairs behind uniformity, and vectors of length 0.
    """

    FILE: ClassVar[str] = "alignments"

    alignment_set: str
    alignment_title: str
    family: str
    pairs: str
    model: str
    model_title: str
    is_control: bool
    variant: str
    threshold: float
    comparison: str
    sentences: str
    batch: int
    alignment: float
    uniformity: float
    n_positive: int
    n_sentences: int
    n_pairs: int
    n_zero: int
    data_version: str
    positives: str = ""
    alignment_low: float = math.nan
    alignment_high: float = math.nan
    level: float = math.nan
    warnings: str = ""


@dataclass(frozen=True)
class GeometryRow:
    """One measure of the space that an encoder makes of the sentences of a family.

    Attributes
    ----------
    measure
        Name; the score of corrected vectors is ``"whitened"``, with the pair set in `pairs`.
    pairs
        Pair set behind a measure that has one, else empty.
    range
        Values that the measure can have, in words.
    low, high
        Interval where the measure has one, at `level`.
    """

    FILE: ClassVar[str] = "geometry"

    family: str
    model: str
    model_title: str
    is_control: bool
    measure: str
    pairs: str
    value: float
    low: float
    high: float
    level: float
    range: str
    n_texts: int
    dimension: int
    data_version: str
    warnings: str = ""


@dataclass(frozen=True)
class SpectrumRow:
    """One principal direction: its share of the variance (`share`), and of all up to it (`cumulative`).

    Attributes
    ----------
    position
        See `sentflow.compare.score_rows.ScoreRow`.
    """

    FILE: ClassVar[str] = "spectra"

    family: str
    model: str
    model_title: str
    is_control: bool
    component: int
    share: float
    cumulative: float
    n_texts: int
    dimension: int
    data_version: str
    position: int = -1


@dataclass(frozen=True)
class TruncationRow:
    """The score of one pair set with the first `dimensions` values of each vector (of `full_dimensions`).

    Attributes
    ----------
    position
        See `sentflow.compare.score_rows.ScoreRow`.
    """

    FILE: ClassVar[str] = "truncation"

    family: str
    pairs: str
    pairs_title: str
    model: str
    model_title: str
    is_control: bool
    dimensions: int
    full_dimensions: int
    spearman: float
    data_version: str
    position: int = -1


@dataclass(frozen=True)
class HistogramRow:
    """How many pairs of a range of gold scores have a similarity in a range.

    Attributes
    ----------
    gold_low, gold_high
        Of the gold scores; closed below, open above but for the last.
    n_gold
        Pairs in it.
    quartile_1, median, quartile_3
        Of their similarities; NaN without pairs.
    low, high, count
        Range of similarities, and the pairs in it.
    """

    FILE: ClassVar[str] = "histograms"

    pairs: str
    pairs_title: str
    model: str
    model_title: str
    is_control: bool
    measure: str
    gold_low: float
    gold_high: float
    n_gold: int
    quartile_1: float
    median: float
    quartile_3: float
    low: float
    high: float
    count: int
    value: float
    data_version: str


@dataclass(frozen=True)
class AssociationRow:
    """How a measure of geometry goes with scores over encoders.

    Attributes
    ----------
    score
        ``"similarity"`` (mean over the pair sets of the family) or ``"tasks"`` (mean over all tasks).
    n_models
        Encoders that have both.
    correlation
        Spearman's, over encoders; NaN with fewer than two, or where all are alike.
    low, high
        At `level`; -1 and 1 with three encoders or fewer.
    encoders
        Their titles, joined by ``; ``.
    """

    family: str
    measure: str
    score: str
    score_title: str
    n_models: int
    n_controls: int
    correlation: float
    low: float
    high: float
    level: float
    encoders: str
    data_version: str


@dataclass(frozen=True)
class PlaneRow:
    """One point of the plane of alignment and uniformity, with the STS score that colours it."""

    alignment_set: str
    alignment_title: str
    variant: str
    criterion: str
    family: str
    model: str
    model_title: str
    is_control: bool
    alignment: float
    uniformity: float
    score: float
    score_title: str
    data_version: str
