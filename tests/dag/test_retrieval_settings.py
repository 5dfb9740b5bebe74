"""Which jobs run again after a change of what is said of corpora, questions and retrievers."""

import json

import pytest
from small_collection import CONFIG, DATA, changed, new_project
from workflow_copy import planned, pretend_to_run

AFTER_COSTS = {"figure effectiveness-cost", "report"}
SHOWN = {
    "summarise_retrieval",
    "summarise_questions",
    "summarise_retrieval_costs",
    "figure question-differences",
    "summarise_costs",
    "table retrieval",
    "table retrieval-differences",
    "record",
    *AFTER_COSTS,
}
EXPLAINED = {"hardest_questions mine", "explain_terms mine/bm25"}
MEASURED = {"compare_retrieval", *EXPLAINED, *SHOWN}


@pytest.fixture(scope="module")
def searched(tmp_path_factory):
    project = new_project(tmp_path_factory.mktemp("retrieval"))
    pretend_to_run(project, CONFIG)
    return project


def test_a_second_run_does_nothing(searched):
    assert planned(searched, CONFIG) == set()


def test_other_parameters_of_a_retriever_search_by_it_and_what_fuses_it_alone(searched):
    bm25 = {"title": "BM25", "kind": "bm25", "analyser": "long-words", "k1": 0.9}
    assert planned(searched, changed(retrievers={"bm25": bm25})) == {
        "search_terms mine/bm25",
        "fuse mine/both",
        "evaluate mine/bm25",
        "evaluate mine/both",
        *MEASURED,
    }


def test_another_cross_encoder_reranks_and_embeds_nothing(searched):
    cross = {**CONFIG["models"]["cross"], "source": {"folder": "other"}}
    assert planned(searched, changed(models={"cross": cross})) == {
        "fetch_model cross",
        "rerank mine/again",
        "evaluate mine/again",
        *MEASURED,
    }


def test_where_a_cross_encoder_computes_runs_nothing(searched):
    cross = {**CONFIG["models"]["cross"], "device": "cuda"}
    assert planned(searched, changed(models={"cross": cross})) <= {"record", "report"}


def test_another_depth_of_reranking_searches_nothing(searched):
    deeper = {**CONFIG["retrievers"]["again"], "depth": 5}
    assert planned(searched, changed(retrievers={"again": deeper})) == {
        "rerank mine/again",
        "evaluate mine/again",
        *MEASURED,
    }


def test_another_index_is_built_and_certified_and_searches_nothing_else(searched):
    near = {**CONFIG["retrievers"]["near"], "index": {"kind": "ivf-flat"}}
    assert planned(searched, changed(retrievers={"near": near})) == {
        "build_index mine/near",
        "search_index mine/near",
        "certify_index mine/near",
        "evaluate mine/near",
        "summarise_indexes",
        "table retrieval-indexes",
        *MEASURED,
    }


def test_a_title_searches_and_measures_nothing(searched):
    found = planned(
        searched, changed(retrievers={"dense": {**CONFIG["retrievers"]["dense"], "title": "Dense"}})
    )
    assert found == {"summarise_retrieval", *SHOWN}


def test_another_measure_searches_nothing(searched):
    found = planned(searched, changed(retrieval={"measures": ["nDCG@10", "P@5"]}))
    assert found == {f"evaluate mine/{name}" for name in CONFIG["select"]["retrievers"]} | MEASURED


def test_clusters_of_questions_search_nothing(searched):
    sets = {"mine": {**CONFIG["question_sets"]["mine"], "cluster": "gold-document"}}
    found = planned(searched, changed(question_sets=sets))
    evaluated = {job for job in found if job.startswith("evaluate ")}
    assert evaluated == {f"evaluate mine/{name}" for name in CONFIG["select"]["retrievers"]}
    assert found - evaluated <= MEASURED


def test_another_pair_to_read_of_compares_nothing(searched):
    found = planned(searched, changed(retrieval={"pair": ["bm25", "random-order"]}))
    assert found <= EXPLAINED | SHOWN
    assert found >= EXPLAINED


def test_another_main_measure_evaluates_nothing(searched):
    certified = {"certify_index mine/near", "summarise_indexes", "table retrieval-indexes"}
    assert planned(searched, changed(retrieval={"main": "RR@10"})) == MEASURED | certified


def test_another_reference_changes_the_differences_from_it_alone(searched):
    found = planned(searched, changed(retrieval={"reference": "dense"}))
    assert found == {"summarise_questions", "figure question-differences", "record", "report"}


def test_stages_of_a_chain_compare_nothing(searched):
    stages = [{"title": name, "retrievers": [name]} for name in ("bm25", "both")]
    found = planned(
        searched,
        {
            **changed(retrieval={"stages": {"series": ["alone"], "of": stages}}),
            "report": {**CONFIG["report"], "figures": [*CONFIG["report"]["figures"], "retrieval-stages"]},
        },
    )
    assert found == {"summarise_stages", "figure retrieval-stages", "record", "report"}


def test_what_a_search_took_is_read_by_costs_alone(searched):
    file = searched / "results/runs/mine/bm25.made.json"
    before = file.read_text(encoding="utf-8")
    file.write_text(before + " ", encoding="utf-8")
    try:
        assert planned(searched, CONFIG) == {"summarise_retrieval_costs", *AFTER_COSTS}
    finally:
        file.write_text(before, encoding="utf-8")


def test_a_retriever_that_is_no_longer_shown_is_only_left_out(searched):
    fewer = {**CONFIG["select"], "retrievers": ["bm25", "dense", "both", "again", "near"]}
    assert planned(searched, {**CONFIG, "select": fewer}) == MEASURED


def test_questions_without_judgements_are_searched_and_measured_on_nothing(searched):
    unjudged = {"like": "mine", "title": "Mine, open", "judgements": []}
    found = planned(
        searched,
        {
            **changed(question_sets={"open": unjudged}),
            "select": {**CONFIG["select"], "question_sets": ["mine", "open"]},
        },
    )
    assert {"prepare_questions open", "search_terms open/bm25", "fuse open/both"} <= found
    # what encoders read of a corpus has the new questions, too: dense searches run again, lexical ones do not
    assert not {
        job for job in found if job.startswith(("evaluate open", "evaluate mine/bm25", "search_terms mine"))
    }


def test_an_edit_of_the_questions_embeds_no_document(searched):
    lines = [*DATA["questions.jsonl"], {"_id": "q2", "text": "two?"}]
    file = searched / "questions.jsonl"
    before = file.read_text(encoding="utf-8")
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    try:
        found = planned(searched, CONFIG)
    finally:
        file.write_text(before, encoding="utf-8")
    assert {"download mine/questions.jsonl", "prepare_questions mine"} <= found
    assert not {
        job
        for job in found
        if job.startswith(("prepare_corpus", "analyse", "embed bag-of-words/mine/documents"))
    }


def test_exports_are_a_job_per_question_set_and_follow_titles_but_no_search(searched):
    jobs = planned(searched, CONFIG, ["exports"])
    assert {job for job in jobs if job.startswith("export_")} == {
        "export_trec mine",
        "export_mteb_retrieval",
        "export_ro_crate",
    }
    assert not {job for job in jobs if job.startswith("search_")}
