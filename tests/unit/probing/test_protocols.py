"""Protocols by name: the catalog, what a config may change, and the settings that jobs get of them."""

import copy
import json
import re
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.targets import Targets
from sentflow.probing.protocol.catalog import TRAINING_KEYS, changed_settings
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.settings import PUBLISHED, ProbeProtocol
from sentflow.probing.protocol.switches import PROBE_SWITCHES, Switches, not_comparable_text, switch_text

REPOSITORY = Path(__file__).parents[3]
WORKFLOW = REPOSITORY / "workflow"
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
DEFAULT["probe"]["repetitions"] = 10  # as published
EFFECTS = yaml.safe_load((REPOSITORY / "experiments/protocol-effects.yaml").read_text(encoding="utf-8"))
SCHEMA = yaml.safe_load((WORKFLOW / "schemas/protocols.schema.yaml").read_text(encoding="utf-8"))
SWITCHES = [field.name for field in fields(Switches)]


def targets(protocol: str = "published", **changes: Any) -> Targets:
    """Of the default configuration with another protocol and sections merged over it, key by key."""
    config = copy.deepcopy(DEFAULT)
    config["probe"]["protocol"] = protocol
    for section, values in changes.items():
        config[section] = {**config[section], **values}
    return Targets(load_experiment(config, WORKFLOW))


def probe(chosen: Targets, task: str, model: str = "random", **more: str) -> dict[str, Any]:
    return json.loads(
        chosen.families["probing"].probe_settings(SimpleNamespace(task=task, model=model, **more))
    )


def score(chosen: Targets, task: str, model: str = "random", **more: str) -> dict[str, Any]:
    return json.loads(
        chosen.families["probing"].score_settings(SimpleNamespace(task=task, model=model, **more))
    )


def read_back(settings: dict[str, Any]) -> ProbeProtocol:
    """The protocol that a job reads from its settings."""
    return ProbeDesign.of_job(**settings, n_classes=2).protocol


def mistake(**changes: Any) -> str:
    with pytest.raises(ConfigError) as error:
        targets(**changes)
    (_, line) = str(error.value).splitlines()
    return line.removeprefix("  - ")


# --- switches and catalog


def test_every_switch_is_documented_with_its_defect_in_code_schema_and_docs():
    described = SCHEMA["$defs"]["switches"]["properties"]
    assert list(described) == SWITCHES
    docs = (REPOSITORY / "docs/protocols.md").read_text(encoding="utf-8")
    for name in SWITCHES:
        numbers = [
            re.search(pattern, text)[1]
            for pattern, text in (
                (rf"\n    {name}\n        (A\d+): ", Switches.__doc__),
                (r"^(A\d+): ", described[name]["description"]),
                (rf"\| `{name}` \| (A\d+) \|", docs),
            )
        ]
        assert len(set(numbers)) == 1, name


def test_published_is_the_default_and_writes_every_switch_out():
    catalog = yaml.safe_load((WORKFLOW / "catalog/protocols.yaml").read_text(encoding="utf-8"))
    assert catalog["published"]["switches"] == vars(Switches())
    assert targets().families["probing"].protocol.switches == Switches()


def test_corrected_mends_all_but_the_leak_that_needs_no_mending_and_the_folds_of_documents():
    changes = targets("corrected").families["probing"].protocol.switches.changes()
    assert set(SWITCHES) - set(changes) == {"leak_hidden_dims", "group_folds"}
    assert targets("corrected-documents").families["probing"].protocol.switches.changes() == {
        **changes,
        "group_folds": True,
    }


def test_study_of_the_repository_has_each_switch_alone_and_all_together():
    merged = {**DEFAULT, **EFFECTS, "probe": {**DEFAULT["probe"], **EFFECTS["probe"]}}
    chosen = Targets(load_experiment(merged, WORKFLOW))
    protocols = chosen.families["probing"].protocols
    alone = [tuple(protocols[name].switches.changes()) for name in chosen.families["probing"].study[:-1]]
    assert sorted(alone) == sorted((name,) for name in SWITCHES)
    assert chosen.families["probing"].study[-1] == "corrected"
    assert not any(changed_settings(protocol) for protocol in protocols.values())


def test_switches_are_read_by_somebody():
    assert set(SWITCHES) > PROBE_SWITCHES


def test_switches_are_told_as_people_read_them():
    assert switch_text({"clip_metric": False, "interval": "generalisation"}) == (
        "clip_metric off, interval generalisation"
    )


# --- settings of jobs


def test_published_fold_has_no_settings_beside_those_it_always_had():
    assert set(probe(targets(), "T1A-sample")) == {
        "protocol", "repetitions", "folds", "seed", "metric", "classifier",
    }  # fmt: skip
    assert read_back(probe(targets(), "T1A-sample")) == PUBLISHED


def test_leak_gives_a_hidden_layer_to_thirteen_more_tasks():
    chosen, published = targets("published-mlp-leak"), targets()
    leaked = {
        task.removesuffix("-sample")
        for task in DEFAULT["select"]["tasks"]
        if probe(chosen, task)["classifier"] != probe(published, task)["classifier"]
    }
    assert leaked == {"F4", "F6", "G1", "G2A", "G2B", "G3", "G4", "T1A", "T1B", "T2A", "T2B", "T3", "T4"}
    assert probe(chosen, "F3-sample")["classifier"] == "mlp"
    assert probe(chosen, "F2-sample")["classifier"] == "logistic"


def test_task_of_the_user_leaks_only_if_it_says_so():
    own = {"own": {"like": "T1A-sample", "leaked_hidden_layer": False}}
    chosen = targets("published-mlp-leak", tasks=own, select={"tasks": ["own"]})
    assert probe(chosen, "own")["classifier"] == "logistic"


def test_corrected_fold_names_its_switches():
    settings = probe(targets("corrected"), "F3-sample", "tfidf")
    assert settings["switches"] == {
        "best_checkpoint": True,
        "clip_metric": False,
        "const_features": "unscaled",
        "lazy_sep_layout": "alternatives",
        "logit_in_unit_interval": "logit",
        "stratify_eval": True,
        "warmup_floor": False,
    }
    complete = read_back(settings)
    assert complete.switches.const_features == "unscaled"
    # other encoders and other layouts are not touched by the layout of fitted ones
    assert "lazy_sep_layout" not in probe(targets("corrected"), "F3-sample", "random")["switches"]
    assert "lazy_sep_layout" not in probe(targets("corrected"), "T1A-sample", "tfidf")["switches"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("batch_size", 64), ("max_epochs", 3), ("patience", 1), ("evaluation_share", 0.25), ("folds", 4),
        ("repetitions", 2), ("seed", 1), ("learning_rates", [0.01]),
    ],
)  # fmt: skip
def test_changed_setting_of_training_reaches_the_fold_and_marks_the_score(key, value):
    chosen = targets("published", protocols={"published": {"training": {key: value}}})
    complete = read_back(probe(chosen, "T1A-sample"))
    here = getattr(complete, key)
    assert (list(here) if isinstance(here, tuple) else here) == value
    published = getattr(PUBLISHED, key)
    published = list(published) if isinstance(published, tuple) else published
    assert score(chosen, "T1A-sample")["protocol"]["changed"] == {
        key: {"here": value, "published": published}
    }


def test_changed_classifier_marks_the_tasks_that_have_another():
    chosen = targets(protocols={"published": {"training": {"classifier": "mlp"}}})
    assert probe(chosen, "T1A-sample")["classifier"] == "mlp"
    changed = score(chosen, "T1A-sample")["protocol"]["changed"]
    assert changed == {"classifier": {"here": "mlp", "published": "logistic"}}
    assert score(chosen, "F3-sample")["protocol"]["changed"] == {}


def test_width_of_a_hidden_layer_matters_to_mlps_alone():
    chosen = targets(protocols={"published": {"training": {"hidden_width": 8}}})
    assert probe(chosen, "T1A-sample") == probe(targets(), "T1A-sample")
    assert probe(chosen, "F3-sample")["training"] == {"hidden_width": 8}


def test_published_value_written_out_changes_nothing():
    training = {key: getattr(PUBLISHED, key) for key in TRAINING_KEYS if key != "classifier"}
    training = {key: list(value) if isinstance(value, tuple) else value for key, value in training.items()}
    chosen = targets(protocols={"published": {"training": training}})
    assert score(chosen, "F3-sample") == score(targets(), "F3-sample")


def test_settings_of_the_section_probe_mark_the_score_too():
    chosen = targets(probe={"protocol": "published", "repetitions": 3})
    changed = score(chosen, "T1A-sample")["protocol"]["changed"]
    assert not_comparable_text(changed) == "repetitions 3 (published: 10)"


def test_number_of_folds_is_that_of_the_protocol():
    chosen = targets(protocols={"published": {"training": {"repetitions": 1, "folds": 3}}})
    assert len(chosen.families["probing"].probes()) == len(chosen.families["probing"].scores()) * 3
    assert (
        json.loads(chosen.families["probing"].prepare_checks(SimpleNamespace(task="T1A-sample")))["folds"]
        == 3
    )


def test_every_training_setting_has_a_schema_and_a_field():
    assert set(SCHEMA["$defs"]["training"]["properties"]) == set(TRAINING_KEYS)
    assert set(TRAINING_KEYS) == {f.name for f in fields(ProbeProtocol)} - {"switches", "name", "title"}


# --- studies


def test_protocol_of_a_study_scores_the_folds_of_the_baseline_where_they_are_the_same():
    own = {"narrow": {"like": "published", "title": "x", "switches": {"reflect_bca": False}}}
    chosen = targets(protocols=own, study={"protocols": ["narrow", "corrected"]})
    places = SimpleNamespace(task="T1A-sample", model="random", protocol="narrow")
    assert (
        chosen.families["probing"].folds(places)[0] == "results/probes/T1A-sample/random/rep-1/fold-1.parquet"
    )
    settings = score(chosen, "T1A-sample", protocol="narrow")
    assert settings["probe"]["protocol"] == "published"
    assert settings["protocol"] == {"name": "narrow", "switches": {"reflect_bca": False}, "changed": {}}
    places.protocol = "corrected"
    assert chosen.families["probing"].folds(places)[0] == (
        "results/protocols/corrected/probes/T1A-sample/random/rep-1/fold-1.parquet"
    )


def test_studies_change_no_setting_of_the_scores():
    with_study = targets(study={"protocols": ["corrected"]})
    for task in ("T1A-sample", "F3-sample"):
        assert score(with_study, task) == score(targets(), task)
    assert with_study.families["probing"].scores() == targets().families["probing"].scores()
    assert with_study.families["probing"].effects() == ["results/protocols/corrected/effects.parquet"]


# --- mistakes


def test_switches_of_the_catalog_are_fixed():
    told = mistake(protocols={"published": {"switches": {"clip_metric": False}}})
    assert told.startswith("protocols.published.switches: the protocol published of the catalog is fixed")
    assert "Write an entry of your own with like: published." in told


def test_protocol_that_does_not_exist_is_told_with_the_nearest():
    assert mistake(study={"protocols": ["corected"]}).startswith(
        "config.study.protocols: there is no protocol 'corected'. Did you mean corrected?"
    )
    assert mistake(protocol="publish").startswith("config.probe.protocol: there is no protocol 'publish'.")


def test_unknown_switch_is_told_with_the_nearest():
    own = {"mine": {"like": "published", "title": "x", "switches": {"clip_metrics": False}}}
    assert mistake(protocols=own).startswith(
        "protocols.mine.switches.clip_metrics: there is no such key. Did you mean clip_metric?"
    )


@pytest.mark.parametrize(
    ("training", "place"),
    [({"batch_size": 1}, "batch_size: 1 is less"), ({"learning_rates": []}, "learning_rates: [] should"),
     ({"beta1s": [1]}, "beta1s.0: 1 is greater"), ({"evaluation_share": 1}, "evaluation_share: 1 is greater")],
)  # fmt: skip
def test_impossible_training_is_told(training, place):
    told = mistake(protocols={"published-mlp-leak": {"training": training}})
    assert told.startswith(f"protocols.published-mlp-leak.training.{place}")


def test_protocol_needs_a_title_of_its_own():
    told = mistake(protocols={"mine": {"like": "corrected"}})
    assert told.startswith("protocols.mine: 'title' is a required property")


def test_study_of_other_folds_is_refused():
    own = {"ten": {"like": "published", "title": "x", "training": {"folds": 10}}}
    told = mistake(protocols=own, study={"protocols": ["ten"]})
    assert told.startswith("config.study.protocols: ten has folds 10, but published has 5")


def test_baseline_in_its_own_study_is_refused():
    assert "'published' is probe.protocol" in mistake(study={"protocols": ["published"]})


def test_table_of_protocols_without_a_study_is_refused():
    told = mistake(report={"tables": ["protocols"]})
    assert told.startswith("config.report.tables: the table protocols compares protocols")


def test_documents_are_kept_together_only_where_rows_name_them():
    chosen = targets("published-documents", select={"tasks": ["T2A-open", "T1B-open"]})
    assert probe(chosen, "T2A-open")["switches"] == {"group_folds": True}
    assert "switches" not in probe(chosen, "T1B-open")


def test_a_study_of_documents_trains_nothing_anew_without_documents():
    config = {**DEFAULT, "study": {"protocols": ["published-documents"]}}
    config["select"] = {"models": ["tfidf"], "tasks": ["T1B-open", "T2A-open"]}
    chosen = Targets(load_experiment(config, WORKFLOW))
    assert not chosen.families["probing"].has_own_folds("published-documents", "T1B-open", "tfidf")
    assert chosen.families["probing"].has_own_folds("published-documents", "T2A-open", "tfidf")


# --- new documents


def probing(**changes: Any):
    return targets(select={"models": ["tfidf"], "tasks": ["T1B-open", "T2A-open"]}, **changes).families[
        "probing"
    ]


def test_tasks_with_documents_are_probed_again_with_these_kept_together():
    chosen = probing()
    assert chosen.document_scores() == ["results/protocols/published-documents/scores/T2A-open/tfidf.json"]
    assert chosen.available()["documents"]
    assert set(chosen.on_documents()) < set(chosen.results())
    assert chosen.jobs()["probe_lazy_study"] == chosen.jobs()["probe_lazy"] / 2
    assert chosen.jobs()["score_study"] == 1
    wildcards = SimpleNamespace(protocol="published-documents", task="T2A-open", model="tfidf")
    settings = json.loads(chosen.probe_settings(wildcards))
    assert (settings["switches"], settings["folds_optional"]) == ({"group_folds": True}, True)
    assert re.fullmatch(chosen.constraints()["protocol"], "published-documents")


@pytest.mark.parametrize(
    "changes",
    [
        {"probe": {"documents": False}},
        {"protocol": "published-documents"},
        {"select": {"models": ["tfidf"], "tasks": ["T1B-open"]}},
    ],
    ids=str,
)
def test_nothing_is_probed_again_where_nobody_asks_or_documents_are_kept_together_anyway(changes):
    chosen = targets(**{"select": {"models": ["tfidf"], "tasks": ["T2A-open"]}, **changes}).families[
        "probing"
    ]
    assert (chosen.document_scores(), chosen.on_documents()) == ([], [])
    assert not chosen.available()["documents"]
    assert chosen.jobs()["probe_lazy_study"] == 0


def test_protocols_of_a_config_keep_documents_together_too():
    mine = {"mine": {"like": "corrected", "title": "Mine", "training": {"patience": 3}}}
    chosen = probing(protocol="mine", protocols=mine)
    assert chosen.document_protocol("T2A-open").title == "Mine, documents kept together"
    told = next(one for one in chosen.told()["protocols"] if one["name"] == "mine-documents")
    assert told["description"] == "As mine, and no document is both trained on and tested on."
    wildcards = SimpleNamespace(protocol="mine-documents", task="T2A-open", model="tfidf")
    settings = json.loads(chosen.probe_settings(wildcards))
    assert (settings["training"], settings["switches"]["group_folds"]) == ({"patience": 3}, True)


@pytest.mark.parametrize(
    ("changes", "checked"),
    [
        ({}, {"needed": False}),
        ({"study": {"protocols": ["published-documents"]}}, {"needed": True}),
        ({"protocol": "published-documents"}, {"needed": True}),
        ({"probe": {"documents": False}}, None),
    ],
    ids=str,
)
def test_documents_must_be_assigned_to_folds_only_where_a_protocol_is_named(changes, checked):
    chosen = probing(**changes)
    draws = {"repetitions": 10, "folds": 5, "seed": 9847706}
    checks = [
        json.loads(chosen.prepare_checks(SimpleNamespace(task=task))) for task in ("T2A-open", "T1B-open")
    ]
    assert checks[0].get("documents") == (checked and {**draws, **checked})
    assert "documents" not in checks[1]  # its rows name none
    wildcards = SimpleNamespace(protocol="published-documents", task="T2A-open", model="tfidf")
    if checked and checked["needed"]:
        assert "folds_optional" not in json.loads(chosen.probe_settings(wildcards))


def test_a_study_that_lists_the_same_protocol_trains_it_once():
    chosen = probing(study={"protocols": ["published-documents"]})
    assert chosen.jobs()["score_study"] == 2  # of both tasks, for the study
    assert chosen.document_scores() == ["results/protocols/published-documents/scores/T2A-open/tfidf.json"]


def test_another_protocol_of_that_name_is_refused():
    mine = {
        "mine": {"like": "corrected", "title": "Mine"},
        "mine-documents": {"like": "published", "title": "Something else"},
    }
    open_task = {"models": ["tfidf"], "tasks": ["T2A-open"]}
    chosen = {"protocol": "mine", "protocols": mine, "study": {"protocols": ["mine-documents"]}}
    assert targets(**chosen)  # no selected task names documents
    mine["mine-documents"] = {"like": "mine", "title": "Same", "switches": {"group_folds": True}}
    assert targets(**chosen, select=open_task)
    mine["mine-documents"] = {"like": "published", "title": "Something else"}
    told = mistake(**chosen, select=open_task)
    assert told.startswith("protocols.mine-documents: this is the name of mine with documents kept together")


def test_tasks_whose_datasets_were_made_from_one_source_share_it():
    tasks = ["T1A", "T2A", "T2B", "T1A-sample"]
    chosen = targets(select={"models": ["tfidf"], "tasks": tasks}).families["probing"]
    sources = json.loads(chosen.comparison_settings(None))["sources"]
    assert sources == {
        "T1A": "ulysses-t1a", "T2A": "factnews", "T2B": "factnews", "T1A-sample": "generated texts"
    }  # fmt: skip
