"""Tuning: which settings are taken, on invented times and vectors; what the command refuses. No test measures time."""

import numpy as np
import pytest
import yaml
from called import refused
from tiny_bert import TEXTS, save_tiny_bert

from sentflow.encoders.settings import TORCH
from sentflow.encoders.tune import Timing, difference, fastest, told_apart

PLAIN = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)


def timing(*seconds: float) -> Timing:
    return Timing(seconds)


def test_median_and_spread_are_of_the_rounds():
    found = timing(1, 2, 3, 4, 100)
    assert (found.median, found.spread) == (3, 2)  # quartiles 2 and 4: one slow round moves neither


def test_vectors_are_compared_as_unit_vectors():
    turned = np.array([[2, 0], [0, 5], [0.8, 0.6]], dtype=np.float32)
    found = difference(turned, PLAIN)
    assert found.value == pytest.approx(0.2)
    assert found.cosine == pytest.approx(0.96)  # 0.6 × 0.8 + 0.8 × 0.6
    assert difference(7 * PLAIN, PLAIN).value == pytest.approx(0, abs=1e-7)


def test_medians_are_told_apart_by_more_than_either_spread():
    steady, unsteady = timing(10, 10, 10), timing(6, 8, 10)
    assert told_apart(steady, timing(9, 9, 9))
    assert not told_apart(steady, unsteady)  # 2 apart, spread 2
    assert told_apart(timing(11, 11, 11), unsteady)
    assert not told_apart(steady, steady)


@pytest.mark.parametrize(
    ("timings", "expected"),
    [
        ({"plain": timing(4, 4), "quick": timing(2, 2)}, "quick"),
        ({"plain": timing(2, 2), "slow": timing(4, 4)}, "plain"),
        ({"plain": timing(4, 5, 6), "other": timing(4, 4.5, 5)}, "plain"),  # within the spread
        ({"plain": timing(9, 9), "second": timing(4, 5, 6), "least": timing(4, 4.5, 5)}, "second"),
    ],
)
def test_the_plainest_is_taken_that_no_other_is_seen_to_be_faster_than(timings, expected):
    assert fastest(timings) == expected


@pytest.fixture
def words(tmp_path, monkeypatch):
    """A tiny model and texts to measure it with."""
    monkeypatch.chdir(tmp_path)
    save_tiny_bert(tmp_path / "bert")
    entry = {"title": "Tiny", "licence": "none", "citation": "none", "kind": "transformers", "prompt": "lei "}
    models = {"tiny": {**entry, "source": {"folder": str(tmp_path / "bert")}}}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"models": models}), encoding="utf-8")
    (tmp_path / "texts.txt").write_text("\n".join([*TEXTS, "", "saúde"]), encoding="utf-8")
    # exports take a minute; they are tested by themselves
    missing = lambda backend: [] if backend == TORCH else ["a_library"]  # noqa: E731
    monkeypatch.setattr("sentflow.encoders.tune.missing_libraries", missing)
    return ["tiny", "--configfile", "mine.yaml", "--texts", "texts.txt", "--rounds", 1, "--threads", 2]


@pytest.mark.slow
def test_what_cannot_be_measured_is_refused(words, tmp_path):
    (tmp_path / "empty.txt").write_bytes(b"\n \n\t\n")
    for others, said in (
        (["tfidf"], "kind tfidf"),
        ([*words, "--tolerance", "nan"], "Write a number > 0"),
        ([*words, "--texts", "empty.txt"], "empty.txt holds no texts"),
    ):
        assert said in refused("tune", *others)
