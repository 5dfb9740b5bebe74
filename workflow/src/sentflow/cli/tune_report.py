"""What `sentflow tune` prints: a table of all that was tried, and the choice as YAML."""

from collections.abc import Iterator, Sequence

from sentflow.cli.terminal import Block, Listing
from sentflow.cli.texts_to_tune import ChosenTexts
from sentflow.encoders.tuning.candidates import Candidate
from sentflow.encoders.tuning.tune import Stage

_HEADER = (
    *("Backend", "dtype", "Batch tokens", "Threads", "Texts/s", "Tokens/s", "Spread", "Times the first"),
    *("Largest difference", "Lowest cosine", "Result"),
)
_NOT_MEASURED = ("",) * 6


def blocks(
    model: str, stages: Sequence[Stage], texts: ChosenTexts, *, n_tokens: int, tolerance: float
) -> list[Block]:
    """The table, what it speaks of, and the settings of the last stage's choice."""
    rows = [row for stage in stages for row in _rows(stage, len(texts.texts), n_tokens, tolerance=tolerance)]
    notes = (
        f"{len(texts.texts)} texts, {n_tokens / len(texts.texts):.0f} tokens each on average: {texts.origin}. Speeds "
        "and differences hold for such texts on this machine.",
        "Medians over rounds; the spread is that of the middle half of them, and a difference within it counts as "
        "none.",
        "Largest difference of a value, and lowest cosine: unit vectors against those of torch in float32.",
    )
    table = Listing(_HEADER, rows, "llrrrrrrrrl", caption=f"{model} on this machine", notes=notes)
    return [table, "\n".join(_settings(model, stages[-1].chosen, tolerance=tolerance))]


def _rows(stage: Stage, n_texts: int, n_tokens: int, *, tolerance: float) -> Iterator[tuple[str, ...]]:
    yield (stage.question,)
    first = next(iter(stage.measured.values())).timing.median
    for candidate, found in stage.measured.items():
        seconds = found.timing.median
        yield (
            *_names(candidate),
            f"{n_texts / seconds:,.0f}",
            f"{n_tokens / seconds:,.0f}",
            f"{100 * found.timing.spread / seconds:.0f} %",
            f"{first / seconds:.2f}",
            f"{found.difference.value:.0e}",
            f"{found.difference.cosine:.5f}",
            stage.verdict(candidate, tolerance=tolerance),
        )
    for candidate in stage.left_out:
        yield (*_names(candidate), *_NOT_MEASURED, stage.verdict(candidate, tolerance=tolerance))


def _names(candidate: Candidate) -> tuple[str, ...]:
    return candidate.backend, candidate.dtype, str(candidate.batch_tokens), str(candidate.threads)


def _settings(model: str, chosen: Candidate, *, tolerance: float) -> list[str]:
    return [
        f"# The fastest of which no value of a unit vector differs by more than {tolerance:g}.",
        "# In your configuration; vectors are computed again where this is a change:",
        "models:",
        f"  {model}:",
        f"    backend: {chosen.backend}",
        f"    dtype: {chosen.dtype}",
        f"    batch_tokens: {chosen.batch_tokens}",
        "# In profiles/default/profile.yaml; changes no number:",
        "set-threads:",
        f"  embed: {chosen.threads}",
    ]
