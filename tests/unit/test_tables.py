"""Tables: numbers, marks only after tests, ties and gaps, and that no text or size breaks a format."""

import csv
import dataclasses
import io
import math
import re

import fake_comparisons
import fake_summary
import pytest

from sentflow.compare.comparisons import Comparisons, detectable, n_needed
from sentflow.compare.differences import BEST, NOT_WORSE, Marks, joined_letters, letters
from sentflow.compare.score_rows import ScoreRow
from sentflow.exports.macros import macros
from sentflow.report.costs.summary import encoder_rows
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.tables import differences, ranks, score_cell, scores, tasks
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import about, decimal, duration, memory
from sentflow.report.table import table as tables
from sentflow.report.table.formats import csv_text, markdown_text, wide_csv_text
from sentflow.report.table.html import html_text
from sentflow.report.table.latex import compact_latex_text, latex, latex_text
from sentflow.report.table.table import Cell

SCORES = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"])
FOUND = fake_comparisons.comparisons(SCORES)


def table_of(make, rows, comparisons=None):
    held = {ScoreRow: rows, Comparisons: comparisons or Comparisons()}
    return make(Inputs.holding(held))


def records_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_numbers_are_rounded_and_change_their_unit():
    values = (0.5063, -0.0123, -0.0004, math.nan, 1.0)
    assert [decimal(value) for value in values] == ["0.506", "−0.012", "0.000", "—", "1.000"]
    seconds = {0.04: "0.0 s", 9.96: "10 s", 119.4: "119 s", 120: "2 min", 7500: "2 h 05 min", math.nan: "—"}
    assert {value: duration(value) for value in seconds} == seconds
    needed = {84.2: "85", 99.1: "100", 1201.0: "1,300", 16_817.5: "17,000", 0.4: "1", math.nan: "—"}
    assert {value: about(value) for value in needed} == needed
    assert (memory(812.4), memory(1460.0), memory(math.nan)) == ("812 MiB", "1.4 GiB", "—")


def test_a_cell_holds_the_score_and_its_interval_cut_to_the_range_in_print_only():
    row = fake_summary.one_row(mean=0.5063, generalisation_low=-0.02, generalisation_high=1.118)
    assert score_cell(row) == Cell("0.506", "[0.000, 1.000]", value=0.5063)
    assert score_cell(dataclasses.replace(row, clips=False)).detail == "[−0.020, 1.000]"
    (record,) = records_of(csv_text(table_of(scores, [row])))
    assert (float(record["generalisation_low"]), float(record["generalisation_high"])) == (-0.02, 1.118)
    degenerate = fake_summary.one_row(mean=0.0, degenerate=True)
    assert score_cell(degenerate) == Cell("0.000†", value=0.0)
    assert score_cell(None) == score_cell(fake_summary.one_row(mean=math.nan)) == Cell("—")


def test_a_model_without_all_tasks_has_no_average():
    rows = fake_summary.score_rows(tasks=["T1A", "T1B"], models=["minilm-l6", "tfidf"])
    average = table_of(scores, rows[:3]).lines[-1]
    whole = (rows[0].mean + rows[2].mean) / 2
    assert [cell.text for cell in average] == ["Average of 2 tasks", "", "", decimal(whole), "—"]


def test_csv_is_tidy_and_gives_the_same_numbers_back():
    records = records_of(csv_text(table_of(scores, SCORES, FOUND)))
    assert [record["model"] for record in records] == [row.model for row in SCORES]
    assert [float(record["mean"]) for record in records] == [row.mean for row in SCORES]
    best = [record["model"] for record in records if record["is_best"] == "true"]
    assert best == [row.model for row in FOUND.standings if row.is_best]
    mdd = detectable(FOUND.pairs, SCORES[0].task)
    assert float(records[0]["mdd_power"]) == mdd
    assert float(records[0]["n_needed"]) == n_needed(SCORES[0].n_balanced_rows, mdd)
    (record,) = records_of(csv_text(table_of(scores, [dataclasses.replace(SCORES[0], degenerate=True)])))
    assert (record["degenerate"], record["data_version"]) == ("true", "sample data")
    wide = wide_csv_text(table_of(scores, SCORES[:-1]))
    for row in SCORES[:-1]:
        assert float(next(one for one in records_of(wide) if one["task"] == row.task)[row.model]) == row.mean
    assert wide.splitlines()[-1].endswith(",")


def pair(first, second, difference, p_holm, **changes):
    base = FOUND.pairs[0]
    known = {"task": "T", "model_a": first, "model_b": second, "difference": difference, "p_holm": p_holm}
    return dataclasses.replace(base, **(known | changes))


def three(p_ab, p_ac, p_bc=0.5):
    """a is the best of a, b, c; p of each pair."""
    return [
        pair("a", "b", 0.1, p_ab, mean_a=0.5, mean_b=0.4),
        pair("a", "c", 0.2, p_ac, mean_a=0.5, mean_b=0.3),
        pair("b", "c", 0.1, p_bc, mean_a=0.4, mean_b=0.3),
    ]


def marks(pairs):
    return [Marks(pairs, "abc").mark("T", model) for model in "abc"]


def test_best_is_bold_what_is_not_worse_underlined_and_the_rest_plain():
    assert marks(three(0.2, 0.001)) == [BEST, NOT_WORSE, ""]
    found = Marks(three(0.2, 0.001), "abc")
    assert (found.beaten("T", "a"), found.beaten("T", "b")) == (["c"], [])
    assert marks(three(math.nan, math.nan, math.nan)) == ["", "", ""]  # nothing was tested
    assert marks(three(math.nan, 0.001)) == [BEST, "", ""]  # b was tested against c only
    assert Marks(three(0.01, 0.5), "abc").beaten("T", "a") == ["b"]  # p of exactly alpha is significant
    assert found.mark("U", "a") == found.mark("T", "d") == ""
    # of two equal best ones both count: c is worse than one of them
    ab, ac, bc = three(1.0, 0.2, 0.01)
    equal = [
        dataclasses.replace(ab, difference=0.0, mean_b=0.5),
        ac,
        dataclasses.replace(bc, difference=0.2, mean_a=0.5),
    ]
    assert marks(equal) == [BEST, BEST, ""]


def test_letters_go_on_after_z_and_are_cut_short_in_a_row():
    found = letters([f"m{index}" for index in range(28)])
    assert [found["m0"], found["m25"], found["m26"], found["m27"]] == ["a", "z", "aa", "ab"]
    own = letters(list("ABCDEFG"))
    assert joined_letters(list("BCD"), own) == "bcd"
    assert joined_letters(list("BCDEG"), own) == "b–eg"


def test_bold_only_after_tests_in_every_format():
    plain, tested = table_of(scores, SCORES), table_of(scores, SCORES, FOUND)
    for write, bold in ((markdown_text, "**0."), (latex_text, r"\textbf{0.")):
        assert bold not in write(plain)
        assert write(tested).count(bold) == 3
    assert "<sup>a</sup>" in markdown_text(tested) and r"\textsuperscript{a}" in latex_text(tested)
    compact = compact_latex_text(tested)
    assert compact.count(r"\textbf{") == 3 and not re.search(r"\[0\.\d", compact)


def test_significant_differences_have_an_asterisk_and_two_over_all_tasks():
    rows = [
        pair("a", "b", 0.1, p, p_over_tasks=over, task=SCORES[0].task)
        for p, over in ((0.001, 1.0), (0.5, 1.0), (0.001, 0.009), (0.001, 0.02))
    ]
    table = table_of(differences, SCORES, Comparisons(pairs=rows))
    assert [row[1].text for row in table.lines] == ["0.100*", "0.100", "0.100**", "0.100*"]


def test_nothing_is_averaged_over_tasks_of_two_protocols():
    rows = fake_summary.score_rows(tasks=["T1A", "T1B", "G3", "F2", "F6"])
    own = {"protocol": "corrected", "switches": "clip_metric off", "warmup_floor": False}
    rows = [dataclasses.replace(row, **own) if row.task.startswith("F") else row for row in rows]

    def mean_of(model, protocol):
        means = [row.mean for row in rows if (row.model, row.protocol) == (model, protocol)]
        return math.fsum(means) / len(means)

    found = fake_comparisons.comparisons(rows)
    lines = table_of(scores, rows, found).lines
    averages = {line[0].text: line[5].text for line in lines if "Average" in line[0].text}
    assert averages == {
        "Average of 3 tasks, protocol published": decimal(mean_of("minilm-l6", "published")),
        "Average of 2 tasks, protocol corrected": decimal(mean_of("minilm-l6", "corrected")),
    }
    ranked = table_of(ranks, rows, found).blocks
    assert [(len(block.lines), block.lines[0][1].text) for block in ranked] == [(4, "3"), (4, "2")]
    alone = fake_comparisons.ranking_rows([row for row in rows if row.protocol == "corrected"])
    ranked = fake_comparisons.ranking_rows(rows)
    assert [row for row in ranked if row.protocol == "corrected"] == alone
    one = encoder_rows(rows, {}, [], jobs={})[0]
    assert (one.n_tasks, one.protocol) == (3, "published")  # the commonest
    assert one.mean == pytest.approx(mean_of(one.model, "published"))
    text = macros(rows, title="Title")
    value = decimal(mean_of("tfidf", "corrected"))
    assert rf"sentflow:average/corrected/tfidf\endcsname{{{value}}}" in text
    assert "sentflow:average/tfidf" not in text


def test_scores_that_the_protocol_makes_too_low_are_marked():
    known = {"model": "tfidf", "is_fitted": True, "layout": "pair", "dimension": 12_000, "n_train": 600}
    for changes, expected in (
        ({}, "¶"),
        ({"protocol": "corrected"}, "¶"),  # measured: .158 and .183 on G3-sample, and .483 under regularised
        ({"classifier": "regularised"}, ""),
        ({"layout": "single"}, ""),
        ({"dimension": 64}, ""),  # an encoder of a user's own with few columns
        ({"is_fitted": False}, ""),
        ({"layout": "alternatives"}, "¶"),
        ({"layout": "alternatives", "splits_alternatives": True}, ""),
    ):
        row = fake_summary.one_row(**{**known, **changes})
        assert remarks.score_mark(row) == expected
        shown = [cell.text for line in table_of(scores, [row]).lines for cell in line]
        assert decimal(row.mean) + expected in shown


def test_hostile_titles_break_neither_markdown_nor_latex():
    rows = [fake_summary.one_row(model_title="a|b *c* <script> é", task_title="x | y")]
    for make in (scores, tasks):
        lines = [line for line in markdown_text(table_of(make, rows)).splitlines() if line.startswith("|")]
        assert len({line.replace(r"\|", "").count("|") for line in lines}) == 1
    assert r"a\|b \*c\* \<script\> é" in markdown_text(table_of(scores, rows))
    assert latex(r"50 % & a_b #1 {x} $y$ ~ ^ \z") == (
        r"50 \% \& a\_b \#1 \{x\} \$y\$ \textasciitilde{} \textasciicircum{} \textbackslash{}z"
    )
    assert latex("[ação] x").startswith("{}[")  # after a line break LaTeX would read it as an argument


def test_a_long_latex_table_loses_no_row():
    name = tables.text("Name", lambda row: row["name"])
    long = tables.build("Title", ["name"], [{"name": f"row-{place}."} for place in range(200)], [name], [])
    written = latex_text(long)
    assert all(f"row-{place}." in written for place in range(200))
    assert "Part 5 of 5" in written


def test_a_page_sorts_by_the_numbers_themselves_and_shows_no_text_as_html():
    rows = [{"name": "<b>", "seconds": 90.0}, {"name": "none", "seconds": math.nan}]
    columns = [
        tables.text("Name", lambda row: row["name"]),
        tables.number("Time", lambda row: row["seconds"], duration),
    ]
    table = tables.build(
        "A & B", ["name", "seconds"], rows, columns, [], blocks=tables.Blocks(lambda row: "all")
    )
    written = html_text(table, 400)
    assert '<th scope=row>all</th><td class=left>&lt;b&gt;</td><td data-v="90.0">90 s</td>' in written
    assert "<td>—</td>" in written
    assert html_text(table, 1).count("<th scope=row>") == 1
    assert csv_text(table) == "name,seconds\n<b>,90.0\nnone,\n"
