"""The vectors of a family's texts → isotropy, spectrum, neighbours, whitened and shortened vectors, word order."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.encoders.vectors.storage import read_embeddings
from sentflow.errors import ConfigError
from sentflow.files.sealed import write_sealed
from sentflow.geometry.described import GeometrySettings, Permuted, described
from sentflow.geometry.permuted_texts import read_permuted
from sentflow.jobs.arguments import add_embedding_arguments
from sentflow.jobs.log import command, exit_with
from sentflow.texts.lookup import read_vectors
from sentflow.texts.pairs import read_pairs

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--pairs", type=Path, nargs="*", default=[], help="pair tables of the family, for scores"
    )
    add_embedding_arguments(parser)
    parser.add_argument(
        "--permuted-texts", type=Path, nargs="?", help="written by permute_texts; without, no word order"
    )
    parser.add_argument(
        "--permuted-embeddings",
        type=Path,
        nargs="?",
        help="their vectors, .npy; their description is next to them",
    )
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"family", "model", "truncation", "neighbours", "measure", "correlation", "seed", '
        '"n_resamples", "level"}; "sample": texts at most for searches of neighbours',
    )
    parser.add_argument("--output", type=Path, required=True, help=".json")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    settings = GeometrySettings.from_settings(json.loads(args.settings))
    if (args.permuted_texts is None) != (args.permuted_embeddings is None):
        raise ConfigError(
            "--permuted-texts and --permuted-embeddings belong together. Give both, or neither."
        )
    family = read_vectors(args.texts, args.embeddings, args.info)
    permuted = None
    if args.permuted_texts is not None:
        pairs = read_permuted(args.permuted_texts)
        npy = args.permuted_embeddings
        permuted = Permuted(pairs, read_embeddings(npy, npy.with_suffix(".json"), pairs.texts))
    facts = described(
        texts=family.texts,
        vectors=family.vectors,
        pairs=[read_pairs(path) for path in args.pairs],
        permuted=permuted,
        settings=settings,
    )
    write_sealed(args.output, facts)
    for sentence in facts["warnings"]:
        logger.warning("%s × %s: %s", settings.family, settings.model, sentence)
    logger.info("%s: %d measures of %d vectors", settings.family, len(facts["measures"]), facts["n_texts"])


if __name__ == "__main__":
    exit_with(main)
