"""scikit-learn by name: what is built, what is refused, and that nothing is kept between folds."""

from importlib import import_module
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils._param_validation import HasMethods

from sentflow.encoders.checks.entries import entry_problems
from sentflow.encoders.kinds import scikit_learn
from sentflow.encoders.kinds.scikit_learn import ScikitLearnEncoder
from sentflow.encoders.kinds.scikit_learn_steps import ALLOWED
from sentflow.encoders.kinds.stop_words import PORTUGUESE
from sentflow.errors import ConfigError, DataError

TEXT = "sklearn.feature_extraction.text."
HASHING = TEXT + "HashingVectorizer"
TFIDF = TEXT + "TfidfVectorizer"
SVD = "sklearn.decomposition.TruncatedSVD"
UNION = "sklearn.pipeline.FeatureUnion"
CLUSTERS = "sklearn.cluster.FeatureAgglomeration"
LABELS_NEEDED = "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"
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


def test_a_second_fit_forgets_the_first():
    encoder = build(TFIDF)
    encoder.fit(TRAIN)
    again = encoder.fit(TEST).transform(TEST).toarray()
    assert again.tobytes() == build(TFIDF).fit(TEST).transform(TEST).toarray().tobytes()


def test_parts_of_a_union_are_built():
    parts = [
        ["words", {"class": TFIDF, "arguments": {"stop_words": "portuguese"}}],
        ["characters", {"class": TFIDF, "arguments": {"analyzer": "char", "ngram_range": [2, 2]}}],
    ]
    vectors = build("sklearn.pipeline.FeatureUnion", transformer_list=parts).fit(TRAIN).transform(TEST)
    words = TfidfVectorizer(stop_words=list(PORTUGUESE)).fit(TRAIN).transform(TEST).toarray()
    characters = TfidfVectorizer(analyzer="char", ngram_range=(2, 2)).fit(TRAIN).transform(TEST).toarray()
    assert vectors.toarray() == pytest.approx(np.hstack([words, characters]), abs=1e-6)


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"class": "os.system"}, "'os.system' is no class that an entry may name"),
        ({"class": ["os.system"]}, "is no class that an entry may name"),
        ({"class": "sklearn.base.np"}, r"Write one of: .*HashingVectorizer"),
        (
            {"class": TEXT + "HashingVectoriser"},
            "Did you mean sklearn.feature_extraction.text.HashingVectorizer",
        ),
        ({"class": "sklearn.decomposition._truncated_svd.TruncatedSVD"}, f"Did you mean {SVD}"),
        ({"class": "sklearn.preprocessing.FunctionTransformer"}, "no class that an entry may name"),
        ({"class": HASHING, "arguments": {"features": 2}}, "Write only: .*n_features"),
        ({"class": HASHING, "arguments": {"n_features": "many"}}, "'n_features' parameter .* Got 'many'"),
        ({"pipeline": [{"class": TFIDF}, {"class": SVD}]}, "Write a seed .* random_state: 1"),
        ({"pipeline": [{"class": TFIDF}, {"class": LABELS_NEEDED}]}, "pipeline.1.class: .*no class"),
        ({"class": "sklearn.preprocessing.Normalizer"}, "does not read texts. Begin with a vectoriser"),
        (
            {"pipeline": [{"class": "sklearn.decomposition.PCA", "arguments": {"random_state": 1}}]},
            "does not read",
        ),
        ({}, "either class"),
        ({"class": HASHING, "pipeline": []}, "either class"),
        ({"pipeline": []}, "write a list of steps"),
        ({"pipeline": [HASHING]}, "a step is a map"),
        ({"pipeline": [{"class": HASHING, "arg": 1}]}, "pipeline.0.arg: a step has no such key"),
        ({"pipeline": [{"class": HASHING}], "arguments": {}}, "these belong to a step"),
        ({"class": HASHING, "arguments": [1]}, "write a map of names and values"),
        (
            {"class": UNION, "arguments": {"transformer_list": [["x", {"class": "a.B"}]]}},
            "transformer_list.0.class: 'a.B' is no class",
        ),
        (
            {"class": UNION, "arguments": {"transformer_list": [["x", "drop"]]}},
            "transformer_list.0: a step is a",
        ),
        ({"class": UNION, "arguments": {"transformer_list": ["x"]}}, "a part is a list of two"),
        ({"class": UNION, "arguments": {"transformer_list": {}}}, "write a list of parts"),
        (
            {"class": UNION, "arguments": {"transformer_weights": {"x": "1"}}},
            "names of parts and their weights",
        ),
    ],
)
def test_what_cannot_be_an_encoder_is_refused_before_any_fold(settings, part):
    with pytest.raises(ConfigError, match=part):
        ScikitLearnEncoder.from_settings(settings)


@pytest.mark.parametrize(
    ("name", "argument", "value"),
    [
        (CLUSTERS, "memory", "./words"),
        ("sklearn.pipeline.Pipeline", "memory", "./words"),
        (TFIDF, "input", "filename"),
        (TFIDF, "tokenizer", "os.system"),
        (TFIDF, "preprocessor", {"class": HASHING}),
        (TFIDF, "analyzer", {"class": HASHING}),
        (TFIDF, "vocabulary", [{"class": HASHING}]),
        (UNION, "n_jobs", 4),
        (CLUSTERS, "pooling_func", "numpy.load"),
    ],
)
@pytest.mark.parametrize("place", ["entry", "pipeline", "union", "nested pipeline"])
def test_paths_and_code_are_refused_when_the_configuration_is_read(name, argument, value, place):
    step = {"class": name, "arguments": {argument: value}}
    nested = {"class": "sklearn.pipeline.Pipeline", "arguments": {"steps": [["part", step]]}}
    entry = {
        "entry": step,
        "pipeline": {"pipeline": [{"class": TFIDF}, step]},
        "union": {"class": UNION, "arguments": {"transformer_list": [["part", step]]}},
        "nested pipeline": {"pipeline": [nested]},
    }[place]
    (problem,) = entry_problems("x", {"kind": "scikit-learn", **entry})
    assert f"arguments.{argument}: " in problem
    assert "Write only: " in problem or "write a number, a word" in problem
    with pytest.raises(ConfigError, match=f"arguments.{argument}: "):
        ScikitLearnEncoder.from_settings(entry)


def test_what_lies_in_a_folder_is_not_unpickled(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    steps = [{"class": TFIDF}, {"class": CLUSTERS, "arguments": {"n_clusters": 2, "memory": "./words"}}]
    with pytest.raises(ConfigError, match="arguments.memory"):
        ScikitLearnEncoder.from_settings({"pipeline": steps}).fit(TRAIN)
    assert not (tmp_path / "words").exists()  # where joblib would look for pickles


@pytest.mark.parametrize("name", ALLOWED)
def test_the_list_agrees_with_the_installed_scikit_learn(name):
    module, _, class_name = name.rpartition(".")
    kind = getattr(import_module(module), class_name)
    estimator = kind([("x", "drop")]) if class_name in ("FeatureUnion", "Pipeline") else kind()
    parameters = signature(kind).parameters
    assert set(ALLOWED[name]) <= set(parameters)
    assert ("random_state" in parameters) == ("random_state" in ALLOWED[name])  # or no seed could be written
    assert hasattr(kind, "fit")
    assert hasattr(kind, "transform")
    assert not get_tags(estimator).target_tags.required
    constraints = getattr(kind, "_parameter_constraints", {})
    for argument in set(ALLOWED[name]) - {"steps"}:
        wanted = constraints.get(argument, [])
        # Where joblib or a callback would be an option, this is not one that a text of YAML can choose
        assert not any(isinstance(option, HasMethods) and "cache" in option.methods for option in wanted)
        assert str not in wanted or argument == "token_pattern"


def test_every_class_of_the_list_is_in_the_documentation():
    text = (Path(__file__).parents[2] / "docs/models.md").read_text(encoding="utf-8")
    assert [name for name in ALLOWED if f"`{name.rpartition('.')[2]}`" not in text] == []


def test_texts_that_an_estimator_refuses_are_told_with_its_reason():
    with pytest.raises(DataError, match="TfidfVectorizer cannot be fitted on 2 texts: empty vocabulary"):
        build(TFIDF).fit(["! ?", "."])


def test_too_many_columns_are_refused_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(scikit_learn, "_MOST_COLUMNS", 100)
    assert build(HASHING, n_features=100).fit(TRAIN).transform(TEST).shape == (2, 100)
    with pytest.raises(DataError, match=r"HashingVectorizer makes 101 columns.*n_features"):
        build(HASHING, n_features=101).fit(TRAIN).transform(TEST)
    monkeypatch.setattr(scikit_learn, "_MOST_BYTES", 2 * 2 * 4)
    steps = [
        {"class": TFIDF, "arguments": {}},
        {"class": SVD, "arguments": {"n_components": 3, "random_state": 1}},
    ]
    with pytest.raises(DataError, match="makes 3 columns.* GB for 2 texts"):
        ScikitLearnEncoder.from_settings({"pipeline": steps}).fit(TRAIN).transform(TEST)


def test_transform_needs_a_fit():
    with pytest.raises(ValueError, match="fit the encoder"):
        build(HASHING).transform(TEST)
