"""Sample texts are files whose bytes never change: results on them are compared between versions."""

import hashlib

import pytest

from sentflow.config.load import _missing_samples, read_entries
from sentflow.downloads.mirrors import local_path
from sentflow.flow.environment import workflow_folder

SAMPLES = local_path("sample://")
ENTRY = {"title": "New", "licence": "MIT", "citation": "none", "language": "pt"}


def dataset(sample: str, seed: int = 1) -> dict:
    return {"datasets": {"new": {**ENTRY, "seed": seed, "files": {"new.csv": {"generator": sample}}}}}


def test_the_files_are_those_that_the_generator_wrote():
    digest = hashlib.sha256()
    for path in sorted(SAMPLES.glob("*/*")):
        digest.update(f"{path.relative_to(SAMPLES).as_posix()}\0".encode() + path.read_bytes())
    assert digest.hexdigest() == "425937911073c9fa72b2b4e7c87e80ae863aadd40c29708fbe668f86c9a58598"


@pytest.mark.parametrize(("seed", "address"), [(3, "sample://3/T1B.csv"), (9, "sample://1/T1B.csv")])
def test_a_set_that_lacks_a_file_has_that_of_set_1(seed, address):
    entries, problems, _ = read_entries(dataset("T1B", seed), workflow_folder())
    assert not problems
    assert entries["datasets"]["new"]["files"]["new.csv"]["urls"] == [address]
    assert bool([*_missing_samples(entries["datasets"])]) == (seed == 9)


def test_sample_texts_that_do_not_exist_are_refused():
    _, (problem,), _ = read_entries(dataset("T1X"), workflow_folder())
    assert problem.startswith("datasets.new.files.new.csv.generator: ") and "T1B" in problem
