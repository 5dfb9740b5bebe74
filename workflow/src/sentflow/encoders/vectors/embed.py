"""The texts of a collection into vectors: checked, in the order of the texts, saved on the way, kept for later runs."""

import hashlib
import json
import logging
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.config.model import Settings
from sentflow.encoders.kind import Context, Encoder, load_encoder
from sentflow.encoders.manifest import Manifest
from sentflow.encoders.settings import DENSE, KINDS, OWN, SPARSE, TERM_VECTORS, TEXT, VectorSettings
from sentflow.encoders.vectors.cache import NOTHING_KNOWN, KeptRows, ShardFolder
from sentflow.encoders.vectors.storage import (
    DENSE_FORM,
    Batch,
    Form,
    Part,
    Reading,
    Vectors,
    named_rows,
    text_order_sha256,
    write_tokens,
)
from sentflow.errors import DataError
from sentflow.jobs.machine import library_version
from sentflow.texts.collection import Collection

logger = logging.getLogger(__name__)

SHARD_SECONDS = 45.0
PROGRESS_SECONDS = 10.0


def embed_collection(
    collection: Collection,
    manifest: Manifest,
    settings: Settings,
    context: Context,
    *,
    about: Mapping[str, str],
    code: str,
    kept: Path,
    shards: Path,
    embeddings: Path,
    info: Path,
) -> None:
    """Embed a collection; the rows of one role after those of the other.

    `about`: what the description says first: ``model`` and ``collection``. `code`: digest; with it, vectors of an
    earlier run with the same digest are used. `kept`: folder of those. `shards`: folder of what an interrupted run has
    done, deleted at the end. Raises SentflowError: the encoder cannot be loaded or used, or a text is empty.
    """
    texts_of_role = collection.by_role()
    start = time.perf_counter()
    for texts in texts_of_role.values():
        check_texts(texts)
    description: dict[str, Any] = {
        **about,
        "task": context.task,
        "kind": manifest.kind,
        "revision": manifest.revision,
        "files_sha256": manifest.files_sha256,
        "model_settings": dict(manifest.settings),
        "encode_settings": settings.as_dict(),
    }
    encoder = load_encoder(manifest, settings, context, output=(DENSE, OWN, SPARSE, TERM_VECTORS))
    form = _form_of(encoder)
    libraries = KINDS[manifest.kind].vector_libraries(settings.as_dict())
    computed_by = {
        "device": encoder.device,
        "versions": {library: library_version(library) for library in libraries},
    }
    logger.info("versions that can change a vector: %s", computed_by["versions"])
    key = {**description, **computed_by, "code": code}
    same_vectors = {name: value for name, value in key.items() if name != "collection"}
    kept_rows = KeptRows(kept, key=_digest(same_vectors), form=form)
    arrays, readings, n_known = [], [], 0
    for role, texts in texts_of_role.items():
        logger.info("%d texts, %d values each, %d threads", len(texts), encoder.dimension, context.threads)
        known = kept_rows.find(texts, role=role) if code else NOTHING_KNOWN
        new = [texts[row] for row in np.setdiff1d(np.arange(len(texts)), known[0])]
        of_new = {**key, "text_order_sha256": text_order_sha256(new)}
        arrays.append(
            embed_texts(
                encoder,
                texts,
                shards=ShardFolder(shards / role, key=_digest(of_new), form=form),
                dimension=dimension_of(manifest, settings),
                role=role,
                task=context.task,
                known=known,
            )
        )
        readings.append(encoder.reading)
        n_known += len(known[0])
    said = [reading for reading in readings if reading]
    reading = None  # where an encoder does not say it of the texts of all roles
    if len(said) == len(readings):
        reading = Reading(np.concatenate([one.tokens for one in said]), said[0].limit)
    made = {
        "threads": context.threads,
        "texts_from_earlier_runs": n_known,
        "halved_batches": encoder.halved_batches,
        **computed_by,
        "truncated_texts": int((reading.lost > 0).sum()) if reading else None,
        "seconds": round(time.perf_counter() - start, 3),
    }
    description["text_order_sha256"] = text_order_sha256(collection.texts)
    if len(texts_of_role) > 1:
        description["roles"] = list(texts_of_role)
    description |= write_tokens(embeddings.with_suffix(".tokens.npy"), reading)
    if encoder.vocabulary_sha256 is not None:
        description["vocabulary_sha256"] = encoder.vocabulary_sha256
    form.write(embeddings, info, form.joined(arrays), description, made)
    if code:
        kept_rows.keep(embeddings, texts_of_role)
    shutil.rmtree(shards, ignore_errors=True)


def dimension_of(manifest: Manifest, settings: Settings) -> int | None:
    """Width that the vectors must have; None where only the model itself tells."""
    width = manifest.dimension
    if not isinstance(settings, VectorSettings) or width is None:
        return width
    # another pooling in the place of several changes it
    if settings.pooling is not None and "+" in (manifest.pooling or ""):
        return None
    return min(width, settings.truncate_dim or width)


def _digest(key: Mapping[str, Any]) -> str:
    """Names what two runs must have in common for one to use the vectors of the other."""
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]


# --- texts of one role --------------------------------------------------------------------------------------


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
    encoder: Encoder,
    texts: Sequence[str],
    *,
    shards: ShardFolder,
    dimension: int | None = None,
    role: str = TEXT,
    task: str | None = None,
    known: Part = NOTHING_KNOWN,
    shard_seconds: float = SHARD_SECONDS,
) -> Vectors:
    """Encode texts that are not known, going on from the shards of an interrupted run.

    `texts`: n >= 1, none empty. `shards`: of those without the known ones; deleted by the caller. `dimension`: what the
    width must be; None where that is not known. `known`: texts with their vectors, from a run with the same encoder.
    `shard_seconds`: work that a kill may cost. Returns: (n, d) float32, all finite; the same bytes however often the
    run was interrupted.
    """
    if dimension is not None and encoder.dimension != dimension:
        raise DataError(
            f"the encoder makes vectors of {encoder.dimension} values, but its manifest says {dimension}. "
            "The model's configuration files contradict its weights: fetch the model again or correct them."
        )
    new = np.setdiff1d(np.arange(len(texts)), known[0])
    parts = _encoded(encoder, [texts[row] for row in new], shards, role, task, shard_seconds)
    form = _form_of(encoder)
    if not len(known[0]):
        return form.placed(len(texts), encoder.dimension, parts)
    logger.info("%d of %d texts are there from an earlier run", len(known[0]), len(texts))
    in_place = ((new[some], vectors) for some, vectors in parts) if len(new) else iter(())
    embeddings = form.placed(len(texts), encoder.dimension, chain([known], in_place))
    encoder.plan(texts, role=role, task=task)  # an encoder that counts cut texts counts them among all
    return embeddings


def _encoded(
    encoder: Encoder,
    texts: Sequence[str],
    shards: ShardFolder,
    role: str,
    task: str | None,
    shard_seconds: float,
) -> Iterator[Part]:
    """Rows and vectors of all texts; see `embed_texts`."""
    done = np.zeros(len(texts), dtype=bool)
    for rows, vectors in shards.load():
        done[rows] = True
        yield rows, vectors
    if done.any():
        logger.info("%d of %d texts are there from an interrupted run", done.sum(), len(texts))
    # Always over all texts: a resumed run must form the same batches, for neighbours change last bits
    planned = encoder.plan(texts, role=role, task=task)
    batches = [batch for batch in planned if not done[batch.rows].all()]
    progress = _Progress(batches)
    unsaved: list[Part] = []
    saved_at = time.monotonic()
    computed = encoder.encode_batches(texts, batches, role=role, task=task)
    for batch, vectors in zip(batches, computed, strict=True):
        _check_vectors(vectors, batch, texts, encoder)
        yield batch.rows, vectors
        progress.add(batch)
        unsaved.append((batch.rows, vectors))
        if time.monotonic() - saved_at >= shard_seconds:
            done_rows, several = zip(*unsaved, strict=True)
            shards.save(np.concatenate(done_rows), _form_of(encoder).joined(several))
            unsaved, saved_at = [], time.monotonic()


def _form_of(encoder: Encoder) -> Form:
    return getattr(encoder, "form", DENSE_FORM)


def _check_vectors(vectors: Vectors, batch: Batch, texts: Sequence[str], encoder: Encoder) -> None:
    expected = (len(batch.rows), encoder.dimension)
    if vectors.shape != expected or vectors.dtype != np.float32:
        raise DataError(
            f"the encoder returned {vectors.dtype} {vectors.shape} for {len(batch.rows)} texts, expected "
            f"float32 {expected}. The first of them is {named_rows([int(batch.rows[0])], texts)}."
        )
    if bad := _form_of(encoder).rows_not_finite(vectors):
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
        if now - self._logged < PROGRESS_SECONDS and self._texts_done < self._n_texts:
            return
        self._logged = now
        seconds = max(now - self._start, 1e-9)
        logger.info(
            "%d/%d texts (%.0f %%), %.0f texts/s, %.0f s left",
            self._texts_done,
            self._n_texts,
            100 * self._cost_done / self._cost,
            self._texts_done / seconds,
            # By cost, not by texts: the longest texts come first
            seconds * (self._cost - self._cost_done) / self._cost_done,
        )
