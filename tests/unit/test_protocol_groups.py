"""Tasks of two protocols in tables, figures, sentences and exports: nothing is over tasks of both."""

import math
import re
from dataclasses import replace

import fake_comparisons
import fake_summary
import pytest
from report_pages import make_sources

from sentflow.api.task_scores import TaskScores
from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import ScoreRow
from sentflow.exports.macros import macros
from sentflow.report import captions
from sentflow.report.comparison_tables import differences_table, matches_table, ranks_table
from sentflow.report.costs import trade_off
from sentflow.report.costs.encoders import encoder_rows
from sentflow.report.costs.encoders_table import encoders_table
from sentflow.report.costs.rows import EncoderRow
from sentflow.report.families.probing import (
    best_gaps,
    curves,
    family_means,
    heatmap,
    rankings,
    remarks,
    wins,
)
from sentflow.report.families.probing.findings import findings
from sentflow.report.families.probing.rows import CurveRow
from sentflow.report.families.probing.score_table import scores_table
from sentflow.report.figure import canvas
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import decimal
from sentflow.report.page.page import render
from sentflow.report.table.latex import latex_text

PUBLISHED = ["T1A", "T1B", "G3"]
OWN = ["F2", "F6"]
_ROWS = fake_summary.score_rows(tasks=[*PUBLISHED, *OWN])
ROWS = [
    replace(row, protocol="corrected", switches="clip_metric off", warmup_floor=False)
    if row.task.removesuffix("-sample") in OWN
    else row
    for row in _ROWS
]
FOUND = fake_comparisons.comparisons(ROWS)


def mean_of(model: str, protocol: str) -> float:
    means = [row.mean for row in ROWS if (row.model, row.protocol) == (model, protocol)]
    return math.fsum(means) / len(means)


def texts(table) -> list[str]:
    return [cell.text for group in table.groups for row in group.rows for cell in row]


# --- tables


def test_scores_have_an_average_of_each_protocol_and_none_of_all():
    table = scores_table(ROWS, "Title", FOUND)
    assert [group.title for group in table.groups if group.title] == [
        "Trustworthiness and bias, protocol published",
        "General governmental, protocol published",
        "Factual, protocol corrected",
    ]
    averages = {
        line[0].text: line for group in table.groups for line in group.rows if "Average" in line[0].text
    }
    assert list(averages) == [
        "Average of 3 tasks, protocol published",
        "Average of 2 tasks, protocol corrected",
    ]
    for protocol, line in zip(("published", "corrected"), averages.values(), strict=True):
        assert line[4].text == decimal(mean_of("minilm-l6", protocol))


def test_captions_say_which_tasks_have_which_protocol():
    note = captions.design_note(ROWS)
    assert "protocol published (protocol corrected on F2-sample and F6-sample)" in note
    assert "means, ranks and tests over tasks are of one protocol" in note
    assert "corrected differs from published: clip_metric off." in note
    alone = captions.design_note(_ROWS)
    assert "protocols are apart" not in alone and "protocol published;" in alone


def test_ranks_and_matches_have_a_block_for_each_protocol():
    ranks, matches = ranks_table(ROWS, "Title", FOUND), matches_table(ROWS, "Title", FOUND)
    for table in (ranks, matches):
        assert [group.title for group in table.groups] == ["Protocol published", "Protocol corrected"]
        assert "protocol" in table.tidy_header
    n_models = len(fake_summary.MODELS)
    assert [len(group.rows) for group in ranks.groups] == [n_models, n_models]
    assert [group.rows[0][1].text for group in ranks.groups] == ["3", "2"]  # tasks
    notes = " ".join(ranks.notes)
    assert "the tasks of a protocol, published 3 and corrected 2" in notes
    assert "equal under published" in notes and "equal under corrected" in notes


def test_differences_name_the_protocol_of_their_task():
    titles = [group.title for group in differences_table(ROWS, "Title", FOUND).groups]
    assert [title for title in titles if title.endswith(", protocol corrected)")] == titles[3:]


def test_one_protocol_is_said_once_and_heads_nothing():
    found = fake_comparisons.comparisons(_ROWS)
    for table in (
        scores_table(_ROWS, "T", found),
        ranks_table(_ROWS, "T", found),
        matches_table(_ROWS, "T", found),
    ):
        assert not [group.title for group in table.groups if "rotocol" in group.title]
        assert "Average of 3 tasks" not in " ".join(texts(table))


# --- figures


def test_heat_map_has_a_block_for_each_protocol():
    with canvas.style():
        figure = heatmap.draw(ROWS)
    said = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert "Factual, protocol corrected" in said
    assert len(figure.axes) == 3


@pytest.mark.parametrize(
    ("draw", "rows"),
    [
        (rankings.draw, fake_comparisons.ranking_rows(ROWS)),
        (wins.draw, fake_comparisons.match_rows(ROWS)),
    ],
    ids=["ranks", "wins"],
)
def test_figures_over_tasks_have_a_panel_for_each_protocol(draw, rows):
    with canvas.style():
        figure = draw(rows)
        alone = draw([row for row in rows if row.protocol == "published"])
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "Protocol published",
        "Protocol corrected",
    ]
    assert [axes.get_title(loc="left") for axes in alone.axes] == [""]


def test_average_ranks_of_a_figure_are_those_of_its_protocol():
    rows = fake_comparisons.ranking_rows(ROWS)
    alone = fake_comparisons.ranking_rows([row for row in ROWS if row.protocol == "corrected"])
    assert [row for row in rows if row.protocol == "corrected"] == alone


# --- sentences, costs, exports


def test_findings_are_of_each_protocol():
    found = {finding.heading: finding.text for finding in findings(ROWS, FOUND)}
    assert re.search(r"on \d of 3 tasks\.", found["Highest score, protocol published"])
    assert re.search(r"on \d of 2 tasks\.", found["Highest score, protocol corrected"])
    assert re.match(r"On \d of 2 tasks", found["How clear the lead is, protocol corrected"])
    assert not [label for label in found if "5 tasks" in label]


def test_one_mean_per_encoder_is_over_the_tasks_of_the_commonest_protocol():
    row = encoder_rows(ROWS, {}, [], benchmarks=None)[0]
    assert (row.n_tasks, row.protocol) == (3, "published")
    assert row.mean == pytest.approx(mean_of(row.model, "published"))


def test_macros_have_an_average_of_each_protocol():
    text = macros(ROWS, title="Title")
    value = decimal(mean_of("tfidf", "corrected"))
    assert rf"sentflow:average/corrected/tfidf\endcsname{{{value}}}" in text
    assert "sentflow:average/tfidf" not in text
    assert r"sentflow:F2-sample/tfidf/protocol\endcsname{corrected}" in text
    assert "sentflow:average/tfidf" in macros(_ROWS, title="Title")


# --- scores that the protocol holds back


def fitted(**changes):
    known = {
        "model": "tfidf",
        "model_title": "TF-IDF",
        "is_fitted": True,
        "layout": "pair",
        "dimension": 12_000,
    }
    return fake_summary.one_row(**{**known, "n_train": 600, **changes})


@pytest.mark.parametrize(
    ("changes", "mark"),
    [
        ({}, "¶"),
        ({"protocol": "corrected"}, "¶"),  # measured: .158 and .183 on G3-sample, and .483 under regularised
        ({"classifier": "regularised"}, ""),
        ({"layout": "single"}, ""),
        ({"dimension": 64}, ""),  # an encoder of a user's own with few columns
        ({"is_fitted": False}, ""),
        ({"layout": "alternatives"}, "¶"),
        ({"layout": "alternatives", "splits_alternatives": True}, ""),
    ],
)
def test_scores_are_marked_where_the_protocol_holds_a_fitted_encoder_back(changes, mark):
    row = fitted(**changes)
    assert remarks.score_mark(row) == mark
    table = scores_table([row], "Title")
    assert (decimal(row.mean) + mark) in texts(table)
    assert any(note.startswith("¶") for note in table.notes) == bool(mark)
    if mark:
        assert r"\P{}" in latex_text(table)
        assert "Marked ¶" in [finding.heading for finding in findings([row])]


def test_the_sentence_names_the_encoder_its_columns_and_what_to_write():
    (said,) = remarks.held_back_sentences([fitted(), fitted(task="B", n_train=580), fake_summary.one_row()])
    assert "TF-IDF has up to 12,000 columns and from 580 rows to train on, and protocol published" in said
    assert said.endswith("Write protocol: regularised at the task.")
    (said,) = remarks.held_back_sentences([fitted(layout="alternatives")])
    assert "one pair" in said and said.endswith("Write protocol: corrected at the task.")


def test_heat_map_has_the_mark_and_its_sentence():
    with canvas.style():
        figure = heatmap.draw([fitted(), fake_summary.one_row()])
    said = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert decimal(fitted().mean) + "¶" in said
    assert "¶ Held back by the probe" in heatmap.texts_of([fitted()]).reading


# --- page


def test_page_has_a_table_of_scores_for_each_protocol_and_marks_in_them(tmp_path):
    rows = [
        replace(row, is_fitted=True, layout="pair", dimension=12_000)
        if (row.task, row.model) == ("G3-sample", "tfidf")
        else row
        for row in ROWS
    ]
    page = render(make_sources(tmp_path, scores=rows, curves=fake_summary.curve_rows(rows)))
    for protocol, n in (("published", 3), ("corrected", 2)):
        table = page.split(f'aria-label="Table of scores, protocol {protocol}"')[1].split("</table>")[0]
        assert f"Average of {n} tasks" in table
        assert decimal(mean_of("minilm-l6", protocol)) in table.split("<tfoot>")[1]
        assert ("¶" in table) == (protocol == "published")
    assert "Average of 5 tasks" not in page
    assert "<strong>corrected</strong> on F2-sample, F6-sample" in page
    assert "protocol published (protocol corrected on F2-sample and F6-sample)" in page


def test_every_protocol_that_trains_too_little_is_named():
    rows = [
        fake_summary.one_row(task="A", n_train=300),
        fake_summary.one_row(task="B", n_train=200, protocol="small-batches", batch_rows=64),
    ]
    (found,) = [finding for finding in findings(rows) if finding.heading == "Marked ‡"]
    assert "fewer than 512 training rows in a fold, protocol published" in found.text
    assert "fewer than 256 training rows in a fold, protocol small-batches" in found.text


@pytest.mark.parametrize(("n_train", "is_said"), [(300, True), (512, False)])
def test_family_means_say_which_of_their_scores_are_too_low(n_train, is_said):
    rows = family_means.family_rows([fake_summary.one_row(task="A", n_train=n_train)])
    said = family_means.texts_of(rows).reading
    assert ("Undertrained, so that scores on them are too low: A." in said) == is_said


def test_ranks_and_wins_say_which_of_their_scores_are_too_low():
    scores = [replace(row, n_train=300) for row in fake_summary.score_rows()]
    ranked, matches = fake_comparisons.ranking_rows(scores), fake_comparisons.match_rows(scores)
    for said in (rankings.FIGURE.texts(ranked), wins.FIGURE.texts(matches)):
        assert "Undertrained, so that scores on them are too low" in said.reading


def test_tables_of_comparisons_say_which_scores_are_too_low():
    scores = [replace(row, n_train=300) for row in fake_summary.score_rows()]
    found = fake_comparisons.comparisons(scores)
    for table in (differences_table, ranks_table, matches_table):
        assert any(note.startswith("Undertrained") for note in table(scores, "Title", found).notes)


def test_figures_of_differences_and_curves_say_which_of_their_scores_are_too_low():
    scores = [replace(row, n_train=300) for row in fake_summary.score_rows(tasks=["F1A", "T1A"])]
    for figure, kind, rows in (
        (best_gaps.FIGURE, Comparisons, fake_comparisons.comparisons(scores)),
        (curves.FIGURE, CurveRow, fake_summary.curve_rows(scores)),
    ):
        drawn = figure.rows(Inputs.holding({ScoreRow: scores, kind: rows}))
        said = "Undertrained, so that scores on them are too low: F1A-sample and T1A-sample."
        assert said in figure.texts(drawn).reading
        enough = [replace(row, n_train=512) for row in scores]
        drawn = figure.rows(Inputs.holding({ScoreRow: enough, kind: rows}))
        assert "Undertrained" not in figure.texts(drawn).reading


def test_table_of_encoders_and_score_against_cost_say_which_scores_are_below_a_mean():
    scores = [replace(row, n_train=300) for row in fake_summary.score_rows()]
    rows = encoder_rows(scores, {}, [], benchmarks=None)
    assert any(note.startswith("Undertrained") for note in encoders_table(rows, "Title").notes)
    costly = [replace(row, parameters=1e6) for row in rows]
    drawn = trade_off.FIGURE.rows(
        Inputs.holding({EncoderRow: costly, Comparisons: fake_comparisons.comparisons(scores)})
    )
    assert "Undertrained, so that scores on them are too low" in trade_off.FIGURE.texts(drawn).reading
    enough = [replace(row, n_train=512) for row in scores]
    assert {row.score_notes for row in encoder_rows(enough, {}, [], benchmarks=None)} == {""}


def test_figures_of_means_and_differences_name_tasks_of_the_same_documents():
    scores = [
        replace(row, item_grouped=row.task != "T1A-sample", groups_folds=row.task == "T1B-sample")
        for row in _ROWS
    ]
    rows = [replace(row, parameters=1e6) for row in encoder_rows(scores, {}, [], benchmarks=None)]
    held = Inputs.holding(
        {ScoreRow: scores, EncoderRow: rows, Comparisons: fake_comparisons.comparisons(scores)}
    )
    for figure in (family_means.FIGURE, best_gaps.FIGURE, trade_off.FIGURE):
        reading = figure.texts(figure.rows(held)).reading
        assert "task (" in reading or "tasks (" in reading
        assert "(G3-sample, F2-sample and F6-sample: of the same documents)" in reading
    alone = Inputs.holding({**held._found, ScoreRow: [scores[0]], EncoderRow: rows})
    assert "of the same documents" not in family_means.FIGURE.texts(family_means.FIGURE.rows(alone)).reading


def test_data_frame_says_why_a_score_is_too_low():
    def remark(row):
        return TaskScores({}, row).frame()["remark"][0]

    assert remark(fake_summary.one_row(n_train=300)).startswith("Undertrained")
    assert remark(fitted()).startswith("Held back")
    assert remark(fake_summary.one_row(n_train=512)) == ""


def test_a_notebook_says_what_the_interval_is():
    assert "interval for samples" in TaskScores({}, fake_summary.one_row())._repr_html_()
