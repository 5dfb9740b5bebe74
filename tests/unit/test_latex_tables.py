"""LaTeX tables stay within a page, whatever they hold: short captions, notes below, parts, a compact form."""

import csv
import io
import re

import fake_comparisons
import fake_similarity
import many_encoders
import pytest
from compiled_tables import CLASSES, complaints, needs_tex
from made_products import TABLES_OF_PAIRS, read_table
from many_encoders import Extent
from tex_widths import centimetres

from sentflow.report.comparison_tables import differences_table, matches_table, power_table, ranks_table
from sentflow.report.costs.encoders_table import encoders_table
from sentflow.report.families.probing.intervals_table import intervals_table
from sentflow.report.families.probing.score_table import scores_table
from sentflow.report.families.probing.tasks_table import tasks_table
from sentflow.report.table.cells import Cell, Group, Table
from sentflow.report.table.formats import wide_csv_text
from sentflow.report.table.latex import compact_latex_text, latex_text
from sentflow.report.table.tex_layout import PAGE
from sentflow.report.table.tex_parts import parts_of
from sentflow.report.table.tex_widths import CAPTION, points

COMPARED = (scores_table, intervals_table, differences_table, ranks_table, matches_table, power_table)
EXTENTS = [
    Extent(encoders, tasks, long=long)
    for encoders in (2, 4, 8, 20)
    for tasks in (1, 3, 18)
    for long in (False, True)
]


def tables_of(extent):
    rows = many_encoders.rows_of("heatmap", extent)
    found = fake_comparisons.comparisons(rows)
    others = [tasks_table(rows, "Title"), encoders_table(fake_comparisons.encoder_rows(rows), "Title")]
    return [*(build(rows, "Title", found) for build in COMPARED), *others]


def scores_of(extent):
    return tables_of(extent)[0]


def plain(*rows, header=("Name", "Text"), alignment=("l", "l"), notes=()):
    cells = tuple(tuple(Cell(text) for text in row) for row in rows)
    return Table("t", "Title", tuple(notes), header, alignment, (Group("", cells),), (), ())


# --- notes --------------------------------------------------------------------------------------------------


def test_the_caption_is_short_and_every_note_stands_below_the_table():
    table = scores_of(Extent(2, 3))
    text = latex_text(table)
    [caption] = re.findall(r"\\caption\{(.*)\}\\label", text)
    assert caption == "Title: score of each encoder on each task."
    below = text.split(r"\end{tabular}")[1]
    assert "generalisation interval" in below
    assert r"$\times$" in below


def test_notes_of_a_table_in_parts_stand_once_below_the_last_one():
    text = latex_text(scores_of(Extent(20, 3)))
    parts = text.split(r"\end{table*}")[:-1]
    assert len(parts) > 1
    assert ["generalisation interval" in part for part in parts] == [False] * (len(parts) - 1) + [True]
    assert all("Notes: see the last part" in part for part in parts[:-1])


def test_notes_that_do_not_fit_the_page_of_their_table_follow_as_text():
    text = latex_text(plain(("a", "b"), notes=["A long note. " * 600]))
    assert r"\end{table*}" in text.split("A long note")[0]
    assert r"Notes on Table~\ref{tab:t}" in text


# --- width and length ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["0.506 [0.479, 0.533]", "all-MiniLM-L6-v2", "Average of 18 tasks", "WMA (3000 words)"]
)
def test_widths_are_not_below_those_of_tex_and_not_far_above(text):
    true = centimetres(text, 10) / 2.54 * 72.27
    assert true <= points(text, CAPTION) * 1.02
    assert points(text, CAPTION) <= 1.2 * true


@pytest.mark.parametrize("extent", [Extent(8, 3, long=True), Extent(20, 3)], ids=str)
def test_no_part_is_wider_than_a_page_and_no_column_is_lost(extent):
    for table in tables_of(extent):
        parts = parts_of(table)
        assert all(part.layout.width <= PAGE for part in parts), table.name
        shown = [name for part in parts for name in part.table.header[table.lead :]]
        assert set(shown) == set(table.header[table.lead :])
        assert {part.table.header[: table.lead] for part in parts} == {table.header[: table.lead]}


def test_a_long_table_is_cut_into_parts_that_hold_every_row_once():
    rows = [(f"row {place}", "text") for place in range(200)]
    parts = parts_of(plain(*rows))
    assert len(parts) > 3
    found = [row[0].text for part in parts for group in part.table.groups for row in group.rows]
    assert found == [name for name, _ in rows]
    assert "longtable" not in latex_text(plain(*rows))


def test_a_group_that_goes_on_in_the_next_part_has_its_title_again():
    table = intervals_of(Extent(20, 18))
    parts = parts_of(table)
    titles = [part.table.groups[0].title for part in parts]
    assert all(titles)


def intervals_of(extent):
    return tables_of(extent)[1]


def test_latex_never_holds_more_waiting_floats_than_it_can():
    text = latex_text(plain(*[(f"row {place}", "text") for place in range(2000)]))
    between = text.split(r"\clearpage")
    assert max(part.count(r"\begin{table*}") for part in between) <= 8


def test_a_table_of_four_encoders_and_eighteen_tasks_stays_in_one_piece():
    text = latex_text(scores_of(Extent(4, 18)))
    assert text.count(r"\begin{tabular}") == 1
    assert "longtable" not in text


def test_lines_of_a_wide_table_have_a_cell_for_every_column():
    text = latex_text(scores_of(Extent(4, 3)))
    lines = [
        line for line in text.splitlines() if re.search(r"\\\\(\[.*\])?$", line) and "multicolumn" not in line
    ]
    assert {line.count(" & ") for line in lines} == {7}  # task, metric, n, MDD and four encoders


# --- the compact form and the wide CSV ----------------------------------------------------------------------


def test_the_compact_form_has_the_same_scores_and_marks_but_no_intervals():
    table = scores_of(Extent(4, 18))
    full, compact = latex_text(table), compact_latex_text(table)
    assert compact.count(r"\textbf{") == full.count(r"\textbf{") > 0
    assert r"\textsuperscript" not in compact
    assert "MDD" not in compact
    assert "tab:scores-compact" in compact
    body = compact.split(r"\begin{tabular}")[1].split(r"\end{tabular}")[0]
    assert not re.search(r"\[0\.\d", body)
    assert "protocol published" in compact


def test_the_compact_form_of_a_few_encoders_fits_one_of_two_columns():
    table = scores_of(Extent(4, 18))
    assert r"\begin{table}" in compact_latex_text(table)
    assert r"\begin{table*}" in compact_latex_text(scores_of(Extent(20, 18)))


def test_the_wide_csv_has_a_line_per_task_and_the_scores_in_full_precision():
    rows = many_encoders.rows_of("heatmap", Extent(3, 2))
    records = list(csv.DictReader(io.StringIO(wide_csv_text(scores_table(rows, "Title")))))
    assert [record["task"] for record in records] == ["T1", "T2"]
    for row in rows:
        assert float(next(r for r in records if r["task"] == row.task)[row.model]) == row.mean


def test_a_score_that_is_missing_is_an_empty_field():
    rows = many_encoders.rows_of("heatmap", Extent(2, 2))[:-1]
    assert wide_csv_text(scores_table(rows, "Title")).splitlines()[-1].endswith(",")


@pytest.mark.parametrize("write", [compact_latex_text, wide_csv_text])
def test_a_table_that_is_no_matrix_has_no_further_form(write):
    with pytest.raises(ValueError, match="no matrix"):
        write(plain(("a", "b")))


# --- TeX ----------------------------------------------------------------------------------------------------


@needs_tex
@pytest.mark.slow
@pytest.mark.parametrize("options", CLASSES[:2])
@pytest.mark.parametrize("extent", EXTENTS, ids=str)
def test_tex_finds_no_table_too_wide_or_too_long(tmp_path, extent, options):
    # pairs of many encoders are thousands of lines of the same shape
    few = extent.encoders <= 8
    tables = [table for table in tables_of(extent) if few or table.name not in ("differences", "matches")]
    assert complaints(tmp_path, tables, options) == []


@needs_tex
@pytest.mark.slow
@pytest.mark.parametrize("options", CLASSES)
def test_tex_finds_no_table_of_pairs_too_wide_or_too_long(tmp_path, options):
    files = fake_similarity.summarise(tmp_path, pairs=[*fake_similarity.SEVEN, "KorSTS-test"])
    names = {"regressions": "regressions", "alignments": "alignments", "geometry": "geometry"}
    found = [
        read_table(
            name, files[names.get(name, "similarity")], files["comparisons"], caption="Trial", published=()
        )
        for name in TABLES_OF_PAIRS
    ]
    assert complaints(tmp_path, found, options) == []
