"""Rule similarity: the sentences of a pair set and their vectors → similarities, correlations with gold, intervals."""

import argparse
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.files.io import read_json
from sentflow.jobs.arguments import add_embedding_arguments
from sentflow.jobs.log import exit_with, start_log

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """Arguments of the command."""
    arguments = argparse.ArgumentParser(prog="python -m sentflow.commands.similarity", description=__doc__)
    arguments.add_argument("--pairs", type=Path, required=True, help="pair table")
    add_embedding_arguments(arguments)
    arguments.add_argument(
        "--settings", required=True, help='JSON: {"pairs", "model", "level", "n_resamples", "seed"}'
    )
    arguments.add_argument("--output", type=Path, required=True, help="output, .json")
    arguments.add_argument("--rows", type=Path, required=True, help="output, .parquet")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("similarity", args, libraries=["numpy", "pyarrow"])
    from sentflow.similarity.measures import pair_similarities
    from sentflow.similarity.results import write_results
    from sentflow.texts.lookup import read_vectors
    from sentflow.texts.pairs import read_pairs

    settings = json.loads(args.settings)
    table = read_pairs(args.pairs)
    family = read_vectors(args.texts, args.embeddings, args.info)
    similarities = pair_similarities(family.vectors, *family.rows_of_pairs(table))
    warnings = []
    if similarities.n_zero:
        warnings.append(
            f"{similarities.n_zero} of {len(table)} pairs have a sentence whose vector is zero; "
            "their cosine counts as 0."
        )
    write_results(
        args.output,
        args.rows,
        table,
        similarities.columns,
        settings,
        embeddings=read_json(args.info).get("sha256"),
        warnings=warnings,
    )
    return 0


if __name__ == "__main__":
    exit_with(main)
