"""Any configuration ends in an experiment whose lists of files can be made, or in one paragraph of advice."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from any_input import assert_one_paragraph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sentflow.config import load_experiment
from sentflow.errors import ConfigError
from sentflow.plan import plan_of
from sentflow.targets import Targets

REPOSITORY = Path(__file__).parents[2]
WORKFLOW = REPOSITORY / "workflow"
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
# Entries of one's own, so that mutations reach their keys too
OWN = yaml.safe_load(
    """
models:
  mine: {kind: sentence-transformers, source: {hub: owner/name, revision: 0123456789abcdef0123456789abcdef01234567}}
  vectors: {kind: random, dimension: 8, seed: 1, licence: none, citation: none}
tasks:
  MINE: {file: comments.csv, text: text, label: label, metric: mcc, licence: none, language: pt}
  LIKE: {like: T1A-sample, title: Again}
datasets:
  mine: {title: Mine, files: {a.csv: {urls: [data/a.csv]}}, licence: none, citation: none, language: pt}
protocols:
  mine: {like: published, title: Mine}
"""
)
NAMES = [
    "minilm-l6",
    "random",
    "T1A-sample",
    "T1A-smaple",
    "mine",
    "MINE",
    "published",
    "spearman",
    "a; touch x",
    "../up",
    "é" * 300,
]
EXAMPLES = 500
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 2**70),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(NAMES), max_size=3),
    st.just({}),
    st.dictionaries(
        st.sampled_from(["like", "kind", "file", "select", "0"]), st.sampled_from(NAMES), max_size=2
    ),
)


def places_in(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a nested value, from the outside in."""
    inner: list[tuple[Any, ...]] = []
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            inner += [(*here, key), *places_in(item, (*here, key))]
    return inner


@st.composite
def configurations(draw: st.DrawFn) -> dict[str, Any]:
    """The default configuration with entries of one's own, and one to three things in it that are out of place."""
    config = copy.deepcopy({**DEFAULT, **OWN})
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.sampled_from(places_in(config)))
        owner = config
        for key in place[:-1]:
            owner = owner[key]
        what = draw(st.sampled_from(["replace", "remove", "add", "select"]))
        if what == "replace":
            owner[place[-1]] = draw(LEAVES)
        elif what == "remove":
            del owner[place[-1]]
        elif what == "add" and isinstance(owner, dict):
            owner[draw(st.text(min_size=1, max_size=6) | st.sampled_from(NAMES))] = draw(LEAVES)
        elif isinstance(config.get("select"), dict):
            config["select"]["models"] = draw(
                st.lists(st.sampled_from(["mine", "vectors", "tfidf"]), max_size=2)
            )
            config["select"]["tasks"] = draw(
                st.lists(st.sampled_from(["MINE", "LIKE", "T1B-open"]), max_size=2)
            )
        if not config:
            break
    return config


@pytest.mark.slow
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(config=configurations())
def test_any_configuration_ends_well(config):
    try:
        experiment = load_experiment(config, WORKFLOW)
    except ConfigError as error:
        assert_one_paragraph(str(error))
        return
    targets = Targets(experiment)
    for name in (
        "embeddings",
        "probes",
        "scores",
        "comparisons",
        "audits",
        "tables",
        "figures",
        "checks",
        "exports",
    ):
        files = getattr(targets, name)()
        assert len(set(files)) == len(files)
        assert all(file.startswith("results/") and ".." not in file for file in files)
    assert plan_of(experiment).jobs
    json.loads(targets.report_settings(None))
