"""Results of geometry of all encoders -> their summaries, of which tables and figures are made."""

import argparse
import json
import logging
from pathlib import Path
from typing import Any

from sentflow.files.rows import write_rows
from sentflow.jobs.log import command, exit_with
from sentflow.report.families.geometry import summary
from sentflow.report.families.geometry.rows import AlignmentRow, GeometryRow, SpectrumRow, TruncationRow
from sentflow.report.families.pair_summaries import in_order, read_results, reported

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    given = {
        "alignments": "results of alignment and uniformity",
        "geometry": "results of geometry",
    }
    for name, said in given.items():
        parser.add_argument(f"--{name}", nargs="*", type=Path, default=[], help=said)
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON: {"pairs": {name: {"title", "family", "scale", "data_version"}}, "models": {name: {"title", '
        '"control"}}, "baselines": [], "alignments", "measure", "correlation", "order"}',
    )
    for name in ("alignments", "geometry", "spectra", "truncation"):
        parser.add_argument(f"--{name}-out", type=Path, required=True, help="Parquet file to write")


@command(arguments, libraries=["numpy", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    settings: dict[str, Any] = json.loads(args.settings)
    alignments: list[AlignmentRow] = []
    geometry: list[GeometryRow] = []
    spectra: list[SpectrumRow] = []
    truncation: list[TruncationRow] = []
    for file, result in zip(args.alignments, read_results(args.alignments, "set"), strict=True):
        with reported(file):
            alignments.append(summary.alignment_row(result, settings))
    for file, result in zip(args.geometry, read_results(args.geometry, "family"), strict=True):
        with reported(file):
            geometry += summary.geometry_rows(result, settings)
            spectra += summary.spectrum_rows(result, settings)
            truncation += summary.truncation_rows(result, settings)
    write_rows(args.alignments_out, AlignmentRow, in_order(alignments, settings, "alignment_set"))
    write_rows(args.geometry_out, GeometryRow, in_order(geometry, settings, "family"))
    write_rows(args.spectra_out, SpectrumRow, in_order(spectra, settings, "family"))
    write_rows(args.truncation_out, TruncationRow, in_order(truncation, settings, "pairs"))
    logger.info("%d alignments, %d geometries", len(alignments), len(geometry))


if __name__ == "__main__":
    exit_with(main)
