"""Scores under two protocols -> what the second changes, one row per task and encoder."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.errors import DataError
from sentflow.jobs.arguments import add_score_files
from sentflow.jobs.log import command, exit_with

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add_score_files(parser, of=" of the baseline")
    add_score_files(parser, prefix="other-", of=" of the other protocol")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"tasks", "models": as for summarise, "protocol": {"name", "title"}}',
    )
    parser.add_argument("--output", type=Path, required=True, help="Parquet file to write")


@command(arguments, libraries=["numpy", "scipy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    lengths = {
        name: len(getattr(args, name)) for name in ("scores", "tables", "other_scores", "other_tables")
    }
    if len(set(lengths.values())) > 1:
        raise DataError(f"the lists of files must have the same length and order; got {lengths}.")
    from sentflow.compare.effects import effect_rows
    from sentflow.compare.fold_scores import fold_scores
    from sentflow.compare.score_rows import EffectRow
    from sentflow.compare.scores import in_order, score_row
    from sentflow.files.rows import write_rows
    from sentflow.files.sealed import read_sealed

    settings = json.loads(args.settings)
    protocol = settings["protocol"]
    base = in_order([score_row(read_sealed(file), settings) for file in args.scores])
    other = in_order([score_row(read_sealed(file), settings) for file in args.other_scores])
    for row, file in zip(other, args.other_scores, strict=True):
        if row.protocol != protocol["name"]:
            raise DataError(
                f"{file} was made by the protocol {row.protocol}, not by {protocol['name']}. Delete it "
                "and run "
                "snakemake again."
            )
    first, second = (
        {(scores["task"], scores["model"]): fold_scores(table) for scores, table in pairs}
        for pairs in (
            zip(map(read_sealed, args.scores), args.tables, strict=True),
            zip(map(read_sealed, args.other_scores), args.other_tables, strict=True),
        )
    )
    folds = {key: (values, second[key]) for key, values in first.items() if key in second}
    rows = effect_rows(base, other, folds, title=protocol["title"])
    write_rows(args.output, EffectRow, rows)
    logger.info("%s beside %s: %d scores", protocol["name"], base[0].protocol, len(rows))


if __name__ == "__main__":
    exit_with(main)
