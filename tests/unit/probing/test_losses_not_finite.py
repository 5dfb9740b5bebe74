"""Early stopping of a probe whose loss is no number."""

import math

import pytest

import sentflow
from sentflow.probing.training.final import _EarlyStopping


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("before", [[], [1.0]])
def test_an_epoch_whose_loss_is_not_finite_is_one_without_improvement(value, before):
    protocol = sentflow.probe_protocol("published")
    stopping = _EarlyStopping(protocol)
    stops = [stopping.after(loss) for loss in [*before, *[value] * (protocol.patience + 1)]]
    assert stops == [False] * (len(stops) - 1) + [True]


def test_a_finite_loss_after_one_that_is_not_is_compared_with_the_best():
    stopping = _EarlyStopping(sentflow.probe_protocol("published"))
    assert not any(stopping.after(loss) for loss in [1.0, *[math.nan] * 5, 0.5, *[math.nan] * 5])
