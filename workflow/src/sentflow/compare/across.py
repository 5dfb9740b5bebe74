"""Which encoders differ over all tasks: the scores of all tasks → rows of ``comparisons/``."""

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from sentflow.compare.differences import winner
from sentflow.compare.rows import AcrossRow, PairRow, RankRow
from sentflow.config.configuration import ComparisonStatistics
from sentflow.files.rows import row_from
from sentflow.stats.across import (
    Omnibus,
    independent_units,
    omnibus,
    rank_intervals,
    task_mean_interval,
    unit_means,
)
from sentflow.stats.paired import CorrectedT
from sentflow.stats.pooled import pooled_difference
from sentflow.stats.seeds import derive_seed
from sentflow.stats.separation import Separation, separate


@dataclass(frozen=True)
class Grid:
    """Scores of one protocol by task and model, and which models have all of them."""

    protocol: str
    tasks: Mapping[str, str]  # name → source: what tasks have in common, say the dataset
    # models: name → title and whether it is a control, in the order of selection
    models: Mapping[str, tuple[str, bool]]
    # (task, model) → (J,) float64 test scores; missing where there is none, or an undefined one
    fold_scores: Mapping[tuple[str, str], np.ndarray]
    folds: int  # k of the cross-validation
    alpha: float  # of tests over all tasks
    seed: int  # of the protocol
    documents: Mapping[str, float]  # task → effective documents that the folds keep together, or infinite

    @cached_property
    def sources(self) -> list[str]:
        return list(self.tasks.values())

    @cached_property
    def units(self) -> np.ndarray:
        return independent_units(self.sources)

    @cached_property
    def n_tasks(self) -> Counter[str]:
        """Tasks on which each model has a score."""
        return Counter(model for task, model in self.fold_scores if task in self.tasks)

    @cached_property
    def complete(self) -> list[str]:
        """Models that have a score on every task."""
        return [model for model in self.models if self.n_tasks[model] == len(self.tasks)]

    @property
    def incomplete(self) -> list[str]:
        """Models that lack a task. They have no mean and no rank."""
        return [model for model in self.models if model not in self.complete]

    @cached_property
    def means(self) -> np.ndarray:
        """(N, K) means of the complete models."""
        return np.array(
            [[self.fold_scores[task, model].mean() for model in self.complete] for task in self.tasks]
        ).reshape(len(self.tasks), len(self.complete))

    @cached_property
    def unit_means(self) -> np.ndarray:
        return unit_means(self.means, self.units)

    @cached_property
    def separation(self) -> Separation:
        return separate(self.means, self.units, alpha=self.alpha)

    @cached_property
    def omnibus(self) -> Omnibus:
        return omnibus(self.unit_means)

    @property
    def n_units(self) -> int:
        return len(set(self.units.tolist()))

    @property
    def kind_of_units(self) -> str:
        """``"sources"``, or ``"tasks"`` where none of several sources has two tasks, or all tasks have one source."""
        return "sources" if self.n_units < len(self.tasks) else "tasks"


def rank_rows(grid: Grid, settings: ComparisonStatistics) -> list[RankRow]:
    """One row per model, in the order of selection."""
    numbers: dict[str, dict[str, float]] = {}
    if grid.complete:
        scores = {model: [grid.fold_scores[task, model] for task in grid.tasks] for model in grid.complete}
        documents = [grid.documents[task] for task in grid.tasks]
        intervals = rank_intervals(
            [np.stack(of_task, axis=1) for of_task in zip(*scores.values(), strict=True)],
            folds=grid.folds,
            level=settings.level,
            n_draws=settings.n_item_resamples,
            seed=derive_seed(grid.seed, "ranks"),
            units=grid.units,
            documents=documents,
        )
        means = grid.means.mean(axis=0).tolist()
        for index, (model, mean, interval) in enumerate(zip(grid.complete, means, intervals, strict=True)):
            tests = [
                CorrectedT(values, grid.folds, n) for values, n in zip(scores[model], documents, strict=True)
            ]
            low, high = task_mean_interval(
                float(np.mean([values.mean() for values in scores[model]])),
                [test.error for test in tests],
                [test.freedom for test in tests],
                grid.sources,
                level=settings.level,
            )
            numbers[model] = {"mean": mean, "mean_low": low, "mean_high": high, **asdict(interval)}
            numbers[model] |= {
                "rank_low": grid.separation.low[index],
                "rank_high": grid.separation.high[index],
                "board_low": grid.separation.board_low[index],
                "board_high": grid.separation.board_high[index],
            }
    missing = dict.fromkeys((one.name for one in fields(RankRow)), math.nan)
    return [
        row_from(
            RankRow,
            missing | numbers.get(model, {}),
            protocol=grid.protocol,
            model=model,
            model_title=title,
            is_control=is_control,
            n_tasks=grid.n_tasks[model],
            complete=model in grid.complete,
            level=settings.level,
        )
        for model, (title, is_control) in grid.models.items()
    ]


def across_rows(grid: Grid, pairs: Sequence[PairRow], settings: ComparisonStatistics) -> list[AcrossRow]:
    """One row per pair of complete models."""
    pairs = [pair for pair in pairs if pair.task in grid.tasks]
    wins = Counter((pair.model_a, pair.model_b, winner(pair, pair.p_over_tasks)) for pair in pairs)
    rows = []
    for (i, a), (j, b) in itertools.combinations(enumerate(grid.complete), 2):
        n_wins, n_losses = wins[a, b, a], wins[a, b, b]
        own = {pair.task: pair for pair in pairs if (pair.model_a, pair.model_b) == (a, b)}
        pooled = pooled_difference(
            np.array([own[task].difference for task in grid.tasks]),
            np.array([own[task].error for task in grid.tasks]),
            grid.sources,
            level=settings.level,
        )
        rows.append(
            row_from(
                AcrossRow,
                {**vars(settings), **vars(pooled)},
                protocol=grid.protocol,
                model_a=a,
                model_a_title=grid.models[a][0],
                model_b=b,
                model_b_title=grid.models[b][0],
                n_tasks=len(grid.tasks),
                wins=n_wins,
                ties=len(grid.tasks) - n_wins - n_losses,
                losses=n_losses,
                p_adjusted=float(grid.separation.p[i, j]),
                separated=bool(grid.separation.separated[i, j]),
                least_separable=grid.separation.least,
                difference=pooled.mean,
                weighted_difference=pooled.weighted,
                units=grid.kind_of_units,
                n_units=grid.n_units,
            )
        )
    return rows


def omnibus_facts(grid: Grid, settings: ComparisonStatistics) -> dict[str, Any]:
    """What ``comparisons/omnibus.json`` holds of a protocol."""
    return {
        "n_tasks": len(grid.tasks),
        "units": grid.kind_of_units,
        "n_units": grid.n_units,
        "n_models": len(grid.complete),
        "tasks": list(grid.tasks),
        "sources": grid.sources,
        "models": grid.complete,
        "incomplete": grid.incomplete,
        **vars(grid.omnibus),
        "level": settings.level,
        "alpha": settings.alpha,
    }
