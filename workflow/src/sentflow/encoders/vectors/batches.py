"""Which texts are encoded together: texts of like length, so that little is padded."""

import numpy as np

from sentflow.encoders.protocol import Batch, IntArray


def plan_batches(lengths: IntArray, *, batch_tokens: int, batch_size: int | None = None) -> list[Batch]:
    """Batches by descending length, each as full as the token budget allows.

    Longest first, so that memory runs out at once or never, and the last batches of several workers end
    together.

    `lengths`: (n,) tokens of each text, each >= 1. `batch_tokens`: rows times longest row of a batch; only a longer
    single text exceeds it. `batch_size`: rows of a batch at most; None is no such limit. Returns every row once. Texts
    of equal length keep their order.
    """
    order = np.argsort(-lengths, kind="stable")
    batches = []
    start = 0
    while start < len(order):
        longest = int(lengths[order[start]])
        n_rows = max(1, batch_tokens // longest)
        rows = order[start : start + min(n_rows, batch_size or n_rows)]
        batches.append(Batch(rows=rows, cost=longest * len(rows)))
        start += len(rows)
    return batches
