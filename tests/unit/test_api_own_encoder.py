"""A class of a user's own file in the evaluator: fixed and lazy ones give the numbers of the pipeline."""

import pandas as pd
import pytest
from api_stubs import COLUMNS, QUICK, sample_table

import sentflow
from sentflow.encoders.fetch import custom
from sentflow.encoders.kinds.custom import CustomEncoder
from sentflow.encoders.kinds.custom_code import CustomCode
from sentflow.probing.cross_validation import CrossValidation
from sentflow.probing.features.rows import row_features
from sentflow.probing.features.sources import FixedFeatures
from sentflow.probing.jobs import lazy_source
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.training.folds import train_folds
from sentflow.texts.table import texts_to_embed

CODE = '''
import zlib

import numpy as np


class Letters:
    """Counts of letters, hashed."""

    def __init__(self, dimension=8):
        self.dimension = dimension

    def encode(self, texts):
        vectors = np.zeros((len(texts), self.dimension))
        for row, text in enumerate(texts):
            for letter in text:
                vectors[row, zlib.crc32(letter.encode()) % self.dimension] += 1
        return vectors


class LazyRows(Letters):
    lazy = True

    def embed(self, texts_a, texts_b, task, split):
        if split == "train":
            self.n_train = len(texts_a)
        return self.encode(texts_a) / self.n_train

'''


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def file(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(CODE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "mine.py"


def of_pipeline(file, name, table):
    """The features that the rules would make."""
    manifest = custom.fetch({"kind": "custom", "custom": f"{file}:{name}"})
    if manifest.settings["lazy"]:
        return lazy_source(manifest, table)
    code = CustomCode.load(manifest)
    texts = list(dict.fromkeys(texts_to_embed(table)))
    vectors = CustomEncoder(code).encode(texts, role="text", task=None)
    return FixedFeatures(row_features(table, vectors, {text: row for row, text in enumerate(texts)}))


@pytest.mark.parametrize("name", ["Letters", "LazyRows"])
def test_every_form_of_class_gives_the_numbers_of_the_pipeline(data, file, name):
    task = "G3-sample"
    evaluator = sentflow.UlyssesSentEval(f"{file}:{name}", tasks=task, data_dir_path=data)
    assert evaluator.lazy_embedding == name.startswith("Lazy")
    protocol = {"n_epochs": 3, **QUICK}
    _, rows = evaluator.evaluate_in_task(task, kwargs_train=protocol, return_all_results=True)
    table = sample_table(data, task)
    short = sentflow.probe_protocol({"training": {"repetitions": 1, "folds": 2, "max_epochs": 3}})
    source = of_pipeline(file, name, table)
    folds = train_folds(source, table.labels, ProbeDesign("mcc", 2, None, short))
    expected = CrossValidation(list(folds)).scores.sort_values(COLUMNS[:4], ignore_index=True)
    pd.testing.assert_frame_equal(rows.sort_values(COLUMNS[:4], ignore_index=True), expected)
