"""TF-IDF against scikit-learn, and the promises that scikit-learn does not make."""

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from sentflow.encoders.kinds.stop_words import PORTUGUESE
from sentflow.encoders.kinds.tfidf import TfidfEncoder
from sentflow.errors import DataError

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


def test_training_texts_of_stop_words_alone_are_an_error():
    with pytest.raises(DataError, match="no words in the 2 training texts.*stop_words: none"):
        encoder().fit(["não é", "de um"])
