"""scikit-learn by name: what is built, what is refused, and that nothing is kept between folds."""

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

from sentflow.encoders.kinds.scikit_learn import ScikitLearnEncoder
from sentflow.encoders.kinds.scikit_learn_steps import step_problems
from sentflow.errors import ConfigError

TEXT = "sklearn.feature_extraction.text."
HASHING = TEXT + "HashingVectorizer"
TFIDF = TEXT + "TfidfVectorizer"
SVD = "sklearn.decomposition.TruncatedSVD"
TRAIN = ["a lei da educação", "o voto e a lei", "saúde pública para todos", "o plenário votou a saúde"]
TEST = ["a lei da saúde", "nada disso"]


def build(name, **arguments):
    return ScikitLearnEncoder.from_settings({"class": name, "arguments": arguments})


def test_a_class_gives_what_scikit_learn_gives():
    vectors = build(HASHING, n_features=64, ngram_range=[1, 2]).fit(TRAIN).transform(TEST)
    expected = HashingVectorizer(n_features=64, ngram_range=(1, 2)).transform(TEST).toarray()
    assert vectors.dtype == np.float32
    assert vectors.toarray().tolist() == expected.astype(np.float32).tolist()


def test_a_pipeline_is_fitted_on_the_training_texts():
    steps = [
        {"class": TFIDF, "arguments": {"sublinear_tf": True}},
        {"class": SVD, "arguments": {"n_components": 2, "random_state": 1}},
    ]
    vectors = ScikitLearnEncoder.from_settings({"pipeline": steps}).fit(TRAIN).transform(TEST)
    pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True), TruncatedSVD(2, random_state=1))
    assert vectors == pytest.approx(pipeline.fit(TRAIN).transform(TEST), abs=1e-6)


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"class": "os.system"}, "'os.system' is no class that an entry may name"),
        ({"class": "sklearn.decomposition._truncated_svd.TruncatedSVD"}, f"Did you mean {SVD}"),
        ({"class": HASHING, "arguments": {"features": 2}}, "Write only: .*n_features"),
        ({"class": HASHING, "arguments": {"n_features": "many"}}, "'n_features' parameter .* Got 'many'"),
        ({"pipeline": [{"class": TFIDF}, {"class": SVD}]}, "Write a seed .* random_state: 1"),
        ({"class": "sklearn.preprocessing.Normalizer"}, "may be called by a custom class of your own"),
        ({"class": SVD, "arguments": {"random_state": 1}}, "does not read texts. Begin with a vectoriser"),
        ({"pipeline": [{"class": HASHING}, {"class": TFIDF}]}, "can only be the first step"),
        ({}, "either class"),
        ({"pipeline": [{"class": HASHING, "arg": 1}]}, "pipeline.0.arg: a step has no such key"),
    ],
)
def test_what_cannot_be_an_encoder_is_refused_before_any_fold(settings, part):
    with pytest.raises(ConfigError, match=part):
        ScikitLearnEncoder.from_settings(settings)


@pytest.mark.parametrize(
    ("argument", "value"),
    [("input", "filename"), ("tokenizer", "os.system"), ("analyzer", {"class": HASHING})],
)
def test_paths_and_code_are_refused_wherever_they_are_written(argument, value):
    step = {"class": TFIDF, "arguments": {argument: value}}
    for entry in (step, {"pipeline": [step]}):
        (problem,) = step_problems("models.x", entry)
        assert f"arguments.{argument}: " in problem
        with pytest.raises(ConfigError, match=f"arguments.{argument}: "):
            ScikitLearnEncoder.from_settings(entry)
