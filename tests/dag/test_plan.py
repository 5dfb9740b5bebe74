"""The number of jobs that `sentflow validate` tells, against what Snakemake plans."""

import re
from collections import Counter

import pytest
import yaml
from workflow_copy import REPOSITORY, TINY, copy_workflow, planned

from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.plan import plan_of

PROMPTED = {
    "kind": "sentence-transformers",
    "source": {"folder": "nowhere"},
    "title": "Prompted",
    "licence": "none",
    "citation": "none",
    "prompts": {"q": "Pergunta: ", "d": "Resposta: "},
    "prompt_names": {"tasks": {"G3-tiny": {"query": "q", "document": "d"}, "F3-tiny": "q"}},
}
OWN = """
class Texts:
    def encode(self, texts): ...

class Rows:
    def embed(self, texts_a, texts_b, task, split): ...

class LazyRows(Rows):
    lazy = True
"""
TRAINED = {
    "kind": "trained",
    "recipe": "simcse",
    "start": "minilm-l6",
    "data": "sentences-sample",
    "training": {"steps": 4, "batch_size": 4, "learning_rate": 1e-5, "snapshots": 2},
}
EXAMS = {
    "title": "Examinations",
    "seed": 4,
    "files": {"exams.csv": {"generator": "F3"}},
    "licence": "MIT",
    "citation": "none",
    "language": "pt",
}
LAZY_SENTENCES = {"select": {"models": ["tfidf"], "tasks": ["T1B-tiny"], "pair_sets": []}}
CONFIGS = {
    "as it is": {},
    "one job per fold": {"probe": {"job": "fold"}},
    "one job per repetition": {"probe": {"job": "repetition"}, "report": {"figures": ["heatmap"]}},
    "a lazy encoder alone: nothing is embedded": {"select": {"models": ["tfidf"], "tasks": ["T1B-tiny"]}},
    "a task whose dataset has others": {"select": {"models": ["random"], "tasks": ["T1B-tiny"]}},
    "a study of protocols": {
        "protocols": {"narrow": {"like": "published", "title": "Narrow", "switches": {"reflect_bca": False}}},
        "study": {"protocols": ["corrected", "narrow"]},
        "report": {"tables": ["scores", "protocols"]},
    },
    "prompts for some tasks: their own texts alone are embedded": {
        "models": {"prompted": PROMPTED},
        "select": {"models": ["random", "prompted"], "tasks": ["T1B-tiny", "G3-tiny"]},
    },
    "prompts for all tasks: no dataset is embedded": {
        "models": {"prompted": PROMPTED},
        "select": {"models": ["prompted"], "tasks": ["G3-tiny", "F3-tiny"]},
        "report": {"tables": ["scores"], "figures": ["heatmap"]},
    },
    "two trainings, one scored while it is trained": {
        "models": {
            "scored": {**TRAINED, "seed": 1, "selection": {"pairs": "STSB-dev-sample"}},
            "unscored": {**TRAINED, "seed": 2},
        },
        "select": {"models": ["random", "scored", "unscored"], "tasks": ["T1B-tiny"]},
    },
    "own encoders and prompts in a study": {
        "models": {
            "prompted": PROMPTED,
            "texts": {"kind": "custom", "custom": "mine.py:Texts"},
            "rows": {"kind": "custom", "custom": "mine.py:Rows"},
            "lazy-rows": {"kind": "custom", "custom": "mine.py:LazyRows"},
        },
        "select": {"models": ["random", "prompted", "texts", "rows", "lazy-rows"]},
        "study": {"protocols": ["corrected"]},
        "report": {"tables": ["scores", "protocols"]},
    },
    "a dataset with the name of the permuted texts of another, of which there are none": {
        "datasets": {"tiny-public-permuted": EXAMS},
        "tasks": {"F3-tiny": {"dataset": "tiny-public-permuted"}},
        "select": {"pair_sets": [], "alignments": [], "regressions": []},
    },
    "alignments and regressions of a lazy encoder: nothing is measured on their pair sets": LAZY_SENTENCES,
    "data to download": {"select": {"tasks": ["T1B-open", "T2A-open"]}},
}


@pytest.mark.parametrize("changes", CONFIGS.values(), ids=CONFIGS)
def test_as_many_jobs_as_snakemake_plans(tmp_path, monkeypatch, changes):
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # custom: is relative to the working directory
    default, tiny = (
        yaml.safe_load(file.read_text(encoding="utf-8")) for file in (REPOSITORY / "config.yaml", TINY)
    )
    config = laid_over(laid_over(default, tiny), changes)
    plan = plan_of(load_experiment(config, REPOSITORY / "workflow"))
    project = copy_workflow(tmp_path / "project")
    (project / "mine.py").write_text(OWN, encoding="utf-8")
    jobs = Counter(re.split(r"\s", job)[0] for job in planned(project, changes))
    counted = Counter(plan.jobs)
    counted["table"] += counted.pop("table_of_matrix", 0)  # see `planned`
    assert +counted == jobs
    assert plan.n_jobs == sum(jobs.values())


def test_exports_name_no_table_that_is_never_prepared(tmp_path):
    jobs = planned(copy_workflow(tmp_path / "project"), LAZY_SENTENCES, ["exports"])
    assert not {job for job in jobs if job.startswith("prepare_pairs")}
    assert any(job.startswith("export_ro_crate") for job in jobs)
