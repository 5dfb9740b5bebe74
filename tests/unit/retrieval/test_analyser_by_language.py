"""A lexical retriever with an analyser for each language of a corpus."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.targets import Targets

REPOSITORY = Path(__file__).parents[3]
CONFIG = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))


def retrieval(analyser):
    select = {**dict.fromkeys(("tasks", "pair_sets", "alignments", "regressions"), []), "models": ["random"]}
    select |= {"question_sets": ["legalquad", "stj", "cranfield"], "retrievers": ["lexical"]}
    own = {"select": select, "retrievers": {"lexical": {"kind": "bm25", "analyser": analyser}}}
    return Targets(load_experiment(laid_over(CONFIG, own), REPOSITORY / "workflow")).families["retrieval"]


def test_each_corpus_is_analysed_by_the_analyser_of_its_language():
    family = retrieval({"de": "german-stems", "pt": "portuguese-stems", "other": "long-words"})
    jobs = {
        name: SimpleNamespace(questions=name, retriever="lexical")
        for name in ("legalquad", "stj", "cranfield")
    }
    terms = {name: family.terms("{corpus}/{analyser}")(job) for name, job in jobs.items()}
    assert terms == {
        "legalquad": "legalquad/german-stems",
        "stj": "stj/portuguese-stems",
        "cranfield": "cranfield/long-words",
    }
    settings = json.loads(family.search_settings(jobs["legalquad"]))
    assert settings["analyser"]["stemmer"] == "german"
    assert "PyStemmer" in family.bm25_versions(jobs["stj"])
    assert "PyStemmer" not in family.bm25_versions(jobs["cranfield"])
    assert family.jobs()["analyse"] == 3
    assert set(family.constraints()["analyser"].split("|")) == {
        r"german\-stems", r"portuguese\-stems", r"long\-words",
    }  # fmt: skip


def test_an_analyser_of_a_language_that_does_not_exist_is_told():
    with pytest.raises(
        ConfigError, match="retrievers.lexical.analyser: there is no analyser 'german-stem'. Did you mean"
    ):
        retrieval({"de": "german-stem", "other": "long-words"})


def test_other_languages_must_have_an_analyser():
    with pytest.raises(ConfigError, match=r"retrievers.lexical.analyser"):
        retrieval({"de": "german-stems"})
