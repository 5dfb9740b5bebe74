"""Trainings with several seeds on a pair set."""

import math
from dataclasses import replace

import numpy as np
import pytest
from made_graphs import unshared

from sentflow.compare.trainings import Trainings
from sentflow.similarity.measures import spearman
from sentflow.similarity.scores import SimilarityRows
from sentflow.similarity.settings import PairSetSettings

SETTINGS = PairSetSettings(
    measure="cosine", correlation="spearman", alpha=0.05, level=0.95, n_resamples=500, seed=3
)


def trainings(noise: dict[str, float], n_seeds: int = 6, n_pairs: int = 120, of_seeds: float = 0.0, **more):
    """Groups whose similarities are gold scores with noise, some of it shared by all seeds of a group."""
    generator = np.random.default_rng(7)
    gold = np.round(generator.uniform(0, 5, n_pairs), 1)
    shared = generator.standard_normal(n_pairs)
    rows, groups = [], {}
    for group, size in noise.items():
        groups[group] = {}
        for seed in range(1, n_seeds + 1):
            own = generator.standard_normal(n_pairs)
            scale = size * (1 + of_seeds * generator.uniform(-1, 1))
            groups[group][seed] = len(rows)
            copies, graph = more.get("copies", 1), more.get("graph", unshared(n_pairs))
            columns = {"cosine": np.repeat(gold + scale * (shared + 0.2 * own), copies)}
            about = ("STSB", f"{group}-seed-{seed}", [""] * n_pairs * copies, np.repeat(gold, copies))
            rows.append(SimilarityRows(*about, graph, columns))
    return Trainings(rows, groups, more.get("controls", ()), SETTINGS)


def test_a_mean_is_over_seeds_and_its_t_interval_is_that_of_their_scores():
    found = trainings({"simcse": 1.0})
    (row,) = found.seed_rows()
    scores = [spearman(one.columns["cosine"], one.gold) for one in found.rows]
    assert (row.group, row.other, row.n_seeds, row.n_pairs) == ("simcse", "", 6, 120)
    assert row.value == pytest.approx(np.mean(scores))
    assert row.spread_of_seeds == pytest.approx(np.std(scores, ddof=1))
    half = 2.570582 * np.std(scores, ddof=1) / math.sqrt(6)  # t(0.975; 5)
    assert (row.seeds_low, row.seeds_high) == pytest.approx((row.value - half, row.value + half))
    assert math.isnan(row.p)


def test_six_seeds_of_one_sign_reach_the_least_p_alone_but_not_among_three_groups():
    rows = trainings({"good": 0.5, "fair": 1.0, "poor": 2.0}, controls=("poor",)).seed_rows()
    differences = [row for row in rows if row.other]
    assert [(row.group, row.other) for row in differences] == [
        ("good", "fair"), ("good", "poor"), ("fair", "poor")
    ]  # fmt: skip
    for row in differences:
        assert row.value > 0
        assert row.p == row.least_p == 2 / 2**6
        assert row.p_holm == row.least_p_holm == 3 * 2 / 2**6  # above 5 %
    assert [row.is_control for row in rows] == [False, False, True, False, True, True]


def test_differences_are_seed_by_seed_over_the_seeds_of_both():
    found = trainings({"good": 0.5, "poor": 2.0})
    fewer = {"good": found.groups["good"], "poor": {s: p for s, p in found.groups["poor"].items() if s < 4}}
    row = replace(found, groups=fewer).seed_rows()[-1]
    scores = np.array([spearman(one.columns["cosine"], one.gold) for one in found.rows])
    places = [[seeds[seed] for seed in (1, 2, 3)] for seeds in fewer.values()]
    assert row.n_seeds == 3
    assert row.value == pytest.approx((scores[places[0]] - scores[places[1]]).mean())
    assert row.least_p == 2 / 2**3


def test_a_training_with_one_similarity_for_all_pairs_is_not_counted():
    found = trainings({"one": 1.0, "two": 1.5})
    flat = replace(found.rows[0], columns={"cosine": np.ones(120)})
    rows = replace(found, rows=[flat, *found.rows[1:]]).seed_rows()
    assert [row.n_seeds for row in rows] == [5, 6, 5]
    assert all(not math.isnan(row.low) for row in rows)


def test_two_seeds_in_common_give_a_difference_without_interval_or_test_that_costs_others_nothing():
    found = trainings({"good": 0.5, "fair": 1.0, "poor": 2.0})
    two = {seed: place for seed, place in found.groups["poor"].items() if seed < 3}
    *means, tested, first, second = replace(found, groups=found.groups | {"poor": two}).seed_rows()
    assert [(row.group, row.n_seeds, math.isnan(row.seeds_low)) for row in means] == [
        ("good", 6, False), ("fair", 6, False), ("poor", 2, True)
    ]  # fmt: skip
    assert (tested.group, tested.other) == ("good", "fair")
    assert tested.p_holm == tested.p
    for row in (first, second):
        assert row.other == "poor" and row.value > 0
        assert np.isnan([row.low, row.seeds_low, row.p, row.p_holm, row.least_p]).all()
