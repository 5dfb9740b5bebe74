"""The vectors of all texts of a dataset: checked, in the order of the texts, saved on the way."""

import logging
import time
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np

from sentflow.encoders.kinds.contract import SparseEncoder
from sentflow.encoders.protocol import Batch, BatchEncoder, Encoder, IntArray
from sentflow.encoders.roles import TEXT
from sentflow.encoders.vectors.forms import DENSE_FORM, Form, Part, Vectors
from sentflow.encoders.vectors.shards import ShardFolder
from sentflow.encoders.vectors.storage import named_rows
from sentflow.errors import DataError

logger = logging.getLogger(__name__)

SHARD_SECONDS = 45.0
PROGRESS_SECONDS = 10.0
_ROWS_AT_A_TIME = 4096  # of an encoder that has no batches of its own

# Texts whose vectors are there already, rows ascending
NOTHING_KNOWN: Part = (np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.float32))


def check_texts(texts: Sequence[str | None]) -> None:
    """Refuse texts that no encoder can say anything about."""
    if not texts:
        raise DataError(
            "there are no texts to embed. Check the tasks that use this dataset: their tables are empty."
        )
    shown = [text or "" for text in texts]
    if empty := [row for row, text in enumerate(shown) if not text.strip()]:
        raise DataError(
            f"{len(empty)} of {len(texts)} texts are empty: {named_rows(empty, shown)}. Remove these rows "
            "from the data, or let the task's reader skip them."
        )


def embed_texts(
    encoder: Encoder | SparseEncoder,
    texts: Sequence[str],
    *,
    shards: ShardFolder,
    dimension: int | None = None,
    role: str = TEXT,
    task: str | None = None,
    known: Part = NOTHING_KNOWN,
    shard_seconds: float = SHARD_SECONDS,
    form: Form = DENSE_FORM,
) -> Vectors:
    """Encode texts that are not known, going on from the shards of an interrupted run.

    `texts`: n >= 1 texts, none empty. `shards`: of these texts without the known ones. Deleted by the caller, once the
    result is safe. `dimension`: what the vectors' width must be; None where that is not known. `known`: texts whose
    vectors are there, from a run with the same encoder. The others form batches without them. `shard_seconds`: work
    that a kill may cost. Returns: (n, d) float32, all finite; the same bytes however often the run was interrupted.
    """
    _check_dimension(encoder, dimension)
    rows, _ = known
    if not len(rows):
        parts = _encoded(encoder, texts, shards, role, task, shard_seconds, form)
        return form.placed(len(texts), encoder.dimension, parts)
    logger.info("%d of %d texts are there from an earlier run", len(rows), len(texts))
    new = _others(len(texts), rows)
    parts = (
        _encoded(encoder, unknown(texts, known), shards, role, task, shard_seconds, form)
        if len(new)
        else iter(())
    )
    in_place = ((new[some], vectors) for some, vectors in parts)
    embeddings = form.placed(len(texts), encoder.dimension, chain([known], in_place))
    if isinstance(encoder, BatchEncoder):
        encoder.plan(texts)  # an encoder that counts cut texts counts them among all
    return embeddings


def unknown(texts: Sequence[str], known: Part) -> list[str]:
    """The texts whose vectors are not there, in order."""
    return [texts[row] for row in _others(len(texts), known[0])]


def _others(n: int, rows: IntArray) -> IntArray:
    return np.setdiff1d(np.arange(n), rows)


def _encoded(
    encoder: Encoder | SparseEncoder,
    texts: Sequence[str],
    shards: ShardFolder,
    role: str,
    task: str | None,
    shard_seconds: float,
    form: Form,
) -> Iterator[Part]:
    """Rows and vectors of all texts; see `embed_texts`."""
    done = np.zeros(len(texts), dtype=bool)
    for rows, vectors in shards.load():
        done[rows] = True
        yield rows, vectors
    if done.any():
        logger.info("%d of %d texts are there from an interrupted run", done.sum(), len(texts))
    batches = [batch for batch in _plan(encoder, texts) if not done[batch.rows].all()]
    progress = _Progress(batches)
    unsaved: list[Part] = []
    saved_at = time.monotonic()
    for batch, vectors in zip(batches, _vectors(encoder, texts, batches, role, task), strict=True):
        _check_vectors(vectors, batch, texts, encoder.dimension, form)
        yield batch.rows, vectors
        progress.add(batch)
        unsaved.append((batch.rows, vectors))
        if time.monotonic() - saved_at >= shard_seconds:
            done_rows, found = zip(*unsaved, strict=True)
            shards.save(np.concatenate(done_rows), form.joined(found))
            unsaved, saved_at = [], time.monotonic()


def _plan(encoder: Encoder | SparseEncoder, texts: Sequence[str]) -> list[Batch]:
    # Always over all texts: a resumed run must form the same batches, for neighbours change last bits
    if isinstance(encoder, BatchEncoder):
        return encoder.plan(texts)
    starts = range(0, len(texts), _ROWS_AT_A_TIME)
    chunks = [np.arange(start, min(start + _ROWS_AT_A_TIME, len(texts))) for start in starts]
    return [Batch(rows=rows, cost=len(rows)) for rows in chunks]


def _vectors(
    encoder: Encoder | SparseEncoder,
    texts: Sequence[str],
    batches: Sequence[Batch],
    role: str,
    task: str | None,
) -> Iterator[Vectors]:
    if isinstance(encoder, BatchEncoder):
        yield from encoder.encode_batches(texts, batches)
        return
    for batch in batches:
        yield encoder.encode([texts[row] for row in batch.rows], role=role, task=task)


def _check_dimension(encoder: Encoder | SparseEncoder, dimension: int | None) -> None:
    if dimension is not None and encoder.dimension != dimension:
        raise DataError(
            f"the encoder makes vectors of {encoder.dimension} values, but its manifest says {dimension}. "
            "The model's configuration files contradict its weights: fetch the model again or correct them."
        )


def _check_vectors(vectors: Vectors, batch: Batch, texts: Sequence[str], dimension: int, form: Form) -> None:
    expected = (len(batch.rows), dimension)
    if vectors.shape != expected or vectors.dtype != np.float32:
        raise DataError(
            f"the encoder returned {vectors.dtype} {vectors.shape} for {len(batch.rows)} texts, expected "
            f"float32 {expected}. The first of them is {named_rows([int(batch.rows[0])], texts)}."
        )
    if bad := form.rows_not_finite(vectors):
        rows = sorted(int(batch.rows[index]) for index in bad)
        raise DataError(
            f"the encoder returned values that are not finite for {named_rows(rows, texts)}. Look at these "
            "texts; if they are ordinary, the model's weights are damaged or overflow."
        )


class _Progress:
    """Lines in the log: how much is done, how fast, how long it still takes."""

    def __init__(self, batches: Sequence[Batch]) -> None:
        self._n_texts = sum(len(batch.rows) for batch in batches)
        self._cost = sum(batch.cost for batch in batches)
        self._texts_done = self._cost_done = 0
        self._start = self._logged = time.monotonic()

    def add(self, batch: Batch) -> None:
        self._texts_done += len(batch.rows)
        self._cost_done += batch.cost
        now = time.monotonic()
        finished = self._texts_done == self._n_texts
        if now - self._logged < PROGRESS_SECONDS and not finished:
            return
        self._logged = now
        seconds = max(now - self._start, 1e-9)
        # By cost, not by texts: the longest texts come first
        left_seconds = seconds * (self._cost - self._cost_done) / self._cost_done
        logger.info(
            "%d/%d texts (%.0f %%), %.0f texts/s, %.0f s left",
            self._texts_done,
            self._n_texts,
            100 * self._cost_done / self._cost,
            self._texts_done / seconds,
            left_seconds,
        )
