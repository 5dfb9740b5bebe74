"""How much of a score's variance comes from the questions, or pairs, and how much from the seeds of training."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import stdtr, stdtrit

LEAST_SEEDS = 3
"""Of which an interval or a test for new seeds is given: 95 % intervals of two cover 87 %."""
ENOUGH_SEEDS = 6
"""Below which such an interval comes with a warning."""


@dataclass(frozen=True)
class SeedVariance:
    """The mean over questions and seeds, and what its variance is made of.

    The population is new questions *and* new seeds, both drawn like these; the last component holds all that is not
    repeated.
    """

    mean: float  # over all questions and seeds
    # n_questions, n_seeds: at least 2 each
    n_questions: int
    n_seeds: int
    # questions, seeds, both: variance components: σ²_q between questions, σ²_s between seeds, σ²_qs of what is
    # peculiar to a question with a seed. Estimates below 0 are set to 0.
    questions: float
    seeds: float
    both: float
    negative: tuple[str, ...]  # names of the components whose estimates were below 0
    freedom: float  # degrees of freedom of `variance`

    @property
    def from_questions(self) -> float:
        """Part of `variance` that more questions make smaller: σ²_q / n_q."""
        return self.questions / self.n_questions

    @property
    def from_seeds(self) -> float:
        """Part of `variance` that more seeds make smaller: σ²_s / n_s."""
        return self.seeds / self.n_seeds

    @property
    def variance(self) -> float:
        """Of `mean`: σ²_q / n_q + σ²_s / n_s + σ²_qs / (n_q n_s)."""
        return self.from_questions + self.from_seeds + self.both / (self.n_questions * self.n_seeds)

    @property
    def more(self) -> Literal["questions", "seeds", "either"]:
        """Of what twice as many would make the interval narrower; either, where the two parts are equal.

        The third part is halved by twice as many of either.
        """
        if self.from_questions == self.from_seeds:
            return "either"
        return "questions" if self.from_questions > self.from_seeds else "seeds"

    def interval(self, level: float) -> tuple[float, float]:
        """Of `mean`, for new questions and new seeds: NaN below `LEAST_SEEDS`, no width where all values are equal."""
        if self.n_seeds < LEAST_SEEDS:
            return math.nan, math.nan
        half_width = 0.0
        if self.variance > 0:
            half_width = float(stdtrit(self.freedom, (1 + level) / 2)) * math.sqrt(self.variance)
        return self.mean - half_width, self.mean + half_width

    def p(self) -> float:
        """Two-sided p that the true mean is 0, for new questions and new seeds; the test of `interval`.

        1 where all values are 0, NaN where they are equal otherwise, and below `LEAST_SEEDS`.
        """
        if self.n_seeds < LEAST_SEEDS:
            return math.nan
        if not self.variance > 0:
            return 1.0 if self.mean == 0 else math.nan
        return float(2 * stdtr(self.freedom, -abs(self.mean) / math.sqrt(self.variance)))

    def facts(self, level: float, units: str) -> dict[str, Any]:
        """What rows of comparisons say of it, where questions are called `units`; see `SeedRow` for the names."""
        low, high = self.interval(level)
        total = self.variance or math.nan
        return {
            "value": self.mean,
            "low": low,
            "high": high,
            "level": level,
            f"n_{units}": self.n_questions,
            "n_seeds": self.n_seeds,
            f"share_of_{units}": self.from_questions / total,
            "share_of_seeds": self.from_seeds / total,
            "more": self.more.replace("questions", units),
            "seeds_unseen": "seeds" in self.negative,
        }


def seed_variance(values: np.ndarray) -> SeedVariance:
    """Split the variance of a mean over questions and seeds.

    `values`: (n_q, n_s) float64, at least two of each: scores of one system by question and seed; or differences from
    another system, seed by seed where both were trained with the same seeds, else from the one score that it has for a
    question.

    Analysis of variance of the random two-way layout without repetition. With the mean squares of questions, seeds and
    residuals: σ²_qs = MS_qs, σ²_q = (MS_q − MS_qs) / n_s, σ²_s = (MS_s − MS_qs) / n_q. Searle, Casella and McCulloch
    1992, Variance Components, chapter 4. The variance of the mean is then a sum of mean squares over n_q n_s,
    MS_q + MS_s − MS_qs, or what is left of it without components below 0; its degrees of freedom are those of
    Satterthwaite 1946, (Σ a MS)² / Σ ((a MS)² / f).
    """
    n_questions, n_seeds = values.shape
    mean = float(values.mean())
    by_question, by_seed = values.mean(axis=1), values.mean(axis=0)
    residuals = values - by_question[:, None] - by_seed + mean
    freedoms = _freedoms(n_questions, n_seeds)
    of_questions = n_seeds * ((by_question - mean) ** 2).sum()
    of_seeds = n_questions * ((by_seed - mean) ** 2).sum()
    squares = np.array([of_questions, of_seeds, (residuals**2).sum()])
    return _of_mean_squares(mean, squares / freedoms, n_questions, n_seeds)


def resampled_seed_variance(scores: np.ndarray, replicates: np.ndarray, *, n_units: int) -> SeedVariance:
    """The same of a score that is no mean over questions, such as a correlation over pairs of sentences.

    `scores`: (n_s,) float64, n_s >= 2: one per seed, or differences from another system. `replicates`: (R, n_s)
    float64: the same in resamples of the units, which are the same for all seeds. `n_units`: n_q >= 2, how many
    independent ones these are worth.

    What resamples of the units change for all seeds alike stands for σ²_q, what they change for a single seed for
    σ²_qs, and the spread of the scores themselves for σ²_s + σ²_qs / n_q. As mean squares: MS_q = n_q n_s times the
    variance of the mean over seeds, MS_qs = n_q times that of what is left of a replicate without the means of its seed
    and its resample, MS_s = n_q times the variance between scores. `SeedVariance` then reads them as those of a two-way
    table, so its components are those of one unit, and its interval is for new units and new seeds.
    """
    n_seeds = len(scores)
    by_resample = replicates.mean(axis=1)
    peculiar = replicates - replicates.mean(axis=0) - (by_resample - by_resample.mean())[:, None]
    squares = np.array(
        [
            n_units * n_seeds * by_resample.var(ddof=1),
            n_units * scores.var(ddof=1),
            n_units * (peculiar**2).sum() / ((len(replicates) - 1) * (n_seeds - 1)),
        ]
    )
    return _of_mean_squares(float(scores.mean()), squares, n_units, n_seeds)


def _freedoms(n_questions: int, n_seeds: int) -> np.ndarray:
    return np.array([n_questions - 1, n_seeds - 1, (n_questions - 1) * (n_seeds - 1)])


def _of_mean_squares(mean: float, squares: np.ndarray, n_questions: int, n_seeds: int) -> SeedVariance:
    """From the mean squares of questions, seeds and what is peculiar to one with the other."""
    of_questions, of_seeds, of_both = squares
    has_questions, has_seeds = not of_questions < of_both, not of_seeds < of_both
    negative = ("questions",) * (not has_questions) + ("seeds",) * (not has_seeds)
    # σ²_qs enters once on its own, and is taken off again with each of the other two
    parts = np.array(
        [has_questions * of_questions, has_seeds * of_seeds, (1 - has_questions - has_seeds) * of_both]
    )
    total = float(parts.sum())
    return SeedVariance(
        mean=mean,
        n_questions=n_questions,
        n_seeds=n_seeds,
        questions=max(0.0, float(of_questions - of_both) / n_seeds),
        seeds=max(0.0, float(of_seeds - of_both) / n_questions),
        both=float(of_both),
        negative=negative,
        freedom=total**2 / float((parts**2 / _freedoms(n_questions, n_seeds)).sum())
        if total > 0
        else math.nan,
    )
