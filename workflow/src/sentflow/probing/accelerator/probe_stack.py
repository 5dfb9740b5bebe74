"""What stacks of probes have in common: F folds × S probes, those of the first fold first."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch

from sentflow.probing.accelerator.tensor_batches import Scaling, TrainingRows


class ProbeStack(ABC):
    """P = F · S probes that are trained side by side; those of one fold start from the same weights.

    Parameters
    ----------
    features
        (n, D) float32 training rows: standardised, or as they are if there is a scaling.
    labels
        (n,) int64.
    initial
        (Q,) float32 parameters of a probe, or (F, Q).
    shapes
        Of a probe's layers in the order of the parameters.
    size
        S.
    scaling
        Of F folds that share the features.

    Attributes
    ----------
    parameters, gradient
        (P, Q) float32.
    """

    def __init__(
        self,
        features: torch.Tensor,
        labels: torch.Tensor,
        initial: torch.Tensor,
        *,
        shapes: Sequence[tuple[int, int]],
        size: int,
        scaling: Scaling | None = None,
    ) -> None:
        self._rows = TrainingRows(features, labels, size=size, scaling=scaling)
        self._shapes, self._size = shapes, size
        self._bind(initial.reshape(-1, initial.shape[-1]).repeat_interleave(size, dim=0))

    @abstractmethod
    def compute_gradient(self, rows: torch.Tensor) -> torch.Tensor:
        """Fill `gradient` from a batch per probe.

        Parameters
        ----------
        rows
            (p, B) int64 row numbers of the first p probes, which are those of whole folds.

        Returns
        -------
        torch.Tensor
            (p,) float64 mean loss of each batch before the step.
        """

    @abstractmethod
    def logits(
        self, features: torch.Tensor, offset: torch.Tensor | None = None, *, folds: torch.Tensor | None = None
    ) -> torch.Tensor:
        """(P, m, outputs) logits of standardised features.

        Parameters
        ----------
        features
            (m, D), or (F, m, D) with the rows of each fold.
        offset
            (P, m, units) that is added to the first layer.
        folds
            (k,) int64: these folds alone; F and P are then theirs.
        """

    def keep(self, folds: torch.Tensor) -> None:
        """Go on with some folds, given their (k,) int64 numbers; `parameters` and `gradient` are new tensors."""
        self._rows.keep(folds)
        self._bind(self._of_folds(self.parameters, folds))

    def _bind(self, parameters: torch.Tensor) -> None:
        self.parameters, self.gradient = parameters, torch.zeros_like(parameters)
        self._layers, self._layer_gradients = self._split(self.parameters), self._split(self.gradient)

    def _of_folds(self, values: torch.Tensor, folds: torch.Tensor | None) -> torch.Tensor:
        """Of (P, …) values those of some folds, or of all."""
        return values if folds is None else torch.unflatten(values, 0, (-1, self._size))[folds].flatten(0, 1)

    def _first_layer(self, features: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        """(P, m, units) of (m, D) or (F, m, D) features and (P, units, D) weights: one product per fold."""
        features = features.reshape(-1, *features.shape[-2:])
        n_folds, n_rows, width = features.shape
        together = weights.reshape(n_folds, -1, width)
        units = torch.bmm(features, together.transpose(1, 2)).view(n_folds, n_rows, self._size, -1)
        return units.transpose(1, 2).reshape(len(weights), n_rows, -1)

    def _split(self, flat: torch.Tensor) -> list[torch.Tensor]:
        pieces = torch.split_with_sizes(flat, [rows * columns for rows, columns in self._shapes], dim=1)
        return [torch.unflatten(piece, 1, shape) for piece, shape in zip(pieces, self._shapes, strict=True)]
