"""What another protocol does to scores, ranks and intervals: one protocol beside that of the scores."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sentflow.compare.score_rows import EffectRow, ScoreRow
from sentflow.errors import DataError
from sentflow.files.rows import row_from
from sentflow.stats.paired import CorrectedT
from sentflow.stats.ranks import average_ranks

# The folds of two protocols hold the same rows if these are equal.
_SAME_FOLDS = ("repetitions", "folds", "seed", "n_balanced_rows")
_OF_THE_OTHER = ("protocol", "switches", "not_comparable", "classifier", "mean")


def effect_rows(
    base: Sequence[ScoreRow],
    other: Sequence[ScoreRow],
    folds: Mapping[tuple[str, str], tuple[np.ndarray, np.ndarray]],
    *,
    title: str,
) -> list[EffectRow]:
    """One row per task and model, in the order of `base`."""
    changed = {(row.task, row.model): row for row in other}
    if set(changed) != {(row.task, row.model) for row in base}:
        raise DataError(
            "the two protocols do not have the same tasks and models. Delete the folder results/protocols "
            "and run snakemake again."
        )
    own, others = _ranks(base), _ranks(other)
    return [
        row_from(
            EffectRow,
            {**vars(row), **_changed(row, changed[row.task, row.model], folds[row.task, row.model])},
            protocol_title=title,
            baseline_rank=own[row.task, row.model],
            rank=others[row.task, row.model],
        )
        for row in base
    ]


def _ranks(rows: Sequence[ScoreRow]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for task in dict.fromkeys(row.task for row in rows):
        members = [row for row in rows if row.task == task]
        places = average_ranks(np.array([-row.mean for row in members])).tolist()
        found |= {(task, row.model): place for row, place in zip(members, places, strict=True)}
    return found


def _changed(base: ScoreRow, other: ScoreRow, folds: tuple[np.ndarray, np.ndarray]) -> dict[str, Any]:
    """What an `EffectRow` says beyond the score of the baseline."""
    same = all(getattr(base, name) == getattr(other, name) for name in _SAME_FOLDS)
    paired = same and base.groups_folds == other.groups_folds and len(folds[0]) == len(folds[1])
    low = high = math.nan
    if paired:
        documents = base.effective_documents if base.n_documents else math.inf
        low, high = CorrectedT(folds[1] - folds[0], base.folds, documents).interval(base.level)
    return {
        **{name: getattr(other, name) for name in _OF_THE_OTHER},
        "baseline": base.protocol,
        "baseline_classifier": base.classifier,
        "baseline_mean": base.mean,
        "difference": other.mean - base.mean,
        "difference_low": low,
        "difference_high": high,
        "paired": paired,
        "baseline_width": _own_width(base),
        "width": _own_width(other),
    }


def _own_width(row: ScoreRow) -> float:
    """Width of the interval that the protocol calls its own; NaN where it has none."""
    if row.own_interval == "repeatability":
        return row.repeatability_high - row.repeatability_low
    return row.generalisation_high - row.generalisation_low
