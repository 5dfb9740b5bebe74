import math

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from sentflow.stats.multiplicity import benjamini_hochberg, holm


def test_holm_by_hand():
    # sorted 0.01, 0.02, 0.03, 0.04 of four: 4 · 0.01, 3 · 0.02, then 2 · 0.03 = 0.06, 1 · 0.04 raised to 0.06
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])


def test_undefined_test_counts_as_one_of_the_family():
    adjusted = holm([0.01, math.nan, 0.02])
    assert adjusted[0] == pytest.approx(0.03) and adjusted[2] == pytest.approx(0.04)
    assert math.isnan(adjusted[1])


def test_holm_is_that_of_statsmodels():
    multitest = pytest.importorskip(
        "statsmodels.stats.multitest", reason="optional: envs/requirements-crosscheck.txt"
    )
    p_values = np.random.default_rng(1).random(20) ** 3
    assert holm(p_values.tolist()) == pytest.approx(multitest.multipletests(p_values, method="holm")[1])


def test_benjamini_hochberg_is_that_of_scipy():
    p_values = [0.03, 0.001, 0.4, 0.02, 0.9]
    assert benjamini_hochberg(p_values) == pytest.approx(list(false_discovery_control(p_values)))


def test_undefined_test_is_one_of_the_family_of_benjamini_and_hochberg():
    found = benjamini_hochberg([0.01, math.nan])
    assert found[0] == pytest.approx(0.02) and math.isnan(found[1])
    assert benjamini_hochberg([]) == []
