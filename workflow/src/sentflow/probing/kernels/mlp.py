"""Training of one MLP probe on a processor: two matrix products per step, and as little as possible beside them."""

from typing import Any

import numpy as np

from sentflow.probing.kernels.columns import Problem
from sentflow.probing.kernels.first_layers import DenseFirstLayer, FirstLayer, SparseFirstLayer
from sentflow.probing.kernels.loops.mlp import EPSILON, forward_and_back
from sentflow.probing.kernels.losses import mean_losses
from sentflow.probing.kernels.schedule import Schedule


class MlpTraining:
    """Linear → batch norm → ReLU → linear.

    Parameters
    ----------
    problem
        (n, D) training features, dense or sparse, and initial parameters from `mlp_parameters`.
    labels
        (n,) int64.
    schedule
        Of one probe.
    n_outputs
        1 for two classes, else the number of classes.
    hidden
        H, units of the hidden layer.
    """

    def __init__(
        self, problem: Problem[Any], labels: np.ndarray, schedule: Schedule, *, n_outputs: int, hidden: int
    ) -> None:
        self._labels, self._schedule = labels, schedule
        self._first_layer: FirstLayer = (
            DenseFirstLayer(problem.train, hidden=hidden)
            if isinstance(problem.train, np.ndarray)
            else SparseFirstLayer(problem.train, hidden=hidden)
        )
        parameters = self._first_layer.in_order(problem.initial)
        gradient = np.zeros_like(parameters)
        n_first = hidden * problem.train.shape[1]
        self._layers, self._layer_gradients = (
            _split(values[n_first:], hidden, n_outputs) for values in (parameters, gradient)
        )
        self._running_mean, self._running_variance = np.zeros(hidden, np.float32), np.ones(hidden, np.float32)
        self._optimiser = self._first_layer.optimiser(parameters, gradient, schedule, problem.multiplicity)
        self._steps = 0
        self._epochs: list[tuple[np.ndarray, np.ndarray]] = []  # logits and labels

    def epoch(self, rows: np.ndarray) -> None:
        """Train on every batch of (1, batches, B) int64 row numbers."""
        [batches] = rows
        n_batches, n = batches.shape
        labels = self._labels[batches]
        logits = np.empty((n_batches, len(self._layers[-1]), n), np.float32)
        hidden = np.empty((len(self._running_mean), n), np.float32)
        scale, shift, weights, bias = self._layers
        g_scale, g_shift, g_weights, g_bias = self._layer_gradients
        for step, batch in enumerate(batches):
            self._first_layer.forward(batch, hidden)
            forward_and_back(
                hidden,
                labels[step],
                scale,
                shift,
                weights,
                bias,
                g_scale,
                g_shift,
                g_weights,
                g_bias,
                self._running_mean,
                self._running_variance,
                logits[step],
            )
            self._first_layer.backward(hidden)
            self._optimiser.step()
        self._epochs.append((logits.transpose(0, 2, 1), labels))
        self._steps += n_batches

    def losses(self) -> np.ndarray:
        """(1, epochs, batches) float64 mean losses of all batches so far, each before its step."""
        logits, labels = (np.concatenate(values) for values in zip(*self._epochs, strict=True))
        return mean_losses(logits, labels).reshape(1, len(self._epochs), -1)

    def logits(self, features: Any, offset: np.ndarray | None = None) -> np.ndarray:
        """(1, m, outputs) for (m, D) features, with the running statistics.

        The decayed `offset` (m, H) is added to the hidden units before the batch norm.
        """
        scale, shift, weights, bias = self._layers
        values = self._first_layer.apply(features)
        if offset is not None:
            values += self._schedule.decay[self._steps].astype(np.float32) * offset.T
        values -= self._running_mean[:, None]
        values *= (scale / np.sqrt(self._running_variance + np.float32(EPSILON)))[:, None]
        values += shift[:, None]
        np.maximum(values, 0, out=values)
        logits: np.ndarray = (weights @ values).T + bias
        return logits[None]


def _split(flat: np.ndarray, hidden: int, n_outputs: int) -> tuple[np.ndarray, ...]:
    """Views: scale and shift of the batch norm, output weights, output bias."""
    sizes = [hidden, hidden, n_outputs * hidden, n_outputs]
    scale, shift, last, bias = np.split(flat, np.cumsum(sizes)[:-1])
    return scale, shift, last.reshape(n_outputs, hidden), bias
