"""Pairs of sentences that share sentences: which of them are independent, and how they are drawn again."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sentflow.stats.effective import connected, effective_clusters, numbered
from sentflow.stats.resampling import Bootstrap, multinomial_counts, percentile_limits

PAIRS, COMPONENTS, SENTENCES = "pairs", "components", "sentences"
# effective ones; with fewer, drawing components gives intervals that are too narrow (docs/statistics.md)
LEAST_COMPONENTS = 50
# for an interval or a test: with 11 (STS13:OnWN) 95 % intervals cover 87.5 %, and tests err in 14 %
FEWEST_EFFECTIVE = 12


@dataclass(frozen=True)
class PairUnits:
    """What a resample draws with replacement in place of single pairs."""

    kind: str  # `PAIRS`, `COMPONENTS` or `SENTENCES`
    first: np.ndarray  # (n,) int64, the unit of each pair, from 0
    # second: (n,) int64, the other unit of a pair whose two sentences are both shared, −1 for other pairs; None where
    # no pair has one
    second: np.ndarray | None
    n_units: int  # how many units there are, and are drawn
    effective_pairs: float  # of the graph: the least number of independent pairs that its pairs are worth

    @property
    def says_enough(self) -> bool:
        """Whether intervals and tests are given."""
        return self.effective_pairs >= FEWEST_EFFECTIVE

    def facts(self) -> dict[str, str | int | float]:
        """What files say of it: ``kind``, ``n_units``, ``effective_pairs``."""
        return {"kind": self.kind, "n_units": self.n_units, "effective_pairs": self.effective_pairs}

    def weights(self, counts: np.ndarray) -> np.ndarray:
        """(block, n) weights of the pairs from (block, n_units) numbers of draws; their type is kept.

        A pair weighs as often as its unit was drawn; one with two units, the product of both.
        """
        if self.kind == PAIRS:
            return counts
        weights = counts[:, self.first]
        if self.second is not None:
            both = np.flatnonzero(self.second >= 0)
            weights[:, both] *= counts[:, self.second[both]]
        return weights


@dataclass(frozen=True)
class PairGraph:
    """A graph with sentences as vertices and n scored pairs as edges."""

    # first, second: (n,) int64 numbers of the two sentences of each pair, not below 0; n >= 1. Equal numbers are equal
    # sentences.
    first: np.ndarray
    second: np.ndarray

    @classmethod
    def of_texts(cls, first: Sequence[str], second: Sequence[str]) -> "PairGraph":
        numbers = numbered(text for pair in zip(first, second, strict=True) for text in pair)
        return cls(*numbers.reshape(-1, 2).T)

    def of(self, rows: np.ndarray) -> "PairGraph":
        """The graph of some of the pairs alone."""
        return PairGraph(self.first[rows], self.second[rows])

    @cached_property
    def component(self) -> np.ndarray:
        """(n,) int64 connected component of each pair, from 0: pairs joined by sentences, directly or not."""
        _, of_pair = np.unique(connected(self.first, self.second), return_inverse=True)
        return np.asarray(of_pair, dtype=np.int64)

    @cached_property
    def effective_pairs(self) -> float:
        """How many independent pairs say as much if those of a component agree fully: a lower bound, in [1, n].

        See `effective_clusters`. Pairs of a component agree in part only, so that more pairs would be needed.
        """
        return effective_clusters(np.bincount(self.component))

    @property
    def effective_rows(self) -> float:
        """How many independent pairs say as much if pairs with a common sentence agree fully, and no others do at all.

        n² over the number of ordered pairs (i, j), i = j included, of pairs that share a sentence; in [1, n].
        """
        ends = np.sort(np.stack([self.first, self.second]), axis=0)
        own = [self.first, self.second[self.first != self.second]]
        of_sentence = np.unique(np.concatenate(own), return_counts=True)[1]
        # equal pairs of two sentences share both, so that they were counted twice
        of_pair = np.unique(ends[:, ends[0] != ends[1]], axis=1, return_counts=True)[1]
        return len(self.first) ** 2 / float(np.square(of_sentence).sum() - np.square(of_pair).sum())

    @cached_property
    def units(self) -> PairUnits:
        """What is drawn, by the structure of the graph alone.

        Pairs, if no sentence occurs in two of them. Else connected components, which are independent of each other, if
        there are at least `LEAST_COMPONENTS` effective ones. Else sentences.
        """
        if self.component.max() + 1 == len(self.first):
            return self.units_of(PAIRS)
        return self.units_of(COMPONENTS if self.effective_pairs >= LEAST_COMPONENTS else SENTENCES)

    def units_of(self, kind: str) -> PairUnits:
        """What is drawn in one of the three ways, whether `units` would choose it or not."""
        if kind == SENTENCES:
            return self._sentence_units()
        unit = self.component if kind == COMPONENTS else np.arange(len(self.first))
        return PairUnits(kind, unit, None, int(unit.max()) + 1, self.effective_pairs)

    def _sentence_units(self) -> PairUnits:
        """Sentences: a pair weighs the product of how often its two were drawn.

        The pigeonhole bootstrap of Owen 2007, Annals of Applied Statistics 1, 386–411. Only sentences that two pairs
        share are drawn; a pair without one is a unit itself, for else it would have the variance of two draws. The
        weight of a pair of two shared sentences still varies three times as much as it should (E w² = 4 instead of 2),
        so that this errs on the side of wide intervals.
        """
        twice = self.first == self.second  # one sentence, paired with itself
        n_pairs = np.bincount(self.first, minlength=self._n_sentences)
        n_pairs += np.bincount(self.second[~twice], minlength=self._n_sentences)
        shared = n_pairs > 1
        number = np.cumsum(shared) - 1
        has_first, has_second = shared[self.first], shared[self.second] & ~twice
        alone = ~(has_first | has_second)
        first = np.where(has_first, number[self.first], number[self.second])
        first[alone] = shared.sum() + np.arange(alone.sum())
        second = np.where(has_first & has_second, number[self.second], -1)
        return PairUnits(
            SENTENCES,
            first,
            second if (second >= 0).any() else None,
            int(shared.sum() + alone.sum()),
            self.effective_pairs,
        )

    @property
    def _n_sentences(self) -> int:
        return int(max(self.first.max(), self.second.max())) + 1


def interval_of_pair_mean(values: np.ndarray, units: PairUnits, bootstrap: Bootstrap) -> tuple[float, float]:
    """Percentile interval of the mean of (n,) values of pairs, n >= 1; `interval_of_mean` where they share none."""
    means = []
    for counts in multinomial_counts(units.n_units, bootstrap):
        weights = units.weights(counts)
        total = weights.sum(axis=1)
        drawn = total > 0  # a resample of sentences may hold no pair
        means.append(weights[drawn] @ values / total[drawn])
    return percentile_limits(np.concatenate(means), bootstrap.level)
