"""Rule embed: the distinct texts of a dataset into vectors, once per model."""

import argparse
import hashlib
import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sentflow.data.texts import read_texts
from sentflow.encoders.devices import device_names
from sentflow.encoders.embedding import check_texts, embed_texts
from sentflow.encoders.load import expected_dimension, load_encoder
from sentflow.encoders.manifest import Manifest, read_manifest
from sentflow.encoders.prompts import TEXT
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
    return parser


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that embed and embed_task have in common."""
    parser.add_argument("--manifest", type=Path, required=True, help="results/models/<model>/manifest.json")
    parser.add_argument(
        "--texts", type=Path, required=True, help="Parquet with one column text, one row per text"
    )
    parser.add_argument("--settings", default="{}", help="JSON: how texts are encoded, by kind")
    parser.add_argument(
        "--connection", default="{}", help="JSON: how a service is reached; changes no result"
    )
    parser.add_argument(
        "--device", default="null", help="JSON: cpu, cuda:1 or a list; null is the best there is"
    )
    parser.add_argument("--threads", type=int, default=1, help="changes the time, not the result")
    parser.add_argument("--embeddings", type=Path, required=True, help="output, .npy")
    parser.add_argument("--info", type=Path, required=True, help="output, .json")


def main(argv: Sequence[str] | None = None) -> int:
    """Read and check, encode, write, and delete what a resumed run would have needed."""
    args = parser().parse_args(argv)
    start_log("embed", args, libraries=LIBRARIES)
    embed(args, dataset=args.texts.stem, task=None)
    return 0


def embed(args: argparse.Namespace, *, dataset: str, task: str | None) -> None:
    """Embed the texts of a dataset as those of one task, or of any."""
    manifest = read_manifest(args.manifest)
    settings = settings_of_kind(manifest.kind, args.settings)
    connection = Connection.from_json(args.connection)
    devices = device_names(args.device)
    texts = read_texts(args.texts)
    check_texts(texts)
    prepare_environment(args.threads)
    encoder = load_encoder(
        manifest,
        settings,
        manifest_folder=args.manifest.parent,
        threads=args.threads,
        connection=connection,
        devices=devices,
        role=TEXT,
        task=task,
    )
    description = describe_run(manifest, settings, texts, device=getattr(encoder, "device", "cpu"))
    shards = ShardFolder(
        args.embeddings.with_name(f".{args.embeddings.stem}.shards"), key=digest(description)
    )
    logger.info("%d texts, %d values each, %d threads", len(texts), encoder.dimension, args.threads)
    dimension = expected_dimension(manifest, settings)
    embeddings = embed_texts(encoder, texts, shards=shards, dimension=dimension, role=TEXT, task=task)
    names = {"model": args.manifest.parent.name, "dataset": dataset, "task": task}
    found = {"truncated_texts": getattr(encoder, "truncated_texts", None)}
    write_embeddings(args.embeddings, args.info, embeddings, {**names, **description, **found})
    shards.clear()


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
