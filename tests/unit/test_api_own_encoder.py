"""A class of a user's own file in the evaluator: each of its four forms gives the numbers of the pipeline."""

import os

import numpy as np
import pandas as pd
import pytest
from api_stubs import COLUMNS, QUICK, sample_table

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.commands.probe_lazy import lazy_source
from sentflow.encoders.fetch import custom
from sentflow.encoders.kinds.custom import CustomEncoder, CustomFeaturiser
from sentflow.encoders.kinds.custom_code import CustomCode
from sentflow.errors import DataError
from sentflow.probing.cross_validation import CrossValidation
from sentflow.probing.features.featurised import all_features
from sentflow.probing.features.rows import row_features
from sentflow.probing.features.sources import FixedFeatures
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.training.folds import train_folds
from sentflow.texts.table import texts_to_embed

CODE = '''
import zlib

import numpy as np


class Letters:
    """Counts of letters, hashed; counts the objects that were made."""

    made = 0

    def __init__(self, dimension=8):
        self.dimension = dimension
        type(self).made += 1

    def encode(self, texts):
        vectors = np.zeros((len(texts), self.dimension))
        for row, text in enumerate(texts):
            for letter in text:
                vectors[row, zlib.crc32(letter.encode()) % self.dimension] += 1
        return vectors


class Rows(Letters):
    def embed(self, texts_a, texts_b, task, split):
        assert split == "all"
        return np.hstack([self.encode(texts_a), self.encode(texts_b or texts_a)])


class LazyLetters(Letters):
    lazy = True

    def fit(self, texts):
        self.mean = Letters.encode(self, texts).mean(axis=0)

    def encode(self, texts):
        return Letters.encode(self, texts) - self.mean


class LazyRows(Letters):
    lazy = True

    def embed(self, texts_a, texts_b, task, split):
        if split == "train":
            self.n_train = len(texts_a)
        return self.encode(texts_a) / self.n_train


class Bad:
    def encode(self, texts):
        return [[float("nan")] for text in texts]
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
    if manifest.settings["level"] == "embed":
        return FixedFeatures(all_features(table, CustomFeaturiser(code)))
    texts = list(dict.fromkeys(texts_to_embed(table)))
    vectors = CustomEncoder(code).encode(texts, role="text", task=None)
    return FixedFeatures(row_features(table, vectors, {text: row for row, text in enumerate(texts)}))


@pytest.mark.parametrize("name", ["Letters", "Rows", "LazyLetters", "LazyRows"])
@pytest.mark.parametrize("task", ["T1B-sample", "G3-sample"])
def test_every_form_of_class_gives_the_numbers_of_the_pipeline(data, file, name, task):
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


def test_arguments_reach_the_class_and_wrong_ones_are_refused(file):
    evaluator = sentflow.UlyssesSentEval(f"{file}:Letters", encoder_arguments={"dimension": 5})
    assert evaluator.embed(["lei"], None, "T1A", "all").shape == (1, 5)
    assert evaluator.embed(["lei"], ["veto"], "G3", "all").shape == (1, 20)
    with pytest.raises(ArgumentError, match="arguments.size: Letters of mine.py takes no such argument"):
        sentflow.UlyssesSentEval(f"{file}:Letters", encoder_arguments={"size": 5})
    with pytest.raises(ArgumentError, match="defines no class 'Leters'. Did you mean Letters?"):
        sentflow.UlyssesSentEval(f"{file}:Leters")
    with pytest.raises(ArgumentError, match="there is no file nowhere.py"):
        sentflow.UlyssesSentEval("nowhere.py:Letters")
    with pytest.raises(ArgumentError, match="kwargs_embed holds batch_size.*encoder_arguments"):
        evaluator.embed(["lei"], None, "T1A", "all", batch_size=3)
    with pytest.raises(ArgumentError, match="Leave them out"):
        sentflow.UlyssesSentEval(object(), encoder_arguments={})


def test_vectors_that_are_no_numbers_are_refused_before_any_download(file, tmp_path):
    with pytest.raises(DataError, match="Bad.encode returned values that are not finite"):
        sentflow.UlyssesSentEval(f"{file}:Bad", data_dir_path=tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_laziness_is_said_by_the_class(file):
    with pytest.raises(ArgumentError, match="the class is not lazy"):
        sentflow.UlyssesSentEval(f"{file}:Letters", lazy_embedding=True)
    with pytest.raises(ArgumentError, match="Use UlyssesSentEval"):
        sentflow.UlyssesSentEvalLazy(f"{file}:LazyLetters")
    lazy = sentflow.UlyssesSentEval(f"{file}:LazyLetters")
    with pytest.raises(ArgumentError, match="data_split='train'"):
        lazy.embed(["lei"], None, "T1A", "all")
    with pytest.raises(ArgumentError, match="has not been fitted yet"):
        lazy.embed(["lei"], None, "T1A", "test")


def test_alternatives_are_texts_of_their_own_to_a_lazy_class_where_the_protocol_says_so(file):
    rows = {
        "X_a": ["lei", "voto"],
        "X_b": ["ação [SEP] veto", "b [SEP] c"],
        "task": "F3",
        "data_split": "train",
    }
    widths = [
        sentflow.UlyssesSentEval(f"{file}:LazyLetters", protocol=protocol).embed(**rows).shape[1]
        for protocol in ("published", "corrected")
    ]
    assert widths == [4 * 8, 3 * 8]


def test_the_class_may_use_the_network_of_a_notebook(file, monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    sentflow.UlyssesSentEval(f"{file}:Letters")
    assert "HF_HUB_OFFLINE" not in os.environ


def test_results_and_cache_take_the_name_of_the_caller(data, file, tmp_path):
    evaluator = sentflow.UlyssesSentEval(
        f"{file}:Letters",
        tasks="T1B-sample",
        data_dir_path=data,
        cache_embed_key="letters",
        cache_dir=tmp_path,
    )
    evaluator.evaluate(kwargs_train={**QUICK, "n_epochs": 1})
    assert np.load(tmp_path / "letters/T1B-sample.npy").shape == (848, 8)
