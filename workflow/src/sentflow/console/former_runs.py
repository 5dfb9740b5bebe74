"""How long the jobs of a rule took in former runs of a folder, from Snakemake's benchmark files."""

from itertools import islice
from pathlib import Path

from sentflow.errors import DataError
from sentflow.graph import paths

# Of thousands of folds, these say as much.
_FILES = 50


def mean_seconds(rule: str) -> float | None:
    """Mean seconds of the jobs of a rule whose benchmark files are in the working folder; None without any."""
    from sentflow.report.costs.summary import read_records

    seconds = []
    for file in islice(Path(paths.BENCHMARKS, rule).rglob("*.jsonl"), _FILES):
        try:
            seconds += [float(record["s"]) for record in read_records(file)[-1:]]
        except (DataError, OSError):  # of a job that was killed, or just being written
            continue
    return sum(seconds) / len(seconds) if seconds else None
