"""Which snapshot is chosen, where scores are missing and where the search ends early."""

import math

import pytest

from sentflow.training.selection import choose
from sentflow.training.settings import CUMULATIVE, LAST, SnapshotChoice

NAN = math.nan
STEPS = [0, 10, 20, 30, 40]


def _settings(**rule):
    return SnapshotChoice(model="mine", kind="trained", **rule)


def test_the_earliest_of_the_best_after_the_start_is_chosen():
    assert choose(_settings(), STEPS, [0.9, 0.2, 0.5, 0.5, 0.1])["step"] == 20


@pytest.mark.parametrize("start", [0.9, NAN])
def test_the_score_before_training_is_never_chosen_and_uses_up_no_patience(start):
    found = choose(_settings(patience=1), STEPS, [start, 0.1, NAN, 0.2, 0.3])
    assert found["step"] == 10
    assert found["looked_at"] == ([0, 10] if start == 0.9 else [0, 10, 20])


def test_a_score_that_is_no_number_is_not_the_best_and_the_last_stands_in_where_none_is_known():
    assert choose(_settings(), STEPS, [0.1, NAN, 0.2, NAN, NAN])["step"] == 20
    found = choose(_settings(), STEPS, [0.1, NAN, NAN, NAN, NAN])
    assert (found["step"], found["score"]) == (40, None)


def test_patience_is_counted_since_the_best_or_over_all_falls():
    scores = [0.1, 0.3, 0.2, 0.4, 0.3]
    assert choose(_settings(patience=2), STEPS, scores)["looked_at"] == STEPS
    assert choose(_settings(patience=1), STEPS, scores)["looked_at"] == STEPS[:3]
    falls = choose(_settings(patience=2, counted=CUMULATIVE, rule=LAST), [*STEPS, 50], [*scores, 0.9])
    assert (falls["looked_at"], falls["step"]) == (STEPS, 40)
