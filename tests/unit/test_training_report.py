"""Trainings in figures, tables and the page."""

import math

import fake_trainings
import pytest
import trained_results

from sentflow.compare.rows import TrainingSeeds
from sentflow.files.rows import read_rows
from sentflow.report.families.training import figures, tables
from sentflow.report.families.training.rows import (
    HELD_OUT,
    LOSS,
    SCORE,
    TrainedRow,
    TrainingHeldOutRow,
    TrainingHistoryRow,
    TrainingRow,
)
from sentflow.report.families.training.summary import sweep_points
from sentflow.report.inputs import Inputs
from sentflow.report.jobs import summarise_training
from sentflow.report.settings import TrainingSummary
from sentflow.report.table.formats import markdown_text

ROWS = fake_trainings.rows_by_kind()


def test_curves_are_means_with_the_range_of_seeds():
    points = figures.CURVES.rows(Inputs.holding(ROWS))
    [score] = [p for p in points if (p.group, p.measure, p.step) == ("simcse", SCORE, 40)]
    assert score.mean == pytest.approx(0.842)  # 0.8 + 0.04 + mean of .001, .002, .003
    assert (score.low, score.high) == (pytest.approx(0.841), pytest.approx(0.843))
    assert (score.n_seeds, score.n_chosen) == (3, 3)
    assert {p.step for p in points if p.measure == SCORE} == set(fake_trainings.STEPS)
    [loss] = [p for p in points if (p.group, p.measure, p.step) == ("simcse", LOSS, 2)]
    assert (loss.mean, loss.n_chosen) == (0.5, 0)
    held_out = [p for p in points if (p.group, p.measure) == ("simcse", HELD_OUT)]
    assert [(p.step, p.n_seeds) for p in held_out] == [(step, 3) for step in fake_trainings.STEPS]
    text = markdown_text(tables.held_out(Inputs.holding(ROWS)))
    loss, *_ = [line for line in text.splitlines() if line.startswith("| loss")]
    assert [cell.strip() for cell in loss.split("|")[2:6]] == ["3.000", "1.000", "3", "16"]


def test_seeds_have_the_interval_of_their_group_and_one_seed_has_none():
    points = figures.SEEDS.rows(Inputs.holding(ROWS))
    assert {(p.mean, p.low, p.high) for p in points} == {(0.72, 0.66, 0.78)}
    assert sorted({p.value for p in points}) == pytest.approx([0.71, 0.72, 0.73])
    one = {**ROWS, TrainingRow: fake_trainings.training_rows(seeds=(1,)), TrainingSeeds: []}
    alone = figures.SEEDS.rows(Inputs.holding(one))
    assert all(math.isnan(p.mean) for p in alone)


def test_jobs_and_cells_are_summarised(tmp_path):
    results = trained_results.write_results(tmp_path / "results")
    columns = ["section", "start", "data", "method", "max_tokens", "learning_rate", "dev", "test", "scores"]
    columns += ["uniformity", "alignment", "geometry"]
    published = ["english", "minilm", "wiki", "dropout", 32, 3e-5, 0.81, 0.8, "value", None, None, "?"]
    sweep = {
        **{"name": "grid", "title": "Grid", "development": "STSB-dev", "test": "STSB-test"},
        "cells": [["simcse", "value", "minilm", "wiki", "dropout", 32, 3e-5]],
        "published": {"source": "a paper", "reference": "x", "columns": columns, "rows": [published]},
    }
    about = {"title": "SimCSE", "group": "simcse", "control": False, "data_version": "raw"}
    settings = TrainingSummary.from_parts(
        {
            "scores": {"models": {}, "pairs": {}},
            "models": {trained_results.MODEL: about},
            "sweeps": [],
        }
    )
    folder, jobs = results / "training" / trained_results.MODEL, results / "summary/training-jobs.parquet"
    summarise_training(
        records=[folder / "record.json"],
        selections=[folder / "selection.json"],
        settings=settings,
        scores=results / "training.parquet",
        jobs=jobs,
        sweeps=results / "sweeps.parquet",
        history=results / "history.parquet",
        held_out=results / "held-out.parquet",
    )
    [row] = read_rows(jobs, TrainedRow)
    assert (row.start, row.chosen, row.n_resumed) == ("minilm-l6", 40, 2)
    steps = read_rows(results / "history.parquet", TrainingHistoryRow)
    assert [(row.group, row.seed, row.step, row.loss) for row in steps[:2]] == [
        ("simcse", 1, 1, 1.0),
        ("simcse", 1, 2, 0.5),
    ]
    held_out = read_rows(results / "held-out.parquet", TrainingHeldOutRow)
    assert [(row.step, row.chosen) for row in held_out if row.measure == "loss"] == [
        *((step, step == 40) for step in (0, 20, 40, 60))
    ]
    theirs, ours = sweep_points([sweep], ROWS[TrainingRow])
    assert (theirs.published, theirs.value, ours.published, ours.n_seeds) == (True, 0.81, False, 3)
    assert (ours.value, ours.max_tokens) == (pytest.approx(0.842), 32)
