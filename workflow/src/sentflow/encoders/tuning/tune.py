"""The settings of a neural encoder that are fastest on this machine, and whose vectors are near enough to plain ones.

Three questions one after the other, each with the answers to those before it: which backend and dtype, how many tokens
in a batch, how many threads. All together would be some fifty programs instead of a dozen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.neural import load as neural
from sentflow.encoders.kinds.neural.backends import missing_libraries, requirements
from sentflow.encoders.kinds.neural.encoder import SentenceTransformerEncoder
from sentflow.encoders.kinds.neural.settings import Settings
from sentflow.encoders.manifest import Manifest
from sentflow.encoders.protocol import Encoder, FloatArray
from sentflow.encoders.roles import TEXT
from sentflow.encoders.settings import wrong_backend
from sentflow.encoders.tuning import candidates
from sentflow.encoders.tuning.candidates import Candidate
from sentflow.encoders.tuning.choice import fastest, told_apart
from sentflow.encoders.tuning.measure import Difference, Timing, difference, in_turn
from sentflow.errors import ConfigError

# Makes the encoder with a candidate's settings; raises ConfigError where the model cannot be computed in this way.
Load = Callable[[Candidate], Encoder]


def loader(
    manifest: Manifest, settings: Settings, manifest_folder: Path
) -> Callable[[Candidate], SentenceTransformerEncoder]:
    """Loads a neural model on the processor, by its settings with those of a candidate in their place."""

    def load(candidate: Candidate) -> SentenceTransformerEncoder:
        own = {name: getattr(candidate, name) for name in ("backend", "dtype", "batch_tokens")}
        around = Surroundings(manifest_folder, threads=candidate.threads, devices=("cpu",))
        return neural.load(manifest, replace(settings, **own), around)

    return load


@dataclass(frozen=True)
class Measurement:
    """What was measured of a candidate."""

    timing: Timing
    difference: Difference


@dataclass(frozen=True)
class Stage:
    """Candidates that were measured in turn."""

    question: str  # what they differ in
    # measured: candidate → what was measured, in the order of preference; the first is what the others are compared
    # with
    measured: Mapping[Candidate, Measurement]
    left_out: Mapping[Candidate, str]  # candidate → why it could not be measured
    chosen: Candidate  # one of the measured

    def verdict(self, candidate: Candidate, *, tolerance: float) -> str:
        """One or three words for the table."""
        if candidate == self.chosen:
            return "chosen"
        if candidate in self.left_out:
            return self.left_out[candidate]
        found = self.measured[candidate]
        if found.difference.value > tolerance:
            return "beyond the tolerance"
        apart = told_apart(found.timing, self.measured[self.chosen].timing)
        return "slower" if apart else "no difference seen"


@dataclass(frozen=True)
class Measuring:
    """How is measured."""

    texts: Sequence[str]  # n >= 1 texts, none empty
    # tolerance: of the values of unit vectors: those of a chosen candidate differ from plain ones by no more
    tolerance: float
    n_rounds: int  # of every stage
    clock: Callable[[], float]
    tell: Callable[[str], None]  # is given a line before each step


def tune(load: Load, settings: Settings, *, threads: int, measuring: Measuring) -> list[Stage]:
    """Measure candidates; the last stage's choice is the answer."""
    first = candidates.precisions(settings.batch_tokens, threads)
    left_out = {candidate: problem for candidate in first if (problem := _problem(candidate, settings))}
    plain = _encode(load(first[0]), measuring.texts)
    stages: list[Stage] = []
    for question, following in (
        ("backend and dtype", lambda _: first),
        ("tokens of a batch", candidates.batches),
        ("threads", candidates.threads),
    ):
        kept = stages[-1].chosen if stages else first[0]
        tried = following(kept)
        if len(tried) > 1:
            stages.append(_stage(question, tried, kept, left_out, load, plain, measuring))
    return stages


def _problem(candidate: Candidate, settings: Settings) -> str:
    """Why a candidate cannot be measured; empty if it can."""
    if missing_libraries(candidate.backend):
        return f"not installed: pip install -r {requirements(candidate.backend)}"
    wrong = wrong_backend(candidate.backend, candidate.dtype, settings.pooling)
    return " ".join(f"{key}: {text}" for key, text in wrong)


def _stage(
    question: str,
    tried: Sequence[Candidate],
    kept: Candidate,
    left_out: Mapping[Candidate, str],
    load: Load,
    plain: FloatArray,
    measuring: Measuring,
) -> Stage:
    """`kept`: what was chosen before, which needs no tolerance any more."""
    encoders: dict[Candidate, Encoder] = {}
    refused = {candidate: left_out[candidate] for candidate in tried if candidate in left_out}
    for candidate in tried:
        if candidate in refused:
            continue
        measuring.tell(f"{question}: loading {_named(candidate)}")
        try:
            encoders[candidate] = load(candidate)
        except ConfigError as error:
            refused[candidate] = str(error)
    # The first run of a program, which prepares much, is for the vectors; the timed ones come after it
    differences = {
        candidate: difference(_encode(encoder, measuring.texts), plain)
        for candidate, encoder in encoders.items()
    }
    measuring.tell(f"{question}: {len(encoders)} candidates, {measuring.n_rounds} rounds")
    timings = in_turn(
        {
            candidate: lambda encoder=encoder: _encode(encoder, measuring.texts)  # type: ignore[misc]
            for candidate, encoder in encoders.items()
        },
        n_rounds=measuring.n_rounds,
        clock=measuring.clock,
    )
    near = {
        candidate: timing
        for candidate, timing in timings.items()
        if candidate == kept or differences[candidate].value <= measuring.tolerance
    }
    return Stage(
        question=question,
        measured={
            candidate: Measurement(timing, differences[candidate]) for candidate, timing in timings.items()
        },
        left_out=refused,
        chosen=fastest(near),
    )


def _named(candidate: Candidate) -> str:
    return f"{candidate.precision}, batches of {candidate.batch_tokens} tokens, threads: {candidate.threads}"


def _encode(encoder: Encoder, texts: Sequence[str]) -> FloatArray:
    return encoder.encode(texts, role=TEXT, task=None)
