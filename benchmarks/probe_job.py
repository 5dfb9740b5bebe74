"""One probe job on made-up rows, in a process of its own: how long it takes and how much memory it needs."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sentflow.encoders.vectors.storage import text_order_sha256, write_embeddings
from sentflow.probing.settings import PUBLISHED, ProbeSettings
from sentflow.texts.collection import distinct_texts, write_texts
from sentflow.texts.table import TaskInfo, TaskTable, read_task, write_task

# The peak of this program alone: that of getrusage may be its parent's. Linux counts it in kilobytes.
_CODE = """
import sys, time
from pathlib import Path
start = time.perf_counter()
from sentflow.jobs.job import job_named
from sentflow.probing import training
train_fold, folds = training.train_fold, 0.0
def timed_fold(*args, **kwargs):
    global folds
    begin = time.perf_counter()
    result = train_fold(*args, **kwargs)
    folds += time.perf_counter() - begin
    return result
training.train_fold = timed_fold
job_named("probe").run(sys.argv[1:])
seconds = time.perf_counter() - start
[peak] = [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(seconds, folds, int(peak) * 1024)
"""


@dataclass(frozen=True)
class Job:
    """What a job took.

    Attributes
    ----------
    seconds
        From start to end, without Python's own start.
    fold_seconds
        Of these, those in which folds were trained.
    peak_bytes
        Largest resident memory.
    matrix_bytes
        Of the task's features.
    """

    seconds: float
    fold_seconds: float
    peak_bytes: int
    matrix_bytes: int


def write_rows(folder: Path, n_rows: int, dimension: int, *, layout: str = "single") -> dict[str, Path]:
    """Write a task of two classes, its texts and embeddings; gives the files by argument name of the command."""
    text_a = [f"texto {row}" for row in range(n_rows)]
    labels = (np.arange(n_rows) % 2).astype(np.int64)
    table = TaskTable(
        info=TaskInfo("X", layout, ["0", "1"], 0, "made up"),
        text_a=text_a,
        text_b=[f"outro {row}" for row in range(n_rows)] if layout == "pair" else [],
        labels=labels,
        groups=[None] * n_rows,
    )
    texts = distinct_texts([table])
    generator = np.random.default_rng(1)
    embeddings = generator.standard_normal((len(texts), dimension), dtype=np.float32)
    row_of = {text: row for row, text in enumerate(texts)}
    embeddings[[row_of[text] for text in text_a], 0] += labels  # a weak signal
    files = {name: folder / f"{name}.parquet" for name in ("task", "texts")}
    files |= {"embeddings": folder / "embeddings.npy", "info": folder / "embeddings.json"}
    write_task(files["task"], table)
    write_texts(files["texts"], texts)
    write_embeddings(
        files["embeddings"], files["info"], embeddings, {"text_order_sha256": text_order_sha256(texts)}
    )
    return files


def probe_settings(repetitions: int, classifier: str = "logistic") -> str:
    """Those of a job `probe`, as JSON."""
    protocol = PUBLISHED.but(repetitions=repetitions, classifier=classifier)
    return ProbeSettings(metric="mcc", protocol=protocol).as_json()


def run_job(files: dict[str, Path], output: Path, *, folds: int = 1) -> Job:
    """Run the job `probe` on the first folds of the first repetition."""
    words = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    outputs = [str(output / f"rep-1/fold-{fold}.parquet") for fold in range(1, folds + 1)]
    command = [sys.executable, "-c", _CODE, *words, "--settings", probe_settings(1), "--folds", *outputs]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    seconds, fold_seconds, peak = done.stdout.split()[-3:]
    embeddings = np.load(files["embeddings"], mmap_mode="r")
    return Job(
        float(seconds), float(fold_seconds), int(peak), _matrix_bytes(files["task"], embeddings.shape[1])
    )


def _matrix_bytes(task: Path, dimension: int) -> int:
    table = read_task(task)
    return len(table) * dimension * (4 if table.info.layout == "pair" else 1) * 4
