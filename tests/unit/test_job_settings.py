"""Regular expressions of names: which there are, and how long they become."""

import re

import pytest

from sentflow.graph.job_settings import one_of

NAMES = [
    "a",
    "b.c",
    "x",
    "x/step-1",
    "x/step-2",
    "y/step-1",
    "y/step-2",
    "z/step-9",
    "law/shard-1/words-128",
    "(d",
]


def test_exactly_the_names_match():
    pattern = re.compile(one_of(NAMES))
    assert [name for name in NAMES if not pattern.fullmatch(name)] == []


@pytest.mark.parametrize(
    "other", ["y", "z", "x/step-9", "z/step-1", "bXc", "a/step-1", "x/", "", "law", "a|b.c"]
)
def test_no_other_name_matches(other):
    assert not re.fullmatch(one_of(NAMES), other)


def test_no_names_match_nothing():
    assert not re.fullmatch(one_of([]), "")


def test_snapshots_of_many_trainings_take_the_room_of_one():
    def snapshots(n_models):
        return [f"model-{model:03d}/step-{step:06d}" for model in range(n_models) for step in range(100)]

    assert len(one_of(snapshots(100))) < 2 * len(one_of(snapshots(1)))
