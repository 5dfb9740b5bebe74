"""Tuning: which settings are taken, on made-up times and vectors; no test looks at a clock."""

import importlib.util
import itertools

import numpy as np
import pytest

from sentflow.encoders.kinds.neural.settings import BACKENDS, DTYPES, Settings
from sentflow.encoders.tuning import candidates
from sentflow.encoders.tuning.candidates import Candidate
from sentflow.encoders.tuning.choice import fastest, told_apart
from sentflow.encoders.tuning.measure import Timing, difference, in_turn
from sentflow.encoders.tuning.tune import Measuring, tune
from sentflow.errors import ConfigError

TEXTS = ("a", "b", "c")
PLAIN = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)


def timing(*seconds: float) -> Timing:
    return Timing(seconds)


# --- measuring


def test_median_and_spread_are_of_the_rounds():
    found = timing(1, 2, 3, 4, 100)
    assert (found.median, found.spread) == (3, 2)  # quartiles 2 and 4: one slow round moves neither


def test_programs_take_turns_and_the_order_is_turned_round():
    ran = []
    programs = {name: lambda name=name: ran.append(name) for name in "abc"}
    ticks = itertools.count()
    timings = in_turn(programs, n_rounds=3, clock=lambda: next(ticks))
    assert "".join(ran) == "abccbaabc"
    assert timings == {name: timing(1, 1, 1) for name in "abc"}


def test_seconds_are_those_of_the_clock_between_start_and_end_of_a_program():
    now = [0.0]

    def takes(seconds):
        def program():
            now[0] += seconds

        return program

    timings = in_turn({"slow": takes(5), "quick": takes(2)}, n_rounds=2, clock=lambda: now[0])
    assert timings == {"slow": timing(5, 5), "quick": timing(2, 2)}


def test_vectors_are_compared_as_unit_vectors():
    turned = np.array([[2, 0], [0, 5], [0.8, 0.6]], dtype=np.float32)
    found = difference(turned, PLAIN)
    assert found.value == pytest.approx(0.2)
    assert found.cosine == pytest.approx(0.96)  # 0.6 × 0.8 + 0.8 × 0.6
    assert difference(7 * PLAIN, PLAIN).value == pytest.approx(0, abs=1e-7)


# --- choosing


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


# --- candidates


def test_every_backend_is_tried_and_every_dtype_but_float16():
    first = candidates.precisions(2048, 4)
    assert (first[0].backend, first[0].dtype) == ("torch", "float32")
    assert {candidate.backend for candidate in first} == set(BACKENDS)
    assert {candidate.dtype for candidate in first} == {*DTYPES} - {"float16"}
    assert {(candidate.batch_tokens, candidate.threads) for candidate in first} == {(2048, 4)}


def test_batches_begin_with_the_size_that_is_configured():
    chosen = Candidate("torch", "float32", 1000, 2)
    assert [candidate.batch_tokens for candidate in candidates.batches(chosen)] == [1000, 512, 2048, 8192]
    assert candidates.batches(Candidate("onnx-int8", "float32", 1000, 2)) == [
        Candidate("onnx-int8", "float32", 1000, 2)
    ]


@pytest.mark.parametrize(("most", "counts"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8])])
def test_threads_are_powers_of_two_up_to_the_most(most, counts):
    chosen = Candidate("torch", "float32", 2048, most)
    assert [candidate.threads for candidate in candidates.threads(chosen)] == counts


# --- the whole, with made-up encoders on a made-up clock


class World:
    """Encoders of which the test says how long they take and how far their vectors are off."""

    def __init__(self, seconds, offsets=None, refused=None):
        self.seconds, self.offsets, self.refused = seconds, offsets or {}, refused or {}
        self.now = 0.0
        self.dimension = 2

    def load(self, candidate):
        if candidate.precision in self.refused:
            raise ConfigError(self.refused[candidate.precision])
        return MadeUp(self, candidate)

    def tune(self, *, tolerance=0.005, threads=4, settings=None):
        measuring = Measuring(TEXTS, tolerance, 3, clock=lambda: self.now, tell=lambda _: None)
        return tune(self.load, settings or Settings(), threads=threads, measuring=measuring)


class MadeUp:
    dimension = 2

    def __init__(self, world, candidate):
        self.world, self.candidate = world, candidate

    def encode(self, texts, *, role, task):
        assert (tuple(texts), role, task) == (TEXTS, "text", None)
        self.world.now += self.world.seconds(self.candidate)
        off = self.world.offsets.get(self.candidate.precision, 0)
        return (PLAIN + np.float32(off) * np.array([1, -1], dtype=np.float32)).astype(np.float32)


@pytest.fixture
def _everything_is_installed(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: True)


SECONDS = {
    "torch": 8,
    "onnx": 8,
    "openvino": 7,
    "torch bfloat16-autocast": 4,
    "torch bfloat16": 4,
    "onnx-int8": 2,
}
OFFSETS = {"torch bfloat16-autocast": 2e-3, "torch bfloat16": 3e-3, "onnx-int8": 5e-2}


def by_precision(candidate):
    return SECONDS[candidate.precision]


@pytest.mark.usefixtures("_everything_is_installed")
@pytest.mark.parametrize(
    ("tolerance", "expected"),
    [(1e-5, "openvino"), (0.005, "torch bfloat16-autocast"), (0.2, "onnx-int8")],
)
def test_the_tolerance_decides_which_precision_may_be_taken(tolerance, expected):
    stages = World(by_precision, OFFSETS).tune(tolerance=tolerance)
    assert stages[-1].chosen.precision == expected
    first = stages[0]
    assert [candidate.precision for candidate in first.measured] == list(SECONDS)
    verdicts = {c.precision: first.verdict(c, tolerance=tolerance) for c in first.measured}
    assert verdicts[expected] == "chosen"
    if tolerance == 0.005:
        assert verdicts == {
            "torch": "slower",
            "onnx": "slower",
            "openvino": "slower",
            "torch bfloat16-autocast": "chosen",
            "torch bfloat16": "no difference seen",
            "onnx-int8": "beyond the tolerance",
        }


@pytest.mark.usefixtures("_everything_is_installed")
def test_each_question_is_asked_with_the_answers_before_it():
    def seconds(candidate):
        return (
            by_precision(candidate)
            * {512: 1.5, 2048: 1, 8192: 0.5}[candidate.batch_tokens]
            / candidate.threads
        )

    stages = World(seconds, OFFSETS).tune(threads=4)
    assert [stage.question for stage in stages] == ["backend and dtype", "tokens of a batch", "threads"]
    assert stages[-1].chosen == Candidate("torch", "bfloat16-autocast", 8192, 4)
    assert {candidate.batch_tokens for candidate in stages[2].measured} == {8192}
    assert [candidate.threads for candidate in stages[2].measured] == [1, 2, 4]


@pytest.mark.usefixtures("_everything_is_installed")
def test_threads_that_gain_nothing_are_left_to_others():
    stages = World(by_precision).tune(threads=4)
    assert stages[-1].chosen.threads == 1


@pytest.mark.usefixtures("_everything_is_installed")
def test_one_thread_and_batches_of_one_text_leave_one_question():
    stages = World(by_precision, OFFSETS).tune(tolerance=1, threads=1)
    assert [stage.question for stage in stages] == ["backend and dtype"]
    assert stages[-1].chosen.backend == "onnx-int8"


def test_a_backend_that_is_not_installed_is_named_with_its_command(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    first = World(by_precision).tune()[0]
    assert [candidate.precision for candidate in first.measured] == [
        name for name in SECONDS if name.startswith("torch")
    ]
    told = {c.backend: first.verdict(c, tolerance=0.005) for c in first.left_out}
    onnx = "not installed: pip install -r envs/requirements-onnx.txt"
    assert told == {
        "onnx": onnx,
        "onnx-int8": onnx,
        "openvino": "not installed: pip install -r envs/requirements-openvino.txt",
    }


@pytest.mark.usefixtures("_everything_is_installed")
def test_what_a_model_cannot_be_computed_by_is_left_out_with_the_reason():
    world = World(by_precision, refused={"onnx": "backend: the model cannot be exported"})
    first = world.tune(settings=Settings(pooling="first-last"))[0]
    reasons = {candidate.precision: reason for candidate, reason in first.left_out.items()}
    assert set(reasons) == {"onnx", "openvino", "onnx-int8"}
    assert all("pooling: first-last reads inner layers" in reason for reason in reasons.values())
    reasons = world.tune()[0].left_out
    assert list(reasons.values()) == ["backend: the model cannot be exported"]


def test_a_model_that_cannot_be_loaded_at_all_is_an_error():
    with pytest.raises(ConfigError, match="of the weights"):
        World(by_precision, refused={"torch": "something of the weights"}).tune()
