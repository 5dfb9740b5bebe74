"""Entries of decisions and of fusions with tuned weights: what they need, and what is wrong with them."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.targets import Targets

REPOSITORY = Path(__file__).parents[3]
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
NOTHING = dict.fromkeys(("tasks", "pair_sets", "alignments", "regressions"), [])
OTHER = {"kind": "bm25", "analyser": "words"}
TUNED = {"kind": "fusion", "of": ["bm25", "other"], "rule": "sum", "weights": {"tuned_on": ["npl"]}}
WINDOW = {"window": {"from": 0, "to": 2, "step": 0.5}, "tuned_on": ["npl"]}


def loaded(retrievers=None, decisions=None, shown=("bm25",)):
    retrievers, decisions = retrievers or {}, decisions or {}
    select = {**DEFAULT["select"], **NOTHING, "models": ["bag-of-words"], "question_sets": ["cranfield"]}
    select |= {"retrievers": [*shown, *retrievers], "decisions": [*decisions]}
    config = {
        **DEFAULT,
        "select": select,
        "retrievers": {"other": OTHER, **retrievers},
        "decisions": decisions,
    }
    return load_experiment(config, REPOSITORY / "workflow")


def told(**entries):
    with pytest.raises(ConfigError) as error:
        loaded(**entries)
    return str(error.value)


def test_training_questions_are_searched_by_what_is_tuned_alone_and_not_shown():
    family = Targets(loaded({"tuned": TUNED})).families["retrieval"]
    assert family.runs() == [
        *(f"results/runs/cranfield/{name}.parquet" for name in ("bm25", "other", "tuned")),
        *(f"results/runs/npl/{name}.parquet" for name in ("bm25", "other")),
    ]
    assert family.weighed() == [f"results/fusions/{name}/tuned.parquet" for name in ("cranfield", "npl")]
    assert family.scores() == [f"results/retrieval/cranfield/{name}.json" for name in ("bm25", "tuned")]
    assert family.jobs()["search_terms"] == 4


def test_a_decision_is_applied_to_the_retrievers_that_it_names():
    decisions = {"one": {"most": 1}, "window": {**WINDOW, "retrievers": ["bm25"]}}
    family = Targets(loaded({"also": OTHER}, decisions)).families["retrieval"]
    assert family.decided() == [
        f"results/decisions/cranfield/{name}.parquet" for name in ("bm25/one", "bm25/window", "also/one")
    ]
    assert family.needed["npl"] == ["bm25"]
    # documents of Cranfield are no articles of laws
    assert family.submissions() == []


def test_the_published_ensemble_can_be_written():
    ensemble = {
        "kind": "fusion",
        "of": ["other", "bm25"],
        "rule": "sum",
        "normalise": "none",
        "weights": [0.6, 0.4],
    }
    times = {"kind": "fusion", "of": ["bm25", "ensemble"], "rule": "product"}
    family = Targets(loaded({"ensemble": ensemble, "times": times})).families["retrieval"]
    assert list(family.retrievers) == ["bm25", "other", "ensemble", "times"]


def test_a_factor_is_searched_behind_what_is_weighed_and_has_no_weight():
    family = Targets(loaded({"tuned": {**TUNED, "times": "bm25-english"}})).families["retrieval"]
    job = SimpleNamespace(questions="npl", retriever="tuned")
    parts = ("bm25", "other", "bm25-english")
    assert family.runs_of_parts(job) == [f"results/runs/npl/{name}.parquet" for name in parts]
    assert family.needed["npl"] == [*parts]
    for settings in (family.weigh_settings(job), family.search_settings(job)):
        assert json.loads(settings)["times"] is True
    assert "times" not in Targets(loaded({"tuned": TUNED})).families["retrieval"].weigh_settings(job)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"times": "bm52"}, "retrievers.tuned.times: there is no retriever 'bm52'"),
        (
            {"rule": "product", "times": "bm25"},
            "retrievers.tuned.times: a product multiplies all of its runs",
        ),
        ({"times": "tuned"}, "retrievers.tuned.of: it fuses itself"),
        (
            {"weights": {"tuned_on": ["nql"]}},
            "retrievers.tuned.weights.tuned_on: there is no question set 'nql'",
        ),
        ({"weights": {"tuned_on": ["zalo-2021-private"]}}, "'zalo-2021-private' has no judgements"),
        ({"weights": {"tuned_on": ["npl"], "steps": 0}}, "retrievers.tuned.weights"),
        ({"weights": {"tuned_on": ["npl"], "grid": 3}}, "retrievers.tuned.weights"),
        ({"rule": "product"}, "retrievers.tuned.weights: a product has no weights"),
        ({"weights": [1, 2, 3]}, "retrievers.tuned.weights: 3 weights for 2 retrievers"),
        (
            {"of": ["bm25", "other", "bm25-english", "rrf"], "weights": {"tuned_on": ["npl"], "steps": 100}},
            "retrievers.tuned.weights.steps: 176851 weights of 4 retrievers",
        ),
    ],
)
def test_tuned_weights_that_cannot_be_meant(entry, said):
    assert said in told(retrievers={"tuned": {**TUNED, **entry}})


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({}, "decisions.x"),
        ({"most": 0}, "decisions.x.most"),
        ({"share": 1.5}, "decisions.x.share"),
        ({"window": WINDOW["window"]}, "decisions.x.window: a range, but no questions to choose on"),
        ({"most": 1, "tuned_on": ["npl"]}, "decisions.x.tuned_on: there is nothing to choose"),
        ({"window": {"from": 2, "to": 1, "step": 1}, "tuned_on": ["npl"]}, "from 2 to 1 is no range"),
        (
            {"window": {"from": 0, "to": 10, "step": 0.001}, "tuned_on": ["npl"]},
            "its ranges have 10001 values",
        ),
        ({**WINDOW, "tuned_on": ["nql"]}, "decisions.x.tuned_on: there is no question set 'nql'"),
        ({"most": 1, "retrievers": ["rrf"]}, "decisions.x.retrievers: 'rrf' is not selected"),
    ],
)
def test_decisions_that_cannot_be_meant(entry, said):
    assert said in told(decisions={"x": entry})
