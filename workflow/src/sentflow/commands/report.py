"""The report of an experiment: one self-contained HTML page."""

import argparse
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from sentflow.audit.rows import HardRow
from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import EffectRow, ScoreRow
from sentflow.files.io import read_json, write_text
from sentflow.files.rows import read_rows
from sentflow.jobs.log import exit_with, start_log
from sentflow.report.checks import Selection
from sentflow.report.costs.encoder_rows import EncoderRow
from sentflow.report.emphasis import Written, run_any_check
from sentflow.report.families.similarity.data import SimilarityData
from sentflow.report.families.similarity.section import SimilaritySources
from sentflow.report.page.page import Sources, render
from sentflow.report.rows import CostRow, CurveRow

SHOWN_TEXTS = 10  # of a task; the file holds more

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    found = argparse.ArgumentParser(prog="report", description=__doc__)
    found.add_argument("--summary", nargs="?", type=Path, help="summary of scores; none without tasks")
    found.add_argument("--curves", nargs="?", type=Path, help="training curves; none without tasks")
    found.add_argument("--costs", type=Path, required=True, help="time and memory per rule")
    found.add_argument("--effects", nargs="*", type=Path, default=[], help="what other protocols change")
    found.add_argument("--encoders", type=Path, help="what each encoder is and costs")
    found.add_argument("--comparisons", nargs="*", type=Path, default=[], help="the files of compare")
    found.add_argument(
        "--audits", nargs="*", type=Path, default=[], help="TASK.json: audits; TASK.parquet: hardest texts"
    )
    found.add_argument(
        "--similarity",
        nargs="*",
        type=Path,
        default=[],
        help="summaries of similarity, regressions, alignments and geometry, and what compare_similarity wrote",
    )
    found.add_argument("--tables", nargs="*", type=Path, default=[], help=".csv, .md and .tex to offer")
    found.add_argument("--figures", nargs="*", type=Path, default=[], help=".svg or .png to show")
    found.add_argument("--record-config", type=Path, required=True, help="effective configuration (YAML)")
    found.add_argument("--record-versions", type=Path, required=True, help="versions (JSON)")
    found.add_argument("--checks", nargs="*", default=[], help="names of the checks to run and to show")
    found.add_argument(
        "--settings",
        required=True,
        help='JSON: {"experiment", "tasks", "models", "datasets": entries by name, "protocols": list, '
        '"selection": the settings of the checks, "pair_sets", "published_similarity", "left_out"}',
    )
    found.add_argument("--output", type=Path, required=True, help="HTML file to write")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("report", args, libraries=["jinja2", "pyarrow"])
    settings = json.loads(args.settings)
    scores = read_rows(args.summary, ScoreRow) if args.summary else []
    comparisons = Comparisons.read(args.comparisons)
    similarity = SimilarityData.read(args.similarity)
    written = Written(args.tables, comparisons, similarity)
    # the checks run here again, because a check that failed leaves no file and must be seen all the same
    selection = Selection(**settings["selection"])
    sources = Sources(
        scores=scores,
        curves=read_rows(args.curves, CurveRow) if args.curves else [],
        costs=read_rows(args.costs, CostRow),
        effects=[row for file in args.effects for row in read_rows(file, EffectRow)],
        encoders=read_rows(args.encoders, EncoderRow) if args.encoders else [],
        comparisons=comparisons,
        audits={file.stem: read_json(file) for file in args.audits if file.suffix == ".json"},
        hardest={
            file.stem: read_rows(file, HardRow, may_be_empty=True)[:SHOWN_TEXTS]
            for file in args.audits
            if file.suffix == ".parquet"
        },
        protocols=settings["protocols"],
        published=settings["published"],
        similarity=SimilaritySources(
            data=similarity,
            pair_sets=settings.get("pair_sets", {}),
            published=settings.get("published_similarity", {}),
            left_out=settings.get("left_out", []),
        ),
        checks=[run_any_check(name, scores, selection, written) for name in " ".join(args.checks).split()],
        experiment=settings["experiment"],
        tasks=settings["tasks"],
        models=settings["models"],
        datasets=settings["datasets"],
        config=args.record_config.read_text(encoding="utf-8"),
        versions=read_json(args.record_versions),
        files=[*args.tables, *args.figures],
    )
    write_text(args.output, render(sources))
    logger.info("%s: %d kB", args.output, args.output.stat().st_size // 1000)
    return 0


if __name__ == "__main__":
    exit_with(main)
