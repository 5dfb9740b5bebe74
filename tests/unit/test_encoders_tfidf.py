"""TF-IDF against scikit-learn, and the promises that scikit-learn does not make."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from sentflow.encoders.kinds.stop_words import PORTUGUESE
from sentflow.encoders.kinds.tfidf import TfidfEncoder
from sentflow.encoders.load import load_fitted_encoder
from sentflow.encoders.manifest import Manifest
from sentflow.errors import ConfigError, DataError

TRAIN = [
    "O deputado apresentou o projeto de lei sobre educação.",
    "A Câmara aprovou o projeto de lei.",
    "Não houve votação; o projeto não foi à votação.",
    "Educação pública é direito de todos",
    "O deputado apresentou o projeto de lei sobre educação.",
]
TEST = ["O projeto de educação pública", "palavras desconhecidas", "VOTAÇÃO do projeto"]


def encoder(**settings):
    return TfidfEncoder(
        **{"max_features": 3000, "ngram_range": (1, 3), "stop_words": "portuguese", **settings}
    )


def test_equals_scikit_learn_with_its_defaults():
    reference = TfidfVectorizer(ngram_range=(1, 3), stop_words=list(PORTUGUESE)).fit(TRAIN)
    ours = encoder().fit(TRAIN)
    assert ours.transform(TEST).toarray() == pytest.approx(reference.transform(TEST).toarray(), abs=1e-7)
    assert ours.transform(TRAIN).toarray() == pytest.approx(reference.transform(TRAIN).toarray(), abs=1e-7)


def test_takes_the_most_frequent_terms_and_of_ties_the_alphabetically_first():
    # lei occurs three times; casa, mesa, zebra once each: casa comes first
    ours = encoder(max_features=2, ngram_range=(1, 1)).fit(["zebra lei", "mesa lei", "casa lei"])
    vectors = ours.transform(["casa", "lei", "mesa", "zebra"])
    # columns in alphabetical order: casa, lei
    assert vectors.toarray().tolist() == [[1, 0], [0, 1], [0, 0], [0, 0]]


def test_width_is_smaller_where_the_training_texts_have_fewer_terms():
    assert encoder(ngram_range=(1, 1)).fit(["lei federal", "lei"]).transform(["lei"]).shape == (1, 2)


def test_a_fold_learns_nothing_from_the_folds_before_it():
    used = encoder(max_features=5)
    used.fit(TEST + TRAIN[::-1]).transform(TRAIN)
    fresh = encoder(max_features=5)
    ours, theirs = (encoder.fit(TRAIN).transform(TEST) for encoder in (used, fresh))
    for part in ("data", "indices", "indptr"):
        assert getattr(ours, part).tobytes() == getattr(theirs, part).tobytes()


def test_vectors_are_float32_of_length_one_or_zero():
    vectors = encoder().fit(TRAIN).transform(TEST)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors.toarray(), axis=1) == pytest.approx([1, 0, 1])


def test_reads_its_settings_from_a_manifest():
    settings = {"max_features": 7, "ngram_range": [1, 2], "stop_words": "none"}
    manifest = Manifest(kind="tfidf", dimension=7, settings=settings)
    assert load_fitted_encoder(manifest).fit(TRAIN).transform(TEST).shape == (3, 7)


def test_training_texts_of_stop_words_alone_are_an_error():
    with pytest.raises(DataError, match="no words in the 2 training texts.*stop_words: none"):
        encoder().fit(["não é", "de um"])


def test_an_unknown_list_of_stop_words_is_an_error():
    with pytest.raises(ConfigError, match="no list 'english'. Write one of: none, portuguese"):
        encoder(stop_words="english")


def test_transform_before_fit_is_an_error():
    with pytest.raises(ValueError, match="fit the encoder"):
        encoder().transform(TEST)


def test_stop_words_are_distinct_lower_case_words_with_accents():
    assert len(PORTUGUESE) == len(set(PORTUGUESE)) > 300
    assert all(word == word.lower() and word.isalpha() for word in PORTUGUESE)
    assert {"de", "não", "à", "são", "têm", "daqueles"} <= set(PORTUGUESE)
    assert not {"lei", "presidente", "direito"} & set(PORTUGUESE)
