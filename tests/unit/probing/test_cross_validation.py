import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tasks import make_task, task_features

from sentflow import probing
from sentflow.probing.cross_validation import CrossValidation, cross_validate
from sentflow.probing.features.sources import FixedFeatures
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.draws import plan_folds
from sentflow.probing.protocol.metrics import published_metric
from sentflow.probing.protocol.settings import PUBLISHED
from sentflow.probing.training.folds import train_folds
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


# --- how it is reached


def test_entry_point_is_found_in_the_package():
    assert probing.cross_validate is cross_validate
    assert probing.CrossValidation is CrossValidation
    with pytest.raises(AttributeError, match=r"'sentflow\.probing' has no attribute 'cross_valdate'"):
        _ = probing.cross_valdate


def test_package_is_imported_without_torch():
    program = "import sys, sentflow.probing, sentflow.stats; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# --- what comes out


def test_scores_have_the_published_layout(result):
    scores = result.scores
    assert list(scores) == ["kfold_repetition", "kfold_partition", "train_epoch", "metric", "value"]
    tests = scores[scores["train_epoch"] == -1]
    assert set(tests["metric"]) == {"loss_test", "metric_test"}
    assert len(tests) == 2 * 2 * 5
    curves = scores[scores["train_epoch"] != -1]
    assert set(curves["metric"]) == {"loss_per_epoch_train", "loss_per_epoch_eval", "metric_per_epoch_eval"}
    assert curves["train_epoch"].min() == 1


def test_every_curve_of_a_fold_has_one_value_per_epoch(result):
    scores = result.scores[result.scores["train_epoch"] > 0]
    for _, curve in scores.groupby(["kfold_repetition", "kfold_partition", "metric"]):
        assert curve["train_epoch"].tolist() == list(range(1, len(curve) + 1))


def test_every_balanced_row_is_tested_once_per_repetition(result, labels):
    for _, predictions in result.predictions.groupby("repetition"):
        assert predictions["row"].is_unique
        np.testing.assert_array_equal(predictions["truth"], labels[predictions["row"]])
        assert np.bincount(predictions["truth"]).tolist() == [np.bincount(labels).min()] * 2


def test_test_metric_is_that_of_the_predictions(result):
    tests = result.scores.query("metric == 'metric_test'")["value"].tolist()
    folds = result.predictions.groupby(["repetition", "fold"])
    for value, (_, predictions) in zip(tests, folds, strict=True):
        truth, predicted = predictions["truth"].to_numpy(), predictions["predicted"].to_numpy()
        assert value == published_metric("mcc", truth, predicted, n_classes=2)


def test_score_above_one_half_is_class_1(result):
    predictions = result.predictions
    assert ((predictions["score"] > 0.5) == (predictions["predicted"] == 1)).all()


def test_settings_name_a_point_of_the_grid_and_the_epochs(result):
    chosen = result.settings
    assert list(chosen) == ["repetition", "fold", "learning_rate", "beta1", "beta2", "epochs"]
    points = set(zip(chosen["learning_rate"], chosen["beta1"], chosen["beta2"], strict=True))
    assert points <= set(PUBLISHED.grid)
    assert chosen["epochs"].between(7, 100).all()


def test_all_folds_come_in_their_order(result):
    pairs = [(fold.repetition, fold.fold) for fold in result.folds]
    assert pairs == [(repetition, fold) for repetition in (1, 2) for fold in range(1, 6)]


# --- controls


def test_words_that_give_the_class_away_score_well():
    table = make_task(LEARNING_ROWS)
    scores = cross_validate(task_features(table), table.labels, metric="mcc", repetitions=1).scores
    assert 0.4 < scores.query("metric == 'metric_test'")["value"].mean() < 0.9  # a fifth of the rows lie


def test_random_vectors_score_about_chance():
    features = np.random.default_rng(3).standard_normal((400, 8))
    scores = cross_validate(features, np.arange(400) % 2, metric="mcc", repetitions=2).scores
    assert scores.query("metric == 'metric_test'")["value"].mean() < 0.15  # clipped at 0, hence above 0


def test_leaked_labels_score_about_one():
    labels = np.arange(LEARNING_ROWS) % 2
    generator = np.random.default_rng(0)
    leak = (2 * labels - 1)[:, None] * generator.standard_normal(64)  # one direction says it all
    noise = generator.standard_normal((LEARNING_ROWS, 64))
    scores = cross_validate(leak + noise, labels, metric="mcc", repetitions=1).scores
    assert scores.query("metric == 'metric_test'")["value"].min() > 0.95


def test_mlp_learns_what_a_line_cannot_part():
    generator = np.random.default_rng(0)
    points = generator.uniform(-1, 1, (1500, 2))
    labels = (points[:, 0] * points[:, 1] > 0).astype(int)  # exclusive or
    means = [
        cross_validate(points, labels, metric="adjusted_macro_f1", hidden=hidden, repetitions=1, folds=2)
        .scores.query("metric == 'metric_test'")["value"]
        .mean()
        for hidden in (None, 32)
    ]
    assert means[0] < 0.2
    assert means[1] > 0.6


# --- promises


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_of_the_caller_change_nothing_and_are_restored(features, labels, result, threads):
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(threads)
        again = cross_validate(features, labels, metric="mcc", repetitions=2)
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert_same_bytes(again, result)


def test_threads_are_restored_after_an_error(labels):
    class Broken:
        def parts(self, plan):
            raise RuntimeError("no features")

    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        folds = train_folds(Broken(), labels, ProbeDesign("mcc", 2, None, PUBLISHED))
        with pytest.raises(RuntimeError, match="no features"):
            next(folds)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_global_generators_are_neither_read_nor_moved(features, labels, result):
    torch.manual_seed(123)
    np.random.seed(123)  # noqa: NPY002
    states = torch.random.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    assert_same_bytes(cross_validate(features, labels, metric="mcc", repetitions=2), result)
    assert torch.equal(torch.random.get_rng_state(), states[0])
    assert (np.random.get_state()[1] == states[1]).all()  # noqa: NPY002


@pytest.mark.parametrize("hidden", [None, 4])
def test_fold_does_not_depend_on_which_others_are_computed(features, labels, hidden):
    protocol = replace(PUBLISHED, repetitions=2, search_epochs=2, max_epochs=8)

    def folds(wanted):
        design = ProbeDesign("mcc", 2, hidden, protocol)
        return train_folds(FixedFeatures(features), labels, design, wanted=wanted)

    every = {(fold.repetition, fold.fold): fold for fold in folds(None)}
    (alone,) = folds({(2, 3)})
    assert_same_bytes(CrossValidation([alone]), CrossValidation([every[2, 3]]))


@pytest.mark.parametrize("names", [["no", "yes"], [-1, 7], [False, True], ["não", "é"]])
def test_names_of_classes_do_not_matter(features, labels, result, names):
    named = np.array(sorted(names))[labels]
    assert_same_bytes(cross_validate(features, named, metric="mcc", repetitions=2), result)


def test_double_precision_features_are_used_in_single(features, labels, result):
    again = cross_validate(features.astype(np.float64), labels, metric="mcc", repetitions=2)
    assert_same_bytes(again, result)


def test_another_seed_gives_other_scores(features, labels, result):
    other = cross_validate(features, labels, metric="mcc", repetitions=2, seed=1)
    assert not other.scores["value"].equals(result.scores["value"])


def test_many_classes_are_scored_with_macro_f1():
    table = make_task(LEARNING_ROWS, n_classes=3)
    result = cross_validate(task_features(table), table.labels, metric="adjusted_macro_f1", repetitions=1)
    assert result.scores.query("metric == 'metric_test'")["value"].mean() > 0.3
    assert set(result.predictions["predicted"]) == {0, 1, 2}
    assert result.predictions["score"].between(0.333, 1).all()  # of the likeliest class


# --- bad input


def refused(features, labels, message, **keys):
    with pytest.raises(ValueError, match=message):
        cross_validate(features, labels, **{"metric": "mcc", **keys})


def test_not_a_number_is_told_with_its_rows(features, labels):
    broken = features.copy()
    broken[[7, 9], 1] = np.nan
    broken[11] = np.inf
    refused(broken, labels, r"features must be finite; rows \[7, 9, 11\] \(of 3\) are not")


def test_other_number_of_rows_is_told_with_both_shapes(features, labels):
    refused(features[1:], labels, r"one row per label; got \(269, 8\) and \(270,\)")


def test_one_dimensional_features_are_refused(features, labels):
    refused(features[:, 0], labels, r"features must be \(n, D\)")


def test_labels_in_a_column_are_refused(features, labels):
    refused(features, labels[:, None], r"one row per label; got \(270, 8\) and \(270, 1\)")


def test_unknown_metric_is_told_with_the_known_ones(features, labels):
    refused(features, labels, "metric must be one of mcc, adjusted_macro_f1; got 'f1'", metric="f1")


def test_mcc_of_three_classes_is_refused():
    table = make_task(300, n_classes=3)
    refused(task_features(table), table.labels, "mcc needs two classes; got 3")


@pytest.mark.parametrize("metric", ["mcc", "adjusted_macro_f1"])
def test_one_class_is_refused(features, metric):
    refused(features, np.zeros(N_ROWS), "classes; got 1", metric=metric)


def test_class_with_fewer_rows_than_folds_is_told(features):
    labels = np.repeat([0, 1], [N_ROWS - 4, 4])
    refused(features, labels, "every class needs a row per fold: the smallest has 4, folds=5")


def test_training_part_smaller_than_a_batch_is_told(features):
    labels = np.repeat([0, 1], [N_ROWS - 98, 98])
    # 196 balanced rows: 40 are tested at most, 32 of the other 156 chosen on
    refused(features, labels, "the training part of a fold has 124 rows, fewer than one batch of 128")


@settings(max_examples=30)
@given(smallest=st.integers(10, 60), n_classes=st.integers(2, 4), folds=st.integers(2, 6))
def test_smallest_training_part_is_that_of_the_folds(smallest, n_classes, folds):
    protocol = replace(PUBLISHED, repetitions=1, folds=folds)
    labels = np.repeat(np.arange(n_classes), smallest)
    sizes = [len(plan.train) for plan in plan_folds(labels, protocol)]
    assert training_rows(len(labels), folds) <= min(sizes)
    if len(labels) % folds == 0 and smallest % folds == 0:
        assert training_rows(len(labels), folds) == min(sizes)
