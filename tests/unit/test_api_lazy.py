from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from api_stubs import COLUMNS, QUICK, WordEncoder, sample_table
from sklearn.feature_extraction.text import TfidfVectorizer
from small_tasks import text_vectors

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.probing.cross_validation import CrossValidation
from sentflow.probing.features.rows import LazyFeatures
from sentflow.probing.protocol.design import ProbeDesign
from sentflow.probing.protocol.settings import PUBLISHED
from sentflow.probing.training.folds import train_folds


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


def quick_folds(source, table, **settings):
    protocol = replace(PUBLISHED, repetitions=1, folds=2)
    return list(train_folds(source, table.labels, ProbeDesign("mcc", 2, None, protocol), **settings))


class Fitted:
    """A vectoriser of scikit-learn as a lazy encoder of the pipeline."""

    def __init__(self, **settings) -> None:
        self.vectoriser = TfidfVectorizer(**settings)

    def fit(self, texts):
        self.vectoriser.fit(texts)
        return self

    def transform(self, texts):
        return self.vectoriser.transform(texts).toarray().astype(np.float32)


@pytest.mark.parametrize("task", ["T1B-sample", "G3-sample"])
def test_lazy_numbers_are_those_of_the_engine(data, task):
    vectoriser = TfidfVectorizer(max_features=60)
    evaluator = sentflow.UlyssesSentEvalLazy(vectoriser, tasks=task, data_dir_path=data)
    _, rows = evaluator.evaluate_in_task(task, kwargs_train=QUICK, return_all_results=True)
    table = sample_table(data, task)
    folds = quick_folds(LazyFeatures(table, Fitted(max_features=60)), table)
    expected = CrossValidation(folds).scores.sort_values(COLUMNS[:4], ignore_index=True)
    ours = rows.sort_values(COLUMNS[:4], ignore_index=True)
    pd.testing.assert_frame_equal(ours, expected)
    assert not hasattr(vectoriser, "vocabulary_")  # the caller's own stays as it is


def test_a_lazy_override_sees_train_eval_test_and_nothing_of_other_folds(data):
    calls = []

    class Own(sentflow.UlyssesSentEval):
        seen = ()

        def embed(self, X_a, X_b, task, data_split, **kwargs):
            calls.append((data_split, len(self.seen), X_b is None, task, kwargs))
            if data_split == "train":
                self.seen = (*self.seen, *X_a)
            return text_vectors(X_a)

    evaluator = Own(object(), tasks="T1B-sample", data_dir_path=data, lazy_embedding=True)
    evaluator.evaluate(kwargs_embed={"x": 1}, kwargs_train=QUICK)
    n_train = calls[1][1]
    assert n_train > 0
    assert (
        calls
        == [
            ("train", 0, True, "T1B-sample", {"x": 1}),
            ("eval", n_train, True, "T1B-sample", {"x": 1}),
            ("test", n_train, True, "T1B-sample", {"x": 1}),
        ]
        * 2
    )
    assert evaluator.seen == ()


def test_parts_of_different_widths_are_refused(data):
    class Own(sentflow.UlyssesSentEval):
        def embed(self, X_a, X_b, task, data_split, **kwargs):
            return np.ones((len(X_a), 3 if data_split == "train" else 4))

    with pytest.raises(ArgumentError, match=r"different widths: \[3, 4\]"):
        Own(None, tasks="T1B-sample", data_dir_path=data, lazy_embedding=True).evaluate(kwargs_train=QUICK)


def test_the_default_embed_of_a_lazy_evaluator_warns_and_lazy_evaluators_have_no_cache(tmp_path):
    with pytest.warns(UserWarning, match="cache_embed_key is ignored"):
        lazy = sentflow.UlyssesSentEvalLazy(TfidfVectorizer(), cache_embed_key="x", cache_dir=tmp_path)
    assert lazy.cache_dir is None
    with pytest.raises(ArgumentError, match="cannot embed all rows at once"):
        lazy.embed(["lei"], None, "T1A", "all")
    with pytest.warns(UserWarning, match="use UlyssesSentEvalLazy"):
        sentflow.UlyssesSentEval(WordEncoder(), lazy_embedding=True).embed(["lei"], None, "T1A", "train")
    with pytest.raises(ArgumentError, match="always lazy"):
        sentflow.UlyssesSentEvalLazy(TfidfVectorizer(), lazy_embedding=False)
