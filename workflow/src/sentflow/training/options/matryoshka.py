"""Matryoshka: the first numbers of a vector are trained to be a vector of their own.

Kusupati et al. 2022 (arXiv 2205.13147).
"""

from collections.abc import Sequence
from typing import Any

import torch
from sentence_transformers import SentenceTransformer

from sentflow.errors import ConfigError
from sentflow.training.contract import Objective, Row
from sentflow.training.draws import Draws
from sentflow.training.settings import Matryoshka


def extended(kind: type[Objective], settings: Matryoshka) -> type[Objective]:
    """An objective whose loss is the weighted sum of its losses of truncated vectors, but for frozen views."""
    weighted = tuple(zip(settings.dimensions, _weights(settings), strict=True))

    class WithMatryoshka(kind):  # type: ignore[misc, valid-type]
        def loss(self, views: Sequence[Any], rows: Sequence[Row]) -> torch.Tensor:
            of_whole = super().loss

            def of_first(dimension: int) -> torch.Tensor:
                first = [
                    each if view in self.frozen_views else truncated(each, dimension)
                    for view, each in enumerate(views)
                ]
                found: torch.Tensor = of_whole(first, rows)
                return found

            return torch.stack([weight * of_first(dimension) for dimension, weight in weighted]).sum()

    return WithMatryoshka


def truncated(vectors: torch.Tensor, dimension: int) -> torch.Tensor:
    """Vectors with zeros after their first numbers, as long (in norm) as before, so that full width changes nothing."""
    first = torch.nn.functional.pad(vectors[:, :dimension], (0, vectors.shape[1] - dimension))
    found: torch.Tensor = torch.nn.functional.normalize(first, dim=1) * vectors.norm(dim=1, keepdim=True)
    return found


def prepare(encoder: SentenceTransformer, settings: Matryoshka, draws: Draws) -> None:  # noqa: ARG001
    """Refuse dimensions that the vectors of an encoder do not have."""
    width, dimensions = encoder.get_embedding_dimension(), settings.dimensions
    if max(dimensions) > width:
        raise ConfigError(
            f"training.matryoshka.dimensions: {max(dimensions)} is more than the {width} numbers of the encoder's "
            f"vectors. Write at most {width}."
        )
    if len(_weights(settings)) != len(dimensions):
        raise ConfigError(
            f"training.matryoshka.weights: there are {len(dimensions)} dimensions and {len(_weights(settings))} "
            "weights. Write one for each dimension, or leave weights out."
        )


def _weights(settings: Matryoshka) -> Sequence[float]:
    return settings.weights or [1.0] * len(settings.dimensions)
