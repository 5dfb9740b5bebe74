"""Trainings in figures, tables, the page and the check of cards."""

import json
import math
import shutil
from dataclasses import replace

import fake_trainings
import pytest
import trained_results
from report_pages import elements, make_sources

from sentflow.commands import model_card as card_command
from sentflow.commands import summarise_training_jobs
from sentflow.compare.training_rows import TrainingSeeds
from sentflow.files.rows import read_rows, write_rows
from sentflow.report.checks import Selection
from sentflow.report.families.training import (
    curves_figure,
    held_out_table,
    path_figure,
    seeds_figure,
    sweep_figure,
    training_costs_table,
)
from sentflow.report.families.training.cards_check import check_cards
from sentflow.report.families.training.figure_rows import (
    HELD_OUT,
    LOSS,
    SCORE,
    SweepPoint,
    TrainingHeldOutRow,
    TrainingHistoryRow,
)
from sentflow.report.families.training.rows import SPEARMAN, TrainingRow
from sentflow.report.families.training.runs_table import runs_table
from sentflow.report.families.training.trained_rows import TrainedRow
from sentflow.report.figure import canvas
from sentflow.report.inputs import Inputs
from sentflow.report.page.page import render
from sentflow.report.table.formats import markdown_text

ROWS = {
    TrainingRow: fake_trainings.training_rows(),
    TrainingHistoryRow: fake_trainings.history_rows(),
    TrainingHeldOutRow: fake_trainings.held_out_rows(),
    TrainingSeeds: fake_trainings.seed_rows(),
    TrainedRow: fake_trainings.trained_rows(),
}


@pytest.fixture(autouse=True)
def project_style():
    with canvas.style():
        yield


def inputs(**changes):
    return Inputs.holding({**ROWS, **changes.get("rows", {})})


# --- figures ------------------------------------------------------------------------------------------------


def test_curves_are_means_with_the_range_of_seeds():
    points = curves_figure.gather(inputs())
    [score] = [p for p in points if (p.group, p.measure, p.step) == ("simcse", SCORE, 40)]
    assert score.mean == pytest.approx(0.842)  # 0.8 + 0.04 + mean of .001, .002, .003
    assert (score.low, score.high) == (pytest.approx(0.841), pytest.approx(0.843))
    assert (score.n_seeds, score.n_chosen) == (3, 3)
    assert {p.step for p in points if p.measure == SCORE} == set(fake_trainings.STEPS)
    [loss] = [p for p in points if (p.group, p.measure, p.step) == ("simcse", LOSS, 2)]
    assert (loss.mean, loss.n_chosen) == (0.5, 0)


def test_held_out_losses_are_drawn_and_told_before_training_and_with_the_chosen_weights():
    points = [p for p in curves_figure.gather(inputs()) if (p.group, p.measure) == ("simcse", HELD_OUT)]
    assert [(p.step, p.n_seeds) for p in points] == [(step, 3) for step in fake_trainings.STEPS]
    assert "Dashed: the loss on rows that were held out" in curves_figure.texts_of(points).reading
    text = markdown_text(held_out_table.held_out_table(ROWS[TrainingHeldOutRow], "T"))
    loss, *_ = [line for line in text.splitlines() if line.startswith("| loss")]
    assert [cell.strip() for cell in loss.split("|")[2:6]] == ["3.000", "1.000", "3", "16"]
    assert "No training held rows out." in markdown_text(held_out_table.held_out_table([], "T"))


def test_trainings_that_no_similarity_or_test_scores_have_curves_too():
    """Language models and bi-encoders: what they reach is told by retrieval."""
    points = curves_figure.gather(inputs(rows={TrainingRow: []}))
    assert {p.group for p in points} == {*fake_trainings.GROUPS}
    assert {p.measure for p in points} == {LOSS, HELD_OUT}


def test_controls_are_grey_and_counted_apart():
    points = curves_figure.gather(inputs())
    assert {(p.group, p.position, p.is_control) for p in points} == {
        ("simcse", 0, False),
        ("simcse-permuted", 1, False),
        ("simcse-shuffled", 0, True),
    }


def test_long_histories_are_means_over_equal_spans():
    history = [
        TrainingHistoryRow("m", "simcse", 1, step, float(step), 1e-5, 1.0, 1) for step in range(1, 1201)
    ]
    points = [
        p for p in curves_figure.gather(inputs(rows={TrainingHistoryRow: history})) if p.measure == LOSS
    ]
    assert len(points) == 120
    assert (points[0].step, points[0].mean) == (10, 5.5)  # of 1 to 10
    assert "mean over 10 steps" in curves_figure.texts_of(points).reading


def test_losses_that_are_not_finite_are_left_out():
    history = [replace(row, loss=math.nan) if row.step == 5 else row for row in ROWS[TrainingHistoryRow]]
    steps = {
        p.step for p in curves_figure.gather(inputs(rows={TrainingHistoryRow: history})) if p.measure == LOSS
    }
    assert 5 not in steps
    assert {4, 6} <= steps


def test_paths_have_a_point_per_snapshot_that_has_both_measures():
    points = path_figure.gather(inputs())
    assert len(points) == 3 * 3 * len(fake_trainings.STEPS)
    [one] = [p for p in points if (p.group, p.seed, p.step) == ("simcse", 2, 40)]
    assert (one.alignment, one.uniformity, one.chosen) == (pytest.approx(0.14), pytest.approx(-2.1), True)
    without = [row for row in ROWS[TrainingRow] if row.measure == SPEARMAN]
    assert path_figure.gather(inputs(rows={TrainingRow: without})) == []


@pytest.mark.parametrize("figure", [path_figure, seeds_figure])
def test_a_group_has_its_colour_where_another_is_not_drawn(figure):
    scored = [row for row in ROWS[TrainingRow] if row.group == "simcse-permuted"]
    assert {p.position for p in figure.gather(inputs(rows={TrainingRow: scored}))} == {1}


def test_seeds_have_the_interval_of_their_group_and_one_seed_has_none():
    points = seeds_figure.gather(inputs())
    assert {(p.mean, p.low, p.high) for p in points} == {(0.72, 0.66, 0.78)}
    assert sorted({p.value for p in points}) == pytest.approx([0.71, 0.72, 0.73])
    alone = seeds_figure.gather(
        inputs(rows={TrainingRow: fake_trainings.training_rows(seeds=(1,)), TrainingSeeds: []})
    )
    assert all(math.isnan(p.mean) for p in alone)
    reading = seeds_figure.texts_of(alone).reading
    assert "nothing is known of other seeds" in reading
    assert "interval" not in reading


@pytest.mark.parametrize("figure", [curves_figure, path_figure, seeds_figure])
def test_drawn_from_summaries_and_again_from_its_own_data(tmp_path, figure):
    files = []
    for kind in (TrainedRow, TrainingRow, TrainingHistoryRow, TrainingHeldOutRow, TrainingSeeds):
        files.append(tmp_path / f"{kind.FILE}.parquet")
        write_rows(files[-1], kind, ROWS[kind])
    data = tmp_path / "data/figure.parquet"
    data.parent.mkdir()
    drawn = figure.FIGURE.make(Inputs(files), data=data)
    canvas.save(drawn, tmp_path / "one.png")
    canvas.save(figure.FIGURE.make(Inputs([data])), tmp_path / "two.png")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_a_group_without_development_scores_has_a_panel_that_says_so():
    points = curves_figure.gather(inputs())
    figure = curves_figure.draw([p for p in points if (p.group, p.measure) != ("simcse", SCORE)])
    assert [text.get_text() for axes in figure.axes for text in axes.texts] == ["not scored"]


def test_scores_by_seed_end_where_correlations_do():
    wide = [replace(p, low=-2.6, high=2.8) for p in seeds_figure.gather(inputs())]
    for axes in seeds_figure.draw(wide).axes:
        assert -110 < axes.get_xlim()[0] < axes.get_xlim()[1] < 110


@pytest.mark.parametrize("figure", [curves_figure, path_figure, seeds_figure, sweep_figure])
def test_nothing_is_a_figure_that_says_so(figure):
    figure.draw([])
    assert figure.texts_of([]).reading.startswith("Nothing to draw")


def test_sweeps_without_own_cells_say_that_none_was_run():
    point = SweepPoint("s", "english", "bert", "wiki", "dropout", 3e-5, 0.8, 1, True, "")
    reading = sweep_figure.texts_of([point]).reading
    assert "none was run" in reading
    sweep_figure.draw([point])


# --- tables -------------------------------------------------------------------------------------------------


def test_every_training_has_a_line():
    text = markdown_text(runs_table(ROWS[TrainedRow], "T"))
    assert text.count("| simcse-permuted-seed-") == 3
    assert "wiki (control)" in text
    assert "0.8412" in text


def test_what_no_machine_tells_has_no_column():
    header = training_costs_table.costs_table(ROWS[TrainedRow], "T").header
    assert not {"Energy", "Device memory"} & set(header)
    told = fake_trainings.trained_rows(energy_joules=1500.0, device_memory_mb=2048.0, n_resumed=2)
    text = markdown_text(training_costs_table.costs_table(told, "T"))
    assert "1500 J" in text
    assert "2.0 GiB" in text
    assert "2 ×" in text


# --- summary, cards, check ----------------------------------------------------------------------------------


@pytest.fixture
def results(tmp_path):
    return trained_results.write_results(tmp_path / "results")


def make_card(results):
    about = {**trained_results.ABOUT.__dict__, "siblings": trained_results.SIBLINGS}
    arguments = {
        "--record": [results / "training" / trained_results.MODEL / "record.json"],
        "--manifest": [results / "models" / trained_results.MODEL / "manifest.json"],
        "--summaries": sorted((results / "summary").glob("*.parquet")),
        "--audit": [results / "audit/training/wiki-sample.json"],
        "--settings": [json.dumps(about)],
        "--about": [results / "exports/cards" / trained_results.MODEL / "about.json"],
        "--output": [results / "exports/cards" / trained_results.MODEL / "README.md"],
    }
    return card_command.main([str(part) for key, parts in arguments.items() for part in (key, *parts)])


def files_of_check(results):
    places = (
        "training/*/record.json",
        "exports/cards/*/README.md",
        "audit/training/*.json",
        "summary/*.parquet",
    )
    return Inputs([file for place in places for file in sorted(results.glob(place))])


def test_a_card_that_was_made_passes_its_check(results):
    assert make_card(results) == 0
    found = check_cards(files_of_check(results), Selection())
    assert found.problems == []
    assert found.counts == {"trainings": 1, "cards": 1}


def test_the_check_finds_a_changed_file_and_a_missing_card(results):
    make_card(results)
    made = results / "training" / trained_results.MODEL / "made.json"
    made.write_text(made.read_text().replace("726.8", "826.8"), encoding="utf-8")
    [problem] = check_cards(files_of_check(results), Selection()).problems
    assert "Tokens per second is 726.8 in the card and 826.8 in its file" in problem
    shutil.rmtree(results / "exports")
    assert check_cards(files_of_check(results), Selection()).problems == [f"{trained_results.MODEL}: no card"]


def test_jobs_and_cells_are_summarised(results):
    write_rows(results / "summary/training.parquet", TrainingRow, ROWS[TrainingRow])
    columns = ["section", "start", "data", "method", "max_tokens", "learning_rate", "dev", "test", "scores"]
    columns += ["uniformity", "alignment", "geometry"]
    published = ["english", "minilm", "wiki", "dropout", 32, 3e-5, 0.81, 0.8, "value", None, None, "?"]
    sweep = {
        **{"name": "grid", "title": "Grid", "development": "STSB-dev", "test": "STSB-test"},
        "cells": [["simcse", "value", "minilm", "wiki", "dropout", 32, 3e-5]],
        "published": {"source": "a paper", "reference": "x", "columns": columns, "rows": [published]},
    }
    about = {"title": "SimCSE", "group": "simcse", "control": False, "data_version": "raw"}
    settings = {"models": {trained_results.MODEL: about}, "sweeps": [sweep]}
    jobs, points = results / "summary/training-jobs.parquet", results / "summary/training-sweeps.parquet"
    code = summarise_training_jobs.main(
        [
            *("--records", str(results / "training" / trained_results.MODEL / "record.json")),
            *("--scores", str(results / "summary/training.parquet"), "--settings", json.dumps(settings)),
            *("--output", str(jobs), "--sweeps", str(points), "--history", str(results / "history.parquet")),
            *("--held-out", str(results / "held-out.parquet")),
        ]
    )
    assert code == 0
    [row] = read_rows(jobs, TrainedRow)
    assert (row.start, row.chosen, row.n_resumed, row.energy_joules) == ("minilm-l6", 40, 2, 1502.25)
    steps = read_rows(results / "history.parquet", TrainingHistoryRow)
    assert [(row.group, row.seed, row.step, row.loss) for row in steps[:2]] == [
        ("simcse", 1, 1, 1.0),
        ("simcse", 1, 2, 0.5),
    ]
    held_out = read_rows(results / "held-out.parquet", TrainingHeldOutRow)
    assert [(row.step, row.chosen) for row in held_out if row.measure == "loss"] == [
        *((step, step == 40) for step in (0, 20, 40, 60))
    ]
    theirs, ours = read_rows(points, SweepPoint)
    assert (theirs.published, theirs.value, ours.published, ours.n_seeds) == (True, 0.81, False, 3)
    assert ours.value == pytest.approx(0.842)


# --- the page -----------------------------------------------------------------------------------------------

AUDIT = {**trained_results.AUDIT, "data": "wiki", "warnings": ["3 of <the> texts occur."]}
AUDIT["tests"] = [{**one, "texts": {**one["texts"], "share": 0.003}} for one in AUDIT["tests"]]


def test_the_page_has_a_section_with_tables_controls_and_overlap(tmp_path):
    entry = {"title": "Wiki", "dataset": "sample-t1a"}
    sources = make_sources(tmp_path, retrieval=ROWS, audits={"training/wiki": AUDIT})
    sources.settings["training_data"] = {"wiki": entry}
    page = render(sources)
    found = elements(page)
    ids = [attributes["id"] for _, attributes in found if "id" in attributes]
    assert {"trainings", "trainings-generality", "trainings-costs"} <= set(ids)
    assert len(ids) == len(set(ids))
    for name in ("training-runs", "training-costs", "training-seeds"):
        assert f'aria-label="Table of {name}"' in page
    seeds = page[page.index('aria-label="Table of training-seeds"') :]
    assert seeds.index("Pair set") < seeds.index("Training, or training")  # what its rows are grouped by
    assert "Negative controls: simcse-shuffled." in page
    assert "9 encoders were trained here, in 3 groups" in page
    assert "3 of &lt;the&gt; texts occur." in page
    assert 'STSB-test</td><td class="number" data-value="2552">2,552' in page
    assert 'aria-label="Table of training-sweep"' not in page


def test_without_trainings_there_is_no_section(tmp_path):
    assert 'id="trainings"' not in render(make_sources(tmp_path))
