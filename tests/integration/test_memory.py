"""A probe job needs twice the memory of its features and some: benchmarks/probe_job.py measures it."""

import sys
from pathlib import Path

import pytest

from probe_job import run_job, write_rows

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc"),
]

# One setting and one epoch touch all that a whole training touches.
SHORT = {"learning_rates": [0.001], "beta1s": [0.9], "beta2s": [0.99], "search_epochs": 1, "max_epochs": 1}
ALLOWANCE = 500e6  # Python and its libraries, orders of rows, losses


@pytest.mark.parametrize(
    ("layout", "classifier"), [("single", "logistic"), ("pair", "logistic"), ("single", "mlp")]
)
def test_job_holds_its_features_twice_and_no_more(tmp_path: Path, layout: str, classifier: str):
    small, large = (
        run_job(
            write_rows(tmp_path, n_rows, 1024 if layout == "pair" else 4096, layout=layout),
            tmp_path / "folds",
            training={**SHORT, **({"hidden_width": 8} if classifier == "mlp" else {})},
            classifier=classifier,
        )
        for n_rows in (1000, 9000)
    )
    growth = (large.peak_bytes - small.peak_bytes) / (large.matrix_bytes - small.matrix_bytes)
    assert growth < 2.5  # a third copy would make it 3
    assert large.peak_bytes < 2 * large.matrix_bytes + ALLOWANCE
