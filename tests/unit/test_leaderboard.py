"""The leaderboard: encoders in order, incomplete ones last and without a mean, numbers from the files of results."""

import dataclasses
import math
import re

import fake_comparisons
import fake_retrieval
import fake_similarity
import fake_summary
import pytest
from report_pages import elements, make_parts, make_sources, page_sources

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.marks import NOT_WORSE
from sentflow.report.families.probing.board import board
from sentflow.report.families.similarity.data import SimilarityData
from sentflow.report.leaderboard import Column
from sentflow.report.page.page import render

TASKS = ["F1A", "F3", "T1A"]


@pytest.fixture(scope="module")
def scores():
    return fake_summary.score_rows(tasks=TASKS)


@pytest.fixture(scope="module")
def compared(scores):
    return fake_comparisons.comparisons(scores)


def column(found, heading) -> Column:
    return next(one for one in found.columns if one.heading == heading)


def boards_of(page):
    return re.findall(r'<table class="data board".*?</table>', page, re.DOTALL)


def headings(table):
    return re.findall(r'<th scope="col"[^>]*>(?:<span>)?([^<]+)', table)


def test_encoders_stand_from_the_highest_mean_down(scores, compared):
    found = board(scores, compared)
    means = {row.model: row.mean for row in compared.ranks}
    assert [system.name for system in found.systems] == sorted(means, key=lambda model: -means[model])
    assert {system.name for system in found.systems if system.is_control} == {"bag-of-words", "random"}


def test_mean_rank_and_their_intervals_are_those_of_the_file(scores, compared):
    found = board(scores, compared)
    for row in compared.ranks:
        mean = column(found, "Mean score").entries[row.model]
        assert mean.value == pytest.approx(row.mean)
        assert mean.limits == pytest.approx((max(0, row.mean_low), min(1, row.mean_high)))
        rank = column(found, "Average rank").entries[row.model]
        assert (rank.value, rank.limits) == (row.average_rank, (row.repeat_low, row.repeat_high))
    assert column(found, "Mean score").holds_for == "new texts"
    assert column(found, "Average rank").holds_for == "new tasks"


def test_difference_is_against_the_first_and_marked_where_no_test_separates(scores, compared):
    found = column(board(scores, compared), "Against the first")
    assert "minilm-l6" not in found.entries
    separated = {row.model_b: row.separated for row in compared.across if row.model_a == "minilm-l6"}
    for model, one in found.entries.items():
        assert (one.value, one.limits) == (-0.03, (-0.07, 0.01))  # first less second is 0.03 [−0.01, 0.07]
        assert one.mark == ("" if separated[model] else NOT_WORSE)
    assert NOT_WORSE in {one.mark for one in found.entries.values()}


def test_families_have_the_mean_of_their_tasks(scores, compared):
    found = column(board(scores, compared), "Factual (2)")
    own = [row.mean for row in scores if row.model == "tfidf" and row.family == "factual"]
    assert found.entries["tfidf"].value == pytest.approx(math.fsum(own) / 2)


def test_incomplete_encoders_are_last_without_mean_or_rank(scores):
    rows = [row for row in scores if (row.task, row.model) != ("T1A-sample", "minilm-l6")]
    found = board(rows, fake_comparisons.comparisons(rows))
    last = found.systems[-1]
    assert (last.name, last.remark) == ("minilm-l6", "2 of 3 tasks: no mean")
    assert not any(
        "minilm-l6" in one.entries for one in found.columns if one.heading in ("Mean score", "Average rank")
    )
    assert "minilm-l6" in column(found, "Factual (2)").entries  # it has these tasks


def test_single_task_has_its_score_with_its_own_interval():
    rows = fake_summary.score_rows(tasks=["T1A"])
    found = board(rows, fake_comparisons.comparisons(rows))
    assert [one.heading for one in found.columns] == ["Score (MCC)"]
    assert found.columns[0].entries["tfidf"].limits == next(
        row.shown_generalisation for row in rows if row.model == "tfidf"
    )


def test_without_comparisons_there_are_means_alone(scores):
    found = board(scores, Comparisons())
    assert [one.heading for one in found.columns][:2] == ["Mean score", "Factual (2)"]
    assert all(math.isnan(one.limits[0]) for one in found.columns[0].entries.values())


def test_protocols_have_boards_of_their_own(tmp_path, scores):
    rows = [
        dataclasses.replace(row, protocol="corrected") if row.family == "trust" else row for row in scores
    ]
    compared = fake_comparisons.comparisons(rows)
    page = render(make_sources(tmp_path, scores=rows, comparisons=compared))
    published, corrected = boards_of(page)
    assert "protocol published" in published and "protocol corrected" in corrected
    assert "Average rank" in headings(published) and "Score (MCC)" in headings(corrected)
    (row,) = [row for row in compared.of("published").ranks if row.model == "tfidf"]
    assert f'data-value="{row.mean}"' in published
    assert page.count("<tfoot>") == 1 and "Average of 2 tasks" in page


def test_what_other_families_measured_and_costs_stand_beside(tmp_path_factory, tmp_path, scores, compared):
    folder = tmp_path_factory.mktemp("pairs")
    files = fake_similarity.summarise(folder, pairs=["STS12", "STSB-test"])
    found = fake_retrieval.results(["laws"], ["bm25", "dense"])
    found = found.by_kind()
    kind = next(kind for kind in found if kind.__name__ == "RetrievalRow")
    found[kind] = [
        dataclasses.replace(row, is_baseline=row.retriever == "bm25", model="tfidf") for row in found[kind]
    ]
    sources = make_sources(
        tmp_path,
        comparisons=compared,
        encoders=fake_comparisons.encoder_rows(scores),
        similarity=SimilarityData.read(list(files.values())),
        retrieval=found,
    )
    (table,) = boards_of(render(sources))
    assert headings(table) == [
        "Encoder", "Mean score", "Against the first", "Average rank", "Factual (2)", "Trustworthiness and bias (1)",
        "STS, 2 pair sets", "nDCG@10, laws", "Parameters", "Dimension", "s per 1,000 texts",
    ]  # fmt: skip
    assert ">22.0 M</td>" in table


def test_searches_alone_have_a_board_of_retrievers(tmp_path):
    found = fake_retrieval.results(["a", "b", "c", "d", "e"], ["bm25", "dense", "random"]).by_kind()
    (table,) = boards_of(render(make_sources(tmp_path, scores=[], curves=[], retrieval=found)))
    assert headings(table)[:3] == ["Retriever", "nDCG@10, a", "nDCG@10, b"]
    assert table.count("data-optional") == 2  # of more than three sets a reader may ask
    assert table.count('<span class="tag">control</span>') == 1


def test_board_is_a_plain_table_with_values_to_sort_and_to_copy(tmp_path, compared):
    page = render(make_sources(tmp_path, comparisons=compared))
    elements(page)
    (table,) = boards_of(page)
    assert "<button" not in table and "hidden" not in table
    first = compared.ranks[0]
    assert f'data-value="{first.mean}" data-low="{first.mean_low}" data-high="{first.mean_high}"' in table
    assert '<td class="number none">—</td>' in table  # the first against itself


def test_page_of_pair_sets_alone_has_a_board_of_encoders(tmp_path_factory, tmp_path):
    files = fake_similarity.summarise(tmp_path_factory.mktemp("pairs"), pairs=["STS12", "STSB-test"])
    data = SimilarityData.read(list(files.values()))
    parts = make_parts(tmp_path, similarity=data, pair_sets={}, scores=[], curves=[], tasks={})
    (table,) = boards_of(render(page_sources(**parts)))
    assert headings(table)[:2] == ["Encoder", "STS, 2 pair sets"]
    values = [float(value) for value in re.findall(r'data-value="([^"]+)"', table)]
    assert values == sorted(values, reverse=True) and len(values) == len(fake_similarity.LEVELS)
