"""The record of a training, and how it was made: written and read back, damage is named."""

from dataclasses import replace

import pytest

from sentflow.errors import DataError
from sentflow.training.made import Made
from sentflow.training.record import Data, Record, Start

RECORD = Record(
    model="simcse-seed-1",
    recipe="simcse",
    recipe_settings={"temperature": 0.05, "permute": ["whitespace"]},
    training={"steps": 60, "learning_rate": 3e-5, "betas": [0.9, 0.999], "precision": "float32"},
    seed=1,
    pooling="cls",
    start=Start("minilm", "sentence-transformer", {"hub": "an/encoder"}, "0" * 40, "ab" * 32),
    data=Data("sätze", "cd" * 32, 10_000, "texts"),
    teacher=None,
    code="ef" * 32,
    versions={"torch": "2.9.1"},
    steps=60,
    tokens=61_234,
)
MADE = Made((20, 40), "cpu", "a processor", "float32", 2, 84.25, 726.8, 1234.5)


def test_a_record_is_what_was_written():
    assert Record.from_json(RECORD.to_json()) == RECORD


def test_equal_records_are_equal_texts_whatever_the_order_of_their_keys():
    turned = replace(RECORD, training=dict(reversed(RECORD.training.items())))
    assert turned.to_json() == RECORD.to_json()


def test_how_it_was_made_is_what_was_written(tmp_path):
    (tmp_path / "made.json").write_text(MADE.to_json(), encoding="utf-8")
    assert Made.read(tmp_path / "made.json") == MADE


@pytest.mark.parametrize("kind", [Record, Made])
@pytest.mark.parametrize("text", ["[]", "{", '{"seconds": 1}', '{"nonsense": 1}'])
def test_what_is_no_record_is_refused(kind, text):
    with pytest.raises(DataError, match=r"cannot be read.*Train again"):
        kind.from_json(text)


def test_an_unknown_key_is_named():
    with pytest.raises(DataError, match=r"learning_rat in it is unknown"):
        Record.from_json(RECORD.to_json().replace('"code"', '"learning_rat"'))


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match=r"record\.json is missing"):
        Record.read(tmp_path / "record.json")
