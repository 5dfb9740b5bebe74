"""Do tests hold their level on real scores? python benchmarks/real_nulls.py --mirror FOLDER

The null hypothesis is made of real runs: on each question of a sample the scores of the systems are given to them in
random order, so that all are equal and everything else (zeros, ones, skewness, what systems have in common) is real.
Says how often tests call two of them, or any two of all, different. Prints tables in Markdown.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from real_scores import real_scores
from retrieval_tests import ALPHA, percents, rejections, table, wilcoxon_p
from sentflow.stats.paired import PairedT
from sentflow.stats.seeds import derive_seed
from sentflow.stats.sign_flips import sign_flip_p_values

SETS = ("cranfield", "npl", "scifact-train")
SIZES = (50, 100)
TESTS = ("t", "sign flips", "Wilcoxon")
FAMILIES = ("t, unadjusted", "t, Holm", "sign flips, Holm")


def main() -> None:
    """Search, permute, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="folder of real data")
    parser.add_argument("--samples", type=int, default=1000, help="of questions, per line")
    parser.add_argument("--resamples", type=int, default=999, help="of each randomisation test")
    parser.add_argument("--seed", type=int, default=1, help="of everything")
    args = parser.parse_args()
    started = time.process_time()
    single, family = [], []
    for name in SETS:
        bm25 = real_scores(name, args.mirror).values[:3]  # without the control
        for n in (size for size in SIZES if size <= bm25.shape[1]):
            drawn = list(permuted(bm25, n, args.samples, derive_seed(args.seed, name, n)))
            single.append([name, str(n), *percents(single_rates(drawn, args.resamples))])
            family.append([name, str(n), *percents(family_rates(drawn, args.resamples))])
    print("Two systems:\n")
    print(table(["question set", "questions", *TESTS], single))
    print("\nAny two of three systems:\n")
    print(table(["question set", "questions", *FAMILIES], family))
    print(f"\n{args.samples} samples per line, {time.process_time() - started:.0f} CPU seconds")


def permuted(scores: np.ndarray, n: int, n_samples: int, seed: int) -> Iterator[np.ndarray]:
    """(m, n) scores of n questions out of all, those of each question in random order."""
    generator = np.random.default_rng(seed)
    for _ in range(n_samples):
        some = generator.choice(scores.shape[1], n, replace=False)
        yield generator.permuted(scores[:, some], axis=0)


def single_rates(drawn: list[np.ndarray], n_resamples: int) -> np.ndarray:
    """(3,) shares of samples in which a test calls the first two systems different, in the order of `TESTS`."""
    found = []
    for seed, (first, second, *_) in enumerate(drawn):
        difference = first - second
        flips = float(sign_flip_p_values(difference[None], n_resamples=n_resamples, seed=seed)[0])
        found.append([PairedT(difference).p(), flips, wilcoxon_p(difference, seed)])
    return np.asarray((np.array(found) <= ALPHA).mean(axis=0))


def family_rates(drawn: list[np.ndarray], n_resamples: int) -> np.ndarray:
    """(3,) shares of samples in which any two systems are called different, in the order of `FAMILIES`."""
    everyone = slice(0, len(drawn[0]))
    found = [rejections(scores, everyone, n_resamples, seed) for seed, scores in enumerate(drawn)]
    return np.asarray(np.mean(found, axis=0))


if __name__ == "__main__":
    main()
