"""Rule similarity: the sentences of a pair set and their vectors → similarities, correlations with gold, intervals."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.files.io import read_json
from sentflow.jobs.arguments import add_embedding_arguments
from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--pairs", type=Path, required=True, help="pair table")
    add_embedding_arguments(parser)
    parser.add_argument(
        "--settings", required=True, help='JSON: {"pairs", "model", "level", "n_resamples", "seed"}'
    )
    parser.add_argument("--output", type=Path, required=True, help="output, .json")
    parser.add_argument("--rows", type=Path, required=True, help="output, .parquet")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
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


if __name__ == "__main__":
    exit_with(main)
