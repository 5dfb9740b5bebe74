"""Every benchmark runs at its smallest size, or says in a line what it lacks."""

import os
import subprocess
import sys

import pytest
from workflow_copy import REPOSITORY, TINY

import needs
from sentflow.training.data.table import TrainingData, write_training_data

pytestmark = pytest.mark.nightly

PROGRAMS = [
    file for file in sorted(REPOSITORY.glob("benchmarks/*.py")) if "__main__" in file.read_text("utf-8")
]
SMALLEST = {
    "as_processor": "baseline true",
    "average_coverage": "--sets 2",
    "backends": "--rounds 1 --sentences 4 --decisions 1 --repetitions 1 --backends 1",
    "board_error_rates": "--sets 2",
    "bootstrap_speed": "--epochs 2 --repeats 1",
    "default_experiment": "{repository} {repository} --configfile {tiny}",
    "document_coverage": "--mirror {mirror} --sets faquad --samples 2 --resamples 19",
    "embedding_speed": "--most 8 --turns 1",
    "error_rates": "--mirror {mirror} --samples 2",
    "geometry_speed": "--sentences 200",
    "graph": "--encoders 1 --jobs task",
    "growth": "--quick --output {folder}/growth.json --figure {folder}/growth.svg",
    "index_speed": "--vectors 30000 --questions 10 --turns 1",
    "interval_coverage": "--sets 2 --resamples 19",
    "job_memory": "--pairs 20 40 --width 8",
    "pair_graphs": "--mirror {mirror} --samples 2 --resamples 19",
    "pair_growth": "{folder}/pairs.parquet --sizes 200 --tests 20",
    "probe_documents": "--mirror {mirror} --samples 2",
    "probe_levels": "--mirror {mirror} --rows 250 --samples 2",
    "probe_procedures": "--mirror {mirror} --samples 2",
    "probe_speed": "small",
    "processors": "--mirror {mirror} --mlp-repetitions 1 --rows 1",
    "question_speed": "--systems 3 --questions 30 --resamples 99 --turns 1",
    "rank_coverage": "--sets 2",
    "retrieval_growth": "--sizes 200 --per-shard 100",
    "retrieval_speed": "--turns 1",
    "retrieval_tests": "--sets 2 --resamples 19",
    "score_speed": "--models 1 --tasks 1",
    "side_by_side": "--repetitions 1",
    "sparse_features": "sample",
    "startup": "{folder}",
    "sts_speed": "--pairs 4 --threads 1 --rounds 1 --resamples 19",
    "training_speed": "--texts {folder}/texts.txt --batches 2 --lengths 8 --precisions float32 --turns 1 --steps 1",
    "whole_jobs": "--turns 1",
}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda file: file.stem)
def test_a_benchmark_ends_well_or_says_what_is_missing(program, mirror, tmp_path):
    (tmp_path / "texts.txt").write_text("".join(f"text {n}\n" for n in range(99)), "utf-8")
    columns = {side: [f"{side} {n} {n % 7}" for n in range(99)] for side in ("text", "other")}
    write_training_data(tmp_path / "pairs.parquet", TrainingData("drawn", "pairs", columns), {})
    given = {"repository": REPOSITORY, "tiny": TINY, "mirror": mirror, "folder": tmp_path}
    words = [word.format_map(given) for word in SMALLEST.get(program.stem, "").split()]
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    done = subprocess.run(
        [sys.executable, program, *words], env=outside, capture_output=True, text=True, check=False
    )
    missing = done.returncode == needs.MISSING and done.stderr.splitlines()[-1].startswith("Missing: ")
    assert done.returncode == 0 or missing, done.stderr
