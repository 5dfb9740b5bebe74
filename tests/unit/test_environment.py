"""What Python of a run imports: nothing of the folder in which it works."""

import os
import sys

import pytest

from sentflow.flow.environment import leave_out_working_folder


@pytest.fixture(autouse=True)
def process(monkeypatch, tmp_path):
    """A working folder, and a search path that the test may change."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", "relative", str(tmp_path), "/elsewhere"])
    monkeypatch.setenv("PYTHONSAFEPATH", "")


@pytest.mark.parametrize(
    ("given", "kept"),
    [("", None), (".", None), ("src:../lib", None), ("/a b:", "/a b"), (":/a::./c:/b:", "/a:/b")],
)
def test_only_absolute_entries_of_pythonpath_stay(monkeypatch, given, kept):
    monkeypatch.setenv("PYTHONPATH", given)
    leave_out_working_folder()
    assert os.environ.get("PYTHONPATH") == kept
    assert os.environ["PYTHONSAFEPATH"] == "1"
