"""Sweeps: one entry stands for a grid of trainings."""

from pathlib import Path

import pytest
import yaml

from sentflow.families.training.shown import shown_sweep
from sentflow.families.training.sweeps import cells, sweep_problems
from sentflow.graph.config.schema import load_schema, schema_problems
from sentflow.training.cell_states import NOT_APPLICABLE, NOT_RUN, VALUE

WORKFLOW = Path(__file__).parents[3] / "workflow"
CATALOG = yaml.safe_load((WORKFLOW / "catalog/sweeps.yaml").read_text(encoding="utf-8"))
SWEEP = {
    "title": "Trial",
    "grid": {
        "seed": [1, 2],
        "learning_rate": [1.0e-5, 3.0e-5],
        "method": {
            "simcse": {"recipe": "simcse"},
            "consert": {"recipe": "consert", "pooling": "mean", "training": {"steps": 9}},
        },
    },
    "start": "minilm-l6",
    "data": "wiki-10k",
    "pooling": "cls",
    "training": {"steps": 60, "batch_size": 32},
}


def test_every_combination_is_an_encoder_of_its_own_seeds_side_by_side():
    found = cells("trial", SWEEP)
    assert [cell.model for cell in found[:3]] == [
        "trial.simcse.lr-1e-5.seed-1",
        "trial.simcse.lr-1e-5.seed-2",
        "trial.simcse.lr-3e-5.seed-1",
    ]
    assert len(found) == len({cell.model for cell in found}) == 8
    assert {cell.state for cell in found} == {VALUE}
    assert found[0].group == found[1].group == "trial.simcse.lr-1e-5"


def test_names_do_not_depend_on_the_order_in_which_axes_are_written():
    other = {**SWEEP, "grid": dict(reversed(SWEEP["grid"].items()))}
    assert [cell.model for cell in cells("trial", other)] == [cell.model for cell in cells("trial", SWEEP)]


def test_an_entry_says_what_the_sweep_says_then_its_method_then_its_place():
    first, *_, last = cells("trial", SWEEP)
    assert first.entry == {
        "title": "Trial: simcse, lr-1e-5, seed-1",
        "kind": "trained",
        "recipe": "simcse",
        "start": "minilm-l6",
        "data": "wiki-10k",
        "pooling": "cls",
        "training": {"steps": 60, "batch_size": 32, "learning_rate": 1.0e-5},
        "seed": 1,
        "seed_of": "trial.simcse.lr-1e-5",
    }
    assert (last.entry["recipe"], last.entry["pooling"], last.entry["seed"]) == ("consert", "mean", 2)
    assert last.entry["training"] == {"steps": 9, "batch_size": 32, "learning_rate": 3.0e-5}


@pytest.mark.parametrize(
    ("changed", "states"),
    [
        ({"run": "none"}, [NOT_RUN] * 8),
        ({"run": [{"seed": 2, "method": "simcse"}]}, [NOT_RUN, VALUE] * 2 + [NOT_RUN] * 4),
        ({"not_applicable": [{"method": ["consert"]}]}, [VALUE] * 4 + [NOT_APPLICABLE] * 4),
        ({"not_applicable": [{"method": "consert"}], "run": "none"}, [NOT_RUN] * 4 + [NOT_APPLICABLE] * 4),
    ],
)
def test_a_cell_is_run_not_run_or_not_applicable(changed, states):
    assert [cell.state for cell in cells("trial", {**SWEEP, **changed})] == states


def test_only_what_fits_a_filter_is_a_cell():
    only = [{"method": "simcse", "learning_rate": 1.0e-5}, {"method": "consert", "seed": [1]}]
    assert [cell.model for cell in cells("trial", {**SWEEP, "only": only})] == [
        "trial.simcse.lr-1e-5.seed-1",
        "trial.simcse.lr-1e-5.seed-2",
        "trial.consert.lr-1e-5.seed-1",
        "trial.consert.lr-3e-5.seed-1",
    ]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"run": [{"rate": 1}]}, r"sweeps\.trial\.run\.0\.rate: the grid has no such axis\. Write one of: method, "),
        ({"only": [{"seed": 7}]}, r"sweeps\.trial\.only\.0\.seed: 7 is no value of this axis\. Write one of: 1, 2\."),
        ({"start": None}, r"sweeps\.trial: there is no start\."),
        ({"grid": {**SWEEP["grid"], "data": ["a", "A"]}, "data": None}, r"two cells would be called trial\.consert\.a"),
        ({"grid": {**SWEEP["grid"], "start": ["a"]}}, r"trial\.start: it is an axis of the grid, too"),
        ({"grid": {**SWEEP["grid"], "data": ["d" * 90]}, "data": None}, r"has at most 100 characters"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_sweep_is_told(changed, message):
    sweep = {key: value for key, value in {**SWEEP, **changed}.items() if value is not None}
    import re

    assert re.search(message, "\n".join(sweep_problems("trial", sweep)))


def test_the_published_grids_are_well_formed():
    assert schema_problems(CATALOG, load_schema(WORKFLOW, "sweeps"), where="sweeps") == []
    assert [problem for name, sweep in CATALOG.items() for problem in sweep_problems(name, sweep)] == []
    # of the six self-guided rows one is not trained, and one is on a corpus that is only named
    numbers = {name: len(cells(name, sweep)) for name, sweep in CATALOG.items()}
    assert numbers == {"contrastive-english": 8, "contrastive-korean": 72, "self-guided-korean": 4}


def test_a_table_is_handed_one_line_per_cell_whatever_its_seeds():
    found = shown_sweep("trial", SWEEP, WORKFLOW)
    assert [line[:2] for line in found["cells"][:2]] == [
        ["trial.simcse.lr-1e-5", VALUE],
        ["trial.simcse.lr-3e-5", VALUE],
    ]
    assert found["cells"][0][2:] == ["minilm-l6", "wiki-10k", "simcse", None, 1.0e-5]
    assert "published" not in found
