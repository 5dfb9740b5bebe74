"""Training data in catalog and configuration: short form, files of the user, and mistakes in words."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.families.training.config import data_problems
from sentflow.families.training.settings import REQUIRED
from sentflow.graph.config.catalog import load_catalog
from sentflow.graph.config.family import AllEntries
from sentflow.graph.config.schema import load_schema
from sentflow.texts.record_readers import RecordReader
from sentflow.texts.sample.training import FILES
from sentflow.training.data import reader
from sentflow.training.data.forms import FORMS

REPOSITORY = Path(__file__).parents[2]
NOTHING: dict[str, Any] = {"tasks": {}, "pair_sets": {}, "question_sets": {}}  # is selected
WORKFLOW = REPOSITORY / "workflow"
LEGAL_FAMILIES = ("factual", "governmental", "trust")  # of the 18 tasks


def entries(**own: Any) -> AllEntries:
    config = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
    return load_catalog({**config, **own}, WORKFLOW)


@pytest.fixture(scope="module")
def catalog() -> AllEntries:
    return entries()


def test_every_entry_of_the_catalog_is_in_order_or_asks_for_a_file(catalog):
    for name in catalog["training_data"]:
        problems = list(data_problems(name, catalog, NOTHING))
        assert not problems or (len(problems) == 1 and "Write the path of your copy" in problems[0]), name


def test_a_required_file_is_told_with_what_to_write(catalog):
    [told] = data_problems("korean-news-1m", catalog, NOTHING)
    assert told == (
        "training_data.korean-news-1m.file: the file of Korean news, 1 million sentences is not in the catalog. "
        "korean_news_data_1m.txt of HYU-NLP/Korean-Sentence-Representations was never published. Write the path of "
        "your copy: training_data: {korean-news-1m: {file: <path>}}."
    )


def test_a_path_makes_a_required_entry_whole(tmp_path):
    file = tmp_path / "news.txt"
    file.write_text("a b\n", "utf-8")
    found = entries(training_data={"korean-news-1m": {"file": str(file)}})
    entry = found["training_data"]["korean-news-1m"]
    assert list(data_problems("korean-news-1m", found, NOTHING)) == []
    assert entry["reader"] == {"format": "lines", "files": ["news.txt"]}
    assert found["datasets"][entry["dataset"]]["files"]["news.txt"]["urls"] == [str(file)]
    assert REQUIRED not in str(entry)


def test_unpublished_corpora_and_those_without_a_checksum_are_never_downloaded(catalog):
    asked = {
        name
        for name, entry in catalog["training_data"].items()
        if "dataset" in entry and REQUIRED in entry["reader"]["files"]
    }
    assert {"wiki1m", "nli-for-simcse", "snli-ko", "korean-news-1m", "korean-wiki-len15-1m"} <= asked


@pytest.mark.parametrize(
    ("own", "form", "read"),
    [
        ({"file": "my.txt", "format": "lines"}, "texts", {"format": "lines", "files": ["my.txt"]}),
        ({"file": "my.txt"}, "texts", {"format": "lines", "files": ["my.txt"]}),
        (
            {"file": "a/my.tsv", "text": "x", "other": "y"},
            "pairs",
            {"format": "csv", "delimiter": "\t", "files": ["my.tsv"], "text": "x", "other": "y"},
        ),
        (
            {"file": "my.jsonl", "text": "x", "other": "y", "negative": "z"},
            "triplets",
            {"format": "jsonl", "files": ["my.jsonl"], "text": "x", "other": "y", "negative": "z"},
        ),
        (
            {"file": "my.csv", "other": "y", "label": "l", "labels": ["no", "yes"], "encoding": "cp949"},
            "labelled",
            {
                "format": "csv",
                "files": ["my.csv"],
                "other": "y",
                "label": "l",
                "labels": ["no", "yes"],
                "encoding": "cp949",
            },
        ),
    ],
)
def test_short_form_is_a_file_and_its_columns(own, form, read):
    found = entries(training_data={"mine": own})
    entry = found["training_data"]["mine"]
    assert (entry["form"], entry["reader"], entry["title"], entry["language"]) == (form, read, "mine", "und")
    assert found["datasets"]["own-training-data-mine"]["licence"] == "not stated"


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"file": "my.doc"}, "training_data.mine.file: the ending of 'my.doc' is not that of a known format"),
        (
            {"file": "https://example.org/my.txt"},
            "training_data.mine.sha256: a file from the network needs its checksum",
        ),
        ({"file": "my.txt", "colour": 1}, "training_data.mine.colour: there is no such key"),
        ({"file": "my.txt", "limit": 0}, "training_data.mine.limit: 0 is less than the minimum of 1"),
    ],
)
def test_mistakes_in_the_short_form_are_told_with_what_to_write(own, told):
    with pytest.raises(ConfigError) as caught:
        entries(training_data={"mine": own})
    assert told in str(caught.value)


ROWS = {"dataset": "wiki1m-10k"}
WIKI = {"format": "lines", "files": ["wiki1m_for_simcse.sample.txt"]}
NLI = {"format": "csv", "files": ["snli-dev.csv"], "text": "premise", "other": "hypothesis"}


@pytest.mark.parametrize(
    ("own", "told"),
    [
        (
            {"form": "texts", **ROWS, "reader": WIKI, "shuffled_positives": 1},
            "shuffled_positives: data of the form texts have no positives, so that it has no effect. Delete it, or",
        ),
        (
            {"form": "pairs", **ROWS, "reader": WIKI},
            "reader.other: pairs have text and other. Write other: <column>",
        ),
        (
            {"form": "triplets", "dataset": "nli-development", "reader": NLI},
            "reader.negative: triplets have text, other and negative. Write negative: <column>.",
        ),
        (
            {"form": "triplets", "dataset": "nli-development", "reader": NLI, "nli": "by-premise"},
            "reader.label: triplets have text, other and label. Write label: <column>.",
        ),
        (
            {"form": "labelled", "dataset": "nli-development", "reader": NLI, "nli": "by-premise"},
            "nli: by-premise makes pairs or triplets, not labelled. Write form: triplets.",
        ),
        (
            {"form": "pairs", "dataset": "nli-development", "reader": {**NLI, "label": "label"}},
            "reader.label: pairs have text and other only. Delete it, or write form: labelled.",
        ),
        (
            {"form": "texts", **ROWS, "reader": {**WIKI, "files": ["x.txt"]}},
            "reader.files: the dataset wiki1m-10k has no",
        ),
        ({"form": "texts", "dataset": "wiki", "reader": WIKI}, "dataset: there is no dataset 'wiki'"),
        ({"form": "texts", "pair_sets": ["STS21"]}, "pair_sets: there is no pair set 'STS21'"),
        ({"form": "triplets", "pair_sets": ["STS12"]}, "form: pair sets give texts or pairs, not triplets."),
        (
            {"form": "texts", **ROWS, "reader": WIKI, "unscored": True},
            "unscored: only pair sets have scores.",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_what_to_write(own, told):
    about = {"title": "Mine", "language": "en", "data_version": "raw"}
    found = entries(training_data={"mine": {**about, **own}})
    assert any(f"training_data.mine.{told}" in problem for problem in data_problems("mine", found, NOTHING))


ABOUT = {"title": "Mine", "language": "pt", "data_version": "raw"}


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"combined": {"data": ["bill"]}}, "combined.data: there is no training data 'bill'."),
        (
            {"combined": {"data": ["wiki-10k"]}},
            "combined.data: wiki-10k has texts, not pairs. Write another.",
        ),
        ({"combined": {"data": ["mine"]}}, "combined.data: mine is put together of others itself."),
        ({"form": "texts", "combined": {"data": ["msmarco-ko"]}}, "form: combined gives pairs, not texts."),
        ({"combined": {"data": ["msmarco-ko"]}, "limit": 5}, "limit: rows are chosen where they are read."),
        (
            {"combined": {"data": ["msmarco-ko"], "without_texts_of": {"pair_sets": ["STSB-test"]}}},
            "combined.without_texts_of.pair_sets: STSB-test is not selected, so its table is not made. Write it in "
            "select.pair_sets, or delete it here.",
        ),
        (
            {"combined": {"data": ["msmarco-ko"], "without_texts_of": {"pair_sets": ["STS21"]}}},
            "combined.without_texts_of.pair_sets: there is no pair set 'STS21'.",
        ),
    ],
)
def test_data_that_are_put_together_wrongly_are_told(own, told):
    found = entries(training_data={"mine": {**ABOUT, "form": "pairs", **own}})
    assert any(f"training_data.mine.{told}" in problem for problem in data_problems("mine", found, NOTHING))


def test_data_that_are_put_together_rightly_pass_whether_their_tests_are_selected_or_not():
    combined = {"data": ["msmarco-ko", "msmarco-en"], "without_texts_of": {"tasks": ["T1A-open"]}}
    found = entries(training_data={"mine": {**ABOUT, "form": "pairs", "combined": combined}})
    assert list(data_problems("mine", found, NOTHING)) == []


def test_a_held_out_task_whose_file_is_not_in_its_dataset_is_told():
    combined = {"data": ["msmarco-ko"], "without_texts_of": {"tasks": ["mine"]}}
    reader = {"format": "csv", "file": "no-such.csv", "text_a": "text", "label": "label"}
    found = entries(
        training_data={"mine": {**ABOUT, "form": "pairs", "combined": combined}},
        tasks={"mine": {"like": "T1A-open", "reader": reader}},
    )
    [told] = data_problems("mine", found, NOTHING)
    assert told.startswith("tasks.mine") and "no-such.csv" in told


@pytest.fixture(scope="module")
def open_tasks(catalog):
    found = {
        name
        for name, task in catalog["tasks"].items()
        if task["language"] == "pt"
        and task["family"] in LEGAL_FAMILIES
        and task["data_version"] not in ("official", "sample data")
    }
    assert {"F2-open", "G4-moral-issues", "T4-open"} <= found
    return found


def experiment(name):
    return yaml.safe_load((REPOSITORY / "experiments" / name).read_text(encoding="utf-8"))


def test_the_legal_pairs_hold_out_every_open_portuguese_task_of_the_catalog(open_tasks):
    data = experiment("legal-pairs.yaml")["training_data"]["legal-pairs"]
    assert set(data["combined"]["without_texts_of"]["tasks"]) == open_tasks


def test_the_experiment_on_open_data_runs_every_open_portuguese_task_of_the_catalog(open_tasks):
    assert set(experiment("open-data.yaml")["select"]["tasks"]) == open_tasks


def test_a_file_that_is_not_there_is_told():
    found = entries(training_data={"mine": {"file": "no-such.txt"}})
    [told] = data_problems("mine", found, NOTHING)
    assert "training_data.mine: there is no file no-such.txt" in told


def test_readers_of_code_and_schema_have_the_same_keys_formats_and_forms():
    schema = load_schema(WORKFLOW, "training_data")["$defs"]
    known = schema["reader"]["properties"]
    of_files = {item.name for item in fields(RecordReader)} - {"columns"}
    assert set(known) == of_files | {*reader.COLUMNS, "labels", "missing", "lists"}
    assert tuple(known["format"]["enum"]) == reader.FORMATS
    assert schema["training_data"]["properties"]["form"]["enum"] == list(FORMS)


def test_data_that_hold_texts_of_tests_say_so(catalog):
    for name, entry in catalog["training_data"].items():
        parts = [catalog["pair_sets"][one]["split"] for one in entry.get("pair_sets", [])]
        assert entry.get("contains_test_texts", False) or "test" not in parts, name


def test_sample_files_are_those_that_the_generator_writes(catalog):
    files = catalog["datasets"]["sample-training"]["files"]
    assert [entry["generator"] for entry in files.values()] == list(FILES)


def blocks_of_the_docs() -> list[dict[str, Any]]:
    page = (REPOSITORY / "docs/training.md").read_text(encoding="utf-8")
    found = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    return [block for block in found if "training_data" in block]


@pytest.mark.parametrize("block", blocks_of_the_docs())
def test_examples_of_the_docs_are_valid_entries(block):
    assert entries(training_data=block["training_data"])


def test_the_docs_name_every_key():
    page = (REPOSITORY / "docs/training.md").read_text(encoding="utf-8")
    parts = load_schema(WORKFLOW, "training_data")["$defs"]
    keys = {key for part in ("training_data", "reader") for key in parts[part]["properties"]}
    assert [key for key in sorted(keys) if not re.search(rf"\b{key}\b", page)] == []
