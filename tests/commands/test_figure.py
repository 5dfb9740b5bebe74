"""The command `figure`."""

import logging

import fake_summary
import pytest

from sentflow.commands import figure
from sentflow.compare.score_rows import ScoreRow
from sentflow.files.rows import write_rows
from sentflow.report.costs.rows import CostRow
from sentflow.report.families.probing.rows import CurveRow


def run(folder, name, summary):
    return figure.main(
        ["--figure", name, "--summary", str(summary)]
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
