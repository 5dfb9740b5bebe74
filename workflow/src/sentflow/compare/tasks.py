"""Which encoders differ on a task, and what another protocol does: scores, folds, predictions → rows of comparisons."""

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from pyarrow.compute import field

from sentflow.compare.differences import Marks, all_differences, joined_letters, letters
from sentflow.compare.rows import (
    CALIBRATED_FOLDS,
    CALIBRATED_REPETITIONS,
    CALIBRATED_SHARE,
    CORRECTED_T,
    PairRow,
    StandingRow,
)
from sentflow.compare.score_rows import EffectRow, ScoreRow, by_protocol
from sentflow.compare.scores import in_order, score_row
from sentflow.compare.settings import ComparedTasks
from sentflow.config.configuration import ComparisonStatistics
from sentflow.errors import DataError, naming
from sentflow.files.io import read_sealed
from sentflow.files.parquet import read_parquet, readable
from sentflow.files.rows import row_from
from sentflow.probing.scores import out_of_fold, read_predictions
from sentflow.probing.settings import REGULARISED
from sentflow.stats.across import ranks
from sentflow.stats.items import OutOfFold, Units, item_replicates, resampling_units
from sentflow.stats.multiplicity import ADJUSTMENTS
from sentflow.stats.out_of_fold import OutOfFoldT, RowScores, by_repetition, row_scores
from sentflow.stats.paired import CorrectedT, PairedT, mcnemar
from sentflow.stats.resampling import percentile_limits
from sentflow.stats.seeds import derive_seed
from sentflow.texts.table import read_task

logger = logging.getLogger(__name__)
# The folds of two protocols hold the same rows if these are equal.
_SAME_FOLDS = ("repetitions", "folds", "seed", "n_balanced_rows")
_OF_THE_OTHER = ("protocol", "switches", "not_comparable", "classifier", "mean")


@dataclass(frozen=True)
class FoldScores:
    """A task as `UnitScores`: tests of out-of-fold predictions or of folds, and a bootstrap over the texts."""

    rows: Sequence[ScoreRow]  # of the encoders that have a score, in the order of selection
    folds: np.ndarray  # (J, M) float64 test scores of M encoders on the same folds
    predictions: Sequence[OutOfFold]  # out-of-fold predictions of each encoder
    units: Units  # what the bootstrap over texts draws
    item_seed: int  # of that bootstrap
    settings: ComparisonStatistics

    @property
    def n_systems(self) -> int:
        return len(self.rows)

    @property
    def least_alpha(self) -> float:
        """What a p has to reach to be significant by Holm whatever the other pairs show; with two encoders at least."""
        return self.settings.alpha / math.comb(self.n_systems, 2)

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
        """`OUT_OF_FOLD` only where its level was calibrated (`CALIBRATED_FOLDS` …), elsewhere `CORRECTED_T`."""
        about = self.rows[0]
        calibrated = (
            not about.n_documents
            and about.classifier != REGULARISED
            and about.folds == CALIBRATED_FOLDS
            and about.repetitions >= CALIBRATED_REPETITIONS
            and about.n_train <= CALIBRATED_SHARE * about.n_balanced_rows
        )
        return self.settings.test if calibrated else CORRECTED_T

    def tested(self, a: int, b: int) -> PairedT:
        """The test of two encoders that p-values, intervals and the detectable difference are of."""
        corrected = self.corrected_t(a, b)
        if self.kind_of_test == CORRECTED_T:
            return corrected
        return OutOfFoldT(corrected.differences, self._row_scores[a], self._row_scores[b])

    @cached_property
    def _row_scores(self) -> list[RowScores]:
        """What each row contributes to the score of each encoder."""
        about = self.rows[0]
        return [row_scores(about.metric, about.n_classes, *by_repetition(one)) for one in self.predictions]

    def corrected_t(self, a: int, b: int) -> CorrectedT:
        """The test of two encoders by the spread of their folds."""
        about = self.rows[0]
        return CorrectedT(self.folds[:, a] - self.folds[:, b], about.folds, about.documents)

    def test(self, a: int, b: int, resampled: np.ndarray) -> PairRow:
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


def compare_tasks(
    tasks: Sequence[FoldScores], settings: ComparisonStatistics
) -> tuple[list[PairRow], list[StandingRow]]:
    """Every pair of encoders of each task, p adjusted within the task and over all of them; and the standings."""
    by_task = [all_differences(scores) for scores in tasks]
    standings = [
        row for scores, pairs in zip(tasks, by_task, strict=True) for row in _standings(scores, pairs)
    ]
    return _adjusted_over_tasks(list(chain.from_iterable(by_task)), settings), standings


def _adjusted_over_tasks(pairs: Sequence[PairRow], settings: ComparisonStatistics) -> list[PairRow]:
    """The pairs of all tasks with `p_over_tasks`: all of a protocol are one family."""
    found: dict[int, PairRow] = {}
    for members in by_protocol(pairs).values():
        adjusted = ADJUSTMENTS[settings.adjustment]([pair.p for pair in members])
        found |= {id(pair): replace(pair, p_over_tasks=p) for pair, p in zip(members, adjusted, strict=True)}
    return [found[id(pair)] for pair in pairs]


def _mcnemar(first: OutOfFold, second: OutOfFold) -> float:
    """Over the texts of the first repetition: each is predicted once, and classes are balanced."""
    own = first.repetition == first.repetition.min()
    return mcnemar(*(one.predicted[own] == one.truth[own] for one in (first, second)))


def _standings(scores: FoldScores, pairs: Sequence[PairRow]) -> list[StandingRow]:
    rows = scores.rows
    means = np.array([row.mean for row in rows])
    models = [row.model for row in rows]
    own, marks = letters(models), Marks(pairs, models)
    lower = {row.model: marks.beaten(row.task, row.model) for row in rows}
    best = {row.model for row in rows if row.mean == means.max()}
    found = []
    for row, place in zip(rows, ranks(means), strict=True):
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


def scores_of_tasks(
    files: Sequence[Path], task_tables: Sequence[Path], settings: ComparedTasks
) -> tuple[list[ScoreRow], list[FoldScores]]:
    """Every score, and of each task that has any what can be compared; in the order of selection."""
    tasks, models = list(settings.tasks), list(settings.models)
    rows = [score_row(read_sealed(file), settings) for file in files]
    beside = {(row.task, row.model): file for row, file in zip(rows, files, strict=True)}
    rows = sorted(in_order(rows), key=lambda row: (tasks.index(row.task), models.index(row.model)))
    tables = {table.stem: table for table in task_tables}
    found = []
    for task in tasks:
        scores = _task_scores([row for row in rows if row.task == task], beside, tables, settings.statistics)
        if scores is not None:
            found.append(scores)
            logger.info("%s: %d encoders", task, scores.n_systems)
    return rows, found


def _task_scores(
    rows: Sequence[ScoreRow],
    files: Mapping[tuple[str, str], Path],
    task_tables: Mapping[str, Path],
    settings: ComparisonStatistics,
) -> FoldScores | None:
    """Everything of one task that can be compared; None if no encoder has a score."""
    folds = [fold_scores(files[row.task, row.model].with_suffix(".parquet")) for row in rows]
    for row, values in zip(rows, folds, strict=True):
        if len(values) != row.repetitions * row.folds:
            raise DataError(
                f"{row.task} × {row.model}: the score table has {len(values)} folds, not "
                f"{row.repetitions} × {row.folds}. Delete it and run snakemake again."
            )
    present = [
        (row, values)
        for row, values in zip(rows, folds, strict=True)
        if not math.isnan(row.mean) and np.isfinite(values).all()
    ]
    if not present:
        return None
    rows = [row for row, _ in present]
    task = rows[0].task
    if task not in task_tables:
        raise DataError(f"there are scores of {task}, but --rows has no table {task}.parquet.")
    table = read_task(task_tables[task])
    predictions = []
    for row in rows:
        file = files[task, row.model].with_suffix(".predictions.parquet")
        with naming(f"{task} × {row.model}"):
            predictions.append(out_of_fold(read_predictions([file]), table.labels))
    names = ("repetition", "fold", "row", "truth")
    for row, one in zip(rows[1:], predictions[1:], strict=True):
        if any(not np.array_equal(getattr(one, name), getattr(predictions[0], name)) for name in names):
            raise DataError(
                f"{task}: {row.model} was tested on other texts or folds than {rows[0].model}, so they cannot be "
                "compared. Delete the folds of both and run snakemake again."
            )
    return FoldScores(
        rows=rows,
        folds=np.stack([values for _, values in present], axis=1),
        predictions=predictions,
        units=resampling_units(table.labels, table.groups),
        # as in the score, so that its interval and those of differences come from the same resamples
        item_seed=derive_seed(rows[0].seed, "items", task),
        settings=settings,
    )


def fold_scores(path: Path | str) -> np.ndarray:
    """(J,) float64 in the order of repetitions and folds."""
    place = ["kfold_repetition", "kfold_partition"]
    with readable(path, "score table"):
        table = read_parquet(path, [*place, "metric", "value"])
    tested = table.filter(field("metric") == "metric_test").sort_by([(name, "ascending") for name in place])
    return np.asarray(tested["value"].to_numpy(), dtype=np.float64)


def effect_rows(
    base: Sequence[ScoreRow],
    other: Sequence[ScoreRow],
    folds: Mapping[tuple[str, str], tuple[np.ndarray, np.ndarray]],
    *,
    title: str,
) -> list[EffectRow]:
    """One row per task and model, in the order of `base`."""
    changed = {(row.task, row.model): row for row in other}
    if set(changed) != {(row.task, row.model) for row in base}:
        raise DataError(
            "the two protocols do not have the same tasks and models. Delete the folder results/protocols "
            "and run snakemake again."
        )
    own, others = _ranks(base), _ranks(other)
    return [
        row_from(
            EffectRow,
            {**vars(row), **_changed(row, changed[row.task, row.model], folds[row.task, row.model])},
            protocol_title=title,
            baseline_rank=own[row.task, row.model],
            rank=others[row.task, row.model],
        )
        for row in base
    ]


def _ranks(rows: Sequence[ScoreRow]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for task in dict.fromkeys(row.task for row in rows):
        members = [row for row in rows if row.task == task]
        places = ranks(np.array([row.mean for row in members])).tolist()
        found |= {(task, row.model): place for row, place in zip(members, places, strict=True)}
    return found


def _changed(base: ScoreRow, other: ScoreRow, folds: tuple[np.ndarray, np.ndarray]) -> dict[str, Any]:
    """What an `EffectRow` says beyond the score of the baseline."""
    same = all(getattr(base, name) == getattr(other, name) for name in _SAME_FOLDS)
    paired = same and base.groups_folds == other.groups_folds and len(folds[0]) == len(folds[1])
    low = high = math.nan
    if paired:
        low, high = CorrectedT(folds[1] - folds[0], base.folds, base.documents).interval(base.level)
    return {
        **{name: getattr(other, name) for name in _OF_THE_OTHER},
        "baseline": base.protocol,
        "baseline_classifier": base.classifier,
        "baseline_mean": base.mean,
        "difference": other.mean - base.mean,
        "difference_low": low,
        "difference_high": high,
        "paired": paired,
        "baseline_width": _own_width(base),
        "width": _own_width(other),
    }


def _own_width(row: ScoreRow) -> float:
    """Width of the interval that the protocol calls its own; NaN where it has none."""
    if row.own_interval == "repeatability":
        return row.repeatability_high - row.repeatability_low
    return row.generalisation_high - row.generalisation_low
