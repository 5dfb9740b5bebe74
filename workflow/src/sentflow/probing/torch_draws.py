"""Torch's random draws without torch: importing it takes longer than many a probe.

The published protocol draws initial weights and batches from torch's Mersenne Twister, which NumPy has too; what is
left is how torch 2.13 makes numbers from its 32-bit words. Tests compare every draw with torch itself.
"""

import math

import numpy as np

from sentflow.probing.kernels.loops.common import shuffle


class TorchGenerator:
    """The words of ``torch.Generator().manual_seed(seed)``."""

    def __init__(self, seed: int) -> None:
        self._words = np.random.RandomState(seed)

    def words(self, *shape: int) -> np.ndarray:
        """The next 32-bit words, uint32."""
        return self._words.randint(0, 1 << 32, size=shape, dtype=np.uint32)

    def uniform(self, n: int, *, bound: float) -> np.ndarray:
        """(n,) float32 in [−bound, bound), as ``Tensor.uniform_`` fills it."""
        shares = (self.words(n) & np.uint32((1 << 24) - 1)) / (1 << 24)
        low, width = np.float32(-bound), np.float32(bound) - np.float32(-bound)
        # torch multiplies and adds with a single rounding
        return (shares * np.float64(width) + np.float64(low)).astype(np.float32)


def linear_weights(generator: TorchGenerator, n_inputs: int, n_outputs: int) -> np.ndarray:
    """(n_outputs, n_inputs) float32: initial weights of ``torch.nn.Linear``, uniform in ±1/√inputs."""
    # Kaiming's bound with a = √5, in the steps in which torch rounds it
    slope = math.sqrt(5)
    bound = math.sqrt(3) * (math.sqrt(2 / (1 + slope**2)) / math.sqrt(n_inputs))
    return generator.uniform(n_outputs * n_inputs, bound=bound).reshape(n_outputs, n_inputs)


def logistic_parameters(n_features: int, n_outputs: int, *, seed: int) -> np.ndarray:
    """(outputs · (D + 1),) float32: torch's initial weights of a linear layer, its bias set to 0."""
    weights = linear_weights(TorchGenerator(seed), n_features, n_outputs)
    return np.pad(weights, ((0, 0), (0, 1))).ravel()


def mlp_parameters(n_features: int, n_outputs: int, *, hidden: int, seed: int) -> np.ndarray:
    """(P,) float32: torch's initial weights of the layers in their order, the last bias set to 0.

    Hidden weights, scale and shift of the batch norm, output weights, output bias.
    """
    generator = TorchGenerator(seed)
    first = linear_weights(generator, n_features, hidden)
    last = linear_weights(generator, hidden, n_outputs)
    ones, zeros = np.ones(hidden, np.float32), np.zeros(hidden, np.float32)
    return np.concatenate([first.ravel(), ones, zeros, last.ravel(), np.zeros(n_outputs, np.float32)])


class EpochOrders:
    """The orders in which a torch ``DataLoader`` visits the rows, epoch by epoch.

    `seed`: of the one generator that all trainings of a fold share, in their order. `n_rows`: rows of the training
    part.
    """

    def __init__(self, *, seed: int, n_rows: int) -> None:
        self._generator = TorchGenerator(seed)
        self._n_rows = n_rows

    def next(self, epochs: int) -> np.ndarray:
        """(epochs, n_rows) int64: the orders of the next epochs."""
        n = self._n_rows
        # Before each epoch the loader draws a base seed of two words for worker processes, and after it its sampler
        # draws one more permutation that nobody uses: both shift every later order.
        words = self._generator.words(epochs, 2 + 2 * (n - 1))[:, 2 : n + 1]
        orders = np.empty((epochs, n), np.int64)
        shuffle(words, orders)
        return orders
