"""How the cost of probes grows with rows, width, tasks and encoders: python benchmarks/growth.py

Probe jobs on made-up rows, each in a process of its own on one thread: seconds of a fold, and the largest memory of the
job. Laws are fitted to what was measured: seconds per fold by rows × width, memory by rows and by bytes of features.
Writes docs/images/growth.svg and benchmarks/growth.json. --quick takes a minute.
"""

import argparse
import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import needs

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy: jobs inherit it

import numpy as np

from probe_job import run_job, write_rows

ROWS = (1000, 3000, 10_000, 30_000, 100_000)
WIDTHS = (384, 768, 1024, 2048, 4096)
FIXED_WIDTH, FIXED_ROWS = 1024, 7000
GIGABYTES = (8, 16, 24)
N_FOLDS, N_TASKS = 50, 18
MODELS = (1, 2, 5, 10, 20)


@dataclass(frozen=True)
class Point:
    """What one shape cost.

    Attributes
    ----------
    rows, width
        Of the features.
    seconds_per_fold
        Without the start of the job.
    peak_bytes
        Of the job.
    """

    rows: int
    width: int
    seconds_per_fold: float
    peak_bytes: int


def main() -> None:
    """Measure, fit, write, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small shapes")
    parser.add_argument(
        "--seconds-per-job",
        type=float,
        default=0.25,
        help="what Snakemake and the shell need for a job on one core (docs/performance.md)",
    )
    parser.add_argument("--output", type=Path, default=Path("benchmarks/growth.json"))
    parser.add_argument("--figure", type=Path, default=Path("docs/images/growth.svg"))
    args = parser.parse_args()
    rows, widths = (ROWS[:3], WIDTHS[:3]) if args.quick else (ROWS, WIDTHS)
    fixed_rows = 2000 if args.quick else FIXED_ROWS
    shapes = list(dict.fromkeys([(n, FIXED_WIDTH) for n in rows] + [(fixed_rows, width) for width in widths]))
    start = start_seconds()
    points = []
    for n_rows, width in shapes:
        points.append(measured(n_rows, width))
        print(points[-1], flush=True)
    results = {"start_seconds": start, "points": [asdict(point) for point in points]}
    results |= laws(points)
    results["scale"] = whole_experiments(results, seconds_per_job=args.seconds_per_job)
    args.output.write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps({key: results[key] for key in ("seconds_law", "memory_law", "largest_rows")}, indent=1))
    draw(points, results, args.figure, fixed_rows=fixed_rows)


def start_seconds() -> float:
    """Of a job outside its folds."""
    measured_job(1000, 64, folds=1)  # the compiler's cache, and that of the file system
    job = measured_job(1000, 64, folds=1)
    return job.seconds - job.fold_seconds


def measured(n_rows: int, width: int) -> Point:
    """One fold of the published protocol."""
    job = measured_job(n_rows, width, folds=1)
    return Point(n_rows, width, job.fold_seconds, job.peak_bytes)


def measured_job(n_rows: int, width: int, *, folds: int) -> Any:
    """A job in a folder that is then deleted."""
    with tempfile.TemporaryDirectory() as folder:
        files = write_rows(Path(folder), n_rows, width)
        return run_job(files, Path(folder) / "folds", folds=folds)


def laws(points: list[Point]) -> dict[str, Any]:
    """Fits by least squares of relative errors, and the rows at which memory ends."""
    rows, widths = (np.array([getattr(point, name) for point in points], float) for name in ("rows", "width"))
    seconds, peaks = (
        np.array([getattr(point, name) for point in points]) for name in ("seconds_per_fold", "peak_bytes")
    )
    per_value, per_row = _fitted(np.stack([rows * widths, rows], axis=1), seconds)
    of_features, of_row, base = _fitted(
        np.stack([rows * widths * 4, rows, np.ones_like(rows)], axis=1), peaks
    )
    largest = {
        str(width): {
            str(gigabytes): int((gigabytes * 1e9 - base) / (4 * width * of_features + of_row))
            for gigabytes in GIGABYTES
        }
        for width in WIDTHS
    }
    return {
        "seconds_law": {"per_row_and_column": per_value, "per_row": per_row},
        "memory_law": {"times_features": of_features, "bytes_per_row": of_row, "bytes": base},
        "largest_rows": largest,
    }


def _fitted(terms: np.ndarray, values: np.ndarray) -> list[float]:
    """Coefficients that are not negative, so that a law may be read beyond what was measured."""
    from scipy.optimize import nnls

    return nnls(terms / values[:, None], np.ones(len(values)))[0].tolist()


def whole_experiments(results: dict[str, Any], *, seconds_per_job: float) -> dict[str, Any]:
    """Hours on one core of 18 tasks of 2,000 rows by encoders, for one job per task and one per fold."""
    law = results["seconds_law"]
    fold = 2000 * (FIXED_WIDTH * law["per_row_and_column"] + law["per_row"])
    overhead = results["start_seconds"] + seconds_per_job
    return {
        "seconds_per_job": seconds_per_job,
        "hours": {
            job: [models * N_TASKS * (jobs * overhead + N_FOLDS * fold) / 3600 for models in MODELS]
            for job, jobs in (("task", 1), ("fold", N_FOLDS))
        },
    }


def draw(points: list[Point], results: dict[str, Any], figure: Path, *, fixed_rows: int) -> None:
    """Six panels: seconds and memory by rows, both by width, whole experiments, where memory ends."""
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "growth"
    from matplotlib import pyplot
    from matplotlib.ticker import NullLocator

    law, memory = results["seconds_law"], results["memory_law"]

    def seconds(rows: Any, width: Any) -> Any:
        return rows * (width * law["per_row_and_column"] + law["per_row"])

    def peak(rows: Any, width: Any) -> Any:
        return (
            rows * (4 * width * memory["times_features"] + memory["bytes_per_row"]) + memory["bytes"]
        ) / 1e9

    canvas, axes = pyplot.subplots(2, 3, figsize=(11, 6), layout="constrained")
    by_rows = sorted((p for p in points if p.width == FIXED_WIDTH), key=lambda p: p.rows)
    by_width = sorted((p for p in points if p.rows == fixed_rows), key=lambda p: p.width)
    many, wide = np.geomspace(1e3, 1e6, 60), np.geomspace(384, 4096, 60)
    for column, own, label, x, note in (
        (0, by_rows, "rows", many, f"{FIXED_WIDTH} columns"),
        (1, by_width, "width", wide, f"{fixed_rows} rows"),
    ):
        size = (x, FIXED_WIDTH) if label == "rows" else (fixed_rows, x)
        places = [getattr(p, label) for p in own]
        axes[0, column].loglog(places, [p.seconds_per_fold for p in own], "o", label="measured")
        axes[0, column].loglog(x, seconds(*size), "-", lw=1, label="law")
        axes[1, column].loglog(places, [p.peak_bytes / 1e9 for p in own], "o")
        axes[1, column].loglog(x, peak(*size), "-", lw=1)
        axes[0, column].set(title=note, ylabel="seconds per fold", xlabel=label)
        axes[1, column].set(ylabel="peak memory of a job (GB)", xlabel=label)
    axes[0, 0].legend(frameon=False)
    for gigabytes in GIGABYTES:
        axes[1, 0].axhline(gigabytes, color="0.7", lw=0.8)
        axes[1, 0].annotate(f"{gigabytes} GB", (1e3, gigabytes), va="bottom", fontsize=8)
        ends = [results["largest_rows"][str(width)][str(gigabytes)] for width in WIDTHS]
        axes[1, 2].loglog(WIDTHS, ends, "o-", label=f"{gigabytes} GB")
    axes[1, 2].set(title="where memory ends", xlabel="width", ylabel="rows")
    axes[1, 2].legend(frameon=False)
    for job, hours in results["scale"]["hours"].items():
        axes[0, 2].loglog(MODELS, hours, "o-", label=f"one job per {job}")
    axes[0, 2].set(title=f"{N_TASKS} tasks of 2,000 rows", xlabel="encoders", ylabel="hours on one core")
    axes[0, 2].legend(frameon=False)
    for axis in (axes[0, 1], axes[1, 1], axes[1, 2]):
        axis.set_xticks(WIDTHS, [str(width) for width in WIDTHS], rotation=45)
        axis.xaxis.set_minor_locator(NullLocator())
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
    canvas.savefig(figure, metadata={"Date": None})


if __name__ == "__main__":
    needs.run(main)
