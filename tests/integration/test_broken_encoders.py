"""Encoders of a user that fail in every way: each is told in its log, and the others are scored."""

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

class NotANumber:
    def encode(self, texts):
        return np.full((len(texts), 3), np.nan)

class OneTooFew:
    def encode(self, texts):
        return np.ones((len(texts) - 1, 3))

class WithoutCuda:
    def __init__(self):
        import torch
        self.table = torch.zeros(3, device="cuda")
    def encode(self, texts):
        return self.table

class Doubles:
    def encode(self, texts):
        return np.array([[len(text) / 3, text.count("a")] for text in texts], dtype=np.float64)
"""
TOLD = {
    "raises": "Raises.encode failed: NameError: name 'missing' is not defined (line 7)",
    "hangs": "Hangs.encode did not come back within 2 seconds",
    "not-a-number": "NotANumber.encode returned values that are not finite numbers of float32",
    "one-too-few": "OneTooFew.encode returned float64 (1, 3) for 2 texts, expected (2, d)",
    "without-cuda": "This machine has no CUDA device: write device = ",
}
NAMES = {**{name: name.title().replace("-", "") for name in TOLD}, "not-a-number": "NotANumber"}


def test_each_is_told_and_the_others_go_on(tmp_path: Path):
    project = copy_workflow(tmp_path / "project")
    (project / "broken.py").write_text(CLASSES, encoding="utf-8")
    models = {
        name: {"kind": "custom", "custom": f"broken.py:{class_name}"}
        for name, class_name in {**NAMES, "doubles": "Doubles"}.items()
    }
    models["hangs"]["timeout_seconds"] = 2  # what does not hang may take longer on a busy machine
    config = {"models": models, "select": {"models": [*models, "random"], "tasks": ["G3-tiny"]}}
    (project / "broken.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    outcome = run_small(project, "scores", config="broken.yaml")
    assert outcome.code == 1
    scores = {file.stem for file in (project / "results/scores/G3-tiny").glob("*.json")}
    assert scores == {"doubles", "random"}
    for name, message in TOLD.items():
        log = (project / f"results/logs/embed/{name}/tiny-public.log").read_text(encoding="utf-8")
        assert message in log, log
        assert message in outcome.text  # the end of the log is shown
        assert not (project / f"results/embeddings/{name}/tiny-public.npy").exists()
