"""Features that are on a device once: every fold standardises the rows it takes, every probe takes its own batches."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

_SMALLEST = 1e-12  # what is added to a standard deviation, as published
_ROWS_AT_ONCE = 4096


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


class ResidentFeatures:
    """The rows of a task on a device.

    Parameters
    ----------
    features
        (n, D) float32, not standardised.
    labels
        (n,) int64.
    ones
        Append the column of ones that carries a logistic probe's bias.
    unscaled_constant
        See `standardised`.
    device
        Torch device.

    Attributes
    ----------
    features, labels
        (n, D) or (n, D + 1), and (n,), on the device.
    dimension
        D.
    """

    def __init__(
        self, features: np.ndarray, labels: np.ndarray, *, ones: bool, unscaled_constant: bool, device: str
    ) -> None:
        n, self.dimension = features.shape
        self.features = torch.ones(n, self.dimension + ones, device=device)
        for start in range(0, n, _ROWS_AT_ONCE):  # copies, for a matrix may be mapped and read-only
            block = torch.from_numpy(np.array(features[start : start + _ROWS_AT_ONCE]))
            self.features[start : start + len(block), : self.dimension] = block
        self.labels = torch.tensor(labels, device=device)
        self._unscaled_constant = unscaled_constant
        self.device = device

    def scaling(self, parts: Sequence[np.ndarray]) -> Scaling:
        """How F folds standardise, from the (n,) int64 row numbers of their training parts.

        Notes
        -----
        As `standardised`: mean and unbiased standard deviation + 1e-12; a column of ones stays.
        """
        mean = self.features.new_zeros(len(parts), 1, self.features.shape[1])
        scale = torch.ones_like(mean)
        for k, rows in enumerate(parts):
            train = self.features[self.on_device(rows), : self.dimension]
            std, average = torch.std_mean(train, dim=0)
            std += _SMALLEST
            if self._unscaled_constant:
                constant = (train == train[0]).all(dim=0)
                average, std = torch.where(constant, train[0], average), std.masked_fill_(constant, 1)
            mean[k, 0, : self.dimension], scale[k, 0, : self.dimension] = average, std
        return Scaling(mean, scale)

    def part(self, parts: Sequence[np.ndarray], scaling: Scaling) -> torch.Tensor:
        """(F, m, D) standardised rows of F folds from their row numbers.

        m is that of the largest part; in others the first row fills the rest.
        """
        largest = max(len(rows) for rows in parts)
        table = np.stack([np.pad(rows, (0, largest - len(rows)), constant_values=rows[0]) for rows in parts])
        return scaling.apply_(self.features[self.on_device(table)])

    def on_device(self, rows: np.ndarray) -> torch.Tensor:
        """Row numbers as int64 on the device."""
        return torch.from_numpy(rows).to(self.device).long()


class TrainingRows:
    """Features and labels from which every probe of a stack takes its own batches.

    Parameters
    ----------
    features
        (n, D) float32, not standardised.
    labels
        (n,) int64.
    scaling
        Of F folds.
    size
        S, probes of each fold; those of the first fold come first.

    Attributes
    ----------
    width, size
        D and S.
    """

    def __init__(self, features: torch.Tensor, labels: torch.Tensor, scaling: Scaling, *, size: int) -> None:
        self.width = features.shape[1]
        self._features, self._labels = features, labels
        self.size, self._scaling = size, scaling
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
        self._scaling.apply_(batch.view(n_probes // self.size, self.size * n, self.width))
        return batch, self._labels[rows]

    def keep(self, folds: torch.Tensor) -> None:
        """Go on with some folds, given their (k,) int64 numbers."""
        self._buffer = torch.empty(0)
        self._scaling = self._scaling.of(folds)
