"""Ranks against SciPy's, whose defaults they share."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.stats import rankdata

from sentflow.stats.ranks import average_ranks


@given(
    arrays(
        np.float64,
        array_shapes(min_dims=1, max_dims=3, max_side=6),
        elements=st.sampled_from([-2.0, -0.0, 0.0, 1e-300, 0.5, 3.0, np.inf, np.nan]),
    )
)
def test_ranks_are_those_of_scipy_along_the_last_axis(values: np.ndarray) -> None:
    np.testing.assert_array_equal(average_ranks(values), rankdata(values, axis=-1))
