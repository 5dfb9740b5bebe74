"""What jobs on pair sets read. The Snakefile imports it: standard library and pydantic only."""

from typing import Annotated

from pydantic import Field

from sentflow.config.model import Correlation, Int, Measure, Names, Number, Ordered, Seed, Settings, Text

Level = Annotated[Number, Field(gt=0, lt=1)]


class Resampling(Settings):
    """How intervals over pairs are drawn."""

    level: Level
    n_resamples: Int = Field(ge=0)
    seed: Seed


class Parts(Settings):
    """The pair sets of a regression."""

    train: Text
    dev: Text
    test: Text


class ScoredSets(Ordered, Resampling):
    """What an encoder is scored and regressed on: by collections of sentences, in the order of their results."""

    collections: dict[str, Names]
    """Collection → its pair sets."""
    regressions: dict[str, dict[str, Parts]] = {}
    """Collection → its regressions."""


class Overlaps(Resampling):
    """Baselines, in the order of the files of each pair set."""

    baselines: Names


class Measured(Settings):
    """What of the section ``similarity`` decides which numbers are shown and compared."""

    measure: Measure = "cosine"
    """Similarity in tables, figures and tests; result files have all four."""
    correlation: Correlation = "spearman"
    """Correlation in tables, figures and tests; result files have both."""


class PairSetSettings(Measured, Resampling):
    """How encoders are compared on a pair set; the seed is that of the pair set, see `bootstrap_seed`."""

    alpha: Number


class ComparedSets(PairSetSettings):
    """What is compared."""

    pair_sets: Names
    models: Names
    """Encoders and baselines in the order of the tables."""
