"""Results of similarity and geometry of all encoders -> their summaries, of which tables and figures are made."""

import argparse
import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
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

# what is written: rows, and the attribute that names their set
_FILES: dict[str, tuple[type[Any], str]] = {
    "similarity": (SimilarityRow, "pairs"),
    "regressions": (RegressionRow, "regression"),
    "alignments": (AlignmentRow, "alignment_set"),
    "geometry": (GeometryRow, "family"),
    "spectra": (SpectrumRow, "family"),
    "truncation": (TruncationRow, "pairs"),
    "histograms": (HistogramRow, "pairs"),
}
# results, the key that names their set, and what is made of each
_MADE_OF: tuple[tuple[str, str, dict[str, Callable[[Any, Any], Any]]], ...] = (
    ("regressions", "regression", {"regressions": summary.regression_row}),
    ("alignments", "set", {"alignments": summary.alignment_row}),
    (
        "geometry",
        "family",
        {
            "geometry": summary.geometry_rows,
            "spectra": summary.spectrum_rows,
            "truncation": summary.truncation_rows,
        },
    ),
)

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
    for name in _FILES:
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
    found: dict[str, list[Any]] = {name: [] for name in _FILES}
    scored = _results(args.similarity, "pairs")
    for file, scores, rows in zip(args.similarity, scored, args.rows, strict=True):
        with _told(file):
            pairs = read_similarities(rows)
            found["similarity"] += summary.similarity_rows(scores, pairs, settings)
            found["histograms"] += summary.histogram_rows(scores, pairs, settings)
    for source, key, makers in _MADE_OF:
        files = getattr(args, source)
        for file, result in zip(files, _results(files, key), strict=True):
            with _told(file):
                for name, make in makers.items():
                    made = make(result, settings)
                    found[name] += made if isinstance(made, list) else [made]
    for name, (kind, set_key) in _FILES.items():
        write_rows(getattr(args, f"{name}_out"), kind, summary.in_order(found[name], settings, set_key))
    logger.info("; ".join(f"{len(rows):,} {name}" for name, rows in found.items()))
    return 0


def _results(files: Sequence[Path], key: str) -> list[Any]:
    results = [read_json(file) for file in files]
    for file, result in zip(files, results, strict=True):
        with _told(file):
            _ = result[key], result["model"]
    summary.refuse_twice(results, key)
    return results


@contextmanager
def _told(file: Path) -> Iterator[None]:
    """A missing key or other bad data is told with the file it stands in."""
    try:
        yield
    except KeyError as error:
        raise DataError(f"{file}: no key {error}. Delete the file and run again.") from error
    except DataError as error:
        raise DataError(f"{file}: {error}") from error


if __name__ == "__main__":
    exit_with(main)
