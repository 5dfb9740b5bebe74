"""CPU seconds of whole probe jobs, start included: python benchmarks/whole_jobs.py [OTHER_CHECKOUT]

One job per kind of sample task: 2 × 5 folds of 800 made-up rows, 512 of them to train on. With another checkout its
jobs run in turn with those of this one. The first job of a checkout may compile; it is not counted.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import needs
from probe_job import probe_settings, write_rows

REPETITIONS, FOLDS = 2, 5
# layout, width of an embedding, classifier
KINDS = {
    "single texts, logistic": ("single", 384, "logistic"),
    "pairs, logistic": ("pair", 384, "logistic"),
    "a question and four alternatives, MLP": ("single", 5 * 384, "mlp"),
}


def main() -> None:
    """Print a line per kind of task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, nargs="?", help="another checkout")
    parser.add_argument("--turns", type=int, default=2, help="the least of so many is printed")
    args = parser.parse_args()
    checkouts = [Path(__file__).parents[1], *([args.other] if args.other else [])]
    print("| job | " + " | ".join(f"CPU seconds, {checkout}" for checkout in checkouts) + " |")
    print("|---|" + "---|" * len(checkouts))
    for kind, (layout, width, classifier) in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            files = write_rows(Path(folder), 800, width, layout=layout)
            seconds: dict[Path, list[float]] = {checkout: [] for checkout in checkouts}
            for _ in range(1 + args.turns):
                for checkout in checkouts:
                    seconds[checkout].append(job_seconds(checkout, files, Path(folder), classifier))
        print(
            f"| {kind} | " + " | ".join(f"{min(each[1:]):.2f}" for each in seconds.values()) + " |",
            flush=True,
        )


def job_seconds(checkout: Path, files: dict[str, Path], folder: Path, classifier: str) -> float:
    """CPU seconds of one job, from the start of Python to its end."""
    words = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    outputs = [
        str(folder / f"rep-{repetition}/fold-{fold}.parquet")
        for repetition in range(1, REPETITIONS + 1)
        for fold in range(1, FOLDS + 1)
    ]
    command = [sys.executable, "-m", "sentflow.jobs", "probe", *words]
    before = cpu_seconds()
    subprocess.run(
        [*command, "--settings", probe_settings(REPETITIONS, classifier), "--folds", *outputs],
        env={**os.environ, "PYTHONPATH": str(checkout / "workflow/src"), "OMP_NUM_THREADS": "1"},
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return cpu_seconds() - before


def cpu_seconds() -> float:
    """Of all programs that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    needs.run(main)
