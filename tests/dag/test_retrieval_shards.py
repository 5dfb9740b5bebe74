"""The jobs of a corpus that is searched shard by shard, and which of them run again."""

import json

import pytest
from small_collection import CONFIG, DATA, changed, new_project
from workflow_copy import planned, pretend_to_run

# An approximate index is of a whole corpus
EXACT = {"retrievers": [name for name in CONFIG["select"]["retrievers"] if name != "near"]}
SHARDED = changed(corpora={"mine": {**CONFIG["corpora"]["mine"], "shards": 2}}, select=EXACT)
SHARDS = ("mine/shard-1-of-2", "mine/shard-2-of-2")
SEARCHED = {
    f"{rule} mine/{retriever}/{shard.partition('/')[2]}"
    for rule, retriever in (("search_terms", "bm25"), ("search_vectors", "dense"))
    for shard in SHARDS
}
MERGED = {"merge_shards mine/bm25", "merge_shards mine/dense"}


@pytest.fixture(scope="module")
def new(tmp_path_factory):
    return new_project(tmp_path_factory.mktemp("shards"))


@pytest.fixture(scope="module")
def finished(new):
    pretend_to_run(new, SHARDED)
    return new


def of(found, *rules):
    return {job for job in found if job.split()[0] in rules}


def test_every_shard_has_jobs_of_its_own_and_the_whole_is_merged(new):
    found = planned(new, SHARDED)
    assert of(found, "prepare_corpus") == {"prepare_corpus mine"}
    for rule, after in (
        ("shard_corpus", ""),
        ("analyse", "/long-words"),
        ("collect", "/documents"),
    ):
        expected = {f"{rule} {shard}{after}" for shard in SHARDS}
        assert expected <= of(found, rule) <= {*expected, "collect mine/questions"}
    assert of(found, "embed") == {
        "embed bag-of-words/mine/questions",
        *(f"embed bag-of-words/{shard}/documents" for shard in SHARDS),
    }
    assert of(found, "count_terms") == {"count_terms mine/long-words"}
    assert of(found, "search_terms", "search_vectors") == SEARCHED
    assert of(found, "merge_shards") == MERGED
    assert of(found, "fuse", "search_randomly") == {"fuse mine/both", "search_randomly mine/random-order"}


def test_an_index_is_of_the_whole_corpus_beside_its_shards(new):
    found = planned(new, {**SHARDED, "select": CONFIG["select"]})
    assert "build_index mine/near" in found and "merge_shards mine/near" not in found
    assert of(found, "embed") >= {
        "embed bag-of-words/mine/documents",
        *(f"embed bag-of-words/{shard}/documents" for shard in SHARDS),
    }


def test_one_shard_is_the_corpus_itself(new):
    one = changed(corpora={"mine": {**CONFIG["corpora"]["mine"], "shards": 1}})
    assert planned(new, one) == planned(new, CONFIG)
    assert not of(planned(new, one), "shard_corpus", "merge_shards", "count_terms")


def test_a_second_run_does_nothing(finished):
    assert planned(finished, SHARDED) == set()


def test_other_parameters_of_a_retriever_search_every_shard_by_it_and_embed_nothing(finished):
    bm25 = {"title": "BM25", "kind": "bm25", "analyser": "long-words", "k1": 0.9}
    found = planned(finished, {**SHARDED, "retrievers": {**CONFIG["retrievers"], "bm25": bm25}})
    assert of(found, "search_terms", "merge_shards", "fuse") == {
        *(job for job in SEARCHED if job.startswith("search_terms")),
        "merge_shards mine/bm25",
        "fuse mine/both",
    }
    assert not of(found, "search_vectors", "embed", "shard_corpus", "analyse", "count_terms")


def test_what_a_kill_left_unfinished_is_made_and_no_other_shard(finished):
    results = finished / "results"
    unfinished = [
        f"embeddings/bag-of-words/{SHARDS[1]}/documents.npy",
        "runs/mine/dense/shard-2-of-2.parquet",
        "runs/mine/dense.parquet",
        "retrieval/mine/dense.json",
        "report/index.html",
    ]
    before = {name: (results / name).read_bytes() for name in unfinished}
    for name in unfinished:
        (results / name).unlink()
    try:
        found = planned(finished, SHARDED)
    finally:
        for name, content in before.items():
            (results / name).write_bytes(content)
    assert of(found, "embed", "search_vectors", "search_terms", "shard_corpus", "merge_shards") == {
        f"embed bag-of-words/{SHARDS[1]}/documents",
        "search_vectors mine/dense/shard-2-of-2",
        "merge_shards mine/dense",
    }


def test_an_edit_of_the_documents_cuts_every_shard_again(finished):
    file = finished / "corpus.jsonl"
    before = file.read_text(encoding="utf-8")
    file.write_text(
        "\n".join(map(json.dumps, [*DATA["corpus.jsonl"], {"_id": "d3", "text": "three"}])), "utf-8"
    )
    try:
        found = planned(finished, SHARDED)
    finally:
        file.write_text(before, encoding="utf-8")
    assert of(found, "shard_corpus") == {f"shard_corpus {shard}" for shard in SHARDS}
    assert {"download mine/corpus.jsonl", "prepare_corpus mine", *SEARCHED, *MERGED} <= found
