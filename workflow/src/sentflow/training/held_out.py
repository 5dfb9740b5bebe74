"""Rows that an encoder is never trained on, and what is measured on them while it is trained.

They are a function of the seed. They are read in the same batches at every measurement, and what is hidden in them is
drawn in the same way, so two measurements differ by the weights alone.
"""

import logging
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sentflow.errors import DataError
from sentflow.training.cache import Autocast, chunks_by_length, represented
from sentflow.training.contract import Objective, Row
from sentflow.training.draws import Draws
from sentflow.training.settings import TrainingSettings

logger = logging.getLogger(__name__)

_PURPOSE = "held-out"


def split(rows: Sequence[Row], settings: TrainingSettings, draws: Draws) -> tuple[list[Row], list[Row]]:
    """The rows that are trained on, in their order, and those that are held out; the second is empty without a share.

    Rows with a ``text`` or an ``other`` in common stay together, also by way of further rows, so that neither a
    question nor what answers it is on both sides. A group larger than what is to be held out is trained on.

    `settings`, `draws`: of the training; of the settings, ``held_out`` and ``batch_size``. Raises DataError: the share
    is less than a batch or leaves less than one, or too many rows are connected; says what to write instead.
    """
    if settings.held_out is None:
        return list(rows), []
    share, size = settings.held_out, settings.batch_size
    number = math.floor(share * len(rows) / size) * size
    groups = _groups(rows)
    sizes = np.bincount(groups)
    is_out = np.zeros(len(sizes), dtype=bool)
    n_chosen = 0
    for group in draws.of(_PURPOSE).generator().permutation(len(sizes)).tolist():
        if n_chosen < number and sizes[group] <= number:
            is_out[group] = True
            n_chosen += int(sizes[group])
    kept = [row for row, group in zip(rows, groups, strict=True) if not is_out[group]]
    if not number or len(kept) < size:
        problem = "leave" if number else "are"
        raise DataError(
            f"training.held_out: {share:g} of {len(rows)} rows {problem} fewer than one batch of {size}. Write another "
            "share, a smaller training.batch_size, more rows, or null."
        )
    if n_chosen < number:
        raise DataError(
            f"training.held_out: {share:g} of {len(rows)} rows are {number}, and only {n_chosen} have no text in "
            f"common with more than {number} others. Write a smaller or a much larger share, or null."
        )
    if n_chosen > number:
        logger.info(
            "%d rows have a text in common with held-out ones, fill no batch, and are in neither part",
            n_chosen - number,
        )
    return kept, [row for row, group in zip(rows, groups, strict=True) if is_out[group]][:number]


def _groups(rows: Sequence[Row]) -> np.ndarray:
    """(n,) the number of what each row is connected to, in the order of the first rows."""
    number_of: dict[str, int] = {}
    ends = [
        [number_of.setdefault(row[column], len(number_of)) for row in rows]
        for column in ("text", "other")
        if column in rows[0]
    ]
    edges = coo_array((np.ones(len(rows)), (ends[0], ends[-1])), shape=(len(number_of), len(number_of)))
    _, component = connected_components(edges, directed=False)
    _, first, group = np.unique(component[ends[0]], return_index=True, return_inverse=True)
    found: np.ndarray = np.argsort(np.argsort(first))[group]
    return found


def measured(
    objective: Objective,
    rows: Sequence[Row],
    settings: TrainingSettings,
    draws: Draws,
    *,
    step: int,
    autocast: Autocast,
) -> list[dict[str, Any]]:
    """What an objective reaches on held-out rows after a step, without dropout; it is left in evaluation mode.

    `rows`: the second of what `split` gives: whole batches. Returns: per measure the values of a
    `sentflow.training.record.HeldOutRow`, by name, as JSON holds them.
    """
    objective.eval()
    chunks = partial(chunks_by_length, max_tokens_per_chunk=settings.chunk_tokens)
    sums: dict[str, tuple[float, int]] = {}
    for start in range(0, len(rows), settings.batch_size):
        batch = rows[start : start + settings.batch_size]
        of_batch = draws.of(_PURPOSE, "batch", start)
        views = objective.views(batch, of_batch)
        vectors = represented(objective, views, of_batch, chunks=chunks, autocast=autocast)
        for name, (value, number) in objective.measures(vectors, batch).items():
            total, n = sums.get(name, (0.0, 0))
            sums[name] = total + value, n + number
    found = [
        {"step": step, "measure": name, "value": total / n if n else math.nan, "n": n}
        for name, (total, n) in sums.items()
    ]
    told = ", ".join(f"{row['measure']} {row['value']:.4f} (n {row['n']})" for row in found)
    logger.info("after step %d, on %d held-out rows: %s", step, len(rows), told)
    return found
