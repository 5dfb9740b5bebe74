"""What a user may write wrongly in an entry of kind trained: one sentence for each mistake, at the entry as written."""

import copy
from pathlib import Path

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.families.training.settings import chosen_by_tests
from sentflow.families.training.study import StudyOfTrainings
from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import load_experiment

REPOSITORY = Path(__file__).parents[3]
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
SELECT = {
    "models": ["minilm-l6", "mine"],
    "tasks": [],
    "pair_sets": ["STSB-test-sample"],
    **dict.fromkeys(("alignments", "regressions", "question_sets", "retrievers"), []),
}
ENTRY = {
    "kind": "trained",
    "recipe": "simcse",
    "start": "minilm-l6",
    "data": "sentences-sample",
    "seeds": [1, 2],
    "training": {"steps": 60, "batch_size": 16, "learning_rate": 1.0e-3, "snapshots": 20},
    "selection": {"pairs": "STSB-dev-sample"},
}


def problems(**own):
    """The mistakes that are told of an entry; `own` is laid over it, None leaves a key out."""
    entry = {key: value for key, value in laid_over(ENTRY, own).items() if value is not None}
    return problems_of({"models": {"mine": entry}})


def problems_of(own):
    config = laid_over(copy.deepcopy(DEFAULT), {"select": SELECT, **own})
    with pytest.raises(ConfigError) as told:
        load_experiment(config, REPOSITORY / "workflow")
    return [line.removeprefix("  - ") for line in str(told.value).splitlines()[1:]]


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"start": "nope"}, "models.mine.start: there is no model 'nope'"),
        ({"start": "tfidf"}, "models.mine.start: tfidf is of kind tfidf"),
        ({"start": 3}, "models.mine.start: 3 is not of type"),
        ({"start": {"like": "minilm-l6"}}, "models.mine.start: 'configuration' is a required property"),
        ({"start": None}, "models.mine: the key start is missing"),
        (
            {"start": {"like": "minilm-l6", "configuration": {"vocab_size": 9}, "tokenizer": {"size": 90}}},
            "models.mine.start.configuration.vocab_size: start.tokenizer.size says it",
        ),
        (
            {"start": {"like": "minilm-l6", "configuration": {}, "tokenizer": {"size": 90, "sise": 9}}},
            "models.mine.start.tokenizer.sise: there is no such key. Did you mean size?",
        ),
        ({"start": "mine"}, "models.mine: mine → mine is circular. Start one of them from another encoder"),
        (
            {"segment": "vietnamese-words"},
            "models.mine.segment: minilm-l6, the start, reads texts with segment: null. Write the same here.",
        ),
        ({"start": "simcse-sample/step-000015"}, "models.mine.start: simcse-sample/step-000015 names a snapshot"),
        ({"recipe": "simsce"}, "models.mine.recipe: there is no recipe 'simsce'. Did you mean simcse?"),
        ({"recipe": None}, "models.mine: the key recipe is missing"),
        ({"preset": "nope"}, "models.mine.preset: there is no preset 'nope'"),
        ({"preset": ["nope"]}, "models.mine.preset: there is no preset"),
        ({"data": "nope"}, "models.mine.data: there is no training data 'nope'"),
        ({"data": None}, "models.mine: the key data is missing"),
        ({"seed": 1}, "models.mine.seeds: write a list of different whole numbers, and no seed beside it"),
        ({"seeds": [1, 1]}, "models.mine.seeds: write a list"),
        ({"seeds": []}, "models.mine.seeds: write a list"),
        ({"seeds": 3}, "models.mine.seeds: write a list"),
        ({"seeds": None}, "models.mine: the key seed is missing. Write it, or seeds with a list."),
        ({"training": None}, "models.mine: the key training is missing"),
        ({"training": "fast"}, "models.mine.training: 'fast' is not of type 'object'"),
        ({"training": {"batch_size": 1}}, "models.mine.training.batch_size: simcse with these settings compares"),
        ({"training": {"step": 60}}, "models.mine.training.step: there is no such key. Did you mean steps?"),
        ({"training": {"learning_rate": "3e-5"}}, "models.mine.training.learning_rate: '3e-5' is not of type"),
        ({"training": {"steps": "many"}}, "models.mine.training.steps: 'many' is not of type"),
        ({"training": {"snapshots": 60}}, "models.mine.training.snapshots: the best of one snapshot"),
        ({"training": {"epochs": 2}}, "models.mine.training: write either steps or epochs"),
        ({"selection": {"pairs": "STSB-dve"}}, "models.mine.selection.pairs: there is no pair set 'STSB-dve'"),
        ({"settings": {"temprature": 1}}, "models.mine.settings.temprature: there is no such key"),
        ({"recipe": "distillation"}, "models.mine.settings.teacher: write the encoder"),
        ({"recipe": "consert", "settings": {"objective": "joint"}}, "models.mine.data: the recipe consert"),
        ({"recipe": "mlm", "training": {"matryoshka": {"dimensions": [8]}}}, "models.mine.training.matryoshka: mlm"),
        ({"recipe": "condenser", "training": {"matryoshka": {"dimensions": [8]}}}, "models.mine.training.matryoshka"),
        ({"training": {"held_out": 0}}, "models.mine.training.held_out: 0 is less than or equal to the minimum"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_once_at_the_entry_as_it_is_written(own, told):
    (problem,) = problems(**own)
    assert problem.startswith(told)


def test_data_that_are_refused_are_told_once_and_not_for_their_encoder():
    own = {"models": {"mine": {**ENTRY, "data": "texts"}}, "training_data": {"texts": {"file": "my.bin"}}}
    (problem,) = problems_of(own)
    assert problem.startswith("training_data.texts.file: the ending of 'my.bin'")


def test_several_mistakes_are_told_at_once():
    found = problems(
        start="nope", data="nope", seed=1, selection={"pairs": "nope"}, training={"batch_size": 1}
    )
    assert [problem.partition(": ")[0] for problem in found] == [
        f"models.mine.{key}" for key in ("seeds", "start", "data", "selection.pairs", "training.batch_size")
    ]


def test_a_mistake_of_a_sweep_is_told_once_and_not_for_each_cell():
    sweep = {key: value for key, value in ENTRY.items() if key not in ("kind", "seeds")}
    sweep |= {"grid": {"method": {"a": {}, "b": {}}, "seed": [1, 2, 3]}, "start": "nope"}
    (problem,) = problems_of(
        {"sweeps": {"rates": sweep}, "select": {**SELECT, "models": ["minilm-l6"], "sweeps": ["rates"]}}
    )
    assert problem.startswith("sweeps.rates.start: there is no model 'nope'")


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"run": "some"}, "sweeps.rates.run: 'some' is not valid"),
        ({"only": {"seed": 1}}, "sweeps.rates.only: {'seed': 1} is not of type 'array'"),
        ({"grid": {"method": ["a"], "seed": [1]}}, "sweeps.rates.grid.method: ['a'] is not of type 'object'"),
        ({"grid": {"method": {"a": None}, "seed": [1]}}, "sweeps.rates.grid.method.a: None is not of type 'object'"),
        ({"test": "STSB-tset"}, "sweeps.rates.test: there is no pair set 'STSB-tset'. Did you mean STSB-test?"),
    ],
)  # fmt: skip
def test_a_sweep_of_another_form_is_told_by_its_schema(own, told):
    sweep = {key: value for key, value in ENTRY.items() if key not in ("kind", "seeds")}
    sweep |= {"grid": {"method": {"a": {}}, "seed": [1]}, **own}
    (problem,) = problems_of({"sweeps": {"rates": sweep}, "select": {**SELECT, "models": ["minilm-l6"]}})
    assert problem.startswith(told)


def test_a_teacher_without_a_kind_is_told_where_it_is_written():
    entry = ENTRY | {"recipe": "distillation", "settings": {"teacher": "x"}}
    (problem,) = problems_of({"models": {"mine": entry, "x": {"title": "X"}}})
    assert problem.startswith("models.x.kind: None is no kind of encoder")


@pytest.mark.parametrize("objective", ["supervised", "joint"])
def test_a_batch_of_one_is_refused_where_a_text_is_compared_with_others(objective):
    entry = {"recipe": "consert", "settings": {"objective": objective}, "data": "nli-development-labelled"}
    if objective == "joint":
        (problem,) = problems(**entry, training={"batch_size": 1})
        assert problem.startswith("models.mine.training.batch_size")
    else:
        config = laid_over(ENTRY, {**entry, "training": {"batch_size": 1}})
        whole = laid_over(copy.deepcopy(DEFAULT), {"select": SELECT, "models": {"mine": config}})
        assert load_experiment(whole, REPOSITORY / "workflow").trained_models.keys() == {
            "mine-seed-1",
            "mine-seed-2",
        }


def test_reported_pair_sets_that_choose_snapshots_are_named():
    def named(**selection):
        entry = laid_over(ENTRY, {"selection": {"pairs": "STSB-test-sample", **selection}})
        whole = laid_over(copy.deepcopy(DEFAULT), {"select": SELECT, "models": {"mine": entry}})
        return chosen_by_tests(load_experiment(whole, REPOSITORY / "workflow"))

    assert named() == {"STSB-test-sample": ["mine"]}
    assert named(rule="last", patience=2) == {"STSB-test-sample": ["mine"]}
    assert named(rule="last") == named(pairs="STSB-dev-sample") == {}


def test_published_tables_are_those_of_trainings_that_are_run():
    def tables(name):
        whole = laid_over(
            copy.deepcopy(DEFAULT),
            {"select": {**SELECT, "models": ["minilm-l6", name]}, "models": {name: ENTRY}},
        )
        return set(StudyOfTrainings(load_experiment(whole, REPOSITORY / "workflow")).published())

    assert tables("mine") == {"training-sweep", "training-reduced"}
    assert tables("consert-unsup") - tables("mine") == {"training-consert"}


@pytest.mark.parametrize("section", ["models", "training_data", "sweeps"])
def test_an_entry_that_is_no_map_is_told_as_such(section):
    own = {"models": {"mine": {**ENTRY, "data": "texts"}}, "training_data": {"texts": {"file": "my.txt"}}}
    name = {"models": "mine", "training_data": "texts", "sweeps": "rates"}[section]
    select = {**SELECT, "sweeps": ["rates"] if section == "sweeps" else []}
    found = problems_of({**own, section: {name: 3}, "select": select})
    assert f"{section}.{name}: 3 is not of type 'object'" in " ".join(found)


# --- the read-out after Condenser ---------------------------------------------------------------------------

CONDENSER = {
    **{key: ENTRY[key] for key in ("kind", "start", "data")},
    "recipe": "condenser",
    "seed": 1,
    "training": {"steps": 2, "learning_rate": 1.0e-3, "batch_size": 8},
}
AFTER = {**CONDENSER, "recipe": "simcse"}


def chain(**later):
    """A Condenser, an encoder that is trained on from it, and one that is trained on from that."""
    return {
        "first": CONDENSER,
        "second": {**AFTER, "start": "first"},
        "mine": {**AFTER, "start": "second", **later},
    }


def test_encoders_are_read_out_by_cls_after_condenser_unless_their_weights_are_drawn():
    drawn = {**AFTER, "start": {"like": "first", "configuration": {"num_hidden_layers": 2}}}
    whole = laid_over(
        copy.deepcopy(DEFAULT),
        {"select": {**SELECT, "models": ["mine", "drawn"]}, "models": {**chain(), "drawn": drawn}},
    )
    models = load_experiment(whole, REPOSITORY / "workflow").entries["models"]
    assert [models[name]["pooling"] for name in ("first", "second", "mine")] == ["cls"] * 3
    assert "pooling" not in models["drawn"]


@pytest.mark.parametrize("key", ["pooling", "training_pooling"])
def test_another_read_out_after_condenser_is_refused(key):
    told = "gathers a text in its first token, and mean reads out others. Write cls, or leave"
    (later,) = problems_of({"models": chain(**{key: "mean"})})
    assert later.startswith(
        f"models.mine.{key}: the recipe condenser, by which first was trained before, {told}"
    )
    (own,) = problems_of({"models": {"mine": {**CONDENSER, key: "mean"}}})
    assert own.startswith(f"models.mine.{key}: the recipe condenser {told}")


def test_an_encoder_whose_start_is_trained_from_itself_is_told_once():
    (problem,) = problems_of(
        {"models": {"mine": {**AFTER, "start": "other"}, "other": {**AFTER, "start": "mine"}}}
    )
    assert "is circular" in problem
