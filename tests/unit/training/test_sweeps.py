"""Sweeps: one entry stands for a grid of trainings."""

import re

import pytest
from experiments import experiment

from sentflow.training.settings import NOT_APPLICABLE, NOT_RUN, VALUE
from sentflow.training.sweeps import cells, sweep_problems

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


def test_rates_have_one_form_in_names_and_former_names_are_still_encoders():
    grid = {"method": {"all": {}}, "learning_rate": [3.0e-05, 0.0001, 2.5e-3, 0.05], "seed": [1]}
    sweep = {**SWEEP, "grid": grid, "recipe": "simcse"}
    groups = [cell.group for cell in cells("trial", sweep)]
    assert groups == [f"trial.all.lr-{rate}" for rate in ("3e-5", "1e-4", "2.5e-3", "0.05")]
    former = "trial.all.lr-0.0001.seed-1"
    found = experiment({"sweeps": {"trial": sweep}, "select": {"models": [former], "sweeps": ["trial"]}})
    assert {former, *(f"{group}.seed-1" for group in groups)} <= found.trained_models.keys()
    assert found.models[former]["training"] == found.models["trial.all.lr-1e-4.seed-1"]["training"]


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
        ({"run": [{"seed": 2, "method": "simcse"}]}, [NOT_RUN, VALUE] * 2 + [NOT_RUN] * 4),
        ({"not_applicable": [{"method": "consert"}], "run": "none"}, [NOT_RUN] * 4 + [NOT_APPLICABLE] * 4),
    ],
)
def test_a_cell_is_run_not_run_or_not_applicable(changed, states):
    assert [cell.state for cell in cells("trial", {**SWEEP, **changed})] == states


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"run": [{"rate": 1}]}, r"sweeps\.trial\.run\.0\.rate: the grid has no such axis"),
        ({"only": [{"seed": 7}]}, r"sweeps\.trial\.only\.0\.seed: 7 is no value of this axis\. Write one of: 1, 2\."),
        ({"start": None}, r"sweeps\.trial: there is no start\."),
        ({"grid": {**SWEEP["grid"], "data": ["a", "A"]}, "data": None}, r"two cells would be called trial\.consert\.a")
    ]
)  # fmt: skip
def test_what_is_wrong_with_a_sweep_is_told(changed, message):
    sweep = {key: value for key, value in {**SWEEP, **changed}.items() if value is not None}
    assert re.search(message, "\n".join(sweep_problems("trial", sweep)))
