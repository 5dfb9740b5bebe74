"""An encoder with heads that weigh terms: texts to weights of the terms of a vocabulary, and what it was read from.

Formal et al. 2021 (arXiv 2109.10086).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import torch
from transformers import PreTrainedModel

from sentflow.encoders.descriptions import usable_tokens
from sentflow.errors import ConfigError, DataError, instead
from sentflow.sparse.activations import MAX, greatest_logits, pooled_weights
from sentflow.sparse.checks import check_count, check_vocabularies
from sentflow.sparse.folder_description import SHARED, TWO
from sentflow.sparse.heads import TermHead, copied_head

QUERY, DOCUMENT = "query", "document"
SIDES = (QUERY, DOCUMENT)
_SHOWN_CHARACTERS = 60


@dataclass(frozen=True)
class ReadTexts:
    """What the encoder made of a batch."""

    # tokens, transformed: (B, n, h) vectors of tokens before and after the head's own layers
    tokens: torch.Tensor
    transformed: torch.Tensor
    mask: torch.Tensor  # (B, n), other than 0 where a position is real


class TermWeigher(torch.nn.Module):
    """An encoder with a head for all texts, or one for queries and one for documents.

    `device`: where to compute; that of `model` without it. `heads`: ``"two"``: queries and documents have a head each,
    which begin alike. ``"shared"``: one for all texts. `tied`: whether decoders of heads are the word embeddings of
    the encoder, the same tensor, or copies of the model's decoder, trained apart. `max_tokens`: to which texts are
    cut; the most that tokenizer and model allow without it. `chunk_size`: positions for which the logits of all terms
    are held at once, B · `chunk_size` · V numbers; None is all. For longer texts a training computes logits twice; see
    `pooled_weights`. Raises ConfigError: the model has no head for masked tokens, or it does not fit the tokenizer or
    the options.

    transformers loads models without dropout; `train()` turns it on.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        device: str | torch.device | None = None,
        *,
        heads: str = SHARED,
        tied: bool = True,
        pooling: str = MAX,
        max_tokens: int | None = None,
        chunk_size: int | None = 64,
    ) -> None:
        super().__init__()
        _check_model(model, tokenizer, heads)
        first = copied_head(model, tied=tied)
        check_vocabularies(tokenizer, first.decoder.out_features)
        self.two_heads = heads == TWO
        self.tokenizer, self.pooling, self.chunk_size = tokenizer, pooling, chunk_size
        self.encoder = model.base_model
        self.heads = torch.nn.ModuleDict(
            {QUERY: first, DOCUMENT: copied_head(model, tied=tied) if self.two_heads else first}
        )
        self.max_tokens = _max_tokens(model, tokenizer, max_tokens)
        self.to(device or model.device)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.parameters()).device

    @property
    def n_terms(self) -> int:
        """V, the size of the vocabulary."""
        return int(self.head(QUERY).decoder.out_features)

    def head(self, side: str | None) -> TermHead:
        """The head that predicts the terms of a side; the side may be left out where heads are shared."""
        return cast(TermHead, self.heads[self.known_side(side)])

    def read(self, features: Mapping[str, torch.Tensor], side: str | None = None) -> ReadTexts:
        """Read texts, with gradients. `features`: ``input_ids`` and ``attention_mask``, (B, n) each."""
        mask = features["attention_mask"].to(self.device)
        ids = features["input_ids"].to(self.device)
        tokens = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        return ReadTexts(tokens, self.head(side).transform(tokens), mask)

    def weights(self, read: ReadTexts, side: str | None = None) -> torch.Tensor:
        """(B, V) >= 0, the weight of each term in each text; NaN where the encoder gave one."""
        return pooled_weights(
            self.head(side).decoder,
            read.transformed,
            read.mask,
            pooling=self.pooling,
            chunk_size=self.chunk_size,
        )

    def greatest_logits(self, texts: Sequence[str], side: str | None = None) -> torch.Tensor:
        """(B, V) greatest logit of each term over the positions of a text, without gradients; for calibration."""
        with self.still():
            read = self.read(self.features(texts), side)
            return greatest_logits(
                self.head(side).decoder, read.transformed, read.mask, chunk_size=self.chunk_size
            )

    def without_tokens(self, texts: Sequence[str]) -> list[int]:
        """Places of texts of which the tokenizer makes no token but special ones."""
        return _without_tokens(self._tokenized(texts))

    def features(self, texts: Sequence[str]) -> Any:
        """What `read` reads of texts. Raises DataError: a text has no token."""
        tokenized = self._tokenized(texts)
        if empty := _without_tokens(tokenized):
            raise DataError(
                f"text {empty[0]} ({texts[empty[0]][:_SHOWN_CHARACTERS]!r}) has no token. Leave it out: it has no "
                "terms that could be found."
            )
        return tokenized

    def known_side(self, side: str | None) -> str:
        """The side whose head is meant; the first where heads are shared and none is named."""
        if side is None and not self.two_heads:
            return QUERY
        if side not in SIDES:
            raise ConfigError(
                f"side is {side!r}, and this model has a head for queries and one for documents. "
                f"{instead(str(side), SIDES)}"
                if self.two_heads
                else f"side is {side!r}. {instead(str(side), SIDES)}"
            )
        return side

    @contextmanager
    def still(self) -> Iterator[None]:
        """Neither gradients nor dropout inside; each module is as it was afterwards."""
        training = [module for module in self.modules() if module.training]
        self.eval()
        try:
            with torch.no_grad():
                yield
        finally:
            for module in training:
                module.training = True

    def _tokenized(self, texts: Sequence[str]) -> Any:
        if isinstance(texts, str) or not len(texts) or not all(isinstance(text, str) for text in texts):
            raise DataError(f"texts are {texts!r:.60}. Give a list of at least one text.")
        return self.tokenizer(
            list(texts),
            padding=True,
            truncation=True,
            max_length=self.max_tokens,
            return_special_tokens_mask=True,
            return_tensors="pt",
        )


def _without_tokens(tokenized: Mapping[str, torch.Tensor]) -> list[int]:
    special = tokenized["special_tokens_mask"].bool() | ~tokenized["attention_mask"].bool()
    return torch.nonzero(special.all(dim=1)).flatten().tolist()


def _check_model(model: Any, tokenizer: Any, heads: str) -> None:
    if not isinstance(model, PreTrainedModel) or not callable(tokenizer):
        raise ConfigError(
            f"model is a {type(model).__name__} and tokenizer a {type(tokenizer).__name__}. Give a model of "
            "AutoModelForMaskedLM first and its tokenizer second, or both by name."
        )
    if heads not in (SHARED, TWO):
        raise ConfigError(f"heads is {heads!r}. {instead(str(heads), (SHARED, TWO))}")


def _max_tokens(model: Any, tokenizer: Any, asked: int | None) -> int:
    """Tokens that are read of a text; ConfigError where more are asked for than the model has positions."""
    positions = usable_tokens(model.config.to_dict()) or int(tokenizer.model_max_length)
    if asked is None:
        return min(positions, int(tokenizer.model_max_length))
    if check_count(asked, "max_tokens") > positions:
        raise ConfigError(
            f"max_tokens is {asked}, and the model has {positions} positions. Write at most {positions}."
        )
    return asked
