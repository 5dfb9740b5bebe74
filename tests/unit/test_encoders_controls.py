"""Control encoders: the same for equal texts, and worth what they promise."""

import numpy as np
import pytest

from sentflow.encoders.kinds.bag_of_words import BagOfWordsEncoder
from sentflow.encoders.kinds.random import RandomEncoder

TEXTS = ["O projeto de lei foi aprovado.", "Ação penal", "acao penal", "Ação penal", "?!"]


def encode(encoder, texts=TEXTS):
    return encoder.encode(texts, role="text", task=None)


@pytest.mark.parametrize("encoder", [RandomEncoder(dimension=16, seed=0), BagOfWordsEncoder(dimension=16)])
def test_equal_texts_have_equal_vectors_wherever_they_stand(encoder):
    vectors = encode(encoder)
    assert vectors.shape == (5, 16) and vectors.dtype == np.float32
    assert vectors[1].tobytes() == vectors[3].tobytes()
    assert encode(encoder, TEXTS[::-1]).tobytes() == vectors[::-1].tobytes()


def test_random_vectors_are_standard_normal_and_independent_of_each_other():
    vectors = encode(RandomEncoder(dimension=50, seed=3), [f"texto {i}" for i in range(400)])
    # 20,000 values: the mean has a standard error of 0.007, the variance of 0.01
    assert vectors.mean() == pytest.approx(0, abs=0.03)
    assert vectors.var() == pytest.approx(1, abs=0.05)
    # 400 x 400 cosines of 50 values have a standard deviation of 1/sqrt(50) = 0.14
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = (unit @ unit.T)[np.triu_indices(400, k=1)]
    assert cosines.std() == pytest.approx(0.141, abs=0.01)


def test_bag_of_words_ignores_case_and_order_but_not_accents():
    vectors = encode(BagOfWordsEncoder(dimension=4096), ["Ação penal", "PENAL ação", "acao penal"])
    assert np.array_equal(vectors[0], vectors[1])
    assert not np.array_equal(vectors[0], vectors[2])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
