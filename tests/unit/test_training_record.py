"""The record of a training, and how it was made: written and read back, damage is named."""

from dataclasses import asdict, replace

import pytest
from trained_results import MADE, RECORD

from sentflow.errors import DataError
from sentflow.files.sealed import write_sealed
from sentflow.training.made import Made
from sentflow.training.record import Record


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
