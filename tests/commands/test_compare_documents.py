"""The command `compare_documents`: what is said of new documents, from scores whose folds keep documents together."""

import json
import math
from dataclasses import replace

import made_scores
import numpy as np
import pytest
from small_tasks import PROBE_SETTINGS, make_task

from sentflow.commands import score
from sentflow.commands.compare_documents import main
from sentflow.compare.comparisons import DocumentComparisons
from sentflow.compare.fold_scores import fold_scores
from sentflow.compare.score_rows import DocumentScore
from sentflow.files.rows import read_rows
from sentflow.files.sealed import read_sealed, write_sealed
from sentflow.probing.job import probe_task
from sentflow.stats.paired import CorrectedT
from sentflow.texts.table import write_task

SKILLS = {"T1A-sample": {"good": 0.95, "fair": 0.80}, "T2A-sample": {"good": 0.85, "fair": 0.75}}
OUTPUTS = {
    "summary": "document-scores",
    "pairs": "document-pairs",
    "standings": "document-standings",
    "power": "document-power",
}


def compared(folder, documents):
    """Run the command on scores whose tasks have some documents; their rows and what was compared."""
    rows = made_scores.write_scores(folder, SKILLS)
    for row in rows:
        file = folder / f"scores/{row.task}/{row.model}.json"
        found = read_sealed(file)
        interval = found["intervals"]["generalisation"]
        interval["documents"] = documents[row.task]
        if documents[row.task]["effective"] < 4:
            interval |= {"low": None, "high": None}
        write_sealed(file, found)
    words = made_scores.arguments(folder, rows)
    words = words[: words.index("--pairs")]
    for name, file in OUTPUTS.items():
        words += [f"--{name}", str(folder / f"{file}.parquet")]
    assert main(words) == 0
    files = [folder / f"{file}.parquet" for file in OUTPUTS.values()]
    return read_rows(files[0], DocumentScore), DocumentComparisons.read(files)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("documents")


@pytest.fixture(scope="module")
def found(folder):
    documents = {"T1A-sample": {"n": 30, "effective": 7.5}, "T2A-sample": {"n": 9, "effective": 3.0}}
    return compared(folder, documents)


def test_scores_say_how_many_documents_there_are(found):
    rows, _ = found
    assert [(row.task, row.model, row.n_documents, row.effective_documents) for row in rows] == [
        ("T1A-sample", "good", 30, 7.5), ("T1A-sample", "fair", 30, 7.5),
        ("T2A-sample", "good", 9, 3.0), ("T2A-sample", "fair", 9, 3.0),
    ]  # fmt: skip
    assert [row.has_too_few_documents for row in rows] == [False, False, True, True]


def test_tests_have_the_degrees_of_freedom_of_the_documents(found, folder):
    pair = found[1].pairs[0]
    good, fair = (fold_scores(folder / f"scores/T1A-sample/{model}.parquet") for model in ("good", "fair"))
    test = CorrectedT(good - fair, folds=5, documents=7.5)
    assert (pair.task, pair.model_a, pair.model_b) == ("T1A-sample", "good", "fair")
    assert (pair.low, pair.high, pair.p) == pytest.approx((*test.interval(0.95), test.p()))
    assert pair.p > CorrectedT(good - fair, folds=5).p()


def test_scores_of_untested_folds_are_rows_without_a_test(tmp_path):
    table = replace(make_task(300, name="Few"), groups=[f"post {row % 3}" for row in range(300)])
    write_task(tmp_path / "tasks/Few.parquet", table)
    probe = {**PROBE_SETTINGS, "repetitions": 2, "switches": {"group_folds": True}, "folds_optional": True}
    folds = [str(tmp_path / f"rep-{rep}/fold-{fold}.parquet") for rep in (1, 2) for fold in range(1, 6)]
    probe_task(None, table, probe, folds)  # features of no fold are asked for
    scored = {
        "probe": probe,
        "statistics": {"level": 0.95, "n_item_resamples": 200, "n_resamples": 200},
        "protocol": {"name": "published-documents", "switches": {"group_folds": True}, "changed": {}},
    }
    files = [tmp_path / f"scores/{model}.json" for model in ("good", "fair")]
    for file in files:
        words = ["--task", "Few", "--model", file.stem, "--rows", str(tmp_path / "tasks/Few.parquet")]
        words += ["--folds", *folds, "--settings", json.dumps(scored), "--scores", str(file)]
        words += ["--table", str(file.with_suffix(".parquet"))]
        score.main([*words, "--predictions", str(file.with_suffix(".predictions.parquet"))])
    about = {name: {"title": name, "control": False} for name in ("good", "fair")}
    settings = {
        "tasks": {"Few": {"title": "Few", "family": "own"}},
        "models": about,
        "order": [["Few"], list(about)],
        "sources": {"Few": "few"},
        "statistics": made_scores.STATISTICS,
    }
    words = ["--scores", *map(str, files), "--rows", str(tmp_path / "tasks/Few.parquet")]
    words += ["--settings", json.dumps(settings)]
    outputs = {name: tmp_path / f"{file}.parquet" for name, file in OUTPUTS.items()}
    for name, file in outputs.items():
        words += [f"--{name}", str(file)]
    assert main(words) == 0
    rows = read_rows(outputs["summary"], DocumentScore)
    assert [(row.model, row.is_untested, row.has_too_few_documents) for row in rows] == [
        ("good", True, True), ("fair", True, True),
    ]  # fmt: skip
    assert [(row.n_documents, row.documents_with_rarest_class) for row in rows] == [(3, 3), (3, 3)]
    assert DocumentComparisons.read(list(outputs.values())).pairs == []


def test_nothing_is_tested_where_documents_are_too_few(found):
    _, comparisons = found
    pair = next(pair for pair in comparisons.pairs if pair.task == "T2A-sample")
    assert not math.isnan(pair.difference)
    assert np.isnan([pair.low, pair.p, pair.p_holm, pair.mdd, pair.bayes_a]).all()
    assert all(math.isnan(row.power) for row in comparisons.power if row.task == "T2A-sample")
