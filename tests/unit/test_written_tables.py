"""The check of the written tables: a bold score without a test fails it."""

import dataclasses
import math

import fake_comparisons
import fake_summary
import pytest
from made_products import run_check

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import ConfigError
from sentflow.graph import products
from sentflow.report.checks import Selection
from sentflow.report.inputs import Inputs
from sentflow.report.table.formats import markdown_text
from sentflow.report.table.latex import compact_latex_text, latex_text

ROWS = fake_summary.score_rows(tasks=["F1A", "G3", "T1A"])
# the second is so near to the first on every task that no test tells them apart
SCORES = [
    dataclasses.replace(row, mean=first.mean - 0.001) if row.model == "tfidf" else row
    for first, row in zip(
        [row for row in ROWS for _ in range(4) if row.model == "minilm-l6"], ROWS, strict=True
    )
]
FOUND = fake_comparisons.comparisons(SCORES)
NAMES = ("scores", "intervals", "differences", "ranks", "matches", "power")


@pytest.fixture
def tables(tmp_path):
    for name in NAMES:
        make = products.find(products.TABLE, name).load()
        table = make(Inputs.holding({ScoreRow: SCORES, Comparisons: FOUND}), {"caption": "Title"})
        (tmp_path / f"{name}.md").write_text(markdown_text(table), encoding="utf-8")
        (tmp_path / f"{name}.tex").write_text(latex_text(table), encoding="utf-8")
        if table.matrix:
            text = compact_latex_text(table)
            (tmp_path / f"{name}-compact.tex").write_text(text, encoding="utf-8")
    return tmp_path


def check(folder, comparisons=FOUND, **only):
    return run_check(
        "tables", SCORES, Selection(), comparisons=comparisons, tables=sorted(folder.glob("*.*"))
    )


def edit(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_sound_tables_pass_and_are_counted(tables):
    result = check(tables)
    assert result.passed, result.problems
    assert result.counts["tables"] == 6
    assert result.counts["marked_scores"] >= 3  # a best one on each of three tasks


def test_bold_score_of_an_encoder_that_is_not_the_best_fails(tables):
    last = next(row for row in SCORES if row.model == "random")
    plain = f"| {last.mean:.3f}"
    edit(tables / "scores.md", plain, f"| **{last.mean:.3f}**")
    problems = check(tables).problems
    assert any(
        "F1A-sample‡ × Random vectors (control)" in one and "is bold without a test" in one
        for one in problems
    )


def test_bold_scores_without_any_test_fail(tables):
    untested = [dataclasses.replace(pair, p_holm=math.nan) for pair in FOUND.pairs]
    problems = check(tables, Comparisons(pairs=untested)).problems
    assert sum("without a test" in one for one in problems) >= 3


def test_underlined_score_that_is_significantly_worse_fails(tables):
    worse = [dataclasses.replace(pair, p_holm=0.0) for pair in FOUND.pairs]
    marked = [one for one in check(tables, Comparisons(pairs=worse)).problems if "underlined without" in one]
    n_underlined = (tables / "scores.md").read_text(encoding="utf-8").count("<ins>")
    assert len(marked) == n_underlined > 0


def test_bold_cell_in_another_table_fails(tables):
    edit(tables / "ranks.md", "| 3 |", "| **3** |")
    assert any(one.startswith("ranks: ") and "bold" in one for one in check(tables).problems)


@pytest.mark.parametrize(("form", "plain"), [("scores.tex", "480"), ("scores-compact.tex", "MCC")])
def test_bold_in_latex_alone_fails(tables, form, plain):
    edit(tables / form, f"& {plain} &", rf"& \textbf{{{plain}}} &")
    assert any(one.startswith(f"{form}: ") and "in LaTeX" in one for one in check(tables).problems)


@pytest.mark.parametrize(
    ("form", "old", "said"),
    [
        ("scores.tex", "protocol published", "the protocol"),
        ("scores.tex", r"10 $\times$ 5", "repetitions"),
        ("scores.tex", "interval", "which interval"),
        ("scores.tex", "MDD", "the minimum detectable"),
        ("scores-compact.tex", "protocol published", "the protocol"),
        ("scores-compact.tex", r"10 $\times$ 5", "repetitions"),
    ],
)
def test_latex_whose_notes_do_not_say_how_it_was_made_fails(tables, form, old, said):
    text = (tables / form).read_text(encoding="utf-8")
    (tables / form).write_text(text.replace(old, "…"), encoding="utf-8")
    assert any(one.startswith(f"{form}: does not state {said}") for one in check(tables).problems)


@pytest.mark.parametrize(
    ("old", "said"),
    [("protocol published", "the protocol"), ("10 × 5", "repetitions"), ("MDD", "the minimum detectable")],
)
def test_table_that_does_not_say_how_it_was_made_fails(tables, old, said):
    text = (tables / "power.md").read_text(encoding="utf-8").replace(old, "…")
    (tables / "power.md").write_text(text, encoding="utf-8")
    assert any(one.startswith(f"power: does not state {said}") for one in check(tables).problems)


def test_a_table_of_comparisons_without_lines_need_not_say_how_it_was_made(tables):
    (tables / "power.md").write_text(
        "**Power.**\n\n| Task | MDD |\n| :-- | --: |\n\n- One encoder.\n", encoding="utf-8"
    )
    assert not any(one.startswith("power: does not state") for one in check(tables).problems)


def test_no_table_at_all_fails(tmp_path):
    assert check(tmp_path).problems == ["there is no table of scores to check: add scores to report.tables"]


def test_unknown_check_is_named_with_that_of_the_tables():
    with pytest.raises(ConfigError, match="Write one of: complete, .*, tables"):
        run_check("bold", SCORES, Selection())
