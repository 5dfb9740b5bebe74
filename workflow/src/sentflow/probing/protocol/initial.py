"""Initial weights of a probe: torch's, drawn without torch, as one flat vector."""

import numpy as np

from sentflow.probing.protocol.torch_draws import TorchGenerator, linear_weights


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
