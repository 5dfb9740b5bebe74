"""What TF-IDF features cost sparse and filled in: python benchmarks/sparse_features.py

Rows are pairs of bags of words drawn by Zipf's law. Each way runs in a process of its own on one thread, one
repetition of five folds; its peak memory is that above the imports, but that of an MLP contains torch.
"""

import argparse
import json
import multiprocessing
import resource
import time

import numpy as np
from scipy.sparse import csr_array

import needs
from sentflow.probing.fold import ProbeDesign
from sentflow.probing.rows import pair_features
from sentflow.probing.settings import PUBLISHED
from sentflow.probing.training import train_folds

# rows, words, words per text, hidden units
SHAPES = {
    "sample": (400, 3000, 15, None),
    "pairs": (6000, 3000, 15, None),
    "mlp": (400, 3000, 15, 256),
}


def main() -> None:
    """Print one line per shape."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shapes", nargs="*", default=list(SHAPES), help=f"of {', '.join(SHAPES)}")
    print(
        "| shape | rows × features | filled in: time, memory | sparse: time, memory | ratio of times "
        "| largest difference of a score |"
    )
    print("|---|---|---|---|---|---|")
    for name in parser.parse_args().shapes:
        n_rows, width, _, _ = SHAPES[name]
        dense, sparse = (in_process(name, filled) for filled in (True, False))
        difference = max(abs(a - b) for a, b in zip(dense["scores"], sparse["scores"], strict=True))
        costs = " | ".join(f"{way['seconds']:.1f} s, {way['megabytes']:.0f} MB" for way in (dense, sparse))
        print(
            f"| {name} | {n_rows} × {4 * width} | {costs} | {dense['seconds'] / sparse['seconds']:.1f} |"
            f" {difference:.0e} |",
            flush=True,
        )


def in_process(name: str, filled: bool) -> dict:
    """Time, memory above that of the imports, and scores."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=probe, args=(name, filled, sender))
    process.start()
    result = json.loads(receiver.recv())
    process.join()
    return result


def probe(name: str, filled: bool, sender) -> None:
    """Run the folds and send what they took."""
    n_rows, width, length, hidden = SHAPES[name]
    features, labels = pairs(n_rows, width, length)
    before = peak_megabytes()
    start = time.perf_counter()
    results = list(
        train_folds(
            Rows(features, filled=filled),
            labels,
            ProbeDesign("mcc", 2, hidden, PUBLISHED.but(repetitions=1)),
        )
    )
    seconds = time.perf_counter() - start
    scores = [fold.test_metric for fold in results]
    sender.send(json.dumps({"seconds": seconds, "megabytes": peak_megabytes() - before, "scores": scores}))


class Rows:
    """Each fold's rows, sparse or filled in."""

    def __init__(self, features: csr_array, *, filled: bool) -> None:
        self._features, self._filled = features, filled

    def parts(self, plan) -> tuple:
        parts = tuple(self._features[rows] for rows in (plan.train, plan.evaluation, plan.test))
        return tuple(part.toarray() for part in parts) if self._filled else parts


def pairs(n_rows: int, width: int, length: int) -> tuple[csr_array, np.ndarray]:
    """Features of pairs whose second text repeats some words of the first where the label is 1."""
    generator = np.random.default_rng(1)
    labels = np.arange(n_rows) % 2
    shares = 1 / np.arange(1, width + 1)
    shares /= shares.sum()
    first = generator.choice(width, size=(n_rows, length), p=shares)
    second = generator.choice(width, size=(n_rows, length), p=shares)
    repeated = (generator.random((n_rows, length)) < 0.2) & (labels == 1)[:, None]
    return pair_features(bags(first, width), bags(np.where(repeated, first, second), width)), labels


def bags(words: np.ndarray, width: int) -> csr_array:
    """(n, width) float32 counts on rows of length 1."""
    rows = np.repeat(np.arange(len(words)), words.shape[1])
    counts = csr_array((np.ones(words.size, np.float32), (rows, words.ravel())), shape=(len(words), width))
    lengths = np.sqrt(counts.power(2).sum(axis=1))
    return csr_array(counts / lengths[:, None], dtype=np.float32)


def peak_megabytes() -> float:
    """Of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    needs.run(main)
