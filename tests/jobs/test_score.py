from pathlib import Path

import numpy as np
import pytest
from small_tasks import make_task, probe_settings, task_features

from sentflow.errors import DataError
from sentflow.files.io import read_json
from sentflow.probing.cross_validation import CrossValidation, cross_validate
from sentflow.probing.jobs import score
from sentflow.probing.protocol.metrics import published_metric
from sentflow.probing.settings import AboutProtocol, ScoreSettings, ScoreStatistics, Switches
from sentflow.probing.storage.folds import write_result
from sentflow.texts.table import write_task

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
    files = {"scores": "s.json", "table": "s.parquet", "predictions": "s.predictions.parquet"}
    score(
        **{"task": "T1A-sample", "model": "minilm-l6", "rows": inputs / "rows.parquet", "folds": folds},
        settings=ScoreSettings(
            probe=PROBE,
            statistics=ScoreStatistics(**STATISTICS),
            protocol=AboutProtocol(name="published", switches=Switches(), changed={}),
        ),
        **{name: output / file for name, file in files.items()},
    )


@pytest.fixture(scope="module")
def output(tmp_path_factory, inputs) -> Path:
    folder = tmp_path_factory.mktemp("output")
    run(inputs, folder, fold_files(inputs))
    return folder


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


def test_folds_of_another_protocol_are_refused(tmp_path, inputs, result):
    source, other = (folder / "rep-2/fold-3.parquet" for folder in (inputs, tmp_path))
    (fold,) = (fold for fold in result.folds if (fold.repetition, fold.fold) == (2, 3))
    write_result(other, fold, probe_settings(repetitions=2, seed=1))
    folds = [other if fold == source else fold for fold in fold_files(inputs)]
    with pytest.raises(DataError, match="1 of 10 folds were trained with other settings") as caught:
        run(inputs, tmp_path, folds)
    assert str(other) in str(caught.value)
    assert not (tmp_path / "s.json").exists()
