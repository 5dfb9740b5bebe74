"""Questions worth reading."""

import numpy as np

from sentflow.retrieval.hardest import hardest, most_different

SCORES = np.array(
    [[1.0, 0.0, 0.5, 0.1, 0.3, 0.0], [1.0, 0.0, 0.0, 0.2, 0.2, 0.0], [1.0, 0.0, 0.1, 0.3, 0.1, 1.0]]
)


def test_hardest_have_the_lowest_mean_over_systems():
    # means 1, 0, 0.2, 0.2, 0.2, 1/3: of equal ones the first in the data, though 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1
    assert hardest(SCORES, limit=10).tolist() == [1, 2, 3, 4, 5, 0]
    assert hardest(SCORES[::-1], limit=10).tolist() == [1, 2, 3, 4, 5, 0]
    assert hardest(SCORES, limit=2).tolist() == [1, 2]


def test_most_different_come_first_whoever_is_better():
    # |a − c|: 0, 0, 0.4, 0.2, 0.2, 1
    assert most_different(SCORES, 0, 2, limit=10).tolist() == [5, 2, 3, 4]
    assert most_different(SCORES, 2, 0, limit=10).tolist() == [5, 2, 3, 4]
    assert most_different(SCORES, 0, 2, limit=1).tolist() == [5]


def test_questions_with_equal_scores_never_differ_most():
    assert most_different(np.array([[0.1 + 0.2], [0.3]]), 0, 1, limit=5).tolist() == []
