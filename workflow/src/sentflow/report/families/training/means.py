"""Means over the seeds of a training."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sentflow.report.families.training.rows import SPEARMAN, TEST, TrainingRow
from sentflow.report.rows import is_sample
from sentflow.similarity.measures import SEVEN_TASKS, seven_task_average


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


def means_of_columns(rows: Iterable[TrainingRow], average: str) -> dict[str, dict[str, SeedMean]]:
    """Group → column of the seven English sets → mean × 100 over seeds; `average` names that of each seed.

    Only Spearman's correlations of chosen snapshots on test parts of real data count.
    """
    scores: dict[str, dict[int, dict[str, float]]] = {}
    for row in rows:
        is_shown = row.selected and row.split == TEST and row.measure == SPEARMAN
        if is_shown and row.column in SEVEN_TASKS and not is_sample(row.data_version):
            scores.setdefault(row.group, {}).setdefault(row.seed, {})[row.column] = row.value
    means: dict[str, dict[str, SeedMean]] = {}
    for group, seeds in scores.items():
        values = {
            column: [100 * of_seed[column] for of_seed in seeds.values() if column in of_seed]
            for column in SEVEN_TASKS
            if any(column in of_seed for of_seed in seeds.values())
        }
        values[average] = [seven_task_average(of_seed) for of_seed in seeds.values()]
        means[group] = {
            column: SeedMean(math.fsum(ones) / len(ones), len(ones)) for column, ones in values.items()
        }
    return means
