"""Which systems differ on the questions of a collection: a score per system and question → rows of differences."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from sentflow.compare.question_rows import QuestionDifference
from sentflow.files.rows import row_from
from sentflow.stats.means import (
    ClusteredScores,
    MeanInterval,
    expanded_level,
    limits_without_draws,
    mean_interval,
    says_enough,
)
from sentflow.stats.multiplicity import holm
from sentflow.stats.paired import ClusteredT, PairedT
from sentflow.stats.seeds import derive_seed
from sentflow.stats.sign_flips import sign_flip_p_values

_DIGITS = 12  # to which scores are rounded, so that what differs by the order of sums is equal in every test


@dataclass(frozen=True)
class QuestionSettings:
    """How systems are compared."""

    # level, alpha: of intervals and tests
    level: float
    alpha: float
    margin: float  # difference that would matter, for tests of equivalence; above 0
    n_resamples: int  # of the bootstrap and of sign flips
    seed: int  # of both; never of the systems, so that these see the same draws


@dataclass(frozen=True)
class QuestionScores:
    """The questions of a collection as `UnitScores`: one measure of every system."""

    # unit_set, measure: names of the collection and of the measure
    unit_set: str
    measure: str
    systems: Sequence[str]  # m different names
    questions: Sequence[str]  # n different ids
    # scores: (m, n) float64, n >= 2; a question that a system has no answer to has the value that the measure gives to
    # that
    scores: np.ndarray
    settings: QuestionSettings
    # clusters: the cluster of each question, say the law or the gold document that it is about, None for a question
    # that is in none; or None altogether where questions are independent
    clusters: Sequence[str | None] | None = None
    n_sets: int = 1  # question sets, this one and others, whose pairs of systems are one family of tests

    def __post_init__(self) -> None:
        shape = (len(self.systems), len(self.questions))
        for kind, names in (("systems", self.systems), ("questions", self.questions)):
            if len(set(names)) < len(names):
                twice = next(name for place, name in enumerate(names) if name in names[:place])
                raise ValueError(f"{kind}: {twice!r} occurs twice; name each once.")
        if not np.isfinite(self.scores).all():
            system, question = np.argwhere(~np.isfinite(self.scores))[0]
            raise ValueError(
                f"scores: that of {self.systems[system]!r} on question {self.questions[question]!r} is "
                f"{self.scores[system, question]}; leave out questions without judgements, and give those without "
                "an answer the value that the measure has for them."
            )
        if shape[0] and len(self.units.sizes) < 2:
            what = "all questions are in one cluster" if shape[1] > 1 else f"{shape[1]} questions"
            raise ValueError(
                f"{self.unit_set}: {what}; nothing can be tested with less than two independent units."
            )

    @property
    def n_systems(self) -> int:
        """m."""
        return len(self.systems)

    @property
    def least_alpha(self) -> float:
        """What a p has to reach to be significant by Holm whatever the other pairs show; with two systems at least."""
        return self.settings.alpha / (math.comb(self.n_systems, 2) * self.n_sets)

    @cached_property
    def _rounded(self) -> np.ndarray:
        return np.round(self.scores, _DIGITS)

    @cached_property
    def units(self) -> ClusteredScores:
        """The scores by independent units."""
        return ClusteredScores.of(self._rounded, self.clusters)

    @cached_property
    def _replicates(self) -> np.ndarray:
        settings = self.settings
        return self.units.replicates(n_resamples=settings.n_resamples, seed=self._seed("bootstrap"))

    @cached_property
    def _left_out(self) -> np.ndarray:
        return self.units.left_out()

    @cached_property
    def _sign_flip_p(self) -> dict[tuple[int, int], tuple[float, float]]:
        """Single and adjusted p of every pair."""
        pairs = list(combinations(range(self.n_systems), 2))
        totals = self.units.totals
        found = sign_flip_p_values(
            np.array([totals[a] - totals[b] for a, b in pairs]),
            n_resamples=self.settings.n_resamples,
            seed=self._seed("sign flips"),
        ).tolist()
        return dict(zip(pairs, zip(found, holm(found), strict=True), strict=True))

    def _seed(self, what: str) -> int:
        return derive_seed(self.settings.seed, self.unit_set, what)

    def replicates(self) -> np.ndarray:
        """(R, m) means over questions in resamples of the units."""
        return self._replicates

    def interval(self, system: int) -> MeanInterval:
        """Intervals of the score of one system: of independent questions as `limits_without_draws` says, else drawn."""
        level = self.settings.level
        if not self.units.grouped:
            if known := limits_without_draws(self._rounded[system], level):
                return MeanInterval(*known, *known)
            level = expanded_level(level, len(self.questions))
        return mean_interval(
            self._replicates[:, system],
            float(self.units.means[system]),
            self._left_out[:, system],
            level=level,
        )

    def paired_t(self, a: int, b: int) -> PairedT:
        """The t-test of two systems, which knows of clusters."""
        differences = np.round(self._rounded[a] - self._rounded[b], _DIGITS)
        return ClusteredT(differences, self.units.unit) if self.units.grouped else PairedT(differences)

    def test(self, a: int, b: int, resampled: np.ndarray) -> QuestionDifference:
        settings, test = self.settings, self.paired_t(a, b)
        wins, ties, losses = test.wins()
        p_sign_flip, p_sign_flip_holm = self._sign_flip_p[a, b]
        # too few say nothing by t or by a bootstrap; sign flips hold their level at any number
        enough = self.units.grouped or says_enough(test.differences)
        low, high = test.interval(settings.level) if enough else (math.nan, math.nan)
        bootstrap = MeanInterval(*[math.nan] * 4)
        if enough:
            left_out = self._left_out[:, a] - self._left_out[:, b]
            bootstrap = mean_interval(resampled, test.mean, left_out, level=settings.level)
        return row_from(
            QuestionDifference,
            vars(settings),
            unit_set=self.unit_set,
            measure=self.measure,
            model_a=self.systems[a],
            model_b=self.systems[b],
            n_questions=len(self.questions),
            n_units=len(self.units.sizes),
            grouped=self.units.grouped,
            value_a=float(self.units.means[a]),
            value_b=float(self.units.means[b]),
            difference=test.mean,
            low=low,
            high=high,
            p=test.p() if enough else p_sign_flip,
            p_holm=math.nan,
            p_sign_flip=p_sign_flip,
            p_sign_flip_holm=p_sign_flip_holm,
            effect_size=test.effect_size,
            wins=wins,
            ties=ties,
            losses=losses,
            mdd_power=test.detectable(self.least_alpha) if enough else math.nan,
            p_equivalence=test.p_equivalence(settings.margin) if enough or test.degenerate else math.nan,
            bootstrap_low=bootstrap.low,
            bootstrap_high=bootstrap.high,
            bca_low=bootstrap.bca_low,
            bca_high=bootstrap.bca_high,
            degenerate=test.degenerate,
        )
