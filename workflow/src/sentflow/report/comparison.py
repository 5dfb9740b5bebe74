"""Which encoders differ on one task: scores, folds and predictions of all encoders → rows of ``comparisons/``."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentflow.errors import DataError
from sentflow.report.comparison_rows import PairRow, PowerRow, StandingRow
from sentflow.report.families.probing.rows import ScoreRow
from sentflow.stats.across import ranks
from sentflow.stats.items import OutOfFold, Units, item_replicates, percentile_limits
from sentflow.stats.mcnemar import mcnemar
from sentflow.stats.multiplicity import holm
from sentflow.stats.paired import CorrectedT

MANY_REPETITIONS = 100  # of `PowerRow.repetitions_help`


@dataclass(frozen=True)
class ComparisonSettings:
    """How encoders are compared.

    Attributes
    ----------
    level
        Of every interval.
    alpha
        Error rate of the tests.
    rope
        Difference that counts as none.
    n_item_resamples
        Of the paired bootstrap over texts, and of the intervals of ranks.
    """

    level: float
    alpha: float
    rope: float
    n_item_resamples: int


@dataclass(frozen=True)
class TaskScores:
    """The encoders that have a score on one task, in the order of selection.

    Attributes
    ----------
    rows
        Rows of the summary.
    folds
        (J, M) float64 test scores of M encoders on the same folds.
    predictions
        Out-of-fold predictions of each encoder.
    units
        What the bootstrap over texts draws.
    item_seed
        Of that bootstrap.
    """

    rows: Sequence[ScoreRow]
    folds: np.ndarray
    predictions: Sequence[OutOfFold]
    units: Units
    item_seed: int


@dataclass(frozen=True)
class TaskComparison:
    """What is said of one task."""

    pairs: list[PairRow]
    standings: list[StandingRow]
    power: list[PowerRow]


def is_missing(row: ScoreRow, folds: np.ndarray) -> bool:
    """Whether a score is undefined, so that its encoder is compared with none on this task."""
    return math.isnan(row.mean) or not np.isfinite(folds).all()


def refuse_other_rows(rows: Sequence[ScoreRow], predictions: Sequence[OutOfFold]) -> None:
    """Refuse to pair the folds of encoders that were tested on other texts.

    Raises
    ------
    DataError
        Two encoders of a task do not have the same texts and labels in the same folds.
    """
    names = ("repetition", "fold", "row", "truth")
    for row, one in zip(rows[1:], predictions[1:], strict=True):
        if any(not np.array_equal(getattr(one, name), getattr(predictions[0], name)) for name in names):
            raise DataError(
                f"{row.task}: {row.model} was tested on other texts, or in other folds, than {rows[0].model}, so that "
                "they cannot be compared. Delete the folds of both and run snakemake again."
            )


def compare_task(task: TaskScores, settings: ComparisonSettings) -> TaskComparison:
    """Every pair of encoders of a task, their standings, and what would separate the first two."""
    indices = list(itertools.combinations(range(len(task.rows)), 2))
    tests = {
        (first, second): CorrectedT(task.folds[:, first] - task.folds[:, second], task.rows[0].folds)
        for first, second in indices
    }
    adjusted = dict(zip(indices, holm([test.p() for test in tests.values()]), strict=True))
    differences = _item_differences(task, indices, settings)
    pairs = [
        _pair_row(task, pair, tests[pair], adjusted[pair], differences[pair], settings) for pair in indices
    ]
    return TaskComparison(pairs, _standings(task, adjusted, settings), _power(task, tests, settings))


def winner(pair: PairRow) -> str | None:
    """The encoder that is significantly better, adjusted for all pairs of the task; None for neither."""
    if not pair.p_holm <= pair.alpha:  # also where it is undefined
        return None
    return pair.model_a if pair.difference > 0 else pair.model_b


def _item_differences(
    task: TaskScores, indices: Sequence[tuple[int, int]], settings: ComparisonSettings
) -> Mapping[tuple[int, int], tuple[float, float]]:
    if not indices:
        return {}
    about = task.rows[0]
    replicates = item_replicates(
        task.predictions,
        task.units,
        metric=about.metric,
        n_classes=about.n_classes,
        n_resamples=settings.n_item_resamples,
        seed=task.item_seed,
    )[1:]
    return {
        (first, second): percentile_limits(replicates[:, first] - replicates[:, second], settings.level)
        for first, second in indices
    }


def _pair_row(
    task: TaskScores,
    pair: tuple[int, int],
    test: CorrectedT,
    p_holm: float,
    item_limits: tuple[float, float],
    settings: ComparisonSettings,
) -> PairRow:
    a, b = (task.rows[index] for index in pair)
    low, high = test.interval(settings.level)
    probabilities = test.probabilities(settings.rope)
    return PairRow(
        **_of_task(a),
        metric=a.metric,
        model_a=a.model,
        model_a_title=a.model_title,
        model_b=b.model,
        model_b_title=b.model_title,
        n_folds=len(test.differences),
        mean_a=a.mean,
        mean_b=b.mean,
        difference=test.mean,
        low=low,
        high=high,
        level=settings.level,
        p=test.p(),
        p_holm=p_holm,
        mdd=test.significant_from(settings.alpha),
        mdd_power=test.detectable(settings.alpha),
        alpha=settings.alpha,
        bayes_a=probabilities.a,
        bayes_equal=probabilities.equal,
        bayes_b=probabilities.b,
        rope=settings.rope,
        item_low=item_limits[0],
        item_high=item_limits[1],
        item_grouped=task.units.grouped,
        p_mcnemar=math.nan if task.units.grouped else _mcnemar(*(task.predictions[index] for index in pair)),
        degenerate=test.degenerate,
        protocol=a.protocol,
    )


def _mcnemar(first: OutOfFold, second: OutOfFold) -> float:
    """Over the texts of the first repetition: each is predicted once, and classes are balanced."""
    own = first.repetition == first.repetition.min()
    return mcnemar(*(one.predicted[own] == one.truth[own] for one in (first, second)))


def _standings(
    task: TaskScores, adjusted: Mapping[tuple[int, int], float], settings: ComparisonSettings
) -> list[StandingRow]:
    means = np.array([row.mean for row in task.rows])
    places = ranks(means)
    better = np.zeros((len(means), len(means)), bool)
    for (first, second), p in adjusted.items():
        if p <= settings.alpha:
            better[first, second] = means[first] > means[second]
            better[second, first] = means[second] > means[first]
    letters = [_letter(index) for index in range(len(means))]
    best = means == means.max()
    return [
        StandingRow(
            **_of_task(row),
            model=row.model,
            model_title=row.model_title,
            mean=row.mean,
            rank=float(places[index]),
            is_best=bool(best[index]),
            not_worse=not better[best, index].any(),
            worse_than=_joined(letters, better[:, index]),
            better_than=_joined(letters, better[index]),
            letter=letters[index],
            n_models=len(means),
            alpha=settings.alpha,
        )
        for index, row in enumerate(task.rows)
    ]


def _power(
    task: TaskScores, tests: Mapping[tuple[int, int], CorrectedT], settings: ComparisonSettings
) -> list[PowerRow]:
    """One row, or none where there are no two encoders."""
    if not tests:
        return []
    best, second = np.argsort([-row.mean for row in task.rows], kind="stable")[:2].tolist()
    a, b = task.rows[best], task.rows[second]
    test = tests[min(best, second), max(best, second)]
    difference = abs(test.mean)
    detectable, now = test.detectable(settings.alpha), test.significant_from(settings.alpha)
    n_many = MANY_REPETITIONS * a.folds
    many = CorrectedT(np.resize(test.differences, n_many), a.folds)
    return [
        PowerRow(
            **_of_task(a),
            model_a=a.model,
            model_a_title=a.model_title,
            model_b=b.model,
            model_b_title=b.model_title,
            difference=difference,
            mdd=now,
            power_now=test.power(settings.alpha),
            rows_now=a.n_balanced_rows,
            # the spread of fold scores falls with the root of the number of texts
            rows_needed=(
                math.ceil(a.n_balanced_rows * (detectable / difference) ** 2)
                if difference > 0 and not test.degenerate
                else math.nan
            ),
            repetitions=a.repetitions,
            repetitions_help=many.significant_from(settings.alpha),
            alpha=settings.alpha,
        )
    ]


def _of_task(row: ScoreRow) -> dict[str, Any]:
    names = ("task", "task_title", "family", "data_version")
    return {name: getattr(row, name) for name in names}


def _letter(index: int) -> str:
    """a, …, z, aa, ab, …"""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def _joined(letters: Sequence[str], chosen: np.ndarray) -> str:
    found = [letter for letter, is_chosen in zip(letters, chosen, strict=True) if is_chosen]
    return ("" if len(letters) <= 26 else " ").join(found)
