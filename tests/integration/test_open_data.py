"""Real data, from the raw file of a mirror to the tables."""

import hashlib
import json

import pytest
import yaml
from workflow_copy import REPOSITORY, copy_workflow, snakemake

pytestmark = [pytest.mark.slow, pytest.mark.mirror]

SELECTION = {
    "select": {"models": ["minilm-l6", "random"], "tasks": ["T1B-open"]},
    "probe": {"repetitions": 1},
    "report": {"figures": ["heatmap"]},
}


def test_offensive_comments_from_end_to_end(tmp_path, mirror):
    project = copy_workflow(tmp_path / "project")
    config = tmp_path / "mine.yaml"
    config.write_text(yaml.safe_dump({**SELECTION, "mirrors": [str(mirror)]}), encoding="utf-8")
    experiment = REPOSITORY / "experiments/open-data.yaml"
    outcome = snakemake(project, "--cores", "2", "--configfile", str(experiment), str(config))
    assert outcome.code == 0, outcome.text[-6000:]

    datasets = yaml.safe_load((project / "workflow/catalog/datasets.yaml").read_text(encoding="utf-8"))
    expected = datasets["offcombr-2"]["files"]["OffComBR2.arff"]["sha256"]
    raw = project / "results/data/raw/offcombr-2/OffComBR2.arff"
    assert hashlib.sha256(raw.read_bytes()).hexdigest() == expected

    scores = {
        model: json.loads((project / f"results/scores/T1B-open/{model}.json").read_text(encoding="utf-8"))
        for model in ("minilm-l6", "random")
    }
    for score in scores.values():
        assert (score["n_rows"], score["n_balanced_rows"], score["n_classes"]) == (1250, 838, 2)
        assert score["data_version"] == "OffComBR-2"
    assert scores["minilm-l6"]["mean"] > scores["random"]["mean"] + 0.05
    assert "OffComBR-2" in (project / "results/tables/scores.md").read_text(encoding="utf-8")
    assert "Not the official" in (project / "results/report/index.html").read_text(encoding="utf-8")
