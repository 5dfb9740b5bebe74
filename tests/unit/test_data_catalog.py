"""The catalog of datasets and tasks: its form, and what the spec fixes of its content."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from sentflow.graph.config.schema import load_schema
from sentflow.texts import pair_readers
from sentflow.texts.derived.reader import DerivedReader
from sentflow.texts.pair_files import raw_files_of
from sentflow.texts.pair_readers import PairReader
from sentflow.texts.readers import FORMATS, Reader
from sentflow.texts.sample.pairs import RECIPES
from sentflow.texts.task_files import DERIVED, files_of

WORKFLOW = Path(__file__).parents[2] / "workflow"
OFFICIAL = [
    "F1A",
    "F1B",
    "F2",
    "F3",
    "F4",
    "F5",
    "F6",
    "G1",
    "G2A",
    "G2B",
    "G3",
    "G4",
    "T1A",
    "T1B",
    "T2A",
    "T2B",
    "T3",
    "T4",
]
SENTENCE_PAIRS = ["SICK-E", "ASSIN2-entailment", "Korean-questions", "TMUP-paraphrases"]
OPEN = ["T1A-open", "T1B-open", "T2A-open", "T2B-open", "T3-open"]
DERIVED_TASKS = [
    "F2-open",
    "F3-open",
    "F5-simulated",
    "F6-open",
    "G1-open",
    "G2A-open",
    "G4-moral-issues",
    "T4-open",
    "F1A-open",
    "F4-open",
    "G2B-open",
    "G3-open",
]


def load(path: str) -> dict[str, Any]:
    return yaml.safe_load((WORKFLOW / path).read_text(encoding="utf-8"))


def errors(kind: str, entries: dict[str, Any]) -> list[str]:
    validator = jsonschema.Draft202012Validator(load_schema(WORKFLOW, kind))
    return [error.message for error in validator.iter_errors(entries)]


@pytest.fixture(scope="module")
def datasets() -> dict[str, Any]:
    return load("catalog/datasets.yaml")


@pytest.fixture(scope="module")
def tasks() -> dict[str, Any]:
    return load("catalog/tasks.yaml")


@pytest.mark.parametrize("kind", ["datasets", "tasks", "pair_sets"])
def test_catalog_fits_its_schema(kind):
    assert errors(kind, load(f"catalog/{kind}.yaml")) == []


@pytest.mark.parametrize("kind", ["datasets", "tasks", "pair_sets"])
def test_every_key_of_a_schema_is_described(kind):
    schema = load_schema(WORKFLOW, kind)
    undescribed = [
        f"{name}.{key}"
        for name, part in schema["$defs"].items()
        for key, value in part["properties"].items()
        if "description" not in value
    ]
    assert undescribed == []


def test_all_tasks_exist_as_official_and_as_sample(tasks):
    assert list(tasks) == [
        *OFFICIAL,
        *(f"{task}-sample" for task in OFFICIAL),
        *OPEN,
        *SENTENCE_PAIRS,
        *DERIVED_TASKS,
    ]


def test_every_task_names_an_existing_dataset_and_file(tasks, datasets):
    for name, task in tasks.items():
        assert set(files_of(task["reader"])) <= datasets[task["dataset"]]["files"].keys(), name


def test_only_f2_f3_f5_have_many_classes_and_only_f3_f5_a_hidden_layer(tasks):
    assert {name for name in OFFICIAL if tasks[name]["metric"] == "adjusted_macro_f1"} == {"F2", "F3", "F5"}
    assert {name for name in OFFICIAL if tasks[name]["classifier"] == "mlp"} == {"F3", "F5"}


def test_variants_differ_from_the_official_task_in_data_only(tasks):
    for name, task in tasks.items():
        if "like" in task:
            assert task["like"] == name.split("-")[0]
            assert not {"family", "metric", "classifier", "title"} & set(task), name


def test_official_files_have_a_checksum_and_the_cloud_before_the_drive(datasets):
    for task in OFFICIAL:
        (file,) = datasets[f"ulysses-{task.lower()}"]["files"].values()
        assert [url.split("/")[2] for url in file["urls"]] == [
            "cloud.andrelab.icmc.usp.br",
            "drive.google.com",
        ]
        assert len(file["sha256"]) == 64


def test_sample_files_have_the_official_names_but_no_address(datasets):
    sample = datasets["sample-tasks"]
    official = {
        name.removesuffix(".zip") + ".csv": {"generator": task}
        for task in OFFICIAL
        for name in datasets[f"ulysses-{task.lower()}"]["files"]
    }
    assert sample["files"] == official
    assert "seed" in sample


def test_every_sample_task_reads_the_file_that_imitates_it(tasks, datasets):
    for task in OFFICIAL:
        sample = tasks[f"{task}-sample"]
        assert datasets[sample["dataset"]]["files"][sample["reader"]["file"]] == {"generator": task}


def test_sample_tasks_share_a_dataset_so_that_one_job_embeds_their_texts(tasks):
    assert {tasks[f"{task}-sample"]["dataset"] for task in OFFICIAL} == {"sample-tasks"}


def test_readers_of_code_and_schema_have_the_same_keys_formats_and_defaults():
    schema = load_schema(WORKFLOW, "tasks")["$defs"]["reader"]["properties"]
    derived = {item.name for item in fields(DerivedReader)} - {"of_file", "replaced"} | {"replace"}
    assert set(schema) == {item.name for item in fields(Reader)} | derived
    assert tuple(schema["format"]["enum"]) == (*FORMATS, DERIVED)
    for item in fields(Reader):
        if "default" in schema[item.name]:
            assert schema[item.name]["default"] == item.default


def test_own_csv_needs_few_lines():
    own = """
    my-task:
      like: T1A
      dataset: my-data
      data_version: my data
      reader: {format: csv, file: my.csv, text_a: text, label: label, labels: {0: 0, 1: 1}}
    """
    assert errors("tasks", yaml.safe_load(own)) == []


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("metric", "f1", "'f1' is not one of ['mcc', 'adjusted_macro_f1']"),
        ("reder", {}, "'reder' was unexpected"),
        ("class_counts", {"yes": 3}, "'yes' does not match"),
    ],
)
def test_key_or_value_that_does_not_exist_is_refused(tasks, key, value, message):
    assert any(message in error for error in errors("tasks", {"X": {**tasks["T1A"], key: value}}))


def test_reader_keys_of_another_format_are_refused(tasks):
    task = {**tasks["T1A"], "reader": {"format": "ulysses-csv", "file": "x.csv", "text_a": "t"}}
    assert errors("tasks", {"X": task}) != []


@pytest.mark.parametrize(
    "file",
    [
        {"urls": ["https://a.br/x.csv"]},
        {"urls": ["x.csv", "HTTP://a.br/x.csv"]},
        {"urls": ["x.csv"], "members_sha256": "0" * 64},
        {"urls": []},
        {},
    ],
)
def test_file_without_address_or_checksum_is_refused(datasets, file):
    assert errors("datasets", {"x": {**datasets["factnews"], "files": {"x.csv": file}}}) != []


def test_local_file_needs_no_checksum(datasets):
    entry = {**datasets["factnews"], "files": {"x.csv": {"urls": ["meus/x.csv"]}}}
    assert errors("datasets", {"x": entry}) == []


# --- pair sets


@pytest.fixture(scope="module")
def pair_sets() -> dict[str, Any]:
    """Pair sets with what they are like."""
    written = load("catalog/pair_sets.yaml")

    def resolved(name: str) -> dict[str, Any]:
        own = dict(written[name])
        if "like" not in own:
            return own
        base = resolved(own.pop("like"))
        return {**base, **own, "reader": {**base["reader"], **own.get("reader", {})}}

    return {name: resolved(name) for name in written}


def test_pair_sets_fit_their_schema_with_what_they_are_like(pair_sets):
    assert errors("pair_sets", pair_sets) == []
    for name, entry in pair_sets.items():
        assert PairReader.from_settings(entry["reader"], where=name).format == entry["reader"]["format"]


def test_every_pair_set_names_existing_files_and_says_how_many_pairs_they_hold(pair_sets, datasets):
    for name, entry in pair_sets.items():
        assert set(raw_files_of(entry)) <= set(datasets[entry["dataset"]]["files"]), name
        assert entry["rows"] == sum(entry.get("subset_rows", {"": entry["rows"]}).values()), name
        assert entry["language"] == datasets[entry["dataset"]]["language"], name


def test_a_family_of_sentences_has_one_language_and_one_form_and_no_dataset_has_its_name(pair_sets, datasets):
    families: dict[str, set[tuple[str, bool]]] = {}
    for name, entry in pair_sets.items():
        families.setdefault(entry["family"], set()).add((entry["language"], "-senteval" in name))
    assert all(len(forms) == 1 for forms in families.values())
    assert not set(families) & set(datasets)


def test_pair_readers_of_code_and_schema_have_the_same_keys_formats_and_defaults():
    schema = load_schema(WORKFLOW, "pair_sets")["$defs"]["reader"]["properties"]
    assert set(schema) == {item.name for item in fields(PairReader)}
    assert tuple(schema["format"]["enum"]) == pair_readers.FORMATS
    for item in fields(PairReader):
        if "default" in schema[item.name]:
            assert schema[item.name]["default"] == item.default


def test_every_sample_pair_set_reads_the_file_that_imitates_its_namesake(pair_sets, datasets):
    samples = {name: entry for name, entry in pair_sets.items() if name.endswith("-sample")}
    assert [name.removesuffix("-sample") for name in samples] == list(RECIPES)
    for name, entry in samples.items():
        recipe = RECIPES[name.removesuffix("-sample")]
        (file,) = entry["reader"]["files"]
        assert datasets[entry["dataset"]]["files"][file] == {"generator": name.removesuffix("-sample")}
        assert entry["rows"] == recipe.rows_per_source * len(recipe.sources)
        assert entry["scale"] == [recipe.least, 5]


def test_own_pairs_need_few_lines():
    own = """
    my-pairs:
      title: My pairs
      family: my-pairs
      dataset: my-data
      language: pt
      data_version: my pairs
      scale: [0, 5]
      reader: {format: csv, files: [my.csv]}
    """
    assert errors("pair_sets", yaml.safe_load(own)) == []


@pytest.mark.parametrize(
    "reader",
    [
        {"format": "semeval", "subsets": ["a"], "input": "x.txt", "gold": "{subset}.txt"},
        {"format": "jsonl", "files": ["x"], "header": False},
        {"format": "csv", "files": ["x"], "block": 2},
        {"format": "blocks", "files": ["x"], "block": 3},
        {"format": "tsv", "files": ["x"], "quotes": "none"},
    ],
)
def test_pair_readers_with_keys_that_do_not_fit_are_refused(pair_sets, reader):
    assert errors("pair_sets", {"X": {**pair_sets["STS12"], "reader": reader}}) != []
