"""Rule regress: vectors of three pair sets → what SentEval's regressor of relatedness reaches on the last of them."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.files.sealed import write_sealed
from sentflow.jobs.arguments import add_embedding_arguments
from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)

PARTS = ("train", "dev", "test")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    for part in PARTS:
        parser.add_argument(f"--{part}", type=Path, required=True, help="pair table")
    add_embedding_arguments(parser)
    parser.add_argument("--settings", required=True, help='JSON: {"regression", "model", "seed"}')
    parser.add_argument("--output", type=Path, required=True, help="output, .json")


@command(arguments, libraries=["numpy", "pyarrow", "torch"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    from dataclasses import asdict

    from sentflow.errors import DataError
    from sentflow.similarity.regressor import Part, RegressorSettings, pair_features, regress, soft_targets
    from sentflow.stats.seeds import derive_seed
    from sentflow.texts.lookup import read_vectors
    from sentflow.texts.pairs import read_pairs

    settings = json.loads(args.settings)
    family = read_vectors(args.texts, args.embeddings, args.info)
    parts = {}
    for name in PARTS:
        table = read_pairs(getattr(args, name))
        try:
            soft_targets(table.score)
        except ValueError as error:
            raise DataError(
                f"the pair set {table.info.pairs} has {error}. Choose pair sets with such scores for the "
                f"regression {settings['regression']}."
            ) from error
        rows_a, rows_b = family.rows_of_pairs(table)
        parts[name] = Part(pair_features(family.vectors[rows_a], family.vectors[rows_b]), table.score)
    # of the regression alone: encoders are compared on the same batches
    seed = derive_seed(settings["seed"], "regression", settings["regression"])
    chosen = RegressorSettings()
    found = regress(parts["train"], parts["dev"], parts["test"], seed=seed, settings=chosen)
    about = {
        "regression": settings["regression"],
        "model": settings["model"],
        **{f"n_{name}": len(part.gold) for name, part in parts.items()},
        "settings": chosen.as_dict(),
    }
    write_sealed(args.output, {**about, **asdict(found)})
    logger.info(
        "%s × %s: Pearson %.4f, Spearman %.4f after %d epochs",
        settings["regression"],
        settings["model"],
        found.pearson,
        found.spearman,
        found.epochs,
    )


if __name__ == "__main__":
    exit_with(main)
