"""Rows of the summary: from score files, to Parquet and back, and what may not be mixed."""

import dataclasses
import math

import fake_summary
import pyarrow.parquet as pq
import pytest

from sentflow.compare.score_rows import ScoreRow
from sentflow.compare.scores import in_order, score_row
from sentflow.errors import ConfigError, DataError
from sentflow.files.rows import read_rows, write_rows
from sentflow.graph.job_settings import described_models
from sentflow.report.families.probing.summary import curve_rows
from sentflow.report.rows import data_versions


def test_score_file_becomes_the_row_it_was_made_from():
    row = fake_summary.one_row()
    made = score_row(fake_summary.score_file(row), fake_summary.settings_of([row]))
    assert made == row


def test_the_batch_size_is_the_protocols_own():
    row = fake_summary.one_row()
    changed = {"not_comparable": {"batch_size": {"here": 64, "published": 128}}}
    made = score_row(fake_summary.score_file(row) | changed, fake_summary.settings_of([row]))
    assert (made.batch_rows, row.batch_rows) == (64, 128)


def test_null_limits_become_nan():
    row = fake_summary.one_row(degenerate=True)
    file = fake_summary.score_file(row)
    file["intervals"]["repeatability"] |= {"low": None, "high": None}
    made = score_row(file, fake_summary.settings_of([row]))
    assert math.isnan(made.repeatability_low)
    assert math.isnan(made.repeatability_high)


def test_unknown_model_is_named_with_the_known_ones():
    row = fake_summary.one_row()
    settings = fake_summary.settings_of([row])
    settings["models"] = {"outro": {"title": "Outro", "control": False}}
    with pytest.raises(ConfigError, match="'minilm-l6'.*know only: outro"):
        score_row(fake_summary.score_file(row), settings)


def test_missing_key_is_named():
    row = fake_summary.one_row()
    file = fake_summary.score_file(row)
    del file["n_rows"]
    with pytest.raises(DataError, match="no key 'n_rows'"):
        score_row(file, fake_summary.settings_of([row]))


def test_rows_are_ordered_by_first_appearance():
    rows = fake_summary.score_rows(tasks=["T3", "F1A"], models=["random", "minilm-l6"])
    shuffled = [rows[0], rows[3], rows[1], rows[2]]
    assert [(row.task, row.model) for row in in_order(shuffled)] == [
        ("T3-sample", "random"),
        ("T3-sample", "minilm-l6"),
        ("F1A-sample", "random"),
        ("F1A-sample", "minilm-l6"),
    ]


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


def test_tasks_may_differ_in_metric_and_rows():
    rows = [*fake_summary.score_rows(tasks=["F2"]), *fake_summary.score_rows(tasks=["T1A"])]
    assert in_order(rows) == rows


def test_the_same_cell_twice_is_refused():
    row = fake_summary.one_row()
    with pytest.raises(DataError, match="model minilm-l6 appears 2 times"):
        in_order([row, row])


def test_curves_carry_the_number_of_folds_of_each_epoch():
    row = fake_summary.one_row()
    published = fake_summary.score_file(row, n_epochs=3)["published"]
    counts = {name: [50, 31, 2] for name in ("loss_per_epoch_train", "loss_per_epoch_eval")}
    counts["metric_per_epoch_eval"] = [50, 30, 1]
    curves = curve_rows(row, published, counts)
    assert [(curve.quantity, curve.epoch, curve.n_folds) for curve in curves if curve.epoch == 3] == [
        ("loss_per_epoch_train", 3, 2),
        ("loss_per_epoch_eval", 3, 2),
        ("metric_per_epoch_eval", 3, 1),
    ]
    assert {curve.n_folds_total for curve in curves} == {50}


def test_curves_of_another_length_than_the_table_are_refused():
    row = fake_summary.one_row()
    published = fake_summary.score_file(row, n_epochs=3)["published"]
    counts = {"loss_per_epoch_train": [50, 31]}
    with pytest.raises(DataError, match="3 aggregated epochs but the score table has 2"):
        curve_rows(row, published, counts)


def test_rows_survive_parquet_with_nan_and_accents(tmp_path):
    rows = [fake_summary.one_row(task_title="Ações ofensivas", repeatability_low=math.nan)]
    write_rows(tmp_path / "scores.parquet", ScoreRow, rows)
    read = read_rows(tmp_path / "scores.parquet", ScoreRow)
    assert math.isnan(read[0].repeatability_low)
    assert dataclasses.replace(read[0], repeatability_low=0.0) == dataclasses.replace(
        rows[0], repeatability_low=0.0
    )


def test_equal_rows_give_equal_bytes(tmp_path):
    rows = fake_summary.score_rows(tasks=["T1A", "F3"])
    for name in ("one", "two"):
        write_rows(tmp_path / name, ScoreRow, rows)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_wrong_kind_of_file_names_missing_columns(tmp_path):
    rows = fake_summary.curve_rows([fake_summary.one_row()])
    write_rows(tmp_path / "curves.parquet", type(rows[0]), rows)
    with pytest.raises(DataError, match="lacks the columns classifier, layout"):
        read_rows(tmp_path / "curves.parquet", ScoreRow)


def test_text_file_is_no_parquet(tmp_path):
    (tmp_path / "scores.parquet").write_text("task,model\n")
    with pytest.raises(DataError, match="not a readable Parquet file"):
        read_rows(tmp_path / "scores.parquet", ScoreRow)


def test_empty_summary_is_refused(tmp_path):
    write_rows(tmp_path / "scores.parquet", ScoreRow, [])
    with pytest.raises(DataError, match="has no rows"):
        read_rows(tmp_path / "scores.parquet", ScoreRow)


def test_data_versions_keep_their_order():
    rows = [
        fake_summary.one_row(data_version=version) for version in ("HateBR 2.0", "sample data", "HateBR 2.0")
    ]
    assert data_versions(rows) == ["HateBR 2.0", "sample data"]


def test_rows_carry_the_position_of_their_encoder():
    row = fake_summary.one_row()
    settings = fake_summary.settings_of([row])
    settings["models"][row.model]["position"] = 3
    assert score_row(fake_summary.score_file(row), settings).position == 3
    assert score_row(fake_summary.score_file(row), fake_summary.settings_of([row])).position == -1


def test_encoders_and_controls_are_counted_apart():
    models = {"words": {"control": True}, "a": {"title": "A"}, "random": {"control": True}, "b": {}}
    found = described_models(models)
    assert {name: entry["position"] for name, entry in found.items()} == {
        "words": 0,
        "a": 0,
        "random": 1,
        "b": 1,
    }
    assert found["a"]["title"] == "A"
    assert found["b"]["title"] == "b"


def test_rows_of_an_earlier_version_are_read_with_what_they_have(tmp_path):
    row = fake_summary.one_row()
    write_rows(tmp_path / "x.parquet", ScoreRow, [row])
    table = pq.read_table(tmp_path / "x.parquet").drop_columns(["position", "warmup_floor"])
    pq.write_table(table, tmp_path / "x.parquet")
    (found,) = read_rows(tmp_path / "x.parquet", ScoreRow)
    assert (found.mean, found.position, found.warmup_floor) == (row.mean, -1, True)


def test_tasks_may_have_protocols_of_their_own_but_encoders_of_a_task_may_not():
    rows = fake_summary.score_rows(tasks=["T1A", "T1B"], models=["minilm-l6", "tfidf"])
    corrected = [
        dataclasses.replace(row, protocol="corrected", switches="x off")
        for row in rows
        if row.task == "T1B-sample"
    ]
    assert in_order([*rows[:2], *corrected]) == [*rows[:2], *corrected]
    with pytest.raises(DataError, match=r"task T1B-sample: protocol differs: corrected .*, published"):
        in_order([*rows[:2], corrected[0], rows[3]])
    other = dataclasses.replace(corrected[1], switches="y off")
    with pytest.raises(DataError, match="protocol corrected: switches differs: x off"):
        in_order([*rows[:2], corrected[0], other])
