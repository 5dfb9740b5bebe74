"""The record of a training, and how it was made: written and read back, damage is named."""

from dataclasses import asdict, replace

import pytest

from sentflow.errors import DataError
from sentflow.files.sealed import write_sealed
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


def test_a_record_is_what_was_written_whatever_the_order_of_its_keys(tmp_path):
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    RECORD.write(one)
    assert Record.read(one) == RECORD
    replace(RECORD, training=dict(reversed(RECORD.training.items()))).write(other)
    assert one.read_bytes() == other.read_bytes()
    assert Made.from_json(MADE.to_json()) == MADE


def test_what_is_no_record_is_refused(tmp_path):
    file = tmp_path / "record.json"
    for found in ({"seconds": 1}, {**asdict(RECORD), "learning_rat": 1}):
        write_sealed(file, found)
        with pytest.raises(DataError, match=r"Train again"):
            Record.read(file)
    RECORD.write(file)
    for text in ("[]", "{", file.read_text("utf-8").replace("61234", "61235")):
        file.write_text(text, "utf-8")
        with pytest.raises(DataError, match=r"record\.json .*Delete it"):
            Record.read(file)
    for text in ("[]", "{", '{"seconds": 1}', MADE.to_json().replace('"device"', '"devise"')):
        with pytest.raises(DataError, match=r"Train again"):
            Made.from_json(text)
