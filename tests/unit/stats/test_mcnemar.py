import numpy as np
import pytest
from scipy.stats import binomtest

from sentflow.stats.paired import mcnemar


def right(both: int, only_first: int, only_second: int, none: int) -> tuple[np.ndarray, np.ndarray]:
    first = np.repeat([True, True, False, False], [both, only_first, only_second, none])
    second = np.repeat([True, False, True, False], [both, only_first, only_second, none])
    return first, second


def test_p_by_hand():
    # 1 against 5: 2 · (1 + 6) / 2⁶
    assert mcnemar(*right(10, 1, 5, 7)) == pytest.approx(14 / 64)


def test_texts_on_which_both_agree_do_not_count():
    assert mcnemar(*right(1000, 2, 9, 1000)) == pytest.approx(mcnemar(*right(0, 2, 9, 0)))
    assert mcnemar(*right(0, 2, 9, 0)) == pytest.approx(binomtest(2, 11).pvalue)


@pytest.mark.parametrize("counts", [(5, 0, 0, 5), (5, 4, 4, 5)])
def test_no_difference_has_p_one(counts):
    assert mcnemar(*right(*counts)) == 1.0
