import json
from pathlib import Path

import pytest
from small_tasks import PROBE_SETTINGS, make_task

from sentflow.commands.probe_lazy import main
from sentflow.encoders.kinds.tfidf import TfidfEncoder
from sentflow.encoders.manifest import Manifest, write_manifest
from sentflow.errors import DataError
from sentflow.files.result_names import predictions_of
from sentflow.probing.cross_validation import CrossValidation
from sentflow.probing.features.rows import LazyFeatures
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.settings import PUBLISHED
from sentflow.probing.storage.folds import read_folds
from sentflow.probing.training.folds import train_folds
from sentflow.texts.table import TaskTable, write_task

N_ROWS = 270
TFIDF = {"max_features": 30, "ngram_range": [1, 2], "stop_words": "portuguese"}


@pytest.fixture
def manifest(tmp_path) -> Path:
    path = tmp_path / "manifest.json"
    write_manifest(path, Manifest(kind="tfidf", dimension=30, settings=TFIDF))
    return path


@pytest.fixture
def task(tmp_path) -> Path:
    path = tmp_path / "task.parquet"
    write_task(path, make_task(N_ROWS))
    return path


def fold_file(folder: Path, repetition: int, fold: int) -> str:
    return str(folder / f"rep-{repetition}/fold-{fold}.parquet")


def run(task: Path, manifest: Path, *outputs: str) -> int:
    words = ["--task", str(task), "--manifest", str(manifest), "--settings", json.dumps(PROBE_SETTINGS)]
    return main([*words, "--output", *outputs])


def library_folds(table: TaskTable, wanted: set[tuple[int, int]]) -> CrossValidation:
    source = LazyFeatures(table, TfidfEncoder(**{**TFIDF, "ngram_range": (1, 2)}))
    design = ProbeDesign("mcc", 2, None, PUBLISHED)
    return CrossValidation(list(train_folds(source, table.labels, design, wanted=wanted)))


def test_scores_are_those_of_the_library(tmp_path, task, manifest):
    outputs = [fold_file(tmp_path, 1, 1), fold_file(tmp_path, 3, 2)]
    assert run(task, manifest, *outputs) == 0
    written, infos = read_folds(outputs)
    assert written.to_pandas().equals(library_folds(make_task(N_ROWS), {(1, 1), (3, 2)}).scores)
    assert all(info.dimension <= 30 for info in infos)


def test_bytes_do_not_depend_on_which_folds_a_job_computes(tmp_path, task, manifest):
    together = [fold_file(tmp_path / "together", 1, fold) for fold in (1, 2, 3)]
    run(task, manifest, *together)
    alone = fold_file(tmp_path / "alone", 1, 3)
    run(task, manifest, alone)
    assert Path(alone).read_bytes() == Path(together[2]).read_bytes()
    assert Path(predictions_of(alone)).read_bytes() == Path(predictions_of(together[2])).read_bytes()


@pytest.mark.parametrize("layout", ["pair", "alternatives"])
def test_two_texts_give_four_blocks_of_features(tmp_path, manifest, layout):
    write_task(tmp_path / "task.parquet", make_task(N_ROWS, layout=layout))
    run(tmp_path / "task.parquet", manifest, fold_file(tmp_path, 1, 1))
    _, (info,) = read_folds([fold_file(tmp_path, 1, 1)])
    assert info.dimension == 4 * 30


@pytest.mark.parametrize("name", ["task.parquet", "manifest.json"])
@pytest.mark.parametrize("damage", ["missing", "empty", "truncated"])
def test_file_that_cannot_be_read_is_named(tmp_path, task, manifest, name, damage):
    path = tmp_path / name
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: 0 if damage == "empty" else path.stat().st_size // 2])
    with pytest.raises(DataError, match=name.replace(".", r"\.")):
        run(task, manifest, fold_file(tmp_path / "folds", 1, 1))
    assert not (tmp_path / "folds").exists()


def test_texts_without_words_are_told_and_leave_nothing(tmp_path, manifest):
    table = make_task(N_ROWS)
    table.text_a[:] = ["! ?"] * N_ROWS
    write_task(tmp_path / "task.parquet", table)
    with pytest.raises(DataError, match="TF-IDF finds no words in the .* training texts"):
        run(tmp_path / "task.parquet", manifest, fold_file(tmp_path / "folds", 1, 1))
    assert not (tmp_path / "folds").exists()
