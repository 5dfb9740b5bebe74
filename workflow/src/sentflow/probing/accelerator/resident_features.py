"""Features that lie on a device once, while every fold standardises the rows it takes from them."""

from collections.abc import Sequence

import numpy as np
import torch

from sentflow.probing.accelerator.tensor_batches import Scaling

_SMALLEST = 1e-12  # what is added to a standard deviation, as published
_ROWS_AT_ONCE = 4096


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
        Of torch.

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
        As `standardised` with `torch_rounding`: mean and unbiased standard deviation + 1e-12; a column of ones stays.
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
