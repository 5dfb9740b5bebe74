"""SparseEmbed: a masked language model learns weights of terms, and a vector for each term that is kept.

Kong et al. 2023 (doi 10.1145/3539618.3592065), equations 1 to 4; with ``ranking: labels``, the losses of the
replication (raphaelsty/sparsembed@ef2a0693).
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
from sentflow.sparse.ranking_losses import LossParts, SparseEmbedLoss, flops
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
    """A text is represented by its kept terms in the order of their weights: ``ids``, (n, k) int64, −1 where there is
    none, their ``weights``, (n, k), and their ``vectors``, (n, k, E).
    """

    settings: Settings

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
        model = self._model
        read = model.read(self.padded(examples), side)
        top = top_terms(model.weights(read, side), model.k[side])
        return {"ids": top.ids, "weights": top.weights, "vectors": model.vectors(read, top, side)}

    def term_weights(self, view: Mapping[str, torch.Tensor]) -> torch.Tensor:
        return TopTerms(view["ids"], view["weights"]).dense(self.weigher.n_terms)

    def parts(self, views: Sequence[Mapping[str, torch.Tensor]], rows: Sequence[Row]) -> LossParts:
        """With ``labels``, the two squared errors of `sentflow.sparse.losses.Cosine`."""
        query_weights, *of_documents = [self.term_weights(view) for view in views]
        queries, *documents = [TermVectors(view["ids"], view["vectors"]) for view in views]
        loss = self._loss()
        if self.settings.ranking == LABELS:
            return self._of_labels(loss, (queries, documents[0]), (query_weights, of_documents[0]), rows)
        teacher = self.teacher_scores(rows, query_weights.device)
        document_weights = torch.cat(of_documents)
        if "score" in rows[0]:
            by_vectors = torch.stack([pair_scores(queries, each) for each in documents], dim=1)
            by_weights = torch.stack([(query_weights * each).sum(dim=1) for each in of_documents], dim=1)
        else:
            by_vectors = self.candidates(
                torch.cat([all_scores(queries, each) for each in documents], dim=1), rows
            )
            by_weights = self.candidates(query_weights @ document_weights.T, rows)
            teacher = None if teacher is None else self.candidates(teacher, rows)
        return loss(by_vectors, by_weights, query_weights, document_weights, step=self.step, teacher=teacher)

    def write(self, encoder: SentenceTransformer, folder: Path) -> None:
        network = transformer_of(encoder).auto_model
        save_sparse_embed(
            self._model if network is self._model.encoder else _with_encoder(self._model, network), folder
        )

    @property
    def _model(self) -> SparsEmbed:
        return cast(SparsEmbed, self.weigher)

    def _loss(self) -> SparseEmbedLoss:
        ranking = self.settings.ranking
        return SparseEmbedLoss(
            query_flops=self.settings.question_flops,
            document_flops=self.settings.document_flops,
            rise_steps=self.rise_steps,
            **({} if ranking == LABELS else {"ranking": ranking}),
            temperature=self.settings.temperature,
            weights_share=self.settings.weights_share,
        )

    def _of_labels(
        self,
        loss: SparseEmbedLoss,
        pairs: tuple[TermVectors, TermVectors],
        weights: tuple[torch.Tensor, torch.Tensor],
        rows: Sequence[Row],
    ) -> LossParts:
        labels = torch.tensor([row["label"] for row in rows], device=weights[0].device)
        if (labels > 1).any():
            raise DataError("settings.ranking: labels reads labels 0 and 1, and the data have others.")
        queries, documents = pairs
        means = mean_scores(queries.ids, queries.embeddings, documents.ids, documents.embeddings)
        embeddings = Cosine().dense(means, labels)
        cosines = Cosine().sparse(*weights, labels)
        total = embeddings + loss.weights_share * cosines + loss.regulariser(*weights, self.step)
        return LossParts(total, cosines, flops(weights[0]), flops(weights[1]), embeddings)


def _with_encoder(model: SparsEmbed, network: torch.nn.Module) -> SparsEmbed:
    """A copy of a model with another encoder of the same form, to which its decoders are tied if they were before."""
    found = copy.deepcopy(model)
    found.encoder = network
    for side in (QUERY, DOCUMENT):
        found.heads[side] = moved(model.head(side), model.encoder, cast(Any, network))
    return found
