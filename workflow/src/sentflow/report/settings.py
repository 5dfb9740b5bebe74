"""What jobs read that summarise results: titles, and the order of rows. The Snakefile imports it."""

from typing import Any

from sentflow.compare.settings import ModelTitle
from sentflow.config.configuration import Stage
from sentflow.config.model import (
    Count,
    Int,
    Names,
    Number,
    Ordered,
    Pair,
    Seed,
    Settings,
    Several,
    Text,
)
from sentflow.config.pairs import Regression
from sentflow.similarity.settings import Measured

# --- pair sets ------------------------------------------------------------------------------------------------


class PairSetTitle(Settings):
    """What is shown of a pair set."""

    title: Text
    family: Text
    scale: Pair[Number]
    data_version: Text
    group: str = ""


class PairSummary(Measured):
    """What summaries of pair sets say of sets and encoders."""

    pairs: dict[str, PairSetTitle]
    models: dict[str, ModelTitle]
    level: Number
    baselines: Names = ()
    selected: Names
    """Pair sets in the order of the rows."""
    systems: Names
    """Encoders and baselines in the order of the rows."""


class SimilaritySummary(PairSummary):
    """The same of similarity and regressions."""

    regressions: dict[str, Regression]


class AlignmentTitle(Settings):
    """What is shown of an alignment."""

    title: Text
    pairs: Names


class GeometrySummary(PairSummary):
    """The same of alignments and geometry."""

    alignments: dict[str, AlignmentTitle]


# --- retrieval ------------------------------------------------------------------------------------------------


class QuestionSetTitle(Settings):
    """What is shown of a question set."""

    title: Text
    data_version: Text
    language: Text
    relevant_grade: Count = 1


class RetrieverTitle(ModelTitle):
    """What is shown of a retriever; and the encoder whose vectors it compares, if any."""

    model: str = ""
    model_title: str = ""


class RetrievalSummary(Ordered):
    """What summaries of retrieval say, with question sets in the order of the rows."""

    question_sets: dict[str, QuestionSetTitle]
    corpora: dict[str, Text]
    retrievers: dict[str, RetrieverTitle]
    """Those that are only fused included."""
    shown: Names
    """Retrievers in the order of the rows."""
    measures: Names
    main: str
    reference: str
    """With what the others are compared."""
    depth: Count
    level: Number
    n_resamples: Int
    seed: Seed


class StageSummary(Settings):
    """Stages of a chain of retrievers."""

    stages: Several[Stage]
    series: Names
    measures: Names
    families: dict[str, dict[str, str]]
    reference: str


class CostSummary(Settings):
    """What each retriever is made of."""

    parts: dict[str, Names]
    """Retriever → all that it is made of, itself included."""
    encoders: dict[str, Text]


class IndexSummary(Settings):
    """Titles of what has an approximate index."""

    questions: dict[str, Text]
    retrievers: dict[str, Text]


class DecisionSummary(Ordered):
    """What summaries of decisions say, with question sets in the order of the rows."""

    question_sets: dict[str, QuestionSetTitle]
    retrievers: dict[str, Text]
    decisions: dict[str, Text]
    controls: Names
    systems: Several[Pair[Text]]
    """Retrievers with a decision, in the order of the rows."""


class FusionTitle(Settings):
    """What is shown of a fusion with tuned weights."""

    title: Text
    position: Int
    of: Several[Text]


class WeightSummary(Ordered):
    """What summaries of weights say, with question sets and fusions in the order of the rows."""

    question_sets: dict[str, QuestionSetTitle]
    retrievers: dict[str, FusionTitle]
    level: Number
    n_resamples: Int
    seed: Seed


# --- trainings ------------------------------------------------------------------------------------------------


class TrainedTitle(Settings):
    """What a number of a trained encoder says of it."""

    model_title: Text
    group: Text
    recipe: Text
    start: Text
    data: Text
    learning_rate: Number
    seed: Int
    is_control: bool


class SetColumn(Settings):
    """What a number says of its pair set."""

    column: Text
    data_version: Text


class TrainingScores(Settings):
    """Trained encoders, and the pair sets on which they are scored."""

    models: dict[str, TrainedTitle]
    pairs: dict[str, SetColumn]


class TrainedGroup(Settings):
    """What is shown of a training."""

    title: Text
    group: Text
    control: bool
    data_version: Text


class TrainingSummary(Settings):
    """Trainings, what they are scored on, and the sweeps that they are cells of."""

    scores: TrainingScores
    models: dict[str, TrainedGroup]
    sweeps: Several[dict[str, Any]]
    """See `sentflow.report.families.training.sweeps.sweep_cells`."""
