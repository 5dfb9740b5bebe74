"""Protocols by name: the catalog, what a config may change, and the settings that jobs get of them."""

import json
from types import SimpleNamespace
from typing import Any

import experiments
import pytest

from sentflow.flow import paths
from sentflow.flow.targets import Targets
from sentflow.probing.settings import PUBLISHED, ProbeSettings, ScoreSettings, Switches, TaskScore

SWITCHES = list(Switches.model_fields)
FILE = {"file": "mine.csv", "text": "t", "label": "y", "metric": "mcc", "licence": "x", "language": "pt"}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text("t,y\num,1\n", encoding="utf-8")


def targets(protocol: str = "published", **changes: Any) -> Targets:
    """Of the default configuration with another protocol and sections laid over it."""
    probe = {"repetitions": 10, "protocol": protocol}  # as published
    return Targets(experiments.experiment({"probe": probe}, changes))


def probe(chosen: Targets, task: str, model: str = "random", study: str = "") -> ProbeSettings:
    """What the job of a task and encoder reads."""
    wildcards = SimpleNamespace(study=study, task=task, model=model)
    settings = chosen.families["probing"].probe_params("probe")["settings"](wildcards)
    return ProbeSettings.model_validate_json(settings)


def score(chosen: Targets, task: str) -> TaskScore:
    family = chosen.families["probing"]
    [scored] = (one for one in family.scored_together if not one.study and task in one.tasks)
    text = family.score_settings(scored)(SimpleNamespace(model="random"))
    [found] = (one for one in ScoreSettings.model_validate_json(text).tasks if one.task == task)
    return found


def test_a_job_scores_all_tasks_of_an_encoder_but_no_more_than_200_folds():
    tasks = ["T1A-sample", "T1B-open", "T2A-open", "T2B-sample", "G3-sample", "F3-sample"]
    for folds, parts in ((50, [tasks[:4], tasks[4:]]), (10, [tasks])):
        probe = {"repetitions": folds // 5, "folds": 5}
        found = Targets(experiments.experiment({"probe": probe, "select": {"tasks": tasks}})).families[
            "probing"
        ]
        names = [(one.study, one.tasks, one.part) for one in found.scored_together]
        assert names[:-1] == [("", part, part[0] if number else "") for number, part in enumerate(parts)]
        documents = "protocols/published-documents"
        assert names[-1] == (f"{documents}/", ["T2A-open"], documents)
        files = found.scored_folds(found.scored_together[0])(SimpleNamespace(model="random"))
        assert files == sorted(files, key=lambda file: parts[0].index(file.split("/")[2]))
        assert len(files) == folds * len(parts[0])


def mistake(**changes: Any) -> str:
    (line,) = experiments.mistakes({"probe": {"repetitions": 10}}, changes)
    return line


def test_corrected_mends_all_but_the_leak_that_needs_no_mending_and_the_folds_of_documents():
    changes = targets("corrected").families["probing"].protocol.switches.changes()
    assert set(SWITCHES) - set(changes) == {"leak_hidden_dims", "group_folds"}
    assert targets("corrected-documents").families["probing"].protocol.switches.changes() == {
        **changes,
        "group_folds": True,
    }


def names(**changes: Any) -> dict[str, str]:
    select = {"models": ["tfidf"], "tasks": ["T1A-sample", *changes["tasks"]]}
    found = targets(**changes, select=select).families["probing"]
    return {task: found.task_protocol(task).name for task in found.tasks}


def test_own_tasks_take_corrected_and_those_of_the_catalog_the_published_protocol():
    own = {"Mine": FILE, "Copy": {"like": "T1A-sample", "title": "Copy"}}
    assert names(tasks=own) == {"T1A-sample": "published", "Mine": "corrected", "Copy": "corrected"}
    assert set(names(protocol="regularised", tasks=own).values()) == {"regularised"}


def test_what_a_task_says_wins_and_is_inherited():
    own = {"Mine": {**FILE, "protocol": "published-mlp-leak"}, "Copy": {"like": "Mine", "title": "Copy"}}
    for protocol in ("published", "regularised"):
        assert names(protocol=protocol, tasks=own) == {
            "T1A-sample": protocol, "Mine": "published-mlp-leak", "Copy": "published-mlp-leak"
        }  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("batch_size", 64), ("evaluation_share", 0.25), ("folds", 4), ("learning_rates", [0.01])
    ]
)  # fmt: skip
def test_changed_setting_of_training_reaches_the_fold_and_marks_the_score(key, value):
    chosen = targets("published", protocols={"published": {"training": {key: value}}})
    complete = probe(chosen, "T1A-sample").protocol
    here = getattr(complete, key)
    assert (list(here) if isinstance(here, tuple) else here) == value
    published = getattr(PUBLISHED, key)
    published = list(published) if isinstance(published, tuple) else published
    assert score(chosen, "T1A-sample").protocol.changed == {key: {"here": value, "published": published}}


TEN = {"ten": {"like": "corrected", "title": "Ten", "training": {"folds": 10}}}


@pytest.mark.parametrize(
    ("changes", "place", "way_out"),
    [
        (
            {"protocols": {"published": {"switches": {"clip_metric": False}}}},
            "protocols.published.switches",
            "like: published",
        ),
        ({"study": {"protocols": ["corected"]}}, "config.study.protocols", "mean corrected?"),
        (
            {"protocols": {"mine": {"like": "published", "title": "x", "switches": {"clip_metrics": False}}}},
            "protocols.mine.switches.clip_metrics",
            "mean clip_metric?",
        ),
        (
            {"protocols": {"published-mlp-leak": {"training": {"batch_size": 1}}}},
            "protocols.published-mlp-leak.training.batch_size",
            "equal to 2",
        ),
        ({"tasks": {"Mine": {**FILE, "protocol": "corected"}}}, "tasks.Mine.protocol", "mean corrected?"),
        (
            {"tasks": {"Mine": {**FILE, "protocol": "ten"}}, "protocols": TEN, "select": {"tasks": ["Mine"]}},
            "tasks.Mine.protocol",
            "10",
        ),
    ],
)
def test_a_mistake_is_told_with_its_place_and_the_way_out(changes, place, way_out):
    told = mistake(**changes)
    assert told.startswith(f"{place}: ")
    assert way_out in told


@pytest.mark.parametrize("model", ["tfidf", "random"])
def test_all_tasks_of_a_dataset_are_prepared_so_that_one_more_prepares_none_again(model):
    one, two = (
        targets(select={"models": [model], "tasks": tasks}).families["probing"]
        for tasks in (["T2A-open"], ["T2A-open", "T2B-open"])
    )
    assert one.raw_files == two.raw_files
    assert one.from_files.by_dataset()["factnews"].names == ["T2A-open", "T2B-open"]


def test_documents_are_kept_together_only_where_rows_name_them():
    chosen = targets("published-documents", select={"tasks": ["T2A-open", "T1B-open"]})
    assert probe(chosen, "T2A-open").protocol.switches.changes() == {"group_folds": True}
    assert not probe(chosen, "T1B-open").protocol.switches.changes()


def test_shared_texts_make_documents_on_request():
    asked = {"T1B-open": {"documents": "texts"}}
    own = {"mine": {**FILE, "documents": "texts"}}
    chosen = targets(select={"models": ["random"], "tasks": ["T1B-open", "mine"]}, tasks={**asked, **own})
    family = chosen.families["probing"]
    assert [*family.document_tasks] == ["T1B-open", "mine"]
    assert json.loads(family.from_files.settings(SimpleNamespace(task="T1B-open")))["documents"] == "texts"
    told = mistake(select={"tasks": ["T2A-open"]}, tasks={"T2A-open": {"documents": "texts"}})
    assert "tasks.T2A-open.documents: the reader names" in told


def test_tasks_with_documents_are_probed_again_with_these_kept_together():
    chosen = targets(select={"models": ["tfidf"], "tasks": ["T1B-open", "T2A-open"]})
    scores = chosen.families["probing"].on_documents(paths.SCORES)
    assert scores == ["results/protocols/published-documents/scores/T2A-open/tfidf.json"]
    settings = probe(chosen, "T2A-open", "tfidf", paths.study("published-documents"))
    assert (settings.protocol.switches.changes(), settings.folds_optional) == ({"group_folds": True}, True)
