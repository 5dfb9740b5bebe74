"""Chains of trainings: what is searched, mined and trained for them, seed by seed; and what may be wrong."""

import copy
from pathlib import Path

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.graph import paths
from sentflow.graph.config.entries import laid_over
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.targets import Targets

REPOSITORY = Path(__file__).parents[3]
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
TEST, TRAINING = "municipal-laws-sample", "municipal-laws-training-sample"
MINED = {
    "title": "Mined",
    "form": "triplets",
    "language": "pt",
    "data_version": "generated",
    "questions": [TRAINING],
    "negatives": {"retriever": "bm25"},
}
ROUND = {
    "kind": "trained",
    "recipe": "bi-encoder",
    "start": "minilm-l6",
    "data": "of-bm25",
    "seeds": [1, 2],
    "training": {"steps": 2, "batch_size": 4, "learning_rate": 1.0e-4},
}
CHAIN = {
    "select": {
        "models": ["round-1", "round-2"],
        "question_sets": [TEST],
        "retrievers": ["bm25", "round-2", "bm25-x-round-2"],
        **dict.fromkeys(("tasks", "pair_sets", "alignments", "regressions"), []),
    },
    "training_data": {"of-bm25": MINED, "of-round-1": {**MINED, "negatives": {"retriever": "round-1"}}},
    "models": {"round-1": ROUND, "round-2": {**ROUND, "start": "round-1", "data": "of-round-1"}},
    "retrievers": {
        "round-1": {"kind": "dense", "model": "round-1"},
        "round-2": {"kind": "dense", "model": "round-2"},
        "bm25-x-round-2": {"kind": "fusion", "of": ["bm25", "round-2"], "rule": "product"},
    },
}


def experiment(**own):
    return load_experiment(laid_over(copy.deepcopy(DEFAULT), laid_over(CHAIN, own)), REPOSITORY / "workflow")


def problems(**own):
    with pytest.raises(ConfigError) as told:
        experiment(**own)
    return [line.removeprefix("  - ") for line in str(told.value).splitlines()[1:]]


@pytest.fixture(scope="module")
def chain():
    return experiment()


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
        "bm25", "round-2-seed-1", "round-2-seed-2", "bm25-x-round-2-seed-1", "bm25-x-round-2-seed-2",
    ]  # fmt: skip
    fused = chain.selected["retrievers"]["bm25-x-round-2-seed-2"]
    assert fused["of"] == ["bm25", "round-2-seed-2"]
    assert fused["seed_of"] == "bm25-x-round-2"


def test_a_factor_of_a_fusion_is_that_of_the_seed():
    product = {"kind": "fusion", "of": ["bm25", "bm25-x-round-2"], "rule": "sum", "times": "round-2"}
    found = experiment(select={"retrievers": ["product"]}, retrievers={"product": product})
    assert {name: entry["times"] for name, entry in found.selected["retrievers"].items()} == {
        f"product-seed-{seed}": f"round-2-seed-{seed}" for seed in (1, 2)
    }


def test_what_mines_searches_the_training_questions_and_is_not_shown(chain):
    retrieval = Targets(chain).families["retrieval"]
    assert sorted(retrieval.needed[TRAINING]) == ["bm25", "round-1-seed-1", "round-1-seed-2"]
    assert "round-1-seed-1" not in retrieval.needed[TEST]
    assert "round-1-seed-1" not in retrieval.shown
    embedded = {one.name: sorted(one.models) for one in retrieval.collections()}
    first, second = (sorted(f"round-{n}-seed-{seed}" for seed in (1, 2)) for n in (1, 2))
    assert embedded == {
        f"{TEST}/documents/mined": first,
        f"{TEST}/questions/{TRAINING}/mined": first,
        f"{TEST}/documents": second,
        f"{TEST}/questions": second,
    }


def test_what_is_mined_and_shown_is_embedded_once_and_passages_beside_it_change_nothing_of_it():
    both = experiment(select={"retrievers": ["bm25", "round-1"]})
    passages = experiment(
        select={"retrievers": ["bm25", "round-1", "round-1-passages"]},
        retrievers={"round-1-passages": {"kind": "dense", "model": "round-1", "passages": "words-128"}},
    )
    of_one, of_two = (
        {one.name: one.tables for one in Targets(found).families["retrieval"].collections()}
        for found in (both, passages)
    )
    assert set(of_one) == {
        f"{TEST}/documents/mined",
        f"{TEST}/questions/{TRAINING}/mined",
        f"{TEST}/questions",
    }
    assert set(of_two) - set(of_one) == {f"{TEST}/documents+words-128"}
    assert all(of_two[name] == tables for name, tables in of_one.items())


def test_encoders_that_mine_are_trained_where_nothing_is_searched():
    only = experiment(
        select={"models": ["round-2", "minilm-l6"], "question_sets": [], "pair_sets": ["STSB-test-sample"]}
    )
    first = ["round-1-seed-1", "round-1-seed-2"]
    assert [name for name in only.further_models if name.startswith("round-1")] == first
    [(questions, needed)] = Targets(only).families["retrieval"].needed.items()
    assert (questions, sorted(needed)) == (TRAINING, ["bm25", *first])


def test_pseudo_labels_search_the_questions_by_what_labels_and_by_what_finds_negatives():
    fused = {"kind": "fusion", "of": ["bm25", "round-1"], "rule": "sum", "weights": {"tuned_on": [TEST]}}
    labelled = {**MINED, "pseudo_labels": {"retriever": "tuned", "margin": 0.1}}
    found = experiment(
        training_data={"of-round-1": labelled},
        retrievers={"tuned": fused},
        select={"retrievers": ["bm25"], "question_sets": ["municipal-laws-sample"]},
    )
    retrieval = Targets(found).families["retrieval"]
    assert {"tuned-seed-1", "tuned-seed-2", "bm25"} <= set(retrieval.needed[TRAINING])
    # the weights are chosen on the test, whose questions the parts search for it
    assert {"bm25", "round-1-seed-1"} <= set(retrieval.needed[TEST])
    assert "tuned-seed-1" not in retrieval.needed[TEST]
    assert found.trained_models["round-2-seed-2"]["data"] == "of-round-1-seed-2"


def test_the_plan_counts_the_jobs_of_a_chain(chain):
    jobs = Targets(chain).families["training"].jobs()
    assert (jobs["prepare_training"], jobs["mine_training"], jobs["train"]) == (0, 3, 4)


def test_decisions_are_made_for_every_seed_of_a_retriever():
    decided = experiment(
        select={"decisions": ["few"]},
        decisions={"few": {"title": "few", "retrievers": ["round-2"], "most": 1}},
    )
    assert decided.selected["decisions"]["few"]["retrievers"] == ["round-2-seed-1", "round-2-seed-2"]


def data(**negatives):
    return {"training_data": {"of-bm25": {"negatives": negatives}}}


@pytest.mark.parametrize(
    ("own", "told"),
    [
        (
            {"models": {"round-2": {"seeds": [1, 7]}}},
            "models.round-2.seeds: round-1 has no seed 7. Write seeds that it has: 1, 2.",
        ),
        (data(retriever="bm52"), "training_data.of-bm25.negatives.retriever: there is no retriever 'bm52'"),
        (data(ranks=[20]), "training_data.of-bm25.negatives.ranks"),
        (data(ranks=[9, 2]), "training_data.of-bm25.negatives.ranks: from 9 to 2 is nothing"),
        (data(ranks=[1, 5000]), "training_data.of-bm25.negatives.ranks.1: 5000"),
        (data(margin=1.0), "training_data.of-bm25.negatives.margin: 1.0"),
        (data(number=0), "training_data.of-bm25.negatives.number: 0"),
        (
            {"training_data": {"of-bm25": {"questions": ["nope"]}}},
            "training_data.of-bm25.questions: there is no question set 'nope'",
        ),
        (
            {"training_data": {"of-bm25": {"questions": ["zalo-2021-private"]}}},
            "training_data.of-bm25.questions: zalo-2021-private has no judgements",
        ),
        (
            {"training_data": {"of-bm25": {"form": "texts"}}},
            "training_data.of-bm25.form: questions give pairs, triplets, labelled or scored rows",
        ),
        ({"training_data": {"of-bm25": {"pair_sets": ["STSB-dev"]}}}, "training_data.of-bm25"),
        (
            {"training_data": {"of-bm25": {"without_documents_of": ["juristcu"]}}},
            "training_data.of-bm25.without_documents_of: juristcu is on another corpus",
        ),
        ({"training_data": {"of-bm25": {"split": "x"}}}, "training_data.of-bm25.split: documents are not cut here"),
        (
            {"retrievers": {"round-1": {"model": "round-2"}}},
            "models.round-2: round-2-seed-1 → round-2-seed-1 is circular",
        ),
        (
            {"models": {"round-1": {"settings": {"loss": "contrastive"}}}},
            "models.round-1.data: the recipe bi-encoder with these settings reads labelled",
        ),
    ],
)  # fmt: skip
def test_mistakes_in_a_chain_are_told_where_they_are_written(own, told):
    assert any(problem.startswith(told) for problem in problems(**own)), problems(**own)


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"negatives": "bm25"}, "training_data.of-bm25.negatives: 'bm25' is not of type"),
        ({"negatives": ["bm25"]}, "training_data.of-bm25.negatives: ['bm25'] is not of type"),
        (
            {"questions": TRAINING},
            "training_data.of-bm25.questions: 'municipal-laws-training-sample' is not of type",
        ),
        (
            {"without_documents_of": TEST},
            "training_data.of-bm25.without_documents_of: 'municipal-laws-sample' is not",
        ),
    ],
)
def test_what_is_of_another_type_is_told_once(own, told):
    (problem,) = problems(training_data={"of-bm25": own})
    assert problem.startswith(told)


def test_names_of_seeds_that_are_taken_are_refused():
    (problem,) = problems(retrievers={"round-2-seed-1": {"kind": "random"}})
    assert problem.startswith("retrievers.round-2-seed-1: this is the name of round-2 with that seed")


def test_parts_without_a_common_seed_are_told():
    found = problems(
        models={"single": {**ROUND, "seeds": [7]}},
        retrievers={
            "one": {"kind": "dense", "model": "single"},
            "both": {"kind": "fusion", "of": ["one", "round-2"], "rule": "product"},
        },
    )
    assert found[0].startswith("retrievers.both: one, round-2 have no seed in common")


def test_a_reference_that_stands_for_several_is_told():
    (problem,) = problems(retrieval={"reference": "round-2"})
    assert problem.startswith("config.retrieval.reference: round-2 stands for one retriever per seed")


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"form": "triplets", "collections": {"corpora": [TEST]}}, "form: collections give texts, pairs or spans"),
        ({"form": "texts", "collections": {"corpora": ["nope"]}}, "collections.corpora: there is no corpus 'nope'"),
        (
            {"form": "texts", "collections": {"question_sets": ["nope"]}},
            "collections.question_sets: there is no question",
        ),
        (
            {"form": "spans", "collections": {"question_sets": [TRAINING]}},
            "collections.question_sets: a question is no span",
        ),
        ({"form": "spans", "collections": {"corpora": [TEST]}, "split": "("}, "split: '(' is no regular expression"),
        ({"form": "texts", "collections": {"corpora": [TEST]}, "split": "x"}, "split: texts are not cut"),
        (
            {"form": "texts", "collections": {"corpora": [TEST]}, "negatives": {"retriever": "bm25"}},
            "negatives: collections have no relevant",
        ),
        ({"form": "pairs", "questions": [TRAINING], "negatives": {"retriever": "bm25"}}, "negatives: pairs have none"),
        ({"form": "triplets", "questions": [TRAINING]}, "negatives: triplets need documents that are not relevant"),
    ],
)  # fmt: skip
def test_mistakes_in_collected_data_are_told(entry, told):
    own = {"title": "x", "language": "pt", "data_version": "generated", **entry}
    found = problems(training_data={"own": own}, models={"round-1": {"data": "own", "recipe": "simcse"}})
    assert any(problem.startswith(f"training_data.own.{told}") for problem in found), found


def test_each_rule_of_training_data_makes_its_own():
    both = experiment(
        training_data={
            "texts": {
                "title": "x", "form": "texts", "language": "pt", "data_version": "generated",
                "collections": {"corpora": [TEST], "question_sets": [TRAINING]},
            }
        },
        models={"plain": {**ROUND, "recipe": "simcse", "data": "texts"}},
        select={"models": ["round-1", "plain", "simcse-sample"]},
    )  # fmt: skip
    own = Targets(both).families["training"].data_of
    assert (own.asked(), own.collected(), own.read_of_files()) == ("of\\-bm25", "texts", "sentences\\-sample")
    assert paths.CORPUS.format(corpus=TEST) in own.of_corpora(paths.CORPUS)(type("W", (), {"data": "texts"}))
