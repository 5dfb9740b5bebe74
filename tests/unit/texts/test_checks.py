"""Acceptance checks: what passes, what fails, and what a failure says."""

import dataclasses
import math

import fake_summary
import pytest
from made_products import CHECKS, run_check

from sentflow.report.checks import CONTROL_TOLERANCE, Selection
from sentflow.report.families.probing.checks import guessing_mean

SELECTION = Selection(tasks=["T1A-sample"], models=["minilm-l6"], random_models=["random"])


def test_sound_results_pass():
    rows = fake_summary.score_rows()
    tasks, models = ([*dict.fromkeys(getattr(row, name) for row in rows)] for name in ("task", "model"))
    for name in CHECKS:
        result = run_check(name, rows, Selection(tasks, models, ["random"]))
        assert result.passed, result.problems
        assert sum(result.counts.values()) > 0


def test_interval_beside_its_score_fails():
    rows = [
        fake_summary.one_row(mean=0.6, generalisation_low=0.5, generalisation_high=0.59),
        fake_summary.one_row(task="T1B", mean=0.6, repeatability_low=0.61, repeatability_high=0.63),
    ]
    result = run_check("intervals", rows, SELECTION)
    assert (
        "T1A-sample × minilm-l6: generalisation [0.500, 0.590] does not contain the score 0.600"
        in result.problems
    )
    assert any(problem.startswith("T1B × minilm-l6: repeatability") for problem in result.problems)


def test_guess_cut_at_zero_scores_above_zero():
    # two classes, 480 / 5 = 96 test rows: 1 / sqrt(2 pi * 96) = 0.0407
    row = fake_summary.one_row(model="random", n_balanced_rows=480, folds=5, n_classes=2)
    assert guessing_mean(row) == pytest.approx(0.0407, abs=1e-4)


def test_clipped_guessing_passes_the_control():
    # the mean of guessing itself, with an interval that does not reach down to 0
    row = fake_summary.one_row(model="random", mean=0.0407, generalisation_low=0.02, generalisation_high=0.06)
    assert run_check("controls", [row], SELECTION).passed


def test_leaking_labels_fail_the_control():
    row = fake_summary.one_row(model="random", mean=0.31, generalisation_low=0.25, generalisation_high=0.37)
    problem = run_check("controls", [row], SELECTION).problems[0]
    assert "T1A-sample × random: score 0.310, lower limit 0.250" in problem
    assert f"{guessing_mean(row) + CONTROL_TOLERANCE:.3f}" in problem


def test_every_absent_and_every_unselected_cell_is_named():
    rows = fake_summary.score_rows(tasks=["T1A"], models=["minilm-l6", "random"])
    selection = Selection(
        tasks=["T1A-sample", "T1B-sample"], models=["minilm-l6", "tfidf"], random_models=["random"]
    )
    assert run_check("complete", rows, selection).problems == [
        "T1A-sample × tfidf: no score",
        "T1B-sample × minilm-l6: no score",
        "T1B-sample × tfidf: no score",
        "T1A-sample × random: not selected",
    ]


def test_lost_folds_are_seen():
    result = run_check("complete", [fake_summary.one_row(n_folds=49)], SELECTION)
    assert result.problems == ["T1A-sample × minilm-l6: 49 folds instead of 10 × 5"]


def test_undefined_numbers_are_named():
    result = run_check("no_missing", [fake_summary.one_row(mean=math.nan, std=math.nan)], SELECTION)
    assert result.problems == ["T1A-sample × minilm-l6: undefined mean, std"]


def test_item_level_interval_is_held_to_its_own_score():
    row = fake_summary.one_row(item_mean=0.44, item_low=0.4, item_high=0.48)
    assert run_check("intervals", [row], SELECTION).passed  # fold scores are another statistic
    (problem,) = run_check("intervals", [dataclasses.replace(row, item_mean=0.5)], SELECTION).problems
    assert "item-level [0.400, 0.480] does not contain the score 0.500" in problem
    assert run_check("intervals", [dataclasses.replace(row, item_low=math.nan)], SELECTION).passed
