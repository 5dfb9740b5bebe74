import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tasks import make_task, task_features

from sentflow.probing.cross_validation import CrossValidation, cross_validate
from sentflow.probing.draws import plan_folds
from sentflow.probing.fold import ProbeDesign
from sentflow.probing.settings import PUBLISHED
from sentflow.probing.training import FixedFeatures, train_folds
from sentflow.texts.checks import training_rows

N_ROWS = 270  # 121 or 122 rows of the smaller class, some 155 to train on: one batch, hardly any learning
LEARNING_ROWS = 1200  # more than 512 to train on, so that the learning rate warms up


@pytest.fixture(scope="module")
def features() -> np.ndarray:
    return task_features(make_task(N_ROWS))


@pytest.fixture(scope="module")
def labels() -> np.ndarray:
    return make_task(N_ROWS).labels


@pytest.fixture(scope="module")
def result(features, labels) -> CrossValidation:
    return cross_validate(features, labels, metric="mcc", repetitions=2)


def assert_same_bytes(a: CrossValidation, b: CrossValidation) -> None:
    for frame in ("scores", "predictions", "settings"):
        mine, other = getattr(a, frame), getattr(b, frame)
        assert mine.equals(other), frame


def test_every_balanced_row_is_tested_once_per_repetition(result, labels):
    for _, predictions in result.predictions.groupby("repetition"):
        assert predictions["row"].is_unique
        np.testing.assert_array_equal(predictions["truth"], labels[predictions["row"]])
        assert np.bincount(predictions["truth"]).tolist() == [np.bincount(labels).min()] * 2


def test_leaked_labels_score_about_one():
    labels = np.arange(LEARNING_ROWS) % 2
    generator = np.random.default_rng(0)
    leak = (2 * labels - 1)[:, None] * generator.standard_normal(64)  # one direction says it all
    noise = generator.standard_normal((LEARNING_ROWS, 64))
    scores = cross_validate(leak + noise, labels, metric="mcc", repetitions=1).scores
    assert scores.query("metric == 'metric_test'")["value"].min() > 0.95


def test_threads_of_the_caller_change_nothing_and_are_restored(features, labels, result):
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        again = cross_validate(features, labels, metric="mcc", repetitions=2)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    assert_same_bytes(again, result)


@pytest.mark.parametrize("hidden", [None, 4])
def test_fold_does_not_depend_on_which_others_are_computed(features, labels, hidden):
    protocol = PUBLISHED.but(repetitions=2, search_epochs=2, max_epochs=8)

    def folds(wanted):
        design = ProbeDesign("mcc", 2, hidden, protocol)
        return train_folds(FixedFeatures(features), labels, design, wanted=wanted)

    every = {(fold.repetition, fold.fold): fold for fold in folds(None)}
    (alone,) = folds({(2, 3)})
    assert_same_bytes(CrossValidation([alone]), CrossValidation([every[2, 3]]))


def with_nan(features):
    broken = features.copy()
    broken[[7, 9], 1] = np.nan
    return broken


FEW, SMALL = np.repeat([0, 1], [N_ROWS - 4, 4]), np.repeat([0, 1], [N_ROWS - 98, 98])


@pytest.mark.parametrize(
    ("changed", "classes", "metric", "told"),
    [
        (with_nan, None, "mcc", r"finite; rows \[7, 9\] \(of 2\)"),
        (lambda features: features[1:], None, "mcc", r"got \(269, 8\) and \(270,\)"),
        (lambda features: features[:, 0], None, "mcc", r"features must be \(n, D\)"),
        (None, None, "f1", "metric must be one of mcc, adjusted_macro_f1; got 'f1'"),
        (None, np.arange(N_ROWS) % 3, "mcc", "two classes; got 3"),
        (None, np.zeros(N_ROWS), "adjusted_macro_f1", "classes; got 1"),
        (None, FEW, "mcc", "the smallest has 4, folds=5"),
        # 196 balanced rows: 40 are tested at most, 32 of the other 156 chosen on
        (None, SMALL, "mcc", "124 rows, fewer than one batch of 128"),
    ],
)
def test_bad_input_is_refused_with_what_is_wrong(features, labels, changed, classes, metric, told):
    given = features if changed is None else changed(features)
    with pytest.raises(ValueError, match=told):
        cross_validate(given, labels if classes is None else classes, metric=metric)


@settings(max_examples=30)
@given(smallest=st.integers(10, 60), n_classes=st.integers(2, 4), folds=st.integers(2, 6))
def test_smallest_training_part_is_that_of_the_folds(smallest, n_classes, folds):
    protocol = PUBLISHED.but(repetitions=1, folds=folds)
    labels = np.repeat(np.arange(n_classes), smallest)
    sizes = [len(plan.train) for plan in plan_folds(labels, protocol)]
    assert training_rows(len(labels), folds) <= min(sizes)
    if len(labels) % folds == 0 and smallest % folds == 0:
        assert training_rows(len(labels), folds) == min(sizes)
