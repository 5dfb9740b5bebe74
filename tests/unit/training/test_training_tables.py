"""The tables of trainings: published values beside ours, and what was not run."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from sentflow.compare.training_rows import TrainingSeeds
from sentflow.families.training.shown import published_lines, shown_sweep
from sentflow.graph import products
from sentflow.report.families.similarity.sts_table import AVERAGE
from sentflow.report.families.training.reduced_table import reduced, reduced_table
from sentflow.report.families.training.rows import ALIGNMENT, DEVELOPMENT, SPEARMAN, TEST, TrainingRow
from sentflow.report.families.training.seeds_table import seeds_table
from sentflow.report.families.training.seven_tables import seven_table
from sentflow.report.families.training.sweep_cells import sweep_cells
from sentflow.report.families.training.sweep_table import sweep_table
from sentflow.report.inputs import Inputs
from sentflow.report.table.formats import csv_text, markdown_text
from sentflow.report.table.latex import latex_text
from sentflow.similarity.averages import SEVEN_TASKS
from sentflow.training.cell_states import NOT_APPLICABLE, NOT_RUN

WORKFLOW = Path(__file__).parents[3] / "workflow"
CATALOG = yaml.safe_load((WORKFLOW / "catalog/sweeps.yaml").read_text(encoding="utf-8"))
LINES = published_lines(WORKFLOW)
ROW = TrainingRow(
    model="", model_title="", group="", recipe="simcse", start="bert-base", data="wiki1m", learning_rate=3e-5, seed=42,
    is_control=False, step=125, selected=True, pairs="STSB-dev", column="STSB-dev", split=DEVELOPMENT, measure=SPEARMAN,
    value=0.5, data_version="raw",
)  # fmt: skip
ENGLISH = "contrastive-english.dropout.lr-{}.length-32"


def english(**changed):
    return shown_sweep("contrastive-english", {**CATALOG["contrastive-english"], **changed}, WORKFLOW)


def scored(group, dev, test, seed=42):
    rows = [replace(ROW, group=group, model=f"{group}.seed-{seed}", seed=seed)]
    return [
        replace(rows[0], value=dev),
        replace(rows[0], pairs="STSB-test", split=TEST, value=test),
        # a snapshot that was not chosen counts nowhere
        replace(rows[0], step=250, selected=False, value=0.999),
    ]


def lines_of(table):
    return [[cell.text for cell in row] for group in table.groups for row in group.rows]


# --- sweeps -------------------------------------------------------------------------------------------------


def test_published_cells_stand_there_with_a_question_mark_for_ours_where_nothing_was_run():
    sweeps = [shown_sweep(name, sweep, WORKFLOW) for name, sweep in CATALOG.items()]
    found = lines_of(sweep_table([], "Trial", sweeps))
    assert len(found) == 86
    assert all(line[9:] == [NOT_RUN] * 4 + ["0"] for line in found)
    assert found[0][:9] == [
        "bert-base", "wiki1m", "dropout", "32", "1e-5", "0.8191", "0.7854", "−1.8364", "0.2158"
    ]  # fmt: skip
    assert [line[5:9] for line in found].count([NOT_RUN] * 4) == 4
    assert sum(line[7:9] == [NOT_APPLICABLE] * 2 for line in found) == 6 + 6


def test_ours_are_means_over_seeds_beside_the_published_cell():
    group = ENGLISH.format("3e-5")
    rows = [*scored(group, 0.80, 0.70), *scored(group, 0.84, 0.76, seed=1)]
    rows.append(replace(rows[0], pairs="STSB-test", measure=ALIGNMENT, value=0.2))
    table = sweep_table(rows, "Trial", [english()])
    line = next(line for line in lines_of(table) if line[2:5] == ["dropout", "32", "3e-5"])
    assert line[5:] == ["0.8186", "0.7511", NOT_RUN, NOT_RUN, "0.8200", "0.7300", NOT_RUN, "0.2000", "2"]
    assert "1 of 8 cells were run" in " ".join(table.notes)
    assert any("HYU-NLP/Korean-Sentence-Representations@100fd03" in note for note in table.notes)


def test_a_cell_of_ours_that_cannot_be_trained_is_a_dash_and_one_that_nobody_published_is_a_line():
    sweep = english(
        not_applicable=[{"method": "whitespace"}],
        grid={**CATALOG["contrastive-english"]["grid"], "learning_rate": [1.0e-5, 2.0e-5]},
    )
    cells = sweep_cells(sweep, [])
    assert [cell.state for cell in cells if cell.method == "whitespace" and cell.learning_rate == 1e-5] == [
        NOT_APPLICABLE
    ]
    assert [(cell.published_scores, cell.section) for cell in cells if cell.learning_rate == 2e-5] == [
        (NOT_RUN, "")
    ] * 2


def test_without_published_values_there_are_no_columns_of_them():
    sweep = {**CATALOG["contrastive-english"]}
    del sweep["published"]
    sweeps = [shown_sweep("contrastive-english", sweep, WORKFLOW)]
    rows = scored(ENGLISH.format("3e-5"), 0.80, 0.70)
    for made, first in ((sweep_table, "Dev, ours"), (reduced_table, "Rate, ours")):
        table = made(rows, "Trial", sweeps)
        assert "published" not in " ".join((table.caption, *table.header))
        assert table.header[table.lead] == first
        assert {len(line) for line in lines_of(table)} == {len(table.header)} == {len(table.alignment)}


# --- the reduction ------------------------------------------------------------------------------------------


def test_published_and_own_winners_are_chosen_apart_by_development_scores_alone():
    rows = [
        *scored(ENGLISH.format("1e-5"), 0.80, 0.90),
        *scored(ENGLISH.format("7e-5"), 0.81, 0.60),
    ]
    first, second = reduced(sweep_cells(english(), rows))
    assert (first.published_learning_rate, first.published_dev, first.published_test) == (
        5e-5,
        0.8211,
        0.7708,
    )
    assert (first.learning_rate, first.dev, first.test, first.n, first.n_seeds) == (7e-5, 0.81, 0.60, 2, 1)
    assert first.winner == ENGLISH.format("7e-5")
    assert second.published_n == 4 and second.n == 0 and math.isnan(second.dev)
    text = markdown_text(reduced_table(rows, "Trial", [english()]))
    assert "| bert-base | wiki1m | whitespace | 32 | 3e-5 | 0.8127 | 0.7567 | 4 | ? | ? | ? | 0 | 0 |" in text


# --- seven columns ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "lines"), [("training-consert", 14), ("training-simcse", 8), ("training-sgbert", 4)]
)
def test_the_published_rows_of_a_recipe_are_those_of_the_catalog(name, lines):
    assert len(LINES[name]) == lines


def test_each_setting_has_its_published_lines_and_one_of_ours():
    table = seven_table("training-consert", "ConSERT", [], "Trial", LINES["training-consert"])
    assert [group.title for group in table.groups] == [
        "consert-unsup", "consert-sup", "consert-joint", "consert-sup-unsup", "consert-joint-unsup", "Published only"
    ]  # fmt: skip
    for group in table.groups[:-1]:
        ours = [cell.text for cell in group.rows[-1]]
        assert ours == [group.title, *[NOT_RUN] * 8, "this experiment"]


def test_an_inconsistent_number_has_its_footnote_at_the_cell():
    table = seven_table("training-consert", "ConSERT", [], "Trial", LINES["training-consert"])
    (line,) = [line for line in lines_of(table) if line[0] == "ConSERT, joint, re-implemented"]
    assert line[8].startswith("76.49 (")
    number = line[8].split()[1]
    (note,) = [note for note in table.notes if note.startswith(number)]
    assert "75.06" in note
    record = next(
        dict(zip(table.tidy_header, one, strict=True))
        for one in table.tidy_rows
        if one[table.tidy_header.index("value")] == 76.49
    )
    assert (record["column"], record["consistent"]) == (AVERAGE, 75.06)
    sg = seven_table("training-sgbert", "SG-BERT", [], "Trial", LINES["training-sgbert"])
    assert any(line[7].startswith("70.20 (") for line in lines_of(sg))


def test_ours_are_averaged_seed_by_seed_and_an_incomplete_average_is_no_number():
    def row(column, seed, value):
        names = {"group": "simcse-unsup", "pairs": f"{column}-test", "column": column, "split": TEST}
        return replace(ROW, **names, seed=seed, value=value)

    rows = [row(column, seed, 0.5 + 0.1 * seed) for column in SEVEN_TASKS for seed in (1, 2)]
    table = seven_table("training-simcse", "SimCSE", rows, "Trial", LINES["training-simcse"])
    ours = next(line for line in lines_of(table) if line[0] == "simcse-unsup, 2 seeds")
    assert ours[1:9] == ["65.00"] * 8
    fewer = seven_table("training-simcse", "SimCSE", rows[2:], "Trial", LINES["training-simcse"])
    ours = next(line for line in lines_of(fewer) if line[0] == "simcse-unsup, 2 seeds")
    assert ours[1:9] == [NOT_RUN, *["65.00"] * 6, NOT_APPLICABLE]


def test_sample_data_stand_beside_nothing_published():
    rows = [replace(ROW, group="simcse-unsup", column="STSB", split=TEST, data_version="sample data")]
    table = seven_table("training-simcse", "SimCSE", rows, "Trial", LINES["training-simcse"])
    assert next(line for line in lines_of(table) if line[0] == "simcse-unsup")[6] == NOT_RUN


# --- seeds --------------------------------------------------------------------------------------------------

SEEDS = TrainingSeeds(
    unit_set="STSB-test", measure="spearman", group="simcse", other="", is_control=False, value=0.8, seeds_low=0.79,
    seeds_high=0.81, low=0.75, high=0.85, level=0.95, n_pairs=1379, n_seeds=6, spread_of_seeds=0.01, share_of_pairs=0.9,
    share_of_seeds=0.05, more="pairs", seeds_unseen=False, p=math.nan, p_holm=math.nan, least_p=math.nan,
    least_p_holm=math.nan, violation=math.nan, violation_of_other=math.nan, alpha=0.05,
)  # fmt: skip


def difference(n_seeds, n_lines=1):
    least = 2 / 2**n_seeds
    tests = {"p": least, "p_holm": n_lines * least, "least_p": least, "least_p_holm": n_lines * least}
    return replace(
        SEEDS, other="shuffled", is_control=True, value=0.1, n_seeds=n_seeds, **tests, violation=0.0
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([SEEDS, difference(5)], "With 5 seeds no difference can be significant at 5"),
        ([SEEDS, difference(6)], None),
        (
            [SEEDS, difference(6, n_lines=15)],
            "Holm's correction leaves no difference that could be significant",
        ),
        ([], "nothing can be said of methods"),
    ],
)
def test_what_cannot_be_claimed_is_said(rows, said):
    notes = " ".join(seeds_table(rows, "Trial", []).notes)
    assert said in notes if said else "no difference" not in notes


def test_a_line_says_least_p_and_the_difference_from_a_control():
    table = seeds_table([SEEDS, difference(6)], "Trial", [ROW])
    mean, other = lines_of(table)
    assert mean[:5] == ["simcse", "0.800", "[0.790, 0.810]", "[0.750, 0.850]", "6"]
    assert other[0] == "simcse − shuffled ‡" and other[1] == "+0.100"
    assert other[9:13] == ["0.031"] * 4
    assert any(note.startswith("‡") for note in table.notes)


# --- all of them --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*LINES, "training-sweep", "training-reduced", "training-seeds"])
def test_every_table_is_written_in_every_format_also_where_nothing_was_run(name):
    sweeps = [english()]
    published = LINES.get(name, sweeps)
    found = {TrainingRow: [], TrainingSeeds: []}
    table = products.find(products.TABLE, name).load()(
        Inputs.holding(found), {"caption": "Trial", "published": published}
    )
    assert table.name == name
    for text in (csv_text(table), markdown_text(table), latex_text(table)):
        assert text.strip()
