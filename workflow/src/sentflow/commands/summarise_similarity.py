"""Results of similarity and geometry of all encoders -> their summaries, of which tables and figures are made."""

import argparse
import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.io import read_json
from sentflow.files.rows import write_rows
from sentflow.jobs.log import exit_with, start_log
from sentflow.report.families.similarity import summary
from sentflow.report.families.similarity.rows import (
    AlignmentRow,
    GeometryRow,
    HistogramRow,
    RegressionRow,
    SimilarityRow,
    SpectrumRow,
    TruncationRow,
)
from sentflow.similarity.storage import read_similarities

logger = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    found = argparse.ArgumentParser(prog="summarise_similarity", description=__doc__)
    given = {
        "similarity": "score files of encoders and baselines",
        "rows": "the Parquet file beside each of --similarity, in the same order",
        "regressions": "results of the regressor",
        "alignments": "results of alignment and uniformity",
        "geometry": "results of geometry",
    }
    for name, said in given.items():
        found.add_argument(f"--{name}", nargs="*", type=Path, default=[], help=said)
    found.add_argument(
        "--settings",
        required=True,
        help='JSON: {"pairs": {name: {"title", "family", "scale", "data_version"}}, "models": {name: {"title", '
        '"control"}}, "baselines": […], "alignments", "regressions", "measure", "correlation", "order"}',
    )
    for name in (
        "similarity",
        "regressions",
        "alignments",
        "geometry",
        "spectra",
        "truncation",
        "histograms",
    ):
        found.add_argument(f"--{name}-out", type=Path, required=True, help="Parquet file to write")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = parser().parse_args(argv)
    start_log("summarise_similarity", args, libraries=["numpy", "pyarrow"])
    if len(args.similarity) != len(args.rows):
        raise DataError(
            f"{len(args.similarity)} score files but {len(args.rows)} files of rows: --rows must name the file "
            "beside each file of --similarity, in the same order."
        )
    settings = json.loads(args.settings)
    similarity: list[SimilarityRow] = []
    histograms: list[HistogramRow] = []

    def add_scores(scores: Any, rows: Path) -> None:
        pairs = read_similarities(rows)
        similarity.extend(summary.similarity_rows(scores, pairs, settings))
        histograms.extend(summary.histogram_rows(scores, pairs, settings))

    scored = _results(args.similarity, "pairs")
    for file, scores, rows in zip(args.similarity, scored, args.rows, strict=True):
        _told(file, lambda scores=scores, rows=rows: add_scores(scores, rows))  # type: ignore[misc]
    regressions = _each(args.regressions, "regression", summary.regression_row, settings)
    alignments = _each(args.alignments, "set", summary.alignment_row, settings)
    geometry = _each(args.geometry, "family", summary.geometry_rows, settings)
    spectra = _each(args.geometry, "family", summary.spectrum_rows, settings)
    truncation = _each(args.geometry, "family", summary.truncation_rows, settings)

    write_rows(args.similarity_out, SimilarityRow, summary.in_order(similarity, settings, "pairs"))
    write_rows(args.regressions_out, RegressionRow, summary.in_order(regressions, settings, "regression"))
    write_rows(args.alignments_out, AlignmentRow, summary.in_order(alignments, settings, "alignment_set"))
    write_rows(args.geometry_out, GeometryRow, summary.in_order(_flat(geometry), settings, "family"))
    write_rows(args.spectra_out, SpectrumRow, summary.in_order(_flat(spectra), settings, "family"))
    write_rows(args.truncation_out, TruncationRow, summary.in_order(_flat(truncation), settings, "pairs"))
    write_rows(args.histograms_out, HistogramRow, summary.in_order(histograms, settings, "pairs"))
    logger.info(
        "%d correlations, %d alignments, %d geometries", len(similarity), len(alignments), len(geometry)
    )
    return 0


def _results(files: Sequence[Path], key: str) -> list[Any]:
    results = [read_json(file) for file in files]
    for file, result in zip(files, results, strict=True):
        _told(file, lambda result=result: (result[key], result["model"]))  # type: ignore[misc]
    summary.refuse_twice(results, key)
    return results


def _each(
    files: Sequence[Path], key: str, make: Callable[[Any, Any], Any], settings: dict[str, Any]
) -> list[Any]:
    return [
        _told(file, lambda result=result: make(result, settings))  # type: ignore[misc]
        for file, result in zip(files, _results(files, key), strict=True)
    ]


def _told(file: Path, make: Callable[[], Any]) -> Any:
    """What `make` gives; a missing key or other bad data is told with the file it stands in."""
    try:
        return make()
    except KeyError as error:
        raise DataError(f"{file}: no key {error}. Delete the file and run again.") from error
    except DataError as error:
        raise DataError(f"{file}: {error}") from error


def _flat(lists: Sequence[Sequence[Any]]) -> list[Any]:
    return [row for rows in lists for row in rows]


if __name__ == "__main__":
    exit_with(main)
