"""Small and odd tasks: each ends in a right result or in a clear error, and the tables mark it."""

import dataclasses

import fake_summary
import numpy as np
from small_tasks import make_task, task_features

from sentflow.probing.cross_validation import CrossValidation, cross_validate
from sentflow.report.families.probing import remarks
from sentflow.stats.score import score
from sentflow.texts.table import TaskTable, contradicting_rows


def task_of(labels: np.ndarray, texts: list[str] | None = None) -> TaskTable:
    """A task with these labels; texts that say nothing unless given."""
    table = make_task(len(labels))
    classes = [str(label) for label in range(labels.max() + 1)]
    texts = texts or [f"texto {row}" for row in range(len(labels))]
    info = dataclasses.replace(table.info, classes=classes)
    return dataclasses.replace(table, info=info, labels=labels.astype(np.int64), text_a=texts)


def balanced(n: int) -> np.ndarray:
    return np.arange(n) % 2


def assert_whole(result: CrossValidation, n_rows: int) -> None:
    """Every number is defined, and every row was tested once in each repetition."""
    assert np.isfinite(result.scores["value"]).all()
    for _, rows in result.predictions.groupby("repetition")["row"]:
        assert sorted(rows) == sorted(set(rows))
        assert len(rows) == n_rows


def test_equal_texts_with_both_labels_score_as_chance():
    # every text stands once with each label; half of the rows have their twin in the training part
    texts = [f"lei {row // 2} sobre ação {row // 2 % 7}" for row in range(600)]
    table = task_of(balanced(600), texts)
    result = cross_validate(task_features(table), table.labels, metric="mcc", repetitions=2)
    assert_whole(result, 600)
    assert result.scores.query("metric == 'metric_test'")["value"].mean() < 0.1
    assert len(contradicting_rows(table)) == 600


def test_one_text_for_all_rows_has_a_score_without_an_interval():
    table = task_of(balanced(400), ["lei"] * 400)
    result = cross_validate(task_features(table), table.labels, metric="mcc", repetitions=2)
    assert_whole(result, 400)
    columns = result.scores.to_dict("list")
    numbers = score(columns, n_folds=5, seed=1, level=0.99, n_resamples=200)
    assert (numbers["mean"], numbers["intervals"]["generalisation"]["degenerate"]) == (0.0, True)


def test_tasks_with_few_rows_for_their_batches_or_with_contradictions_are_marked():
    rows = {
        "‡": fake_summary.one_row(n_train=511),
        "": fake_summary.one_row(n_train=512),
        "§": fake_summary.one_row(n_train=512, n_contradicting=1200),
        "‖": fake_summary.one_row(n_train=512, effective_rows=249.0),
        "‡§": fake_summary.one_row(n_train=255, n_contradicting=2, batch_rows=64),
    }
    assert [remarks.marks(row) for row in rows.values()] == list(rows)
    assert remarks.marks(fake_summary.one_row(n_train=256, batch_rows=64)) == ""
    assert "249 of 500" in remarks.notes([rows["‖"]])[0]
    kept = fake_summary.one_row(n_train=512, effective_rows=249.0, groups_folds=True)
    assert remarks.marks(kept) == remarks.marks(fake_summary.one_row(n_train=512, effective_rows=250.0)) == ""
    # another protocol has not the published one's defect
    other = fake_summary.one_row(n_train=300, protocol="corrected", warmup_floor=False)
    assert (remarks.marks(other), remarks.notes([other])) == ("", [])
    assert "512" in remarks.notes([rows["‡"]])[0]
