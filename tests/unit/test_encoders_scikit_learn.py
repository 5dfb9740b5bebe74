"""scikit-learn by name: what is built, what is refused, and that nothing is kept between folds."""

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

from sentflow.encoders import scikit_learn
from sentflow.encoders.scikit_learn import ScikitLearnEncoder
from sentflow.encoders.stop_words import PORTUGUESE
from sentflow.errors import ConfigError, DataError

TEXT = "sklearn.feature_extraction.text."
HASHING = TEXT + "HashingVectorizer"
TFIDF = TEXT + "TfidfVectorizer"
SVD = "sklearn.decomposition.TruncatedSVD"
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
        ({"class": "os.system"}, "'os.system' is no class of scikit-learn"),
        ({"class": "sklearnx.Thing"}, "begins with sklearn."),
        ({"class": TEXT + "np.load"}, "no module sklearn.feature_extraction.text.np"),
        ({"class": "sklearn.base.np"}, "no class of scikit-learn with fit and transform"),
        ({"class": TEXT + "defaultdict"}, "no class of scikit-learn with fit and transform"),
        ({"class": TEXT + "HashingVectoriser"}, "Did you mean HashingVectorizer"),
        ({"class": "sklearn.nothing.Here"}, "no module sklearn.nothing"),
        ({"class": "sklearn.svm.SVC"}, "no class of scikit-learn with fit and transform"),
        ({"class": HASHING, "arguments": {"features": 2}}, "takes no argument features. Known: .*n_features"),
        ({"class": HASHING, "arguments": {"n_features": "many"}}, "'n_features' parameter .* Got 'many'"),
        ({"pipeline": [{"class": TFIDF}, {"class": SVD}]}, "Write a seed .* random_state: 1"),
        (
            {"pipeline": [{"class": TFIDF}, {"class": LABELS_NEEDED}]},
            "learns from labels",
        ),
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
            {
                "class": "sklearn.pipeline.FeatureUnion",
                "arguments": {"transformer_list": [["x", {"class": "a.B"}]]},
            },
            "transformer_list.class: 'a.B' is no class",
        ),
    ],
)
def test_what_cannot_be_an_encoder_is_refused_before_any_fold(settings, part):
    with pytest.raises(ConfigError, match=part):
        ScikitLearnEncoder.from_settings(settings)


def test_texts_that_an_estimator_refuses_are_told_with_its_reason():
    with pytest.raises(DataError, match="TfidfVectorizer cannot be fitted on 2 texts: empty vocabulary"):
        build(TFIDF).fit(["! ?", "."])


def test_a_step_that_hides_its_need_of_labels_is_told_in_the_first_fold():
    steps = [{"class": TFIDF}, {"class": "sklearn.feature_selection.SelectKBest"}]
    with pytest.raises(DataError, match="TfidfVectorizer → SelectKBest cannot be fitted on 4 texts"):
        ScikitLearnEncoder.from_settings({"pipeline": steps}).fit(TRAIN)


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
