"""Encoders that scikit-learn or arithmetic gives: vectorisers by name, TF-IDF, controls."""

from unicodedata import normalize

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

from sentflow.config.model import mistakes
from sentflow.encoders.kinds.bag_of_words import BagOfWordsEncoder
from sentflow.encoders.kinds.random import RandomEncoder
from sentflow.encoders.kinds.scikit_learn import ScikitLearnEncoder
from sentflow.encoders.kinds.tfidf import PORTUGUESE, TfidfEncoder
from sentflow.encoders.settings import ScikitLearn
from sentflow.errors import ConfigError, DataError

TEXT = "sklearn.feature_extraction.text."
HASHING = TEXT + "HashingVectorizer"
TFIDF = TEXT + "TfidfVectorizer"
SVD = "sklearn.decomposition.TruncatedSVD"
TRAIN = ["a lei da educação", "o voto e a lei", "saúde pública para todos", "o plenário votou a saúde"]
TEST = ["a lei da saúde", "nada disso"]


def build(name, **arguments):
    return ScikitLearnEncoder.of_settings({"class": name, "arguments": arguments})


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
    vectors = ScikitLearnEncoder.of_settings({"pipeline": steps}).fit(TRAIN).transform(TEST)
    pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True), TruncatedSVD(2, random_state=1))
    assert vectors == pytest.approx(pipeline.fit(TRAIN).transform(TEST), abs=1e-6)


@pytest.mark.parametrize(
    ("settings", "part"),
    [
        ({"class": "os.system"}, "class: 'os.system' should match pattern"),
        ({"class": "sklearn.decomposition._truncated_svd.TruncatedSVD"}, f"Did you mean {SVD}"),
        ({"class": HASHING, "arguments": {"features": 2}}, "Write only: .*n_features"),
        ({"class": HASHING, "arguments": {"n_features": "many"}}, "'n_features' parameter .* Got 'many'"),
        ({"pipeline": [{"class": TFIDF}, {"class": SVD}]}, "Write a seed .* random_state: 1"),
        ({"class": "sklearn.preprocessing.Normalizer"}, "may be called by a custom class of your own"),
        ({"class": SVD, "arguments": {"random_state": 1}}, "does not read texts. Begin with a vectoriser"),
        ({"pipeline": [{"class": HASHING}, {"class": TFIDF}]}, "can only be the first step"),
        ({}, "write class, or pipeline"),
        ({"pipeline": [{"class": HASHING, "arg": 1}]}, "pipeline.0.arg: there is no such key"),
    ],
)
def test_what_cannot_be_an_encoder_is_refused_before_any_fold(settings, part):
    with pytest.raises(ConfigError, match=part):
        ScikitLearnEncoder.of_settings(settings)


@pytest.mark.parametrize(
    ("argument", "value"),
    [("input", "filename"), ("tokenizer", "os.system"), ("analyzer", {"class": HASHING})],
)
def test_paths_and_code_are_refused_wherever_they_are_written(argument, value):
    step = {"class": TFIDF, "arguments": {argument: value}}
    for entry in (step, {"pipeline": [step]}):
        (problem,) = map(str, mistakes(ScikitLearn, {"kind": "scikit-learn", **entry}, where="models.x"))
        assert f"arguments.{argument}: " in problem
        with pytest.raises(ConfigError, match=f"arguments.{argument}: "):
            ScikitLearnEncoder.of_settings(entry)


TFIDF_TRAIN = [
    "O deputado apresentou o projeto de lei sobre educação.",
    "A Câmara aprovou o projeto de lei.",
    "Não houve votação; o projeto não foi à votação.",
    "Educação pública é direito de todos",
    "O deputado apresentou o projeto de lei sobre educação.",
]
TFIDF_TEST = ["O projeto de educação pública", "palavras desconhecidas", "VOTAÇÃO do projeto"]


def tfidf(**settings):
    return TfidfEncoder(
        **{"max_features": 3000, "ngram_range": (1, 3), "stop_words": "portuguese", **settings}
    )


def test_equals_scikit_learn_with_its_defaults():
    reference = TfidfVectorizer(ngram_range=(1, 3), stop_words=list(PORTUGUESE)).fit(TFIDF_TRAIN)
    ours = tfidf().fit(TFIDF_TRAIN)
    assert ours.transform(TFIDF_TEST).toarray() == pytest.approx(
        reference.transform(TFIDF_TEST).toarray(), abs=1e-7
    )
    assert ours.transform(TFIDF_TRAIN).toarray() == pytest.approx(
        reference.transform(TFIDF_TRAIN).toarray(), abs=1e-7
    )


@pytest.mark.parametrize("ngram_range", [(1, 1), (2, 3)])
def test_tfidf_cuts_any_text_as_scikit_learn_does(ngram_range):
    texts = [
        *TFIDF_TRAIN,
        "",
        "a b",
        "İstanbul STRASSE straße x1 _a_ 2-30",
        "e\u0301 naïve… naïve— o'o",
        "日本 日本 語\n\tab\x00cd",
    ]
    reference = TfidfVectorizer(ngram_range=ngram_range, dtype=np.float32)
    expected = reference.fit_transform([normalize("NFC", text) for text in texts]).toarray()
    ours = tfidf(ngram_range=ngram_range, stop_words="none").fit(texts)
    assert ours.transform(texts).toarray() == pytest.approx(expected, abs=1e-7)


def test_takes_the_most_frequent_terms_and_of_ties_the_alphabetically_first():
    # lei occurs three times; casa, mesa, zebra once each: casa comes first
    ours = tfidf(max_features=2, ngram_range=(1, 1)).fit(["zebra lei", "mesa lei", "casa lei"])
    vectors = ours.transform(["casa", "lei", "mesa", "zebra"])
    # columns in alphabetical order: casa, lei
    assert vectors.toarray().tolist() == [[1, 0], [0, 1], [0, 0], [0, 0]]


def test_training_texts_of_stop_words_alone_are_an_error():
    with pytest.raises(DataError, match="no words in the 2 training texts.*stop_words: none"):
        tfidf().fit(["não é", "de um"])


CONTROL_TEXTS = ["O projeto de lei foi aprovado.", "Ação penal", "acao penal", "Ação penal", "?!"]


def encoded_by(encoder, texts=CONTROL_TEXTS):
    return encoder.encode(texts, role="text", task=None)


@pytest.mark.parametrize("encoder", [RandomEncoder(dimension=16, seed=0), BagOfWordsEncoder(dimension=16)])
def test_equal_texts_have_equal_vectors_wherever_they_stand(encoder):
    vectors = encoded_by(encoder)
    assert vectors.shape == (5, 16) and vectors.dtype == np.float32
    assert vectors[1].tobytes() == vectors[3].tobytes()
    assert encoded_by(encoder, CONTROL_TEXTS[::-1]).tobytes() == vectors[::-1].tobytes()


def test_random_vectors_are_standard_normal_and_independent_of_each_other():
    vectors = encoded_by(RandomEncoder(dimension=50, seed=3), [f"texto {i}" for i in range(400)])
    # 20,000 values: the mean has a standard error of 0.007, the variance of 0.01
    assert vectors.mean() == pytest.approx(0, abs=0.03)
    assert vectors.var() == pytest.approx(1, abs=0.05)
    # 400 x 400 cosines of 50 values have a standard deviation of 1/sqrt(50) = 0.14
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = (unit @ unit.T)[np.triu_indices(400, k=1)]
    assert cosines.std() == pytest.approx(0.141, abs=0.01)


def test_bag_of_words_ignores_case_and_order_but_not_accents():
    vectors = encoded_by(BagOfWordsEncoder(dimension=4096), ["Ação penal", "PENAL ação", "acao penal"])
    assert np.array_equal(vectors[0], vectors[1])
    assert not np.array_equal(vectors[0], vectors[2])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
