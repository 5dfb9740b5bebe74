"""The job `record`."""

import shutil
import subprocess

import pytest

from sentflow.report.record import git_state


def git(folder, *arguments):
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_commit_and_local_changes_are_told(tmp_path):
    code = tmp_path / "code.py"
    code.write_text("1\n")
    assert git_state(code) is None  # no repository
    git(tmp_path, "init")
    git(tmp_path, "add", "code.py")
    assert git_state(code) is None  # no commit yet
    git(tmp_path, "commit", "-m", "first")
    state = git_state(code)
    assert len(state["commit"]) == 40
    assert state["dirty"] is False
    code.write_text("2\n")
    assert git_state(code)["dirty"] is True
    (tmp_path / "other.py").write_text("3\n")
    assert git_state(tmp_path / "other.py") is None  # inside the repository, but not part of it
