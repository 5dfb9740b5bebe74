"""Prompts per task and role, and own encoders, in a study of protocols: a real run of a small model."""

import json
from pathlib import Path

import pytest
import yaml
from tiny_bert import save_tiny_bert
from workflow_copy import TINY, copy_workflow, snakemake

pytestmark = pytest.mark.slow

CODE = """
import numpy as np

class Lengths:
    def encode(self, texts, role, task):
        assert (role, task) == ("text", None)
        return np.array([[len(text), text.count("a"), text.count("o")] for text in texts])
"""
BERT = {
    "kind": "transformers",
    "source": {"folder": "bert"},
    "licence": "none",
    "citation": "none",
    "max_tokens": 32,
    "prompts": {"q": "lei: ", "d": "projeto: "},
}
CONFIG = {
    "models": {
        "plain": BERT,
        "prompted": {
            **BERT,
            "prompt_names": {"tasks": {"G3-tiny": {"query": "q", "document": "d"}, "T1B-tiny": "q"}},
        },
        "lengths": {"kind": "custom", "custom": "mine.py:Lengths"},
    },
    "select": {"models": ["plain", "prompted", "lengths"], "tasks": ["T1B-tiny", "G3-tiny"]},
    "study": {"protocols": ["corrected"]},
    "report": {"tables": ["scores", "protocols"], "figures": ["heatmap"]},
}


def read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def test_prompts_and_own_encoders_are_probed_under_every_protocol(tmp_path):
    project = copy_workflow(tmp_path / "project")
    save_tiny_bert(project / "bert")
    (project / "mine.py").write_text(CODE, encoding="utf-8")
    (project / "study.yaml").write_text(yaml.safe_dump(CONFIG), encoding="utf-8")
    done = snakemake(
        project, "scores", "tables", "--cores", "1", "--configfile", str(TINY), str(project / "study.yaml")
    )
    assert done.code == 0, done.text[-6000:]
    results = project / "results"
    scores = {
        (protocol, task, model): read(results / folder / f"scores/{task}/{model}.json")
        for protocol, folder in (("published", "."), ("corrected", "protocols/corrected"))
        for task in ("T1B-tiny", "G3-tiny")
        for model in CONFIG["select"]["models"]
    }
    assert {score["protocol"] for score in scores.values()} == {"published", "corrected"}
    for task in ("T1B-tiny", "G3-tiny"):
        losses = [
            scores["published", task, model]["published"]["avg_loss_test"] for model in ("plain", "prompted")
        ]
        assert losses[0] != losses[1]
    found = (
        str(path.relative_to(results / "embeddings")) for path in (results / "embeddings").rglob("*.npy")
    )
    # but for what is kept for the next run, and numbers of tokens
    files = {name for name in found if "/." not in name and not name.endswith(".tokens.npy")}
    assert files == {
        "plain/tiny-public.npy",
        "lengths/tiny-public.npy",
        "prompted/tiny-public/T1B-tiny.npy",
        "prompted/tiny-public/G3-tiny/sides.npy",
    }
    shapes = {
        task: read(results / f"embeddings/prompted/tiny-public/{name}.json")
        for task, name in (("T1B", "T1B-tiny"), ("G3", "G3-tiny/sides"))
    }
    assert "roles" not in shapes["T1B"] and shapes["G3"]["roles"] == ["query", "document"]
    whole = read(results / "embeddings/plain/tiny-public.json")["shape"][0]
    assert all(info["shape"][0] < whole for info in shapes.values())
