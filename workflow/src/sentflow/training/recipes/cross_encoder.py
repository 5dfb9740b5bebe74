"""A cross-encoder: one encoder reads a question and a document together and gives them one number.

Nogueira and Cho 2019 (arXiv 1901.04085). It reranks what was found, and its scores teach other encoders.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy
from transformers import AutoModelForSequenceClassification

from sentflow.errors import ConfigError, DataError
from sentflow.training.contract import Example, Objective, Row, document_columns, recipe
from sentflow.training.draws import Draws
from sentflow.training.layers import set_everywhere, transformer_of
from sentflow.training.recipes.settings import CrossEncoder as Settings

LABELS = "labels"
_SEGMENTS = "token_type_ids"


@recipe("cross-encoder")
class CrossEncoding(Objective):
    """Views are questions with documents and, where there are some, hard negatives; a pair becomes a score, (k, 1)."""

    settings: Settings

    def build(self, draws: Draws) -> None:
        with draws.of("classifier").seeded():
            self.classifier = _classifier(transformer_of(self.encoder).auto_model)
        if self.settings.dropout is not None:
            set_everywhere(self.classifier, self.settings.dropout)
        self.classifier.to(self.encoder.device)

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:  # noqa: ARG002
        """Both texts as they are read together; of the longer one, tokens beyond `max_tokens` are cut."""

        def pair(question: str, document: str) -> Example:
            found = self.encoder.tokenizer(question, document, truncation=True, max_length=self.max_tokens)
            return {key: found[key] for key in ("input_ids", _SEGMENTS) if key in found}

        return [[pair(row["text"], row[column]) for row in rows] for column in document_columns(rows)]

    def represent(self, examples: Sequence[Example], view: int) -> torch.Tensor:  # noqa: ARG002
        features = self.padded(examples)
        if _SEGMENTS in examples[0]:
            segments = torch.zeros_like(features["input_ids"])
            for place, example in enumerate(examples):
                segments[place, : len(example[_SEGMENTS])] = torch.tensor(example[_SEGMENTS])
            features[_SEGMENTS] = segments
        found: torch.Tensor = self.classifier(**features).logits
        return found

    def loss(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> torch.Tensor:
        """Mean cross-entropy of telling the document of a question from its negative, or label 1 from label 0."""
        scores = torch.cat(list(views), dim=1)
        if self.settings.loss == LABELS:
            labels = torch.tensor([row["label"] for row in rows], device=scores.device)
            if (labels > 1).any():
                raise DataError("settings.loss: labels reads labels 0 and 1, and the data have others.")
            return binary_cross_entropy_with_logits(scores[:, 0], labels.to(scores))
        return cross_entropy(scores, torch.zeros(len(rows), dtype=torch.long, device=scores.device))

    def measures(self, views: Sequence[torch.Tensor], rows: Sequence[Row]) -> Mapping[str, tuple[float, int]]:
        """The loss, and of how many rows the document has the higher score, or the right sign."""
        right = (
            (views[0] > 0) == torch.tensor([[bool(row["label"])] for row in rows], device=views[0].device)
            if self.settings.loss == LABELS
            else views[0] > views[1]
        )
        return {**super().measures(views, rows), "accuracy": (float(right.sum()), len(rows))}

    def write(self, encoder: SentenceTransformer, folder: Path) -> None:
        """Write what `CrossEncoder` of sentence-transformers reads."""
        network = transformer_of(encoder).auto_model
        own = getattr(self.classifier, self.classifier.base_model_prefix)
        try:
            setattr(self.classifier, self.classifier.base_model_prefix, network)
            self.classifier.save_pretrained(folder)
        finally:
            setattr(self.classifier, self.classifier.base_model_prefix, own)
        encoder.tokenizer.save_pretrained(folder)


def _classifier(network: Any) -> Any:
    """A classifier with one number, whose encoder is this one, not a copy."""
    told = {
        key: value for key, value in network.config.to_dict().items() if key not in ("id2label", "label2id")
    }
    config = type(network.config).from_dict({**told, "num_labels": 1})
    try:
        model = AutoModelForSequenceClassification.from_config(config)
    except ValueError as error:
        raise ConfigError(
            f"start: transformers has no classifier for a {network.config.model_type}. Start from a BERT, RoBERTa or "
            "another encoder that has one."
        ) from error
    if getattr(network, "pooler", None) is None and getattr(model.base_model, "pooler", None) is not None:
        network.pooler = model.base_model.pooler
    setattr(model, model.base_model_prefix, network)
    return model
