"""Scores of a pair set, comparisons of encoders, and the average of seven tasks."""

import math

import numpy as np
import pytest
from made_graphs import stars, unshared
from scipy.stats import spearmanr

from sentflow.compare.pair_sets import PairSetSettings, compare_pair_set, normal_test
from sentflow.errors import DataError
from sentflow.similarity.measures import SEVEN_TASKS, seven_task_average
from sentflow.similarity.scores import (
    SimilarityRows,
    similarity_scores,
)
from sentflow.stats.resampling import Bootstrap

SETTINGS = Bootstrap(level=0.95, n_resamples=60, seed=7)


def made(n=60, seed=0):
    """Gold scores with ties, two unequal sub-sources, and one column of similarities."""
    generator = np.random.default_rng(seed)
    gold = generator.integers(0, 6, n).astype(float)
    subsets = ["few"] * (n // 4) + ["many"] * (n - n // 4)
    similarities = gold + generator.normal(scale=2, size=n) + 3 * (np.array(subsets) == "few")
    return gold, subsets, similarities


def scored(gold, subsets, columns, graph=None):
    return similarity_scores(gold, subsets, columns, graph or unshared(len(gold)), SETTINGS)


def test_aggregations_by_another_route():
    gold, subsets, similarities = made()
    found = scored(gold, subsets, {"cosine": similarities})["scores"]["cosine"]
    few, many = (
        spearmanr(similarities[part], gold[part]).statistic for part in (slice(0, 15), slice(15, 60))
    )
    assert found["all"]["spearman"] == pytest.approx(spearmanr(similarities, gold).statistic)
    assert found["mean"]["spearman"] == pytest.approx((few + many) / 2)
    assert found["wmean"]["spearman"] == pytest.approx((15 * few + 45 * many) / 60)
    assert found["subsets"]["few"] == {
        "n": 15,
        "spearman": pytest.approx(few),
        "pearson": pytest.approx(np.corrcoef(similarities[:15], gold[:15])[0, 1]),
    }
    assert len({round(found[name]["spearman"], 6) for name in ("all", "mean", "wmean")}) == 3


def test_shared_sentences_widen_intervals_and_are_told():
    """Every pair twice, with the same scores: the interval is that of half as many pairs."""
    gold, _, similarities = made(n=150)
    twice, subsets = np.repeat(np.arange(150), 2), ["few"] * 60 + ["many"] * 240
    columns = {"cosine": similarities[twice]}
    found = scored(gold[twice], subsets, columns, stars(150, 2))
    single = scored(gold, [""] * 150, {"cosine": similarities})
    assert found["scores"]["cosine"]["all"] == pytest.approx(single["scores"]["cosine"]["all"])
    # the same draws, of stars and of pairs
    limits, expected = (one["intervals"]["cosine"]["all"] for one in (found, single))
    assert limits["spearman"] == pytest.approx(expected["spearman"], abs=0.01)
    assert limits["pearson"] == pytest.approx(expected["pearson"])
    assert found["drawn"]["all"] == {"kind": "components", "n_units": 150, "effective_pairs": 150.0}
    assert found["drawn"]["subsets"]["few"] == {"kind": "sentences", "n_units": 30, "effective_pairs": 30.0}
    assert found["drawn"]["mean"]["kind"] == "sentences, components"
    assert found["drawn"]["wmean"]["n_units"] == 150
    assert single["drawn"]["all"] == {"kind": "pairs", "n_units": 150, "effective_pairs": 150.0}


def test_constant_similarities_are_undefined_and_told():
    gold, subsets, similarities = made()
    found = scored(gold, subsets, {"cosine": np.full(60, 0.3), "dot": similarities})
    assert all(math.isnan(value) for value in found["scores"]["cosine"]["all"].values())
    assert all(math.isnan(limit) for limit in found["intervals"]["cosine"]["wmean"]["spearman"])
    assert not math.isnan(found["scores"]["dot"]["all"]["spearman"])
    assert found["warnings"] == [
        "cosine: every pair has the same similarity, so the correlation is undefined."
    ]


def rows_of(model, similarities, gold, *, measure="cosine", subset=None, graph=None):
    return SimilarityRows(
        "set", model, subset or [""] * len(gold), gold, graph or unshared(len(gold)), {measure: similarities}
    )


def compared(rows, **changed):
    settings = {
        "measure": "cosine",
        "correlation": "spearman",
        "alpha": 0.05,
        "level": 0.95,
        "n_resamples": 400,
    }
    return compare_pair_set(rows, PairSetSettings(**{**settings, "seed": 1, **changed}))


def test_better_encoder_is_found_and_equal_ones_are_not_told_apart():
    generator = np.random.default_rng(5)
    gold = generator.normal(size=300)
    good, fair = gold + generator.normal(scale=0.5, size=300), gold + generator.normal(scale=1.5, size=300)
    rows = [rows_of("good", good, gold), rows_of("fair", fair, gold), rows_of("twin", np.exp(good), gold)]
    first, second, third = compared(rows)
    assert (first.model_a, first.model_b) == ("good", "fair")
    assert first.low > 0
    assert first.p_holm < 0.001
    # the same order of pairs: equal in every resample
    assert (second.difference, second.p_bootstrap) == (0.0, 1.0)
    assert third.difference == -first.difference
    assert compared(rows, correlation="pearson")[1].difference > 0


def test_a_difference_that_stars_share_is_tested_by_stars():
    generator = np.random.default_rng(9)
    gold, own = generator.normal(size=60), generator.normal(size=(2, 60))
    good, fair = (np.repeat(gold + scale * noise, 4) for scale, noise in zip((0.6, 0.8), own, strict=True))
    repeated = np.repeat(gold, 4)
    alone, shared = (
        compared(
            [rows_of("good", good, repeated, graph=graph), rows_of("fair", fair, repeated, graph=graph)]
        )[0]
        for graph in (unshared(240), stars(60, 4))
    )
    # four times the variance: twice the standard deviation
    assert shared.high - shared.low == pytest.approx(2 * (alone.high - alone.low), rel=0.25)
    assert shared.p_bootstrap > alone.p_bootstrap
    assert (alone.drawn, alone.n_units, shared.drawn, shared.n_units) == ("pairs", 240, "components", 60)
    assert (alone.n, shared.n, shared.effective_pairs) == (240, 240, 60.0)


def test_encoder_without_a_score_has_no_test():
    gold = np.arange(20.0)
    found = compared([rows_of("a", gold**2, gold), rows_of("constant", np.ones(20), gold)])
    assert all(map(math.isnan, (found[0].difference, found[0].p_bootstrap, found[0].p_holm)))


def test_other_pairs_and_other_measures_are_refused():
    gold = np.arange(6.0)
    with pytest.raises(DataError, match="a and b were not scored on the same pairs of set"):
        compared([rows_of("a", gold, gold), rows_of("b", gold, gold + 1)])
    with pytest.raises(DataError, match="a and b were not scored on the same pairs of set"):
        compared([rows_of("a", gold, gold), rows_of("b", gold, gold, graph=stars(2, 3))])
    with pytest.raises(DataError, match="of a on set have no measure 'dot', only cosine"):
        compared([rows_of("a", gold, gold), rows_of("b", gold, gold)], measure="dot")


def test_interval_and_p_are_those_of_the_normal_distribution():
    # difference of two standard deviations: 2 · (1 − Φ(2)) = 0.0455
    drawn = np.array([-1.0, 1.0, -1.0, 1.0]) / math.sqrt(4 / 3)
    _, p = normal_test(2.0, drawn, level=0.95)
    assert p == pytest.approx(0.0455, abs=1e-4)
    limits, _ = normal_test(2.0, drawn, level=1 - p)
    assert limits == pytest.approx((0.0, 4.0))
    assert math.isnan(normal_test(0.1, np.zeros(5), level=0.95)[1])


def test_few_effective_pairs_give_a_score_without_interval_and_test():
    generator = np.random.default_rng(3)
    gold, few, enough = np.arange(48.0), stars(11, 4), stars(12, 4)
    for graph, n, has in ((few, 44, False), (enough, 48, True)):
        noisy = [gold[:n] + 20 * generator.normal(size=n) for _ in range(2)]
        found = scored(gold[:n], [""] * n, {"cosine": noisy[0]}, graph)
        low, high = found["intervals"]["cosine"]["all"]["spearman"]
        assert math.isfinite(found["scores"]["cosine"]["all"]["spearman"])
        rows = [rows_of(name, one, gold[:n], graph=graph) for name, one in zip("ab", noisy, strict=True)]
        (pair,) = compared(rows)
        assert [math.isfinite(one) for one in (low, high, pair.low, pair.p_bootstrap, pair.p_holm)] == [
            has
        ] * 5


# SimCSE, arXiv 2104.08821, table 5: unsupervised BERT-base
SIMCSE_BERT = dict(zip(SEVEN_TASKS, (68.40, 82.41, 74.38, 80.91, 78.56, 76.85, 72.23), strict=True))


def test_published_row_has_its_published_average():
    average = seven_task_average({task: value / 100 for task, value in SIMCSE_BERT.items()})
    assert f"{average:.2f}" == "76.25"


def test_cells_are_rounded_before_they_are_averaged():
    assert seven_task_average(dict.fromkeys(SEVEN_TASKS, 0.70004)) == pytest.approx(70.0, abs=1e-12)


@pytest.mark.parametrize("undefined", [{}, {"SICKR": None}, {"SICKR": math.nan}])
def test_incomplete_rows_have_no_average(undefined):
    assert math.isnan(seven_task_average({**dict.fromkeys(SEVEN_TASKS[:6], 0.5), **undefined}))


def test_undefined_sub_source_makes_the_means_undefined_and_is_named():
    gold, subsets, similarities = made()
    similarities[:15] = 1.0
    found = scored(gold, subsets, {"cosine": similarities})
    scores = found["scores"]["cosine"]
    assert math.isnan(scores["mean"]["spearman"])
    assert not math.isnan(scores["all"]["spearman"])
    assert "the pairs of few have only one distinct value" in found["warnings"][0]
