"""The report of an experiment: one self-contained HTML page."""

import argparse
import json
import logging
from pathlib import Path

from sentflow.audit.rows import HardRow
from sentflow.files.io import read_json, write_text
from sentflow.files.rows import read_rows
from sentflow.files.sealed import read_sealed
from sentflow.graph import products
from sentflow.jobs.log import command, exit_with
from sentflow.report.checks import Selection
from sentflow.report.inputs import Inputs
from sentflow.report.page.page import render
from sentflow.report.page.sources import Sources

SHOWN_TEXTS = 10  # of a task; the file holds more

logger = logging.getLogger(__name__)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--summary",
        nargs="+",
        type=Path,
        required=True,
        help="summaries, comparisons, costs: recognised by name",
    )
    parser.add_argument(
        "--audits",
        nargs="*",
        type=Path,
        default=[],
        help="TASK.json, FAMILY/NAME.json: audits; TASK.parquet: hardest texts",
    )
    parser.add_argument("--tables", nargs="*", type=Path, default=[], help=".csv, .md and .tex to offer")
    parser.add_argument("--figures", nargs="*", type=Path, default=[], help=".svg or .png to show")
    parser.add_argument("--record-config", type=Path, required=True, help="effective configuration (YAML)")
    parser.add_argument("--record-versions", type=Path, required=True, help="versions (JSON)")
    parser.add_argument("--checks", nargs="*", default=[], help="names of the checks to run and to show")
    parser.add_argument(
        "--settings",
        required=True,
        help='JSON, see Sources; "selection": the settings of the checks',
    )
    parser.add_argument("--output", type=Path, required=True, help="HTML file to write")


@command(arguments, libraries=["jinja2", "pyarrow"])
def main(args: argparse.Namespace) -> None:
    """Run the command."""
    settings = json.loads(args.settings)
    inputs = Inputs(args.summary, args.tables)
    # the checks run here again, because a check that failed leaves no file and must be seen all the same
    checks = [products.find(products.CHECK, name).load() for name in " ".join(args.checks).split()]
    selection = Selection(**settings["selection"])
    sources = Sources(
        inputs=inputs,
        settings=settings,
        checks=[check(inputs, selection) for check in checks],
        config=args.record_config.read_text(encoding="utf-8"),
        versions=read_json(args.record_versions),
        files=[*args.tables, *args.figures],
        audits={_audited(file): read_sealed(file) for file in args.audits if file.suffix == ".json"},
        hardest={
            file.stem: read_rows(file, HardRow, may_be_empty=True)[:SHOWN_TEXTS]
            for file in args.audits
            if file.suffix == ".parquet"
        },
    )
    write_text(args.output, render(sources))
    logger.info("%s: %d kB", args.output, args.output.stat().st_size // 1000)


def _audited(file: Path) -> str:
    """The task of an audit, or its family and what it calls its data: ``retrieval/cranfield``."""
    return file.stem if file.parent.name == "audit" else f"{file.parent.name}/{file.stem}"


if __name__ == "__main__":
    exit_with(main)
