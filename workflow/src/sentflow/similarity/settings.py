"""What jobs on pair sets read. The Snakefile imports it: standard library and pydantic only."""

from typing import Annotated

from pydantic import Field

from sentflow.config.configuration import Measured
from sentflow.config.model import Int, Names, Number, Seed, Settings

Level = Annotated[Number, Field(gt=0, lt=1)]


class Resampling(Settings):
    """How intervals over pairs are drawn."""

    level: Level
    n_resamples: Int = Field(ge=0)
    seed: Seed


class PairSetSettings(Measured, Resampling):
    """How encoders are compared on a pair set; the seed is that of the pair set, see `bootstrap_seed`."""

    alpha: Number


class ComparedSets(PairSetSettings):
    """What is compared."""

    pair_sets: Names
    models: Names
    """Encoders and baselines in the order of the tables."""
