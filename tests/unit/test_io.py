import json
import signal
import subprocess
import sys

import numpy as np
import pytest

from sentflow.io import atomic, read_json, write_json, write_text


def test_file_appears_whole_with_its_folder(tmp_path):
    path = tmp_path / "a" / "ação.txt"
    with atomic(path) as part:
        part.write_text("São", encoding="utf-8")
        assert not path.exists()
        assert part.parent == path.parent  # a rename within one file system
    assert path.read_text(encoding="utf-8") == "São"
    assert list(path.parent.iterdir()) == [path]


def test_error_leaves_neither_the_file_nor_a_part_of_it(tmp_path):
    def write():
        with atomic(tmp_path / "x.txt") as part:
            part.write_text("half")
            raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        write()
    assert list(tmp_path.iterdir()) == []


def test_error_keeps_the_file_that_was_there(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("old")

    def write():
        with atomic(path) as part:
            part.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write()
    assert path.read_text() == "old"


WRITER = """
import sys, time
from sentflow.io import atomic

with atomic(sys.argv[1]) as part:
    part.write_text("half")
    print("written", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def writer(tmp_path):
    """A process that is in the middle of writing a file."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "x.txt")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "written\n"
    yield process
    process.kill()
    process.wait()


def test_the_next_run_removes_what_a_killed_one_left(tmp_path, writer):
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    others = {".y.txt.1.part", ".x.txt.part", ".x.txt.old.part"}  # of another file, of a download, of nobody
    for name in others:
        (tmp_path / name).touch()
    assert len(list(tmp_path.iterdir())) == 4
    write_text(tmp_path / "x.txt", "whole")
    assert {path.name for path in tmp_path.iterdir()} == {"x.txt", *others}
    assert (tmp_path / "x.txt").read_text() == "whole"


def test_what_a_running_process_writes_is_left_alone(tmp_path, writer):
    write_text(tmp_path / "x.txt", "whole")
    assert {path.name for path in tmp_path.iterdir()} == {"x.txt", f".x.txt.{writer.pid}.part"}


def test_block_that_writes_nothing_is_an_error(tmp_path):
    def forget():
        with atomic(tmp_path / "x.txt"):
            pass

    with pytest.raises(FileNotFoundError):
        forget()


def test_json_has_sorted_keys_and_plain_letters(tmp_path):
    write_json(tmp_path / "x.json", {"b": 1, "a": {"é": [1, 2]}})
    text = (tmp_path / "x.json").read_text(encoding="utf-8")
    assert text.index('"a"') < text.index('"b"')
    assert "é" in text
    assert text.endswith("}\n")


def test_json_does_not_depend_on_the_order_of_keys(tmp_path):
    write_json(tmp_path / "1.json", {"b": 1, "a": 2})
    write_json(tmp_path / "2.json", {"a": 2, "b": 1})
    assert (tmp_path / "1.json").read_bytes() == (tmp_path / "2.json").read_bytes()


def test_what_is_not_finite_becomes_null(tmp_path):
    value = {"low": float("nan"), "list": [float("inf"), -float("inf"), (1.5, np.float64("nan"))]}
    write_json(tmp_path / "x.json", value)
    assert read_json(tmp_path / "x.json") == {"low": None, "list": [None, None, [1.5, None]]}


@pytest.mark.parametrize("value", [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0])
def test_numbers_keep_every_bit(tmp_path, value):
    write_json(tmp_path / "x.json", {"value": value})
    assert repr(read_json(tmp_path / "x.json")["value"]) == repr(value)


def test_value_that_json_cannot_hold_leaves_no_file(tmp_path):
    with pytest.raises(TypeError):
        write_json(tmp_path / "x.json", {"value": object()})
    assert list(tmp_path.iterdir()) == []


def test_text_has_unix_line_ends(tmp_path):
    write_text(tmp_path / "x.txt", "um\ndois é\n")
    assert (tmp_path / "x.txt").read_bytes() == "um\ndois é\n".encode()


def test_json_reads_back(tmp_path):
    value = {"a": [1, 2.5, None, "é"], "b": {"c": True}}
    write_json(tmp_path / "x.json", value)
    assert read_json(tmp_path / "x.json") == value
    assert json.loads((tmp_path / "x.json").read_bytes()) == value
