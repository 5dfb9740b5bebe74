"""Which encoders differ on one task: scores, folds and predictions of all encoders → rows of ``comparisons/``."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sentflow.compare.differences import all_differences
from sentflow.compare.marks import beaten, joined_letters, letters
from sentflow.compare.rows import CALIBRATED, CORRECTED_T, PairRow, StandingRow
from sentflow.compare.score_rows import ScoreRow
from sentflow.compare.settings import ComparisonSettings
from sentflow.files.rows import row_from
from sentflow.probing.settings import REGULARISED
from sentflow.stats.across import ranks
from sentflow.stats.items import OutOfFold, Units, item_replicates
from sentflow.stats.out_of_fold import OutOfFoldT, RowScores, by_repetition, row_scores
from sentflow.stats.paired import CorrectedT, PairedT, mcnemar
from sentflow.stats.resampling import percentile_limits


@dataclass(frozen=True)
class FoldScores:
    """A task as `UnitScores`: tests of out-of-fold predictions or of folds, and a bootstrap over the texts."""

    rows: Sequence[ScoreRow]  # of the encoders that have a score, in the order of selection
    folds: np.ndarray  # (J, M) float64 test scores of M encoders on the same folds
    predictions: Sequence[OutOfFold]  # out-of-fold predictions of each encoder
    units: Units  # what the bootstrap over texts draws
    item_seed: int  # of that bootstrap
    settings: ComparisonSettings

    @property
    def n_systems(self) -> int:
        """Encoders."""
        return len(self.rows)

    @property
    def n_pairs(self) -> int:
        """Pairs of encoders: the family of tests."""
        return math.comb(self.n_systems, 2)

    @property
    def least_alpha(self) -> float:
        """What a p has to reach to be significant by Holm whatever the other pairs show; with two encoders at least."""
        return self.settings.alpha / self.n_pairs

    def replicates(self) -> np.ndarray:
        """(R, M) scores of out-of-fold predictions in resamples of the texts."""
        about = self.rows[0]
        return item_replicates(
            self.predictions,
            self.units,
            metric=about.metric,
            n_classes=about.n_classes,
            n_resamples=self.settings.n_item_resamples,
            seed=self.item_seed,
        )[1:]

    @property
    def kind_of_test(self) -> str:
        """`OUT_OF_FOLD` only where its level was calibrated (`CALIBRATED`), elsewhere `CORRECTED_T`."""
        about = self.rows[0]
        calibrated = (
            not about.n_documents
            and about.classifier != REGULARISED
            and about.folds == CALIBRATED.folds
            and about.repetitions >= CALIBRATED.repetitions
            and about.n_train <= CALIBRATED.trained_on * about.n_balanced_rows
        )
        return self.settings.test if calibrated else CORRECTED_T

    def tested(self, a: int, b: int) -> PairedT:
        """The test of two encoders that p-values, intervals and the detectable difference are of."""
        corrected = self.corrected_t(a, b)
        if self.kind_of_test == CORRECTED_T:
            return corrected
        return OutOfFoldT.of(self._row_scores[a], self._row_scores[b], corrected.differences)

    @cached_property
    def _row_scores(self) -> list[RowScores]:
        """What each row contributes to the score of each encoder."""
        about = self.rows[0]
        return [row_scores(about.metric, about.n_classes, *by_repetition(one)) for one in self.predictions]

    def corrected_t(self, a: int, b: int) -> CorrectedT:
        """The test of two encoders by the spread of their folds."""
        about = self.rows[0]
        documents = about.effective_documents if about.n_documents else math.inf
        return CorrectedT(self.folds[:, a] - self.folds[:, b], about.folds, documents)

    def test(self, a: int, b: int, resampled: np.ndarray) -> PairRow:
        """See `UnitScores`."""
        settings, grouped = self.settings, self.units.grouped
        first, second = self.rows[a], self.rows[b]
        test = self.tested(a, b)
        low, high = test.interval(settings.level)
        item_low, item_high = percentile_limits(resampled, settings.level)
        return row_from(
            PairRow,
            {**vars(first), **vars(settings)},
            model_a=first.model,
            model_a_title=first.model_title,
            model_b=second.model,
            model_b_title=second.model_title,
            n_folds=len(test.differences),
            mean_a=first.mean,
            mean_b=second.mean,
            difference=test.mean,
            test=self.kind_of_test,
            error=test.error,
            p_corrected=self.corrected_t(a, b).p(),
            low=low,
            high=high,
            p=test.p(),
            p_holm=math.nan,
            p_over_tasks=math.nan,
            mdd_power=test.detectable(self.least_alpha),
            p_equivalence=test.p_equivalence(settings.rope),
            item_low=item_low,
            item_high=item_high,
            item_grouped=grouped,
            p_mcnemar=math.nan if grouped else _mcnemar(self.predictions[a], self.predictions[b]),
            degenerate=test.degenerate,
        )


@dataclass(frozen=True)
class TaskComparison:
    """What is said of one task."""

    pairs: list[PairRow]
    standings: list[StandingRow]


def compare_task(scores: FoldScores) -> TaskComparison:
    """Every pair of encoders of a task, and their standings."""
    pairs = all_differences(scores)
    return TaskComparison(pairs, _standings(scores, pairs))


def _mcnemar(first: OutOfFold, second: OutOfFold) -> float:
    """Over the texts of the first repetition: each is predicted once, and classes are balanced."""
    own = first.repetition == first.repetition.min()
    return mcnemar(*(one.predicted[own] == one.truth[own] for one in (first, second)))


def _standings(scores: FoldScores, pairs: Sequence[PairRow]) -> list[StandingRow]:
    rows = scores.rows
    means = np.array([row.mean for row in rows])
    places = ranks(means)
    models = [row.model for row in rows]
    own = letters(models)
    lower = {row.model: beaten(pairs, row.task, row.model) for row in rows}
    best = {row.model for row in rows if row.mean == means.max()}
    found = []
    for row, place in zip(rows, places, strict=True):
        higher = [model for model in models if row.model in lower[model]]
        found.append(
            row_from(
                StandingRow,
                vars(row),
                rank=float(place),
                is_best=row.model in best,
                not_worse=best.isdisjoint(higher),
                worse_than=joined_letters(higher, own, shorten=False),
                better_than=joined_letters(lower[row.model], own, shorten=False),
                letter=own[row.model],
                n_models=len(models),
                alpha=scores.settings.alpha,
            )
        )
    return found
