"""What Python of a run imports: nothing of the folder in which it works."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from sentflow.errors import ConfigError
from sentflow.graph.environment import first_words_of_jobs, leave_out_working_folder, refuse_conda


@pytest.fixture(autouse=True)
def process(monkeypatch, tmp_path):
    """A working folder, and a search path that the test may change."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", "relative", str(tmp_path), "/elsewhere"])
    monkeypatch.setenv("PYTHONSAFEPATH", "")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (None, None),
        ("", None),
        (":", None),
        (".", None),
        ("src:../lib", None),
        ("/a b:", "/a b"),
        (":/a::./c:/b:", "/a:/b"),
    ],
)
def test_only_absolute_entries_of_pythonpath_stay(monkeypatch, given, kept):
    monkeypatch.setenv("PYTHONPATH", given or "")
    if given is None:
        monkeypatch.delenv("PYTHONPATH")
    leave_out_working_folder()
    assert os.environ.get("PYTHONPATH") == kept
    assert os.environ["PYTHONSAFEPATH"] == "1"


def test_this_python_forgets_the_working_folder_and_the_named_ones(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", "")
    leave_out_working_folder()
    assert sys.path == ["/elsewhere"]
    leave_out_working_folder(Path("/elsewhere"))
    assert sys.path == []


def test_a_folder_that_the_user_names_in_full_stays(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:")
    leave_out_working_folder()
    assert sys.path == [str(tmp_path), "/elsewhere"]


def test_jobs_of_a_repository_find_its_package_and_others_what_is_installed(tmp_path):
    with_package = first_words_of_jobs(tmp_path)
    assert f"PYTHONPATH={tmp_path}$" in with_package
    assert first_words_of_jobs(tmp_path / "none") == with_package.replace(
        f" PYTHONPATH={tmp_path}${{{{PYTHONPATH:+:$PYTHONPATH}}}}", ""
    )


def test_environments_made_for_jobs_are_refused_where_they_cannot_find_the_package(tmp_path):
    asked, none = (SimpleNamespace(deployment_method=methods) for methods in ({"conda"}, set()))
    refuse_conda(asked, tmp_path)
    refuse_conda(none, tmp_path / "none")
    with pytest.raises(ConfigError, match="method conda: .*git clone"):
        refuse_conda(asked, tmp_path / "none")
