"""What another protocol does to scores, ranks and intervals: one protocol beside that of the scores."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sentflow.errors import DataError
from sentflow.report.families.probing.rows import EffectRow, ScoreRow
from sentflow.stats.generalisation import nadeau_bengio_interval

# The folds of two protocols hold the same rows if these are equal.
_SAME_FOLDS = ("repetitions", "folds", "seed", "n_balanced_rows")


def effect_rows(
    base: Sequence[ScoreRow],
    other: Sequence[ScoreRow],
    folds: Mapping[tuple[str, str], tuple[np.ndarray, np.ndarray]],
    *,
    title: str,
) -> list[EffectRow]:
    """One row per task and model, in the order of `base`.

    Parameters
    ----------
    base, other
        Scores of the same tasks and models under two protocols.
    folds
        (task, model) → test metrics of the folds, (J,) each, under the two protocols and in the same order of folds.
    title
        Of the other protocol.

    Raises
    ------
    DataError
        The two do not have the same tasks and models.
    """
    changed = {(row.task, row.model): row for row in other}
    if set(changed) != {(row.task, row.model) for row in base}:
        raise DataError(
            "the two protocols do not have the same tasks and models. Delete the folder results/protocols "
            "and run snakemake again."
        )
    ranks = _ranks(base), _ranks(list(changed.values()))
    return [
        _effect_row(row, changed[row.task, row.model], folds[row.task, row.model], ranks, title)
        for row in base
    ]


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float:
    """Kendall's τ-b of two rankings of the same things; NaN where one of them ranks nothing.

    Notes
    -----
    (concordant − discordant) / √(untied pairs of the first · untied pairs of the second). Kendall 1945.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    i, j = np.triu_indices(len(a), k=1)
    signs = np.sign(a[i] - a[j]), np.sign(b[i] - b[j])
    untied = math.sqrt(float(np.abs(signs[0]).sum() * np.abs(signs[1]).sum()))
    return float((signs[0] * signs[1]).sum()) / untied if untied else math.nan


def average_ranks(values: Sequence[float]) -> list[float]:
    """1 for the highest; equal values share the mean of their ranks."""
    scores = np.asarray(values, dtype=np.float64)
    above = (scores[None, :] > scores[:, None]).sum(axis=1)
    equal = (scores[None, :] == scores[:, None]).sum(axis=1)
    ranks: list[float] = (above + (equal + 1) / 2).tolist()
    return ranks


def _ranks(rows: Sequence[ScoreRow]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for task in dict.fromkeys(row.task for row in rows):
        members = [row for row in rows if row.task == task]
        for row, rank in zip(members, average_ranks([row.mean for row in members]), strict=True):
            found[task, row.model] = rank
    return found


def _effect_row(
    base: ScoreRow,
    other: ScoreRow,
    folds: tuple[np.ndarray, np.ndarray],
    ranks: tuple[dict[tuple[str, str], float], dict[tuple[str, str], float]],
    title: str,
) -> EffectRow:
    key = base.task, base.model
    same = all(getattr(base, name) == getattr(other, name) for name in _SAME_FOLDS)
    paired = same and base.groups_folds == other.groups_folds and len(folds[0]) == len(folds[1])
    low = high = math.nan
    if paired:
        interval = nadeau_bengio_interval(folds[1] - folds[0], folds=base.folds, level=base.level)
        low, high = interval.low, interval.high
    return EffectRow(
        protocol=other.protocol,
        protocol_title=title,
        baseline=base.protocol,
        switches=other.switches,
        not_comparable=other.not_comparable,
        task=base.task,
        task_title=base.task_title,
        family=base.family,
        model=base.model,
        model_title=base.model_title,
        is_control=base.is_control,
        data_version=base.data_version,
        metric=base.metric,
        baseline_classifier=base.classifier,
        classifier=other.classifier,
        baseline_mean=base.mean,
        mean=other.mean,
        difference=other.mean - base.mean,
        difference_low=low,
        difference_high=high,
        level=base.level,
        paired=paired,
        baseline_rank=ranks[0][key],
        rank=ranks[1][key],
        baseline_width=_own_width(base),
        width=_own_width(other),
        groups_folds=other.groups_folds and not base.groups_folds,
    )


def _own_width(row: ScoreRow) -> float:
    """Width of the interval that the protocol calls its own; NaN where it has none."""
    if row.own_interval == "repeatability":
        return row.repeatability_high - row.repeatability_low
    return row.generalisation_high - row.generalisation_low
