"""SparseEmbed: a masked language model learns weights of terms, and a vector for each term that is kept.

Kong et al. 2023 (doi 10.1145/3539618.3592065), equations 1 to 4; raphaelsty/sparsembed@ef2a0693 (``labels``).
"""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import torch
from sentence_transformers import SentenceTransformer

from sentflow.errors import DataError
from sentflow.sparse.folder import save_sparse_embed
from sentflow.sparse.heads import moved
from sentflow.sparse.losses import Cosine
from sentflow.sparse.model import SparsEmbed, TermVectors, all_scores, pair_scores
from sentflow.sparse.ranking_losses import LossParts, flops
from sentflow.sparse.utils import scores as mean_scores
from sentflow.sparse.weigher import DOCUMENT, QUERY, TopTerms, top_terms
from sentflow.training.contract import Example, Row, recipe
from sentflow.training.draws import Draws
from sentflow.training.layers import transformer_of
from sentflow.training.recipes.settings import SparseEmbed as Settings
from sentflow.training.term_objective import TermObjective, masked_model_of

LABELS = "labels"


@recipe("sparse-embed")
class SparseEmbed(TermObjective):
    """A text becomes its kept terms by weight: ``ids``, (n, k) int64, −1: none, ``weights``, ``vectors``, (n, k, E)."""

    settings: Settings
    weigher: SparsEmbed

    def make_weigher(self, draws: Draws) -> SparsEmbed:
        settings = self.settings
        return SparsEmbed(
            masked_model_of(self.encoder, draws.of("head")),
            self.encoder.tokenizer,
            k_query=settings.question_terms,
            k_documents=settings.document_terms,
            embedding_size=settings.width,
            heads=settings.heads,
            tied=settings.tied,
            projection_bias=settings.projection_bias,
            max_tokens=self.max_tokens,
            chunk_size=None,  # the loop gives it as many tokens as fit memory
            seed=draws.of("projection").torch_seed(),
        )

    def represent(self, examples: Sequence[Example], view: int) -> dict[str, torch.Tensor]:
        side = DOCUMENT if view else QUERY
        model = self.weigher
        read = model.read(self.padded(examples), side)
        top = top_terms(model.weights(read, side), model.k[side])
        return {"ids": top.ids, "weights": top.weights, "vectors": model.vectors(read, top, side)}

    def term_weights(self, view: Mapping[str, torch.Tensor]) -> torch.Tensor:
        return TopTerms(view["ids"], view["weights"]).dense(self.weigher.n_terms)

    def vector_scores(self, views: Sequence[Mapping[str, torch.Tensor]], *, of_pairs: bool) -> torch.Tensor:
        queries, *documents = [TermVectors(view["ids"], view["vectors"]) for view in views]
        if of_pairs:
            return torch.stack([pair_scores(queries, each) for each in documents], dim=1)
        return torch.cat([all_scores(queries, each) for each in documents], dim=1)

    def parts(self, views: Sequence[Mapping[str, torch.Tensor]], rows: Sequence[Row]) -> LossParts:
        """With ``labels``, the two squared errors of `sentflow.sparse.losses.Cosine`."""
        if self.settings.ranking != LABELS:
            return super().parts(views, rows)
        query, document, *_ = views
        queries, documents = self.term_weights(query), self.term_weights(document)
        labels = torch.tensor([row["label"] for row in rows], device=queries.device)
        if (labels > 1).any():
            raise DataError("settings.ranking: labels reads labels 0 and 1, and the data have others.")
        means = mean_scores(query["ids"], query["vectors"], document["ids"], document["vectors"])
        embeddings = Cosine().dense(means, labels)
        cosines = Cosine().sparse(queries, documents, labels)
        regulariser = self.ranking_loss().regulariser(queries, documents, self.step)
        total = embeddings + self.settings.weights_share * cosines + regulariser
        return LossParts(total, cosines, flops(queries), flops(documents), embeddings)

    def write(self, encoder: SentenceTransformer, folder: Path) -> None:
        network = transformer_of(encoder).auto_model
        model = self.weigher
        save_sparse_embed(model if network is model.encoder else _with_encoder(model, network), folder)


def _with_encoder(model: SparsEmbed, network: torch.nn.Module) -> SparsEmbed:
    """A copy of a model with another encoder of the same form, to which its decoders are tied if they were before."""
    found = copy.deepcopy(model)
    found.encoder = network
    for side in (QUERY, DOCUMENT):
        found.heads[side] = moved(model.head(side), model.encoder, cast(Any, network))
    return found
