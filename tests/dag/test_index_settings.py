"""Which jobs approximate indexes of both kinds have, and which of them run again."""

import pytest
from small_collection import CONFIG, changed, new_project
from workflow_copy import planned, pretend_to_run

QUICK = {"kind": "sparse", "model": "terms", "impacts": 8, "index": {"kind": "seismic"}}
INDEXED = {
    **changed(
        models={"terms": {"kind": "splade", "source": {"folder": "terms"}}}, retrievers={"quick": QUICK}
    ),
    "select": {**CONFIG["select"], "retrievers": ["near", "quick"]},
}
RULES = ("build_index", "search_index", "certify_index")


def with_quick(**keys):
    return {**INDEXED, "retrievers": {**INDEXED["retrievers"], "quick": {**QUICK, **keys}}}


def computing(jobs):
    """Those that compute, of which no edit may run more than it must."""
    rules = (*RULES, "fetch", "embed", "search", "split", "merge")
    return {job for job in jobs if job.split()[0].startswith(rules)}


@pytest.fixture(scope="module")
def new(tmp_path_factory):
    return new_project(tmp_path_factory.mktemp("indexed"))


@pytest.fixture(scope="module")
def finished(new):
    pretend_to_run(new, INDEXED)
    return new


def test_the_same_rules_build_search_and_certify_both(new):
    found = planned(new, INDEXED)
    assert {job for job in found if job.startswith(RULES)} == {
        f"{rule} mine/{retriever}" for rule in RULES for retriever in ("near", "quick")
    }
    assert "summarise_indexes" in {job.split()[0] for job in found}
    assert not {job for job in found if job.startswith(("search_sparse", "search_vectors"))}


def test_an_index_of_rounded_weights_is_of_the_whole_corpus_beside_its_shards(new):
    found = planned(new, {**INDEXED, "corpora": {"mine": {**CONFIG["corpora"]["mine"], "shards": 2}}})
    assert {"build_index mine/quick", "embed_sparse terms/mine/documents"} <= found
    assert "merge_shards mine/quick" not in found


def test_other_settings_of_an_index_run_its_jobs_and_embed_nothing(finished):
    assert planned(finished, INDEXED) == set()
    assert (finished / "results/indexes/mine/quick.index").is_file()
    expected = {f"{rule} mine/quick" for rule in RULES}
    index = {"kind": "seismic", "question_terms": 5}
    assert computing(planned(finished, with_quick(index=index))) == expected
    assert computing(planned(finished, with_quick(impacts=7))) == expected


@pytest.mark.parametrize(
    ("module", "text", "retriever"),
    [("by_seismic", "_ROWS = 1 << 15", "quick"), ("by_faiss", '"links"', "near")],
)
def test_an_edit_of_a_back_end_runs_nothing_of_the_other(finished, module, text, retriever):
    file = finished / f"workflow/src/sentflow/retrieval/indexes/{module}.py"
    before = file.read_text(encoding="utf-8")
    assert text in before
    file.write_text(before.replace(text, f"{text} or 0"), encoding="utf-8")
    try:
        found = planned(finished, INDEXED)
    finally:
        file.write_text(before, encoding="utf-8")
    assert computing(found) == {f"{rule} mine/{retriever}" for rule in RULES}
