"""Who leads: nobody is called best whom no test separates, and every printed lead is that of the printed values."""

import dataclasses

import fake_comparisons
import fake_similarity
import fake_summary
import numpy as np
import pytest

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.differences import Marks
from sentflow.report.claims import (
    Comparison,
    Ranking,
    System,
    of_probing,
    of_similarity,
    over_units,
    tasks_of,
)
from sentflow.report.costs.summary import encoder_rows
from sentflow.report.families.similarity.rows import main_rows

SCORES = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"])
EVERY = fake_summary.score_rows()  # 18 tasks: enough for the test over tasks


def verdict(rows, compared):
    return str(of_probing(rows, compared)[0].verdict())


def test_means_and_differences_are_those_of_the_files_and_incomplete_encoders_have_none():
    compared = fake_comparisons.comparisons(EVERY)
    (ranking,) = of_probing(EVERY, compared)
    means = {row.model: row.mean for row in compared.ranks}
    assert [system.name for system in ranking.systems] == sorted(means, key=lambda model: -means[model])
    for system in ranking.systems:
        assert system.value == pytest.approx(means[system.name])
    for row in compared.across:
        a, b = (ranking.tests[pair] for pair in ((row.model_a, row.model_b), (row.model_b, row.model_a)))
        assert (a.difference, a.low, b.low) == (row.difference, row.low, -row.high)
        assert (a.is_significant, a.p) == (row.separated, row.p_adjusted)
    limits = {row.model: (row.rank_low, row.rank_high) for row in compared.ranks}
    assert {system.name: ranking.place(system) for system in ranking.systems} == limits
    rows = [row for row in SCORES if (row.task, row.model) != ("T1A-sample", "minilm-l6")]
    (ranking,) = of_probing(rows, fake_comparisons.comparisons(rows))
    assert "minilm-l6" not in {system.name for system in ranking.systems}


def test_nobody_is_called_best_whom_no_test_separates():
    compared = fake_comparisons.comparisons(EVERY)

    def said(low):
        ranks = [dataclasses.replace(row, rank_low=low) for row in compared.ranks]
        return verdict(EVERY, dataclasses.replace(compared, ranks=ranks))

    assert said(2).startswith("all-MiniLM-L6-v2 is best") and "A typical pair needs" in said(2)
    assert "not significant" in said(1)
    assert "No test was made" in verdict(EVERY, Comparisons())
    assert "Three tasks are too few" in verdict(SCORES, fake_comparisons.comparisons(SCORES))


def ranking(*values, significant=(), **changes):
    """Systems a, b, …; `significant`: pairs of which the test rejects."""
    systems = tuple(System(chr(97 + i), chr(65 + i), value) for i, value in enumerate(values))
    tests = {
        (x.name, y.name): Comparison(
            x.value - y.value, -1.0, 1.0, bool({(x.name, y.name), (y.name, x.name)} & {*significant})
        )
        for x in systems
        for y in systems
        if x != y
    }
    return Ranking(systems, tests, "encoder", "mean score", "over 18 tasks", **changes)


def test_the_verdict_does_not_contradict_itself_with_one_two_or_equal_encoders():
    assert "no comparison" in str(ranking(0.7).verdict())
    assert str(ranking(0.70001, 0.70002).verdict()) == "A and B have the same mean score, 0.700."
    assert "A, B and C have the same" in str(ranking(0.7, 0.7, 0.7, 0.1).verdict())
    assert str(ranking(0.7, 0.6, significant=[("a", "b")]).verdict()) == (
        "A is best: its lead of 0.100 over B is significant."
    )
    assert "lead of 0.100 over B is not significant" in str(ranking(0.7, 0.6).verdict())
    assert "two encoders are not separated" in str(ranking(0.7, 0.6, 0.5).verdict())
    only_the_second = ranking(0.7, 0.6, 0.5, significant=[("a", "b")])
    assert "its lead over C is not significant" in str(only_the_second.verdict())
    assert "No encoder has a score" in str(Ranking((), {}, "encoder", "mean score", "").verdict())


@pytest.mark.parametrize(("digests", "why"), [("aa", "vectors are identical"), ("ab", "equal throughout")])
def test_equal_encoders_are_a_tie_without_a_test(digests, why):
    rows = fake_summary.score_rows(tasks=["F3"])[:2]
    rows = [dataclasses.replace(row, mean=0.7) for row in rows]
    compared = fake_comparisons.comparisons(rows)
    nothing = {"difference": 0.0, "low": 0.0, "high": 0.0, "p": 1.0, "p_holm": 1.0}
    pairs = [dataclasses.replace(row, **nothing) for row in compared.pairs]
    compared = dataclasses.replace(compared, pairs=pairs)
    encoders = [
        dataclasses.replace(row, vectors=digest)
        for row, digest in zip(encoder_rows(rows, {}, [], {}), digests, strict=True)
    ]
    (found,) = of_probing(rows, compared, encoders)
    for said in (str(found.verdict()), found.finding()):
        assert why in said and "nothing to test" in said and "best" not in said
    assert found.first == list(found.systems) and not found.is_tested and found.counts() == (0, 0)
    sets = tasks_of(rows, compared, [])
    assert not sets.firsts() and not sets.sets[0].is_tested
    assert str(sets.finding()) == "The highest score is shared on the only task."
    assert Marks(compared.pairs, []).mark(rows[0].task, rows[0].model) == ""


def test_a_printed_lead_is_the_difference_of_the_printed_values():
    found = ranking(0.7004, 0.6996)
    assert "lead of 0.001" not in str(found.verdict()) and "same mean score" in str(found.verdict())
    assert "lead of 0.001" in str(ranking(0.7006, 0.7004).verdict())


def test_places_leave_open_what_tests_leave_open():
    found = ranking(0.7, 0.6, 0.5, significant=[("a", "c")])
    assert [found.place(system) for system in found.systems] == [(1, 2), (1, 3), (2, 3)]
    assert found.counts() == (1, 3)
    assert found.finding() == "Two encoders are tied for first place. The other one is significantly behind."


def test_means_over_six_units_are_tested_and_tasks_of_one_source_are_one():
    about = Ranking((System("a", "A", 0.7), System("b", "B", 0.6)), {}, "encoder", "mean", "over pair sets")
    scores = np.array([[0.70, 0.6], [0.71, 0.6], [0.69, 0.6], [0.72, 0.6], [0.68, 0.6], [0.70, 0.6]])

    def tested(n, sources=(*"abcdef",)):
        return over_units(about, scores[:n], list(sources[:n]), "pair set", 0.05)

    found = tested(6)
    assert found.tests["a", "b"].p == 1 / 32 and found.tests["a", "b"].difference == pytest.approx(0.1)
    assert [found.place(system) for system in found.systems] == [(1, 1), (2, 2)]
    assert "five pair sets" in (few := tested(5)).too_few and not few.is_tested
    assert tested(6, "aabbcc").too_few == "three sources"
    assert tested(6, "aaaaaa").is_tested  # tasks of a single source stand for its further ones


def test_unit_sets_have_their_leaders():
    compared = fake_comparisons.comparisons(SCORES)
    sets = tasks_of(SCORES, compared, [])
    for one in sets.sets:
        values = {row.model: row.mean for row in SCORES if row.task == one.name}
        assert one.ranked[0] == max(values, key=lambda model: values[model])
        beaten = {
            pair for pair in compared.pairs if pair.task == one.name and pair.p_over_tasks <= pair.alpha
        }
        assert len(one.beaten) == len(beaten)
    data = fake_similarity.summarised(["STS12", "STSB-test"])
    said = str(of_similarity(main_rows(data.scores), data.differences)[1].finding())
    assert said.startswith("all-MiniLM-L6-v2 is first on both pair sets")
    equal = [dataclasses.replace(row, p_bootstrap=0.9) for row in data.differences]
    assert "No lead is significant" in str(of_similarity(main_rows(data.scores), equal)[1].finding())
