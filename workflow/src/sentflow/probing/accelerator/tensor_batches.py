"""Batches of training rows on a device, gathered by row number for several probes at once."""

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Scaling:
    """How F folds standardise features that they share: (x − mean) / scale.

    Attributes
    ----------
    mean, scale
        (F, 1, D) float32 on the device of the features.
    """

    mean: torch.Tensor
    scale: torch.Tensor

    def apply_(self, features: torch.Tensor) -> torch.Tensor:
        """Standardise (k, m, D) features of the first k folds in place."""
        k = len(features)
        return features.sub_(self.mean[:k]).div_(self.scale[:k])

    def of(self, folds: torch.Tensor) -> "Scaling":
        """The scaling of some folds, given their (k,) int64 numbers."""
        return Scaling(self.mean[folds], self.scale[folds])


class TrainingRows:
    """Features and labels from which every probe of a stack takes its own batches.

    Parameters
    ----------
    features
        (n, D) float32: standardised, or as they are if there is a scaling.
    labels
        (n,) int64.
    size
        S, probes of each fold; those of the first fold come first.
    scaling
        Of F folds.
    """

    def __init__(
        self, features: torch.Tensor, labels: torch.Tensor, *, size: int, scaling: Scaling | None = None
    ) -> None:
        self.width = features.shape[1]
        self._features, self._labels = features, labels
        self._size, self._scaling = size, scaling
        self._buffer = torch.empty(0)

    def batch(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The (P, B, D) features, valid until the next call, and (P, B) labels of (P, B) int64 row numbers.

        Row p belongs to probe p; P is a multiple of S, and less than all probes where the last folds have no batch.
        """
        n_probes, n = rows.shape
        if len(self._buffer) < n_probes or self._buffer.shape[1] != n:
            self._buffer = self._features.new_empty(n_probes, n, self.width)
        batch = self._buffer[:n_probes]
        torch.index_select(self._features, 0, rows.reshape(-1), out=batch.view(n_probes * n, self.width))
        if self._scaling is not None:
            self._scaling.apply_(batch.view(n_probes // self._size, self._size * n, self.width))
        return batch, self._labels[rows]

    def keep(self, folds: torch.Tensor) -> None:
        """Go on with some folds, given their (k,) int64 numbers."""
        self._buffer = torch.empty(0)
        if self._scaling is not None:
            self._scaling = self._scaling.of(folds)
