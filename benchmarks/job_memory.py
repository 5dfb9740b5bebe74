"""How the memory of jobs that read vectors grows with them: python benchmarks/job_memory.py

Each command runs on made-up sentences in a process of its own, at two numbers of rows; the growth of its largest
memory per byte of its files is what `asks(…, per_input=…)` of its rule must hold.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import needs
from sentflow.encoders.vectors.storage import text_order_sha256, write_embeddings
from sentflow.texts.collection import write_texts
from sentflow.texts.pairs import PairInfo, PairTable, write_pairs

# The peak of this program alone: that of getrusage may be its parent's. Linux counts it in kilobytes.
_CODE = """
import sys
from pathlib import Path
from sentflow.jobs.job import job_named
job_named(sys.argv[1]).run(sys.argv[2:])
[peak] = [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(peak)
"""
_RESAMPLING: Mapping[str, Any] = {"seed": 1, "level": 0.95, "n_resamples": 100}
_ALIGNED = {"variant": "definition", "threshold": 4.0, "comparison": "at-least", "sentences": "unique"}
_SETS: Mapping[str, Any] = {"collections": {"t": ["a"]}}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "geometry": {
        "aligned": {**_RESAMPLING, "collections": {"t": {"a": {**_ALIGNED, "pairs": ["a"]}}}},
        "described": {**_RESAMPLING, **_SETS, "truncation": [64, 256]},
    },
    "similarity": {
        **_RESAMPLING,
        **_SETS,
        "regressions": {"t": {"r": dict.fromkeys(("train", "dev", "test"), "a")}},
    },
}
OUTPUTS = {"geometry": ("alignments", "described"), "similarity": ("scores", "rows", "regressions")}


@dataclass(frozen=True)
class Growth:
    """What a command took on few rows, and how it grows.

    Attributes
    ----------
    small_mb, large_mb
        Largest resident memory at the two sizes, MB.
    per_input
        MB of it for each MB more of input files.
    """

    small_mb: float
    large_mb: float
    input_mb: float
    per_input: float


def growth(name: str, sizes: Sequence[int], width: int) -> Growth:
    """Run a command on two numbers of pairs of sentences."""
    points = []
    for n_pairs in sizes:
        with tempfile.TemporaryDirectory() as folder:
            words, input_mb = _written(Path(folder), name, n_pairs, width)
            points.append((input_mb, _peak_mb(name, words)))
    (small_input, small), (large_input, large) = points
    return Growth(small, large, large_input, (large - small) / (large_input - small_input))


def _written(folder: Path, name: str, n_pairs: int, width: int) -> tuple[list[str], float]:
    """Distinct sentences in pairs with scores, and their vectors; the words of the command line and MB of its files."""
    texts = [f"frase {row}" for row in range(2 * n_pairs)]
    generator = np.random.default_rng(1)
    info = PairInfo("a", "made up", "pt", (0.0, 5.0), [""])
    scores = generator.uniform(0, 5, n_pairs)
    write_pairs(
        folder / "a.parquet", PairTable(info, [""] * n_pairs, texts[:n_pairs], texts[n_pairs:], scores)
    )
    write_texts(folder / "t.parquet", texts)
    vectors = generator.standard_normal((len(texts), width), dtype=np.float32)
    write_embeddings(
        folder / "e.npy", folder / "e.json", vectors, {"text_order_sha256": text_order_sha256(texts)}
    )
    files = {
        "pairs": "a.parquet",
        "texts": "t.parquet",
        "embeddings": "e.npy",
        "info": "e.json",
    }
    words = [word for key, file in files.items() for word in (f"--{key}", str(folder / file))]
    words += ["--model=m", "--settings", json.dumps(SETTINGS[name])]
    words += [word for key in OUTPUTS[name] for word in (f"--{key}", str(folder / f"{key}.out"))]
    return words, sum((folder / file).stat().st_size for file in files.values()) / 1e6


def _peak_mb(name: str, words: Sequence[str]) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _CODE, name, *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return int(done.stdout.split()[-1]) * 1024 / 1e6


def main() -> None:
    """Print a line per command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", nargs=2, type=int, default=(1000, 5000))
    parser.add_argument("--width", type=int, default=1024)
    args = parser.parse_args()
    for name in SETTINGS:
        print(name, growth(name, args.pairs, args.width), flush=True)


if __name__ == "__main__":
    needs.run(main)
