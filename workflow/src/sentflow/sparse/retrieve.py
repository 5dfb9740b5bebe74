"""Search with SparseEmbed in two stages: candidates by weights of terms, their order by vectors of terms.

Kong et al. 2023, section 3; names of arguments and results are those of raphaelsty/sparsembed@ef2a0693.
"""

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from sentflow.encoders.vectors.sparse import TERM_FORM, TermEmbeddings
from sentflow.errors import ConfigError, DataError
from sentflow.retrieval.ranking import Ranked
from sentflow.retrieval.retrievers.dense import Vectors
from sentflow.retrieval.retrievers.sparse import reordered, search_weights
from sentflow.sparse.model import DOCUMENT, QUERY, SparsEmbed, encoded_terms, in_rows
from sentflow.sparse.weigher import check_count

_NAMED = 3


class Retriever:
    """Documents, added one part after another, and questions to them.

    `key`: of the identifier in a document. `on`: of its text, or of several that are joined by a space. `model`:
    trained; it must stay as it is. Kept per document with k terms and width E: 8 k + 4 + 2 k E bytes at most, 4.5 KiB
    with k 64 and E 32. A search holds some blocks of 50 MB besides.
    """

    def __init__(self, key: str, on: str | Sequence[str], model: SparsEmbed) -> None:
        self.key, self.on = key, [on] if isinstance(on, str) else list(on)
        self.model = model
        self._parts: list[TermEmbeddings] = []
        self._k: int | None = None
        self._keys: list[Hashable] = []
        self._known: set[Hashable] = set()
        self._encoded_by: tuple[str, int] | None = None

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def n_bytes(self) -> int:
        """Of all that is kept of the documents, but for their identifiers."""
        stored = (
            (one.weights.data, one.weights.indices, one.weights.indptr, one.vectors) for one in self._parts
        )
        return sum(array.nbytes for arrays in stored for array in arrays)

    def add(
        self, documents: Sequence[Mapping[str, Any]], k_token: int = 256, batch_size: int = 32
    ) -> "Retriever":
        """Add documents; all or, where there is an error, none.

        `documents`: with the keys `key` and `on`. `k_token`: terms that are kept of each at most, the same in all
        calls. `batch_size`: documents that are encoded at once. Raises ConfigError: a number is smaller than 1, k is
        another one than before, or the model is. Raises DataError: a document has no identifier, one that is taken, or
        no text with a token.
        """
        k = min(check_count(k_token, "k_token"), self.model.n_terms)
        check_count(batch_size, "batch_size")
        encoded_by = self._checked_model()
        if self._k not in (None, k):
            raise ConfigError(
                f"k_token is {k}, and the documents before were added with {self._k}. Add all with the same, or make "
                "another retriever."
            )
        keys, texts = self._read(documents)
        batches = (texts[start : start + batch_size] for start in range(0, len(texts), batch_size))
        terms = TERM_FORM.joined([self._terms(batch, k, DOCUMENT, torch.float16) for batch in batches])
        if not np.isfinite(terms.vectors).all():
            raise DataError(
                "vectors of terms have values above 65504, where half precision ends. Train with smaller weights of "
                "the projection."
            )
        self._parts.append(terms)
        self._k = k
        self._keys += keys
        self._known.update(keys)
        self._encoded_by = encoded_by
        return self

    def __call__(
        self, q: str | Sequence[str], k_sparse: int = 100, k_token: int = 96, batch_size: int = 32
    ) -> list[list[dict[str, Any]]]:
        """Per question its best documents: a list of ``{key: …, "similarity": …}``, best first, equal ones as added.

        `k_sparse`: documents that the weights find and the vectors rank: so many are returned, fewer where there are
        fewer. `k_token`: terms that are kept of a question at most. `batch_size`: questions that are searched at once.
        Raises ConfigError: there are no documents, a number is below 1, or the model is another. Raises DataError: no
        token.
        """
        for name, value in (("k_sparse", k_sparse), ("k_token", k_token), ("batch_size", batch_size)):
            check_count(value, name)
        if not len(self):
            raise ConfigError("the retriever has no documents. Call add(documents) first.")
        self._checked_model()
        questions = [q] if isinstance(q, str) else list(q)
        found: list[list[dict[str, Any]]] = []
        for start in range(0, len(questions), batch_size):
            found += self._ranked(questions[start : start + batch_size], k_sparse, k_token)
        return found

    def _ranked(self, questions: list[str], k_sparse: int, k_token: int) -> list[list[dict[str, Any]]]:
        queries = self._terms(questions, k_token, QUERY, torch.float32)
        if len(self._parts) > 1:
            self._parts = [TERM_FORM.joined(self._parts)]
        [terms] = self._parts
        every = np.arange(len(self))
        by_weights = search_weights(queries.weights, Vectors(terms.weights, every), k_sparse)
        # Every document has a score: those without a shared term have 0 and come last
        candidates = [_filled(one, every, k_sparse) for one in by_weights]
        by_vectors = reordered(candidates, queries, Vectors(terms, every), k_sparse)
        ranked = (_filled(one, rows.rows, k_sparse) for one, rows in zip(by_vectors, candidates, strict=True))
        return [
            [
                {self.key: self._keys[row], "similarity": score}
                for row, score in zip(one.rows.tolist(), one.scores.tolist(), strict=True)
            ]
            for one in ranked
        ]

    def _terms(self, texts: list[str], k: int, side: str, dtype: torch.dtype) -> TermEmbeddings:
        shape = len(texts), self.model.n_terms
        return in_rows(encoded_terms(self.model, texts, k, side), np.arange(len(texts)), shape, dtype)

    def _read(self, documents: Sequence[Mapping[str, Any]]) -> tuple[list[Hashable], list[str]]:
        if not len(documents):
            raise DataError("there are no documents. Give at least one.")
        keys: list[Hashable] = []
        texts: list[str] = []
        for place, document in enumerate(documents):
            if missing := [name for name in (self.key, *self.on) if name not in document]:
                raise DataError(
                    f"document {place} has no {missing[0]!r}. It has: {', '.join(map(repr, document))}. Write it, or "
                    "other names for key and on."
                )
            keys.append(document[self.key])
            texts.append(" ".join(str(document[name]) for name in self.on))
        seen = set(self._known)
        for key in keys:
            if not isinstance(key, Hashable):
                raise DataError(f"{self.key} {key!r} is no identifier. Write a text or a number.")
            if key in seen:
                raise DataError(f"{self.key} {key!r} is that of two documents. Give every document its own.")
            seen.add(key)
        if empty := self.model.without_tokens(texts):
            names = ", ".join(repr(keys[place]) for place in empty[:_NAMED])
            raise DataError(
                f"{len(empty)} documents have no token, first {names}. Leave them out: nothing could find them."
            )
        return keys, texts

    def _checked_model(self) -> tuple[str, int]:
        now = _state_of(self.model)
        if self._encoded_by not in (None, now):
            raise ConfigError(
                "the model is not the one that encoded the documents: it was replaced or trained since. Make a new "
                "retriever and add the documents again."
            )
        return now


def _filled(ranked: Ranked, rows: np.ndarray, k: int) -> Ranked:
    """At most k documents: behind those that were found, other ones of `rows`, in their order, with a score of 0."""
    if len(ranked) == k:
        return ranked
    others = np.setdiff1d(rows, ranked.rows)[: k - len(ranked)]
    return Ranked(
        np.concatenate([ranked.rows, others]), np.concatenate([ranked.scores, np.zeros(len(others))])
    )


def _state_of(model: SparsEmbed) -> tuple[str, int]:
    """A digest of heads and projections, and how often the encoder, which is too large to read, has changed."""
    digest = hashlib.blake2b(digest_size=16)
    n_changes = 0
    for name, values in model.named_parameters():
        if name.startswith("encoder."):
            n_changes += values._version  # noqa: SLF001  # counted by torch, changed in place
        else:
            digest.update(name.encode())
            digest.update(values.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest(), n_changes
