"""Stop lists by name, as words, and of a user's file."""

import hashlib

import pytest

from sentflow.errors import ConfigError, DataError
from sentflow.retrieval.analysers import Analyser
from sentflow.retrieval.stop_words import file_settings, list_problems, stop_words

WHERE = "analysers.mine.stop_words"


def test_the_terms_of_a_file_are_dropped_whatever_its_line_ends(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_bytes("\ufeffcủa\r\ncông an\r\n\r\n”\n".encode())
    assert stop_words({"file": str(path)}, where=WHERE) == {"của", "công an", "”"}
    analyser = Analyser.from_settings(
        {"units": "words", "stop_words": {"file": str(path)}}, where="analysers.mine"
    )
    assert analyser.terms(["Luật CỦA nước"]) == [["luật", "nước"]]


def test_the_settings_of_a_job_hold_the_checksum_so_that_an_edit_is_another_analyser(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text("a\n")
    before = file_settings({"file": str(path)}, where=WHERE)
    assert before["sha256"] == hashlib.sha256(b"a\n").hexdigest()
    path.write_text("b\n")
    assert file_settings({"file": str(path)}, where=WHERE) != before
    with pytest.raises(DataError, match="has the SHA-256"):
        stop_words(before, where=WHERE)


def test_a_file_that_is_missing_empty_or_another_one_is_said_before_anything_runs(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text(" \n")
    (missing,) = list_problems({"file": "no/stop.txt"}, where=WHERE)
    assert missing.startswith(f"{WHERE}.file: there is no file no/stop.txt (searched for in ")
    assert "one term per line" in missing
    (empty,) = list_problems({"file": str(path)}, where=WHERE)
    assert "holds no term" in empty
    (other,) = list_problems({"file": str(path), "sha256": "0" * 64}, where=WHERE)
    assert f"expected {'0' * 64}" in other
    assert list_problems("english", where=WHERE) == list_problems(["a"], where=WHERE) == []


def test_an_unknown_list_names_those_that_exist():
    with pytest.raises(ConfigError, match="there is no list 'vietnamese'. Write one of: .*portuguese"):
        stop_words("vietnamese", where=WHERE)
