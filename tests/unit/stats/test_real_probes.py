"""Intervals of probes of real texts: a short form of benchmarks probe_documents.py, and its formulas."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from probe_errors import item_variance, linear
from real_probes import balanced_matthews
from sentflow.stats.out_of_fold import row_scores


@pytest.mark.mirror
@pytest.mark.slow
def test_intervals_cover_new_posts_only_where_posts_are_dealt_to_folds_whole(mirror, tmp_path):
    from probe_documents import KINDS, coverage, samples
    from real_probes import text_task

    hatebr = text_task(mirror, "T1A-open", folder=tmp_path)
    with threadpool_limits(1):  # products are small, and threads would wait for each other
        found = list(samples(hatebr, "documents", 10, 120, seed=1))
    assert len(found) > 80  # of ten posts; those of other samples cannot be dealt to five folds
    rows_dealt, _, effective, _ = (coverage(found, "a score", kind)[0] for kind in KINDS)
    # 1,000 samples gave 32 and 98 %: 0.60 and 0.85 are more than five and eight standard errors of 100 samples off
    assert rows_dealt < 0.60
    assert effective >= 0.85


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
