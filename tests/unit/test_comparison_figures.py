"""Figures of comparisons: what is joined, what is filled, what is left out."""

import dataclasses
import math
from collections.abc import Sequence

import fake_comparisons
import fake_summary
import pytest
from made_products import draw

from sentflow.compare.rows import PairRow
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError
from sentflow.files.rows import write_rows
from sentflow.report.comparison_texts import NOTHING
from sentflow.report.costs import pareto, trade_off
from sentflow.report.families.probing import best_gaps, differences, rankings, wins
from sentflow.report.families.probing.differences import MAX_PAIRS, DrawnPairRow, shown_pairs
from sentflow.report.figure import canvas

SCORES = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"])


@pytest.fixture(autouse=True)
def project_style():
    with canvas.style():
        yield


def texts_of(figure):
    found = [text.get_text() for text in figure.texts]
    for axes in figure.axes:
        found += [text.get_text() for text in axes.texts]
        found += [axes.get_title(loc="left")]
        found += [label.get_text() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())]
    return [" ".join(text.split()) for text in found if text]


def ranked(*joined):
    """Encoders a, b, c, … in the order of their ranks, with what each is joined to."""
    row = fake_comparisons.ranking_rows(SCORES)[0]
    return [
        dataclasses.replace(row, model=name, average_rank=float(place), not_separated=others)
        for place, (name, others) in enumerate(zip("abcdefgh", joined, strict=False), 1)
    ]


# --- score against cost ---


def test_front_holds_what_nobody_beats_in_both():
    # the second costs more than the first and scores less; the fourth costs more than the third for the same score
    assert pareto.front([1, 2, 3, 4], [0.5, 0.4, 0.6, 0.6]) == [0, 2]


def test_front_takes_the_better_of_two_that_cost_the_same():
    assert pareto.front([1, 1], [0.2, 0.3]) == [1]


def test_ticks_of_many_decades_are_powers_of_ten():
    assert pareto.log_ticks(0.9, 35) == [1, 3, 10, 30]
    assert pareto.log_ticks(1, 1e6) == [10.0**power for power in range(7)]


def costly(**changes):
    """Four encoders with a time and a size, the second one changed."""
    row = fake_comparisons.trade_off_rows(SCORES)[0]
    rows = [
        dataclasses.replace(
            row, model=f"m{n}", model_title=f"Encoder {n}", position=n, mean=0.5 + n / 10, parameters=1e7 * n,
            embed_seconds=10.0 * n,
        )
        for n in range(1, 5)
    ]  # fmt: skip
    rows[1] = dataclasses.replace(rows[1], **changes)
    return rows


def labels_below(figure):
    return [axes.get_xlabel() for axes in figure.axes]


def said(figure):
    return "\n".join(texts_of(figure))


def test_score_against_time_and_against_size():
    figure = trade_off.draw(costly())
    assert labels_below(figure) == ["time to embed 1,000 texts", "trained parameters"]
    assert "No p" not in said(figure)


def test_mean_scores_have_the_intervals_of_compare():
    rows = fake_comparisons.trade_off_rows(SCORES)
    ranks = {row.model: row for row in fake_comparisons.rank_rows(SCORES)}
    assert [(row.mean_low, row.mean_high, row.level) for row in rows] == [
        (ranks[row.model].mean_low, ranks[row.model].mean_high, ranks[row.model].level) for row in rows
    ]
    one = costly(mean_low=0.31, mean_high=0.93)
    low, high = trade_off.draw(one).axes[0].get_ylim()
    assert low < 0.31
    assert high > 0.93
    assert "interval of the mean of the expected scores, for new texts of these tasks" in said(
        trade_off.draw(one)
    )


def test_encoder_of_unknown_size_is_named_and_has_no_point_there():
    figure = trade_off.draw(costly(parameters=math.nan))
    assert "No point for Encoder 2: without trained parameters, or of unknown size." in said(figure)
    # a point and an interval each, and the front
    assert [len(axes.lines) for axes in figure.axes] == [9, 7]


def test_two_sized_encoders_are_no_panel_of_sizes():
    rows = [dataclasses.replace(row, parameters=0.0 if row.position < 3 else 1e8) for row in costly()]
    figure = trade_off.draw(rows)
    assert labels_below(figure) == ["time to embed 1,000 texts"]
    assert "No panel of trained parameters: known of 2 encoders." in said(figure)


def test_incomplete_encoder_has_no_point():
    figure = trade_off.draw(costly(mean=math.nan))
    assert "Not shown, because a task is missing: Encoder 2." in said(figure)
    assert [len(axes.lines) for axes in figure.axes] == [7, 7]


def test_two_encoders_are_no_trade_off():
    assert "fewer than 3 encoders" in said(trade_off.draw(costly()[:2]))


# --- ranks ---


def test_bars_join_the_longest_runs_in_which_no_two_are_separated():
    # a–b–c are joined to each other, c–d too, but a and b are separated from d
    rows = ranked("b c", "a c", "a b d", "c")
    assert rankings.joined_runs(rows) == [(0, 2), (2, 3)]


def test_a_chain_of_pairs_is_no_group():
    # a–b and b–c are joined, a and c are separated: one bar over all three would deny that
    assert rankings.joined_runs(ranked("b", "a c", "b")) == [(0, 1), (1, 2)]


def test_nobody_is_joined_where_all_are_separated():
    assert rankings.joined_runs(ranked("", "", "")) == []


def test_bars_that_share_an_encoder_lie_on_different_lines():
    assert rankings.bar_levels([(0, 1), (1, 2), (3, 4)]) == [0, 1, 0]


def test_incomplete_encoders_are_listed_and_not_ranked():
    rows = [row for row in SCORES if (row.task, row.model) != ("T1A-sample", "tfidf")]
    ranking = fake_comparisons.ranking_rows(rows)
    texts = texts_of(rankings.draw(ranking))
    assert any("Not ranked, because a task is missing: TF-IDF" in text for text in texts)
    assert not any(text.startswith("TF-IDF") for text in texts)


def test_bars_stand_beside_the_encoders_that_they_join():
    def bars(rows):
        # an encoder is three lines: two intervals and its marker
        return [tuple(line.get_ydata()) for line in rankings.draw(rows).axes[0].lines[3 * len(rows) :]]

    (first, second) = bars(ranked("b c", "a c", "a b d", "c"))
    assert (round(first[0]), round(first[1])) == (0, 2)
    assert (round(second[0]), round(second[1])) == (2, 3)
    assert bars(ranked("", "", "")) == []


def test_single_encoder_gives_figures_that_say_so():
    rows = fake_summary.score_rows(tasks=["T1A"], models=["minilm-l6"])
    ranking = fake_comparisons.ranking_rows(rows)
    figures = [
        rankings.draw(ranking),
        wins.draw([]),
        differences.draw([]),
    ]
    for figure in figures:
        assert any(NOTHING in text for text in texts_of(figure))


# --- wins ---


def test_wins_of_a_row_are_losses_of_its_column():
    row = fake_comparisons.match_rows(SCORES)[0]
    texts = texts_of(wins.draw([dataclasses.replace(row, wins=3, ties=1, losses=2)]))
    assert "3 – 1 – 2" in texts
    assert "2 – 1 – 3" in texts


def test_encoders_stand_in_the_order_of_the_selection():
    models = ["random", "minilm-l6", "tfidf"]
    rows = fake_comparisons.match_rows(fake_summary.score_rows(tasks=["T1A"], models=models))
    labels = [label.get_text() for label in wins.draw(rows).axes[0].get_yticklabels()]
    assert labels == [fake_summary.MODELS[model][0] for model in models]


# --- differences ---


def drawn_pairs(scores: Sequence[ScoreRow]) -> list[DrawnPairRow]:
    """The pairs as their figure has them."""
    return differences.drawn_rows(scores, fake_comparisons.pair_rows(scores))


def test_the_figure_of_differences_says_why_scores_are_low():
    pair = dataclasses.replace(drawn_pairs(SCORES)[0], score_notes="‡ The probe is undertrained.")
    assert any("‡ The probe is undertrained." in text for text in texts_of(differences.draw([pair])))


def test_filled_only_if_significant():
    pair = drawn_pairs(SCORES)[0]
    for p_holm, filled in ((pair.alpha, True), (0.5, False), (math.nan, False)):
        axes = differences.draw([dataclasses.replace(pair, p_holm=p_holm)]).axes[0]
        marker = axes.lines[-1]
        assert (marker.get_markerfacecolor() != "white") is filled


def test_degenerate_pair_has_no_interval():
    pair = drawn_pairs(SCORES)[0]
    n_lines = len(differences.draw([pair]).axes[0].lines)
    assert len(differences.draw([dataclasses.replace(pair, degenerate=True)]).axes[0].lines) == n_lines - 1


def test_differences_are_turned_to_the_first_encoder():
    pair = dataclasses.replace(
        drawn_pairs(SCORES)[0], model_a="a", model_b="b", difference=0.1, low=0.05, high=0.15
    )
    assert differences.oriented([pair], "a")[0][1:] == (0.1, 0.05, 0.15)
    assert differences.oriented([pair], "b")[0][1:] == (-0.1, -0.15, -0.05)


def test_of_many_pairs_those_of_the_best_encoder_are_shown():
    one = fake_summary.one_row()
    rows = [
        dataclasses.replace(one, model=f"m{index}", model_title=f"M {index}", mean=0.3 + 0.01 * (index == 3))
        for index in range(9)
    ]
    pairs = drawn_pairs(rows)  # 9 · 8 / 2 = 36
    shown = shown_pairs(pairs)
    assert {first for first, _ in shown} == {"m3"}
    assert len(shown) == 8
    assert any("28 further pairs" in text for text in texts_of(differences.draw(pairs)))
    assert len(shown_pairs(pairs[:MAX_PAIRS])) == MAX_PAIRS


# --- differences to the best ---


def gaps_of(**means):
    """Gaps on one task of encoders with these scores."""
    rows = [fake_summary.one_row(model=model, model_title=model, mean=mean) for model, mean in means.items()]
    return best_gaps.gap_rows(rows, fake_comparisons.pair_rows(rows))


def test_gaps_are_to_the_highest_score_whichever_encoder_stands_first_in_its_pair():
    rows = gaps_of(a=0.3, b=0.5, c=0.4)
    assert [(row.model, round(row.gap, 9), row.is_best) for row in rows] == [
        ("a", -0.2, False), ("b", 0.0, True), ("c", -0.1, False),
    ]  # fmt: skip
    for row in rows:
        if not row.is_best:
            assert row.gap_low < row.gap < row.gap_high
            assert {row.model_a, row.model_b} == {row.model, "b"}


def test_of_equal_scores_the_first_is_the_highest():
    assert [row.is_best for row in gaps_of(a=0.4, b=0.4)] == [True, False]


def test_one_encoder_or_an_undefined_score_has_no_gap():
    assert gaps_of(a=0.4) == []
    assert [row.model for row in gaps_of(a=0.4, b=math.nan, c=0.2)] == ["a", "c"]
    assert any("Nothing to compare" in text for text in texts_of(best_gaps.draw([])))


def test_gaps_say_that_the_scores_chose_the_highest():
    assert (
        "the scores themselves chose the highest, so differences to it are too large on average"
        in " ".join(texts_of(best_gaps.draw(gaps_of(a=0.3, b=0.5))))
    )


def test_a_gap_is_filled_only_if_significant():
    rows = gaps_of(a=0.3, b=0.5)
    for p_holm, filled in ((rows[0].alpha, True), (0.5, False), (math.nan, False)):
        drawn = best_gaps.draw([dataclasses.replace(rows[0], p_holm=p_holm), rows[1]])
        of_first, of_best = drawn.axes[0].lines[-2], drawn.axes[0].lines[-1]
        assert (of_first.get_markerfacecolor() != "white") is filled
        assert of_best.get_markerfacecolor() != "white"


# --- where rows come from ---


def test_missing_file_of_a_figure_is_named(tmp_path):
    write_rows(tmp_path / "scores.parquet", ScoreRow, SCORES)
    files = fake_comparisons.write_comparisons(tmp_path / "comparisons", SCORES)
    without = [file for file in files if file.stem != "across"]
    with pytest.raises(DataError, match="there is no file across among"):
        draw("wins", tmp_path / "scores.parquet", *without)


def test_figure_of_no_pairs_is_no_error(tmp_path):
    write_rows(tmp_path / "pairs.parquet", PairRow, [])
    assert any(NOTHING in text for text in texts_of(draw("differences", tmp_path / "pairs.parquet")))
