import json
import signal
import subprocess
import sys

import numpy as np
import pytest

from sentflow.errors import DataError
from sentflow.files.atomic import atomic
from sentflow.files.io import parse_json, read_json, write_json, write_text
from sentflow.jobs.log import exit_with


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
from sentflow.files.io import atomic

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


# --- JSON that is none, and what no file can hold


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 101 + "]" * 101, "more than 100 levels"),
        ('{"a":' * 5000 + "1" + "}" * 5000, "more than 100 levels"),
        ("[" * 100_000, "more than 100 levels|Expecting value"),
        ("1" * 5000, "digits"),
        ('"\\ud800"', "half of a surrogate pair"),
        ('{"\\udc00": 1}', "half of a surrogate pair"),
        ("{", "Expecting"),
    ],
    ids=range(7),
)
def test_json_without_an_end_or_with_half_a_sign_is_no_json(text, message):
    with pytest.raises(ValueError, match=message):
        parse_json(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[" * 100 + "]" * 100, None),
        ("[" + "[]," * 1000 + "[]]", [[]] * 1001),
        ('"\\ud83d\\ude00"', "\N{GRINNING FACE}"),
        (r'"\\ud800"', r"\ud800"),
        (b'{"a": 1}', {"a": 1}),
    ],
    ids=range(5),
)
def test_json_that_is_wide_or_has_whole_signs_is_read(text, value):
    assert value is None or parse_json(text) == value


def test_a_folder_in_the_place_of_a_file_is_told(tmp_path):
    (tmp_path / "results" / "a.json").mkdir(parents=True)
    with pytest.raises(DataError, match=r"a\.json is a folder, but must be a file. Delete that folder"):
        read_json(tmp_path / "results" / "a.json")
    with pytest.raises(DataError, match=r"a\.json is a folder, but must be a file. Delete that folder"):
        write_json(tmp_path / "results" / "a.json", {})
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["a.json"]


def test_a_missing_or_broken_file_is_told(tmp_path):
    (tmp_path / "b.json").write_text("{")
    for name in ("a.json", "b.json"):
        with pytest.raises(
            DataError, match=rf"{name} is missing or damaged .*Delete it and run snakemake again"
        ):
            read_json(tmp_path / name)


def test_half_a_sign_is_written_nowhere(tmp_path):
    with pytest.raises(DataError, match="half of a surrogate pair"):
        write_text(tmp_path / "a.txt", "a\ud800")
    with pytest.raises(DataError, match="half of a surrogate pair"):
        write_json(tmp_path / "a.json", {"a": "\udfff"})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_place_of_an_input_ends_a_command_in_one_paragraph(tmp_path, capsys):
    (tmp_path / "config.yaml").mkdir()
    with pytest.raises(SystemExit) as end:
        exit_with(lambda: len((tmp_path / "config.yaml").read_text()))
    assert end.value.code == 2
    assert "config.yaml is a folder, but must be a file. Write the path of a file" in capsys.readouterr().err
