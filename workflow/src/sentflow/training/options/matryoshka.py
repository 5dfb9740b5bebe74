"""Matryoshka: the first numbers of a vector are trained to be a vector of their own.

Kusupati et al. 2022 (arXiv 2205.13147).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from sentence_transformers import SentenceTransformer

from sentflow.errors import ConfigError
from sentflow.training.contract import Objective, Row
from sentflow.training.draws import Draws
from sentflow.training.options.contract import Wrapped


class Matryoshka(Wrapped):
    """The weighted sum of an objective's loss over truncated vectors.

    Vectors that do not depend on what is trained are not truncated: they are what a recipe aims at.

    Parameters
    ----------
    dimensions, weights
        How many numbers are left, and what the loss of each is multiplied by.
    """

    def __init__(self, inner: Objective, dimensions: Sequence[int], weights: Sequence[float]) -> None:
        super().__init__(inner)
        self._parts = tuple(zip(dimensions, weights, strict=True))

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:
        """See `Objective`."""
        losses = [
            weight
            * self.inner.loss(
                [
                    each if view in self.frozen_views else truncated(each, dimension)
                    for view, each in enumerate(views)
                ],
                rows,
            )
            for dimension, weight in self._parts
        ]
        return torch.stack(losses).sum()


def truncated(vectors: torch.Tensor, dimension: int) -> torch.Tensor:
    """Vectors with zeros after their first numbers, as long as before.

    Zeros change no cosine and no distance, and layers that read the vectors are as wide as before. The length is that
    of the whole vector, so that at full width nothing changes, and unit vectors stay unit vectors.

    Parameters
    ----------
    vectors
        (n, d) float.
    dimension
        How many numbers are left, in [1, d].
    """
    first = torch.nn.functional.pad(vectors[:, :dimension], (0, vectors.shape[1] - dimension))
    found: torch.Tensor = torch.nn.functional.normalize(first, dim=1) * vectors.norm(dim=1, keepdim=True)
    return found


def prepare(encoder: SentenceTransformer, settings: Mapping[str, Any], draws: Draws) -> None:  # noqa: ARG001
    """See `sentflow.training.options.contract.OptionModule`."""
    width, dimensions = encoder.get_embedding_dimension(), settings["dimensions"]
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


def wrap(objective: Objective, settings: Mapping[str, Any]) -> Matryoshka:
    """See `sentflow.training.options.contract.OptionModule`."""
    return Matryoshka(objective, settings["dimensions"], _weights(settings))


def _weights(settings: Mapping[str, Any]) -> Sequence[float]:
    weights: Sequence[float] = settings.get("weights") or [1.0] * len(settings["dimensions"])
    return weights
