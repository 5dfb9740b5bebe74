"""Rows that an encoder is never trained on, and what is measured on them while it is trained.

They are a function of the seed. They are read in the same batches at every measurement, and what is hidden in them is
drawn in the same way, so two measurements differ by the weights alone.
"""

import logging
import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from sentflow.errors import DataError
from sentflow.training.cache import Autocast, chunks_by_length, represented
from sentflow.training.contract import Objective, Row
from sentflow.training.draws import Draws
from sentflow.training.settings import TrainingSettings

logger = logging.getLogger(__name__)

_PURPOSE = "held-out"


def split(rows: Sequence[Row], settings: TrainingSettings, draws: Draws) -> tuple[list[Row], list[Row]]:
    """The rows that are trained on, in their order, and those that are held out; the second is empty without a share.

    Rows with the same ``text`` stay together, so that a question is not on both sides.

    Parameters
    ----------
    rows
        All rows of the data.
    settings, draws
        Of the training; of the settings, ``held_out`` and ``batch_size``.

    Raises
    ------
    DataError
        The share is less than a batch, or leaves less than one; says what to write instead.
    """
    if settings.held_out is None:
        return list(rows), []
    share, size = settings.held_out, settings.batch_size
    number = math.floor(share * len(rows) / size) * size
    if not number or len(rows) - number < size:
        problem = (
            f"are fewer than one batch of {size}" if not number else f"leave fewer than one batch of {size}"
        )
        raise DataError(
            f"training.held_out: {share:g} of {len(rows)} rows {problem}. Write another share, a smaller "
            "training.batch_size, more rows, or null."
        )
    texts = list(dict.fromkeys(row["text"] for row in rows))
    rows_of = Counter(row["text"] for row in rows)
    chosen: set[str] = set()
    n_chosen = 0
    for place in draws.of(_PURPOSE).generator().permutation(len(texts)).tolist():
        if n_chosen >= number:
            break
        chosen.add(texts[place])
        n_chosen += rows_of[texts[place]]
    kept: list[Row] = []
    out: list[Row] = []
    for row in rows:
        (out if row["text"] in chosen else kept).append(row)
    out = out[:number]  # whole batches; what is left of the last text is in neither
    return kept, out


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

    Parameters
    ----------
    rows
        The second of what `split` gives: whole batches.
    settings, draws
        Of the training.
    step
        Steps that are done.
    autocast
        Of the training.

    Returns
    -------
    list
        Per measure the values of a `sentflow.training.held_out_rows.HeldOutRow`, by name, as JSON holds them.
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
