"""What jobs request: more with each attempt, and with the files they read."""

from types import SimpleNamespace

import pytest
from snakemake_interface_storage_plugins.exceptions import FileOrDirectoryNotFoundError

from sentflow.graph.requests import beside_others, memory_mb, minutes


class Absent:
    @property
    def size_mb(self) -> float:
        raise FileOrDirectoryNotFoundError("e.npy")


@pytest.mark.parametrize(("attempt", "expected"), [(1, 60), (2, 120), (3, 180)])
def test_each_attempt_requests_as_much_more(attempt, expected):
    assert memory_mb(60)({}, attempt) == minutes(60)({}, attempt) == expected


def test_memory_grows_with_the_input():
    request = memory_mb(1000, per_input=2.5)
    assert request({}, SimpleNamespace(size_mb=100.1), 1) == 1251  # 1000 + 250.25, rounded up
    assert request({}, SimpleNamespace(size_mb=100.1), 2) == 2502


class Sizes(list[float]):
    """Sizes of input files in MB, of which those after the first are called tests."""

    def __init__(self, toclone: list[float]) -> None:
        super().__init__(toclone)

    def get(self, name: str) -> list[float]:
        assert name == "tests"
        return self[1:]

    @property
    def size_mb(self) -> float:
        return sum(self)


def test_memory_may_grow_with_some_of_the_input_and_by_what_the_job_does():
    sizes = Sizes([50, 3, 4])
    assert memory_mb(1000, per_input=10, of="tests")({}, sizes, 1) == 1070
    assert memory_mb(1000, per_input=lambda wildcards: wildcards["times"])({"times": 2}, sizes, 1) == 1114


def test_files_that_are_not_there_yet_add_nothing():
    assert memory_mb(1000, per_input=2.5)({}, Absent(), 1) == 1000


@pytest.mark.parametrize(("cores", "expected"), [(None, 4), (1, 1), (2, 1), (4, 2), (16, 4)])
def test_half_of_the_local_cores_are_left_to_other_jobs(cores, expected):
    assert beside_others(lambda _wildcards: 4, cores)({}) == expected
