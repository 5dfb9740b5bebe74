"""AdamW with gradient clipping for one probe of many parameters."""

from typing import Protocol

import numpy as np

from sentflow.probing.kernels.loops.adamw import NO_MULTIPLICITY
from sentflow.probing.kernels.loops.mlp import clip_and_move
from sentflow.probing.kernels.loops.sparse_layer import clip_and_move_columns
from sentflow.probing.kernels.schedule import Schedule


class Optimiser(Protocol):
    """What moves the parameters of one probe."""

    def step(self) -> None:
        """Clip the gradient to the largest norm and move the parameters in place."""


class AdamW:
    """The state of AdamW of one probe.

    Parameters
    ----------
    parameters, gradient
        (P,) float32; `step` changes the parameters in place, and the gradient where there are multiplicities.
    schedule
        Of one probe.
    multiplicity
        (P,) float32: how many equal weights each parameter stands for; its gradient is the sum of theirs. None
        where every parameter is one weight.
    """

    def __init__(
        self,
        parameters: np.ndarray,
        gradient: np.ndarray,
        schedule: Schedule,
        *,
        multiplicity: np.ndarray | None = None,
    ) -> None:
        self._parameters, self._gradient = parameters[None], gradient[None]
        self._first, self._second = np.zeros_like(self._parameters), np.zeros_like(self._parameters)
        self._multiplicity = NO_MULTIPLICITY if multiplicity is None else multiplicity[None]
        self._max_norm = schedule.max_norm
        self._scalars = iter(schedule.scalars[:, 0])

    def step(self) -> None:
        clip_and_move(
            self._parameters,
            self._gradient,
            self._first,
            self._second,
            self._multiplicity,
            self._max_norm,
            next(self._scalars),
        )


class AdamWOfColumns:
    """The state of AdamW of an MLP probe whose first layer meets few of its columns in a batch.

    Parameters
    ----------
    parameters, gradient, schedule
        As of `AdamW`. The parameters begin with the weights (D, H).
    shape
        D and H.
    shift
        (D,) float32 by which each column of the features is lowered.
    multiplicity
        (D,) float32: how many equal weights each weight of a column stands for.

    Attributes
    ----------
    weights, gradient
        (D, H) float32, of the first layer.
    met
        (D,) bool: the columns whose gradient is filled before a step; of the others it is 0.
    level
        (H,) float32: the product of the shift and the weights.
    """

    def __init__(
        self,
        parameters: np.ndarray,
        gradient: np.ndarray,
        schedule: Schedule,
        *,
        shape: tuple[int, int],
        shift: np.ndarray,
        multiplicity: np.ndarray,
    ) -> None:
        n_first = shape[0] * shape[1]
        arrays = (parameters, gradient, np.zeros_like(parameters), np.zeros_like(parameters))
        self._columns = [values[:n_first].reshape(shape) for values in arrays]
        self._others = [values[None, n_first:] for values in arrays]
        self.weights, self.gradient = self._columns[:2]
        self.met, self._multiplicity = np.zeros(shape[0], bool), multiplicity
        self._shift, self.level = shift, shift @ self.weights
        self._max_norm = schedule.max_norm
        self._scalars = iter(schedule.scalars[:, 0])

    def step(self) -> None:
        weights, gradient, first, second = self._columns
        others, others_gradient, others_first, others_second = self._others
        clip_and_move_columns(
            weights,
            gradient,
            first,
            second,
            self.met,
            self._multiplicity,
            others,
            others_gradient,
            others_first,
            others_second,
            self._shift,
            self.level,
            self._max_norm,
            next(self._scalars),
        )
