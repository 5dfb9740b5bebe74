"""The number of jobs that `sentflow validate` tells, against what Snakemake plans."""

import re
from collections import Counter

import pytest
import yaml
from workflow_copy import REPOSITORY, TINY, copy_workflow, planned

from sentflow.config import laid_over, load_experiment
from sentflow.plan import plan_of

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
    "data to download": {"select": {"tasks": ["T1B-open", "T2A-open"]}},
}


@pytest.mark.parametrize("changes", CONFIGS.values(), ids=CONFIGS)
def test_as_many_jobs_as_snakemake_plans(tmp_path, changes):
    default, tiny = (
        yaml.safe_load(file.read_text(encoding="utf-8")) for file in (REPOSITORY / "config.yaml", TINY)
    )
    config = laid_over(laid_over(default, tiny), changes)
    plan = plan_of(load_experiment(config, REPOSITORY / "workflow"))
    project = copy_workflow(tmp_path / "project")
    jobs = Counter(re.split(r"\s", job)[0] for job in planned(project, changes))
    assert dict(plan.jobs) == dict(jobs)
    assert plan.n_jobs == sum(jobs.values())
