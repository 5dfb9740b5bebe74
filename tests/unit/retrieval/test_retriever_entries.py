"""What is wrong with entries of retrievers and with the encoders that they name."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.targets import Targets
from sentflow.retrieval.indexes.table import KINDS

REPOSITORY = Path(__file__).parents[3]
WORKFLOW = REPOSITORY / "workflow"
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
CROSS = {"kind": "cross-encoder", "source": {"folder": "cross"}}
TERMS = {"kind": "splade", "source": {"folder": "terms"}}
VECTORS = {"kind": "sparse-embed", "source": {"folder": "terms"}}
NOTHING = dict.fromkeys(("tasks", "pair_sets", "alignments", "regressions"), [])


def loaded(retrievers, models=("bag-of-words",), also=(), cross=CROSS, terms=TERMS, own=None, **entries):
    select = {**DEFAULT["select"], **NOTHING, "models": [*models], "question_sets": ["cranfield"]}
    select["retrievers"] = [*retrievers]
    known = {"cross": cross, "terms": terms, **({"own": own} if own else {})}
    config = {
        **DEFAULT,
        "select": select,
        "retrievers": {**retrievers, **dict(also)},
        "models": known,
        **entries,
    }
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


# --- weights of terms

WEIGHED = {"kind": "sparse", "model": "terms"}


def test_a_sparse_retriever_embeds_by_a_model_that_is_not_selected():
    both = {"kind": "fusion", "of": ["weighed", "first"], "rule": "sum"}
    first = {"kind": "bm25", "analyser": "words"}
    retrievers = {"both": both, "weighed": {**WEIGHED, "impacts": 8}, "first": first}
    experiment = loaded(retrievers)
    assert list(experiment.models) == ["bag-of-words"]
    assert list(experiment.fetched_models) == ["bag-of-words", "terms"]
    targets = Targets(experiment)
    assert targets.embeddings() == [
        "results/embeddings/terms/cranfield/documents.npz",
        "results/embeddings/terms/cranfield/questions.npz",
    ]
    assert targets.encoders.sparse() == "terms"
    family = targets.families["retrieval"]
    job = SimpleNamespace(questions="cranfield", retriever="weighed")
    assert json.loads(family.search_settings(job))["impacts"] == 8
    titles = json.loads(family.summarise_settings(None))["retrievers"]
    assert titles["weighed"]["title"] == "weighed, 8-bit impacts"


def test_a_sparse_retriever_finds_negatives_with_files_of_their_own():
    mined = {"title": "Mined", "language": "en", "data_version": "raw", "form": "triplets"}
    mined |= {"questions": ["scifact-train"], "negatives": {"retriever": "weighed"}}
    own = {"kind": "trained", "recipe": "bi-encoder", "start": "minilm-l6", "data": "mined", "seed": 1}
    own["training"] = {"steps": 4, "learning_rate": 1e-5}
    experiment = loaded(
        {"first": {"kind": "bm25", "analyser": "words"}},
        models=["own"],
        training_data={"mined": mined},
        also={"weighed": WEIGHED},
        own=own,
    )
    assert "terms" in experiment.further_models
    assert [file for file in Targets(experiment).embeddings() if "/terms/" in file] == [
        "results/embeddings/terms/scifact/documents/mined.npz",
        "results/embeddings/terms/scifact/questions/scifact-train/mined.npz",
    ]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"model": "tarms"}, "there is no model 'tarms'. Did you mean terms?"),
        (
            {"model": "bag-of-words"},
            "'bag-of-words' weighs no terms. Write a model of kind splade or sparse-embed",
        ),
        ({"model": "cross"}, "'cross' weighs no terms. Write a model of kind splade"),
        ({"model": "splade-v3"}, "models.splade-v3.source.revision"),
        ({"impacts": 9}, "retrievers.weighed.impacts"),
        ({"candidates": 0}, "retrievers.weighed.candidates"),
        (
            {"candidates": 2000},
            "retrievers.weighed.candidates: they are ordered by vectors of terms, and 'terms' gives weights alone. "
            "Leave candidates out, or write a model of kind sparse-embed.",
        ),
        ({"similarity": "dot"}, "retrievers.weighed"),
        ({"passages": "none"}, "retrievers.weighed.passages: there is no way to cut passages 'none'"),
        ({"index": {"kind": "hnsw"}}, "retrievers.weighed.index.kind"),
        ({"index": {"kind": "seismic", "probes": 2}}, "retrievers.weighed.index"),
        ({"index": {"kind": "seismic", "seed": 2}}, "retrievers.weighed.index"),
        ({"index": {"kind": "seismic", "centre_share": 0}}, "retrievers.weighed.index.centre_share"),
    ],
)
def test_sparse_retrievers_that_cannot_be_meant(entry, said):
    assert said in told({"weighed": {**WEIGHED, **entry}})


def test_rounded_weights_of_a_corpus_in_shards_are_refused():
    said = told({"weighed": {**WEIGHED, "impacts": 8}}, corpora={"cranfield": {"shards": 2}})
    assert (
        "retrievers.weighed.impacts: weights are rounded by the largest of a whole corpus, but cranfield"
        in said
    )
    loaded({"weighed": WEIGHED}, corpora={"cranfield": {"shards": 2}})
    indexed = {**WEIGHED, "impacts": 8, "index": {"kind": "seismic"}}  # is of the whole corpus
    loaded({"weighed": indexed}, corpora={"cranfield": {"shards": 2}})


def test_an_index_of_weights_is_refused_for_vectors_and_described_in_full_by_the_schema():
    dense = {"near": {"kind": "dense", "model": "bag-of-words", "index": {"kind": "seismic"}}}
    assert "retrievers.near.index.kind" in told(dense)
    schema = yaml.safe_load((WORKFLOW / "schemas/retrievers.schema.yaml").read_text(encoding="utf-8"))
    described = schema["$defs"]["retriever"]["properties"]["index"]["properties"]
    assert set(described["kind"]["enum"]) == set(KINDS)
    for about in KINDS.values():
        assert {key: described[key]["default"] for key in about.parameters} == about.parameters


def test_candidates_of_a_model_with_vectors_of_terms_are_ordered_by_them():
    ordered = {**WEIGHED, "candidates": 1000}
    targets = Targets(loaded({"ordered": ordered, "weighed": WEIGHED}, terms=VECTORS))
    assert targets.encoders.sparse() == "terms"
    assert [Path(file).suffix for file in targets.embeddings()] == [".npz", ".npz"]
    family = targets.families["retrieval"]
    settings = [
        json.loads(family.search_settings(SimpleNamespace(questions="cranfield", retriever=name)))
        for name in ("ordered", "weighed")
    ]
    assert [one.get("candidates") for one in settings] == [1000, None]
    titles = json.loads(family.summarise_settings(None))["retrievers"]
    assert titles["ordered"]["title"] == "ordered, 1000 candidates"


def test_fewer_candidates_than_are_ranked_or_trained_on_are_refused():
    said = told({"ordered": {**WEIGHED, "candidates": 100}}, terms=VECTORS)
    assert (
        "retrievers.ordered.candidates: 100 documents are found, and retrieval.depth ranks 1000. Write at least 1000, "
        "or a smaller retrieval.depth."
    ) in said
    both = {"kind": "fusion", "of": ["ordered", "first"], "rule": "sum"}
    parts = {"ordered": {**WEIGHED, "candidates": 100}, "first": {"kind": "bm25", "analyser": "words"}}
    assert "retrievers.ordered.candidates: 100" in told({"both": both}, also=parts, terms=VECTORS)

    mined = {"title": "Mined", "language": "en", "data_version": "raw", "form": "triplets"}
    mined |= {"questions": ["scifact-train"], "negatives": {"retriever": "ordered", "ranks": [1, 20]}}
    own = {"kind": "trained", "recipe": "bi-encoder", "start": "minilm-l6", "data": "mined", "seed": 1}
    own["training"] = {"steps": 4, "learning_rate": 1e-5}
    further = {"models": ["own"], "own": own, "terms": VECTORS, "training_data": {"mined": mined}}
    first = {"first": {"kind": "bm25", "analyser": "words"}}
    said = told(first, also={"ordered": {**WEIGHED, "candidates": 10}}, **further)
    assert "training_data.mined.negatives.ranks: 20 is beyond the 10 candidates of ordered." in said
    loaded(first, also={"ordered": {**WEIGHED, "candidates": 20}}, **further)


def test_an_encoder_of_terms_is_refused_where_vectors_are_needed():
    dense = {"near": {"kind": "dense", "model": "terms"}}
    assert (
        "retrievers.near.model: 'terms' weighs terms and gives no dense vectors. Write kind: sparse."
        in told(dense)
    )
    bm25 = {"first": {"kind": "bm25", "analyser": "words"}}
    assert (
        "config.select.models: 'terms' weighs terms and gives no dense vectors, so that no task, pair set or alignment "
        "is measured of it. Leave it out here, and write it as model of a retriever of kind sparse."
    ) in told(bm25, models=["terms"])


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"terms": {"queries": 0}}, "terms"),
        ({"terms": {"questions": 3}}, "terms"),
        ({"terms": 5}, "terms"),
        (
            {"pooling": "mean"},
            "models.terms.pooling: weights of terms are no vector of mean. Write one of: max, sum.",
        ),
        ({"normalise": True}, "models.terms"),
        ({"backend": "onnx"}, "models.terms"),
    ],
)
def test_encoders_of_terms_that_cannot_be_meant(entry, said):
    assert said in told({"weighed": WEIGHED}, terms={**TERMS, **entry})


def test_a_sum_over_tokens_is_of_terms_alone():
    said = told(
        {"weighed": WEIGHED}, cross={"kind": "transformers", "source": {"folder": "x"}, "pooling": "sum"}
    )
    assert "models.cross.pooling: sum is of kind splade" in said
