"""Training of probes on dense features or on sparse ones: the scalars of every step, logistic probes, an MLP probe.

Of an MLP the first layer alone sees the features; its hidden values are (H, B), a line per unit.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentflow.probing.features import Problem, ShiftedSparse
from sentflow.probing.loops import (
    EPSILON,
    NO_MULTIPLICITY,
    add_rows,
    clip_and_move,
    clip_and_move_columns,
    forward_and_back,
    multiply_rows,
    shuffle,
    train_epoch,
    train_sparse_epoch,
)
from sentflow.probing.settings import ProbeProtocol, Setting


def mean_losses(logits: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(S,) float64 mean cross-entropy of each of S sets of n rows, by (S, n, 1) or (S, n, K) float32 logits.

    Two classes: the sum runs in float64, because the published evaluator's binary labels are float64.
    """
    if logits.shape[-1] == 1:
        values = logits[..., 0]
        losses = np.logaddexp(np.float32(0), values) - labels.astype(np.float32) * values
    else:
        shifted = logits - logits.max(axis=-1, keepdims=True)
        own = np.take_along_axis(shifted, labels[..., None], axis=-1)[..., 0]
        losses = np.log(np.exp(shifted).sum(axis=-1)) - own
    return np.asarray(losses.mean(axis=1, dtype=np.float64))


def sigmoid(values: np.ndarray) -> np.ndarray:
    """1 / (1 + e^−z), elementwise."""
    with np.errstate(over="ignore"):  # e^−z is infinite where the result is 0
        result: np.ndarray = 1 / (1 + np.exp(-values))
    return result


def predicted_classes(logits: np.ndarray, *, as_probabilities: bool = True) -> np.ndarray:
    """(…, n) int64 from the logits (…, n, 1) or (…, n, K) of probes on a whole part.

    Two classes: torchmetrics takes logits for probabilities where all of a probe's lie in [0, 1], and the published
    numbers were made so; not `as_probabilities`: class 1 is logit > 0.
    """
    if logits.shape[-1] > 1:
        return np.asarray(logits.argmax(axis=-1))
    values = logits[..., 0]
    if not as_probabilities:
        return np.asarray(values > 0, dtype=np.int64)
    inside = (values.min(axis=-1, keepdims=True) >= 0) & (values.max(axis=-1, keepdims=True) <= 1)
    return np.asarray(np.where(inside, values, sigmoid(values)) > 0.5, dtype=np.int64)


def class_scores(logits: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """(n,) probabilities: of class 1 for two classes, of the predicted class for more."""
    if logits.shape[-1] == 1:
        return sigmoid(logits[:, 0])
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return np.asarray(np.take_along_axis(shares, predicted[:, None], axis=-1)[:, 0])


@dataclass(frozen=True)
class Schedule:
    """What AdamW (Loshchilov and Hutter 2019, algorithm 2) multiplies by at each step of S probes."""

    # scalars: (steps, S, 5) float32: factor of the weights, epsilon, minus the rate, both less 1 − β; β₁, β₂
    scalars: np.ndarray
    # decay: (steps + 1, S, 1) float64: what weight decay alone has left of a weight before this step
    decay: np.ndarray
    max_norm: np.float32  # of clipping


def adamw_schedule(
    settings: Sequence[Setting], protocol: ProbeProtocol, *, n_steps: int, warmup_steps: int
) -> Schedule:
    """The schedule of S probes with a setting each, for at most `n_steps`.

    `warmup_steps`: until the learning rate reaches its full value; 0 keeps it at `warmup_start` for ever, as the
    published evaluator does for training parts below 512 rows.
    """
    learning_rate, beta1, beta2 = (np.array(values)[:, None] for values in zip(*settings, strict=True))
    steps = np.arange(1, n_steps + 1)[:, None, None]
    factors = warmup_factors(n_steps, warmup_steps=warmup_steps, start=protocol.warmup_start)
    rates = learning_rate * factors[:, None, None]
    keep = 1 - rates * protocol.weight_decay
    root = np.sqrt(1 - beta2**steps) / np.sqrt(1 - beta2)
    minus_rate = -rates / (1 - beta1**steps) * (1 - beta1) * root
    scalars = np.broadcast_arrays(keep, protocol.epsilon * root, minus_rate, beta1, beta2)
    return Schedule(
        scalars=np.concatenate(scalars, axis=-1).astype(np.float32),
        decay=np.concatenate([np.ones_like(keep[:1]), keep.cumprod(axis=0)]),
        max_norm=np.float32(protocol.max_gradient_norm),
    )


def warmup_factors(n_steps: int, *, warmup_steps: int, start: float) -> np.ndarray:
    """(n_steps,) factor of the learning rate at each step, `start` to 1 after `warmup_steps`."""
    if warmup_steps == 0:
        return np.full(n_steps, start)
    progress = np.minimum(np.arange(n_steps) / warmup_steps, 1)
    return start + (1 - start) * progress


class LogisticTraining:
    """S linear probes with the same initial weights; each visits its own batches.

    `problem`: training features with the column of ones. `labels`: (n,) int64. `n_outputs`: 1 for two classes, else K.
    """

    def __init__(self, problem: Problem, labels: np.ndarray, schedule: Schedule, *, n_outputs: int) -> None:
        self._features: tuple[np.ndarray, ...]
        if isinstance(problem.train, np.ndarray):
            self._features, self._train = (problem.train,), train_epoch
        else:
            self._features, self._train = (*problem.train.entries(), problem.train.shift), train_sparse_epoch
        self._labels, self._schedule = labels, schedule
        n_probes = schedule.scalars.shape[1]
        self._weights = np.tile(problem.initial, (n_probes, 1)).reshape(n_probes, n_outputs, -1)
        self._first, self._second = np.zeros_like(self._weights), np.zeros_like(self._weights)
        self._multiplicity = (
            NO_MULTIPLICITY
            if problem.multiplicity is None
            else problem.multiplicity.reshape(self._weights.shape[1:])
        )
        self._steps = 0
        self._epochs: list[tuple[np.ndarray, np.ndarray]] = []  # logits and rows
        self._run: Callable[[], Any] | None = None

    def epoch(self, rows: np.ndarray) -> None:
        """Train on every batch of (S, batches, B) int64 row numbers."""
        n_batches = rows.shape[1]
        self._run = run = self._run or self._bind(*rows.shape)
        self._rows[:] = rows
        self._scalars[:] = self._schedule.scalars[self._steps : self._steps + n_batches]
        run()
        self._epochs.append((self._logits.copy(), rows))
        self._steps += n_batches

    def _bind(self, size: int, n_batches: int, n: int) -> Callable[[], Any]:
        """What epochs of this shape work with."""
        n_outputs = self._weights.shape[1]
        self._rows = np.empty((size, n_batches, n), np.int64)
        self._scalars = np.empty((n_batches, size, 5), np.float32)
        self._logits = np.empty((size, n_batches, n_outputs, n), np.float32)
        state = self._weights, self._first, self._second, self._scalars
        limits = self._schedule.max_norm, self._multiplicity
        scratch = np.empty_like(self._weights[0]), np.empty((n_outputs, n), np.float32)
        return self._train.bound(
            *self._features, self._labels, self._rows, *state, *limits, *scratch, self._logits
        )

    def losses(self) -> np.ndarray:
        """(S, epochs, batches) float64 mean losses of all batches so far, each before its step."""
        logits, rows = (np.stack(values, axis=1) for values in zip(*self._epochs, strict=True))
        n_outputs, n = logits.shape[-2:]
        by_batch = logits.reshape(-1, n_outputs, n).transpose(0, 2, 1)
        return mean_losses(by_batch, self._labels[rows].reshape(-1, n)).reshape(rows.shape[:-1])

    def logits(self, features: Any, offset: np.ndarray | None = None) -> np.ndarray:
        """(S, m, outputs) for (m, D + 1) features, plus the decayed `offset` (m, outputs)."""
        size, n_outputs, width = self._weights.shape
        together = features @ self._weights.reshape(-1, width).T
        logits: np.ndarray = together.reshape(-1, size, n_outputs).swapaxes(0, 1)
        if offset is not None:
            logits = logits + self._schedule.decay[self._steps, :, :, None].astype(np.float32) * offset
        return logits


class MlpTraining:
    """Linear → batch norm → ReLU → linear.

    `problem`: (n, D) training features, and initial parameters from `mlp_parameters`. `labels`: (n,) int64. `schedule`:
    of one probe. `n_outputs`: 1 for two classes, else K. `hidden`: H units.
    """

    def __init__(
        self, problem: Problem, labels: np.ndarray, schedule: Schedule, *, n_outputs: int, hidden: int
    ) -> None:
        self._labels, self._schedule = labels, schedule
        layer = _DenseLayer if isinstance(problem.train, np.ndarray) else _SparseLayer
        self._first_layer: _DenseLayer | _SparseLayer = layer(problem, hidden, schedule.max_norm)
        n_first = hidden * problem.train.shape[1]
        self._layers, self._layer_gradients = (
            _split(values[n_first:], hidden, n_outputs)
            for values in (self._first_layer.parameters, self._first_layer.gradient)
        )
        self._running_mean, self._running_variance = np.zeros(hidden, np.float32), np.ones(hidden, np.float32)
        self._steps = 0
        self._epochs: list[tuple[np.ndarray, np.ndarray]] = []  # logits and labels
        self._run: Callable[[], Any] | None = None

    def epoch(self, rows: np.ndarray) -> None:
        """Train on every batch of (1, batches, B) int64 row numbers."""
        [batches] = rows
        n_batches, n = batches.shape
        self._run = run = self._run or self._bind(n)
        labels = self._labels[batches]
        logits = np.empty((n_batches, *self._logits.shape), np.float32)
        for step, batch in enumerate(batches):
            self._first_layer.forward(batch)
            self._batch_labels[:] = labels[step]
            run()
            logits[step] = self._logits
            self._first_layer.backward()
            self._first_layer.step(self._schedule.scalars[self._steps + step, 0])
        self._epochs.append((logits.transpose(0, 2, 1), labels))
        self._steps += n_batches

    def _bind(self, n: int) -> Callable[[], Any]:
        """What batches of n rows work with."""
        n_hidden, n_outputs = len(self._running_mean), len(self._layers[-1])
        hidden, self._batch_labels = np.empty((n_hidden, n), np.float32), np.empty(n, np.int64)
        self._logits = np.empty((n_outputs, n), np.float32)
        scratch = np.empty_like(hidden), np.empty(n_hidden, np.float32), np.empty_like(self._logits)
        running = self._running_mean, self._running_variance
        layers = *self._layers, *self._layer_gradients, *running
        self._first_layer.bind(hidden)
        return forward_and_back.bound(hidden, self._batch_labels, *layers, *scratch, self._logits)

    def losses(self) -> np.ndarray:
        """(1, epochs, batches) float64 mean losses of all batches so far, each before its step."""
        logits, labels = (np.concatenate(values) for values in zip(*self._epochs, strict=True))
        return mean_losses(logits, labels).reshape(1, len(self._epochs), -1)

    def logits(self, features: Any, offset: np.ndarray | None = None) -> np.ndarray:
        """(1, m, outputs) for (m, D) features; the decayed (m, H) `offset` is added before the batch norm."""
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


class _DenseLayer:
    """Weights (H, D) on (n, D) float32 features, with the state of AdamW of all parameters of the probe."""

    def __init__(self, problem: Problem, hidden: int, max_norm: np.float32) -> None:
        self._features = problem.train
        self._shape = (hidden, problem.train.shape[1])
        self.parameters = problem.initial.copy()
        self.gradient, self._scalars = np.zeros_like(self.parameters), np.empty(5, np.float32)
        self._weights, self._weight_gradient = (
            _first(values, self._shape) for values in (self.parameters, self.gradient)
        )
        moments = np.zeros_like(self.parameters)[None], np.zeros_like(self.parameters)[None]
        multiplicity = NO_MULTIPLICITY if problem.multiplicity is None else problem.multiplicity[None]
        values = self.parameters[None], self.gradient[None], *moments
        self._move = clip_and_move.bound(*values, multiplicity, max_norm, self._scalars)

    def bind(self, hidden: np.ndarray) -> None:
        """Take (H, B) float32 to work in: the hidden units of a batch, then the derivative by them."""
        self._hidden = hidden
        self._batch = np.empty((hidden.shape[1], self._shape[1]), np.float32)

    def forward(self, rows: np.ndarray) -> None:
        """Write the hidden units of the training rows (B,) int64."""
        # "clip" never clips here, but spares the copy that "raise" makes to be able to go back
        self._features.take(rows, axis=0, out=self._batch, mode="clip")
        np.dot(self._weights, self._batch.T, out=self._hidden)

    def backward(self) -> None:
        """Fill the gradient from the derivative by the hidden units of the last `forward`."""
        np.dot(self._hidden, self._batch, out=self._weight_gradient)

    def step(self, scalars: np.ndarray) -> None:
        """Clip the gradient and move all parameters in place."""
        self._scalars[:] = scalars
        self._move()

    def apply(self, features: np.ndarray) -> np.ndarray:
        """(H, m) hidden units of another part."""
        return np.asarray((features @ self._weights.T).T)


class _SparseLayer:
    """Weights (D, H) and products that cost what the entries of the features cost; methods as of `_DenseLayer`."""

    def __init__(self, problem: Problem, hidden: int, max_norm: np.float32) -> None:
        self._entries, shift = problem.train.entries(), problem.train.shift
        width = problem.train.shape[1]
        n_first = width * hidden
        self.parameters = np.concatenate(
            [_first(problem.initial, (hidden, width)).T.ravel(), problem.initial[n_first:]]
        )
        self.gradient = np.zeros_like(self.parameters)
        moments = np.zeros_like(self.parameters), np.zeros_like(self.parameters)
        arrays = (self.parameters, self.gradient, *moments)
        columns = [_first(values, (width, hidden)) for values in arrays]
        self._weights, self._weight_gradient = columns[:2]
        self._level = shift @ self._weights  # (H,)
        self._met = np.zeros(width, bool)  # the columns whose gradient is not 0
        multiplicity = (
            np.ones(width, np.float32)
            if problem.multiplicity is None
            else problem.multiplicity[:width].copy()
        )
        self._scalars = np.empty(5, np.float32)
        others = [values[None, n_first:] for values in arrays]
        levels = shift, self._level, np.zeros(hidden, np.float32)
        values = *columns, self._met, multiplicity, *others, *levels, max_norm, self._scalars
        self._move = clip_and_move_columns.bound(*values)

    def bind(self, hidden: np.ndarray) -> None:
        self._rows = np.empty(hidden.shape[1], np.int64)
        scratch = np.empty(len(hidden), np.float32)
        known = *self._entries, self._rows
        self._multiply = multiply_rows.bound(*known, self._weights, self._level, scratch, hidden)
        # The shift adds nothing: batch normalisation makes the derivatives of a batch sum to 0.
        self._add = add_rows.bound(*known, hidden, scratch, self._weight_gradient, self._met)

    def forward(self, rows: np.ndarray) -> None:
        self._rows[:] = rows
        self._multiply()

    def backward(self) -> None:
        self._add()

    def step(self, scalars: np.ndarray) -> None:
        self._scalars[:] = scalars
        self._move()

    def apply(self, features: ShiftedSparse) -> np.ndarray:
        return (features @ self._weights).T


def _first(values: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """A view of the first of (P,) values."""
    return values[: shape[0] * shape[1]].reshape(shape)


def _split(flat: np.ndarray, hidden: int, n_outputs: int) -> tuple[np.ndarray, ...]:
    """Views: scale and shift of the batch norm, output weights, output bias."""
    sizes = [hidden, hidden, n_outputs * hidden, n_outputs]
    scale, shift, last, bias = np.split(flat, np.cumsum(sizes)[:-1])
    return scale, shift, last.reshape(n_outputs, hidden), bias


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
    """(P,) float32: torch's initial hidden weights, scale and shift of the batch norm, output weights, and bias 0."""
    generator = TorchGenerator(seed)
    first = linear_weights(generator, n_features, hidden)
    last = linear_weights(generator, hidden, n_outputs)
    ones, zeros = np.ones(hidden, np.float32), np.zeros(hidden, np.float32)
    return np.concatenate([first.ravel(), ones, zeros, last.ravel(), np.zeros(n_outputs, np.float32)])


def epoch_orders(generator: TorchGenerator, n_rows: int, epochs: int) -> np.ndarray:
    """(epochs, n_rows) int64: the orders in which a torch ``DataLoader`` visits rows, epoch by epoch.

    `generator`: the one that all trainings of a fold share, in their order.
    """
    # Before each epoch the loader draws a base seed of two words for worker processes, and after it its sampler
    # draws one more permutation that nobody uses: both shift every later order.
    words = generator.words(epochs, 2 + 2 * (n_rows - 1))[:, 2 : n_rows + 1]
    orders = np.empty((epochs, n_rows), np.int64)
    shuffle(words, orders)
    return orders
