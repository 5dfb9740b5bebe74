"""SPLADE: a masked language model learns to weigh the terms of questions and documents, few of them.

Formal et al. 2021 and 2022 (arXiv 2107.05720, 2109.10086, 2205.04733). FLOPS are of all rows of a step.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer, SparseEncoder
from sentence_transformers.sparse_encoder.modules import SpladePooling

from sentflow.encoders.neural.load import transformer_in
from sentflow.sparse.heads import moved, with_head
from sentflow.sparse.weigher import DOCUMENT, TermWeigher, top_terms
from sentflow.training.contract import Example, recipe
from sentflow.training.draws import Draws
from sentflow.training.layers import transformer_of
from sentflow.training.recipes.settings import Splade as Settings
from sentflow.training.term_objective import TermObjective, masked_model_of


@recipe("splade")
class Splade(TermObjective):
    """One head for questions and documents; what a text is represented by is the weights of all terms, (k, V)."""

    settings: Settings

    def make_weigher(self, draws: Draws) -> TermWeigher:
        return TermWeigher(
            masked_model_of(self.encoder, draws.of("head")),
            self.encoder.tokenizer,
            tied=self.settings.tied,
            pooling=self.settings.pooling,
            max_tokens=self.max_tokens,
            chunk_size=None,  # the loop gives it as many tokens as fit memory
        )

    def represent(self, examples: Sequence[Example], view: int) -> torch.Tensor:
        weights = self.weigher.weights(self.weigher.read(self.padded(examples)))
        most = self.settings.document_terms if view else self.settings.question_terms
        return weights if most is None else top_terms(weights, most).dense(weights.shape[1])

    def term_weights(self, view: torch.Tensor) -> torch.Tensor:
        return view

    def write(self, encoder: SentenceTransformer, folder: Path) -> None:
        """Write a `SparseEncoder` of sentence-transformers, whose files transformers reads as a masked model, too."""
        with tempfile.TemporaryDirectory() as made:
            network = transformer_of(encoder).auto_model
            head = moved(self.weigher.head(DOCUMENT), self.weigher.encoder, network)
            with_head(network, head).save_pretrained(made)
            encoder.tokenizer.save_pretrained(made)
            transformer = transformer_in(made, {}, transformer_task="fill-mask")
            saved = SparseEncoder(modules=[transformer, SpladePooling(self.settings.pooling)], device="cpu")
            saved.save(str(folder), create_model_card=False, safe_serialization=True)
