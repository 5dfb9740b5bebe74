import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from small_tasks import PROBE_SETTINGS, make_task, task_features, write_inputs

from sentflow.commands.probe import main
from sentflow.encoders.vectors.storage import text_order_sha256
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import read_json, write_json
from sentflow.files.result_names import predictions_of
from sentflow.probing.cross_validation import cross_validate
from sentflow.probing.storage.folds import read_folds
from sentflow.texts.collection import read_texts, write_texts
from sentflow.texts.table import TaskTable, write_task

N_ROWS = 270
SETTINGS = {**PROBE_SETTINGS, "repetitions": 2}
ALL_FOLDS = [(repetition, fold) for repetition in (1, 2) for fold in range(1, 6)]


def fold_file(folder: Path, repetition: int, fold: int) -> str:
    return str(folder / f"rep-{repetition}/fold-{fold}.parquet")


def words_of(files: dict[str, Path], outputs: list[str], **settings: object) -> list[str]:
    words = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    return [*words, "--settings", json.dumps({**SETTINGS, **settings}), "--output", *outputs]


def run(files: dict[str, Path], outputs: list[str], **settings: object) -> int:
    return main(words_of(files, outputs, **settings))


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
    assert run(files, [fold_file(folder, *pair) for pair in ALL_FOLDS]) == 0
    return folder


@pytest.fixture
def own_files(tmp_path, files) -> dict[str, Path]:
    """Copies that a test may damage."""
    return {name: Path(shutil.copy(path, tmp_path / path.name)) for name, path in files.items()}


# --- what it writes


def test_every_fold_has_its_scores_and_its_predictions(folds):
    written = {path.relative_to(folds).as_posix() for path in folds.rglob("*") if path.is_file()}
    assert written == {
        f"rep-{repetition}/fold-{fold}{ending}"
        for repetition, fold in ALL_FOLDS
        for ending in (".parquet", ".predictions.parquet")
    }


def test_scores_are_those_of_the_library(folds, table):
    expected = cross_validate(task_features(table), table.labels, metric="mcc", repetitions=2)
    written, infos = read_folds([fold_file(folds, *pair) for pair in ALL_FOLDS])
    assert written.to_pandas().equals(expected.scores)
    assert [info.setting["learning_rate"] for info in infos] == expected.settings["learning_rate"].tolist()


def test_predictions_are_those_of_the_library(folds, table):
    expected = cross_validate(task_features(table), table.labels, metric="mcc", repetitions=2).predictions
    written = pq.ParquetFile(predictions_of(fold_file(folds, 2, 4))).read().to_pandas()
    mine = expected.query("repetition == 2 and fold == 4").reset_index(drop=True)
    assert written.equals(mine)


def test_fold_describes_itself(folds):
    _, (info,) = read_folds([fold_file(folds, 1, 1)])
    assert json.loads(info.settings) == SETTINGS
    assert (info.n_train + info.n_evaluation + info.n_test, info.dimension) == (242, 8)


def test_other_devices_train_the_same_probes_and_the_files_say_where(tmp_path, files, folds):
    """On the processor, by the way of accelerators."""
    names = [fold_file(tmp_path, 1, fold) for fold in (1, 2)]
    run(files, names, device="cpu:0")
    written, infos = read_folds(names)
    expected, _ = read_folds([fold_file(folds, 1, fold) for fold in (1, 2)])
    np.testing.assert_allclose(written["value"].to_numpy(), expected["value"].to_numpy(), atol=1e-5)
    assert {json.loads(info.settings)["device"] for info in infos} == {"cpu:0"}


def test_a_device_of_another_kind_than_the_settings_name_is_refused(tmp_path, files):
    words = [*words_of(files, [fold_file(tmp_path, 1, 1)]), "--device", "cuda:1"]
    with pytest.raises(
        ConfigError, match="--device cuda:1, but the device in the settings of the job is cpu"
    ):
        main(words)


@pytest.mark.parametrize(
    "jobs",
    [
        [[(2, 3)]],  # one fold alone
        [[(1, fold) for fold in range(1, 6)]],  # one repetition
        [[(2, 5), (1, 2)]],  # in any order
    ],
    ids=["fold", "repetition", "mixed"],
)
def test_bytes_do_not_depend_on_which_folds_a_job_computes(tmp_path, files, folds, jobs):
    for pairs in jobs:
        run(files, [fold_file(tmp_path, *pair) for pair in pairs])
        for pair in pairs:
            for name in (fold_file(tmp_path, *pair), predictions_of(fold_file(tmp_path, *pair))):
                expected = folds / Path(name).relative_to(tmp_path)
                assert Path(name).read_bytes() == expected.read_bytes()


@pytest.mark.parametrize("layout", ["pair", "alternatives"])
def test_tasks_of_two_texts_are_probed_on_their_own_features(tmp_path, layout):
    table = make_task(N_ROWS, layout=layout)
    run(write_inputs(tmp_path, table), [fold_file(tmp_path, 1, 1)])
    _, (info,) = read_folds([fold_file(tmp_path, 1, 1)])
    assert info.dimension == (4 * 8 if layout == "pair" else 5 * 8)


def test_mlp_is_another_probe(tmp_path, files, folds):
    run(files, [fold_file(tmp_path, 1, 1)], classifier="mlp")
    mine, _ = read_folds([fold_file(tmp_path, 1, 1)])
    logistic, _ = read_folds([fold_file(folds, 1, 1)])
    assert mine["value"].to_pylist() != logistic["value"].to_pylist()


@pytest.mark.parametrize("classifier", ["logistic", "mlp"])
def test_probe_does_without_libraries_that_take_seconds_to_import(tmp_path, files, classifier):
    code = (
        "import sys; from sentflow.commands.probe import main; main(sys.argv[1:]);"
        "sys.exit(' '.join({'torch', 'pandas', 'sklearn', 'sentence_transformers'} & sys.modules.keys()) or 0)"
    )
    own, other = (fold_file(tmp_path / name, 1, 1) for name in ("own", "other"))
    done = subprocess.run(
        [sys.executable, "-c", code, *words_of(files, [own], classifier=classifier)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    run(files, [other], classifier=classifier)
    assert Path(own).read_bytes() == Path(other).read_bytes()


def test_three_classes_are_scored(tmp_path):
    table = make_task(N_ROWS, n_classes=3)
    run(write_inputs(tmp_path, table), [fold_file(tmp_path, 1, 1)], metric="adjusted_macro_f1")
    predictions = pq.ParquetFile(predictions_of(fold_file(tmp_path, 1, 1))).read()
    assert set(predictions["truth"].to_pylist()) == {0, 1, 2}


# --- bad input: the file is named, nothing is written


def refused(files: dict[str, Path], output: Path, message: str) -> None:
    with pytest.raises(DataError, match=message):
        run(files, [fold_file(output, 1, 1)])
    assert not output.exists()


@pytest.mark.parametrize("name", ["task", "texts", "embeddings", "info"])
@pytest.mark.parametrize("damage", ["missing", "empty", "truncated"])
def test_file_that_cannot_be_read_is_named(tmp_path, own_files, name, damage):
    path = own_files[name]
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: 0 if damage == "empty" else path.stat().st_size * 2 // 3])
    refused(own_files, tmp_path / "folds", path.name.replace(".", r"\."))


def test_embeddings_of_other_texts_are_told(tmp_path, own_files):
    texts = read_texts(own_files["texts"])
    write_texts(own_files["texts"], texts[::-1])  # the same texts in another order
    refused(own_files, tmp_path / "folds", r"embeddings\.npy holds the vectors of .* or in another order")


def test_embeddings_with_fewer_rows_than_texts_are_told(tmp_path, own_files):
    np.save(own_files["embeddings"], np.load(own_files["embeddings"])[:-1])
    refused(
        own_files, tmp_path / "folds", r"embeddings\.npy is damaged: it holds float32 .*json says float32"
    )


def test_embeddings_that_are_not_finite_are_told_with_their_text(tmp_path, own_files):
    embeddings = np.load(own_files["embeddings"])
    embeddings[3] = np.nan
    np.save(own_files["embeddings"], embeddings)
    text = read_texts(own_files["texts"])[3]
    refused(
        own_files, tmp_path / "folds", rf"embeddings\.npy is damaged: .* not finite in row 4 \('{text}'\)"
    )


def test_task_of_another_dataset_is_told_with_a_text(tmp_path, own_files, table):
    write_task(own_files["task"], replace(table, text_a=["coração estranho", *table.text_a[1:]]))
    refused(own_files, tmp_path / "folds", "X-sample: 1 of its texts are not among .* 'coração estranho'")


def test_texts_in_place_of_the_task_are_told(tmp_path, own_files):
    own_files["task"] = own_files["texts"]
    refused(own_files, tmp_path / "folds", r"texts\.parquet is not a readable task table")


def test_text_that_occurs_twice_is_told(tmp_path, own_files):
    texts = read_texts(own_files["texts"])
    doubled = [texts[1], *texts[1:]]
    write_texts(own_files["texts"], doubled)
    info = read_json(own_files["info"])
    write_json(own_files["info"], {**info, "text_order_sha256": text_order_sha256(doubled)})
    with pytest.raises(ValueError, match=f"{len(texts)} texts, but only {len(texts) - 1} distinct ones"):
        run(own_files, [fold_file(tmp_path / "folds", 1, 1)])
    assert not (tmp_path / "folds").exists()


def test_output_that_is_no_fold_is_refused(tmp_path, files):
    with pytest.raises(ValueError, match=r"must end in rep-R/fold-F\.parquet"):
        run(files, [str(tmp_path / "scores.parquet")])
    assert list(tmp_path.iterdir()) == []
