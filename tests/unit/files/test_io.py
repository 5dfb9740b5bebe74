import signal
import subprocess
import sys

import numpy as np
import pytest

from sentflow.errors import DataError
from sentflow.files.atomic import atomic
from sentflow.files.io import parse_json, read_json, write_json, write_text


def test_file_appears_whole_with_its_folder(tmp_path):
    path = tmp_path / "a" / "ação.txt"
    with atomic(path) as part:
        part.write_text("São", encoding="utf-8")
        assert not path.exists()
        assert part.parent == path.parent  # a rename within one file system
    assert path.read_text(encoding="utf-8") == "São"
    assert list(path.parent.iterdir()) == [path]


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


def test_what_is_not_finite_becomes_null(tmp_path):
    value = {"low": float("nan"), "list": [float("inf"), -float("inf"), (1.5, np.float64("nan"))]}
    write_json(tmp_path / "x.json", value)
    assert read_json(tmp_path / "x.json") == {"low": None, "list": [None, None, [1.5, None]]}


def test_json_without_an_end_or_with_half_a_sign_is_no_json():
    for text, message in (
        ("[" * 10**6, "too deep"),
        ("1" * 5000, "digits"),
        ('{"\\udc00": 1}', "half of a surrogate pair"),
        ("{", "Expecting"),
    ):
        with pytest.raises(ValueError, match=message):
            parse_json(text)
    assert parse_json(r'"\ud83d\ude00 \\ud800"') == r"😀 \ud800"


def test_a_missing_or_broken_file_is_told(tmp_path):
    (tmp_path / "b.json").write_text("{")
    for name in ("a.json", "b.json"):
        message = rf"{name} is missing or damaged .*Delete it and run snakemake again"
        with pytest.raises(DataError, match=message):
            read_json(tmp_path / name)


def test_half_a_sign_is_written_nowhere(tmp_path):
    with pytest.raises(DataError, match="half of a surrogate pair"):
        write_text(tmp_path / "a.txt", "a\ud800")
    with pytest.raises(DataError, match="half of a surrogate pair"):
        write_json(tmp_path / "a.json", {"a": "\udfff"})
    assert list(tmp_path.iterdir()) == []
