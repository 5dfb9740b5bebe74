"""Shuffles of Fisher and Yates, swap by swap."""

import numpy as np

from sentflow.probing.kernels.loops.compiling import compiled


@compiled("void(u4[:,:], i8[:,::1])")
def shuffle(words: np.ndarray, orders: np.ndarray) -> None:
    """Write (epochs, n) int64 orders from (epochs, n − 1) words: position i swaps with i + word mod (n − i)."""
    epochs, n = orders.shape
    for epoch in range(epochs):
        order = orders[epoch]
        for i in range(n):
            order[i] = i
        for i in range(n - 1):
            partner = i + np.int64(words[epoch, i] % np.uint32(n - i))
            order[i], order[partner] = order[partner], order[i]
