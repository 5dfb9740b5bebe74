"""Pair sets, alignments and regressions in a configuration: what they need, and what is told of mistakes."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.families.pair_sets import embedded_sets
from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import Experiment, load_experiment
from sentflow.graph.targets import Targets

REPOSITORY = Path(__file__).parents[2]
WORKFLOW = REPOSITORY / "workflow"
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
DEFAULT["select"] |= {"pair_sets": [], "alignments": [], "regressions": []}
MINE = {
    "title": "Mine",
    "family": "mine",
    "dataset": "stsb",
    "language": "en",
    "data_version": "raw",
    "scale": [0, 5],
    "reader": {
        "format": "tsv",
        "files": ["sts-dev.csv"],
        "header": False,
        "text_a": 6,
        "text_b": 7,
        "score": 5,
    },
}


def experiment(**changes: Any) -> Experiment:
    return load_experiment(laid_over(copy.deepcopy(DEFAULT), changes), WORKFLOW)


def mistakes(**changes: Any) -> list[str]:
    with pytest.raises(ConfigError) as error:
        experiment(**changes)
    return [line.removeprefix("  - ") for line in str(error.value).splitlines()[1:]]


def mistake(**changes: Any) -> str:
    (only,) = mistakes(**changes)
    return only


def test_a_family_holds_what_alignments_and_regressions_need_in_the_order_of_the_catalog():
    select = {"pair_sets": ["SICKR-test", "STS12"], "alignments": ["STSB-test"], "regressions": ["STSB"]}
    chosen = experiment(select=select)
    assert list(chosen.selected["pair_sets"]) == ["SICKR-test", "STS12"]
    expected = ["STS12", "STSB-train", "STSB-dev", "STSB-test", "SICKR-test"]
    assert {family: list(sets) for family, sets in embedded_sets(chosen).items()} == {"sts-english": expected}
    assert {"sts12", "stsb", "sick"} < set(Targets(chosen).datasets)
    assert "stsb" not in Targets(chosen).families["probing"].tasks_of_dataset


def test_a_pair_set_may_be_like_another():
    entry = experiment(select={"pair_sets": ["STS16-senteval"]}).selected["pair_sets"]["STS16-senteval"]
    assert (entry["family"], entry["rows"]) == ("sts-english-senteval", 1186)
    assert entry["reader"]["input"] == "STS.input.{subset}.txt"
    assert entry["reader"]["subsets"][0] == "answer-answer"


def test_tasks_may_be_left_out_where_there_are_pair_sets():
    alone = experiment(
        select={"models": ["random"], "tasks": [], "pair_sets": ["STS12"], "question_sets": []}
    )
    assert (alone.selected["tasks"], list(Targets(alone).datasets)) == ({}, ["sts12"])


def test_nothing_at_all_is_a_mistake():
    told = mistake(select={"tasks": [], "question_sets": []})
    assert (
        told
        == "config.select: nothing is selected. Write names of tasks, or of pair_sets, or of alignments, or of "
        "question_sets."
    )


def test_protocols_cannot_be_compared_without_tasks():
    select = {"tasks": [], "pair_sets": ["STS12"]}
    told = mistake(select=select, study={"protocols": ["corrected"]})
    assert told.startswith(
        "config.study.protocols: protocols are compared on tasks, but select.tasks is empty."
    )


@pytest.mark.parametrize(
    ("section", "wrong", "noun", "nearest"),
    [
        ("pair_sets", "STSB-tets", "pair set", "STSB-test"),
        ("alignments", "KorSTS-tests", "alignment", "KorSTS-test"),
        ("regressions", "SICK-R", "regression", "SICKR"),
    ],
)
def test_unknown_name_is_told_with_the_nearest(section, wrong, noun, nearest):
    told = mistake(select={section: [wrong]})
    assert told.startswith(f"config.select.{section}: there is no {noun} '{wrong}'. Did you mean {nearest}?")


def test_like_of_a_pair_set_that_does_not_exist_is_told_with_the_nearest():
    told = mistakes(pair_sets={"mine": {"like": "STSB-tests"}})
    assert any(
        "pair_sets.mine.like: there is no pair set 'STSB-tests'. Did you mean STSB-test?" in text
        for text in told
    )


@pytest.mark.parametrize(
    ("section", "entry", "place"),
    [
        ("alignments", 3, "alignments.mine: 3 is not of type 'object'"),
        ("alignments", {"pairs": 5}, "alignments.mine.pairs: 5 is not of type 'array'"),
        ("alignments", {"pairs": [["STSB-test"]]}, "alignments.mine.pairs.0: ['STSB-test'] is not of type"),
        ("regressions", {"train": None}, "regressions.mine.train: None is not of type 'string'"),
        (
            "pair_sets",
            {**MINE, "reader": {"format": "tsv", "files": [["x"]]}},
            "pair_sets.mine.reader.files.0: ",
        ),
        (
            "pair_sets",
            {**MINE, "reader": {"format": "tsv", "files": 3}},
            "pair_sets.mine.reader.files: 3 is not",
        ),
    ],
)
def test_a_selected_entry_of_another_form_is_told(section, entry, place):
    assert any(
        text.startswith(place) for text in mistakes(**{section: {"mine": entry}}, select={section: ["mine"]})
    )


def test_a_pair_set_of_another_form_does_not_hide_the_alignment_that_names_it():
    alignment = {
        "title": "A",
        "pairs": ["mine"],
        "variant": "definition",
        "threshold": 4,
        "comparison": "above",
    }
    told = mistakes(
        pair_sets={"mine": {**MINE, "reader": {"format": "tsv", "files": [["x"]]}}},
        alignments={"both": {**alignment, "sentences": "all"}},
        select={"alignments": ["both"]},
    )
    assert [text.partition(": ")[0] for text in told] == ["pair_sets.mine.reader.files.0"]


def test_dataset_of_a_pair_set_must_exist():
    told = mistake(pair_sets={"mine": {**MINE, "dataset": "stbs"}}, select={"pair_sets": ["mine"]})
    assert told.startswith("pair_sets.mine.dataset: there is no dataset 'stbs'. Did you mean stsb?")


def test_files_of_a_pair_set_must_be_those_of_its_dataset():
    entry = {**MINE, "reader": {**MINE["reader"], "files": ["sts-dve.csv"]}}
    told = mistake(pair_sets={"mine": entry}, select={"pair_sets": ["mine"]})
    assert told.startswith(
        "pair_sets.mine.reader: the dataset stsb has no file 'sts-dve.csv'. Did you mean sts-dev.csv?"
    )


@pytest.mark.parametrize("family", ["stsb", "tmup"])
def test_a_family_is_not_called_like_a_dataset(family):
    told = mistake(pair_sets={"mine": {**MINE, "family": family}}, select={"pair_sets": ["mine"]})
    assert told.startswith(f"pair_sets.mine.family: '{family}' is the name of a dataset")


def test_pair_sets_of_an_alignment_are_of_one_family():
    alignment = {
        "title": "Both",
        "pairs": ["STSB-test", "KorSTS-test"],
        "variant": "definition",
        "threshold": 4,
        "comparison": "above",
        "sentences": "all",
    }
    told = mistake(alignments={"both": alignment}, select={"alignments": ["both"]})
    assert told.startswith("alignments.both: its pair sets must be of one family")
    assert "STSB-test is of sts-english, KorSTS-test is of sts-korean" in told


def test_pair_sets_of_a_regression_exist_and_are_of_one_family():
    entry = {"title": "Mine", "train": "KorSTS-train", "dev": "STSB-dev", "test": "STSB-tets"}
    told = mistakes(regressions={"mine": entry}, select={"regressions": ["mine"]})
    assert told[0].startswith("regressions.mine: there is no pair set 'STSB-tets'. Did you mean STSB-test?")
    assert told[1].startswith("regressions.mine: its pair sets must be of one family")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("variant", "per-batch", "'batch' is a required property"),
        ("batch", 64, "Only the variant per-batch has batches."),
        ("comparison", "over", "Whether a score equal to the threshold counts"),
    ],
)
def test_an_alignment_says_all_that_its_variant_needs(key, value, message):
    assert message in mistake(alignments={"STSB-test": {key: value}}, select={"alignments": ["STSB-test"]})


def test_published_variants_count_every_sentence():
    wrong = {"STSB-test-alignunformeval": {"sentences": "unique"}}
    assert "The published tools take every sentence as often as it occurs." in mistake(alignments=wrong)


def test_families_to_describe_are_those_of_selected_pair_sets():
    select = {"pair_sets": ["KorSTS-test"]}
    told = mistake(select=select, geometry={"families": ["sts-corean"]})
    assert told == (
        "config.geometry.families: no pair set of the family 'sts-corean' is selected. Did you mean sts-korean? "
        "Write one of: sts-korean."
    )
    assert "no pair set is selected" in mistake(geometry={"families": ["sts-korean"]})
    assert "is every family" in mistake(select=select, geometry={"families": "every"})


def test_an_encoder_is_not_called_like_a_baseline():
    models = {"jaccard-words": {"kind": "random", "dimension": 8, "seed": 1, "title": "R"}}
    told = mistake(models=models, select={"models": ["jaccard-words"], "pair_sets": ["STS12"]})
    assert "'jaccard-words' is also one of similarity.baselines. Give the encoder another name." in told


def test_every_entry_of_the_catalog_can_be_selected():
    sections = ("pair_sets", "alignments", "regressions")
    names = {
        section: list(yaml.safe_load((WORKFLOW / f"catalog/{section}.yaml").read_text(encoding="utf-8")))
        for section in sections
    }
    everything = experiment(select=names)
    assert [len(everything.selected[section]) for section in sections] == [
        len(names[section]) for section in sections
    ]
