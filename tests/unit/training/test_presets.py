"""Settings of recipes: one list of them, in the table and in the schema; published ones fit both."""

from pathlib import Path

import pytest

from sentflow.families.training.checks import trained_problems
from sentflow.graph.config.schema import load_schema, read_yaml, schema_problems
from sentflow.training.recipes.table import RECIPES
from sentflow.training.settings import TrainingSettings

WORKFLOW = Path(__file__).parents[3] / "workflow"
PRESETS = read_yaml(WORKFLOW / "catalog" / "presets.yaml")
SCHEMA = load_schema(WORKFLOW, "presets")
# Without their learning rate, and SG-BERT without its steps, which entries and sweeps say
STUDY = [name for name in PRESETS if name.startswith(("permutation-study-", "sg-bert-study"))]


@pytest.mark.parametrize("name", RECIPES)
def test_the_schema_of_a_recipe_has_the_settings_of_the_table_and_their_defaults(name):
    of_schema = load_schema(WORKFLOW, "recipes")["$defs"][name]["properties"]
    assert {key: rule["default"] for key, rule in of_schema.items()} == dict(RECIPES[name].settings)


def test_presets_fit_their_schema():
    assert schema_problems(PRESETS, SCHEMA, where="presets") == []


@pytest.mark.parametrize("name", PRESETS)
def test_the_training_of_a_preset_is_one(name):
    preset = PRESETS[name]
    assert preset["recipe"] in RECIPES
    of_entry = {"learning_rate": 1e-5, "steps": 1000} if name in STUDY else {}
    training = TrainingSettings.of({**of_entry, **preset["training"]})
    assert "selection" not in preset or (training.steps and training.snapshots)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temprature": 1}, "Did you mean temperature"),
        ({"temperature": 0}, "0 is less than or equal to the minimum"),
        ({"dropout": 1}, "1 is greater than or equal to the maximum"),
        ({"permute": ["tokenizer", "tokenizer-inside"]}, "permute"),
        ({"views": []}, "there is no such key"),
    ],
)
def test_settings_that_do_not_fit_the_recipe_are_told(settings, message):
    entry = {**PRESETS["simcse-unsup-bert-base"], "settings": settings}
    (problem,) = schema_problems({"own": entry}, SCHEMA, where="presets")
    assert message in problem


@pytest.mark.parametrize(
    ("views", "message"),
    [
        ([{"name": "none"}], "too short"),
        ([{"name": "none"}, {"name": "token-cutoff"}], "'rate' is a required property"),
        ([{"name": "shuffle", "rate": 0.1}, {"name": "none"}], "'name' was expected"),
        ([{"name": "dropout", "rate": 0.1, "norm": 1}, {"name": "none"}], "'norm' is not one of"),
        ([{"name": "adversarial"}, {"name": "none"}], "'norm' is a required property"),
        ([{"name": "adversarial", "norm": 1}, {"name": "none"}], "Write objective: joint, or another view"),
    ],
)
def test_views_say_what_they_need_and_nothing_else(views, message):
    entry = {**PRESETS["consert-unsup-base"], "settings": {"views": views}}
    problems = schema_problems({"own": entry}, SCHEMA, where="presets")
    assert message in " ".join(problems)


def test_adversarial_noise_goes_with_the_joint_objective():
    entry = {**PRESETS["consert-joint-base"]}
    entry["settings"] = {**entry["settings"], "views": [{"name": "adversarial", "norm": 1}, {"name": "none"}]}
    assert schema_problems({"own": entry}, SCHEMA, where="presets") == []


def test_presets_say_what_was_published():
    simcse, consert = PRESETS["simcse-sup-base"], PRESETS["consert-joint-base"]
    assert simcse["training"]["steps"] == 3 * -(-275_601 // 512)
    assert PRESETS["simcse-unsup-roberta-base"]["training"]["steps"] == -(-1_000_000 // 512)
    assert PRESETS["consert-unsup-base"]["training"]["steps"] == 10 * -(-89_192 // 96)
    assert simcse["settings"]["head"] == "kept" and simcse["training"]["learning_rate"] == 5e-5
    assert consert["settings"]["none_view"] == "shared"
    assert (consert["training_pooling"], consert["pooling"]) == ("mean", "last-two")
    guided = PRESETS["sg-bert-opt3"]
    assert guided["training"]["steps"] == -(-17_256 // 16)
    assert guided["training"]["betas"] == [0.9, 0.9]
    assert PRESETS["sg-bert-as-released"]["training"] == {**guided["training"], "weight_decay": 0.01}


def test_presets_of_language_models_say_what_was_published():
    mlm, condenser, cocondenser = (PRESETS[f"zalo-{name}"] for name in ("mlm", "condenser", "cocondenser"))
    same = {"learning_rate": 5e-5, "batch_size": 32, "max_tokens": 256}
    assert all(preset["training"] | same == preset["training"] for preset in (mlm, condenser, cocondenser))
    assert [preset["training"]["epochs"] for preset in (mlm, condenser, cocondenser)] == [20, 8, 10]
    # the published 6 of 24 layers, by name, not half of them
    assert condenser["settings"]["skip_from"] == cocondenser["settings"]["skip_from"] == 6
    assert condenser["training"]["accumulate"] == 4 and cocondenser["training"]["last_batch"] == "drop"
    assert cocondenser["settings"]["defects"] == ["language-model-twice"]  # it was trained with a cache
    assert PRESETS["cocondenser-bert-base"]["settings"]["defects"] == []
    assert PRESETS["condenser-bert-base"]["training"]["learning_rate"] == 1e-4


@pytest.mark.parametrize(
    ("recipe", "settings", "form", "read"),
    [
        ("consert", {}, "texts", None),
        ("consert", {"objective": "joint"}, "labelled", None),
        ("consert", {}, "labelled", "reads texts, but"),
        ("consert", {"objective": "joint"}, "texts", "reads labelled, but"),
        ("simcse", {}, "triplets", None),
        ("simcse", {}, "labelled", "reads texts, pairs or triplets, but"),
    ],
)
def test_data_fit_the_recipe_with_its_settings(recipe, settings, form, read):
    own = {
        "kind": "trained",
        "recipe": recipe,
        "settings": settings,
        "start": "base",
        "data": "rows",
        "training": {"learning_rate": 1e-5, "steps": 10},
    }
    entries = {
        "models": {"base": {"kind": "sentence-transformers"}, "own": own},
        "training_data": {"rows": {"form": form}},
        "pair_sets": {},
        "retrievers": {},
    }
    problems = list(trained_problems(entries))
    assert len(problems) == (read is not None)
    assert read is None or read in problems[0]
