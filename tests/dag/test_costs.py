"""`sentflow costs`: the jobs are those of a dry run, and a job takes what jobs of its rule took."""

import json
import re
from collections import Counter

import pytest
from workflow_copy import TINY, command, copy_workflow, planned, rule_facts

from sentflow.cli.costs import PlannedJob, seconds_of, speeds_here
from sentflow.flow.rules import COSTS, OTHERS, Cost

ROWS, N_PAIRS = {"small": 400, "large": 8000}, 9 * 8 / 2 * 18


def test_jobs_are_those_that_snakemake_would_run(tmp_path):
    project = copy_workflow(tmp_path / "project")
    outcome = command(project, "sentflow", "costs", "--configfile", str(TINY))
    assert outcome.code == 0, outcome.text
    lines = [re.match(r" +(\w+) +(\d+) +\S+ \S+ +[\d.]+", line) for line in outcome.text.splitlines()]
    told = {line[1]: int(line[2]) for line in lines if line}
    assert told == Counter(job.split()[0] for job in planned(project))


def test_the_tables_of_costs_count_every_job_but_those_that_show_results(tmp_path):
    rules = {rule.name: rule for rule in rule_facts(copy_workflow(tmp_path / "project"))}
    shown = {name for name in rules if re.match("make_|report$|record$|summarise_costs", name)}
    counted = [file for name, rule in rules.items() if name not in shown for file in rule.benchmarks]
    assert len(counted) > 30
    given = [file for file in rules["summarise_costs"].inputs if file.startswith("results/benchmarks/")]
    assert given == sorted(counted)


@pytest.mark.parametrize(
    ("job", "seconds"),
    [
        # of 10 folds of 800 rows in the table, now 5 folds of 8,000 rows, and of the mean of the known rows
        (PlannedJob("probe", {"task": "large"}, outputs=5), COSTS["probe"].seconds * 0.5 * 10),
        (PlannedJob("embed", {"collection": "texts"}, outputs=2), COSTS["embed"].seconds * 4200 / 800),
        # 36 pairs of 9 encoders in place of 10 of 5, on as many tasks
        (PlannedJob("compare", {}, outputs=5), COSTS["compare"].seconds * 3.6),
        (PlannedJob("collect", {}, outputs=1), OTHERS.seconds),
        (PlannedJob("train", {"model": "known"}, outputs=1), 7200.0),
        (PlannedJob("train", {"model": "unknown"}, outputs=1), 0.0),
        # a single task
        (PlannedJob("score", {"model": "one"}, outputs=3), COSTS["score"].seconds / 18 * 4200 / 800),
        (PlannedJob("geometry", {"model": "one"}, outputs=28), COSTS["geometry"].seconds * 4),
        # measured in this folder, whatever it grows with elsewhere
        (PlannedJob("summarise", {}, outputs=3), 4.0),
    ],
)
def test_a_job_takes_what_jobs_of_its_rule_took_times_its_size(job, seconds):
    here, trainings = {"summarise": Cost(4.0, 100.0)}, {"known": 7200.0, "unknown": None}
    assert seconds_of(job, here, ROWS, N_PAIRS, trainings) == pytest.approx(seconds)


def test_trainings_are_as_fast_as_those_from_the_same_start_that_ended_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    starts = {
        "first": "bert",
        "second": "first",
        "third": "second",
        "other": "minilm",
        "random": {"like": "bert"},
    }
    models = {name: {"kind": "trained", "start": start} for name, start in starts.items()}
    models |= {name: {"kind": "transformers"} for name in ("bert", "minilm")}
    for name, seconds in (("first", 100.0), ("second", 50.0)):
        folder = tmp_path / f"results/training/{name}"
        folder.mkdir(parents=True)
        (folder / "made.json").write_text(json.dumps({"seconds": seconds}))
    tokens = {"first": 2000, "second": 4000, "third": None, "other": 9, "random": 9}
    assert speeds_here(tokens, models) == dict.fromkeys(("first", "second", "third"), 40.0)
