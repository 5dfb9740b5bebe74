"""AdamW with gradient clipping for one probe of many parameters."""

import numpy as np

from sentflow.probing.kernels.loops.adamw import NO_MULTIPLICITY
from sentflow.probing.kernels.loops.mlp import clip_and_move
from sentflow.probing.kernels.schedule import Schedule


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
        self._max_norm = np.float32(schedule.max_norm)
        self._scalars = iter(schedule.scalars()[:, 0])

    def step(self) -> None:
        """Clip the gradient to the largest norm and move the parameters."""
        clip_and_move(
            self._parameters,
            self._gradient,
            self._first,
            self._second,
            self._multiplicity,
            self._max_norm,
            next(self._scalars),
        )
