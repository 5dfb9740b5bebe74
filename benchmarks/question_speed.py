"""CPU seconds of all comparisons of a collection, and of SciPy's test of one pair: python benchmarks/question_speed.py

On one thread. SciPy flips signs for one pair of systems by a function of many resamples; ours does all pairs. The parts
are taken in turn, and the least of several times counts.
"""

import argparse
import os

import needs

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is imported

import time
from collections.abc import Callable

import numpy as np
from scipy.stats import permutation_test

from sentflow.compare.differences import all_differences
from sentflow.compare.questions import QuestionScores
from sentflow.retrieval.settings import QuestionTests
from sentflow.stats.means import ClusteredScores
from sentflow.stats.multiplicity import sign_flip_p_values
from simulated_questions import alike


def main() -> None:
    """Print CPU seconds, and the p of one pair by both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", type=int, default=10)
    parser.add_argument("--questions", type=int, default=3000)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    m, n, n_resamples = args.systems, args.questions, args.resamples
    scores = alike("RR@10", m).of_independent(n).sample(np.random.default_rng(1))
    first, second = np.triu_indices(m, 1)
    differences = scores[first] - scores[second]

    def all_of_it() -> object:
        settings = QuestionTests(level=0.95, alpha=0.05, margin=0.01, n_resamples=n_resamples, seed=1)
        systems, questions = ([f"{kind}{i}" for i in range(k)] for kind, k in (("s", m), ("q", n)))
        return all_differences(QuestionScores("simulated", "RR@10", systems, questions, scores, settings))

    def scipy_pair() -> float:
        found = permutation_test(
            (differences[0],),
            lambda x, axis: x.mean(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=n_resamples,
            batch=500,
            rng=np.random.default_rng(1),
        )
        return float(found.pvalue)

    parts: dict[str, Callable[[], object]] = {
        f"sign flips, {len(differences)} pairs": lambda: sign_flip_p_values(
            differences, n_resamples=n_resamples, seed=1
        ),
        "sign flips of one pair, SciPy": scipy_pair,
        "bootstrap": lambda: ClusteredScores.of(scores).replicates(n_resamples=n_resamples, seed=1),
        "everything, all pairs": all_of_it,
    }
    least = dict.fromkeys(parts, float("inf"))
    for _ in range(args.turns):
        for name, part in parts.items():
            started = time.process_time()
            part()
            least[name] = min(least[name], time.process_time() - started)
    print(f"{m} systems, {n} questions, {n_resamples} resamples\n")
    print("| part | CPU seconds |\n|---|---|")
    for name, seconds in least.items():
        print(f"| {name} | {seconds:.2f} |")
    ours = float(sign_flip_p_values(differences[:1], n_resamples=n_resamples, seed=1)[0])
    print(f"\np of the first pair: ours {ours:.4f}, SciPy {scipy_pair():.4f}")


if __name__ == "__main__":
    needs.run(main)
