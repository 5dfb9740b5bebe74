"""The job `compare_documents`: what is said of new documents, from scores whose folds keep documents together."""

import math

import made_scores
import numpy as np
import pytest

from sentflow.compare.comparisons import DocumentComparisons
from sentflow.compare.score_rows import DocumentScore
from sentflow.compare.tasks import fold_scores
from sentflow.files.io import read_sealed, write_sealed
from sentflow.files.rows import read_rows
from sentflow.probing.jobs import compare_documents
from sentflow.stats.paired import CorrectedT

SKILLS = {"T1A-sample": {"good": 0.95, "fair": 0.80}, "T2A-sample": {"good": 0.85, "fair": 0.75}}
OUTPUTS = {"summary": "document-scores", "pairs": "document-pairs", "standings": "document-standings"}


def compared(folder, documents):
    """Run the job on scores whose tasks have some documents; their rows and what was compared."""
    rows = made_scores.write_scores(folder, SKILLS)
    for row in rows:
        file = folder / f"scores/{row.task}/{row.model}.json"
        found = read_sealed(file)
        interval = found["intervals"]["generalisation"]
        interval["documents"] = documents[row.task]
        if documents[row.task]["effective"] < 4:
            interval |= {"low": None, "high": None}
        write_sealed(file, found)
    files = {name: folder / f"{file}.parquet" for name, file in OUTPUTS.items()}
    compare_documents(**made_scores.arguments(folder, rows), **files)
    return read_rows(files["summary"], DocumentScore), DocumentComparisons.read([*files.values()])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("documents")


@pytest.fixture(scope="module")
def found(folder):
    documents = {"T1A-sample": {"n": 30, "effective": 7.5}, "T2A-sample": {"n": 9, "effective": 3.0}}
    return compared(folder, documents)


def test_tests_have_the_degrees_of_freedom_of_the_documents(found, folder):
    pair = found[1].pairs[0]
    good, fair = (fold_scores(folder / f"scores/T1A-sample/{model}.parquet") for model in ("good", "fair"))
    test = CorrectedT(good - fair, folds=5, documents=7.5)
    assert (pair.task, pair.model_a, pair.model_b) == ("T1A-sample", "good", "fair")
    assert (pair.low, pair.high, pair.p) == pytest.approx((*test.interval(0.95), test.p()))
    assert pair.p > CorrectedT(good - fair, folds=5).p()


def test_nothing_is_tested_where_documents_are_too_few(found):
    _, comparisons = found
    pair = next(pair for pair in comparisons.pairs if pair.task == "T2A-sample")
    assert not math.isnan(pair.difference)
    assert np.isnan([pair.low, pair.p, pair.p_holm, pair.mdd_power, pair.p_equivalence]).all()
