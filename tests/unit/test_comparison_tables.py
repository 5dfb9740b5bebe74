"""Tables of comparisons: what is bold, what the letters say, and that wide tables stay on the page."""

import csv
import dataclasses
import io
import math

import fake_comparisons
import fake_summary

from sentflow.compare.comparisons import Comparisons, detectable
from sentflow.compare.marks import BEST, NOT_WORSE, beaten, joined_letters, letters, mark
from sentflow.report.comparison_tables import differences_table, matches_table, power_table, ranks_table
from sentflow.report.costs.encoders_table import encoders_table
from sentflow.report.families.probing.intervals_table import intervals_table
from sentflow.report.families.probing.score_table import scores_table
from sentflow.report.table.cells import Cell
from sentflow.report.table.formats import csv_text, markdown_text
from sentflow.report.table.latex import latex_text

SCORES = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"])
FOUND = fake_comparisons.comparisons(SCORES)
BUILDERS = (differences_table, ranks_table, matches_table, power_table)


def pair(first, second, difference, p_holm, **changes):
    base = fake_comparisons.pair_rows(SCORES)[0]
    known = {"task": "T", "model_a": first, "model_b": second, "difference": difference, "p_holm": p_holm}
    return dataclasses.replace(base, **(known | changes))


def three(p_ab, p_ac):
    """a is the best of a, b, c; p of a against b and against c."""
    return Comparisons(
        pairs=[
            pair("a", "b", 0.1, p_ab, mean_a=0.5, mean_b=0.4),
            pair("a", "c", 0.2, p_ac, mean_a=0.5, mean_b=0.3),
            pair("b", "c", 0.1, 0.5, mean_a=0.4, mean_b=0.3),
        ]
    )


def test_best_is_bold_what_is_not_worse_underlined_and_the_rest_plain():
    found = three(0.2, 0.001)
    assert [mark(found.pairs, "T", model) for model in "abc"] == [BEST, NOT_WORSE, ""]
    assert beaten(found.pairs, "T", "a") == ["c"]
    assert beaten(found.pairs, "T", "b") == []


def test_nothing_is_marked_where_no_test_was_possible():
    found = three(math.nan, math.nan)
    found = dataclasses.replace(
        found, pairs=[dataclasses.replace(one, p_holm=math.nan) for one in found.pairs]
    )
    assert [mark(found.pairs, "T", model) for model in "abc"] == ["", "", ""]


def test_not_worse_needs_a_test_against_the_best_itself():
    # b was tested against c only
    assert [mark(three(math.nan, 0.001).pairs, "T", model) for model in "abc"] == [BEST, "", ""]


def test_other_tasks_and_unknown_models_are_not_marked():
    assert mark(three(0.2, 0.2).pairs, "U", "a") == ""
    assert mark(three(0.2, 0.2).pairs, "T", "d") == ""


def test_p_of_exactly_alpha_is_significant():
    assert beaten(three(0.01, 0.5).pairs, "T", "a") == ["b"]


def test_letters_go_on_after_z():
    found = letters([f"m{index}" for index in range(28)])
    assert [found["m0"], found["m25"], found["m26"], found["m27"]] == ["a", "z", "aa", "ab"]


def test_four_letters_in_a_row_are_cut_short():
    own = letters(list("ABCDEFG"))
    assert joined_letters(list("BCD"), own) == "bcd"
    assert joined_letters(list("BCDEG"), own) == "b–eg"
    assert joined_letters([], own) == ""


def test_minimum_detectable_difference_of_a_task_is_the_median_of_its_pairs():
    pairs = [pair("a", "b", 0.1, 0.1, mdd=value) for value in (0.1, 0.3, 0.2, math.nan)]
    assert detectable(pairs, "T") == 0.2
    assert math.isnan(detectable(pairs, "U"))


def test_scores_are_marked_in_every_format():
    table = scores_table(SCORES, "Title", FOUND)
    first = table.groups[0].rows[0][4]
    assert (first.mark, bool(first.letters)) == (BEST, True)
    assert "**0." in markdown_text(table)
    assert "<sup>a</sup>" in markdown_text(table).splitlines()[2]
    assert r"\textbf{0." in latex_text(table)
    assert r"\textsuperscript{a}" in latex_text(table)
    records = list(csv.DictReader(io.StringIO(csv_text(table))))
    best = [record for record in records if record["is_best"] == "true"]
    assert [record["model"] for record in best] == [row.model for row in FOUND.standings if row.is_best]
    assert records[0]["letter"] == "a"
    assert float(records[0]["mdd"]) == detectable(FOUND.pairs, SCORES[0].task)


def test_scores_without_comparisons_are_as_they_were():
    plain = scores_table(SCORES, "Title")
    assert scores_table(SCORES, "Title", Comparisons()) == plain
    assert "MDD" not in plain.header


def test_missing_score_has_a_dash_and_no_mark():
    rows = SCORES[:-1]
    table = scores_table(rows, "Title", fake_comparisons.comparisons(rows))
    assert table.groups[-2].rows[-1][-1] == Cell("—")


def test_tables_say_protocol_design_and_detectable_difference():
    for build in BUILDERS:
        text = markdown_text(build(SCORES, "Title", FOUND))
        for words in ("sample data", "protocol published", "10 × 5-fold", "MDD", "nterval"):
            assert words in text, (build.__name__, words)


def test_tables_of_nothing_say_so():
    for build in BUILDERS:
        text = markdown_text(build(SCORES, "Title", Comparisons()))
        assert "Nothing was compared" in text


def test_significant_differences_have_an_asterisk():
    found = Comparisons(
        pairs=[
            pair("a", "b", 0.1, 0.001, p_over_tasks=1.0, task=SCORES[0].task),
            pair("a", "b", 0.1, 0.5, p_over_tasks=1.0, task=SCORES[0].task),
        ]
    )
    cells = [row[1].text for row in differences_table(SCORES, "Title", found).groups[0].rows]
    assert cells == ["0.100*", "0.100"]


def test_differences_that_are_significant_over_all_tasks_have_two():
    rows = [pair("a", "b", 0.1, 0.001, p_over_tasks=p, task=SCORES[0].task) for p in (0.009, 0.02)]
    table = differences_table(SCORES, "Title", Comparisons(pairs=rows))
    assert [row[1].text for row in table.groups[0].rows] == ["0.100**", "0.100*"]


def test_incomplete_encoder_has_neither_mean_nor_rank_and_comes_last():
    rows = [row for row in SCORES if (row.task, row.model) != ("T1A-sample", "minilm-l6")]
    table = ranks_table(rows, "Title", fake_comparisons.comparisons(rows))
    last = [cell.text for cell in table.groups[0].rows[-1]]
    assert last == ["all-MiniLM-L6-v2", "2", *["—"] * 8]


def test_wins_of_all_pairs_are_summed_over_the_others():
    table = ranks_table(SCORES, "Title", FOUND)
    totals = [sum(int(cell.text) for cell in row[-3:]) for row in table.groups[0].rows]
    assert totals == [9, 9, 9, 9]  # 3 tasks × 3 others


def test_power_has_a_column_for_each_named_difference():
    table = power_table(SCORES, "Title", FOUND)
    assert table.header[-2:] == ("0.02", "0.1")
    assert len(table.groups[0].rows) == 3
    undefined = [dataclasses.replace(row, power=math.nan) for row in FOUND.power[:2]]
    table = power_table(SCORES, "Title", dataclasses.replace(FOUND, power=undefined))
    assert [cell.text for cell in table.groups[0].rows[0]][-2:] == ["—", "—"]
    assert any("No test" in note for note in table.notes)


def test_pairs_over_tasks_name_their_two_kinds_of_probabilities():
    table = matches_table(SCORES, "Title", FOUND)
    assert table.header[-2:] == ("New task", "Likeliest")
    assert [cell.text for cell in table.groups[0].rows[0]][-2:] == [
        "0.60 / 0.25 / 0.15",
        "0.99 / 0.01 / 0.00",
    ]
    assert any("of sources like these" in note for note in table.notes)
    one = [dataclasses.replace(row, n_sources=1) for row in FOUND.across]
    told = matches_table(SCORES, "Title", dataclasses.replace(FOUND, across=one)).notes
    assert any("tasks of this source only" in note for note in told)


def test_notes_name_the_units_of_tests_over_tasks():
    def notes(units, n_units):
        across = [dataclasses.replace(row, units=units, n_units=n_units) for row in FOUND.across]
        facts = {**FOUND.omnibus["published"], "units": units, "n_units": n_units}
        found = dataclasses.replace(FOUND, across=across, omnibus={"published": facts})
        return " ".join(matches_table(SCORES, "Title", found).notes)

    assert "signed-rank test over 18 tasks (p adjusted" in notes("tasks", 18)
    assert "All encoders equal (over 18 tasks)?" in notes("tasks", 18)
    assert "over 7 sources, by the average over the tasks of each" in notes("sources", 7)
    assert "no pair can be" not in notes("tasks", 18)
    assert "With so few no pair can be: the least p is 0.5," in notes("sources", 2)  # 2 / 2²


def test_intervals_show_items_and_name_the_detectable_difference():
    table = intervals_table(SCORES, "Title", FOUND)
    assert table.header[4] == "Item-level"
    assert "MDD" in table.groups[0].title
    without = [dataclasses.replace(row, item_low=math.nan, item_high=math.nan) for row in SCORES]
    assert "Item-level" not in intervals_table(without, "Title").header


def test_encoders_show_a_dash_for_what_is_not_known():
    rows = encoders_table(fake_comparisons.encoder_rows(SCORES), "Title").groups[0].rows
    assert [cell.text for cell in rows[0]][2:] == [
        "22,000,000",
        "384",
        "no limit",
        "5,000",
        "4.0 s",
        "0.8 s",
        "cpu",
    ]
    assert [cell.text for cell in rows[1]][2:] == ["—", "384", "no limit", "—", "—", "—", "—"]


# --- on paper ---


def many(n_models):
    one = fake_summary.one_row()
    names = ("A long name {}", "distil_sbert_br_ctimproved_{}_epochs_v1")
    return [
        dataclasses.replace(
            one,
            task=task,
            model=f"m{index}",
            model_title=names[index % 2].format(index),
            mean=0.9 - 0.1 * index,
        )
        for task in ("T1A-sample", "T1B-sample")
        for index in range(n_models)
    ]
