"""Probes of real texts: short forms of benchmarks probe_documents.py and probe_levels.py, and their formulas."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from probe_errors import item_variance, linear
from real_probes import RealTask, balanced_matthews, cross_validated, decided
from sentflow.probing.protocol.metrics import published_metric
from sentflow.stats.confusions import metric_values
from sentflow.stats.out_of_fold import row_scores


@pytest.mark.mirror
@pytest.mark.slow
def test_intervals_cover_new_posts_only_where_posts_are_kept_together(mirror, tmp_path):
    from probe_documents import KINDS, coverage, samples
    from real_probes import text_task

    hatebr = text_task(mirror, "T1A-open", folder=tmp_path)
    with threadpool_limits(1):  # products are small, and threads would wait for each other
        found = list(samples(hatebr, "documents", 10, 120, seed=1))
    assert len(found) > 80  # of ten posts; those of other samples cannot be assigned to five folds
    folds_of_rows, _, effective, _ = (coverage(found, "a score", kind)[0] for kind in KINDS)
    # 1,000 samples gave 32 and 98 %: 0.60 and 0.85 are more than five and eight standard errors of 100 samples off
    assert folds_of_rows < 0.60
    assert effective >= 0.85


@pytest.mark.mirror
@pytest.mark.slow
def test_tests_of_three_classes_and_of_two_hold_their_level_and_holm_the_family(mirror, tmp_path):
    from probe_levels import ENCODERS, TESTS, samples, wrong_rejections
    from real_probes import THREE_CLASSES, text_task

    for name in (THREE_CLASSES, "T1A-open"):
        task = text_task(mirror, name, folder=tmp_path, n_encoders=ENCODERS)
        with threadpool_limits(1):
            found = list(samples(task, 500, 120, seed=1))
        assert len(found) == 120
        p = wrong_rejections(found, TESTS[0], drawn_share=500 / len(task.labels)).p
        # 1,000 samples gave at most 2.7 % of single tests and 1.6 % of families: four standard errors of 120 off
        assert (p <= 0.05).mean() <= 0.09
        assert (p.min(axis=1) <= 0.05 / p.shape[1]).mean() <= 0.07


def made_task() -> RealTask:
    generator = np.random.default_rng(4)
    labels = np.repeat([0, 1, 2], [90, 60, 70])
    noise = generator.normal(size=(2, len(labels), 3))
    features = np.concatenate([np.eye(3)[labels] + noise, np.ones((2, len(labels), 1))], axis=2)
    return RealTask(features.astype(np.float32), labels, np.arange(len(labels)), "adjusted_macro_f1")


def test_scores_of_three_classes_are_those_of_the_protocol():
    task = made_task()
    found = cross_validated(task, np.arange(len(task.labels)), grouped=False, seed=1, repetitions=2)
    expected = [
        [
            published_metric(task.metric, task.labels[plan.test], own, n_classes=3, clip=False)
            for own in found.predicted[:, plan.repetition - 1, plan.test]
        ]
        for plan in found.plans
    ]
    assert found.scores.shape == (10, 2)
    np.testing.assert_allclose(found.scores, expected, atol=1e-6)
    assert found.scores.mean() > 0.2


def test_the_truth_of_three_classes_weighs_them_alike():
    task = made_task()
    rows = np.arange(0, len(task.labels), 2)
    found = cross_validated(task, rows, grouped=False, seed=1, repetitions=1)
    left_out = np.setdiff1d(np.arange(len(task.labels)), rows)
    called = decided(task.features[:, left_out], found.some_probes[:, 0])
    confusions = np.zeros((2, 3, 3))
    for model, own in enumerate(called):
        np.add.at(confusions[model], (task.labels[left_out], own), 1)
    balanced = confusions / confusions.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(
        task.outside(rows, found.some_probes), metric_values("adjusted_macro_f1", balanced)
    )


def test_contributions_are_what_a_score_loses_without_a_row():
    generator = np.random.default_rng(3)
    labels = np.repeat([0, 1], 200)
    positive = (generator.random(400) < np.where(labels == 1, 0.7, 0.2)).astype(float)
    near = linear(positive, labels, np.ones(400, bool))

    def score(kept: np.ndarray) -> float:
        shares = [positive[kept & (labels == label)].mean() for label in (1, 0)]
        return float(balanced_matthews(*map(np.array, shares)))

    lost = [score(np.ones(400, bool)) - score(np.arange(400) != row) for row in range(400)]
    # to first order: rows count 1/200 of their class
    np.testing.assert_allclose(near.contributions, lost, rtol=0.02, atol=1e-5)
    jackknifed = row_scores("mcc", 2, labels, positive[None].astype(int), np.ones((1, 400), bool))
    np.testing.assert_allclose(near.contributions, jackknifed.contributions[0], rtol=0.02, atol=1e-5)
    jackknife = 399 / 400 * np.square(np.array(lost) - np.mean(lost)).sum()
    assert item_variance(near.contributions, np.ones(400)) == pytest.approx(jackknife, rel=0.02)
