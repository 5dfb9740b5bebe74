"""The rows of the summaries of geometry: one dataclass per file, undefined numbers NaN."""

import math
from dataclasses import dataclass

from sentflow.report.rows import Stored


@dataclass(frozen=True)
class AlignmentRow(Stored, file="alignments"):
    """Alignment and uniformity of one encoder on one set of pairs; lower is better for both."""

    # alignment_set, alignment_title: name and title of the measurement
    alignment_set: str
    alignment_title: str
    family: str
    pairs: str  # pair sets, joined by spaces
    model: str
    model_title: str
    is_control: bool
    # variant: ``"definition"``, ``"alignunformeval"`` or ``"per-batch"``: three metrics that share two names
    variant: str
    # threshold, comparison: pairs scored ``above`` or ``at-least`` it are positive
    threshold: float
    comparison: str
    sentences: str  # ``"all"`` or ``"unique"``: what uniformity is taken over
    batch: int  # pairs of a batch; 0 where the set is measured as a whole
    alignment: float
    uniformity: float
    # n_positive, n_sentences, n_pairs, n_zero: positive pairs, sentences and their pairs behind uniformity, and
    # vectors of length 0
    n_positive: int
    n_sentences: int
    n_pairs: int
    n_zero: int
    data_version: str
    # positives: pair sets that alignment is taken from, where these are others than `pairs`; joined by spaces
    positives: str = ""
    # alignment_low, alignment_high: bootstrap over the positive pairs at `level`; NaN where there is none
    alignment_low: float = math.nan
    alignment_high: float = math.nan
    level: float = math.nan
    # drawn, effective_pairs: what its resamples draw, ``pairs``, ``components`` or ``sentences``, and the least number
    # of independent positive pairs that these are worth; see `PairGraph.units`. Empty and NaN where there is no
    # interval.
    drawn: str = ""
    effective_pairs: float = math.nan
    warnings: str = ""


@dataclass(frozen=True)
class GeometryRow(Stored, file="geometry"):
    """One measure of the space that an encoder makes of the sentences of a family."""

    family: str
    model: str
    model_title: str
    is_control: bool
    measure: str  # name; the score of corrected vectors is ``"whitened"``, with the pair set in `pairs`
    pairs: str  # pair set behind a measure that has one, else empty
    value: float
    # low, high: interval where the measure has one, at `level`
    low: float
    high: float
    level: float
    range: str  # values that the measure can have, in words
    n_texts: int
    dimension: int
    data_version: str
    warnings: str = ""


@dataclass(frozen=True)
class SpectrumRow(Stored, file="spectra"):
    """One principal direction: its share of the variance (`share`), and of all up to it (`cumulative`)."""

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
class TruncationRow(Stored, file="truncation"):
    """The score of one pair set with the first `dimensions` values of each vector (of `full_dimensions`)."""

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
class AssociationRow:
    """How a measure of geometry goes with scores over encoders."""

    family: str
    measure: str
    # score: ``"similarity"`` (mean over the pair sets of the family) or ``"tasks"`` (mean over all tasks)
    score: str
    score_title: str
    n_models: int  # encoders that have both
    n_controls: int
    correlation: float  # Spearman's, over encoders; NaN with fewer than two, or where all are alike
    # low, high: at `level`; -1 and 1 with three encoders or fewer
    low: float
    high: float
    level: float
    encoders: str  # their titles, joined by ``; ``
    data_version: str


@dataclass(frozen=True)
class PlaneRow:
    """One point of the plane of alignment and uniformity, with the STS score that colours it."""

    alignment_set: str
    alignment_title: str
    variant: str
    family: str
    model: str
    model_title: str
    is_control: bool
    alignment: float
    uniformity: float
    score: float
    score_title: str
    data_version: str
