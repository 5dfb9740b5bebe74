"""The record of a training, and how it was made: written and read back, damage is named."""

import pytest
from trained_results import MADE, RECORD

from sentflow.errors import DataError
from sentflow.files.sealed import write_sealed
from sentflow.training.record import Made, Record


def test_a_record_is_what_was_written_whatever_the_order_of_its_keys(tmp_path):
    one, other, made = tmp_path / "one.json", tmp_path / "other.json", tmp_path / "made.json"
    RECORD.write(one)
    assert Record.read(one) == RECORD
    RECORD.model_copy(update={"training": dict(reversed(RECORD.training.items()))}).write(other)
    assert one.read_bytes() == other.read_bytes()
    MADE.write(made)
    assert Made.read(made) == MADE


def test_what_is_no_record_is_refused(tmp_path):
    file = tmp_path / "record.json"
    for value in ({"seconds": 1}, {**RECORD.as_dict(), "learning_rat": 1}):
        write_sealed(file, value)
        with pytest.raises(DataError, match=r"record\.json .*train again"):
            Record.read(file)
    RECORD.write(file)
    for text in ("[]", "{", file.read_text("utf-8").replace("61234", "61235")):
        file.write_text(text, "utf-8")
        with pytest.raises(DataError, match=r"record\.json .*Delete it"):
            Record.read(file)
    MADE.write(file)
    whole = file.read_text("utf-8")
    for text in ("[]", "{", '{"seconds": 1}', whole.replace('"device"', '"devise"')):
        file.write_text(text, "utf-8")
        with pytest.raises(DataError, match=r"record\.json"):
            Made.read(file)
