"""The jobs `score` and `hardest` on the folds of a small task."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from small_tasks import make_task, probe_settings, task_features

from sentflow.audit.settings import HardestSettings
from sentflow.config.configuration import ScoreStatistics
from sentflow.errors import DataError
from sentflow.files.io import read_json
from sentflow.files.parquet import table_of, write_parquet
from sentflow.probing.cross_validation import CrossValidation, cross_validate
from sentflow.probing.fold import published_metric, write_result
from sentflow.probing.jobs import hardest, score
from sentflow.probing.settings import AboutProtocol, ScoreSettings, Switches, TaskScore
from sentflow.texts.table import TaskTable, write_task

N_ROWS = 270
PROBE = probe_settings(repetitions=2)
STATISTICS = {"level": 0.95, "n_item_resamples": 300, "n_resamples": 500}


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
        write_result(folder / f"rep-{fold.repetition}/fold-{fold.fold}.parquet", fold, PROBE)
    return folder


def fold_files(folder: Path) -> list[Path]:
    return [folder / f"rep-{repetition}/fold-{fold}.parquet" for repetition in (1, 2) for fold in range(1, 6)]


def run(inputs: Path, output: Path, folds: list[Path]) -> None:
    files = {"scores": "s.json", "tables": "s.parquet", "predictions": "s.predictions.parquet"}
    protocol = AboutProtocol(name="published", switches=Switches(), changed={})
    tasks = tuple(TaskScore(task=task, probe=PROBE, protocol=protocol) for task in ("T1A-sample", "X-sample"))
    settings = ScoreSettings(statistics=ScoreStatistics(**STATISTICS), tasks=tasks)
    score(
        **{"model": "minilm-l6", "rows": [inputs / "rows.parquet"] * 2, "folds": folds},
        settings=ScoreSettings.model_validate_json(settings.as_json()),
        **{name: [output / task.task / file for task in tasks] for name, file in files.items()},
    )


@pytest.fixture(scope="module")
def output(tmp_path_factory, inputs) -> Path:
    folder = tmp_path_factory.mktemp("output")
    run(inputs, folder, fold_files(inputs) * 2)
    return folder


def test_item_interval_is_that_of_the_predictions(output, result):
    """The centre by hand: per repetition the correlation of all its predictions, then the mean."""
    first, second = (read_json(output / task / "s.json") for task in ("T1A-sample", "X-sample"))
    assert (first["task"], second["task"], first["mean"]) == ("T1A-sample", "X-sample", second["mean"])
    found = first["intervals"]["item"]
    centres = [
        published_metric("mcc", own["truth"].to_numpy(), own["predicted"].to_numpy(), n_classes=2, clip=False)
        for _, own in result.predictions.groupby("repetition")
    ]
    assert found["mean"] == pytest.approx(np.mean(centres), abs=1e-6)
    assert found["low"] < found["mean"] < found["high"]
    assert (found["level"], found["grouped"]) == (0.95, False)


def test_folds_of_another_protocol_are_refused(tmp_path, inputs, result):
    source, other = (folder / "rep-2/fold-3.parquet" for folder in (inputs, tmp_path))
    (fold,) = (fold for fold in result.folds if (fold.repetition, fold.fold) == (2, 3))
    write_result(other, fold, probe_settings(repetitions=2, seed=1))
    folds = [other if fold == source else fold for fold in fold_files(inputs)]
    with pytest.raises(DataError, match="X-sample × minilm-l6: 1 of 10 folds were trained with") as caught:
        run(inputs, tmp_path, fold_files(inputs) + folds)
    assert str(other) in str(caught.value)
    assert not (tmp_path / "X-sample/s.json").exists()


def write_predictions(file: Path, table: TaskTable, *repetitions: tuple[set[int], Sequence[int]]) -> Path:
    """Predictions of the rows of each repetition, right but for those of a set."""
    columns = defaultdict(list)
    for number, (wrong, tested) in enumerate(repetitions, start=1):
        rows = np.asarray(tested)
        truth = table.labels[rows]
        predicted = np.where(np.isin(rows, list(wrong)), 1 - truth, truth)
        columns["row"] += rows.tolist()
        columns["repetition"] += [number] * len(rows)
        columns["fold"] += [1] * len(rows)
        columns["truth"] += truth.tolist()
        columns["predicted"] += predicted.tolist()
        columns["score"] += predicted.astype(float).tolist()
    write_parquet(file, table_of({name: np.array(values) for name, values in columns.items()}))
    return file


def test_the_hardest_come_first_and_what_is_never_wrong_is_left_out(tmp_path):
    table, output = make_task(12), tmp_path / "hardest.parquet"
    write_task(tmp_path / "rows.parquet", table)
    # row 7 is left out of the second repetition of the first model
    others = [*range(7), *range(8, 12)]
    files = [
        write_predictions(tmp_path / "a.parquet", table, ({3, 5}, range(12)), ({3}, others)),
        write_predictions(tmp_path / "b.parquet", table, ({3, 7}, range(12)), ({3, 7}, range(12))),
    ]
    settings = HardestSettings(models=("one", "two"), offensive=())
    hardest(rows=[tmp_path / "rows.parquet"], predictions=files, settings=settings, output=[output])
    rows = pq.ParquetFile(output).read().to_pylist()
    # row 3: 4 of 4; row 7: 2 of 3, always by the second model; row 5: 1 of 4, in half of the first one's
    assert [(row["row"], row["share_wrong"], row["n_predictions"], row["models_wrong"]) for row in rows] == [
        (3, 1.0, 4, 2),
        (7, pytest.approx(2 / 3), 3, 1),
        (5, 0.25, 4, 0),
    ]
    first = rows[0]
    assert (first["task"], first["text_a"], first["text_b"]) == ("X-sample", table.text_a[3], "")
    assert (first["label"], first["label_name"], first["offensive"]) == (1, "1", False)
