"""SparseEmbed: texts to weights of terms, and a vector for each term that is kept.

Kong et al. 2023 (doi 10.1145/3539618.3592065); names of arguments and results are those of
raphaelsty/sparsembed@ef2a0693.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import torch
from transformers import PreTrainedModel

from sentflow.errors import ConfigError, DataError, instead
from sentflow.sparse.activations import greatest_logits, pooled_weights, top_terms
from sentflow.sparse.checks import check_count, check_finite, check_vocabularies
from sentflow.sparse.heads import TermHead, copied_head
from sentflow.sparse.term_vectors import attended
from sentflow.training.draws import Draws
from sentflow.training.new_weights import seeded

QUERY, DOCUMENT = "query", "document"
SIDES = (QUERY, DOCUMENT)
SHARED, TWO = "shared", "two"
_SHOWN_CHARACTERS = 60


@dataclass(frozen=True)
class _Read:
    """What the encoder made of a batch: vectors of tokens before and after the head's own layers, (B, n, h); mask."""

    tokens: torch.Tensor
    transformed: torch.Tensor
    mask: torch.Tensor


class SparsEmbed(torch.nn.Module):
    """An encoder that gives a text a few terms of the vocabulary, each with a weight and a vector.

    Parameters
    ----------
    model
        A masked language model of transformers: BERT, DistilBERT, RoBERTa or XLM-RoBERTa. Its encoder is used as it is
        and trained with this module; of its head, copies are made.
    tokenizer
        Of the model.
    device
        Where to compute; that of `model` without it.
    k_query, k_documents
        Terms that are kept of a text where a call does not say; those of the paper.
    embedding_size
        E of the vectors; 16, 32 or 64 in the paper.
    heads
        ``"two"``: queries and documents have a head and a projection each, which begin alike (the paper).
        ``"shared"``: one of both for all texts (the replication).
    tied
        Whether decoders of heads are the word embeddings of the encoder, the same tensor, or copies of the model's
        decoder, trained apart.
    projection_bias
        Whether projections have a bias.
    max_tokens
        To which texts are cut; the most that tokenizer and model allow without it.
    chunk_size
        Positions for which the logits of all terms are held at once, B · `chunk_size` · V numbers; None is all. For
        longer texts a training computes logits twice; see `pooled_weights`.
    seed
        Of the projection's weights.

    Raises
    ------
    ConfigError
        The model has no head for masked tokens, or it does not fit the tokenizer or the options.

    Notes
    -----
    transformers loads models without dropout; `train()` turns it on.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        device: str | torch.device | None = None,
        *,
        k_query: int = 64,
        k_documents: int = 256,
        embedding_size: int = 64,
        heads: str = SHARED,
        tied: bool = True,
        projection_bias: bool = True,
        max_tokens: int | None = None,
        chunk_size: int | None = 64,
        seed: int = 0,
    ) -> None:
        super().__init__()
        _check_model(model, tokenizer, heads)
        self.k = {
            QUERY: check_count(k_query, "k_query"),
            DOCUMENT: check_count(k_documents, "k_documents"),
        }
        first = copied_head(model, tied=tied)
        check_vocabularies(tokenizer, first.decoder.out_features)
        with seeded(Draws(seed).of("projection")):
            projection = torch.nn.Linear(
                first.decoder.in_features, check_count(embedding_size, "embedding_size"), bias=projection_bias
            )
        two = heads == TWO
        self._embedding_size = embedding_size
        self.two_heads = two
        self.tokenizer, self.chunk_size = tokenizer, chunk_size
        self.encoder = model.base_model
        self.heads = torch.nn.ModuleDict(
            {QUERY: first, DOCUMENT: copied_head(model, tied=tied) if two else first}
        )
        self.projections = torch.nn.ModuleDict(
            {QUERY: projection, DOCUMENT: copy.deepcopy(projection) if two else projection}
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

    @property
    def embedding_size(self) -> int:
        """E, the width of a term's vector."""
        return self._embedding_size

    def head(self, side: str | None) -> TermHead:
        """The head that predicts the terms of a side."""
        return cast(TermHead, self.heads[self._side(side)])

    def forward(
        self, texts: Sequence[str], k: int | None = None, side: str | None = None
    ) -> dict[str, torch.Tensor]:
        """The k terms of each text, with gradients.

        Parameters
        ----------
        texts
            B texts, one batch. Each text gives the same with any others.
        k
            Terms that are kept at most; `k_query` or `k_documents` of the side without it.
        side
            ``"query"`` or ``"document"``; with shared heads it may be left out where k is given.

        Returns
        -------
        dict
            ``activations``: (B, k) int64 ids of terms, greatest weight first, −1 where a text has fewer.
            ``embeddings``: (B, k, E) >= 0, the vector of each of them, 0 where there is none.
            ``sparse_activations``: (B, V) >= 0, weights of all terms, 0 of those that were not kept.

        Raises
        ------
        ConfigError
            k or the side is missing or does not exist.
        DataError
            A text has no token, or a weight or a vector is not finite.
        """
        k = self._k(k, side)
        read, head = self._read(texts, side), self.head(side)
        weights = pooled_weights(head.decoder, read.transformed, read.mask, chunk_size=self.chunk_size)
        check_finite(weights, "weights of terms")
        top = top_terms(weights, k)
        logits = head.term_logits(read.transformed, top.ids.clamp(min=0))
        projection = self.projections[self._side(side)]
        embeddings = torch.relu(projection(attended(logits, read.tokens, read.mask)))
        embeddings = embeddings.masked_fill(~top.active[:, :, None], 0.0)
        check_finite(embeddings, "vectors of terms")
        return {
            "activations": top.ids,
            "embeddings": embeddings,
            "sparse_activations": top.dense(self.n_terms),
        }

    def encode(
        self, texts: Sequence[str], k: int | None = None, side: str | None = None
    ) -> dict[str, torch.Tensor]:
        """`forward` without gradients and without dropout."""
        with self._still():
            found: dict[str, torch.Tensor] = self(texts, k, side)
            return found

    def greatest_logits(self, texts: Sequence[str], side: str | None = None) -> torch.Tensor:
        """(B, V) greatest logit of each term over the positions of a text, without gradients; for calibration."""
        with self._still():
            read = self._read(texts, side)
            return greatest_logits(
                self.head(side).decoder, read.transformed, read.mask, chunk_size=self.chunk_size
            )

    def without_tokens(self, texts: Sequence[str]) -> list[int]:
        """Places of texts of which the tokenizer makes no token but special ones."""
        return _without_tokens(self._tokenized(texts))

    def _read(self, texts: Sequence[str], side: str | None) -> _Read:
        tokenized = self._tokenized(texts)
        if empty := _without_tokens(tokenized):
            raise DataError(
                f"text {empty[0]} ({texts[empty[0]][:_SHOWN_CHARACTERS]!r}) has no token. Leave it out: it has no "
                "terms that could be found."
            )
        mask = tokenized["attention_mask"].to(self.device)
        ids = tokenized["input_ids"].to(self.device)
        tokens = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        return _Read(tokens, self.head(side).transform(tokens), mask)

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

    def _side(self, side: str | None) -> str:
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

    def _k(self, k: int | None, side: str | None) -> int:
        if k is not None:
            return check_count(k, "k")
        if side not in SIDES:
            raise ConfigError("neither k nor side is given. Write k=…, or side='query' or side='document'.")
        return self.k[side]

    @contextmanager
    def _still(self) -> Iterator[None]:
        """Neither gradients nor dropout inside; each module is as it was afterwards."""
        training = [module for module in self.modules() if module.training]
        self.eval()
        try:
            with torch.no_grad():
                yield
        finally:
            for module in training:
                module.training = True


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
    """Tokens that are read of a text.

    Raises
    ------
    ConfigError
        More are asked for than the model has positions.
    """
    positions = int(model.config.max_position_embeddings)
    if "roberta" in model.config.model_type:
        positions -= int(model.config.pad_token_id) + 1  # positions begin behind the id of the padding
    if asked is None:
        return min(positions, int(tokenizer.model_max_length))
    if check_count(asked, "max_tokens") > positions:
        raise ConfigError(
            f"max_tokens is {asked}, and the model has {positions} positions. Write at most {positions}."
        )
    return asked
