"""Scored pairs and the vectors of their texts → alignment and uniformity by a named variant."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.files.sealed import write_sealed
from sentflow.geometry.alignment_settings import AlignmentSettings
from sentflow.geometry.measured_alignment import measured_alignment
from sentflow.jobs.arguments import add_embedding_arguments
from sentflow.jobs.log import command, exit_with
from sentflow.texts.lookup import read_vectors
from sentflow.texts.pairs import read_pairs

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--pairs", type=Path, nargs="+", required=True, help="pair tables, all of one family, in order"
    )
    parser.add_argument(
        "--positives",
        type=Path,
        nargs="*",
        default=[],
        help="pair tables of the positive pairs, if their texts have another form; by default those of --pairs",
    )
    add_embedding_arguments(parser)
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: the entry of the catalog ("variant", "threshold", "comparison", "sentences", "batch", …), '
        '"alignment" and "model"; with "level", "n_resamples", "seed" also an interval of the alignment',
    )
    parser.add_argument("--output", type=Path, required=True, help=".json")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    entry = json.loads(args.settings)
    where = f"alignments.{entry['alignment']}"
    settings = AlignmentSettings.from_settings(entry, where=where)
    family = read_vectors(args.texts, args.embeddings, args.info)
    facts = measured_alignment(
        pairs=[read_pairs(path) for path in args.pairs],
        positives=[read_pairs(path) for path in args.positives],
        texts=family.texts,
        vectors=family.vectors,
        settings=settings,
        entry=entry,
    )
    write_sealed(args.output, facts)
    for sentence in facts["warnings"]:
        logger.warning("%s × %s: %s", entry["alignment"], entry["model"], sentence)
    logger.info("alignment %.6f, uniformity %.6f", facts["alignment"], facts["uniformity"])


if __name__ == "__main__":
    exit_with(main)
