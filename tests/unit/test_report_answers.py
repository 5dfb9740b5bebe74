"""The first line of the page: who is best, by how much, how surely, on what data; and nothing that no test shows."""

import dataclasses
import math
import re

import fake_comparisons
import fake_retrieval
import fake_similarity
import fake_summary
import pytest
from report_pages import make_sources, page_sources

from sentflow.compare.comparisons import Comparisons
from sentflow.report.families.probing.answer import answer
from sentflow.report.families.retrieval.board import answer as answer_of_retrieval
from sentflow.report.families.similarity.board import answer as answer_of_similarity
from sentflow.report.families.similarity.data import SimilarityData
from sentflow.report.page.page import render


@pytest.fixture(scope="module")
def scores():
    return fake_summary.score_rows()


@pytest.fixture(scope="module")
def compared(scores):
    return fake_comparisons.comparisons(scores)


def with_across(compared, **changes):
    return dataclasses.replace(
        compared, across=[dataclasses.replace(row, **changes) for row in compared.across]
    )


def answer_lines(page):
    found = re.findall(r'<p class="answer[^"]*">(.*?)</p>', page, re.DOTALL)
    return [line.replace("\u202f", " ") for line in found]


# --- tasks ---


def test_best_encoder_is_named_with_its_lead_and_what_that_holds_for(scores, compared):
    said = answer(scores, with_across(compared, separated=True, low=0.01)).replace("\u202f", " ")
    assert re.fullmatch(
        r"all-MiniLM-L6-v2 is best over 18 tasks: mean score 0\.\d{3} against 0\.\d{3} of the next, TF-IDF .*"
        r"\(average difference by a model over tasks 0\.030, 99 % interval for tasks of new sources 0\.010 to "
        r"0\.070\); the signed-rank test over 18 tasks separates the two\.",
        said,
    )


@pytest.mark.parametrize(
    "limits", [{"low": -0.01}, {"difference": -0.03, "low": -0.05, "high": -0.01}], ids=str
)
def test_nothing_is_called_best_where_test_and_average_difference_disagree(scores, compared, limits):
    said = answer(scores, with_across(compared, separated=True, **limits))
    assert said.startswith("No encoder is shown to be best over 18 tasks")
    assert "the signed-rank test over 18 tasks, taken with that interval, does not separate the two" in said


def test_difference_is_that_of_the_first_less_the_next_whichever_stands_first(scores, compared):
    turned = [
        dataclasses.replace(
            row,
            model_a=row.model_b,
            model_b=row.model_a,
            difference=-row.difference,
            low=-row.high,
            high=-row.low,
        )
        for row in compared.across
    ]
    assert answer(scores, dataclasses.replace(compared, across=turned)) == answer(scores, compared)


def test_nothing_is_called_best_that_no_test_separates(scores, compared):
    said = answer(scores, with_across(compared, separated=False))
    assert said.startswith("No encoder is shown to be best over 18 tasks: all-MiniLM-L6-v2 has the highest")
    assert "the signed-rank test over 18 tasks does not separate the two" in said


def test_too_few_tasks_for_the_test_are_said():
    rows = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"])
    said = answer(rows, fake_comparisons.comparisons(rows))
    assert "3 tasks are too few for the signed-rank test to separate any two" in said


def test_sources_are_what_the_test_counts(scores, compared):
    said = answer(scores, with_across(compared, units="sources", n_units=12, separated=False))
    assert "the signed-rank test over 12 sources" in said
    assert "for new tasks of the same source" in answer(scores, with_across(compared, n_sources=1))


def test_single_encoder_is_compared_with_no_other():
    rows = fake_summary.score_rows(models=["minilm-l6"])
    said = answer(rows, Comparisons())
    assert said.startswith("all-MiniLM-L6-v2 has a mean score over 18 tasks of 0.")
    assert said.endswith("it was compared with no other.")


def test_encoders_that_lack_tasks_are_not_called_best():
    rows = fake_summary.score_rows(tasks=["T1A", "T1B"], models=["minilm-l6", "tfidf"])
    assert answer(rows[:1] + rows[3:], Comparisons()).startswith("No encoder has a score on every task")


def test_untested_lead_may_be_chance(scores):
    assert answer(scores, Comparisons()).endswith("no test was made, so this may be chance.")


def test_control_in_front_is_said(scores, compared):
    controls = [dataclasses.replace(row, is_control=row.model == "minilm-l6") for row in scores]
    assert answer(controls, compared).endswith("; it is a control, so no encoder is above all controls.")


def test_other_leader_by_average_rank_is_said(scores, compared):
    ranks = [
        dataclasses.replace(row, average_rank=1.0 if row.model == "tfidf" else 2.5) for row in compared.ranks
    ]
    said = answer(scores, dataclasses.replace(compared, ranks=ranks))
    assert said.endswith("; by average rank TF-IDF (3000 word 1–3-grams) is first.")


@pytest.mark.parametrize(
    ("changes", "texts"),
    [
        ({}, "new texts"),
        ({"item_grouped": True}, "new texts of the same documents"),
        ({"item_grouped": True, "groups_folds": True}, "new documents of the same kind"),
    ],
)
def test_lead_on_one_task_holds_for_texts_or_documents(changes, texts):
    rows = [dataclasses.replace(row, **changes) for row in fake_summary.score_rows(tasks=["T1A"])]
    said = answer(rows, fake_comparisons.comparisons(rows))
    assert "on T1A-sample: " in said and f"interval for {texts} " in said and "resampled t-test" in said
    assert "task" not in said.replace("T1A", "")


def test_protocols_are_answered_apart(tmp_path, scores):
    rows = [
        dataclasses.replace(row, protocol="corrected") if row.family == "trust" else row for row in scores
    ]
    compared = fake_comparisons.comparisons(rows)
    first, second = answer_lines(render(make_sources(tmp_path, scores=rows, comparisons=compared)))
    assert "over 12 tasks" in first and "signed-rank test over 12 tasks" in first
    assert "over 6 tasks" in second
    assert first.endswith("(protocol published).") and second.endswith("(protocol corrected).")


# --- pair sets and question sets ---


@pytest.fixture(scope="module")
def similarity(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    return SimilarityData.read(list(fake_similarity.summarise(folder, pairs=["STS12", "STSB-test"]).values()))


def test_similarity_counts_sets_and_clear_leads(similarity):
    (said,) = answer_of_similarity(similarity)
    assert said.startswith(
        "all-MiniLM-L6-v2 has the highest Spearman correlation on 2 of 2 pair sets; on 2 of"
    )
    assert "for new pairs of sentences" in said
    (untested,) = answer_of_similarity(dataclasses.replace(similarity, differences=[]))
    assert untested.endswith("no test was made, so this may be chance.")
    equal = [dataclasses.replace(row, p_bootstrap=0.9) for row in similarity.differences]
    assert "on none of the 2" in answer_of_similarity(dataclasses.replace(similarity, differences=equal))[0]


def test_shared_first_places_name_all_of_them(similarity):
    shared = [dataclasses.replace(row, value=0.5) for row in similarity.scores]
    (said,) = answer_of_similarity(dataclasses.replace(similarity, scores=shared))
    assert " each have the highest " in said


def test_best_retriever_of_a_set_is_named_with_its_lead():
    found = fake_retrieval.results(["laws"], ["bm25", "dense", "random"])
    (said,) = answer_of_retrieval(found.rows, found.differences)
    assert "on laws" in said and "the paired t-test over questions" in said
    assert "for new questions on the same documents" in said
    assert answer_of_retrieval([], []) == ()


# --- on the page ---


def test_meaning_of_sample_data_is_said_once(tmp_path):
    parts = {"comparisons": fake_comparisons.comparisons(fake_summary.score_rows(tasks=["F1A", "F3", "T1A"]))}
    page = render(make_sources(tmp_path, **parts))
    assert answer_lines(page)[0].startswith(
        "On sample data (which show only that the pipeline works), no encoder"
    )
    assert page.count("show only that the pipeline works") == 1
    assert "Made from sample data" not in page
    assert page.count('<span class="stamp">sample data</span>') > 5


def test_data_are_named_and_many_are_counted(tmp_path):
    scores = fake_summary.score_rows(tasks=["F1A", "T1A"], data_version="HateBR 2.0")
    page = render(make_sources(tmp_path, scores=scores))
    assert answer_lines(page)[0].startswith("On HateBR 2.0, all-MiniLM")
    many = [dataclasses.replace(row, data_version=f"{row.model} 1") for row in scores]
    assert answer_lines(render(make_sources(tmp_path, scores=many)))[0].startswith("On 4 datasets, ")
    mixed = [
        dataclasses.replace(row, data_version="sample data" if row.task[0] == "F" else "HateBR 2.0")
        for row in scores
    ]
    assert answer_lines(render(make_sources(tmp_path, scores=mixed)))[0].startswith("Partly on sample data")


def test_every_family_answers_and_the_first_line_is_of_tasks(tmp_path, similarity):
    sources = make_sources(tmp_path, similarity=similarity, pair_sets={})
    first, second = answer_lines(render(sources))
    assert "over 3 tasks" in first
    assert first.startswith("On sample data") and second.startswith("On raw, all-MiniLM-L6-v2 has")
    assert "2 pair sets" in second


def test_page_of_searches_alone_answers_for_retrievers(tmp_path):
    found = fake_retrieval.results(["laws"], ["bm25", "dense"]).by_kind()
    page = render(make_sources(tmp_path, scores=[], curves=[], retrieval=found))
    (line,) = answer_lines(page)
    assert "on laws" in line and "nDCG@10" in line


def test_undefined_interval_is_left_out(scores, compared):
    said = answer(scores, with_across(compared, low=math.nan, high=math.nan))
    assert "interval" not in said and "nan" not in said and "—" not in said


def test_page_without_anything_measured_has_no_answer(tmp_path):
    parts = {"scores": [], "curves": [], "costs": fake_summary.cost_rows(), "checks": [], "files": []}
    settings = {"experiment": {"title": "T"}, "tasks": {}, "models": {}, "datasets": {}}
    versions = {"python": "3", "platform": "x", "libraries": {"sentflow": "0"}, "git": None}
    page = render(page_sources(**parts, **settings, config="", versions=versions))
    assert answer_lines(page) == []
