"""Two systems by their out-of-fold predictions: a t-test that is less cautious than the corrected one of the folds."""

import math
from dataclasses import dataclass

import numpy as np

from sentflow.stats.items import OutOfFold, metric_values
from sentflow.stats.paired import PairedT


@dataclass(frozen=True)
class RowScores:
    """The scores of repetitions, and what each row contributes to them."""

    scores: np.ndarray  # (R,) float64, the metric of all out-of-fold predictions of a repetition
    # contributions: (R, n) float64: what the score loses without the row, less the mean of the row's class; 0 where
    # the repetition does not test it
    contributions: np.ndarray
    truth: np.ndarray  # (n,) int64 class of each row, from 0
    tested: np.ndarray  # (R, n) bool: the m rows that each repetition tests
    n_classes: int  # K


def row_scores(
    metric: str, n_classes: int, truth: np.ndarray, predicted: np.ndarray, tested: np.ndarray
) -> RowScores:
    """Scores and contributions of one system.

    `metric`: ``"mcc"`` or ``"adjusted_macro_f1"``. `truth`: (n,) int64 class indices from 0 to K − 1. `predicted`:
    (R, n) int64 class indices; what stands where a row is not tested is not read. `tested`: (R, n) bool, equally many
    in each repetition, which leaves rows out where it cuts the classes to one size.

    Rows of one true class and one predicted class contribute the same, so that a repetition needs K² scores, not n.
    """
    cell = truth * n_classes + predicted
    scores, contributions = [], np.zeros(predicted.shape)
    without = np.eye(n_classes**2).reshape(-1, n_classes, n_classes)
    for own, cells, there in zip(contributions, cell, tested, strict=True):
        counts = np.bincount(cells[there], minlength=n_classes**2).reshape(n_classes, n_classes)
        scores.append(float(metric_values(metric, counts[None])[0]))
        # no row is in an empty cell, whose score without one would be of a negative number
        left = metric_values(metric, np.maximum(counts - without, 0))
        lost = (scores[-1] - left).reshape(n_classes, n_classes)
        centre = (lost * counts).sum(axis=1) / np.maximum(counts.sum(axis=1), 1)
        own[there] = (lost - centre[:, None]).reshape(-1)[cells[there]]
    return RowScores(np.array(scores), contributions, truth, tested, n_classes)


def by_repetition(predictions: OutOfFold) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What `row_scores` needs of predictions.

    Returns the classes of the n rows that any repetition tests, (n,) int64; what each of R repetitions predicts, (R, n)
    int64; and which of the rows it tests, (R, n) bool.
    """
    rows, place = np.unique(predictions.row, return_inverse=True)
    repetitions, number = np.unique(predictions.repetition, return_inverse=True)
    truth = np.zeros(len(rows), np.int64)
    truth[place] = predictions.truth
    predicted = np.zeros((len(repetitions), len(rows)), np.int64)
    predicted[number, place] = predictions.predicted
    tested = np.zeros(predicted.shape, bool)
    tested[number, place] = True
    return truth, predicted, tested


@dataclass(frozen=True)
class OutOfFoldT(PairedT):
    """The paired differences of the folds of a cross-validation, and their error by the rows that were tested.

    `differences`: (J,) float64 of the scores of folds or of repetitions: first system minus second, of the same folds.

    The squared error is m/(m − 1) times the sum of squared contributions of the m rows of a repetition, averaged over
    the repetitions, not that of averaged contributions: how much one repetition differs from the next stands for what
    other training rows would change. Where a class is cut, repetitions draw other rows of it, so that their mean rests
    on more rows than one repetition tests: with r the share of repetitions that test a row, on (Σ r)²/Σ r² effective
    ones instead of Σ r, and squares of the class count Σ r²/Σ r times. Degrees of freedom are m − K. After Bayle,
    Bayle, Janson and Mackey 2020, Cross-validation Confidence Intervals for Test Error, NeurIPS 33, whose theorem is of
    a mean loss and of one cross-validation by stable learners. By ten repetitions of ridge probes on 250 to 2,000 rows
    of real tasks with two classes it rejected at most 4.5 % at a level of 5 %, and found more than `CorrectedT`; it
    held 1 % too, and three classes (docs/measurements/2026-11-27-error-rates.md). With fewer repetitions, other folds,
    more rows to train on (`compare.rows.CALIBRATED_SHARE`), or where folds keep documents together, it errs too often.
    """

    # first, second: what rows contribute to the scores of both systems, on the same folds
    first: RowScores
    second: RowScores

    @property
    def n_rows(self) -> int:
        """Rows m that a repetition tests."""
        return int(self.first.tested[0].sum())

    @property
    def degenerate(self) -> bool:
        """Both systems answer alike, or rows of a class contribute alike."""
        return self.error == 0

    @property
    def error(self) -> float:
        m = self.n_rows
        squares = np.square(self.first.contributions - self.second.contributions) * self._weights
        return math.sqrt(m / (m - 1) * float(squares.sum(axis=1).mean()))

    @property
    def _weights(self) -> np.ndarray:
        """(n,): 1, or less for rows of a class of which repetitions draw other rows."""
        truth, share = self.first.truth, self.first.tested.mean(axis=0)
        return np.asarray((np.bincount(truth, share**2) / np.bincount(truth, share))[truth])

    @property
    def freedom(self) -> float:
        return self.n_rows - self.first.n_classes
