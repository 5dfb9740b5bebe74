import os

import pandas as pd
import pytest
from small_tasks import make_task, task_features

from sentflow.api.folds import trained_folds
from sentflow.errors import SentflowError
from sentflow.probing.cross_validation import CrossValidation
from sentflow.probing.features.sources import FixedFeatures
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.draws import plan_folds
from sentflow.probing.settings import PUBLISHED
from sentflow.probing.training.result import FoldResult


def small_design(metric: str = "mcc") -> ProbeDesign:
    return ProbeDesign(metric, 2, None, PUBLISHED.but(repetitions=1, folds=2, max_epochs=3))


def folds_of(design: ProbeDesign, *, n_processes: int) -> list[FoldResult]:
    table = make_task(420)
    plans = plan_folds(table.labels, design.protocol)
    source = FixedFeatures(task_features(table))
    return list(trained_folds(source, table.labels, plans, design, n_processes=n_processes))


@pytest.mark.slow
def test_two_processes_give_every_fold_once_with_the_numbers_of_one():
    one, two = (
        sorted(folds_of(small_design(), n_processes=n), key=lambda fold: (fold.repetition, fold.fold))
        for n in (1, 2)
    )
    assert [(fold.repetition, fold.fold) for fold in two] == [(1, 1), (1, 2)]
    pd.testing.assert_frame_equal(CrossValidation(one).scores, CrossValidation(two).scores)
    pd.testing.assert_frame_equal(CrossValidation(one).predictions, CrossValidation(two).predictions)


class Deadly(str):
    """Kills the process that unpickles it."""

    def __reduce__(self):
        return os._exit, (9,)


@pytest.mark.slow
@pytest.mark.timeout(1800)  # processes that wait for each other wait for ever
def test_a_killed_process_ends_in_an_error_not_in_waiting():
    with pytest.raises(SentflowError, match="'n_processes': 1"):
        folds_of(small_design(Deadly("mcc")), n_processes=2)
