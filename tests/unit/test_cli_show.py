"""`sentflow show`: every kind of file of the results tree, and what is none."""

import json
import re
from pathlib import Path

import fake_comparisons
import fake_similarity
import fake_summary
import numpy as np
import pytest
from small_tasks import make_task, write_inputs
from typer.testing import CliRunner, Result

from sentflow.cli.app import app
from sentflow.compare.score_rows import ScoreRow
from sentflow.encoders.manifest import Manifest, write_manifest
from sentflow.files.io import write_json, write_text
from sentflow.files.rows import write_rows
from sentflow.files.sealed import write_sealed
from sentflow.probing.storage.folds import FoldInfo, write_fold, write_predictions
from sentflow.report import captions
from sentflow.report.costs.rows import CostRow
from sentflow.report.families.probing.rows import CurveRow
from sentflow.report.families.probing.score_table import scores_table
from sentflow.report.table.formats import csv_text
from sentflow.texts.table import write_task

SETTINGS = {"classifier": "logistic", "folds": 2, "metric": "mcc", "protocol": "published"}


def run(*words: object, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(app, ["show", *map(str, words)], env=env)


def printed(*words: object) -> str:
    result = run(*words)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "\x1b" not in result.stdout
    return result.stdout


def refused(*words: object) -> str:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    return result.stderr


def line_of(text: str, beginning: str) -> str:
    (line,) = [line.strip() for line in text.splitlines() if line.strip().startswith(beginning)]
    return re.sub(r" {2,}", " | ", line)


def results(folder: Path, rows: list[ScoreRow]) -> Path:
    """A results folder with a summary and the record of its experiment."""
    write_rows(folder / "results" / "summary" / "scores.parquet", ScoreRow, rows)
    write_text(folder / "results" / "record" / "config.yaml", "experiment:\n  title: Minha experiência\n")
    return folder / "results"


def fold(path: Path, *, repetition: int = 1, number: int = 1, score: float = 0.25) -> Path:
    """A fold file of two epochs."""
    names = ["loss_per_epoch_train", "loss_per_epoch_eval", "metric_per_epoch_eval"]
    n = 2 * len(names) + 2
    records = {
        "kfold_repetition": np.full(n, repetition),
        "kfold_partition": np.full(n, number),
        "train_epoch": np.array([1, 2, 1, 2, 1, 2, -1, -1]),
        "metric": [*(name for name in names for _ in range(2)), "loss_test", "metric_test"],
        "value": np.array([0.7, 0.6, 0.71, 0.62, 0.1, 0.2, 0.65, score]),
    }
    info = FoldInfo(
        setting={"learning_rate": 0.001, "beta1": 0.9, "beta2": 0.99}, n_train=64, n_evaluation=16, n_test=20,
        dimension=8,
        settings=json.dumps(SETTINGS),
    )  # fmt: skip
    write_fold(path, records, info)
    return path


# --- folders


def test_results_folder_is_the_table_of_scores(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A", "F2"])
    text = printed(results(tmp_path, rows))
    assert text.startswith("Minha experiência: score of each encoder on each task.\n")
    row = rows[0]
    low, high = (
        f"{value:.3f}".replace("-", "−") for value in (row.generalisation_low, row.generalisation_high)
    )
    assert f"{row.mean:.3f} [{low}, {high}]" in line_of(text, "T1A-sample")
    assert "generalisation interval" in text
    assert "sample data" in text
    for title in ("all-MiniLM-L6-v2", "TF-IDF (3000 word 1–3-grams)", "Random vectors (control)"):
        assert title in text


def test_tests_that_were_made_are_shown(tmp_path):
    rows = fake_summary.score_rows(tasks=["F1A", "F3", "T1A"])
    folder = results(tmp_path, rows)
    assert captions.NO_TEST in printed(folder)
    fake_comparisons.write_comparisons(folder / "comparisons", rows)
    text = printed(folder)
    assert captions.NO_TEST not in text
    assert "corrected resampled t-test" in text
    best = max((row for row in rows if row.task == "T1A-sample"), key=lambda row: row.mean)
    assert f"**{best.mean:.3f}**" in line_of(text, "T1A-sample")
    assert "In this terminal: **bold**, _underlined_, ^letters." in text
    assert re.search(r"all-MiniLM-L6-v2 \^a\b", text)


def test_few_training_rows_are_marked(tmp_path):
    rows = [fake_summary.one_row(task="A", n_train=300), fake_summary.one_row(task="B", n_train=600)]
    text = printed(results(tmp_path, rows))
    assert line_of(text, "A‡") and line_of(text, "B ")
    assert "‡ Undertrained: with fewer than 512 training rows" in text
    assert "Write protocol: corrected at the task" in text


@pytest.mark.parametrize("place", ["", "similarity", "similarity/STS13"])
@pytest.mark.parametrize("summarised", [False, True])
def test_similarities_are_a_table(tmp_path, place, summarised):
    if summarised:
        fake_similarity.summarise(tmp_path)
    else:
        fake_similarity.write(tmp_path)
    text = printed(tmp_path / place)
    assert "semantic textual similarity" in text
    name = "all-MiniLM-L6-v2" if summarised and not place else "minilm-l6"
    (line,) = [line for line in text.splitlines() if line.strip().startswith(name)]
    assert re.search(r"\d\d\.\d\d", line)
    assert ("Shared words (Jaccard)" in text) and ("STS13" in text)
    assert ("STS16" in text) == (place != "similarity/STS13")


def test_scores_and_similarities_of_an_experiment_are_both_shown(tmp_path):
    folder = results(tmp_path, fake_summary.score_rows(tasks=["T1A"]))
    fake_similarity.summarise(folder)
    text = printed(tmp_path)
    assert "score of each encoder on each task" in text and "semantic textual similarity" in text


def test_damaged_similarity_is_told(tmp_path):
    fake_similarity.write(tmp_path)
    write_text(tmp_path / "similarity" / "STS13" / "random.parquet", "nothing")
    assert "random.parquet" in refused(tmp_path / "similarity")


def test_folder_of_an_experiment_stands_for_its_results(tmp_path):
    folder = results(tmp_path, fake_summary.score_rows(tasks=["T1A"]))
    assert printed(tmp_path) == printed(folder)


def test_results_of_the_current_folder_need_no_path(tmp_path, monkeypatch):
    results(tmp_path, fake_summary.score_rows(tasks=["T1A"]))
    monkeypatch.chdir(tmp_path)
    assert "Minha experiência" in printed()


@pytest.mark.parametrize("place", [".", "scores", "scores/T1A-sample"])
def test_scores_without_a_summary_are_a_table_too(tmp_path, place):
    rows = fake_summary.score_rows(tasks=["T1A"], models=["tfidf", "random"])
    for row in rows:
        write_json(tmp_path / "scores" / row.task / f"{row.model}.json", fake_summary.score_file(row))
    text = printed(tmp_path / place)
    assert text.startswith("2 score files: ")
    assert f"{rows[0].mean:.3f} [" in line_of(text, "T1A-sample")


def test_scores_that_cannot_stand_in_one_table_are_refused(tmp_path):
    first = fake_summary.one_row()
    for model, seed in (("tfidf", 1), ("random", 2)):
        row = fake_summary.one_row(model=model, seed=seed)
        write_json(tmp_path / first.task / f"{model}.json", fake_summary.score_file(row))
    assert "seed differs: 2 (T1A-sample × random), 1 (T1A-sample × tfidf)" in refused(tmp_path)


def test_folder_of_folds_lists_their_scores_in_order(tmp_path):
    for repetition in (2, 10, 1):
        fold(tmp_path / f"rep-{repetition}" / "fold-1.parquet", repetition=repetition, score=repetition / 100)
    lines = printed(tmp_path).splitlines()
    assert lines[0] == f"3 folds in {tmp_path}"
    assert [line.split() for line in lines[4:7]] == [
        ["1", "1", "0.010"],
        ["2", "1", "0.020"],
        ["10", "1", "0.100"],
    ]


def test_folder_of_something_else_says_what_is_in_it(tmp_path):
    (tmp_path / "photos").mkdir()
    assert "has no scores, no similarities, no retrieval and no folds. It contains: photos." in refused(
        tmp_path
    )
    assert "It is empty." in refused(tmp_path / "photos")


# --- scores and folds


def test_score_file_has_both_intervals_by_name(tmp_path):
    row = fake_summary.one_row()
    write_json(tmp_path / "a.json", fake_summary.score_file(row))
    text = printed(tmp_path / "a.json")
    assert line_of(text, "score  ") == f"score | {row.mean:.3f} (mcc)"
    assert f"[{row.generalisation_low:.3f}, {row.generalisation_high:.3f}]" in line_of(text, "generalisation")
    assert f"[{row.repeatability_low:.3f}, {row.repeatability_high:.3f}]" in line_of(text, "repeatability")
    assert line_of(text, "n_balanced_rows") == "n_balanced_rows | 480"


def test_interval_that_means_nothing_is_called_so(tmp_path):
    (row,) = fake_summary.score_rows(tasks=["F3"], models=["random"])
    write_json(tmp_path / "a.json", fake_summary.score_file(row))
    assert "not informative: all folds gave the same score" in printed(tmp_path / "a.json")


def test_damaged_score_file_is_told(tmp_path):
    file = {**fake_summary.score_file(fake_summary.one_row()), "intervals": {"generalisation": {}}}
    write_json(tmp_path / "a.json", file)
    assert "is a damaged score file" in refused(tmp_path / "a.json")


def test_fold_file_has_its_setting_and_epochs(tmp_path):
    text = printed(fold(tmp_path / "rep-1" / "fold-1.parquet"))
    assert line_of(text, "test score") == "test score | 0.250"
    assert line_of(text, "setting.learning_rate") == "setting.learning_rate | 0.001"
    assert line_of(text, "settings.protocol") == "settings.protocol | published"
    assert line_of(text, "2 ") == "2 | 0.6000 | 0.6200 | 0.2000"


def test_table_of_several_folds_has_a_line_per_repetition(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    scores = {(1, 1): 0.1, (1, 2): 0.3, (2, 1): 0.5, (2, 2): 0.9}
    files = [
        fold(tmp_path / f"{rep}{number}.parquet", repetition=rep, number=number, score=score)
        for (rep, number), score in scores.items()
    ]
    tables = [pq.ParquetFile(file).read().replace_schema_metadata(None) for file in files]
    pq.write_table(pa.concat_tables(tables), tmp_path / "all.parquet")
    text = printed(tmp_path / "all.parquet")
    assert line_of(text, "1 ") == "1 | 2 | 0.100 | 0.200 | 0.300"  # (0.1 + 0.3) / 2
    assert line_of(text, "2 ") == "2 | 2 | 0.500 | 0.700 | 0.900"


def test_predictions_are_counted_by_truth(tmp_path):
    truth, predicted = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0])
    same = np.ones(5, dtype=np.int64)
    records = {
        "row": np.arange(5), "repetition": same, "fold": same, "truth": truth, "predicted": predicted,
        "score": np.linspace(0, 1, 5),
    }  # fmt: skip
    write_predictions(tmp_path / "a.parquet", records)
    text = printed(tmp_path / "a.parquet", "--rows", 1)
    assert "Truth   predicted 0   predicted 1" in text
    assert "3 of 5 correct." in text
    assert "1 of 5 rows; --rows shows more." in text


# --- data and vectors


def test_task_table_tells_classes_repeats_and_contradictions(tmp_path):
    # make_task gives rows 0 and 2 (both of class 0) equal texts
    table = make_task(24)
    table.text_a[3] = table.text_a[0]  # of class 1
    write_task(tmp_path / "a.parquet", table)
    text = printed(tmp_path / "a.parquet", "--rows", 2)
    assert line_of(text, "rows  ") == "rows | 24"
    assert line_of(text, "rows per class") == "rows per class | 0: 13, 1: 11"
    n_distinct = len(set(table.text_a))
    assert line_of(text, "duplicate rows") == f"duplicate rows | {24 - n_distinct}"
    assert line_of(text, "texts with several labels") == "texts with several labels | 1"
    assert "2 of 24 rows" in text


def test_long_and_hostile_texts_are_one_harmless_line(tmp_path):
    table = make_task(24)
    table.text_a[0] = "[bold]\x1b[31mlinha\num\u2028" + "x" * 10_000
    write_task(tmp_path / "a.parquet", table)
    line = line_of(printed(tmp_path / "a.parquet"), "0 ")
    assert r"[bold]\x1b[31mlinha um x" in line
    assert line.count("x") < 60
    assert "…" in line


def test_texts_are_listed(tmp_path):
    files = write_inputs(tmp_path, make_task(24))
    assert "ônibus" in printed(files["texts"], "--rows", 100) or "ação" in printed(
        files["texts"], "--rows", 100
    )


def test_array_is_shown_with_its_description(tmp_path):
    files = write_inputs(tmp_path, make_task(24), dimension=8)
    text = printed(files["embeddings"])
    assert re.search(r"shape +\d+ × 8", text)
    assert "description of embeddings" in text
    assert "text_order_sha256" in text
    assert "text_order_sha256" in printed(files["info"])


def test_manifest_and_check_are_called_by_name(tmp_path):
    write_manifest(tmp_path / "manifest.json", Manifest(kind="random", dimension=8))
    assert "manifest of a model" in printed(tmp_path / "manifest.json")
    write_json(
        tmp_path / "a.json", {"check": "complete", "rule": "x", "passed": True, "counts": {"tasks": 3}}
    )
    text = printed(tmp_path / "a.json")
    assert text.startswith("acceptance check ")
    assert line_of(text, "counts.tasks") == "counts.tasks | 3"


# --- summaries and the rest


def test_summaries_are_their_tables(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A"])
    write_rows(tmp_path / "scores.parquet", ScoreRow, rows)
    write_rows(tmp_path / "costs.parquet", CostRow, fake_summary.cost_rows())
    write_rows(tmp_path / "curves.parquet", CurveRow, fake_summary.curve_rows(rows))
    assert "score of each encoder on each task" in printed(tmp_path / "scores.parquet")
    assert (
        line_of(printed(tmp_path / "costs.parquet"), "probe")
        == "probe | 72 | 63 min | 62 min | 1.4 GiB | — | —"
    )
    assert "n_folds_total" in printed(tmp_path / "curves.parquet")


def test_tables_and_texts_are_shown(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A", "F2", "G3"])
    write_text(tmp_path / "a.csv", csv_text(scores_table(rows, "Title")))
    assert "10 of 12 rows" in printed(tmp_path / "a.csv")
    write_text(tmp_path / "a.log", "first\n[red]second[/red]\n")
    assert printed(tmp_path / "a.log") == "first\n[red]second[/red]\n"
    write_text(tmp_path / "a.tsv", 'text\tlabel\n"two\nlines"\t1\n')
    assert "two" in printed(tmp_path / "a.tsv")


def test_benchmark_lines_are_shown(tmp_path):
    write_text(tmp_path / "a.jsonl", '{"s": 1.5, "max_rss": null}\n{"s": 2.5, "max_rss": 10}\n')
    assert line_of(printed(tmp_path / "a.jsonl"), "2.5") == "2.5 | 10"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b"{", "is not readable JSON"),
        ("a.jsonl", b"3\n", "has no records"),
        ("a.parquet", b"PAR1", "is not a readable Parquet file"),
        ("a.npy", b"nothing", "is not a readable array"),
        ("a.csv", b"", "is empty"),
        ("a.csv", b"a,b\n1\n", "longer or shorter than its 2 column names"),
        ("a.txt", b"\xff\xfe", "is not readable text"),
        ("a.html", b"<p>", "cannot be shown in a terminal. Open it in a browser"),
        ("a.png", b"x", "cannot be shown in a terminal. Open it in a viewer"),
        ("a.pt", b"x", "is of a type that cannot be shown"),
    ],
)
def test_what_cannot_be_shown_is_told(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    text = refused(tmp_path / name)
    assert message in text
    assert name in text


def test_missing_path_is_told(tmp_path):
    assert f"there is no {tmp_path / 'results'}" in refused(tmp_path / "results")


def test_narrow_terminal_gets_the_encoders_in_parts(tmp_path):
    folder = results(tmp_path, fake_summary.score_rows(tasks=["T1A", "F2"]))
    result = run(folder, env={"FORCE_COLOR": "1", "COLUMNS": "80", "TERM": "xterm"})
    assert result.exit_code == 0
    assert "\x1b[" in result.stdout
    plain = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)
    rows = [line for line in plain.splitlines() if "T1A-sample" in line]
    assert len(rows) > 1
    assert sum(line.count("[") for line in rows) == 4  # every encoder once, no interval torn
    assert max(map(len, plain.splitlines())) <= 80


def test_a_score_that_was_changed_is_shown_with_a_warning(tmp_path):
    file = tmp_path / "a.json"
    write_sealed(file, fake_summary.score_file(fake_summary.one_row()))
    assert "WARNING" not in printed(file)
    write_json(file, {**json.loads(file.read_text(encoding="utf-8")), "mean": 0.999})
    assert "changed after the file was written" in printed(file)
