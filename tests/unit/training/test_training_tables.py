"""The tables of trainings: published values beside ours, and what was not run."""

import math
from dataclasses import replace
from pathlib import Path

import yaml
from filled import filled

from sentflow.compare.best_of_groups import best_of_groups
from sentflow.compare.rows import TrainingSeeds
from sentflow.report.families.training import tables
from sentflow.report.families.training.rows import ALIGNMENT, DEVELOPMENT, SPEARMAN, TEST, TrainingRow
from sentflow.report.families.training.sweeps import published_cells, reduced, sweep_cells
from sentflow.report.inputs import Inputs
from sentflow.report.table.formats import markdown_text
from sentflow.training.settings import NOT_RUN
from sentflow.training.sweeps import shown_sweep

WORKFLOW = Path(__file__).parents[3] / "workflow"
CATALOG = yaml.safe_load((WORKFLOW / "catalog/sweeps.yaml").read_text(encoding="utf-8"))
PUBLISHED = yaml.safe_load((WORKFLOW / "catalog/published_training.yaml").read_text(encoding="utf-8"))
ROW = TrainingRow(
    model="", model_title="", group="", recipe="simcse", start="bert-base", data="wiki1m", learning_rate=3e-5, seed=42,
    is_control=False, step=125, selected=True, pairs="STSB-dev", column="STSB-dev", split=DEVELOPMENT, measure=SPEARMAN,
    value=0.5, data_version="raw",
)  # fmt: skip
ENGLISH = "contrastive-english.dropout.lr-{}.length-32"


def english(**changed):
    return shown_sweep("contrastive-english", {**CATALOG["contrastive-english"], **changed}, PUBLISHED)


def scored(group, dev, test, seed=42):
    rows = [replace(ROW, group=group, model=f"{group}.seed-{seed}", seed=seed)]
    return [
        replace(rows[0], value=dev),
        replace(rows[0], pairs="STSB-test", split=TEST, value=test),
        # a snapshot that was not chosen counts nowhere
        replace(rows[0], step=250, selected=False, value=0.999),
    ]


def table_of(make, rows, published=()):
    return make(Inputs.holding(rows).quoting(published))


def lines_of(table):
    return [[cell.text for cell in line] for line in table.lines]


def test_ours_are_means_over_seeds_beside_the_published_cell():
    group = ENGLISH.format("3e-5")
    rows = [*scored(group, 0.80, 0.70), *scored(group, 0.84, 0.76, seed=1)]
    rows.append(replace(rows[0], pairs="STSB-test", measure=ALIGNMENT, value=0.2))
    table = table_of(tables.sweep, {TrainingRow: rows}, [english()])
    line = next(line for line in lines_of(table) if line[2:5] == ["dropout", "32", "3e-5"])
    assert line[5:] == ["0.8186", "0.7511", NOT_RUN, NOT_RUN, "0.8200", "0.7300", NOT_RUN, "0.2000", "2"]
    assert "1 of 8 cells were run" in " ".join(table.notes)
    assert any("HYU-NLP/Korean-Sentence-Representations@100fd03" in note for note in table.notes)


def test_cells_of_an_axis_without_a_column_have_lines_of_their_own():
    entry = {key: value for key, value in CATALOG["contrastive-english"].items() if key != "published"}
    grid = {"method": {"dropout": {}}, "batch_size": [16, 64], "seed": [42]}
    sweep = shown_sweep("contrastive-english", {**entry, "grid": grid}, PUBLISHED)
    rows = [
        *scored("contrastive-english.dropout.batch-16", 0.8, 0.7),
        *scored("contrastive-english.dropout.batch-64", 0.6, 0.5),
    ]
    assert [(cell["method"], cell["dev"]) for cell in sweep_cells(sweep, rows)] == [
        ("dropout, batch-16", 0.8),
        ("dropout, batch-64", 0.6),
    ]


def test_published_and_own_winners_are_chosen_apart_by_development_scores_alone():
    rows = [*scored(ENGLISH.format("1e-5"), 0.80, 0.90), *scored(ENGLISH.format("7e-5"), 0.81, 0.60)]
    first, second = reduced(sweep_cells(english(), rows))
    names = ("learning_rate", "dev", "test")
    assert [first[f"published_{name}"] for name in names] == [5e-5, 0.8211, 0.7708]
    assert [first[name] for name in (*names, "n", "n_seeds")] == [7e-5, 0.81, 0.60, 2, 1]
    assert first["winner"] == ENGLISH.format("7e-5")
    assert second["published_n"] == 4 and second["n"] == 0 and math.isnan(second["dev"])
    text = markdown_text(table_of(tables.best_of_sweep, {TrainingRow: rows}, [english()]))
    assert "| bert-base | wiki1m | whitespace | 32 | 3e-5 | 0.8127 | 0.7567 | 4 | ? | ? | ? | 0 | 0 |" in text


def test_differences_of_too_few_seeds_are_said_to_claim_nothing():
    names = ("p", "p_holm", "least_p", "least_p_holm")
    undefined = dict.fromkeys(names, math.nan)
    mean = filled(
        TrainingSeeds, unit_set="STSB-test", measure="spearman", group="simcse", other="", value=0.8, seeds_low=0.79,
        seeds_high=0.81, low=0.75, high=0.85, level=0.95, n_seeds=5, more="pairs", alpha=0.05, **undefined,
    )  # fmt: skip
    least = dict.fromkeys(names, 2 / 2**5)
    rows = [mean, replace(mean, other="shuffled", value=0.1, **least)]
    table = table_of(tables.seeds, {TrainingSeeds: rows, TrainingRow: [ROW]})
    first, difference = lines_of(table)
    assert first[:5] == ["simcse", "0.800", "[0.790, 0.810]", "[0.750, 0.850]", "5"]
    assert difference[:2] == ["simcse − shuffled", "+0.100"] and len(difference) == 9
    assert "With 5 seeds no difference can be significant" in " ".join(table.notes)


CELLS = published_cells(PUBLISHED["korean-english-2022"])
STUDY = [cell for cell in CELLS if not cell.section.startswith("sg-bert")]

# (tokens, start, data, method): learning rate, dev, test of the authors' summary (SimCSE_mul/README.md)
REDUCED = {
    (32, "bert-base", "wiki1m", "dropout"): (5e-5, 0.8211, 0.7708),
    (32, "bert-base", "wiki1m", "whitespace"): (3e-5, 0.8127, 0.7567),
    (32, "kr-bert", "korean-news-1m", "dropout"): (7e-5, 0.7446, 0.6746),
    (128, "kr-bert", "korean-wiki-len15-1m", "whitespace"): (2e-5, 0.8066, 0.7429),
}


def test_the_best_development_score_per_group_gives_the_published_rows():
    best = best_of_groups(
        STUDY,
        group=lambda cell: (cell.max_tokens, cell.start, cell.data, cell.method),
        score=lambda cell: cell.dev,
    )
    found = {
        (cell.max_tokens, cell.start, cell.data, cell.method): (cell.learning_rate, cell.dev, cell.test)
        for cell in best
    }
    assert len(found) == 18
    assert {place: found[place] for place in REDUCED} == REDUCED
