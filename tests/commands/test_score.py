import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_tasks import make_task, task_features

from sentflow.commands.score import main
from sentflow.errors import DataError
from sentflow.files.io import read_json
from sentflow.files.result_names import predictions_of
from sentflow.files.sealed import read_sealed
from sentflow.probing.cross_validation import CrossValidation, cross_validate
from sentflow.probing.protocol.metrics import published_metric
from sentflow.probing.storage.folds import FoldInfo, read_folds, write_fold, write_predictions
from sentflow.probing.training.result import fold_records, prediction_records
from sentflow.stats.repeatability import summarise
from sentflow.texts.table import write_task

N_ROWS = 270
PROBE = {
    "protocol": "published",
    "repetitions": 2,
    "folds": 5,
    "seed": 9847706,
    "metric": "mcc",
    "classifier": "logistic",
}
STATISTICS = {"level": 0.95, "n_item_resamples": 300, "n_resamples": 500}
PUBLISHED = {"name": "published", "switches": {}, "changed": {}}


@pytest.fixture(scope="module")
def result() -> CrossValidation:
    table = make_task(N_ROWS)
    return cross_validate(task_features(table), table.labels, metric="mcc", repetitions=2)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory, result) -> Path:
    """A folder with the task's table and its fold files."""
    folder = tmp_path_factory.mktemp("inputs")
    write_task(folder / "rows.parquet", make_task(N_ROWS))
    for fold in result.folds:
        info = FoldInfo(
            setting=fold.setting._asdict(),
            n_train=fold.n_train,
            n_evaluation=fold.n_evaluation,
            n_test=len(fold.test_rows),
            dimension=fold.dimension,
            settings=json.dumps(PROBE, sort_keys=True),
        )
        file = folder / f"rep-{fold.repetition}/fold-{fold.fold}.parquet"
        write_fold(file, fold_records(fold), info)
        write_predictions(predictions_of(str(file)), prediction_records(fold))
    return folder


def columns_of(table: pa.Table) -> dict[str, np.ndarray | list[str]]:
    """As `fold_records` makes them."""
    columns = {name: np.array(values) for name, values in table.to_pydict().items()}
    return {**columns, "metric": columns["metric"].tolist()}


def fold_files(folder: Path) -> list[Path]:
    return [folder / f"rep-{repetition}/fold-{fold}.parquet" for repetition in (1, 2) for fold in range(1, 6)]


def copy_predictions(source: Path, target: Path) -> None:
    for fold in fold_files(source):
        file = Path(predictions_of(str(fold)))
        shutil.copy2(file, target / file.relative_to(source))


def run(
    inputs: Path, output: Path, *, folds: list[Path] | None = None, protocol=None, **statistics: object
) -> int:
    settings = json.dumps(
        {"probe": PROBE, "statistics": {**STATISTICS, **statistics}, "protocol": protocol or PUBLISHED}
    )
    words = ["--task", "T1A-sample", "--model", "minilm-l6", "--rows", str(inputs / "rows.parquet")]
    words += ["--folds", *map(str, folds or fold_files(inputs)), "--settings", settings]
    words += ["--scores", str(output / "s.json"), "--table", str(output / "s.parquet")]
    return main([*words, "--predictions", str(output / "s.predictions.parquet")])


@pytest.fixture(scope="module")
def output(tmp_path_factory, inputs) -> Path:
    folder = tmp_path_factory.mktemp("output")
    assert run(inputs, folder) == 0
    return folder


def test_score_has_every_key_that_the_summary_reads(output):
    assert set(read_json(output / "s.json")) == {
        *PROBE,
        *("task", "model", "layout", "data_version", "n_folds", "n_rows", "n_balanced_rows", "n_classes"),
        *("n_train", "n_contradicting", "dimension", "mean", "std", "published", "intervals", "digest"),
    }


def test_score_says_what_it_was_made_of(output):
    score = read_json(output / "s.json")
    expected = {
        **PROBE,
        "task": "T1A-sample",
        "model": "minilm-l6",
        "layout": "single",
        "data_version": "sample data",
        "n_folds": 10,
        "n_rows": N_ROWS,
        "n_balanced_rows": 242,
        "n_classes": 2,
        "n_train": 154,  # 242 − 49 to test, 193 − 39 to evaluate
        "n_contradicting": 0,
        "dimension": 8,
    }
    assert {key: score[key] for key in expected} == expected


def test_numbers_are_the_published_aggregation(output, result):
    score = read_json(output / "s.json")
    assert score["published"] == summarise(result.scores, n_resamples=500)
    tests = result.scores.query("metric == 'metric_test'")["value"]
    assert (score["mean"], score["std"]) == pytest.approx((tests.mean(), tests.std(ddof=1)))
    assert score["intervals"]["generalisation"]["level"] == 0.95
    assert score["intervals"]["repeatability"]["level"] == 0.99


def test_table_is_the_published_unaggregated_one_with_the_task_before(output, result):
    table = pq.ParquetFile(output / "s.parquet").read().to_pandas()
    assert table.columns[0] == "task"
    assert set(table["task"]) == {"T1A-sample"}
    assert table.drop(columns="task").equals(result.scores)


def test_same_folds_give_the_same_bytes(tmp_path, inputs, output):
    run(inputs, tmp_path)
    for name in ("s.json", "s.parquet", "s.predictions.parquet"):
        assert (tmp_path / name).read_bytes() == (output / name).read_bytes()


def test_level_changes_all_intervals_but_the_published_one(tmp_path, inputs, output):
    run(inputs, tmp_path, level=0.9)
    here, there = read_sealed(output / "s.json"), read_sealed(tmp_path / "s.json")
    ours, theirs = here.pop("intervals"), there.pop("intervals")
    assert [name for name in ours if ours[name] == theirs[name]] == ["repeatability"]
    assert here == there


def test_every_prediction_is_kept(output, result):
    table = pq.ParquetFile(output / "s.predictions.parquet").read().to_pandas()
    assert table.columns.tolist() == ["repetition", "fold", "row", "truth", "predicted", "score"]
    assert table.equals(result.predictions[table.columns])


def test_item_interval_is_that_of_the_predictions(output, result):
    """The centre by hand: per repetition the correlation of all its predictions, then the mean."""
    found = read_json(output / "s.json")["intervals"]["item"]
    centres = [
        published_metric("mcc", own["truth"].to_numpy(), own["predicted"].to_numpy(), n_classes=2, clip=False)
        for _, own in result.predictions.groupby("repetition")
    ]
    assert found["mean"] == pytest.approx(np.mean(centres), abs=1e-6)
    assert found["low"] < found["mean"] < found["high"]
    assert (found["level"], found["grouped"]) == (0.95, False)


def test_rows_of_one_document_are_drawn_together(tmp_path, inputs, output):
    table = make_task(N_ROWS)
    groups = [f"document {row // 10}" for row in range(N_ROWS)]
    write_task(tmp_path / "rows.parquet", replace(table, groups=groups))
    run(tmp_path, tmp_path, folds=fold_files(inputs))
    here, there = (read_json(folder / "s.json")["intervals"]["item"] for folder in (output, tmp_path))
    assert there["grouped"]
    assert here["mean"] == there["mean"]
    assert (here["low"], here["high"]) != (there["low"], there["high"])


def test_equal_scores_have_null_limits_and_a_mark(tmp_path, inputs):
    write_task(tmp_path / "rows.parquet", make_task(N_ROWS))
    for source in fold_files(inputs):
        table, (info,) = read_folds([source])
        columns = columns_of(table)
        columns["value"] = np.zeros(len(table))
        write_fold(tmp_path / source.relative_to(inputs), columns, info)
    copy_predictions(inputs, tmp_path)
    run(tmp_path, tmp_path)
    intervals = read_json(tmp_path / "s.json")["intervals"]
    assert intervals["repeatability"] == {"level": 0.99, "low": None, "high": None}
    assert intervals["generalisation"] == {"level": 0.95, "low": 0.0, "high": 0.0, "degenerate": True}


def test_width_of_a_lazy_encoder_is_its_widest_folds(tmp_path, inputs):
    write_task(tmp_path / "rows.parquet", make_task(N_ROWS))
    for width, source in enumerate(fold_files(inputs), start=20):
        table, (info,) = read_folds([source])
        columns = columns_of(table)
        description = FoldInfo(**{**vars(info), "dimension": width})
        write_fold(tmp_path / source.relative_to(inputs), columns, description)
    copy_predictions(inputs, tmp_path)
    run(tmp_path, tmp_path)
    assert read_json(tmp_path / "s.json")["dimension"] == 29


# --- bad input: the file is named, nothing is written


def test_folds_of_another_protocol_are_refused(tmp_path, inputs):
    source = inputs / "rep-2/fold-3.parquet"
    table, (info,) = read_folds([source])
    columns = columns_of(table)
    other = tmp_path / "rep-2/fold-3.parquet"
    write_fold(other, columns, FoldInfo(**{**vars(info), "settings": json.dumps({**PROBE, "seed": 1})}))
    folds = [other if fold == source else fold for fold in fold_files(inputs)]
    with pytest.raises(DataError, match="1 of 10 folds were trained with other settings") as caught:
        run(inputs, tmp_path, folds=folds)
    assert str(other) in str(caught.value)
    assert not (tmp_path / "s.json").exists()


@pytest.mark.parametrize("damage", ["missing", "truncated", "columns"])
def test_predictions_that_cannot_be_read_are_named(tmp_path, inputs, damage):
    shutil.copytree(inputs, tmp_path / "in")
    broken = tmp_path / "in/rep-2/fold-3.predictions.parquet"
    whole = broken.read_bytes()
    broken.unlink()
    if damage == "truncated":
        broken.write_bytes(whole[: len(whole) // 2])
    if damage == "columns":
        shutil.copy2(inputs / "rows.parquet", broken)
    with pytest.raises(
        DataError, match=r"fold-3\.predictions\.parquet is not a readable file of predictions"
    ):
        run(tmp_path / "in", tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("change", ["fewer", "labels"])
def test_predictions_of_other_rows_are_refused(tmp_path, inputs, change):
    table = make_task(N_ROWS)
    other = make_task(N_ROWS - 50) if change == "fewer" else replace(table, labels=1 - table.labels)
    write_task(tmp_path / "rows.parquet", other)
    with pytest.raises(DataError, match="T1A-sample × minilm-l6: the predictions are for other rows"):
        run(tmp_path, tmp_path / "out", folds=fold_files(inputs))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("damage", ["missing", "empty", "truncated", "predictions"])
def test_fold_that_cannot_be_read_is_named(tmp_path, inputs, damage):
    broken = tmp_path / "rep-2/fold-3.parquet"
    broken.parent.mkdir()
    whole = (inputs / "rep-2/fold-3.parquet").read_bytes()
    if damage in ("empty", "truncated"):
        broken.write_bytes(whole[: len(whole) // 2 if damage == "truncated" else 0])
    if damage == "predictions":
        pq.write_table(pq.ParquetFile(inputs / "rows.parquet").read().replace_schema_metadata(None), broken)
    folds = [broken if "rep-2/fold-3" in path.as_posix() else path for path in fold_files(inputs)]
    with pytest.raises(DataError, match=r"rep-2/fold-3\.parquet is not a readable fold file"):
        run(inputs, tmp_path / "out", folds=folds)
    assert not (tmp_path / "out").exists()


def test_table_of_rows_that_cannot_be_read_is_named(tmp_path, inputs):
    (tmp_path / "rows.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"rows\.parquet is not a readable task table"):
        run(tmp_path, tmp_path / "out", folds=fold_files(inputs))
    assert not (tmp_path / "out").exists()
