"""Batches and scores under the names of raphaelsty/sparsembed@ef2a0693, for loops that were written for it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from sentflow.errors import ConfigError, DataError
from sentflow.sparse.model import TermVectors, n_shared, pair_scores
from sentflow.sparse.weigher import check_count
from sentflow.training.draws import Draws

Batch = tuple[list[str], list[str], list[str] | torch.Tensor]
"""Anchors, positives and negatives; or queries, documents and (b,) float32 labels."""


def iter(  # noqa: A001  # published name
    X: Sequence[Sequence[Any]],  # noqa: N803  # published name
    device: str = "cpu",
    epochs: int = 1,
    batch_size: int = 32,
    shuffle: bool = True,
    seed: int = 0,
) -> Iterator[Batch]:
    """Rows in batches, every row once per epoch.

    `X`: rows of one form: (anchor, positive, negative), or (query, document, label) with a number for the label.
    `device`: of the labels. `batch_size`: the last one of an epoch has what is left. `shuffle`: each epoch has another
    order, by the seed, whatever was drawn elsewhere. Raises ConfigError: a number is smaller than 1. Raises DataError:
    there are no rows, or rows of neither form, or of both.
    """
    for name, value in (("epochs", epochs), ("batch_size", batch_size)):
        check_count(value, name)
    labelled = _labelled(X)
    for epoch in range(epochs):
        order = (
            Draws(seed, ("order", epoch)).generator().permutation(len(X)).tolist()
            if shuffle
            else range(len(X))
        )
        for start in range(0, len(X), batch_size):
            rows = (X[place] for place in order[start : start + batch_size])
            first, second, third = (list(column) for column in zip(*rows, strict=True))
            labels = torch.tensor(third, dtype=torch.float32, device=device) if labelled else third
            yield first, second, labels


def _labelled(rows: Sequence[Sequence[Any]]) -> bool:
    if not len(rows):
        raise DataError("there are no rows. Give (anchor, positive, negative) or (query, document, label).")
    third = str if all(isinstance(value, str) for value in rows[0]) else int | float
    for place, row in enumerate(rows):
        texts = not isinstance(row, str) and len(row) == 3 and all(isinstance(text, str) for text in row[:2])
        if not texts or not isinstance(row[2], third):
            raise DataError(
                f"row {place} is {row!r}. Write all rows as (anchor, positive, negative) or all as (query, document, "
                "label)."
            )
    return third is not str


def scores(
    queries_activations: torch.Tensor,
    queries_embeddings: torch.Tensor,
    documents_activations: torch.Tensor,
    documents_embeddings: torch.Tensor,
    func: Callable[..., torch.Tensor] = torch.mean,
) -> torch.Tensor:
    """(B,) scores of pairs by the terms that both texts have; 0 for a pair that shares no term.

    `queries_activations`, `documents_activations`: (B, k) ids, as `SparsEmbed` gives them. `queries_embeddings`,
    `documents_embeddings`: (B, k, E). `func`: `torch.sum` is the score of the paper and of search; `torch.mean` divides
    it by E times the number of shared terms, as the replication does in training. Raises ConfigError: it is neither.
    """
    queries = TermVectors(queries_activations, queries_embeddings)
    documents = TermVectors(documents_activations, documents_embeddings)
    sums = pair_scores(queries, documents)
    if func is torch.sum:
        return sums
    if func is torch.mean:
        n_products = n_shared(queries, documents) * queries_embeddings.shape[-1]
        return sums / n_products.clamp(min=1)
    raise ConfigError(f"func is {func!r}. Write torch.sum or torch.mean.")
