"""Two classifiers on the same texts: is one right more often?"""

import numpy as np
from scipy.special import bdtr


def mcnemar(first_right: np.ndarray, second_right: np.ndarray) -> float:
    """Two-sided exact p that two classifiers are right equally often.

    Parameters
    ----------
    first_right, second_right
        (n,) bool, whether each classifier is right on each of n independent texts.

    Notes
    -----
    Of the texts on which only one of the two is right, the smaller number is binomial with probability 1/2; 1 where
    there are none. McNemar 1947, in the exact form.
    """
    only_first = int((first_right & ~second_right).sum())
    only_second = int((second_right & ~first_right).sum())
    tail = float(bdtr(min(only_first, only_second), only_first + only_second, 0.5))
    return min(1.0, 2 * tail)
