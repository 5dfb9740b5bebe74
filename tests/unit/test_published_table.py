"""Scores of papers beside ours."""

import fake_summary
import pytest

from sentflow.report.families.probing.published_table import beside_ours, published_table
from sentflow.report.table.formats import markdown_text
from sentflow.report.table.latex import latex_text

PAPER = {"task": "T1A", "model": "b", "value": 0.48, "source": "Author & others 2026, table 3"}


def score(**values):
    limits = {"generalisation_low": 0.4, "generalisation_high": 0.6}
    return fake_summary.one_row(**{"task": "T1A", "model": "b", "mean": 0.5, **limits, **values})


def test_a_published_score_stands_beside_ours_with_both_intervals():
    (found,) = beside_ours([PAPER], [score(model="a"), score()])
    assert (found.model, found.published, found.mean) == ("b", 0.48, 0.5)
    assert found.difference == pytest.approx(0.02)
    text = markdown_text(published_table([score()], "Title", [PAPER]))
    assert "| 0.480 | 0.500 | 0.020 |" in text
    assert "[0.400, 0.600] | Author & others 2026, table 3 |" in text
    assert r"Author \& others" in latex_text(published_table([score()], "Title", [PAPER]))


def test_what_was_not_scored_is_left_out_and_an_undefined_score_is_a_dash():
    assert beside_ours([{**PAPER, "model": "c"}], [score()]) == []
    text = markdown_text(published_table([score(mean=float("nan"))], "Title", [PAPER]))
    assert "| 0.480 | — | — |" in text
