import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sentflow.boards.scores import Options, Scores, scores_of
from sentflow.boards.standing import Standing, standing_of
from sentflow.errors import DataError
from sentflow.stats.separation import separate, separate_items, separate_seeds


def scores_from(
    matrix: np.ndarray,
    *,
    groups: Mapping[int, str] | None = None,
    notes: tuple[str, ...] = (),
    **columns: Any,
) -> Scores:
    """(T, M), (T, M, items) or, with ``by="seed"``, (T, M, seeds) scores as one table; NaN is no score."""
    by = columns.pop("by", "item")
    rows = [
        {
            "model": f"m{index[1]}",
            "task": f"t{index[0]}",
            "group": (groups or {}).get(index[0], ""),
            "higher_is_better": True,
            "unit": "percent",
            "item": "",
            "seed": "",
            "score": score,
            **({by: f"{index[2]}"} if len(index) > 2 else {}),
            **columns,
        }
        for index, score in np.ndenumerate(matrix)
    ]
    return scores_of(rows, notes)


def board(n_tasks: int, n_models: int, *, apart: float = 2.0, seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    task = 60 + 10 * generator.standard_normal((n_tasks, 1))
    return task - apart * np.arange(n_models) + 3 * generator.standard_normal((n_tasks, n_models))


def ranked(standing: Standing) -> list[str]:
    return [place.model for place in standing.places]


# --- tasks -----------------------------------------------------------------------------------------------------


def test_a_board_of_tasks_says_what_the_tests_say():
    matrix = board(18, 8)
    standing = standing_of(scores_from(matrix[:, ::-1], notes=("Something was merged.",)))
    found, order = separate(matrix[:, ::-1]), np.argsort(-matrix[:, ::-1].mean(axis=0))
    assert ranked(standing) == [f"m{index}" for index in order]
    assert [place.mean for place in standing.places] == pytest.approx(sorted(matrix.mean(axis=0))[::-1])
    assert standing.separation.p == pytest.approx(found.p[np.ix_(order, order)], abs=2e-3)
    assert (standing.separation.separated == (standing.separation.p <= 0.05)).all()
    assert standing.board.shown.mean(axis=0) == pytest.approx([place.mean for place in standing.places])
    assert (standing.units, standing.n_units, standing.population) == ("task", 18, "new tasks of this kind")
    assert standing.notes == ("Something was merged.",)
    for at, place in enumerate(standing.places):
        own = standing.separation.separated[at]
        assert (place.board_low, place.board_high) == (1 + own[:at].sum(), 8 - own[at:].sum())
        assert place.board_low <= place.own_low <= at + 1 <= place.own_high <= place.board_high
        assert not place.better_than_all_from or own[place.better_than_all_from - 1 :].all()
        assert place.better_than_all_from in (None, at + 2) or not own[place.better_than_all_from - 2]


def test_the_verdict_counts_ties_and_open_neighbours_and_says_the_least_difference():
    standing = standing_of(scores_from(board(41, 12, apart=1.0)))
    tied = sum(place.own_low == 1 for place in standing.places)
    beside = sum(standing.separation.separated[at, at + 1] for at in range(11))
    said = str(standing.verdict())
    assert f"For new tasks of this kind, {tied} of 12 models are tied for first place" in said
    assert f"{11 - beside} of 11 neighbours are not separated" in said
    assert f"{standing.separation.least:.2f} points" in said


def test_a_clear_first_and_a_board_of_equals_have_verdicts_of_their_own():
    clear, equal = board(18, 5), board(18, 5, apart=0)
    clear[:, 0] += 50
    assert "m0 is better than all others" in str(standing_of(scores_from(clear)).verdict())
    assert "all 5 models are tied" in str(standing_of(scores_from(equal)).verdict())
    two = str(standing_of(scores_from(clear[:, :2])).verdict())
    assert "m0 is better than m1" in two
    rows = scores_from(clear).rows
    braces = Scores(rows.assign(model=rows["model"].replace("m0", "m{1}")))
    assert "m{1} is better than all others" in str(standing_of(braces).verdict())


def test_letters_up_to_twenty_models_and_brackets_beyond():
    few, many = standing_of(scores_from(board(18, 6))), standing_of(scores_from(board(18, 24)))
    assert all(place.letters for place in few.places)
    assert not any(place.letters for place in many.places)
    assert all(not many.separation.separated[a : b + 1, a : b + 1].any() for a, b in many.brackets)
    assert many.brackets


def test_groups_are_the_units_and_tasks_without_one_are_their_own():
    matrix = board(12, 4)
    groups = dict.fromkeys(range(4), "one source")
    standing = standing_of(scores_from(matrix, groups=groups))
    assert (standing.units, standing.n_units) == ("group", 9)
    assert "groups of tasks" in standing.population
    of_task = np.array([0, 0, 0, 0, *range(1, 9)])
    order = [int(name[1:]) for name in ranked(standing)]
    assert standing.separation.p == pytest.approx(separate(matrix[:, order], of_task).p)
    one = standing_of(scores_from(matrix, groups=dict.fromkeys(range(12), "one source")))
    assert (one.units, one.n_units) == ("task", 12)  # nothing can be said of other sources


def test_groups_of_very_unequal_size_are_told():
    groups = dict.fromkeys(range(20), "large")
    assert any("count as 1." in note for note in standing_of(scores_from(board(27, 4), groups=groups)).notes)
    assert not standing_of(scores_from(board(27, 4))).notes


def test_fewer_than_six_groups_are_refused_with_what_is_needed():
    standing = standing_of(scores_from(board(5, 4)), Options(separate=(("m0", "m1"),)))
    assert "5 tasks" in standing.refusal
    assert ".06" in standing.refusal
    assert str(standing.verdict()) == standing.refusal
    assert ranked(standing) == ["m0", "m1", "m2", "m3"]
    assert not standing.separation.separated.any()
    assert {(place.own_low, place.own_high, place.letters) for place in standing.places} == {(1, 4, "")}
    assert not standing.named
    assert not standing_of(scores_from(board(6, 4))).refusal
    assert standing_of(scores_from(board(8, 1))).refusal


# --- gaps ------------------------------------------------------------------------------------------------------


def with_gaps() -> np.ndarray:
    """The case of the trap: m1 leads m0 by 2 on what both have, and left out the hard tasks."""
    matrix = np.column_stack([[80.0] * 9 + [40.0] * 5, [82.0] * 9 + [math.nan] * 5, [70.0] * 9 + [30.0] * 5])
    return matrix + np.random.default_rng(0).normal(0, 0.1, matrix.shape)


def test_models_with_gaps_are_listed_and_never_ranked():
    standing = standing_of(scores_from(with_gaps()))
    assert ranked(standing) == ["m0", "m2"]
    assert standing.board.unranked == {"m1": tuple(f"t{task}" for task in range(9, 14))}


def test_common_tasks_rank_them_by_what_both_have():
    standing = standing_of(scores_from(with_gaps()), Options(common=True))
    assert ranked(standing) == ["m1", "m0", "m2"]
    lead = standing.places[0].mean - standing.places[1].mean
    assert lead == pytest.approx(2, abs=0.2)  # 18 by means over own tasks
    assert standing.separation.separated[0, 1]
    assert not standing.board.unranked
    complete = board(10, 4)
    with_option, without = (standing_of(scores_from(complete), Options(common=own)) for own in (True, False))
    assert [place.mean for place in with_option.places] == [place.mean for place in without.places]


def test_boards_that_cannot_be_ranked_are_refused():
    matrix = board(8, 4)
    matrix[:4, :2] = matrix[4:, 2:] = np.nan
    with pytest.raises(DataError, match="--without 't0'"):
        standing_of(scores_from(matrix))
    with pytest.raises(DataError, match="share no task"):
        standing_of(scores_from(matrix), Options(common=True))


# --- directions and units --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_tasks_of_items", [0, 1, 3])
def test_lower_is_better_turns_the_order_and_nothing_else(n_tasks_of_items):
    matrix = items(n_tasks_of_items, 4, 40) if n_tasks_of_items else board(12, 5)
    asked = Options(separate=(("m0", "m1"),))
    up, down = (standing_of(scores_from(sign * matrix, higher_is_better=sign > 0), asked) for sign in (1, -1))
    assert ranked(down) == ranked(up)
    assert [place.mean for place in down.places] == pytest.approx([-place.mean for place in up.places])
    assert [place.own_low for place in down.places] == [place.own_low for place in up.places]
    assert (down.separation.p == up.separation.p).all()
    assert down.board.sign == -1
    (a,), (b,) = up.named, down.named
    assert (a.difference, a.low, a.high) == pytest.approx((-b.difference, -b.high, -b.low))
    assert (a.p_alone, a.sentence) == (b.p_alone, b.sentence)


def test_errors_beside_percentages_become_percentages():
    matrix = board(12, 5)
    rows = scores_from(matrix).rows
    of_one = rows["task"] == "t0"
    turned = rows.assign(
        score=rows["score"].where(~of_one, 100 - rows["score"]), higher_is_better=(~of_one).astype(object)
    )
    standing = standing_of(Scores(turned))
    assert standing.board.shown == pytest.approx(standing_of(scores_from(matrix)).board.shown)
    assert any("100 less" in note for note in standing.notes)
    with pytest.raises(DataError, match="--without 't0'"):
        standing_of(Scores(turned.assign(unit="")))


# --- items and seeds -------------------------------------------------------------------------------------------


def items(n_tasks: int, n_models: int, n: int, *, seed: int = 0) -> np.ndarray:
    """(T, M, n) answers, right or wrong, of better and worse models."""
    generator = np.random.default_rng(seed)
    hard = generator.random((n_tasks, 1, n))
    chance = np.linspace(0.9, 0.4, n_models)[:, None]
    return 100.0 * (0.6 * hard + 0.4 * generator.random((n_tasks, n_models, n)) < chance)


def test_items_of_few_tasks_say_something_of_new_items_alone():
    matrix = items(3, 4, 60)
    standing = standing_of(scores_from(matrix))
    assert (standing.units, standing.n_units) == ("item", 180)
    assert standing.population == "new items of these tasks"
    order = [int(name[1:]) for name in ranked(standing)]
    assert standing.separation.p == pytest.approx(separate_items([own[order].T for own in matrix]).p)
    assert any("3 tasks cannot" in note for note in standing.notes)


def test_items_of_one_task_are_units_of_the_flips():
    matrix = items(1, 4, 40)
    standing = standing_of(scores_from(matrix))
    order = [int(name[1:]) for name in ranked(standing)]
    assert (standing.separation.p == separate(matrix[0][order].T).p).all()
    assert standing.population == "new items of this task"


def test_groups_of_the_items_of_one_task_are_units_for_new_groups():
    matrix = items(1, 4, 80)
    rows = scores_from(matrix).rows
    sources = np.arange(80) // 10
    rows["group"] = [f"source {sources[int(item)]}" for item in rows["item"]]
    of_groups = standing_of(Scores(rows))
    of_items = standing_of(Scores(rows), Options(population="items"))
    assert f"{of_items.verdict()}" in of_groups.notes
    order = [int(name[1:]) for name in ranked(of_groups)]
    assert (of_groups.units, of_groups.n_units) == ("group", 8)
    assert of_groups.separation.p == pytest.approx(separate(matrix[0][order].T, sources).p)
    assert (of_items.units, of_items.n_units) == ("item", 80)


def test_items_of_many_tasks_give_both_and_the_choice():
    scores = scores_from(items(8, 4, 30))
    tasks, own = standing_of(scores), standing_of(scores, Options(population="items"))
    assert (tasks.units, own.units) == ("task", "item")
    assert str(own.verdict()) in tasks.notes
    assert ranked(tasks) == ranked(own)


def test_a_model_without_some_items_lacks_the_task_and_stray_items_are_left_out():
    matrix = items(2, 4, 40)
    matrix[1, 3, 5] = np.nan
    scores = scores_from(matrix)
    stray = scores_from(np.full((1, 1, 1), 100.0)).rows.assign(item="only m0 has it")
    standing = standing_of(Scores(pd.concat([scores.rows, stray], ignore_index=True)))
    assert standing.board.unranked == {"m3": ("t1",)}
    assert standing.board.shown[0, 0] == matrix[0, int(ranked(standing)[0][1:])].mean()
    assert any("1 item that" in note for note in standing.notes)


def test_seeds_are_tested_by_their_means_over_tasks():
    matrix = board(3, 4)[:, :, None] + np.random.default_rng(1).standard_normal((3, 4, 5))
    standing = standing_of(scores_from(matrix, by="seed"))
    order = [int(name[1:]) for name in ranked(standing)]
    assert (standing.units, standing.n_units) == ("seed", 5)
    assert standing.separation.p == pytest.approx(
        separate_seeds([matrix[:, model].mean(axis=0) for model in order]).p
    )


def test_two_seeds_are_means_only():
    matrix = board(3, 4)[:, :, None] + np.random.default_rng(1).standard_normal((3, 4, 2))
    standing = standing_of(scores_from(matrix, by="seed"))
    assert "2 seeds" in standing.refusal
    assert not standing.separation.separated.any()
    assert [place.mean for place in standing.places] == pytest.approx(sorted(matrix.mean(axis=(0, 2)))[::-1])


@pytest.mark.parametrize("population", ["items", "seeds", "languages"])
def test_populations_without_data_are_refused(population):
    with pytest.raises(DataError, match=f"--population {population}"):
        standing_of(scores_from(board(8, 3)), Options(population=population))


def test_a_population_that_was_asked_for_is_refused_with_what_is_needed():
    standing = standing_of(scores_from(items(3, 4, 60)), Options(population="tasks"))
    assert "6 are needed" in standing.refusal


# --- two named models ------------------------------------------------------------------------------------------


def pair(difference: float, n: int = 41, spread: float = 6.0) -> np.ndarray:
    """(n, 3) scores of which the first two differ by `difference` on average, with this spread."""
    noise = np.random.default_rng(0).standard_normal(n)
    noise = spread * (noise - noise.mean()) / noise.std(ddof=1)
    base = 60 + np.random.default_rng(1).standard_normal((n, 1))
    return base + np.column_stack(
        [difference + noise, np.zeros(n), 10 * np.random.default_rng(2).standard_normal(n)]
    )


def asked(matrix: np.ndarray) -> Any:
    return standing_of(scores_from(matrix), Options(separate=(("m0", "m1"),))).named[0]


def test_a_difference_above_its_error_gets_a_number_of_tasks():
    named = asked(pair(1.8))
    assert named.difference == pytest.approx(1.8)
    assert (named.low, named.high) == pytest.approx(
        (1.8 - 2.0211 * 6 / 41**0.5, 1.8 + 2.0211 * 6 / 41**0.5), abs=1e-3
    )
    assert named.needed_alone == 90
    assert "90 tasks (49 more)" in named.sentence
    assert "fewer than 23; the 41 may already suffice" in named.sentence
    assert named.p_board >= named.p_alone > 0.05
    assert named.needed_on_board > 90


def test_a_difference_below_its_error_gets_none():
    named = asked(pair(0.01, spread=6.53))
    assert math.isnan(named.needed_alone)
    assert "(0.01) is below its error (1.02)" in named.sentence
    assert "For 1 point: 337 tasks" in named.sentence


def test_separated_models_are_told_to_be():
    assert "separates the two" in asked(pair(8.0)).sentence
    equal = pair(0.0, spread=0.0)
    assert "does not vary" in asked(equal).sentence


def test_items_and_seeds_have_numbers_of_their_own():
    options = Options(separate=(("m1", "m2"),))
    of_items = standing_of(scores_from(items(3, 4, 30)), options).named[0]
    assert "items" in of_items.sentence
    matrix = board(3, 4, apart=0.3)[:, :, None] + np.random.default_rng(1).standard_normal((3, 4, 5))
    assert "seeds" in standing_of(scores_from(matrix, by="seed"), options).named[0].sentence


def test_names_that_are_not_ranked_are_refused():
    for names, said in (
        (("m0", "mm"), "Did you mean"),
        (("m0", "m1"), "lacks t9"),
        (("m0", "m0"), "different"),
    ):
        with pytest.raises(DataError, match=said):
            standing_of(scores_from(with_gaps()), Options(separate=(names,)))
