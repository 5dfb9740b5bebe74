"""The texts of a collection into vectors: what a resumed run, or one with other texts, need not compute again."""

import hashlib
import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.kinds.table import KINDS
from sentflow.encoders.load import load_encoder, load_sparse_encoder
from sentflow.encoders.manifest import Manifest
from sentflow.encoders.protocol import Reading
from sentflow.encoders.roles import TEXT
from sentflow.encoders.vectors.embedding import NOTHING_KNOWN, check_texts, embed_texts, unknown
from sentflow.encoders.vectors.forms import form_of
from sentflow.encoders.vectors.kept import KeptRows
from sentflow.encoders.vectors.shards import ShardFolder
from sentflow.encoders.vectors.storage import text_order_sha256, write_tokens
from sentflow.jobs.machine import library_version
from sentflow.texts.collection import Collection

logger = logging.getLogger(__name__)


def embed_collection(
    collection: Collection,
    manifest: Manifest,
    settings: EncoderSettings,
    around: Surroundings,
    *,
    about: Mapping[str, str],
    code: str,
    kept_beside: Path,
    embeddings: Path,
    info: Path,
) -> None:
    """Embed a collection; the rows of one role after those of the other.

    `about`: what the description of the vectors says first: ``model`` and ``collection``. `code`: digest; with it,
    vectors of an earlier run with the same digest are used. Empty for none. `kept_beside`: where such vectors are
    kept. Raises SentflowError: the encoder cannot be loaded or used, or a text is empty.
    """
    texts_of_role = collection.by_role()
    start = time.perf_counter()
    for texts in texts_of_role.values():
        check_texts(texts)
    description = {**about, "task": around.task, **_of_vectors(manifest, settings)}
    kind = KINDS[manifest.kind]
    load, form = load_sparse_encoder if kind.weighs_terms else load_encoder, form_of(kind.gives)
    arrays, folders, readings = [], [], []
    made: dict[str, Any] = {"threads": around.threads, "texts_from_earlier_runs": 0, "halved_batches": 0}
    for role, texts in texts_of_role.items():
        encoder = load(manifest, settings, replace(around, role=role))
        logger.info("%d texts, %d values each, %d threads", len(texts), encoder.dimension, around.threads)
        computed_by = {
            "device": getattr(encoder, "device", "cpu"),
            "versions": _versions(manifest, settings),
        }
        logger.info("versions that can change a vector: %s", computed_by["versions"])
        key = {**description, **computed_by, "code": code}
        same_vectors = {name: value for name, value in key.items() if name != "collection"}
        kept = KeptRows(_hidden(kept_beside, "kept"), key=_digest(same_vectors), form=form)
        known = kept.find(texts, role=role) if code else NOTHING_KNOWN
        new = {"text_order_sha256": text_order_sha256(unknown(texts, known))}
        folder = _hidden(embeddings, "shards" if role == TEXT else f"{role}.shards")
        shards = ShardFolder(folder, key=_digest({**key, **new}), form=form)
        arrays.append(
            embed_texts(
                encoder,
                texts,
                shards=shards,
                dimension=settings.dimension(manifest),
                role=role,
                task=around.task,
                known=known,
                form=form,
            )
        )
        folders.append(shards)
        readings.append(getattr(encoder, "reading", None))
        made["texts_from_earlier_runs"] += len(known[0])
        made["halved_batches"] += getattr(encoder, "halved_batches", 0)
        made |= computed_by
    reading = _joined(readings)
    made["truncated_texts"] = int((reading.lost > 0).sum()) if reading else None
    made["seconds"] = round(time.perf_counter() - start, 3)
    description["text_order_sha256"] = text_order_sha256(collection.texts)
    if len(texts_of_role) > 1:
        description["roles"] = list(texts_of_role)
    description |= write_tokens(embeddings.with_suffix(".tokens.npy"), reading)
    if kind.weighs_terms:
        description["vocabulary_sha256"] = getattr(encoder, "vocabulary_sha256", None)
    form.write(embeddings, info, form.joined(arrays), description, made)
    if code:
        kept.keep(embeddings, texts_of_role)
    for shards in folders:
        shards.clear()


def _joined(readings: Sequence[Reading | None]) -> Reading | None:
    """What is read of the texts of all roles; None where an encoder does not say."""
    known = [reading for reading in readings if reading]
    if len(known) < len(readings):
        return None
    return Reading(np.concatenate([reading.tokens for reading in known]), known[0].limit)


def _hidden(output: Path, what: str) -> Path:
    """A hidden folder beside an output."""
    return output.with_name(f".{output.stem}.{what}")


def _of_vectors(manifest: Manifest, settings: EncoderSettings) -> dict[str, Any]:
    """What decides the vectors of a text; no place and no time, so that equal runs give equal bytes."""
    return {
        "kind": manifest.kind,
        "revision": manifest.revision,
        "files_sha256": manifest.files_sha256,
        "model_settings": dict(manifest.settings),
        "encode_settings": settings.as_dict(),
    }


def _versions(manifest: Manifest, settings: EncoderSettings) -> dict[str, str]:
    """Those of the libraries that can change a vector."""
    libraries = KINDS[manifest.kind].vector_libraries(settings.as_dict())
    return {library: library_version(library) for library in libraries}


def _digest(key: Mapping[str, Any]) -> str:
    """Names what two runs must have in common for one to use the vectors of the other."""
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
