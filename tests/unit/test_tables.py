"""Tables: what stands in a cell, and that no text can break a format."""

import csv
import dataclasses
import io
import math

import fake_summary
import pytest
from made_products import read_table

from sentflow.errors import ConfigError
from sentflow.graph import products
from sentflow.report.costs.costs_table import costs_table
from sentflow.report.families.probing.intervals_table import intervals_table
from sentflow.report.families.probing.rows import average_score
from sentflow.report.families.probing.score_table import score_cell, scores_table
from sentflow.report.families.probing.tasks_table import tasks_table
from sentflow.report.numbers import decimal, duration, interval, memory
from sentflow.report.table.cells import Cell
from sentflow.report.table.formats import csv_text, markdown_text
from sentflow.report.table.latex import latex, latex_text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5063, "0.506"), (-0.0123, "−0.012"), (-0.0004, "0.000"), (math.nan, "—"), (1.0, "1.000")],
)
def test_decimal(value, text):
    assert decimal(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (9.96, "10 s"),
        (119.4, "119 s"),
        (120, "2 min"),
        (7500, "2 h 05 min"),
        (math.nan, "—"),
    ],
)
def test_duration(seconds, text):
    assert duration(seconds) == text


def test_memory_changes_its_unit():
    assert (memory(812.4), memory(1460.0), memory(math.nan)) == ("812 MiB", "1.4 GiB", "—")


def test_interval_with_an_undefined_limit_is_a_dash():
    assert interval(math.nan, 0.2) == "—"


def test_cell_holds_the_generalisation_interval():
    row = fake_summary.one_row(mean=0.5063, generalisation_low=0.479, generalisation_high=0.533)
    assert score_cell(row) == Cell("0.506", "[0.479, 0.533]")


def test_limits_are_cut_to_the_range_of_the_score_in_print_only():
    row = fake_summary.one_row(mean=0.01, generalisation_low=-0.02, generalisation_high=1.118)
    assert score_cell(row).detail == "[0.000, 1.000]"
    assert score_cell(dataclasses.replace(row, clips=False)).detail == "[−0.020, 1.000]"
    table = scores_table([row], "Title")
    facts = dict(zip(table.tidy_header, table.tidy_rows[0], strict=True))
    assert (facts["generalisation_low"], facts["generalisation_high"]) == (-0.02, 1.118)


def test_item_level_interval_stands_with_its_own_score():
    row = fake_summary.one_row(mean=0.5, item_mean=0.44, item_low=0.4, item_high=0.48)
    cells = intervals_table([row], "Title").groups[0].rows[0]
    assert Cell("0.440", "[0.400, 0.480]") in cells


def test_degenerate_score_has_a_dagger_and_no_interval():
    row = fake_summary.one_row(mean=0.0, generalisation_low=0.0, generalisation_high=0.0, degenerate=True)
    assert score_cell(row) == Cell("0.000†", "")


@pytest.mark.parametrize("row", [None, fake_summary.one_row(mean=math.nan)])
def test_score_that_is_not_there_is_a_dash(row):
    assert score_cell(row) == Cell("—")


def test_model_without_all_tasks_has_no_average():
    rows = fake_summary.score_rows(tasks=["T1A", "T1B"], models=["minilm-l6", "tfidf"])
    table = scores_table(rows[:3], "Título")
    average = table.groups[-1].rows[0]
    whole = (rows[0].mean + rows[2].mean) / 2
    assert [cell.text for cell in average] == ["Average of 2 tasks", "", "", decimal(whole), "—"]
    assert any("A model that lacks a task" in note.replace("a model", "A model") for note in table.notes)


def test_undefined_score_takes_the_average_away():
    rows = [fake_summary.one_row(), fake_summary.one_row(mean=math.nan)]
    assert math.isnan(average_score(rows, 2))


def test_tasks_are_grouped_by_family_in_their_order():
    table = scores_table(fake_summary.score_rows(), "Title")
    assert [(group.title, len(group.rows)) for group in table.groups] == [
        ("Factual", 7),
        ("General governmental", 5),
        ("Trustworthiness and bias", 6),
        ("", 1),
    ]


def test_notes_name_interval_level_protocol_design_and_data():
    notes = " ".join(scores_table(fake_summary.score_rows(tasks=["T1A", "F3"]), "Title").notes)
    for part in (
        "sample data",
        "99\u202f% generalisation",
        "protocol published",
        "10 × 5-fold",
        "MCC",
        "adj. F1",
    ):
        assert part in notes


@pytest.mark.parametrize("build", [scores_table, intervals_table, tasks_table])
def test_every_format_says_sample_data(build):
    table = build(fake_summary.score_rows(tasks=["T1A", "F3"]), "Title")
    for write in (csv_text, markdown_text, latex_text):
        assert "sample data" in write(table)


def test_costs_say_sample_data_and_what_was_not_measured():
    text = markdown_text(costs_table(fake_summary.cost_rows(), "Title"))
    assert "sample data" in text
    # check 4 + generate 18 + prepare 2 of 4 + 4 + 4 + 18 + 18 + 72 + 72 jobs
    assert "24 of 192 jobs" in text


def test_mixed_data_name_the_tasks_of_each():
    rows = [
        *fake_summary.score_rows(tasks=["T1A"], data_version="HateBR 2.0"),
        *fake_summary.score_rows(tasks=["F3"]),
    ]
    text = markdown_text(scores_table(rows, "Title"))
    assert "Partly made from sample data" in text
    assert "HateBR 2.0 (T1A); sample data (F3-sample)" in text


def test_real_data_are_not_called_sample():
    text = markdown_text(
        scores_table(fake_summary.score_rows(tasks=["T1A"], data_version="official"), "Title")
    )
    assert "Data: official." in text
    assert "sample data" not in text


@pytest.mark.parametrize("write", [markdown_text, latex_text])
def test_nothing_is_bold_without_a_test(write):
    text = write(scores_table(fake_summary.score_rows(), "Title"))
    body = text.split("\n\n", 1)[-1]
    assert "**" not in body
    assert "textbf" not in body


def test_csv_is_tidy_and_gives_the_same_numbers_back():
    rows = fake_summary.score_rows(tasks=["F3"])
    records = list(csv.DictReader(io.StringIO(csv_text(scores_table(rows, "Title")))))
    assert [record["model"] for record in records] == [row.model for row in rows]
    assert [float(record["mean"]) for record in records] == [row.mean for row in rows]
    assert records[-1]["repeatability_low"] == ""
    assert records[-1]["degenerate"] == "true"


def test_markdown_rows_have_one_cell_per_column_whatever_the_titles_hold():
    rows = [fake_summary.one_row(model_title="a|b *c* <script> é", task_title="x | y")]
    for build in (scores_table, intervals_table, tasks_table):
        lines = [line for line in markdown_text(build(rows, "A | B")).splitlines() if line.startswith("|")]
        widths = {line.replace(r"\|", "").count("|") for line in lines}
        assert len(widths) == 1
    assert r"a\|b \*c\* \<script\> é" in markdown_text(scores_table(rows, "Title"))


def test_latex_signs_are_escaped():
    assert latex(r"50 % & a_b #1 {x} $y$ ~ ^ \z") == (
        r"50 \% \& a\_b \#1 \{x\} \$y\$ \textasciitilde{} \textasciicircum{} \textbackslash{}z"
    )


def test_latex_line_never_starts_with_a_bracket():
    # after a line break LaTeX would read it as an argument
    assert latex("[ação] x").startswith("{}[")


def test_latex_minus_is_mathematical():
    row = fake_summary.one_row(mean=0.01, generalisation_low=-0.02, generalisation_high=0.04, clips=False)
    assert r"{\fontsize{7}{9.5}\selectfont [$-$0.020, 0.040]}" in latex_text(scores_table([row], "Title"))


def test_costs_are_ordered_from_the_longest():
    table = costs_table(fake_summary.cost_rows(), "Title")
    assert [row[0].text for row in table.groups[0].rows] == [
        "probe", "score", "embed", "figure", "prepare", "generate", "check",
    ]  # fmt: skip


def test_intervals_table_shows_how_much_wider_generalisation_is():
    row = fake_summary.one_row(
        repeatability_low=0.49, repeatability_high=0.51, generalisation_low=0.46, generalisation_high=0.54
    )
    # 0.08 / 0.02 = 4
    assert intervals_table([row], "Title").groups[0].rows[0][-1] == Cell("4.0")


def test_degenerate_row_has_no_intervals_in_the_intervals_table():
    row = dataclasses.replace(fake_summary.one_row(), degenerate=True)
    assert [cell.text for cell in intervals_table([row], "Title").groups[0].rows[0][2:]] == ["—"] * 4


def test_unknown_table_is_named_with_the_known_ones(tmp_path):
    with pytest.raises(
        ConfigError, match=f"'score'. Write one of: {', '.join(products.names(products.TABLE))}"
    ):
        read_table("score", tmp_path / "scores.parquet", caption="Title")
