"""A training whose Snakemake is gone publishes nothing, wherever it was when it ended."""

import subprocess
import sys
from functools import partial

import pytest
from trainable import trainable_encoder

from sentflow.jobs.lifeline import VARIABLE, OrphanError, name_of_this_process
from sentflow.training.export import save_encoder, write_dense
from sentflow.training.links import link_files


@pytest.fixture
def orphan(monkeypatch):
    """This process believes that a process began it that has ended."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    _, _, namespace = name_of_this_process().partition(" ")
    monkeypatch.setenv(VARIABLE, f"{gone.pid} {namespace}".strip())


def test_an_orphan_links_no_snapshot(tmp_path, orphan):
    (tmp_path / "state").mkdir()
    (tmp_path / "state/file").write_text("x")
    with pytest.raises(OrphanError):
        link_files(tmp_path / "state", tmp_path / "output")
    assert not (tmp_path / "output").exists()


def test_an_orphan_saves_no_encoder_and_leaves_no_part_of_one(tmp_path, orphan):
    encoder = trainable_encoder(tmp_path / "start")
    with pytest.raises(OrphanError):
        save_encoder(tmp_path / "made/step-000001", partial(write_dense, encoder))
    assert list((tmp_path / "made").iterdir()) == []
