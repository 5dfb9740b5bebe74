import math

import numpy as np
import pytest

from sentflow.probing.probes import class_scores, predicted_classes


def test_tiny_positive_logit_is_no_half_in_single_precision():
    # sigmoid(3e-8) rounds to 0.5 exactly, which is not above 0.5
    assert predicted_classes(np.float32([[3e-8], [-1.0]])).tolist() == [0, 0]


def test_many_classes_take_the_largest_logit_and_the_first_of_equals():
    assert predicted_classes(np.float32([[0.1, 0.2, 0.0], [0.5, 0.5, 0.1]])).tolist() == [1, 0]


def test_scores_are_probabilities_of_class_1_or_of_the_predicted_class():
    two = np.float32([[-1.0], [2.0]])
    expected = [1 / (1 + math.e), 1 / (1 + math.e**-2)]
    assert class_scores(two, predicted_classes(two)).tolist() == pytest.approx(expected)
    three = np.float32([[1.0, 2.0, 3.0]])
    share = math.e**3 / (math.e + math.e**2 + math.e**3)
    assert class_scores(three, predicted_classes(three)).tolist() == pytest.approx([share])
