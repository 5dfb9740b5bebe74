"""Rule embed: the texts of a collection into vectors, once per model."""

import argparse
import hashlib
import json
import logging
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.kinds.table import KINDS
from sentflow.encoders.load import encode_settings, load_encoder, load_sparse_encoder
from sentflow.encoders.manifest import Manifest, read_manifest
from sentflow.encoders.protocol import Reading
from sentflow.encoders.roles import TEXT
from sentflow.encoders.vectors.embedding import NOTHING_KNOWN, check_texts, embed_texts, unknown
from sentflow.encoders.vectors.forms import form_of
from sentflow.encoders.vectors.kept import KeptRows
from sentflow.encoders.vectors.shards import ShardFolder
from sentflow.encoders.vectors.storage import model_of, text_order_sha256, write_tokens
from sentflow.files.limits import add_limits, use_limits
from sentflow.jobs.arguments import add_call_seconds, call_limit
from sentflow.jobs.log import command, exit_with
from sentflow.jobs.versions import library_version
from sentflow.texts.collection import Collection, read_collection

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--texts", type=Path, required=True, help="Parquet of a collection: one row per text")
    parser.add_argument("--collection", required=True, help="its name")
    parser.add_argument("--task", default="", help="the task whose prompts are prepended to the texts")
    parser.add_argument("--manifest", type=Path, required=True, help="results/models/<model>/manifest.json")
    parser.add_argument("--settings", default="{}", help="JSON: how texts are encoded, by kind")
    parser.add_argument(
        "--connection", default="{}", help="JSON: how a service is reached; changes no result"
    )
    parser.add_argument(
        "--device", default="null", help="JSON: cpu, cuda:1 or a list; null for the best device available"
    )
    parser.add_argument(
        "--code",
        default="",
        help="digest of the code; with it, vectors of an earlier run with the same digest are used",
    )
    parser.add_argument("--threads", type=int, default=1, help="changes the time, not the result")
    add_call_seconds(parser)
    add_limits(parser)
    parser.add_argument(
        "--kept-beside",
        type=Path,
        help="where vectors of an earlier run are, instead of beside the output: that of another selection of texts",
    )
    parser.add_argument(
        "--embeddings", type=Path, required=True, help="output, .npy; of an encoder of terms .npz"
    )
    parser.add_argument(
        "--info",
        type=Path,
        required=True,
        help="output, .json; .made.json next to it records how it was made",
    )


@command(arguments, libraries=["numpy"])
def main(args: argparse.Namespace) -> None:
    """Read and check, encode, write, and delete what a resumed run would have needed."""
    embed(args, read_manifest(args.manifest), read_collection(args.texts))


def embed(args: argparse.Namespace, manifest: Manifest, collection: Collection) -> None:
    """Embed a collection; the rows of one role after those of the other."""
    texts_of_role = collection.by_role()
    task = args.task or None
    use_limits(args)
    start = time.perf_counter()
    settings = encode_settings(manifest, json.loads(args.settings))
    around = _surroundings(args, task)
    for texts in texts_of_role.values():
        check_texts(texts)
    prepare_environment(args.threads)
    description = {
        "model": model_of(args.manifest),
        "collection": args.collection,
        "task": task,
        **describe_vectors(manifest, settings),
    }
    kind = KINDS[manifest.kind]
    load, form = load_sparse_encoder if kind.weighs_terms else load_encoder, form_of(kind.gives)
    arrays, folders, readings = [], [], []
    made: dict[str, Any] = {"threads": args.threads, "texts_from_earlier_runs": 0, "halved_batches": 0}
    for role, texts in texts_of_role.items():
        encoder = load(manifest, settings, replace(around, role=role))
        logger.info("%d texts, %d values each, %d threads", len(texts), encoder.dimension, args.threads)
        computed_by = {
            "device": getattr(encoder, "device", "cpu"),
            "versions": _versions(manifest, settings),
        }
        logger.info("versions that can change a vector: %s", computed_by["versions"])
        key = {**description, **computed_by, "code": args.code}
        same_vectors = {name: value for name, value in key.items() if name != "collection"}
        kept = KeptRows(
            _hidden(args.kept_beside or args.embeddings, "kept"), key=digest(same_vectors), form=form
        )
        known = kept.find(texts, role=role) if args.code else NOTHING_KNOWN
        new = {"text_order_sha256": text_order_sha256(unknown(texts, known))}
        folder = _hidden(args.embeddings, "shards" if role == TEXT else f"{role}.shards")
        shards = ShardFolder(folder, key=digest({**key, **new}), form=form)
        arrays.append(
            embed_texts(
                encoder,
                texts,
                shards=shards,
                dimension=settings.dimension(manifest),
                role=role,
                task=task,
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
    description |= write_tokens(args.embeddings.with_suffix(".tokens.npy"), reading)
    if kind.weighs_terms:
        description["vocabulary_sha256"] = getattr(encoder, "vocabulary_sha256", None)
    form.write(args.embeddings, args.info, form.joined(arrays), description, made)
    if args.code:
        kept.keep(args.embeddings, texts_of_role)
    for shards in folders:
        shards.clear()


def _surroundings(args: argparse.Namespace, task: str | None) -> Surroundings:
    device = json.loads(args.device)
    return Surroundings(
        manifest_folder=args.manifest.parent,
        threads=args.threads,
        connection=json.loads(args.connection),
        devices=tuple(device) if isinstance(device, list) else () if device is None else (device,),
        timeout_seconds=call_limit(args),
        task=task,
    )


def _joined(readings: Sequence[Reading | None]) -> Reading | None:
    """What is read of the texts of all roles; None where an encoder does not say."""
    known = [reading for reading in readings if reading]
    if len(known) < len(readings):
        return None
    return Reading(np.concatenate([reading.tokens for reading in known]), known[0].limit)


def _hidden(output: Path, what: str) -> Path:
    """A hidden folder beside an output."""
    return output.with_name(f".{output.stem}.{what}")


def prepare_environment(threads: int) -> None:
    """Tell the libraries, before they are imported, to stay offline and within their threads."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if threads > 1 else "false"
    os.environ["RAYON_NUM_THREADS"] = str(threads)


def describe_vectors(manifest: Manifest, settings: EncoderSettings) -> dict[str, Any]:
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


def digest(key: Mapping[str, Any]) -> str:
    """Names what two runs must have in common for one to use the vectors of the other."""
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]


if __name__ == "__main__":
    exit_with(main)
