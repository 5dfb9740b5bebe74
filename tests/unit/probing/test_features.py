import numpy as np
import pytest
from small_tasks import make_task, task_features, text_vectors

from sentflow.probing.draws import FoldPlan
from sentflow.probing.rows import LazyFeatures

D = 5


def vector(text: str) -> np.ndarray:
    return text_vectors([text], dimension=D)[0]


def plan_of(*, train: list[int], evaluation: list[int], test: list[int]) -> FoldPlan:
    return FoldPlan(1, 1, np.array(train), np.array(evaluation), np.array(test), 0, 0)


def test_single_text_has_its_vector():
    table = make_task()
    features = task_features(table, dimension=D)
    assert (features.shape, features.dtype) == ((24, D), np.float32)
    for row in range(24):
        np.testing.assert_array_equal(features[row], vector(table.text_a[row]))


def test_pair_has_both_texts_their_difference_and_their_product():
    table = make_task(layout="pair")
    features = task_features(table, dimension=D)
    assert features.shape == (24, 4 * D)
    a, b = vector(table.text_a[5]), vector(table.text_b[5])
    np.testing.assert_array_equal(features[5], np.concatenate([a, b, np.abs(a - b), a * b]))


def test_question_stands_beside_its_alternatives_in_their_order():
    table = make_task(layout="alternatives", n_alternatives=3)
    features = task_features(table, dimension=D)
    assert features.shape == (24, 4 * D)
    expected = [vector(table.text_a[7]), *(vector(text) for text in table.text_b[7].split(" [SEP] "))]
    np.testing.assert_array_equal(features[7], np.concatenate(expected))


class WatchedEncoder:
    """Remembers what it learned; gives the length of each text."""

    def __init__(self) -> None:
        self.learned: list[list[str]] = []

    def fit(self, texts):
        self.learned.append(list(texts))
        return self

    def transform(self, texts):
        return np.array([[len(text), len(self.learned)] for text in texts], np.float32)


PLAN = plan_of(train=[3, 0, 9], evaluation=[1], test=[8, 2])


def test_encoder_learns_from_the_training_rows_alone():
    table, encoder = make_task(), WatchedEncoder()
    parts = LazyFeatures(table, encoder).parts(PLAN)
    assert encoder.learned == [[table.text_a[row] for row in (3, 0, 9)]]
    assert parts[2][:, 0].tolist() == [len(table.text_a[row]) for row in (8, 2)]


@pytest.mark.parametrize("layout", ["pair", "alternatives"])
def test_both_texts_are_learned_together_and_alternatives_stay_whole(layout):
    table, encoder = make_task(layout=layout), WatchedEncoder()
    train, _, test = LazyFeatures(table, encoder).parts(PLAN)
    first, second = ([texts[row] for row in (3, 0, 9)] for texts in (table.text_a, table.text_b))
    assert encoder.learned == [first + second]
    assert train.shape == (3, 8)
    assert test[:, 2].tolist() == [len(table.text_b[row]) for row in (8, 2)]


def test_with_the_switch_fitted_encoders_see_each_alternative():
    table, encoder = make_task(layout="alternatives", n_alternatives=3), WatchedEncoder()
    train, _, test = LazyFeatures(table, encoder, split_alternatives=True).parts(PLAN)
    assert (train.shape, test[0, ::2].tolist()) == (
        (3, 2 * (1 + 3)),
        [len(table.text_a[8]), *(len(text) for text in table.alternatives(8))],
    )
    seen = (text for row in PLAN.train for text in (table.text_a[row], *table.alternatives(row)))
    assert set(encoder.learned[0]) == set(seen)
