"""Which pairs of encoders a figure has room for."""

import math
from collections.abc import Sequence

from sentflow.compare.rows import PairRow
from sentflow.report.rows import unique

MAX_PAIRS = 12


def shown_pairs(rows: Sequence[PairRow]) -> list[tuple[str, str]]:
    """All pairs, or, where they are too many, those of the encoder with the highest mean, which stands first."""
    pairs = list(dict.fromkeys((row.model_a, row.model_b) for row in rows))
    if len(pairs) <= MAX_PAIRS:
        return pairs
    scores: dict[str, dict[str, float]] = {}
    for row in rows:
        scores.setdefault(row.model_a, {})[row.task] = row.mean_a
        scores.setdefault(row.model_b, {})[row.task] = row.mean_b
    n_tasks = len(unique(row.task for row in rows))
    means = {
        model: math.fsum(by_task.values()) / n_tasks
        for model, by_task in scores.items()
        if len(by_task) == n_tasks and not any(map(math.isnan, by_task.values()))
    }
    best = max(means, key=lambda model: means[model], default=pairs[0][0])
    return [(best, a if b == best else b) for a, b in pairs if best in (a, b)][:MAX_PAIRS]
