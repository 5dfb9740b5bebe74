"""Rule embed: the distinct texts of a dataset into vectors, once per model."""

import argparse
import hashlib
import json
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.data.texts import read_texts
from sentflow.encoders.devices import device_names
from sentflow.encoders.embedding import check_texts, embed_texts
from sentflow.encoders.kept import NOTHING_KNOWN, KeptRows
from sentflow.encoders.load import expected_dimension, load_encoder
from sentflow.encoders.manifest import Manifest, read_manifest
from sentflow.encoders.prompts import TEXT
from sentflow.encoders.protocol import BatchEncoder, Encoder, FloatArray, IntArray
from sentflow.encoders.settings import BACKEND_LIBRARIES, EncodeSettings
from sentflow.encoders.settings_by_kind import AnySettings, Connection, settings_of_kind
from sentflow.encoders.shards import ShardFolder
from sentflow.encoders.storage import text_order_sha256, write_embeddings
from sentflow.log import exit_with, library_version, start_log

logger = logging.getLogger(__name__)

LIBRARIES = ("numpy", "scikit-learn", "sentence-transformers", "tokenizers", "torch", "transformers")


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    parser = argparse.ArgumentParser(prog="python -m sentflow.commands.embed", description=__doc__)
    add_arguments(parser)
    parser.add_argument(
        "--texts", type=Path, required=True, help="Parquet with one column text, one row per text"
    )
    return parser


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that embed and embed_task have in common."""
    parser.add_argument("--manifest", type=Path, required=True, help="results/models/<model>/manifest.json")
    parser.add_argument("--settings", default="{}", help="JSON: how texts are encoded, by kind")
    parser.add_argument(
        "--connection", default="{}", help="JSON: how a service is reached; changes no result"
    )
    parser.add_argument(
        "--device", default="null", help="JSON: cpu, cuda:1 or a list; null is the best there is"
    )
    parser.add_argument(
        "--code",
        default="",
        help="digest of the code; with it, vectors of an earlier run with the same digest are used",
    )
    parser.add_argument("--threads", type=int, default=1, help="changes the time, not the result")
    parser.add_argument("--embeddings", type=Path, required=True, help="output, .npy")
    parser.add_argument("--info", type=Path, required=True, help="output, .json")


def main(argv: Sequence[str] | None = None) -> int:
    """Read and check, encode, write, and delete what a resumed run would have needed."""
    args = parser().parse_args(argv)
    start_log("embed", args, libraries=LIBRARIES)
    manifest = read_manifest(args.manifest)
    embed(args, manifest, {TEXT: read_texts(args.texts)}, dataset=args.texts.stem, task=None)
    return 0


def embed(
    args: argparse.Namespace,
    manifest: Manifest,
    texts_of_role: Mapping[str, Sequence[str]],
    *,
    dataset: str,
    task: str | None,
) -> None:
    """Embed the texts of a dataset, or of one task; the rows of one role after those of the other."""
    settings = settings_of_kind(manifest.kind, args.settings)
    connection = Connection.from_json(args.connection)
    devices = device_names(args.device)
    for texts in texts_of_role.values():
        check_texts(texts)
    prepare_environment(args.threads)
    names = {"model": args.manifest.parent.name, "dataset": dataset, "task": task}
    parts, description = [], {}
    for role, texts in texts_of_role.items():
        encoder = load_encoder(
            manifest,
            settings,
            manifest_folder=args.manifest.parent,
            threads=args.threads,
            connection=connection,
            devices=devices,
            role=role,
            task=task,
        )
        logger.info("%d texts, %d values each, %d threads", len(texts), encoder.dimension, args.threads)
        description = describe_run(manifest, settings, texts, device=getattr(encoder, "device", "cpu"))
        kept = KeptRows(
            _hidden(args.embeddings, "kept"), key=kept_key(description, code=args.code, task=task)
        )
        part = _embedded(
            encoder,
            texts,
            known=kept.find(texts, role=role) if args.code else NOTHING_KNOWN,
            description=description,
            shard_folder=_hidden(args.embeddings, "shards" if role == TEXT else f"{role}.shards"),
            dimension=expected_dimension(manifest, settings),
            role=role,
            task=task,
        )
        parts.append(part)
    order = text_order_sha256([text for texts in texts_of_role.values() for text in texts])
    truncated = [part.truncated_texts for part in parts]
    found = {
        "text_order_sha256": order,
        "truncated_texts": None if None in truncated else sum(filter(None, truncated)),
        # absent where it is as ever, so that no file changes by it
        **({"roles": list(texts_of_role)} if len(texts_of_role) > 1 else {}),
    }
    embeddings = (
        parts[0].embeddings if len(parts) == 1 else np.concatenate([part.embeddings for part in parts])
    )
    write_embeddings(args.embeddings, args.info, embeddings, {**names, **description, **found})
    if args.code:
        kept.keep(args.embeddings, texts_of_role)
    for part in parts:
        part.shards.clear()


@dataclass(frozen=True)
class _Embedded:
    """The vectors of one role, how many of its texts were cut, and the shards that are no longer needed."""

    embeddings: FloatArray
    truncated_texts: int | None
    shards: ShardFolder


def _embedded(
    encoder: Encoder,
    texts: Sequence[str],
    *,
    known: tuple[IntArray, FloatArray],
    description: Mapping[str, Any],
    shard_folder: Path,
    dimension: int | None,
    role: str,
    task: str | None,
) -> _Embedded:
    """Embed the texts that are not known."""
    rows, vectors = known
    left = np.setdiff1d(np.arange(len(texts)), rows)
    new = [texts[row] for row in left]
    shards = ShardFolder(
        shard_folder, key=digest({**description, "text_order_sha256": text_order_sha256(new)})
    )
    if not len(rows):
        embeddings = embed_texts(encoder, texts, shards=shards, dimension=dimension, role=role, task=task)
    else:
        logger.info("%d of %d texts are there from an earlier run", len(rows), len(texts))
        embeddings = np.empty((len(texts), vectors.shape[1]), dtype=np.float32)
        embeddings[rows] = vectors
        if new:
            embeddings[left] = embed_texts(
                encoder, new, shards=shards, dimension=dimension, role=role, task=task
            )
        if isinstance(encoder, BatchEncoder):
            encoder.plan(texts)  # counts the cut texts among all of them
    return _Embedded(embeddings, getattr(encoder, "truncated_texts", None), shards)


def _hidden(embeddings: Path, what: str) -> Path:
    return embeddings.with_name(f".{embeddings.stem}.{what}")


def kept_key(description: Mapping[str, Any], *, code: str, task: str | None) -> str:
    """What two runs must have in common for one to use the vectors of the other."""
    same = {key: value for key, value in description.items() if key != "text_order_sha256"}
    return digest({**same, "code": code, "task": task})


def prepare_environment(threads: int) -> None:
    """Tell the libraries, before they are imported, to stay offline and within their threads."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if threads > 1 else "false"
    os.environ["RAYON_NUM_THREADS"] = str(threads)


def describe_run(
    manifest: Manifest, settings: AnySettings, texts: Sequence[str], *, device: str
) -> dict[str, Any]:
    """Everything that the vectors depend on; no place and no time, so that equal runs give equal bytes."""
    of_backend = BACKEND_LIBRARIES[settings.backend] if isinstance(settings, EncodeSettings) else ()
    return {
        "kind": manifest.kind,
        "revision": manifest.revision,
        "files_sha256": manifest.files_sha256,
        "model_settings": dict(manifest.settings),
        "encode_settings": settings.as_dict(),
        "text_order_sha256": text_order_sha256(texts),
        "device": device,
        "versions": {library: library_version(library) for library in (*LIBRARIES, *of_backend)},
    }


def digest(description: dict[str, Any]) -> str:
    """Name of the folder with the shards of exactly this run."""
    return hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()[:16]


if __name__ == "__main__":
    exit_with(main)
