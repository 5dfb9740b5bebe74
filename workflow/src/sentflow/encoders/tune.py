"""The settings of a neural encoder that are fastest on this machine, and whose vectors are near enough to plain ones.

Three questions, each with the answers to those before it: backend and dtype, tokens of a batch, threads.
"""

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from sentflow.encoders.kind import Context, load_encoder
from sentflow.encoders.manifest import Manifest
from sentflow.encoders.neural.backends import missing_libraries, requirements
from sentflow.encoders.settings import (
    BFLOAT16,
    BFLOAT16_AUTOCAST,
    FLOAT32,
    ONNX,
    ONNX_INT8,
    OPENVINO,
    TEXT,
    TORCH,
    VectorSettings,
    wrong_backend,
)
from sentflow.encoders.vectors.storage import FloatArray, unit_rows
from sentflow.errors import ConfigError

Name = TypeVar("Name", bound=Hashable)

# Backend and dtype, the plainest first: of equally fast ones the first is taken. float16 is not among them: processors
# compute it four times as slowly as float32, or not at all.
PRECISIONS = (
    (TORCH, FLOAT32),
    (ONNX, FLOAT32),
    (OPENVINO, FLOAT32),
    (TORCH, BFLOAT16_AUTOCAST),
    (TORCH, BFLOAT16),
    (ONNX_INT8, FLOAT32),
)
BATCH_TOKENS = (512, 2048, 8192)


@dataclass(frozen=True)
class Candidate:
    """Settings to be measured."""

    # backend, dtype, batch_tokens: as a model entry writes them
    backend: str
    dtype: str
    batch_tokens: int
    threads: int  # of the processor, >= 1; no vector depends on them

    @property
    def precision(self) -> str:
        """Backend, and dtype where it is not float32."""
        return self.backend if self.dtype == FLOAT32 else f"{self.backend} {self.dtype}"


@dataclass(frozen=True)
class Timing:
    """Seconds of one program, round by round; at least one."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """In seconds."""
        return float(np.median(self.seconds))

    @property
    def spread(self) -> float:
        """The middle half of the rounds lies in so many seconds."""
        low, high = np.percentile(self.seconds, (25, 75))
        return float(high - low)


@dataclass(frozen=True)
class Difference:
    """Between vectors and those that they stand for, both scaled to length 1."""

    value: float  # the largest of one value
    cosine: float  # the lowest of one text


@dataclass(frozen=True)
class Stage:
    """Candidates that were measured in turn."""

    question: str  # what they differ in
    # timings, differences: of each candidate, in the order of preference; others are compared with the first
    timings: Mapping[Candidate, Timing]
    differences: Mapping[Candidate, Difference]
    left_out: Mapping[Candidate, str]  # candidate → why it could not be measured
    chosen: Candidate  # one of the measured

    def verdict(self, candidate: Candidate, *, tolerance: float) -> str:
        """One or three words for the table."""
        if candidate == self.chosen:
            return "chosen"
        if candidate in self.left_out:
            return self.left_out[candidate]
        if self.differences[candidate].value > tolerance:
            return "beyond the tolerance"
        apart = told_apart(self.timings[candidate], self.timings[self.chosen])
        return "slower" if apart else "no difference seen"


@dataclass(frozen=True)
class Tuning:
    """Measures candidates of a neural model on the processor."""

    manifest: Manifest
    model_files: Path | None
    settings: VectorSettings
    texts: Sequence[str]  # n >= 1 texts, none empty
    # tolerance: of the values of unit vectors: those of a chosen candidate differ from plain ones by no more
    tolerance: float
    n_rounds: int  # of every stage
    tell: Callable[[str], None]  # is given a line before each step

    def load(self, candidate: Candidate) -> Any:
        """The encoder; ConfigError where the model cannot be computed in this way."""
        own = {name: getattr(candidate, name) for name in ("backend", "dtype", "batch_tokens")}
        context = Context(self.model_files, threads=candidate.threads, devices=("cpu",))
        return load_encoder(self.manifest, self.settings.model_copy(update=own), context)

    def stages(self, threads: int) -> list[Stage]:
        """The three stages; the last one's choice is the answer."""
        first = [Candidate(*precision, self.settings.batch_tokens, threads) for precision in PRECISIONS]
        plain = self._encode(self.load(first[0]))
        stages: list[Stage] = []
        for question, following in (
            ("backend and dtype", lambda _: first),
            ("tokens of a batch", _batches),
            ("threads", _threads),
        ):
            kept = stages[-1].chosen if stages else first[0]
            tried = following(kept)
            if len(tried) > 1:
                stages.append(self._stage(question, tried, kept, plain))
        return stages

    def _stage(self, question: str, tried: Sequence[Candidate], kept: Candidate, plain: FloatArray) -> Stage:
        """`kept`: what was chosen before, which needs no tolerance any more."""
        encoders: dict[Candidate, Any] = {}
        left_out = {one: problem for one in tried if (problem := self._problem(one))}
        for candidate in (one for one in tried if one not in left_out):
            self.tell(
                f"{question}: loading {candidate.precision}, batches of {candidate.batch_tokens} tokens, threads: "
                f"{candidate.threads}"
            )
            try:
                encoders[candidate] = self.load(candidate)
            except ConfigError as error:
                left_out[candidate] = str(error)
        # The first run of a program, which prepares much, is for the vectors; the timed ones come after it
        differences = {one: difference(self._encode(encoder), plain) for one, encoder in encoders.items()}
        self.tell(f"{question}: {len(encoders)} candidates, {self.n_rounds} rounds")
        programs = {one: partial(self._encode, encoder) for one, encoder in encoders.items()}
        timings = in_turn(programs, n_rounds=self.n_rounds, clock=time.perf_counter)
        near = {
            one: timing
            for one, timing in timings.items()
            if one == kept or differences[one].value <= self.tolerance
        }
        return Stage(question, timings, differences, left_out, chosen=fastest(near))

    def _problem(self, candidate: Candidate) -> str:
        """Why a candidate cannot be measured; empty if it can."""
        if missing_libraries(candidate.backend):
            return f"not installed: pip install -r {requirements(candidate.backend)}"
        wrong = wrong_backend(candidate.backend, candidate.dtype, self.settings.pooling)
        return " ".join(f"{key}: {text}" for key, text in wrong)

    def _encode(self, encoder: Any) -> FloatArray:
        return np.asarray(encoder.encode(self.texts, role=TEXT, task=None))


def _batches(chosen: Candidate) -> list[Candidate]:
    """The chosen candidate, then others with batches of other sizes; it alone where a batch is one text."""
    others = [] if chosen.backend == ONNX_INT8 else [n for n in BATCH_TOKENS if n != chosen.batch_tokens]
    return [chosen, *(replace(chosen, batch_tokens=n) for n in others)]


def _threads(chosen: Candidate) -> list[Candidate]:
    """1, 2, 4, … threads, up to those of the chosen candidate, fewest first: what is left over other jobs can use."""
    counts = [2**power for power in range(chosen.threads.bit_length()) if 2**power < chosen.threads]
    return [*(replace(chosen, threads=n) for n in counts), chosen]


# --- times and differences --------------------------------------------------------------------------------


def in_turn(
    programs: Mapping[Name, Callable[[], object]], *, n_rounds: int, clock: Callable[[], float]
) -> dict[Name, Timing]:
    """Time programs in rounds of all of them, every second one backwards; `clock` gives seconds. At least one round."""
    seconds: dict[Name, list[float]] = {name: [] for name in programs}
    for number in range(n_rounds):
        order = list(programs)[:: 1 if number % 2 == 0 else -1]
        for name in order:
            start = clock()
            programs[name]()
            seconds[name].append(clock() - start)
    return {name: Timing(tuple(taken)) for name, taken in seconds.items()}


def difference(vectors: FloatArray, plain: FloatArray) -> Difference:
    """How far (n, d) vectors are from the (n, d) plain ones, n >= 1."""
    ours, theirs = (unit_rows(array.astype(np.float64)) for array in (vectors, plain))
    return Difference(
        value=float(np.abs(ours - theirs).max()), cosine=float((ours * theirs).sum(axis=1).min())
    )


def told_apart(a: Timing, b: Timing) -> bool:
    """Whether the medians differ by more than either of the spreads; else no difference was seen."""
    return abs(a.median - b.median) > max(a.spread, b.spread)


def fastest(timings: Mapping[Name, Timing]) -> Name:
    """The first program, of at least one in the order of preference, that no other is seen to be faster than."""
    return next(
        name
        for name, timing in timings.items()
        if not any(other.median < timing.median and told_apart(other, timing) for other in timings.values())
    )
