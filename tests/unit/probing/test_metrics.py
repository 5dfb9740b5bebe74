import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, matthews_corrcoef

from sentflow.probing.fold import (
    adjusted_macro_f1,
    confusion,
    matthews_correlation,
    published_metric,
)


def answers(n_classes: int):
    """Pairs of truth and prediction in which every class occurs at least once."""
    row = st.tuples(st.integers(0, n_classes - 1), st.integers(0, n_classes - 1))
    every_class = [(k, k) for k in range(n_classes)]
    return st.lists(row, min_size=2, max_size=60).map(lambda rows: np.array(rows + every_class).T)


@given(answers(2))
def test_mcc_is_that_of_scikit_learn_clipped_at_zero(rows):
    truth, predicted = rows
    expected = max(0.0, matthews_corrcoef(truth, predicted))
    assert published_metric("mcc", truth, predicted, n_classes=2) == pytest.approx(expected, abs=1e-6)


@given(answers(3))
def test_macro_f1_is_that_of_scikit_learn_with_chance_at_zero(rows):
    truth, predicted = rows
    macro = f1_score(truth, predicted, average="macro")
    expected = max(0.0, (macro - 1 / 3) / (1 - 1 / 3))
    assert published_metric("adjusted_macro_f1", truth, predicted, n_classes=3) == pytest.approx(
        expected, abs=1e-6
    )


@pytest.mark.parametrize("predicted", [[0, 0, 0, 0], [1, 1, 1, 1]])
def test_mcc_of_one_class_only_is_zero(predicted):
    assert published_metric("mcc", np.array([0, 1, 0, 1]), np.array(predicted), n_classes=2) == 0


def test_mcc_of_a_known_table():
    # TP 6, TN 5, FP 1, FN 2: (6·5 − 1·2) / √(7·8·6·7) = 28 / 48.497
    counts = np.array([[5, 1], [2, 6]])
    assert matthews_correlation(counts) == pytest.approx(28 / math.sqrt(7 * 8 * 6 * 7), abs=1e-6)


def test_class_that_neither_occurs_nor_is_predicted_is_left_out_of_the_mean():
    truth, predicted = np.array([0, 1, 0, 1]), np.array([0, 1, 0, 1])
    # F1 is 1 for two classes, the third has none: mean 1, not 2/3
    assert published_metric("adjusted_macro_f1", truth, predicted, n_classes=3) == pytest.approx(1, abs=1e-6)


def test_class_that_occurs_but_is_never_predicted_counts_as_zero():
    truth, predicted = np.array([0, 1, 2, 0, 1, 2]), np.array([0, 1, 0, 0, 1, 0])
    macro = (2 * 2 / (2 * 2 + 2) + 1 + 0) / 3  # class 0: two hits, two false alarms
    counts = confusion(truth, predicted, n_classes=3)
    assert adjusted_macro_f1(counts) == pytest.approx((macro - 1 / 3) / (2 / 3), abs=1e-6)


def test_confusion_has_true_classes_as_rows():
    counts = confusion(np.array([0, 0, 2]), np.array([1, 0, 2]), n_classes=3)
    assert counts.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]
