"""Recall at every cut of a run, from the ranks of the relevant documents alone."""

from collections.abc import Sequence

import numpy as np

_PER_DECADE = 16


def cutoffs(depth: int) -> list[int]:
    """Where a curve of recall is computed: 1 to `depth`, about evenly on a logarithmic axis, both ends included."""
    n = int(np.ceil(_PER_DECADE * np.log10(depth))) + 1 if depth > 1 else 1
    return sorted({*np.rint(np.geomspace(1, depth, n)).astype(int).tolist()})


def recall_at(ranks: Sequence[np.ndarray], n_relevant: np.ndarray, cuts: Sequence[int]) -> np.ndarray:
    """Recall of each question at each cut.

    Parameters
    ----------
    ranks
        n arrays of ascending ranks, from 1, at which relevant documents were found.
    n_relevant
        (n,) relevant documents, each at least 1.
    cuts
        k numbers of documents, at least 1.

    Returns
    -------
    np.ndarray
        (n, k) float64 in [0, 1]: as ir-measures' ``R@k``.
    """
    found = np.stack([np.searchsorted(own, cuts, side="right") for own in ranks])
    shares: np.ndarray = found / n_relevant[:, None]
    return shares
