"""What the backends of a neural encoder gain and lose: python benchmarks/backends.py STSB-TEST.csv

For each backend of all-MiniLM-L6-v2, in one process and on one thread: time of encoding the distinct sentences of
STS-B's test part (tab separated, in the form of the original or of SentEval), Spearman correlation of cosine and gold
score, and the score of a probe on a sample task. Needs envs/requirements-onnx.txt beside the pins.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np
import torch
from scipy.stats import spearmanr

from embedding_speed import model_folder
from sentflow.encoders.kinds.neural.encoder import SentenceTransformerEncoder
from sentflow.encoders.kinds.neural.load import load_folder
from sentflow.encoders.kinds.neural.settings import ONNX, ONNX_INT8, TORCH, Settings
from sentflow.encoders.roles import TEXT
from sentflow.probing.cross_validation import cross_validate
from sentflow.texts.sample.tasks import generate

TASK = "T2A"


def main() -> None:
    """Print one line per backend."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stsb", type=Path, help="sts-test.csv")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--repetitions", type=int, default=10, help="of the probe")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    first, second, gold = stsb(arguments.stsb)
    sentences = list(dict.fromkeys([*first, *second]))
    encoders = {backend: load(backend) for backend in (TORCH, ONNX, ONNX_INT8)}
    seconds = dict.fromkeys(encoders, np.inf)
    for _ in range(arguments.turns):
        for backend, encoder in encoders.items():
            start = time.perf_counter()
            encoder.encode(sentences, role=TEXT, task=None)
            seconds[backend] = min(seconds[backend], time.perf_counter() - start)
    print(f"{len(sentences)} distinct sentences, one thread\n")
    print(
        f"| backend | seconds | times torch | STS-B test, Spearman × 100 | {TASK} sample, score |"
        " greatest change of a value |"
    )
    print("|---|---|---|---|---|---|")
    plain = encoders[TORCH].encode(sentences, role=TEXT, task=None)
    for backend, encoder in encoders.items():
        vectors = encoder.encode(sentences, role=TEXT, task=None)
        of = dict(zip(sentences, vectors, strict=True))
        cosines = [cosine(of[a], of[b]) for a, b in zip(first, second, strict=True)]
        correlation = spearmanr(cosines, gold).statistic
        score = probe(encoder, repetitions=arguments.repetitions)
        print(
            f"| {backend} | {seconds[backend]:.1f} | {seconds[backend] / seconds[TORCH]:.2f} |"
            f" {100 * correlation:.3f} | {score:.4f} | {np.abs(vectors - plain).max():.0e} |",
            flush=True,
        )


def load(backend: str) -> SentenceTransformerEncoder:
    """all-MiniLM-L6-v2 with a backend, on the processor."""
    return load_folder(
        model_folder(), Settings(backend=backend), threads=1, allow_pickle=False, devices=["cpu"]
    )


def stsb(path: Path) -> tuple[list[str], list[str], list[float]]:
    """First sentences, second sentences, gold scores."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [
            row for row in csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE) if row[4] != "score"
        ]
    return [row[5] for row in rows], [row[6] for row in rows], [float(row[4]) for row in rows]


def probe(encoder: SentenceTransformerEncoder, *, repetitions: int) -> float:
    """Mean test metric of the sample task, by the published protocol."""
    rows = generate(TASK, seed=1)
    features = encoder.encode([text for (text,) in rows.texts], role=TEXT, task=None)
    result = cross_validate(features, np.asarray(rows.labels), metric="mcc", repetitions=repetitions)
    return float(np.mean([fold.test_metric for fold in result.folds]))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    """Cosine of the angle between two vectors."""
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


if __name__ == "__main__":
    main()
