"""Rows of the summary: from score files, to Parquet and back, and what may not be mixed."""

import dataclasses
import math

import fake_summary
import pyarrow.parquet as pq
import pytest

from sentflow.compare.score_rows import ScoreRow
from sentflow.compare.scores import in_order, score_row
from sentflow.errors import DataError
from sentflow.files.parquet import write_parquet
from sentflow.files.rows import read_rows, write_rows
from sentflow.report.families.probing.rows import CurveRow
from sentflow.report.families.probing.summary import curve_rows


def test_score_file_becomes_the_row_it_was_made_from():
    row = fake_summary.one_row()
    made = score_row(fake_summary.score_file(row), fake_summary.settings_of([row]))
    assert made == row
    changed = {"not_comparable": {"batch_size": {"here": 64, "published": 128}}}
    made = score_row(fake_summary.score_file(row) | changed, fake_summary.settings_of([row]))
    assert (made.batch_rows, row.batch_rows) == (64, 128)


def test_rows_are_ordered_by_first_appearance():
    rows = fake_summary.score_rows(tasks=["T3", "F1A"], models=["random", "minilm-l6"])
    shuffled = [rows[0], rows[3], rows[1], rows[2]]
    names = [(task, model) for task in ("T3-sample", "F1A-sample") for model in ("random", "minilm-l6")]
    assert [(row.task, row.model) for row in in_order(shuffled)] == names
    with pytest.raises(DataError, match="model random appears 2 times"):
        in_order([rows[0], rows[0]])


def test_all_mixtures_are_reported_in_one_go():
    first = fake_summary.one_row()
    rows = [
        first,
        dataclasses.replace(first, model="tfidf", seed=1, n_balanced_rows=478),
        dataclasses.replace(first, model="random", level=0.95),
    ]
    with pytest.raises(DataError) as caught:
        in_order(rows)
    message = str(caught.value)
    assert "seed differs: 9847706 (T1A-sample × minilm-l6), 1 (T1A-sample × tfidf)" in message
    assert "level differs: 0.99 (T1A-sample × minilm-l6), 0.95 (T1A-sample × random)" in message
    assert "task T1A-sample: n_balanced_rows differs: 480" in message
    assert "Delete the score files" in message


def test_curves_carry_the_number_of_folds_of_each_epoch():
    row = fake_summary.one_row()
    published = fake_summary.score_file(row, n_epochs=3)["published"]
    counts = {name: [50, 31, 2] for name in ("loss_per_epoch_train", "loss_per_epoch_eval")}
    counts["metric_per_epoch_eval"] = [50, 30, 1]
    curves = curve_rows(row, published, counts)
    last = {curve.quantity: curve.n_folds for curve in curves if curve.epoch == 3}
    assert last == {name: of_epochs[2] for name, of_epochs in counts.items()}
    assert {curve.n_folds_total for curve in curves} == {50}


def test_rows_survive_parquet_with_nan_and_accents(tmp_path):
    rows = [fake_summary.one_row(task_title="Ações ofensivas", repeatability_low=math.nan)]
    write_rows(tmp_path / "scores.parquet", ScoreRow, rows)
    write_rows(tmp_path / "again.parquet", ScoreRow, rows)
    assert (tmp_path / "scores.parquet").read_bytes() == (tmp_path / "again.parquet").read_bytes()
    (read,) = read_rows(tmp_path / "scores.parquet", ScoreRow)
    assert math.isnan(read.repeatability_low)
    assert dataclasses.replace(read, repeatability_low=0.5) == dataclasses.replace(
        rows[0], repeatability_low=0.5
    )


def test_rows_of_an_earlier_version_are_read_with_what_they_have(tmp_path):
    row = fake_summary.one_row()
    write_rows(tmp_path / "x.parquet", ScoreRow, [row])
    table = pq.read_table(tmp_path / "x.parquet").drop_columns(["position", "warmup_floor"])
    write_parquet(tmp_path / "x.parquet", table)
    (found,) = read_rows(tmp_path / "x.parquet", ScoreRow)
    assert (found.mean, found.position, found.warmup_floor) == (row.mean, -1, True)
    with pytest.raises(DataError, match="lacks the columns"):
        read_rows(tmp_path / "x.parquet", CurveRow)


def test_tasks_may_have_protocols_of_their_own_but_encoders_of_a_task_may_not():
    rows = fake_summary.score_rows(tasks=["T1A", "T1B"], models=["minilm-l6", "tfidf"])
    corrected = [dataclasses.replace(row, protocol="corrected", switches="x off") for row in rows[2:]]
    assert in_order([*rows[:2], *corrected]) == [*rows[:2], *corrected]
    with pytest.raises(DataError, match=r"task T1B-sample: protocol differs: corrected .*, published"):
        in_order([*rows[:2], corrected[0], rows[3]])
    other = dataclasses.replace(corrected[1], switches="y off")
    with pytest.raises(DataError, match="protocol corrected: switches differs: x off"):
        in_order([*rows[:2], corrected[0], other])
