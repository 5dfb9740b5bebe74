"""Ranks against SciPy's, whose defaults they share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.stats import rankdata

from sentflow.stats.ranks import average_ranks


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    # 1 is first, the two 3 have ranks 2 and 3, 7 has rank 4
    assert average_ranks(np.array([3.0, 7.0, 1.0, 3.0])).tolist() == [2.5, 4, 1, 2.5]


@given(
    arrays(
        np.float64,
        array_shapes(min_dims=1, max_dims=3, max_side=6),
        elements=st.sampled_from([-2.0, -0.0, 0.0, 1e-300, 0.5, 3.0, np.inf, np.nan]),
    )
)
def test_ranks_are_those_of_scipy_along_the_last_axis(values: np.ndarray) -> None:
    np.testing.assert_array_equal(average_ranks(values), rankdata(values, axis=-1))


@pytest.mark.parametrize("shape", [(1,), (3, 1)])
def test_one_value_has_rank_one(shape: tuple[int, ...]) -> None:
    assert (average_ranks(np.zeros(shape)) == 1).all()
