"""The leaderboard: encoders in order with the numbers of the files, and nobody called best whom no test separates."""

import dataclasses
import math

import fake_comparisons
import fake_similarity
import fake_summary
import pytest
from sentflow.report.families.probing.answer import answer
from sentflow.report.families.probing.board import board
from sentflow.report.families.similarity.board import answer as answer_of_similarity

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.marks import NOT_WORSE

SCORES = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"])
EVERY = fake_summary.score_rows()  # 18 tasks: enough for the test over tasks


def column(found, heading):
    return next(one for one in found.columns if one.heading == heading)


def test_mean_rank_differences_and_their_intervals_are_those_of_the_file():
    compared = fake_comparisons.comparisons(SCORES)
    found = board(SCORES, compared)
    means = {row.model: row.mean for row in compared.ranks}
    assert [system.name for system in found.systems] == sorted(means, key=lambda model: -means[model])
    assert {system.name for system in found.systems if system.is_control} == {"bag-of-words", "random"}
    for row in compared.ranks:
        mean = column(found, "Mean score").entries[row.model]
        assert mean.value == pytest.approx(row.mean)
        assert mean.limits == pytest.approx((max(0, row.mean_low), min(1, row.mean_high)))
        rank = column(found, "Average rank").entries[row.model]
        assert (rank.value, rank.limits) == (row.average_rank, (row.repeat_low, row.repeat_high))
    behind = column(found, "Against the first").entries
    assert "minilm-l6" not in behind
    against = {row.model_b: row for row in compared.across if row.model_a == "minilm-l6"}
    for model, one in behind.items():
        row = against[model]
        assert (one.value, one.limits) == (-row.difference, (-row.high, -row.low))
        assert one.mark == ("" if row.separated else NOT_WORSE)
    own = [row.mean for row in SCORES if row.model == "tfidf" and row.family == "factual"]
    assert column(found, "Factual (2)").entries["tfidf"].value == pytest.approx(math.fsum(own) / 2)


def test_incomplete_encoders_are_last_without_mean_or_rank():
    rows = [row for row in SCORES if (row.task, row.model) != ("T1A-sample", "minilm-l6")]
    found = board(rows, fake_comparisons.comparisons(rows))
    assert (found.systems[-1].name, found.systems[-1].remark) == ("minilm-l6", "2 of 3 tasks: no mean")
    with_it = [one.heading for one in found.columns if "minilm-l6" in one.entries]
    assert "Factual (2)" in with_it and not {"Mean score", "Average rank"} & {*with_it}


def test_nobody_is_called_best_whom_no_test_separates():
    compared = fake_comparisons.comparisons(EVERY)

    def said(**changes):
        across = [dataclasses.replace(row, **changes) for row in compared.across]
        return answer(EVERY, dataclasses.replace(compared, across=across))

    assert said(separated=True, low=0.01).startswith("all-MiniLM-L6-v2 is best over 18 tasks")
    for changes in (
        {"separated": False},
        {"separated": True, "low": -0.01},  # the test and the average difference disagree
        {"separated": True, "difference": -0.03, "low": -0.05, "high": -0.01},
    ):
        assert said(**changes).startswith("No encoder is shown to be best over 18 tasks")
    assert "may be chance" in answer(EVERY, Comparisons())
    few = answer(SCORES, fake_comparisons.comparisons(SCORES))
    assert few.startswith("No encoder") and "3 tasks are too few" in few


def test_pair_sets_have_their_leaders():
    data = fake_similarity.summarised(["STS12", "STSB-test"])
    (said,) = answer_of_similarity(data)
    assert said.startswith(
        "all-MiniLM-L6-v2 has the highest Spearman correlation on 2 of 2 pair sets; on 2 of"
    )
    equal = [dataclasses.replace(row, p_bootstrap=0.9) for row in data.differences]
    assert "on none of the 2" in answer_of_similarity(dataclasses.replace(data, differences=equal))[0]
