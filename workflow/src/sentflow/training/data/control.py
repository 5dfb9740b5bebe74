"""A control without meaning: positives that are those of other rows, so that what is learnt is not from them."""

import numpy as np

from sentflow.training.data.reader import Rows
from sentflow.training.draws import Draws


def shuffled(rows: Rows, seed: int) -> tuple[Rows, int]:
    """Rows with the ``other`` of another row each, and in how many of them it happens to be the same text.

    Every row but a single one gets that of another row: rows are put in a random circle, and each has the next one's.
    """
    order = Draws(seed, ("shuffled positives",)).generator().permutation(len(rows))
    others = rows.columns["other"]
    found = [""] * len(rows)
    for place, after in zip(order.tolist(), np.roll(order, -1).tolist(), strict=True):
        found[place] = others[after]
    kept = sum(one == other for one, other in zip(found, others, strict=True))
    return Rows(rows.names, {**rows.columns, "other": found}), kept
