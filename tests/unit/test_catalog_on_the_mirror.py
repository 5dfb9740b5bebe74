"""Entries of the catalog on the real files: numbers of rows, classes, and what gives labels away."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from mirror_data import catalog, mirror_pairs, mirror_questions, raw_file
from training_files import prepared_of

from sentflow.config.tasks import TaskSettings
from sentflow.encoders.settings import REQUIRED
from sentflow.texts.prepare import prepare
from sentflow.texts.raw_files import DERIVED, raw_files_of
from sentflow.texts.settings import TaskChecks
from sentflow.texts.table import TaskTable
from sentflow.training.data.entries import raw_files_of_data, sources_of
from sentflow.training.data.settings import PreparedRows
from sentflow.training.data.table import TrainingData

pytestmark = pytest.mark.mirror


def linked(mirror: Path, folder: Path, dataset: str, file: str) -> Path:
    """A file of a dataset in its folder, as a download would leave it."""
    (folder / dataset).mkdir(exist_ok=True)
    if not (folder / dataset / file).exists():
        (folder / dataset / file).symlink_to(raw_file(dataset, file, mirror))
    return folder / dataset / file


def derived_task(name: str, mirror: Path, folder: Path) -> TaskTable:
    entry = catalog()["tasks"][name]
    files = [linked(mirror, folder, entry["dataset"], file) for file in raw_files_of(entry)]
    known = catalog()["datasets"][entry["dataset"]]["files"]
    checked = {**entry, "folds": 5, "files": known, "small_parts": True}
    return prepare(name, files, TaskSettings.from_parts(entry), TaskChecks.from_parts(checked))


def training_data(name: str, mirror: Path, folder: Path) -> TrainingData:
    entry, pair_sets = catalog()["training_data"][name], catalog()["pair_sets"]
    needed = raw_files_of_data(entry, pair_sets)
    known = catalog()["datasets"]
    files = {dataset: known[dataset]["files"] for dataset, _ in needed}
    chosen = {key: entry[key] for key in (*PreparedRows.model_fields, "rows") if key in entry}
    chosen |= {"files": files, "sources": tuple(sources_of(name, entry, pair_sets))}
    return prepared_of(name, [linked(mirror, folder, *one) for one in needed], chosen)[0]


def assert_rows_of_task(table: TaskTable, entry: dict[str, Any]) -> None:
    assert len(table) == entry["rows"]
    assert Counter(map(str, table.labels.tolist())) == entry["class_counts"]


def test_some_entries_of_every_kind_have_the_rows_that_the_catalog_expects(mirror, tmp_path):
    assert_rows_of_task(derived_task("G3-open", mirror, tmp_path), catalog()["tasks"]["G3-open"])
    for name in ("STSB-dev-senteval", "KLUE-STS-dev", "ASSIN2-test"):
        assert len(mirror_pairs(name, mirror)) == catalog()["pair_sets"][name]["rows"]
    for name in ("chamber-faq", "korean-questions-train"):
        assert len(mirror_questions(name, mirror)) == catalog()["question_sets"][name]["rows"]
    found = training_data("stsb-train-texts", mirror, tmp_path)
    assert len(found) == catalog()["training_data"]["stsb-train-texts"]["rows"]


@pytest.mark.nightly
def test_every_entry_has_the_rows_that_the_catalog_expects(mirror, tmp_path):
    for name, entry in catalog()["tasks"].items():
        if entry["reader"]["format"] == DERIVED:
            assert_rows_of_task(derived_task(name, mirror, tmp_path), entry)
    for name, entry in catalog()["pair_sets"].items():
        if not name.endswith("-sample"):
            assert len(mirror_pairs(name, mirror)) == entry["rows"]
    for name, entry in catalog()["training_data"].items():
        ready = REQUIRED not in str(entry) and {"dataset", "pair_sets"} & entry.keys()
        if ready and "sample" not in name:
            assert len(training_data(name, mirror, tmp_path)) == entry["rows"]


@pytest.mark.nightly
def test_triplets_of_the_study_have_words_as_negatives_and_the_others_contradictions(mirror, tmp_path):
    study, honest, labelled = (
        training_data(f"kornli-slice{form}", mirror, tmp_path)
        for form in ("-study-label-word", "", "-labelled")
    )
    assert set(study.columns["negative"]) == {"entailment", "neutral", "contradiction"}
    rows = {(row["text"], row["other"]): row["label"] for row in labelled.rows()}
    assert {rows[row["text"], row["other"]] for row in honest.rows()} == {1}
    assert {rows[row["text"], row["negative"]] for row in honest.rows()} == {0}
