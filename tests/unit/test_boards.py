"""Scores of published boards: each format by values known by hand, and what must never be read silently."""

import json
import math
import os
import random
from pathlib import Path

import pytest

from sentflow.boards.files import read_files
from sentflow.boards.scores import COLUMNS, Options, Scores
from sentflow.errors import DataError

BOARDS = Path(__file__).parents[1] / "data" / "boards"


def read(*names: str, **options: object) -> Scores:
    return read_files([BOARDS / name for name in names], Options(**options))  # type: ignore[arg-type]


def cells(scores: Scores, key: str = "task") -> dict[tuple[str, str], float]:
    rows = scores.rows
    assert (*rows.columns,) == COLUMNS
    return dict(zip(zip(rows["model"], rows[key], strict=True), rows["score"].tolist(), strict=True))


def test_runs_count_every_judged_topic() -> None:
    """d3 (2) before d2 (0) before d1 (1): (2 + 1/2) / (2 + 1/log2 3); a topic that the run lacks is 0."""
    found = cells(scores := read("trec/tiny.run", "trec/big.run", "trec/qrels.txt"), "item")
    assert found["tiny", "301"] == pytest.approx(2.5 / (2 + 0.6309297535714575))
    assert (found["tiny", "304"], found["big", "304"]) == (0.0, 1.0)
    assert ("tiny", "303") not in found
    assert any("304" in note and "count 0" in note for note in scores.notes)


def test_a_run_without_judgements_is_refused() -> None:
    with pytest.raises(DataError, match="qrels"):
        read("trec/tiny.run")
    with pytest.raises(DataError, match="one of these"):
        read("trec/tiny.run", "trec/qrels.txt", "trec/qrels_beir.tsv")


def test_lines_of_trec_eval_are_items() -> None:
    found = cells(read("trec/tiny.trec_eval.txt", "trec/big.trec_eval.txt"), "item")
    assert (found["tiny", "301"], found["tiny", "304"], found["big", "302"]) == (0.9502, 0.0, 0.6309)
    assert len(found) == 8


def test_wide_and_long_tables_give_the_same() -> None:
    wide, long = cells(read("tables/wide.csv")), cells(read("tables/long.csv", without=frozenset(["Text"])))
    assert wide["acme/tiny-embed", "ArguAna"] == long["acme/tiny-embed", "ArguAna"] == 0.412
    assert math.isnan(wide["other_lab/big embed v2", "Banking77"])
    assert {*read("tables/wide.csv").rows["unit"]} == {"fraction"}


def test_averages_ranks_and_descriptions_are_no_tasks() -> None:
    scores = read("tables/wide_percent.csv")
    assert {*scores.rows["task"]} == {"ArguAna", "STS17", "Banking77"}
    assert all(
        any(name in note for note in scores.notes) for name in ("Mean (Task)", "Zero-shot", "Max Tokens")
    )
    assert {*scores.rows["unit"]} == {"percent"}
    kept = read("tables/wide_percent.csv", tasks=frozenset(["Mean (Task)"]))
    assert {*kept.rows["task"]} == {"Mean (Task)"}


@pytest.mark.parametrize(
    ("name", "model", "task", "score"),
    [("tables/transposed.md", "mid", "Banking77", 79.0), ("beir/table.csv", "BM25", "FiQA", 25.4)],
)
def test_models_may_be_columns(name: str, model: str, task: str, score: float) -> None:
    found = cells(read(name))
    assert found[model, task] == score
    assert not any("av" in task.lower() for _, task in found)


def test_latex_is_read_without_its_markup() -> None:
    found = cells(read("tables/booktabs.tex"))
    assert {model for model, _ in found} == {"tiny-embed", "big_embed", "mid"}
    assert (found["big_embed", "FiQA"], found["big_embed", "STS17"], found["mid", "ArguAna"]) == (
        36.6,
        88.3,
        47.0,
    )
    assert math.isnan(found["mid", "FiQA"])


def test_tables_that_lm_eval_prints_repeat_what_is_blank() -> None:
    scores = read("tables/lm_eval.md", metric="exact_match,strict-match", without=frozenset(["wikitext"]))
    assert cells(scores) == {
        ("lm_eval", "gsm8k"): 0.5,
        ("lm_eval", "anatomy"): 0.75,
        ("lm_eval", "virology"): 0.2,
    }
    with pytest.raises(
        DataError, match=r"gsm8k \(exact_match,flexible-extract; exact_match,strict-match\).*--metric"
    ):
        read("tables/lm_eval.md")


def test_other_marks_of_columns_and_decimals() -> None:
    assert cells(read("tables/wide_semicolon.csv"))["acme/tiny-7b", "F1"] == 72.55
    assert cells(read("tables/with_markup.csv")) == {
        ("acme/tiny-7b", "Score"): 63.1,
        ("third/mid", "Score"): 71.4,
    }
    found = cells(read("tables/opencompass_summary.csv"))
    assert (found["tiny-13b", "mmlu-anatomy"], ("tiny-7b", "mmlu") in found) == (77.5, False)


@pytest.mark.parametrize("name", ["long.csv", "long.parquet", "long.jsonl"])
def test_items_keep_their_names(name: str) -> None:
    rows = read(f"items/{name}").rows
    assert rows.groupby("model")["score"].mean().to_dict() == {"acme/tiny-7b": 0.5, "acme/tiny-13b": 4 / 6}
    assert rows["item"].nunique() == 6
    assert set(rows["seed"]) == ({"1", "2"} if name == "long.jsonl" else {""})


def test_seeds_are_kept_where_something_is_repeated(tmp_path: Path) -> None:
    assert set(read("tables/long_seeds.csv").rows["seed"]) == {"1", "2", "3"}
    assert set(table(tmp_path, "model,task,seed,score\na,t,7,.1\nb,t,7,.2\n").rows["seed"]) == {""}


def test_preferences_are_items() -> None:
    found = cells(read("alpaca_eval/results"), "item")
    assert [found["big", f"instruction {n}"] for n in range(4)] == pytest.approx([0.7, 0.99, 0.5, 0.4])


def test_long_documents_of_bright_are_another_task() -> None:
    assert cells(read("bright")) == {
        ("bge", "biology"): 0.117,
        ("bge", "biology (long)"): 0.203,
        ("bge", "economics"): 0.166,
    }


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("alpaca_eval/leaderboard.csv", "annotations.json"),
        ("arena/ratings.csv", "battles"),
        ("arena/arena_hard_leaderboard.csv", "battles"),
    ],
)
def test_scores_that_cannot_be_tested_are_refused(name: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        read(name)


def table(folder: Path, text: str | bytes, name: str = "board.csv", **options: object) -> Scores:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_files([path], Options(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        (bytes(range(256)), "none of the known formats"),
        ("model\na\nb\n", "none of the known formats"),
        ("model,A,A\nx,1,2\n", "several columns are called 'A'"),
        ("model,A,B\nx,41,55\ny,oops,60\nz,4,7\n", "board.csv, row 2, column 'A': 'oops'"),
        ("model,A,B\nx,41,55\nx,42,55\n", r"x on A: 41 and 42 .*--duplicates"),
        ("model,A,B\nx,41\ny,42,60\n", "line 2 has 2"),
        ("model,A,B\nx,0.41,0.55\ny,42,60\n", r"mixed: x \(up to 0.55\)"),
        ("model,A,B\nx,0.41,55\ny,0.42,60\n", r"mixed: A \(up to 0.42\)"),
        ("model,A,B\nx,63.1%,0.5\ny,70%,0.6\n", r"B \(up to 0.6\).*--unit"),
        ("model,A,PPL ↓\nx,63.1,12\ny,70,11\n", "--without 'PPL'"),
        ("model\tA\tB\nx\t41,234\t55,123\ny\t42,345\t60,100\n", "41.234 or 41234"),
        ("model,A,B\nx,inf,3\ny,4,5\n", "'inf' is no number"),
        ('model,A,B\n"x,41,55\ny,42,60\n', "line 3"),
        ("model,task,score\nx,t,.5\ny,t,.6;.7\n", "row 2, column 'score'"),
        ("model,A,B\ncafé,1,2\n".encode("latin-1"), "UTF-8"),
        ('[{"model": "a", "task": "t", "score": [1, 2]}]', "is no number"),
        ("[" * 100_000 + '{"score": 1', "none of the known formats"),
        ('{"model": "a", "score": 1}\n{"model": ', "line 2"),
        (b"PAR1" + b"\0" * 50, "Parquet"),
        ("model_a,model_b,winner\nx,y,x\n", "no column holds scores"),
        ("model,task,score\nx,a,1e300\ny,a,2e300\n", "row 1, column 'score'"),  # too large to square
        ("|Model|A|\n|-|-|\n|x|1|\n|y|2|\n\n|Model|B|\n|-|-|\n|x|1|\n|z|2|\n", "2 tables"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, text: str | bytes, told: str) -> None:
    with pytest.raises(DataError, match=told):
        table(tmp_path, text)


def test_repeated_scores_merge_or_follow_the_rule(tmp_path: Path) -> None:
    twice = "model,A,B\nx,41,55\nx,42,55.0000001\nx,,55\ny,1.5,2\n"
    best = table(tmp_path, twice, duplicates="best")
    assert cells(best)["x", "A"] == 42
    assert len(best.rows) == 4
    assert [
        cells(table(tmp_path, twice, duplicates=rule))["x", "A"] for rule in ("first", "last", "mean")
    ] == [41, 42, 41.5]
    lower = table(tmp_path, twice, duplicates="best", lower=frozenset("AB"))
    assert cells(lower)["x", "A"] == 41
    assert not lower.rows["higher_is_better"].any()


@pytest.mark.parametrize(
    "heading",
    [
        *(
            "#Params (B)",
            "Model params",
            "VRAM (GB)",
            "# Layers",
            "Embedding size",
            "Max seq length",
            "GFLOPs",
        ),
        *("Retrieval Average (15 datasets)", "Median", "Sum", "Ave.", "Rank (Borda)"),
    ],
)
def test_what_describes_a_model_or_sums_it_up_is_no_task(tmp_path: Path, heading: str) -> None:
    """Though its numbers look like percentages."""
    found = table(tmp_path, f"model,{heading},a,b\nx,7,41.5,52.5\ny,70,42.5,61.5\n")
    assert {*found.rows["task"]} == {"a", "b"}


def test_text_is_never_run(tmp_path: Path) -> None:
    names = {model for model, _ in cells(table(tmp_path, "model,A\n=1+1,41\n@SUM(A1),42\n"))}
    assert names == {"=1+1", "@SUM(A1)"}


def test_units_of_several_files_become_one(tmp_path: Path) -> None:
    """Also where one says as a fraction what the other says as a percentage."""
    table(tmp_path, "model,task,score,unit\nx,A,0.5,fraction\nx,C,0.7,fraction\n", name="a.csv")
    table(tmp_path, "model,task,score,unit\nx,B,70,\nx,A,50,percent\n", name="b.csv")
    both = read_files([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert cells(both) == {("x", "A"): 50.0, ("x", "C"): 70.0, ("x", "B"): 70.0}
    assert any("turned into percentages" in note and "A" in note for note in both.notes)


def test_items_of_some_models_become_means(tmp_path: Path) -> None:
    text = "model,task,item,score\nx,t,1,1\nx,t,2,0\ny,t,,0.75\nx,u,1,1\ny,u,1,0\n"
    rows = table(tmp_path, text).rows
    assert {(row.model, row.task, row.item): row.score for row in rows.itertuples()} == {
        ("x", "t", ""): 0.5,
        ("y", "t", ""): 0.75,
        ("x", "u", "1"): 1.0,
        ("y", "u", "1"): 0.0,
    }


def test_groups_come_from_the_file_or_the_options(tmp_path: Path) -> None:
    text = "model,task,group,score\nx,A,g,.1\nx,B,g,.2\nx,C,,.3\nx,CQADupStack-android,,.4\n"
    rows = table(tmp_path, text, groups={"C": "h"}).rows
    assert rows["group"].tolist() == ["g", "g", "h", "CQADupStack"]


def test_names_of_options_must_exist(tmp_path: Path) -> None:
    for option in ("lower", "without", "tasks", "metric_of"):
        with pytest.raises(DataError, match="X"):
            table(tmp_path, "model,A\nx,41\ny,42\n", **{option: {"X": "y"}})
    for option in ("models", "unit", "duplicates"):
        with pytest.raises(DataError, match=f"--{option} 'cols'"):
            table(tmp_path, "model,A\nx,41\ny,42\n", **{option: "cols"})


def test_metrics_of_errors_are_better_where_they_are_lower(tmp_path: Path) -> None:
    scores = table(tmp_path, "model,WER clean,WER other\nx,2.1,4.5\ny,2.0,4.6\n")
    assert not scores.rows["higher_is_better"].any()
    assert any("WER clean" in note for note in scores.notes)


@pytest.mark.parametrize(
    "text",
    [
        r"\begin{tabular}{lrr} {\bf Model} & A & B \\ \hline x & 1.5 & 20 \\ y & \num{2.5} & 30 \\"
        r" Average & 2 & 25 \end{tabular}",
        r"""\begin{tabular*}{\textwidth}{@{\extracolsep{\fill}}l S[table-format=2.1] *{2}{c}} \toprule
        \multirow{2}{*}{Model} & \multicolumn{2}{c}{Both} \\ & {A} & B \\ \midrule \multicolumn{3}{c}{\textit{Small}} \\
        \rowcolor{gray!10} x\footnotemark[1] & \textbf{\underline{1.5}} & 20\tiny{$\pm$0.1} \\[2pt]
        y & \textcolor{red}{2.5} & 30$^{*\dagger}$ \\ \bottomrule \end{tabular*}""",
        "Model | A | B\n--- | --- | ---\n**x**[^1] | 1.5 (2) | 20<sup>a</sup>\ny | 2.5 ± 0.1 | `30`\n",
        "Nr\tModel\tA\tB\n1\tx\t1,5\t20\n2\ty\t2,5\t30\n",
    ],
)
def test_pasted_tables(tmp_path: Path, text: str) -> None:
    assert cells(table(tmp_path, text)) == {("x", "A"): 1.5, ("y", "A"): 2.5, ("x", "B"): 20, ("y", "B"): 30}


def test_a_metric_below_a_task_is_one_of_its_metrics(tmp_path: Path) -> None:
    text = (
        r"\begin{tabular}{lcccc} & \multicolumn{2}{c}{A} & \multicolumn{2}{c}{B} \\ Model & F1 & R & F1 & R \\ \midrule"
        r" x & 1 & 2 & 3 & 4 \\ y & 5 & 6 & 7 & 8 \\ \end{tabular}"
    )
    with pytest.raises(DataError, match=r"A \(F1; R\)"):
        table(tmp_path, text)
    assert cells(table(tmp_path, text, metric="R"))["x", "B"] == 4


def test_groups_of_groups_are_no_tasks(tmp_path: Path) -> None:
    text = "hf (pretrained=a/b,dtype=auto)\n|Tasks|Metric||Value|\n|-|-|-|-|\n"
    text += "|mmlu|acc|↑|.2|\n| - stem|acc|↑|.3|\n|  - virology|acc|↑|.4|\n| - other|acc|↑|.5|\n|boolq|ppl|↓|.6|\n"
    scores = table(tmp_path, text, unit="fraction")
    assert cells(scores) == {("a/b", "virology"): 0.4, ("a/b", "other"): 0.5, ("a/b", "boolq"): 0.6}
    assert scores.rows["higher_is_better"].tolist() == [True, True, False]


def test_tasks_in_rows_may_have_a_column_of_groups(tmp_path: Path) -> None:
    rows = table(tmp_path, "task,group,x,y\nA,g,41,42\nB,g,43,44\n").rows
    assert {*rows["group"]} == {"g"}


def _markdown(heading: list[str], rows: list[list[str]]) -> str:
    lines = [heading, ["-"] * len(heading), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _latex(heading: list[str], rows: list[list[str]]) -> str:
    marks = str.maketrans({"_": r"\_", "%": r"\%", "&": r"\&"})
    lines = [" & ".join(cell.translate(marks) for cell in line) + r" \\" for line in (heading, *rows)]
    return "\n".join(
        (r"\begin{tabular}{lr}\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule\end{tabular}")
    )


@pytest.mark.parametrize("seed", range(2))
def test_every_form_of_a_table_gives_the_same_scores(tmp_path: Path, seed: int) -> None:
    """Names with spaces, marks and dots; scores with gaps, one of them 0, one below 0."""
    draws = random.Random(seed)
    models = [
        f"{draws.choice('abc')}/{draws.choice(['big_m', 'x-1.5 b', 'Ünï & co', '7B (chat)'])} {n}"
        for n in range(4)
    ]
    tasks = [f"{draws.choice(['STS', 'arc:easy', 'MMLU 5%', 'all_NLI'])}.{n}" for n in range(3)]
    scores = {(m, t): round(draws.uniform(2, 99), 2) for m in models for t in tasks}
    scores |= {(models[0], tasks[0]): math.nan, (models[1], tasks[1]): -3.5, (models[2], tasks[2]): 0.0}

    def told(m: str, t: str) -> str:
        return "" if math.isnan(scores[m, t]) else str(scores[m, t])

    wide = ["Model", *tasks], [[m, *(told(m, t) for t in tasks)] for m in models]
    turned = ["Task", *models], [[t, *(told(m, t) for m in models)] for t in tasks]
    long = ["model", "task", "score"], [[m, t, told(m, t)] for m in models for t in tasks]
    for number, (heading, rows) in enumerate((wide, turned, long)):
        forms = {
            "a.csv": "\n".join(",".join(f'"{cell}"' for cell in line) for line in (heading, *rows)),
            "c.tsv": "\n".join("\t".join(line) for line in (heading, *rows)),
            "d.md": _markdown(heading, rows),
            "e.tex": _latex(heading, rows),
            "f.json": json.dumps([dict(zip(heading, line, strict=True)) for line in rows]),
        }
        if number < 2:
            del forms["f.json"]  # known by its key of scores
        for name, text in forms.items():
            found = cells(table(tmp_path, text, name=name))
            assert found == pytest.approx(scores, nan_ok=True), name


def test_means_of_other_tasks_are_none_whatever_their_names(tmp_path: Path) -> None:
    """Group is the mean of A and B, Score that of A, B and C, both rounded; Like is near to Score."""
    lines = (
        "model,A,B,Group,C,Score,Like",
        "x,41.2,50.1,45.7,60.3,50.5,50.9",
        "y,44.0,52.5,48.3,66.1,54.2,54.0",
        "z,30.9,20.2,25.6,12.4,21.2,21.0",
        "u,70.3,71.4,70.9,72.5,71.4,71.4",
    )
    scores = table(tmp_path, "\n".join(lines))
    assert {*scores.rows["task"]} == {"A", "B", "C", "Like"}
    assert any("Group" in note and "B, A" in note for note in scores.notes)
    whole = (
        "model,A,B,C\nx,41,50,46\ny,44,52,48\nz,30,20,25\nu,70,71,71\n"  # so few digits may agree by chance
    )
    assert {*table(tmp_path, whole).rows["task"]} == {"A", "B", "C"}
    kept = table(tmp_path, "\n".join(lines), tasks=frozenset(["A", "B", "Group"]))
    assert {*kept.rows["task"]} == {"A", "B", "Group"}


def test_pipes_and_circles_of_links_do_not_hang(tmp_path: Path) -> None:
    board = tmp_path / "board"
    board.mkdir()
    (board / "a.csv").write_text("model,A\nx,41\ny,42\n", encoding="utf-8")
    (board / "round").symlink_to(board)
    os.mkfifo(board / "pipe")
    assert len(read_files([board]).rows) == 2
    with pytest.raises(DataError, match="pipe"):
        read_files([board / "pipe"])


def test_truth_values_are_scores_of_items_and_descriptions_in_wide_tables(tmp_path: Path) -> None:
    lines = '{"model": "x", "instance_id": 1, "resolved": true}\n{"model": "y", "instance_id": 1, "resolved": false}\n'
    assert cells(table(tmp_path, lines, name="toy.jsonl")) == {("x", "toy"): 1.0, ("y", "toy"): 0.0}
    wide = table(tmp_path, "model,A,Merged,# Layers\nx,41,True,12\ny,42,False,24\n")
    assert {*wide.rows["task"]} == {"A"}
