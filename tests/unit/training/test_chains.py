"""Chains of trainings: what is searched, mined and trained for them, seed by seed; and what may be wrong."""

import pytest
from experiments import experiment, mistakes
from small_chain import chain as small_chain

from sentflow.config.entries import merge

CHAIN = small_chain(seeds=[1, 2])
CHAIN["select"]["retrievers"].remove("round-1")
MINED, ROUND = CHAIN["training_data"]["of-bm25"], CHAIN["models"]["round-1"]


@pytest.fixture(scope="module")
def chain():
    return experiment(CHAIN)


def test_a_training_starts_from_the_encoder_and_reads_the_data_of_its_own_seed(chain):
    assert list(chain.trained_models) == [
        "round-1-seed-1",
        "round-1-seed-2",
        "round-2-seed-1",
        "round-2-seed-2",
    ]
    second = chain.trained_models["round-2-seed-2"]
    assert (second["start"], second["data"], second["seed"]) == ("round-1-seed-2", "of-round-1-seed-2", 2)
    assert chain.entries["training_data"]["of-round-1-seed-2"]["negatives"]["retriever"] == "round-1-seed-2"
    assert chain.trained_models["round-1-seed-2"]["data"] == "of-bm25"


def test_what_names_encoders_with_seeds_stands_for_one_retriever_per_seed(chain):
    assert list(chain.selected["retrievers"]) == [
        "bm25", "round-2-seed-1", "round-2-seed-2", "bm25-x-round-2-seed-1", "bm25-x-round-2-seed-2"
    ]  # fmt: skip
    fused = chain.selected["retrievers"]["bm25-x-round-2-seed-2"]
    assert fused["of"] == ["bm25", "round-2-seed-2"]
    assert fused["seed_of"] == "bm25-x-round-2"


def test_mistakes_in_data_of_a_chain_are_told_where_they_are_written():
    laid = {
        "ranks": {"negatives": {"ranks": [9, 2]}},
        "unjudged": {"questions": ["zalo-2021-private"]},
        "alone": {"negatives": None},
    }
    entries = {
        name: {key: value for key, value in merge(MINED, own).items() if value is not None}
        for name, own in laid.items()
    }
    models = {f"of-{name}": {**ROUND, "data": name} for name in entries}
    own = {"training_data": entries, "models": models, "select": {"models": list(models)}}
    found = "\n".join(mistakes(CHAIN, own))
    for told in (
        "training_data.ranks.negatives.ranks: from 9 to 2 is nothing",
        "training_data.unjudged.questions: zalo-2021-private has no judgements",
        "training_data.alone.negatives: triplets need documents that are not relevant",
    ):
        assert told in found, found


def test_a_retriever_that_is_trained_on_what_it_finds_is_refused():
    found = mistakes(CHAIN, {"retrievers": {"round-1": {"model": "round-2"}}})
    assert found[0].startswith("models.round-2: round-2-seed-1 → round-2-seed-1 is circular")
