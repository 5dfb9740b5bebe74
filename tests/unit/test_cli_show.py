"""`sentflow show`: the kinds of files of the results tree, and what is none."""

import re

import fake_comparisons
import fake_summary
from called import printed, refused
from made_scores import write_scores
from small_tasks import make_task

from sentflow.compare.score_rows import ScoreRow
from sentflow.files.io import write_json
from sentflow.files.rows import write_rows
from sentflow.texts.table import write_task


def shown(*words: object) -> str:
    text = printed("show", *words)
    assert "\x1b" not in text
    return text


def line_of(text: str, beginning: str) -> str:
    (line,) = [line.strip() for line in text.splitlines() if line.strip().startswith(beginning)]
    return re.sub(r" {2,}", " | ", line)


def test_scores_are_a_table_in_which_tests_mark_the_best(tmp_path):
    rows = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"])
    write_rows(tmp_path / "results/summary/scores.parquet", ScoreRow, rows)
    assert "**" not in shown(tmp_path)
    fake_comparisons.write_comparisons(tmp_path / "results/comparisons", rows)
    text = shown(tmp_path)
    best = max((row for row in rows if row.task == "T1A-sample"), key=lambda row: row.mean)
    low, high = f"{best.generalisation_low:.3f}", f"{best.generalisation_high:.3f}"
    assert f"**{best.mean:.3f}**" in line_of(text, "T1A-sample")
    assert f"[{low}, {high}]" in line_of(text, "T1A-sample")
    assert "sample data" in text and re.search(r"all-MiniLM-L6-v2 \^a\b", text)


def test_a_task_tells_classes_repeats_and_contradictions_and_shows_no_hostile_text(tmp_path):
    # make_task gives rows 0 and 2 (both of class 0) equal texts
    table = make_task(24)
    table.text_a[3] = table.text_a[0]  # of class 1
    table.text_a[1] = "[bold]\x1b[31mlinha\num\u2028" + "x" * 10_000
    write_task(tmp_path / "a.parquet", table)
    text = shown(tmp_path / "a.parquet", "--rows", 2)
    assert line_of(text, "rows  ") == "rows | 24"
    assert line_of(text, "rows per class") == "rows per class | 0: 13, 1: 11"
    assert line_of(text, "duplicate rows") == f"duplicate rows | {24 - len({*table.text_a})}"
    assert line_of(text, "texts with several labels") == "texts with several labels | 1"
    assert r"[bold]\x1b[31mlinha um x" in text and text.count("x") < 200


def test_score_files_without_a_summary_are_a_table(tmp_path):
    write_scores(tmp_path, {"T1": {"near": 0.8, "far": 0.8}})
    write_json(
        tmp_path / "retrieval/laws/bm25.json",
        {"questions": "laws", "retriever": "bm25", "measures": {"nDCG@10": {"mean": 0.25}}},
    )
    assert re.fullmatch(r"T1 \| 0\.\d{3}.* \| 0\.\d{3}.*", line_of(shown(tmp_path / "scores"), "T1"))
    assert line_of(shown(tmp_path / "retrieval"), "laws, bm25") == "laws, bm25 | 0.250"


def test_what_cannot_be_shown_is_told(tmp_path):
    for name, content, message in (
        ("a.json", b"{", "JSON"),
        ("a.parquet", b"PAR1", "Parquet"),
        ("a.csv", b"a,b\n1\n", "column names"),
        ("a.png", b"x", "cannot be shown"),
    ):
        (tmp_path / name).write_bytes(content)
        told = refused("show", tmp_path / name)
        assert message in told and name in told
