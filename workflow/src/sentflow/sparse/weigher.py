"""An encoder with heads that weigh terms: texts to weights of the terms, tokens of a vocabulary.

Formal et al. 2021 (arXiv 2107.05720 for the sum over positions, arXiv 2109.10086 for the maximum).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel

from sentflow.encoders.safety import usable_tokens
from sentflow.errors import ConfigError, DataError, instead
from sentflow.sparse.folder_description import SHARED, TWO
from sentflow.sparse.heads import TermHead, copied_head

_NAMED = 3


def check_count(value: Any, name: str) -> int:
    """A number of terms, documents or rows. Raises ConfigError: it is no whole number of at least 1."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigError(f"{name} is {value!r}. Write a whole number of at least 1.")
    return value


def check_finite(values: torch.Tensor, what: str) -> None:
    """Refuse NaN and infinity. `values`: (n, …) float; row i is of the text at place i."""
    good = torch.isfinite(values).flatten(1).all(dim=1) if values.ndim > 1 else torch.isfinite(values)
    if not good.all():
        places = torch.nonzero(~good).flatten().tolist()
        raise DataError(
            f"{what}: values of {len(places)} of {len(good)} texts are not finite (NaN or infinity), first at "
            f"{', '.join(map(str, places[:_NAMED]))}. Compute in float32, lower the learning rate, or go back to an "
            "earlier snapshot."
        )


MAX, SUM = "max", "sum"
POOLINGS = (MAX, SUM)
NO_TERM = -1
"""In the place of an id where fewer terms are active than there are places."""


def pooled_weights(
    predict: Callable[[torch.Tensor], torch.Tensor],
    tokens: torch.Tensor,
    mask: torch.Tensor,
    *,
    pooling: str = MAX,
    chunk_size: int | None = None,
) -> torch.Tensor:
    """w_j = max_i, or sum_i, of log(1 + ReLU(M_ij)) over the real positions i of a text, never holding all of M.

    `predict`: from vectors of tokens, (B, c, h), to logits, (B, c, V); without dropout. `tokens`: (B, n, h); padding is
    never read. `mask`: (B, n), other than 0 where a position is real. `pooling`: ``"max"`` (SPLADE v2, SparseEmbed) or
    ``"sum"`` (SPLADE v1). `chunk_size`: positions that are pooled at once; all without it. In training, logits of
    chunks are computed again for the gradient. Returns (B, V), >= 0, at least float32; NaN where a real position has
    one. Raises ConfigError: there is no such pooling, or the chunk is smaller than 1.
    """
    if pooling not in POOLINGS:
        raise ConfigError(f"pooling is {pooling!r}. {instead(str(pooling), POOLINGS)}")
    found = _pooled(predict, tokens, mask, pooling, chunk_size)
    # The logarithm rises, so the greatest weight is that of the greatest logit
    return found if pooling == SUM else torch.log1p(torch.relu(found))


def _pooled(
    predict: Callable[[torch.Tensor], torch.Tensor],
    tokens: torch.Tensor,
    mask: torch.Tensor,
    pooling: str,
    chunk_size: int | None,
) -> torch.Tensor:
    """The greatest logits, or the sums of weights."""
    n_positions = tokens.shape[1]
    size = n_positions if chunk_size is None else check_count(chunk_size, "chunk_size")
    with torch.no_grad():
        n_terms = predict(tokens[:, :0]).shape[-1]
    dtype = torch.promote_types(tokens.dtype, torch.float32)
    start = 0.0 if pooling == SUM else -torch.inf

    def step(before: torch.Tensor, chunk: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        logits = predict(chunk)
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32)).masked_fill(~real, start)
        if pooling == SUM:
            # Padding is filled before the logarithm: a gradient of 0 times NaN would be NaN
            return before + torch.log1p(torch.relu(logits)).sum(dim=1)
        greatest = logits.max(dim=1).values
        # Of equal logits one position has the gradient, in chunks of any size; `maximum` would share it out
        return torch.where((greatest > before) | greatest.isnan(), greatest, before)

    found = torch.full((len(tokens), n_terms), start, dtype=dtype, device=tokens.device)
    real = mask.to(device=tokens.device, dtype=torch.bool)[:, :, None]
    again = torch.is_grad_enabled() and size < n_positions
    for place in range(0, n_positions, size):
        chunk = found, tokens[:, place : place + size], real[:, place : place + size]
        found = checkpoint(step, *chunk, use_reentrant=False) if again else step(*chunk)
    return found


@dataclass(frozen=True)
class TopTerms:
    """The terms that are kept of each text, those of greatest weight first; equal weights by id."""

    ids: torch.Tensor  # (B, k) int64, `NO_TERM` where fewer than k terms have a weight
    weights: torch.Tensor  # (B, k), > 0, and 0 where there is no term. Gradients reach the kept terms alone.

    @property
    def active(self) -> torch.Tensor:
        """(B, k) bool: where there is a term."""
        return self.ids != NO_TERM

    def dense(self, n_terms: int) -> torch.Tensor:
        """(B, `n_terms`) weights of all terms, 0 of those that were not kept; with the gradients of `weights`."""
        empty = torch.zeros(len(self.ids), n_terms, dtype=self.weights.dtype, device=self.weights.device)
        # Places without a term add 0 to the first one
        return empty.scatter_add(1, self.ids.clamp(min=0), self.weights)


def top_terms(weights: torch.Tensor, k: int) -> TopTerms:
    """The k terms of greatest weight of each text, fewer where fewer are above 0, of (B, V) finite weights >= 0.

    Raises ConfigError: k is no whole number of at least 1.
    """
    n_kept = min(check_count(k, "k"), weights.shape[1])
    # Sorted stably, for torch.topk promises no order of equal weights
    order = weights.detach().sort(dim=1, descending=True, stable=True).indices[:, :n_kept]
    kept = weights.gather(1, order)
    inactive = kept.detach() <= 0
    return TopTerms(order.masked_fill(inactive, NO_TERM), kept.masked_fill(inactive, 0.0))


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

    `device`: that of `model` without it. `heads`: ``"two"``: queries and documents have a head each, which begin alike;
    ``"shared"``: one for all texts. `tied`: whether decoders of heads are the word embeddings of the encoder, the same
    tensor, or copies of the model's decoder, trained apart. `max_tokens`: the most that tokenizer and model allow
    without it. `chunk_size`: positions for which the logits of all terms are held at once, B · `chunk_size` · V
    numbers; None is all; see `pooled_weights`. Raises ConfigError: the model has no head for masked tokens, or it does
    not fit the tokenizer or the options.
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
        if not isinstance(model, PreTrainedModel) or not callable(tokenizer):
            raise ConfigError(
                f"model is a {type(model).__name__} and tokenizer a {type(tokenizer).__name__}. Give a model of "
                "AutoModelForMaskedLM first and its tokenizer second, or both by name."
            )
        if heads not in (SHARED, TWO):
            raise ConfigError(f"heads is {heads!r}. {instead(heads, (SHARED, TWO))}")
        first = copied_head(model, tied=tied)
        # More logits than the tokenizer has ids are allowed: some models pad their vocabulary
        most, n_terms = max(tokenizer.get_vocab().values()), first.decoder.out_features
        if most >= n_terms:
            raise ConfigError(
                f"the tokenizer has ids up to {most}, and the model predicts {n_terms} terms, 0 to {n_terms - 1}. Take "
                "the tokenizer of the model."
            )
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
        """(B, V) greatest logit of each term over the positions of a text, −∞ without any; without gradients."""
        with self.still():
            read = self.read(self.features(texts), side)
            return _pooled(self.head(side).decoder, read.transformed, read.mask, MAX, self.chunk_size)

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
            raise ConfigError(f"side is {side!r}. {instead(str(side), SIDES)}")
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
