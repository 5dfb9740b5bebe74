"""Jobs that read vectors stay within what their rules request, measured by benchmarks/{probe_job,job_memory}.py."""

import sys
from pathlib import Path

import pytest
from workflow_copy import REPOSITORY

from job_memory import SETTINGS, growth
from probe_job import run_job, write_rows
from sentflow.cli.measured_jobs import SNAKEMAKES_MB
from sentflow.cli.rule_requests import rule_requests

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc"),
]

# One setting and one epoch touch all that a whole training touches.
SHORT = {"learning_rates": [0.001], "beta1s": [0.9], "beta2s": [0.99], "search_epochs": 1, "max_epochs": 1}
ALLOWANCE = 500e6  # Python and its libraries, orders of rows, losses
RULES = rule_requests(REPOSITORY / "workflow/rules")


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
    asked = RULES["probe"]
    input_mb = (
        large.matrix_bytes / (2 if layout == "pair" else 1) / 1e6
    )  # a row of a pair is made of two vectors
    assert large.peak_bytes / 1e6 + SNAKEMAKES_MB < asked.memory_mb + asked.per_input * input_mb


@pytest.mark.parametrize("name", SETTINGS)
def test_request_of_a_rule_grows_faster_than_what_its_job_holds(name: str):
    measured = growth(name, (1000, 5000), 512)
    asked = RULES[name]
    assert measured.per_input < asked.per_input
    assert measured.small_mb + SNAKEMAKES_MB < asked.memory_mb
