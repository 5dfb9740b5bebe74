"""Which jobs a search by weights of terms has, and which of them run again."""

import pytest
from small_collection import CONFIG, changed, new_project
from workflow_copy import planned, pretend_to_run, rules_of

TERMS = {"kind": "splade", "source": {"folder": "terms"}, "terms": {"queries": 4, "documents": 8}}
RETRIEVERS = {
    "weighed": {"kind": "sparse", "model": "terms"},
    "both": {"kind": "fusion", "of": ["bm25", "weighed"], "rule": "sum"},
}
WEIGHED = {
    **changed(models={"terms": TERMS}, retrievers=RETRIEVERS),
    "select": {**CONFIG["select"], "retrievers": ["bm25", "dense", "weighed", "both"]},
}
SHARDED = {**WEIGHED, "corpora": {"mine": {**CONFIG["corpora"]["mine"], "shards": 2}}}
# The same, with vectors of terms
ORDERED = {
    **WEIGHED,
    "models": {"terms": {**TERMS, "kind": "sparse-embed"}},
    "retrievers": {**WEIGHED["retrievers"], "weighed": {**RETRIEVERS["weighed"], "candidates": 1000}},
}
AFTER_QUESTIONS = {"embed_sparse terms/mine/questions", "search_sparse mine/weighed", "fuse mine/both"}
AFTER_SEARCH = AFTER_QUESTIONS - {"embed_sparse terms/mine/questions"}


def edited(config=None, **sections):
    config = config or WEIGHED
    return {**config, **{key: {**config.get(key, {}), **value} for key, value in sections.items()}}


def computing(jobs):
    """Those that compute, of which no edit may run more than it must."""
    return {job for job in jobs if job.split()[0].startswith(("fetch", "embed", "search", "fuse"))}


@pytest.fixture(scope="module")
def new(tmp_path_factory):
    return new_project(tmp_path_factory.mktemp("weighed"))


@pytest.fixture(scope="module")
def searched(new):
    pretend_to_run(new, WEIGHED)
    return new


def test_every_shard_is_weighed_and_searched_and_the_whole_is_merged(new):
    found = planned(new, SHARDED)
    shards = ("shard-1-of-2", "shard-2-of-2")
    assert {job for job in found if job.startswith("embed_sparse")} == {
        "embed_sparse terms/mine/questions",
        *(f"embed_sparse terms/mine/{shard}/documents" for shard in shards),
    }
    assert {job for job in found if "weighed" in job and not job.startswith(("evaluate", "explain"))} == {
        *(f"search_sparse mine/weighed/{shard}" for shard in shards),
        "merge_shards mine/weighed",
    }


def test_a_model_of_terms_has_sparse_vectors_and_no_others(searched):
    assert planned(searched, WEIGHED) == set()
    made = {file.name for file in (searched / "results/embeddings/terms/mine").iterdir()}
    assert {"documents.npz", "questions.npz", "documents.json", "questions.tokens.npy"} <= made
    assert not {"documents.npy", "questions.npy"} & made


def test_fewer_terms_of_questions_embed_questions_alone(searched):
    terms = {**TERMS, "terms": {"queries": 2, "documents": 8}}
    assert computing(planned(searched, edited(models={"terms": terms}))) == AFTER_QUESTIONS


def test_fewer_terms_of_documents_embed_documents_alone(searched):
    terms = {**TERMS, "terms": {"queries": 4}}
    documents = (AFTER_QUESTIONS - {"embed_sparse terms/mine/questions"}) | {
        "embed_sparse terms/mine/documents"
    }
    assert computing(planned(searched, edited(models={"terms": terms}))) == documents


def test_another_pooling_embeds_both_and_fetches_nothing(searched):
    found = computing(planned(searched, edited(models={"terms": {**TERMS, "pooling": "sum"}})))
    assert found == {*AFTER_QUESTIONS, "embed_sparse terms/mine/documents"}


def test_rounded_weights_embed_nothing(searched):
    weighed = {**RETRIEVERS["weighed"], "impacts": 8}
    found = computing(planned(searched, edited(retrievers={"weighed": weighed})))
    assert found == AFTER_SEARCH


def test_shared_terms_are_found_again_where_the_run_is(searched):
    weighed = {**RETRIEVERS["weighed"], "impacts": 8}
    found = planned(searched, edited(retrievers={"weighed": weighed}))
    assert "explain_sparse mine/weighed" in found
    # the questions are chosen by the mean of all
    assert {job for job in found if job.startswith("explain")} == {
        "explain_sparse mine/weighed",
        "explain_terms mine/bm25",
    }


def test_shared_terms_of_shards_are_found_in_one_job_that_waits_for_all_of_them(new):
    found = planned(new, SHARDED, ["results/items/mine/weighed/shared-terms.parquet"])
    assert {job for job in found if job.startswith(("explain", "embed_sparse terms/mine/shard"))} == {
        "explain_sparse mine/weighed",
        "embed_sparse terms/mine/shard-1-of-2/documents",
        "embed_sparse terms/mine/shard-2-of-2/documents",
    }


def test_where_terms_are_weighed_runs_nothing(searched):
    found = planned(searched, edited(models={"terms": {**TERMS, "device": "cuda"}}))
    assert rules_of(found) <= {"record", "report"}


def after_edit(project, config, module, old, new):
    """What computes after an edit of a module of kinds of encoders, which is taken back."""
    path = project / "workflow/src/sentflow/encoders/kinds/neural" / module
    before = path.read_text(encoding="utf-8")
    assert old in before
    path.write_text(before.replace(old, new), encoding="utf-8")
    try:
        return computing(planned(project, config))
    finally:
        path.write_text(before, encoding="utf-8")


def test_an_edit_of_the_kind_of_terms_embeds_by_no_other(searched):
    found = after_edit(searched, WEIGHED, "splade.py", 'SpladePooling("max")', 'SpladePooling("sum")')
    assert found == {*AFTER_QUESTIONS, "embed_sparse terms/mine/documents"}


def test_a_model_with_vectors_of_terms_has_the_same_jobs(searched):
    found = computing(planned(searched, ORDERED))
    assert found == {*AFTER_QUESTIONS, "embed_sparse terms/mine/documents", "fetch_model terms"}


@pytest.mark.slow
def test_candidates_embed_nothing_and_an_edit_of_the_kind_embeds_by_no_other(tmp_path_factory):
    project = new_project(tmp_path_factory.mktemp("ordered"))
    pretend_to_run(project, ORDERED)
    assert planned(project, ORDERED) == set()
    more = {"weighed": {**RETRIEVERS["weighed"], "candidates": 2000}}
    assert computing(planned(project, edited(ORDERED, retrievers=more))) == AFTER_SEARCH
    weighed = {"weighed": RETRIEVERS["weighed"]}
    assert computing(planned(project, edited(ORDERED, retrievers=weighed))) == AFTER_SEARCH
    assert after_edit(project, ORDERED, "splade.py", 'SpladePooling("max")', 'SpladePooling("sum")') == set()
    found = after_edit(project, ORDERED, "sparse_embed.py", 'device="meta"', 'device="cpu"')
    assert found == {*AFTER_QUESTIONS, "embed_sparse terms/mine/documents"}
