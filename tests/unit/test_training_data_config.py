"""Training data in catalog and configuration: short form, files of the user, and mistakes in words."""

from typing import Any

import experiments
import pytest
from experiments import DEFAULT, WORKFLOW

from sentflow.config.load import load_catalog
from sentflow.errors import ConfigError


def entries(**own: Any) -> dict[str, Any]:
    return load_catalog({**DEFAULT, **own}, WORKFLOW)


def mistakes(training_data: dict[str, Any], *names: str) -> list[str]:
    """What is told where trained encoders name these data."""
    models = {
        f"trained-{place}": {
            "kind": "trained",
            "recipe": "simcse",
            "start": "minilm-l6",
            "data": name,
            "seed": 1,
            "training": {"steps": 10, "learning_rate": 3.0e-5},
        }
        for place, name in enumerate(names)
    }
    own = {"training_data": training_data, "models": models, "select": {"models": ["random", *models]}}
    return experiments.mistakes(own)


def test_unpublished_corpora_ask_for_a_file_and_a_path_makes_them_whole(tmp_path):
    (told,) = mistakes({}, "korean-news-1m")
    assert told.startswith("training_data.korean-news-1m.file: ")
    assert told.endswith("training_data: {korean-news-1m: {file: <path>}}.")
    file = tmp_path / "news.txt"
    file.write_text("a b\n", "utf-8")
    found = entries(training_data={"korean-news-1m": {"file": str(file)}})
    entry = found["training_data"]["korean-news-1m"]
    assert entry["reader"] == {"format": "lines", "files": ["news.txt"]}
    assert found["datasets"][entry["dataset"]]["files"]["news.txt"]["urls"] == [str(file)]


SHORT = {
    "pairs": (
        {"file": "a/my.tsv", "text": "x", "other": "y"},
        "pairs",
        {"format": "csv", "delimiter": "\t", "files": ["my.tsv"], "text": "x", "other": "y"},
    ),
    "labelled": (
        {"file": "my.csv", "other": "y", "label": "l", "labels": ["no", "yes"]},
        "labelled",
        {"format": "csv", "files": ["my.csv"], "other": "y", "label": "l", "labels": ["no", "yes"]},
    ),
}


def test_short_form_is_a_file_and_its_columns():
    found = entries(training_data={name: own for name, (own, _, _) in SHORT.items()})
    for name, (_, form, reader) in SHORT.items():
        entry = found["training_data"][name]
        assert (entry["form"], entry["reader"], entry["title"]) == (form, reader, name)
        assert entry["language"] == "und"
        assert found["datasets"][f"own-training-data-{name}"]["licence"] == "not stated"


ABOUT = {"title": "Mine", "language": "en", "data_version": "raw"}
ROWS = {"dataset": "wiki1m-10k", "reader": {"format": "lines", "files": ["wiki1m_for_simcse.sample.txt"]}}
NLI = {"format": "csv", "files": ["snli-dev.csv"], "text": "premise", "other": "hypothesis"}
OF_NLI = {"dataset": "nli-development", "reader": NLI}
PAIRS = {"form": "pairs"}
HELD_OUT = {"without_texts_of": {"pair_sets": ["STS21"]}}
# What is written → the key that is told, and a word of the remedy
WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"form": "texts", **ROWS, "shuffled_positives": 1}, ".shuffled_positives", "Delete it"),
    ({"form": "pairs", **ROWS}, ".reader.other", "other: <column>"),
    ({"form": "triplets", **OF_NLI}, ".reader.negative", "negative: <column>"),
    ({"form": "triplets", **OF_NLI, "nli": "by-premise"}, ".reader.label", "label: <column>"),
    ({"form": "labelled", **OF_NLI, "nli": "by-premise"}, ".nli", "form: triplets"),
    ({"form": "texts", **ROWS, "reader": {"format": "lines", "files": ["x.txt"]}}, ".reader.files", "x.txt"),
    ({"form": "texts", **ROWS, "dataset": "wiki"}, ".dataset", "'wiki'"),
    ({"form": "texts", "pair_sets": ["STS21"]}, ".pair_sets", "'STS21'"),
    ({"form": "triplets", "pair_sets": ["STS12"]}, ".form", "texts or pairs"),
    ({"form": "texts", **ROWS, "unscored": True}, ".unscored", "pair_sets"),
    ({**PAIRS, "combined": {"data": ["bill"]}}, ".combined.data", "'bill'"),
    ({**PAIRS, "combined": {"data": ["wiki-10k"]}}, ".combined.data", "not pairs"),
    ({"form": "texts", "combined": {"data": ["msmarco-ko"]}}, ".form", "pairs, not texts"),
    ({**PAIRS, "combined": {"data": ["msmarco-ko"]}, "limit": 5}, ".limit", "read"),
    (
        {**PAIRS, "combined": {"data": ["msmarco-ko"], **HELD_OUT}},
        ".combined.without_texts_of.pair_sets",
        "'STS21'",
    ),
    ({"file": "no-such.txt"}, "", "no-such.txt"),
]


def test_what_does_not_fit_is_told_with_what_to_write():
    data = {
        f"mine-{place:02}": own if "file" in own else {**ABOUT, **own}
        for place, (own, _, _) in enumerate(WRONG)
    }
    told = mistakes(data, *data)
    for name, (_, key, word) in zip(data, WRONG, strict=True):
        assert any(line.startswith(f"training_data.{name}{key}: ") and word in line for line in told), name


def test_mistakes_in_the_short_form_are_told_with_what_to_write():
    wrong = {
        "ending": ({"file": "my.doc"}, "file: the ending of 'my.doc'"),
        "network": ({"file": "https://example.org/my.txt"}, "sha256: "),
        "key": ({"file": "my.txt", "colour": 1}, "colour: there is no such key"),
        "limit": ({"file": "my.txt", "limit": 0}, "limit: 0 should be greater than or equal to 1"),
    }
    with pytest.raises(ConfigError) as caught:
        entries(training_data={name: own for name, (own, _) in wrong.items()})
    for name, (_, told) in wrong.items():
        assert f"training_data.{name}.{told}" in str(caught.value)
