"""Rule featurise: the rows of a task into features, by a user's own class."""

import argparse
import logging
import time
from pathlib import Path

from sentflow.jobs.arguments import add_call_seconds, call_limit
from sentflow.jobs.log import command, exit_with
from sentflow.jobs.versions import library_version

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--manifest", type=Path, required=True, help="results/models/<model>/manifest.json")
    parser.add_argument("--task", type=Path, required=True, help="task table")
    add_call_seconds(parser)
    parser.add_argument(
        "--features", type=Path, required=True, help="output, .npy, one row per row of the task"
    )
    parser.add_argument("--info", type=Path, required=True, help="output, .json")


@command(arguments, libraries=["numpy"])
def main(args: argparse.Namespace) -> None:
    """Read, call the class, write."""
    from sentflow.encoders.kinds.custom import CustomFeaturiser
    from sentflow.encoders.kinds.custom_code import CustomCode
    from sentflow.encoders.manifest import read_manifest
    from sentflow.encoders.vectors.storage import text_order_sha256, write_embeddings
    from sentflow.probing.features.featurised import all_features, row_texts
    from sentflow.texts.table import read_task

    manifest, table = read_manifest(args.manifest), read_task(args.task)
    code = CustomCode.load(manifest, timeout_seconds=call_limit(args))
    start = time.perf_counter()
    features = all_features(table, CustomFeaturiser(code))
    logger.info("%s: %d rows, %d features", table.info.task, *features.shape)
    description = {
        "model": args.manifest.parent.name,
        "task": table.info.task,
        "files_sha256": manifest.files_sha256,
        "model_settings": dict(manifest.settings),
        "text_order_sha256": text_order_sha256(row_texts(table)),
    }
    made = {
        "seconds": round(time.perf_counter() - start, 3),
        "versions": {"numpy": library_version("numpy")},
    }
    write_embeddings(args.features, args.info, features, description, made)


if __name__ == "__main__":
    exit_with(main)
