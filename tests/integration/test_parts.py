"""Experiments of one part alone: each ends with its tables, figures and the page."""

import csv

import pytest
import yaml
from workflow_copy import TINY, copy_workflow, snakemake

pytestmark = pytest.mark.slow

NOTHING = {"tasks": [], "pair_sets": [], "alignments": [], "regressions": []}


@pytest.mark.parametrize("part", ["alignments", "regressions"])
def test_a_measure_of_pair_sets_runs_without_tasks_and_pair_sets(tmp_path, part):
    project = copy_workflow(tmp_path / "project")
    own = tmp_path / "own.yaml"
    own.write_text(yaml.safe_dump({"select": {**NOTHING, part: ["STSB-tiny"]}}), encoding="utf-8")
    done = snakemake(project, "--cores", "2", "--configfile", str(TINY), str(own))
    assert done.code == 0, done.text
    assert (project / "results/report/index.html").is_file()
    for table in (part, "encoders"):
        with (project / f"results/tables/{table}.csv").open(encoding="utf-8") as stream:
            assert {row["model"] for row in csv.DictReader(stream)} == {"bag-of-words", "random"}
