"""The command `figure`."""

import logging
from dataclasses import replace

import fake_summary
import pytest
from matplotlib.figure import Figure

from sentflow.commands import figure
from sentflow.compare.score_rows import ScoreRow
from sentflow.files.io import read_json
from sentflow.files.rows import write_rows
from sentflow.report.checks import Selection
from sentflow.report.costs.rows import CostRow
from sentflow.report.families.probing import forest
from sentflow.report.families.probing.rows import CurveRow
from sentflow.report.figure.check import check_figures
from sentflow.report.inputs import Inputs


def run(folder, name, summary, *more):
    return figure.main(
        ["--figure", name, "--summary", str(summary), *more]
        + [f"--{suffix}={folder}/{name}.{suffix}" for suffix in ("pdf", "png", "svg")]
    )


@pytest.fixture
def summaries(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A", "F3"])
    write_rows(tmp_path / "scores.parquet", ScoreRow, rows)
    write_rows(tmp_path / "curves.parquet", CurveRow, fake_summary.curve_rows(rows))
    write_rows(tmp_path / "costs.parquet", CostRow, fake_summary.cost_rows())
    return tmp_path


@pytest.mark.parametrize(
    ("name", "summary"),
    [("heatmap", "scores"), ("forest", "scores"), ("curves", "curves"), ("costs", "costs")],
)
def test_three_formats_and_same_bytes_again(summaries, name, summary):
    for folder in ("one", "two"):
        assert run(summaries / folder, name, summaries / f"{summary}.parquet") == 0
    for suffix, start in (("pdf", b"%PDF"), ("png", b"\x89PNG"), ("svg", b"<?xml")):
        first = (summaries / "one" / f"{name}.{suffix}").read_bytes()
        assert first.startswith(start)
        assert first == (summaries / "two" / f"{name}.{suffix}").read_bytes()


def test_log_is_not_flooded_by_the_font_library(summaries):
    run(summaries, "forest", summaries / "scores.parquet")
    assert logging.getLogger("fontTools.subset").getEffectiveLevel() == logging.WARNING


def test_what_cannot_be_read_is_logged_and_written_for_the_check(summaries, monkeypatch, capsys):
    def draw(_rows):
        drawn = Figure(figsize=(2, 1))
        for _ in range(2):
            drawn.text(0.8, 0.5, "a text that is too long")
        return drawn

    monkeypatch.setattr(forest, "FIGURE", replace(forest.FIGURE, draw=draw))
    written = summaries / "forest.inspection.json"
    run(summaries, "forest", summaries / "scores.parquet", "--inspection", str(written))
    text = "'a text that is too long'"
    problems = [f"{text} and {text} cover each other", *[f"{text} reaches over the edge"] * 2]
    assert read_json(written) == {"figure": "forest", "n_texts": 2, "problems": problems}
    log = capsys.readouterr().err
    assert all(f"WARNING figure forest: {one}" in log for one in problems)
    found = check_figures(Inputs([summaries / "scores.parquet", written]), Selection())
    assert found.counts == {"figures": 1, "texts": 2}
    assert found.problems == [f"forest: {one}" for one in problems]


def test_a_figure_that_can_be_read_passes_the_check(summaries):
    written = summaries / "heatmap.inspection.json"
    run(summaries, "heatmap", summaries / "scores.parquet", "--inspection", str(written))
    found = check_figures(Inputs([written]), Selection())
    assert found.passed
    assert found.counts["texts"] > 10
