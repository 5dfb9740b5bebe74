"""Rule overlap: the sentences of a pair set → similarity by shared words or characters, scored as encoders are."""

import argparse
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.jobs.log import exit_with, start_log

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    arguments = argparse.ArgumentParser(prog="python -m sentflow.commands.overlap", description=__doc__)
    arguments.add_argument("--pairs", type=Path, required=True, help="pair table")
    arguments.add_argument(
        "--settings", required=True, help='JSON: {"pairs", "baseline", "level", "n_resamples", "seed"}'
    )
    arguments.add_argument("--output", type=Path, required=True, help="output, .json")
    arguments.add_argument("--rows", type=Path, required=True, help="output, .parquet")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("overlap", args, libraries=["numpy", "pyarrow"])
    from sentflow.similarity.overlap import overlap
    from sentflow.similarity.results import write_results
    from sentflow.texts.pairs import read_pairs

    settings = json.loads(args.settings)
    table = read_pairs(args.pairs)
    columns = {"overlap": overlap(settings["baseline"], table.text_a, table.text_b)}
    settings = {**settings, "model": settings["baseline"]}
    write_results(args.output, args.rows, table, columns, settings, embeddings=None, warnings=[])
    return 0


if __name__ == "__main__":
    exit_with(main)
