"""Means over the seeds of a training."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sentflow.report.families.training.rows import TrainingRow


@dataclass(frozen=True)
class SeedMean:
    """The mean of the chosen snapshots over the seeds of a group; NaN without seeds."""

    value: float
    n_seeds: int


NOTHING = SeedMean(math.nan, 0)


def seed_means(rows: Iterable[TrainingRow]) -> Mapping[tuple[str, str, str], SeedMean]:
    """(Group, pair set, measure) → the mean of its chosen snapshots; an undefined score makes the mean undefined."""
    found: dict[tuple[str, str, str], dict[int, float]] = {}
    for row in rows:
        if row.selected:
            found.setdefault((row.group, row.pairs, row.measure), {})[row.seed] = row.value
    return {
        key: SeedMean(math.fsum(values.values()) / len(values), len(values)) for key, values in found.items()
    }
