"""Rule overlap: the sentences of a pair set → similarity by shared words or characters, scored as encoders are."""

import argparse
import json
from pathlib import Path

from sentflow.jobs.log import command, exit_with


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--pairs", type=Path, required=True, help="pair table")
    parser.add_argument(
        "--settings", required=True, help='JSON: {"pairs", "baseline", "level", "n_resamples", "seed"}'
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .json")
    parser.add_argument("--rows", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    from sentflow.similarity.overlap import overlap
    from sentflow.similarity.results import write_results
    from sentflow.texts.pairs import read_pairs

    settings = json.loads(args.settings)
    table = read_pairs(args.pairs)
    columns = {"overlap": overlap(settings["baseline"], table.text_a, table.text_b)}
    settings = {**settings, "model": settings["baseline"]}
    write_results(args.output, args.rows, table, columns, settings, embeddings=None, warnings=[])


if __name__ == "__main__":
    exit_with(main)
