"""A disk that is full or read-only: one clear paragraph, nothing half-written, and it continues when that is fixed."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_run import published_files, run_small

pytestmark = pytest.mark.slow

DISK_BYTES = 8 * 2**20
FREE_BYTES = 448 * 2**10  # for Snakemake's own notes, but not for the vectors


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a small file system")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path, *, but: int) -> Path:
    ballast = disk / "ballast"
    free = shutil.disk_usage(disk).free
    with ballast.open("wb") as stream:
        stream.write(bytes(free - but))
    return ballast


def test_a_full_disk_is_told_and_the_run_goes_on_with_more_room(undisturbed, disk):
    # as after a run that was stopped before `embed`
    shutil.copytree(undisturbed / "results/data", disk / "results/data")
    shutil.copytree(undisturbed / "results/models", disk / "results/models")
    shutil.copytree(undisturbed / ".snakemake/metadata", disk / ".snakemake/metadata")
    ballast = fill(disk, but=FREE_BYTES)
    outcome = run_small(undisturbed, "scores", "tables", "--directory", str(disk))
    assert outcome.code != 0
    assert "could not be written: " in outcome.text
    assert "The disk or your quota is full (" in outcome.text
    assert "Free some space, or use another folder with --directory, and run again" in outcome.text
    assert list((disk / "results").rglob("*.part")) == []
    ballast.unlink()
    outcome = run_small(undisturbed, "scores", "tables", "--directory", str(disk))
    assert outcome.code == 0, outcome.text[-6000:]
    assert published_files(disk) == published_files(undisturbed)


def test_a_read_only_folder_is_told_before_anything_runs(undisturbed, disk):
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    outcome = run_small(undisturbed, "scores", "--directory", str(disk))
    assert outcome.code == 2
    assert "Nothing can be written to " in outcome.text
    assert "check its owner, its permissions and how it is mounted" in outcome.text
    assert "Traceback" not in outcome.text
    assert list(disk.iterdir()) == []
