"""What each switch does, alone, beside the published behaviour."""

from dataclasses import replace

import fake_summary
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tasks import make_task, probe_settings

from sentflow.compare.score_rows import shown_limits
from sentflow.errors import DataError
from sentflow.probing.draws import grouped_folds, plan_folds, stratified_choice
from sentflow.probing.features import standardised
from sentflow.probing.fold import FoldResult, ProbeDesign, published_metric
from sentflow.probing.probes import predicted_classes
from sentflow.probing.scores import read_folds
from sentflow.probing.settings import PUBLISHED, ProbeProtocol, Switches
from sentflow.probing.training import probe_task, train_fold
from sentflow.stats.repeatability import published_intervals
from sentflow.texts.checks import check_folds
from sentflow.texts.table import TaskTable

SHORT = PUBLISHED.but(search_epochs=2, max_epochs=12, patience=1, beta2s=(0.99,), beta1s=(0.8, 0.9))


def with_switches(protocol: ProbeProtocol = SHORT, **switches: object) -> ProbeProtocol:
    return protocol.but(switches=Switches(**switches))


def fold(n: int = 900, *, protocol: ProbeProtocol = SHORT, noise: float = 1.0, extra=None) -> FoldResult:
    """The first fold of two overlapping blobs; `extra` changes the features."""
    generator = np.random.default_rng(0)
    labels = np.arange(n) % 2
    features = (0.4 * np.eye(6)[labels] + noise * generator.standard_normal((n, 6))).astype(np.float32)
    if extra is not None:
        features = extra(features)
    plan = next(plan_folds(labels, protocol))
    parts = [features[rows] for rows in (plan.train, plan.evaluation, plan.test)]
    return train_fold(plan, parts, labels, ProbeDesign("mcc", 2, None, protocol))


def test_unclipped_metric_keeps_what_is_below_chance():
    truth = np.array([0, 0, 1, 1])
    assert published_metric("mcc", truth, 1 - truth, n_classes=2, clip=False) == -1
    assert published_metric("mcc", truth, 1 - truth, n_classes=2) == 0
    three = np.array([0, 1, 2])
    # no hit: F1 is 0, chance 1/3
    wrong = published_metric("adjusted_macro_f1", three, np.roll(three, 1), n_classes=3, clip=False)
    assert wrong == pytest.approx(-1 / 2)


def test_logits_in_the_unit_interval_are_logits():
    logits = np.float32([[0.1], [0.4], [0.9], [0.0]])
    assert predicted_classes(logits).tolist() == [0, 0, 1, 0]
    assert predicted_classes(logits, as_probabilities=False).tolist() == [1, 1, 1, 0]


def test_columns_that_are_constant_on_the_training_part_keep_their_scale():
    train = np.float32([[1, 5, 0.1], [2, 5, 0.1], [3, 5, 0.1]])
    test = np.float32([[2, 6, 0.2]])
    published = standardised([train, test], ones=False)
    mended = standardised([train, test], ones=False, unscaled_constant=True)
    assert published[1][0, 1] > 1e11
    assert mended[1][0].tolist() == pytest.approx([0, 1, 0.1])
    assert not mended[0][:, 1:].any()
    assert mended[0][:, 0].tolist() == published[0][:, 0].tolist() == [-1, 0, 1]


@pytest.mark.parametrize(("n_batches", "published", "fixed"), [(0, 0, 1), (3, 0, 1), (4, 1, 1), (9, 2, 2)])
def test_warm_up_has_at_least_one_step(n_batches, published, fixed):
    assert PUBLISHED.warmup_steps(n_batches) == published
    assert with_switches(warmup_floor=False).warmup_steps(n_batches) == fixed


def test_part_below_a_batch_is_one_smaller_batch():
    quick = SHORT.but(learning_rates=(0.1,))
    result = fold(120, protocol=with_switches(quick, warmup_floor=False), noise=0.05)  # 76 rows to train on
    assert np.isfinite(result.train_losses).all()
    assert result.test_metric > 0.5


def test_small_task_is_refused_as_published_and_the_message_names_the_way_out():
    table = _task(60)
    with pytest.raises(DataError, match=r"128.*protocol: corrected"):
        check_folds(table, 5)
    check_folds(table, 5, small_parts=True)
    # 4 rows: two in the test part, of the two others one is for evaluation
    with pytest.raises(DataError, match="trains on 1 rows, fewer than two"):
        check_folds(_task(2), 2, small_parts=True, evaluation_share=0.5)


def test_best_weights_are_those_of_a_training_that_ends_there():
    quick = SHORT.but(learning_rates=(0.2,), patience=3)
    last, best = fold(protocol=quick), fold(protocol=with_switches(quick, best_checkpoint=True))
    assert last.evaluation_losses == best.evaluation_losses
    epoch = int(np.argmin(best.evaluation_losses)) + 1
    assert epoch < len(best.evaluation_losses)
    ended = fold(protocol=quick.but(max_epochs=epoch))
    assert (best.test_loss, best.test_metric) == (ended.test_loss, ended.test_metric)
    assert best.predicted.tolist() == ended.predicted.tolist()
    assert best.test_loss != last.test_loss


@given(counts=st.lists(st.integers(1, 40), min_size=2, max_size=5), share=st.floats(0.05, 0.95))
def test_stratified_choice_has_its_size_and_every_class_its_share(counts, share):
    labels = np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))
    size = int(np.ceil(share * len(labels)))
    chosen = stratified_choice(labels, size)
    assert chosen.sum() == size
    for label, n in enumerate(counts):
        assert abs(chosen[labels == label].sum() - size * n / len(labels)) < 1


@settings(max_examples=30)
@given(seed=st.integers(0, 2**31), n_folds=st.integers(2, 5), size=st.integers(1, 4))
def test_documents_are_never_split_and_classes_are_spread(seed, n_folds, size):
    generator = np.random.default_rng(seed)
    groups = np.repeat(np.arange(60), size)
    labels = generator.integers(0, 2, len(groups))
    folds = grouped_folds(labels, groups, n_folds, seed=seed)
    assert all(len(set(folds[groups == group])) == 1 for group in range(60))
    for label in (0, 1):
        shares = np.bincount(folds[labels == label], minlength=n_folds) / (labels == label).sum()
        assert abs(shares - 1 / n_folds).max() < 0.15


def test_proper_interval_is_that_of_scipy():
    from scipy.stats import bootstrap

    sample = np.random.default_rng(5).gamma(1.0, 0.1, 50)
    (ours,) = published_intervals([sample], seed=7, n_resamples=4000, level=0.99, reflect=False)
    theirs = bootstrap(
        (sample,), np.mean, n_resamples=4000, confidence_level=0.99, method="BCa",
        rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.004)
    (mirrored,) = published_intervals([sample], seed=7, n_resamples=4000, level=0.99)
    mean = sample.mean()
    assert mirrored == pytest.approx((2 * mean - ours[1], 2 * mean - ours[0]))
    assert ours[1] - mean > mean - ours[0]  # skewed to the right


def test_equal_folds_have_an_interval_of_no_width():
    (undefined,) = published_intervals([np.full(9, 0.3)], seed=1, n_resamples=99, level=0.99)
    assert np.isnan(undefined).all()
    (zero,) = published_intervals([np.full(9, 0.3)], seed=1, n_resamples=99, level=0.99, undefined=False)
    assert zero == (0.3, 0.3)


def test_limits_outside_the_range_are_not_shown():
    row = fake_summary.one_row()
    assert shown_limits(row, -0.2, 1.118) == (0, 1)
    assert shown_limits(row, -0.2, 0.4, clips=False) == (-0.2, 0.4)
    free = replace(row, clips=False)
    assert shown_limits(free, -1.2, 0.4) == (-1, 0.4)
    assert shown_limits(replace(free, metric="adjusted_macro_f1", n_classes=3), -0.9, 0.4) == (-0.5, 0.4)
    assert all(np.isnan(limit) for limit in shown_limits(row, np.nan, np.nan))


def _task(n: int) -> TaskTable:
    """A task of n rows in each of two classes."""
    labels = np.repeat([0, 1], n)
    table = make_task(2 * n)
    return replace(table, labels=labels.astype(np.int64))


def test_folds_that_nobody_named_stay_untested_where_documents_are_too_few(tmp_path, caplog):
    table = replace(_task(200), groups=["a", "b"] * 200)
    settings = probe_settings(folds_optional=True, repetitions=1, switches=Switches(group_folds=True))
    files = [str(tmp_path / f"rep-1/fold-{fold}.parquet") for fold in (2, 3)]
    probe_task(_Zeros(), table, settings, files)
    assert "X-sample: too few documents: the rows of 2 documents" in caplog.text
    folds = read_folds(files)
    tested = [row for row in folds.scores.to_pylist() if row["metric"] == "metric_test"]
    assert [(row["kfold_partition"], np.isnan(row["value"])) for row in tested] == [(2, True), (3, True)]
    assert [(info.n_train, info.n_test, info.setting) for info in folds.infos] == [(0, 0, {}), (0, 0, {})]
    assert len(folds.predictions) == 0


class _Zeros:
    def parts(self, plan):
        return tuple(
            np.zeros((len(rows), 2), np.float32) for rows in (plan.train, plan.evaluation, plan.test)
        )
