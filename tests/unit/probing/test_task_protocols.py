"""Which protocol a task takes, and what follows for its jobs."""

import copy
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.families.probing.family import Probing
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.plan import plan_of

REPOSITORY = Path(__file__).parents[3]
WORKFLOW = REPOSITORY / "workflow"
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
FILE = {"file": "mine.csv", "text": "t", "label": "y", "metric": "mcc", "licence": "x", "language": "pt"}
# of the catalog, in short form, like a task of the catalog, like one of the user's own
OWN: dict[str, dict[str, Any]] = {
    "Mine": FILE,
    "Copy": {"like": "T1A-sample", "title": "Copy"},
    "Second": {"like": "Mine", "title": "Second"},
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text("t,y\num,1\n", encoding="utf-8")


def experiment(protocol: str = "published", *, tasks: Any = None, **changes: Any):
    config = copy.deepcopy(DEFAULT)
    config["probe"]["protocol"] = protocol
    config["tasks"] = OWN if tasks is None else tasks
    config["select"] = {
        **{section: [] for section in config["select"]},
        "models": ["tfidf", "random"],
        "tasks": ["T1A-sample", *config["tasks"]],
    }
    for section, values in changes.items():
        config[section] = {**config[section], **values}
    return load_experiment(config, WORKFLOW)


def names(found: Probing) -> dict[str, str]:
    return {task: found.task_protocol(task).name for task in found.tasks}


def settings(found: Probing, task: str, **more: str) -> dict[str, Any]:
    return json.loads(found.probe_settings(SimpleNamespace(task=task, model="random", **more)))


def mistakes(**changes: Any) -> str:
    with pytest.raises(ConfigError) as error:
        experiment(**changes)
    return str(error.value)


# --- the rule


def test_own_tasks_take_corrected_and_those_of_the_catalog_the_published_protocol():
    assert names(Probing(experiment())) == {
        "T1A-sample": "published", "Mine": "corrected", "Copy": "corrected", "Second": "corrected",
    }  # fmt: skip


@pytest.mark.parametrize("protocol", ["regularised", "corrected", "published-documents"])
def test_any_other_protocol_of_the_experiment_holds_for_all_tasks(protocol):
    assert set(names(Probing(experiment(protocol))).values()) == {protocol}


@pytest.mark.parametrize("protocol", ["published", "regularised"])
def test_what_a_task_says_wins_and_is_inherited(protocol):
    own = {**OWN, "Mine": {**FILE, "protocol": "published-mlp-leak"}}
    found = names(Probing(experiment(protocol, tasks=own)))
    assert (found["Mine"], found["Second"]) == ("published-mlp-leak", "published-mlp-leak")
    assert found["T1A-sample"] == protocol


def test_a_task_of_the_catalog_stays_one_when_something_is_laid_over_it():
    assert names(Probing(experiment(tasks={"T1B-sample": {"title": "Other"}})))["T1B-sample"] == "published"
    found = names(Probing(experiment(tasks={"T1B-sample": {"protocol": "corrected"}})))
    assert found == {"T1A-sample": "published", "T1B-sample": "corrected"}


# --- mistakes


def test_a_protocol_that_does_not_exist_is_told_with_the_nearest():
    told = mistakes(
        tasks={"Mine": {**FILE, "protocol": "corected"}, "Copy": {**OWN["Copy"], "protocol": "x"}}
    )
    assert "tasks.Mine.protocol: there is no protocol 'corected'. Did you mean corrected?" in told
    assert "tasks.Copy.protocol: there is no protocol 'x'" in told


def test_a_protocol_with_other_folds_is_refused():
    protocols = {"ten": {"like": "corrected", "title": "Ten", "training": {"folds": 10}}}
    told = mistakes(tasks={"Mine": {**FILE, "protocol": "ten"}}, protocols=protocols)
    assert "tasks.Mine.protocol: ten has folds 10, but published, which is probe.protocol, has 5" in told


def test_a_study_without_a_task_of_its_baseline_is_refused():
    told = mistakes(select={"tasks": ["Mine"]}, study={"protocols": ["regularised"]})
    assert (
        "no selected task takes it (own tasks take corrected). Write protocol: published at the tasks" in told
    )


# --- jobs


def test_jobs_of_a_task_have_its_protocol_and_paths_do_not():
    found, base = Probing(experiment()), Probing(experiment(tasks={}))
    assert settings(found, "Mine")["protocol"] == "corrected"
    assert settings(found, "Mine")["switches"]["warmup_floor"] is False
    # nothing of an unchanged task is run again
    job = SimpleNamespace(task="T1A-sample", model="random")
    assert found.probe_settings(job) == base.probe_settings(job)
    assert found.score_settings(job) == base.score_settings(job)
    assert found.prepare_checks(job) == base.prepare_checks(job)
    assert "results/scores/Mine/random.json" in found.scores()
    assert all(file.startswith("results/scores/Mine") for file in found.scores() if "/Mine/" in file)
    assert found.folds(SimpleNamespace(task="Mine", model="random"))[0] == (
        "results/probes/Mine/random/rep-1/fold-1.parquet"
    )


def test_own_tasks_of_any_size_are_prepared_because_corrected_trains_on_small_parts():
    checks = json.loads(Probing(experiment()).prepare_checks(SimpleNamespace(task="Mine")))
    assert checks["small_parts"] is True


def test_a_study_is_of_the_tasks_that_take_its_baseline():
    found = Probing(experiment(study={"protocols": ["corrected", "regularised"]}))
    assert found.study_scores(SimpleNamespace(protocol="regularised")) == [
        f"results/protocols/regularised/scores/T1A-sample/{model}.json" for model in ("tfidf", "random")
    ]
    assert found.baseline_scores() == found.scores()[:2]
    assert found.jobs()["score_study"] == 4  # one task, two encoders, two protocols
    assert list(json.loads(found.effect_settings(SimpleNamespace(protocol="regularised")))["tasks"]) == [
        "T1A-sample"
    ]


def test_new_documents_are_those_of_the_protocol_of_the_task():
    own = {"Mine": {**FILE, "group": "d"}, "Kept": {**FILE, "group": "d", "protocol": "corrected-documents"}}
    found = Probing(experiment(tasks=own, select={"tasks": ["T2A-open", *own]}))
    assert found.document_scores() == [
        f"results/protocols/{protocol}/scores/{task}/{model}.json"
        for task, protocol in (("T2A-open", "published-documents"), ("Mine", "corrected-documents"))
        for model in ("tfidf", "random")
    ]
    for protocol in ("published-documents", "corrected-documents"):
        assert re.fullmatch(found.constraints()["protocol"], protocol)
    assert settings(found, "Mine", protocol="corrected-documents")["switches"]["group_folds"] is True
    assert found.jobs()["score_study"] == 4


def test_the_page_is_told_of_the_protocols_that_tasks_have():
    told = Probing(experiment()).told()["protocols"]
    assert [(one["name"], one["tasks"]) for one in told] == [
        ("published", ["T1A-sample"]), ("corrected", ["Mine", "Copy", "Second"]),
    ]  # fmt: skip
    alone = Probing(experiment(select={"tasks": ["Mine"]})).told()["protocols"]
    assert [one["name"] for one in alone] == ["corrected"]


def test_plans_count_what_is_run():
    plan = plan_of(experiment(study={"protocols": ["corrected"]}))
    assert (plan.jobs["score"], plan.jobs["score_study"]) == (8, 2)
