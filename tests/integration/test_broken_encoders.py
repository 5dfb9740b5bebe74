"""Encoders of a user that fail: each is told in its log, and the others are scored."""

from pathlib import Path

import pytest
import yaml
from small_run import run_small
from workflow_copy import copy_workflow

pytestmark = pytest.mark.slow

CLASSES = """
import time
import numpy as np

class Raises:
    def encode(self, texts):
        return missing

class Hangs:
    def encode(self, texts):
        time.sleep(600)

class OneTooFew:
    def encode(self, texts):
        return np.ones((len(texts) - 1, 3))
"""
TOLD = {
    "Raises": "Raises.encode failed: NameError: name 'missing' is not defined (line 7)",
    "Hangs": "Hangs.encode did not come back within 2 seconds",
    "OneTooFew": "OneTooFew.encode returned float64 (1, 3) for 2 texts",
}


def test_each_is_told_and_the_others_go_on(tmp_path: Path):
    project = copy_workflow(tmp_path / "project")
    (project / "broken.py").write_text(CLASSES, encoding="utf-8")
    models = {name.lower(): {"kind": "custom", "custom": f"broken.py:{name}"} for name in TOLD}
    models["hangs"]["timeout_seconds"] = 2  # what does not hang may take longer on a busy machine
    config = {"models": models, "select": {"models": [*models, "random"], "tasks": ["G3-tiny"]}}
    (project / "broken.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    outcome = run_small(project, "scores", config="broken.yaml")
    assert outcome.code == 1
    scores = {file.stem for file in (project / "results/scores/G3-tiny").glob("*.json")}
    assert scores == {"random"}
    for name, message in TOLD.items():
        log = (project / f"results/logs/embed/{name.lower()}/tiny-public.log").read_text(encoding="utf-8")
        assert message in log, log
        assert message in outcome.text  # the end of the log is shown
        assert not (project / f"results/embeddings/{name.lower()}/tiny-public.npy").exists()
