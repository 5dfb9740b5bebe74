from pathlib import Path

import pytest
from small_tasks import make_task, probe_settings, task_features, write_inputs

from sentflow.probing.cross_validation import cross_validate
from sentflow.probing.jobs import probe
from sentflow.probing.scores import read_folds
from sentflow.texts.table import TaskTable

N_ROWS = 270
SETTINGS = probe_settings(repetitions=2)
ALL_FOLDS = [(repetition, fold) for repetition in (1, 2) for fold in range(1, 6)]


def fold_file(folder: Path, repetition: int, fold: int) -> Path:
    return folder / f"rep-{repetition}/fold-{fold}.parquet"


@pytest.fixture(scope="module")
def table() -> TaskTable:
    return make_task(N_ROWS)


@pytest.fixture(scope="module")
def files(tmp_path_factory, table) -> dict[str, Path]:
    return write_inputs(tmp_path_factory.mktemp("inputs"), table)


@pytest.fixture(scope="module")
def folds(tmp_path_factory, files) -> Path:
    """All folds, computed in one job."""
    folder = tmp_path_factory.mktemp("folds")
    probe(**files, settings=SETTINGS, folds=[fold_file(folder, *pair) for pair in ALL_FOLDS])
    return folder


def test_scores_and_predictions_are_those_of_the_library(folds, table):
    expected = cross_validate(task_features(table), table.labels, metric="mcc", repetitions=2)
    written = read_folds([fold_file(folds, *pair) for pair in ALL_FOLDS])
    assert written.scores.to_pandas().equals(expected.scores)
    rates = [info.setting["learning_rate"] for info in written.infos]
    assert rates == expected.settings["learning_rate"].tolist()
    predictions = read_folds([fold_file(folds, 2, 4)]).predictions.to_pandas()
    mine = expected.predictions.query("repetition == 2 and fold == 4").reset_index(drop=True)
    assert predictions[list(mine.columns)].equals(mine)


def test_bytes_do_not_depend_on_which_folds_a_job_computes(tmp_path, files, folds):
    pairs = [(2, 5), (1, 2)]  # in any order
    probe(**files, settings=SETTINGS, folds=[fold_file(tmp_path, *pair) for pair in pairs])
    for pair in pairs:
        assert Path(fold_file(tmp_path, *pair)).read_bytes() == Path(fold_file(folds, *pair)).read_bytes()
