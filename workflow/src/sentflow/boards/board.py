"""The scores of a board as arrays: which models have all of them, and in which order."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sentflow.boards.scores import FRACTION, PERCENT, Scores
from sentflow.errors import DataError, listed
from sentflow.report.numbers import counted


@dataclass(frozen=True)
class Board:
    """What is ranked: M models, best first, on T tasks."""

    models: list[str]
    tasks: list[str]
    shown: np.ndarray  # (T, M) float64, as printed; NaN only where models with gaps are ranked
    values: np.ndarray  # (M,) means, as printed
    sign: float  # −1 where lower is better, so that sign · scores is higher for the better
    groups: list[str]  # of tasks, empty where nothing is said
    items: list[np.ndarray]  # (item, M) of each task; empty without items
    item_groups: list[str]  # of the items of the only task; empty where they have none
    seeds: list[np.ndarray]  # (k,) means over tasks of each model; empty without seeds
    unit: str  # of all scores: ``"percent"``, ``"fraction"``, or empty for another one
    unranked: dict[str, tuple[str, ...]]  # model → tasks that it lacks
    notes: tuple[str, ...]

    @property
    def digits(self) -> int:
        """That are printed behind the point."""
        return {PERCENT: 2, FRACTION: 4}.get(self.unit, 3)


def board_of(scores: Scores, *, common: bool) -> Board:
    """The models that have all tasks; with `common` all, in the order that tasks which pairs share lead to expect."""
    rows, sign, notes = _turned(scores.rows[scores.rows["score"].notna()])
    models, tasks = list(rows["model"].unique()), list(rows["task"].unique())
    by_item = _common_items(rows, models, notes)
    of_task = by_item.index.get_level_values("task")
    # a model without some items of a task has no mean that compares with those of others
    whole = by_item.notna().groupby(of_task).all()
    cells = by_item.groupby(of_task).mean().where(whole).reindex(tasks)
    gaps = {model: tuple(cells.index[cells[model].isna()]) for model in models if cells[model].isna().any()}
    ranked = [model for model in models if common or model not in gaps]
    if not ranked:
        raise DataError(_nobody(cells))
    values = cells[ranked].to_numpy().mean(axis=0)
    has_gaps = common and bool(gaps)
    if has_gaps:
        values = _adjusted(cells[ranked].to_numpy())
        notes.append(
            "Models with gaps are compared with each other by the tasks that both have. Their means are those of an "
            "additive model of tasks and models."
        )
    order = np.argsort(-sign * values, kind="stable")
    ranked = [ranked[index] for index in order]
    has_items, has_seeds = (not has_gaps and rows[kind].ne("").all() for kind in ("item", "seed"))
    of_item = (
        rows.drop_duplicates(["task", "item"]).set_index(["task", "item"])["group"].reindex(by_item.index)
    )
    own = of_item.groupby(of_task).agg(lambda group: group.iloc[0] if group.nunique() == 1 else "")
    return Board(
        models=ranked,
        tasks=tasks,
        shown=cells[ranked].to_numpy(),
        values=values[order],
        sign=sign,
        groups=own.reindex(tasks).tolist(),
        items=_items(by_item[ranked], tasks) if has_items else [],
        item_groups=of_item.tolist() if len(tasks) == 1 and own.eq("").all() and of_item.ne("").all() else [],
        seeds=_seeds(rows, ranked, len(tasks)) if has_seeds else [],
        unit=next(iter(rows["unit"]), ""),
        unranked={} if common else gaps,
        notes=(*scores.notes, *notes),
    )


def _common_items(rows: pd.DataFrame, models: list[str], notes: list[str]) -> pd.DataFrame:
    """(task, item) × model of the items that half of the models of a task have; NaN where there is no score."""
    means = rows.groupby(["task", "item", "model"], sort=False)["score"].mean()
    by_item = means.unstack("model")[models]
    here = by_item.notna()
    of_task = here.index.get_level_values("task")
    n_models = here.groupby(of_task).any().sum(axis=1).reindex(of_task).to_numpy()
    is_common = 2 * here.sum(axis=1).to_numpy() >= n_models
    if n_left_out := int((~is_common).sum()):
        notes.append(f"Left out: {counted(n_left_out, 'item')} that fewer than half of the models have.")
    return by_item[is_common]


def _turned(rows: pd.DataFrame) -> tuple[pd.DataFrame, float, list[str]]:
    """Scores of one direction, and −1 if lower is better in all of them."""
    higher = rows["higher_is_better"].astype(bool)
    if higher.all() or not higher.any():
        return rows, 1.0 if higher.all() else -1.0, []
    tasks = list(rows.loc[~higher, "task"].unique())
    unit = next(iter(rows["unit"]))
    if unit not in (PERCENT, FRACTION):
        raise DataError(
            f"lower is better on {listed(tasks, 5)} and higher on others, so that no mean has a meaning. Leave "
            f"tasks out, for example with --without {tasks[0]!r}."
        )
    top = 100 if unit == PERCENT else 1
    note = f"Lower is better on {listed(tasks, 5)}: {top} less the score is shown and averaged."
    return rows.assign(score=rows["score"].where(higher, top - rows["score"])), 1.0, [note]


def _nobody(cells: pd.DataFrame) -> str:
    fewest = cells.notna().sum(axis=1).idxmin()
    return (
        f"no model has a score on all {len(cells)} tasks. Leave out tasks that many lack, first --without {fewest!r}, "
        "or compare each pair of models by its common tasks with --common."
    )


def _adjusted(scores: np.ndarray) -> np.ndarray:
    """(M,) means over all tasks that (T, M) scores with gaps lead to expect: least squares of tasks + models."""
    known = (~np.isnan(scores)).astype(np.float64)
    n_tasks, n_models = scores.shape
    normal = np.block([[np.diag(known.sum(axis=1)), known], [known.T, np.diag(known.sum(axis=0))]])
    sums = np.concatenate([np.nansum(scores, axis=1), np.nansum(scores, axis=0)])
    effects, _, rank, _ = np.linalg.lstsq(normal, sums, rcond=None)
    if rank < n_tasks + n_models - 1:
        raise DataError(
            "--common: some models share no task with the others, not even through third ones. Leave them out with "
            "--without, or do not ask for common tasks."
        )
    return np.asarray(effects[n_tasks:] + effects[:n_tasks].mean())


def _items(by_item: pd.DataFrame, tasks: Sequence[str]) -> list[np.ndarray]:
    found = [by_item.xs(task, level="task").to_numpy() for task in tasks]
    return found if min(map(len, found)) > 1 else []


def _seeds(rows: pd.DataFrame, models: Sequence[str], n_tasks: int) -> list[np.ndarray]:
    """Means over tasks of the seeds that have all of them."""
    by_seed = rows.groupby(["model", "seed", "task"], sort=False)["score"].mean().unstack("task")
    whole = by_seed[by_seed.notna().sum(axis=1) == n_tasks].mean(axis=1)
    return [whole[whole.index.get_level_values("model") == model].to_numpy() for model in models]
