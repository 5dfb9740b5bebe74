import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentflow.files import result_names
from sentflow.graph import paths

PATTERNS = {
    name: value
    for name, value in vars(paths).items()
    if name.isupper() and name[0] != "_" and name != "RESULTS"
}


@given(st.integers(1, 100), st.integers(1, 100))
def test_repetition_and_fold_are_read_out_of_a_fold_path(repetition, fold):
    path = paths.FOLD.format(task="T1A-open", model="minilm-l6", rep=repetition, fold=fold)
    assert result_names.repetition_and_fold(path) == (repetition, fold)


@pytest.mark.parametrize(
    "path",
    [
        "results/probes/T1A/random/rep-1/fold-2.predictions.parquet",
        "results/probes/T1A/random/rep-1/fold-x.parquet",
        "results/scores/T1A/random.parquet",
        "rep-1/fold-2.parquet.tmp",
    ],
)
def test_path_of_another_file_is_refused(path):
    with pytest.raises(ValueError, match=r"must end in rep-R/fold-F\.parquet"):
        result_names.repetition_and_fold(path)


def test_predictions_lie_beside_their_fold():
    fold = paths.FOLD.format(task="T1A", model="random", rep=3, fold=2)
    assert result_names.predictions_of(fold) == "results/probes/T1A/random/rep-3/fold-2.predictions.parquet"


@pytest.mark.parametrize("name", PATTERNS)
def test_everything_lies_in_the_results_folder(name):
    assert str(PATTERNS[name]).startswith("results/") or name.endswith("_PATTERN")


def test_every_job_has_a_log_and_a_benchmark_of_its_own():
    assert paths.log("probe", "{task}/{model}") == "results/logs/probe/{task}/{model}.log"
    assert paths.log("summarise") == "results/logs/summarise/all.log"
    assert paths.benchmark("probe", "{task}") == "results/benchmarks/probe/{task}.jsonl"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/x y/results/scores/T1A/random.parquet", "scores/T1A/random.parquet"),
        (
            "results/protocols/corrected/probes/T1A/m/rep-1/fold-2.parquet",
            "protocols/corrected/probes/T1A/m/rep-1/fold-2.parquet",
        ),
        ("results/summary/scores.parquet", None),
        ("/tmp/scores/random.parquet", None),
    ],
)
def test_files_of_folds_and_scores_have_a_name(path, name):
    assert result_names.name_in_results(path) == name


def test_the_map_of_the_results_names_every_folder():
    text = (Path(__file__).parents[2] / "results/README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z]+)/", text))
    assert {value.split("/")[1] for value in PATTERNS.values() if "/" in value} <= named
