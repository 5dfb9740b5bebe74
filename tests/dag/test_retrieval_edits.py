"""Which jobs of collections, trainings and chains of them run again after an edit."""

import json
import shutil
from pathlib import Path

import pytest
from made_once import made_once
from small_chain import TEST, chain
from workflow_copy import PACKAGE, copy_workflow, planned, pretend_to_run

# A collection of two documents, and a configuration that searches it
DATA = {
    "corpus.jsonl": [{"_id": "d1", "text": "one"}, {"_id": "d2", "text": "two"}],
    "questions.jsonl": [{"_id": "q1", "text": "one?"}],
    "judgements.jsonl": [{"q": "q1", "d": "d1", "grade": 1}],
}
SOURCE = {"format": "jsonl", "id": "_id", "text": "text"}
JUDGEMENTS = {
    **{"format": "jsonl", "files": ["judgements.jsonl"]},
    **{"question": "q", "document": "d", "grade": "grade"},
}
ABOUT = {"dataset": "mine", "language": "en", "data_version": "raw"}
CONFIG = {
    "select": {
        "models": ["bag-of-words"],
        **dict.fromkeys(("tasks", "pair_sets", "alignments", "regressions"), []),
        "question_sets": ["mine"],
        "retrievers": ["bm25", "dense", "both", "again", "near", "random-order"],
    },
    "models": {"cross": {"kind": "cross-encoder", "source": {"folder": "cross"}}},
    "datasets": {
        "mine": {
            **{"title": "Mine", "licence": "none", "citation": "none", "language": "en"},
            "files": {name: {"urls": [name]} for name in DATA},
        }
    },
    "corpora": {"mine": {"title": "Mine", **ABOUT, "documents": [{**SOURCE, "files": ["corpus.jsonl"]}]}},
    "question_sets": {
        "mine": {
            "title": "Mine",
            "corpus": "mine",
            **ABOUT,
            "questions": [{**SOURCE, "files": ["questions.jsonl"]}],
            "judgements": [JUDGEMENTS],
        }
    },
    "retrievers": {
        "dense": {"kind": "dense", "model": "bag-of-words"},
        "both": {"kind": "fusion", "of": ["bm25", "dense"], "rule": "sum"},
        "near": {"kind": "dense", "model": "bag-of-words", "index": {"kind": "hnsw"}},
        "again": {"kind": "rerank", "of": "dense", "model": "cross"},
    },
    "report": {
        "tables": ["retrieval", "retrieval-differences", "retrieval-indexes"],
        "figures": ["question-differences", "effectiveness-cost"],
        "checks": ["complete"],
    },
}


def changed(**sections):
    return {**CONFIG, **{key: {**CONFIG.get(key, {}), **value} for key, value in sections.items()}}


def new_project(folder):
    """A copy of the workflow with the files of the collection, in a new folder."""
    project = copy_workflow(folder / "project")
    for name, lines in DATA.items():
        (project / name).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return project


AFTER_COSTS = {"make_products_retrieval", "report"}
SHOWN = {
    *("summarise_retrieval", "summarise_retrieval_costs", "summarise_costs"),
    *("make_products_retrieval", "record"),
    *AFTER_COSTS,
}
EXPLAINED = {"hardest_questions mine", "explain mine/bm25"}
MEASURED = {"compare_retrieval", *EXPLAINED, *SHOWN}
INDEXES = {"summarise_indexes", "make_products_retrieval"}


def of(found: set[str], *rules: str) -> set[str]:
    return {job for job in found if job.split()[0] in rules}


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    project = new_project(tmp_path_factory.mktemp("retrieval"))
    pretend_to_run(project, CONFIG)
    return project


def test_no_search_runs_again_because_its_time_is_not_known(searched, tmp_path):
    project = shutil.copytree(searched, tmp_path / "project")
    shutil.rmtree(project / "results/benchmarks")
    exported = planned(project, CONFIG, ["results/exports/trec/mine/judgements.qrels"])
    assert exported == {"export_trec mine"}
    assert of(planned(project, CONFIG), "search", "evaluate") == set()


def retriever(name, **keys):
    return changed(retrievers={name: {**CONFIG["retrievers"].get(name, {}), **keys}})


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param(CONFIG, set(), id="none"),
        pytest.param(
            retriever("bm25", title="BM25", kind="bm25", analyser="long-words", k1=0.9),
            {"search mine/bm25", "search mine/both", "evaluate mine", *MEASURED},
            id="a parameter of what is fused",
        ),
        pytest.param(
            changed(models={"cross": {**CONFIG["models"]["cross"], "source": {"folder": "other"}}}),
            {"describe_model cross", "search mine/again", "evaluate mine", *MEASURED},
            id="another cross-encoder",
        ),
        pytest.param(
            retriever("near", index={"kind": "ivf-flat"}),
            {
                *(f"{rule} mine/near" for rule in ("build_index", "search", "certify_index")),
                "evaluate mine",
                *(*INDEXES, *MEASURED),
            },
            id="another index",
        ),
        pytest.param(
            changed(retrieval={"measures": ["nDCG@10", "P@5"]}),
            {"evaluate mine", *MEASURED},
            id="other measures",
        ),
        pytest.param(
            changed(retrieval={"main": "RR@10"}),
            {*MEASURED, "certify_index mine/near", *INDEXES},
            id="another main measure",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            changed(retrieval={"reference": "dense"}),
            SHOWN,
            id="another reference",
            marks=pytest.mark.slow,
        ),
        pytest.param(retriever("dense", title="Dense"), SHOWN, id="a title", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_a_setting_of_retrieval_runs_the_jobs_that_read_it_and_what_follows(searched, config, expected):
    assert planned(searched, config) == expected


def test_an_edit_of_the_questions_embeds_no_document(searched):
    file = searched / "questions.jsonl"
    before = file.read_text(encoding="utf-8")
    lines = [*DATA["questions.jsonl"], {"_id": "q2", "text": "two?"}]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    try:
        found = planned(searched, CONFIG)
    finally:
        file.write_text(before, encoding="utf-8")
    assert {"download mine/questions.jsonl", "prepare_questions mine"} <= found
    unwanted = ("prepare_corpus", "analyse", "embed bag-of-words/mine/documents")
    assert not [job for job in found if job.startswith(unwanted)]


@pytest.mark.slow
def test_of_shards_what_a_kill_left_unfinished_is_made_and_no_other(tmp_path):
    # an approximate index is of a whole corpus
    exact = {"retrievers": [name for name in CONFIG["select"]["retrievers"] if name != "near"]}
    sharded = changed(corpora={"mine": {**CONFIG["corpora"]["mine"], "shards": 2}}, select=exact)
    project = new_project(tmp_path)
    shards = ("mine/shard-1-of-2", "mine/shard-2-of-2")
    found = planned(project, sharded)
    assert of(found, "shard_corpus") == {f"shard_corpus {shard}" for shard in shards}
    assert of(found, "merge_shards") == {"merge_shards mine/bm25", "merge_shards mine/dense"}
    assert of(found, "embed") == {
        "embed bag-of-words/mine/questions",
        *(f"embed bag-of-words/{shard}/documents" for shard in shards),
    }
    pretend_to_run(project, sharded)
    for name in (
        f"embeddings/bag-of-words/{shards[1]}/documents.npy",
        "runs/mine/dense/shard-2-of-2.parquet",
        "runs/mine/dense.parquet",
        *("retrieval/mine/dense.json", "report/index.html"),
    ):
        (project / "results" / name).unlink()
    found = planned(project, sharded)
    assert of(found, "embed", "search", "shard_corpus", "merge_shards") == {
        f"embed bag-of-words/{shards[1]}/documents",
        "search mine/dense/shard-2-of-2",
        "merge_shards mine/dense",
        *("search mine/both", "search mine/again"),
    }


ROUNDS = {"train round-1-seed-1", "train round-2-seed-1"}
COMPUTING = ("train", "mine_training", "embed", "collect_training")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Two rounds of retrieval training, of which the second learns from negatives of the first."""

    def make(folder: Path) -> None:
        pretend_to_run(copy_workflow(folder / "project"), chain())

    return made_once(tmp_path_factory, "chain", make) / "project"


def with_round(name, **training):
    config = chain()
    config["models"][name]["training"] = {**config["models"][name]["training"], **training}
    return config


def test_another_first_round_runs_the_rest_of_the_chain_and_a_second_one_itself_alone(trained):
    assert planned(trained, chain()) == set()
    again = planned(trained, with_round("round-1", learning_rate=2e-3))
    assert of(again, "train", "mine_training") == {*ROUNDS, "mine_training of-round-1-seed-1"}
    assert f"search {TEST}/bm25-x-round-2-seed-1" in again
    again = planned(trained, with_round("round-2", learning_rate=2e-3))
    assert of(again, "train", "mine_training") == {"train round-2-seed-1"}


def test_what_comes_after_a_training_trains_and_embeds_nothing(trained):
    config = chain()
    config["retrievers"]["bm25-x-round-2"] |= {"rule": "sum", "weights": [0.5, 0.5]}
    config["statistics"] = {"level": 0.9}
    config["models"]["round-1"] |= {"title": "Other", "device": "cpu"}
    found = planned(trained, config)
    assert found and not of(found, *COMPUTING)
    assert {job.split("/")[-1] for job in of(found, "search")} == {"bm25-x-round-2-seed-1"}


@pytest.mark.slow
def test_other_negatives_train_the_second_round_and_another_seed_itself_alone(trained):
    config = chain()
    config["training_data"]["of-round-1"]["negatives"]["ranks"] = [2, 10]
    found = planned(trained, config)
    assert of(found, "train", "mine_training") == {"train round-2-seed-1", "mine_training of-round-1-seed-1"}
    config = chain()
    for name in ("round-1", "round-2"):
        config["models"][name]["seeds"] = [1, 2]
    assert of(planned(trained, config), "train") == {"train round-1-seed-2", "train round-2-seed-2"}


@pytest.mark.slow
def test_an_edit_of_a_recipe_trains_its_encoders_again_and_one_of_another_none(trained):
    found = {}
    for module in ("training/recipes/bi_encoder.py", "training/recipes/consert.py"):
        file = trained / PACKAGE / module
        before = file.read_bytes()
        file.write_bytes(before + b"\n\nEDITED = True\n")
        try:
            found[module] = of(planned(trained, chain()), "train")
        finally:
            file.write_bytes(before)
    assert list(found.values()) == [ROUNDS, set()]
