"""Distillation: an encoder learns the vectors of another one, its teacher, which were computed before.

Kim et al. 2023 (arXiv 2301.12005), equations 7 and 8, for the distance of vectors; that of similarities follows
Fang et al. 2021 (arXiv 2101.04731), with the other texts of the batch in the place of a queue.
"""

from collections.abc import Sequence

import numpy as np
import torch
from sentence_transformers.sentence_transformer.losses import EmbedDistillLoss
from sentence_transformers.sentence_transformer.modules import Dense
from sentence_transformers.util import cos_sim

from sentflow.errors import ConfigError, DataError
from sentflow.training.contract import Example, Objective, Row, recipe, target_of
from sentflow.training.draws import Draws
from sentflow.training.layers import initialise, put_before_scaling
from sentflow.training.recipes.settings import Distillation as Settings

MSE, COSINE, SIMILARITY = "mse", "cosine", "similarity"


@recipe("distillation")
class Distillation(Objective):
    """One view; rows have the teacher's vector of their text."""

    settings: Settings

    def build(self, draws: Draws) -> None:
        encoder, settings = self.encoder, self.settings
        self.projection: torch.nn.Module | None = None
        if settings.projection is None:
            if settings.keep_projection:
                raise ConfigError(
                    "settings.keep_projection: there is no projection. Write its width under projection, or "
                    "keep_projection: false."
                )
            return
        width = encoder.get_embedding_dimension()
        layer = Dense(width, settings.projection, activation_function=torch.nn.Identity())
        initialise(layer, encoder, draws.of("projection"))
        layer.to(encoder.device)
        if settings.keep_projection:
            put_before_scaling(encoder, layer)
        else:
            self.projection = layer

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:  # noqa: ARG002
        return [self.read([row["text"] for row in rows])]

    def represent(self, examples: Sequence[Example], view: int) -> torch.Tensor:  # noqa: ARG002
        found: torch.Tensor = self.encoder(self.padded(examples))["sentence_embedding"]
        return found

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:
        """The mean over texts of a distance to the teacher's vectors, or of `similarity_divergence`."""
        (vectors,) = views
        name = target_of("text")
        if any(name not in row for row in rows):
            raise DataError("distillation: the rows have no vectors of a teacher. Write settings.teacher.")
        targets = torch.from_numpy(np.stack([np.asarray(row[name], dtype=np.float32) for row in rows])).to(
            vectors
        )
        if self.projection is not None:
            vectors = self.projection({"sentence_embedding": vectors})["sentence_embedding"]
        if self.settings.loss == SIMILARITY:
            return similarity_divergence(vectors, targets, temperature=self.settings.temperature)
        if vectors.shape != targets.shape:
            raise DataError(
                f"the teacher's vectors are {targets.shape[1]} wide, and those that are compared with them "
                f"{vectors.shape[1]}. Write settings.projection: {targets.shape[1]}, or loss: {SIMILARITY}, which "
                "compares vectors of any width."
            )
        loss = EmbedDistillLoss(model=None, distance_metric=self.settings.loss)
        found: torch.Tensor = loss.compute_loss_from_embeddings([vectors], [targets])
        return found


def similarity_divergence(
    vectors: torch.Tensor, targets: torch.Tensor, *, temperature: float
) -> torch.Tensor:
    """How far the texts that a text is similar to are from those that the teacher finds similar to it, >= 0.

    `vectors`, `targets`: (n, d) and (n, e) float. `temperature`: what cosines are divided by, > 0. The Kullback-Leibler
    divergence of the softmax of cosines from the teacher's, over the n − 1 other texts, mean over n; 0 for n < 3.
    """
    own, teachers = (_others(cos_sim(each, each)) / temperature for each in (vectors, targets))
    return torch.nn.functional.kl_div(
        own.log_softmax(dim=1), teachers.log_softmax(dim=1), reduction="sum", log_target=True
    ) / len(vectors)


def _others(similarities: torch.Tensor) -> torch.Tensor:
    """A square matrix without its diagonal, (n, n − 1)."""
    n = len(similarities)
    away = ~torch.eye(n, dtype=torch.bool, device=similarities.device)
    return similarities[away].reshape(n, n - 1)
