"""Rule score_snapshot: development pairs and their vectors by one snapshot of a training → how good it is there."""

import argparse
import json
from pathlib import Path

from sentflow.files.sealed import write_sealed
from sentflow.jobs.arguments import add_embedding_arguments
from sentflow.jobs.log import command, exit_with


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--pairs", type=Path, required=True, help="pair table")
    add_embedding_arguments(parser)
    parser.add_argument("--settings", required=True, help='JSON: {"model", "step", "pairs"}')
    parser.add_argument("--output", type=Path, required=True, help="output, .json")


@command(arguments, libraries=["numpy", "scipy"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    from sentflow.texts.lookup import read_vectors
    from sentflow.texts.pairs import read_pairs
    from sentflow.training.development import development_measures

    measures = development_measures(
        read_pairs(args.pairs), read_vectors(args.texts, args.embeddings, args.info)
    )
    write_sealed(args.output, {**json.loads(args.settings), "measures": measures})


if __name__ == "__main__":
    exit_with(main)
