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


ROUNDS = {
    **{key: value for key, value in ROUND.items() if key != "start"},
    "title": "Round",
    "start": ROUND["start"],
    "rounds": [{"title": "First"}, {"data": "of-round-1", "data_title": MINED["title"]}],
}


def in_rounds(**entry):
    """The chain, with its two encoders, their retrievers and the data of the second as one entry."""
    short = {key: dict(CHAIN[key]) for key in ("models", "retrievers", "training_data")}
    for section, name in (("models", "round-1"), ("models", "round-2"), ("training_data", "of-round-1")):
        del short[section][name]
    for name in ("round-1", "round-2"):
        del short["retrievers"][name]
    return {**CHAIN, **short, "models": {"round": {**ROUNDS, **entry}}}


def test_rounds_are_the_encoders_retrievers_and_data_that_they_stand_for():
    long = merge(CHAIN, {
        "models": {"round-1": {"title": "First"}, "round-2": {"title": "Round 2"}},
        "retrievers": {"round-1": {"title": "First"}, "round-2": {"title": "Round 2"}},
    })  # fmt: skip
    expected, found = experiment(long), experiment(in_rounds())
    assert found.entries == expected.entries
    assert (found.selected, found.further_models) == (expected.selected, expected.further_models)


def test_keys_of_a_round_are_laid_over_the_entry_and_the_data_of_its_start():
    rounds = [
        {"name": "{name}-a", "steps": 3},
        {"name": "{name}-b", "ranks": [1, 5], "settings": {"scale": 10}},
        {
            "name": "{name}-c",
            "title": "{title} {round}",
            "start": "{start}",
            "retriever": "bm25",
            "data": "other",
        },
    ]
    over = {"training_data": {"mine-a-negatives": {"limit": 9}}, "models": {"mine-b": {"max_tokens": 9}}}
    found = experiment(in_rounds(called="mine", rounds=rounds, seeds=[1]), SELECTED, over).entries
    a, b, c = (found["models"][f"mine-{name}-seed-1"] for name in "abc")
    assert [one["training"]["steps"] for one in (a, b, c)] == [3, 4, 4]
    assert (a["data"], b["data"], c["data"]) == ("of-bm25", "mine-a-negatives-seed-1", "other")
    assert (b["start"], c["start"], c["title"]) == ("mine-a-seed-1", ROUND["start"], "Round 3 (seed 1)")
    assert b["settings"] == {"scale": 10}
    of_b = found["training_data"]["mine-a-negatives-seed-1"]
    assert of_b["negatives"] == {"retriever": "mine-a-seed-1", "ranks": [1, 5]}
    assert (of_b["limit"], b["max_tokens"]) == (9, 9)
    assert (of_b["form"], of_b["questions"]) == (MINED["form"], MINED["questions"])
    assert found["training_data"]["other"]["negatives"] == MINED["negatives"]


SELECTED = {
    "select": {"models": ["mine-c"], "retrievers": ["bm25"]},
    "retrievers": {"bm25-x-round-2": {"of": ["bm25", "mine-c"]}},
}


@pytest.mark.parametrize(
    ("rounds", "told"),
    [
        ([{"step": 3}], "models.round.rounds.0.step: there is no such key. Did you mean steps?"),
        ([{"ranks": [9, 2]}], "models.round.rounds.0.ranks: from 9 to 2 is nothing"),
        ([], "models.round.rounds: "),
        ([{"ranks": [1, 5]}], "models.round.rounds: there is training_data.of-bm25 already"),
        ([{"name": "minilm-l6"}], "models.round.rounds: there is models.minilm-l6 already"),
        ([{"name": "a"}, {"name": "a"}], "models.round.rounds: there is models.a already"),
    ],
)
def test_mistakes_in_rounds_are_told_where_they_are_written(rounds, told):
    assert mistakes(in_rounds(rounds=rounds))[0].startswith(told)


def test_rounds_without_data_are_told_so():
    chain = in_rounds()
    del chain["models"]["round"]["data"]
    assert mistakes(chain)[0].startswith("models.round.data: it is missing")


def test_a_mistake_of_an_entry_with_rounds_is_told_once():
    (found,) = mistakes(in_rounds(recipe="bi-encodre"))
    assert found.startswith("models.round.recipe: there is no recipe 'bi-encodre'. Did you mean bi-encoder?")
