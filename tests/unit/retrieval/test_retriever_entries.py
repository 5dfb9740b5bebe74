"""What is wrong with entries of retrievers and with the encoders that they name."""

from pathlib import Path

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.targets import Targets

REPOSITORY = Path(__file__).parents[3]
WORKFLOW = REPOSITORY / "workflow"
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
CROSS = {"kind": "cross-encoder", "source": {"folder": "cross"}}
NOTHING = dict.fromkeys(("tasks", "pair_sets", "alignments", "regressions"), [])


def loaded(retrievers, models=("bag-of-words",), **entries):
    select = {**DEFAULT["select"], **NOTHING, "models": [*models], "question_sets": ["cranfield"]}
    select["retrievers"] = [*retrievers]
    config = {**DEFAULT, "select": select, "retrievers": retrievers, "models": {"cross": CROSS}, **entries}
    return load_experiment(config, WORKFLOW)


def told(retrievers, **more):
    with pytest.raises(ConfigError) as error:
        loaded(retrievers, **more)
    return str(error.value)


def test_a_reranker_asks_a_cross_encoder_that_is_fetched_and_embeds_nothing():
    bm25 = {"kind": "bm25", "analyser": "words"}
    experiment = loaded({"again": {"kind": "rerank", "of": "first", "model": "cross"}, "first": bm25})
    assert list(experiment.models) == ["bag-of-words"]
    assert list(experiment.fetched_models) == ["bag-of-words", "cross"]
    targets = Targets(experiment)
    assert "results/models/cross/manifest.json" in targets.manifests()
    assert targets.embeddings() == []
    assert targets.families["retrieval"].runs() == [
        "results/runs/cranfield/first.parquet",
        "results/runs/cranfield/again.parquet",
    ]


def test_passages_of_tokens_are_refused_for_an_encoder_that_reads_words_marked():
    dense = {"kind": "dense", "model": "phobert-base", "passages": "tokens-128"}
    said = told({"mine": dense}, models=("phobert-base",), passages={"tokens-128": {"tokens": 128}})
    assert (
        "retrievers.mine.passages: 'tokens-128' counts tokens of texts as they are, but phobert-base" in said
    )


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"model": "crass"}, "there is no model 'crass'. Did you mean cross?"),
        ({"model": "bag-of-words"}, "'bag-of-words' gives vectors of single texts and compares no two"),
        ({"of": "nothing"}, "retrievers.again.of: there is no retriever 'nothing'"),
        ({"of": "again"}, "retrievers.again.of: it reranks itself"),
        ({"of": ["bm25", "minilm"]}, "retrievers.again.of"),
        ({"depth": 0}, "retrievers.again.depth"),
        ({"passages": "none"}, "retrievers.again.passages: there is no way to cut passages 'none'"),
    ],
)
def test_rerankers_that_cannot_be_meant(entry, said):
    assert said in told({"again": {"kind": "rerank", "of": "bm25", "model": "cross", **entry}})


def test_a_cross_encoder_is_refused_where_vectors_are_needed():
    dense = {"near": {"kind": "dense", "model": "cross"}}
    assert "retrievers.near.model: 'cross' compares two texts and gives no vectors" in told(dense)
    bm25 = {"first": {"kind": "bm25", "analyser": "words"}}
    assert "config.select.models: 'cross' compares two texts and gives no vectors" in told(
        bm25, models=["cross"]
    )
