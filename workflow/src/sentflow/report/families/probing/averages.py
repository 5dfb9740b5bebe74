"""Averages over tasks, never of an encoder that lacks one."""

import math
from collections.abc import Sequence

from sentflow.report.families.probing.rows import ScoreRow


def average_score(rows: Sequence[ScoreRow], n_tasks: int) -> float:
    """Mean over tasks of one model; NaN unless all `n_tasks` tasks are there."""
    means = [row.mean for row in rows if not math.isnan(row.mean)]
    return math.fsum(means) / n_tasks if n_tasks and len(means) == n_tasks else math.nan
