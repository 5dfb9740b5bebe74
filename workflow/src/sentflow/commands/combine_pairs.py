"""Rule combine_pairs: cleaned relations → one table of training data, without copies and near copies."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.errors import DataError
from sentflow.files.atomic import atomic
from sentflow.files.io import digest_of, read_json, write_json
from sentflow.files.parquet import DescribedWriter
from sentflow.jobs.log import command, exit_with
from sentflow.training.pairs.combine import combined, write_rows
from sentflow.training.pairs.scratch import Scratch

logger = logging.getLogger(__name__)
_OF_FILE = ("bytes", "file", "sha256")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--data", required=True, help="name in the catalog")
    parser.add_argument(
        "--relations", type=Path, nargs="+", required=True, help="what clean_pairs wrote, in order"
    )
    parser.add_argument("--settings", required=True, help='JSON: {"near": least similarity of near copies}')
    parser.add_argument("--checks", default="{}", help="JSON: rows, which changes no byte of the table")
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Store, compare, write."""
    known = [read_json(path.with_suffix(".json")) for path in args.relations]
    names = [one["relation"] for one in known]
    args.output.parent.mkdir(parents=True, exist_ok=True)
    with Scratch(args.output.parent, args.output.stem, args.relations) as scratch:
        found = combined(scratch, names, near=json.loads(args.settings)["near"])
        n_rows = int(found.kept.sum())
        expected = json.loads(args.checks).get("rows", n_rows)
        if n_rows != expected:
            raise DataError(f"training_data.{args.data}: {n_rows} rows, expected {expected}.")
        with atomic(args.output) as part:
            writer = DescribedWriter(part, {"training": args.data, "form": "pairs", "classes": []})
            write_rows(writer, scratch, found)
            writer.close()
    relations = [
        {**{key: value for key, value in cleaned.items() if key not in _OF_FILE}, **counts}
        for cleaned, counts in zip(known, found.facts(), strict=True)
    ]
    facts = {"data": args.data, "form": "pairs", "rows": n_rows, "relations": relations}
    write_json(args.output.with_suffix(".json"), {**facts, **digest_of(args.output)})
    for one in relations:
        logger.info(
            "%s: %d rows; %d are copies and %d near copies of earlier ones",
            *(one[key] for key in ("relation", "rows", "copies", "near")),
        )
    logger.info("%s: %d rows", args.data, n_rows)


if __name__ == "__main__":
    exit_with(main)
