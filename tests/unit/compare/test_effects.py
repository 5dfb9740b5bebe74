"""What another protocol does to scores and ranks, and the table and report that tell it."""

import math
from dataclasses import replace

import fake_summary
import numpy as np
import pytest

from sentflow.compare.score_rows import EffectRow
from sentflow.compare.tasks import effect_rows
from sentflow.errors import DataError
from sentflow.stats.paired import CorrectedT


def study(**changes: object):
    """T1A and F1A with two encoders, whose order the other protocol turns round on T1A."""
    base = fake_summary.score_rows(tasks=["T1A", "F1A"], models=["minilm-l6", "tfidf"])
    base = [replace(row, mean=0.5 if row.model == "minilm-l6" else 0.4) for row in base]
    other = [
        replace(
            row,
            protocol="mine",
            switches="clip_metric off",
            mean=row.mean - 0.2 if (row.task, row.model) == ("T1A-sample", "minilm-l6") else row.mean,
            **changes,
        )
        for row in base
    ]
    generator = np.random.default_rng(0)
    folds = {(row.task, row.model): (row.mean + 0.02 * generator.standard_normal((2, 50))) for row in base}
    return base, other, {key: (pair[0], pair[1]) for key, pair in folds.items()}


def effects(**changes: object) -> list[EffectRow]:
    return effect_rows(*study(**changes), title="Mine")


def test_effect_is_the_difference_of_means_with_the_interval_of_paired_folds():
    _, _, folds = study()
    row = effects()[0]
    assert (row.task, row.model, row.difference) == ("T1A-sample", "minilm-l6", pytest.approx(-0.2))
    first, second = folds["T1A-sample", "minilm-l6"]
    assert (row.difference_low, row.difference_high) == CorrectedT(second - first, 5).interval(0.99)
    assert (row.baseline_rank, row.rank) == (1, 2)
    assert row.paired


@pytest.mark.parametrize("change", [{"seed": 1}, {"groups_folds": True}, {"n_balanced_rows": 478}], ids=str)
def test_other_folds_are_not_compared_one_by_one(change):
    row = effects(**change)[0]
    assert not row.paired
    assert math.isnan(row.difference_low)


def test_width_is_that_of_the_interval_the_protocol_calls_its_own():
    row = effects(own_interval="generalisation")[0]
    # 2 · 1.3925 s over 0.735 s, see fake_summary
    assert row.width / row.baseline_width == pytest.approx(2.785 / 0.735)


def test_protocols_without_the_same_scores_are_refused():
    base, other, folds = study()
    with pytest.raises(DataError, match="do not have the same tasks and models"):
        effect_rows(base, other[1:], folds, title="Mine")
