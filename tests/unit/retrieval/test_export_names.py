"""Files and names of exports of retrieval, as the Snakefile knows them."""

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
HUB = {"kind": "sentence-transformers", "source": {"hub": "owner/encoder", "revision": "a" * 40}}


def retrieval(question_sets=("legalquad", "cranfield"), more=None):
    select = dict.fromkeys(("tasks", "pair_sets", "alignments", "regressions"), [])
    chosen = {
        "select": {
            **select,
            "models": ["encoder"],
            "question_sets": list(question_sets),
            "retrievers": ["bm25", "whole", "parts", "both"],
        },
        "models": {"encoder": HUB},
        "retrievers": {
            "whole": {"kind": "dense", "model": "encoder"},
            "parts": {"kind": "dense", "model": "encoder", "passages": "words-128"},
            "both": {"kind": "fusion", "of": ["bm25", "minilm-other"], "rule": "product"},
            "minilm-other": {"kind": "dense", "model": "encoder", "similarity": "dot"},
        },
    }
    return Targets(
        load_experiment(laid_over(laid_over(CONFIG, chosen), more or {}), REPOSITORY / "workflow")
    ).families["retrieval"]


def test_every_selected_run_is_exported_and_the_vectors_of_encoders_to_mteb():
    found = retrieval().exports()
    assert {
        f"results/exports/trec/cranfield/{name}" for name in ("bm25.run", "both.run", "judgements.qrels")
    } < {*found}
    mteb = [file.removeprefix("results/exports/mteb-retrieval/results/") for file in found if "mteb" in file]
    assert f"owner__encoder/{'a' * 40}/LegalQuAD.json" in mteb
    assert f"owner__encoder/{'a' * 40}/cranfield.json" in mteb
    assert [file.split("/")[0] for file in mteb] == ["owner__encoder"] * 4 + ["sentflow__parts"] * 4


def test_an_encoder_that_is_searched_by_passages_is_a_model_of_its_own():
    exported = retrieval().exported
    assert exported.outside("whole")["name"] == "owner/encoder"
    parts = exported.outside("parts")
    assert (parts["name"], parts["adapted_from"], len(parts["revision"])) == (
        "sentflow/parts",
        "owner/encoder",
        40,
    )
    other = retrieval(more={"passages": {"words-128": {"words": 64}}}).exported.outside("parts")
    assert other["revision"] != parts["revision"]
    titled = retrieval(more={"retrievers": {"parts": {"title": "Parts"}}}).exported.outside("parts")
    assert titled["revision"] == parts["revision"]


def test_the_header_of_a_run_says_how_it_was_made():
    settings = json.loads(retrieval().exported.trec_settings(SimpleNamespace(questions="legalquad")))
    methods = settings["retrievers"]
    assert methods["bm25"]["indexing"] == {"analyser": "long-words", "units": "long-words"}
    assert methods["parts"]["passages"] == {"words": 128, "overlap": 32}
    assert methods["both"]["interpolates"] == ["bm25", "minilm-other"]
    assert methods["whole"]["model"] == {"name": "owner/encoder", "revision": "a" * 40, "adapted_from": None}
    assert settings["collection"]["relevant from grade"] == 1
    assert settings["evaluation"]["significance test"][0]["measure"] == "nDCG@10"


def test_nothing_is_exported_without_question_sets():
    assert retrieval((), {"select": {"pair_sets": ["STSB-test-sample"]}}).exports() == []


def test_two_question_sets_cannot_be_the_same_task_of_mteb():
    own = {"question_sets": {"other": {"like": "legalquad"}}}
    with pytest.raises(ConfigError, match=r"question_sets.other.mteb: 'LegalQuAD' is that of legalquad, too"):
        retrieval(("legalquad", "other"), own)
