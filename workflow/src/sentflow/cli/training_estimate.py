"""`sentflow resources --configfile`: what the trainings of an experiment would take, estimated beforehand."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.cli.collected_rows import collected_rows
from sentflow.cli.configuration import read_experiment
from sentflow.cli.terminal import Listing, show_blocks
from sentflow.errors import ConfigError
from sentflow.families.training.needs import start_of
from sentflow.graph.config.experiment import Experiment
from sentflow.training.recipes.table import LABELLED, PAIRS, SCORED, SPANS, TEXTS, TRIPLETS
from sentflow.training.selection import BEST
from sentflow.training.settings import TrainingSettings

# Tokens per second of a training of 12 layers of 768, as BERT-base; --tokens-per-second states others.
TOKENS_PER_SECOND: Mapping[str, tuple[float, str]] = {
    "cpu": (
        80,
        "one thread in float32: an eighth, as BERT-base has eight times the weights in its layers, of the 641 "
        "measured of all-MiniLM-L6-v2 on an AMD EPYC with AVX-512",
    ),
    "gpu": (30_000, "an assumption for one GPU of a data centre; nothing was measured"),
}
WEIGHTS_MB = 440.0
"""Of a start: BERT-base, 110 million weights of 4 bytes."""

# Texts that a step represents for a row, at most: two views of a text, two spans of a document, or one view of each
# text of a row, and of labelled rows two views of both
_VIEWS = {TEXTS: 2, PAIRS: 2, SPANS: 2, TRIPLETS: 3, SCORED: 3, LABELLED: 4}
# Recipes that have fewer: a language model reads a text once, a cross-encoder two texts together, and others both texts
# of a labelled row
_FEWER_VIEWS = {
    ("mlm", TEXTS): 1,
    ("condenser", TEXTS): 1,
    ("bi-encoder", LABELLED): 2,
    ("sparse-embed", LABELLED): 2,
    ("cross-encoder", LABELLED): 1,
    ("cross-encoder", TRIPLETS): 2,
}
_COPIES = 4  # of the weights on a device, in float32: themselves, their gradients, two moments of AdamW
_HOUR = 3600


@dataclass(frozen=True)
class Estimate:
    """What one training takes at most.

    Attributes
    ----------
    steps
        Of the optimiser.
    tokens
        That are represented, if every text is as long as the limit, padding aside.
    snapshots
        That lie on the disk before one of them is chosen, that of step 0 included.
    left
        Of these, that stay: the chosen one and, where that may be another, the last.
    """

    recipe: str
    start: str
    steps: int
    tokens: int
    snapshots: int
    left: int


def estimated(experiment: Experiment) -> dict[str, Estimate | None]:
    """Trained encoder → its estimate; None where its steps follow from a number of rows that no entry states."""
    data = experiment.entries["training_data"]
    return {
        name: _estimate(entry, data[entry["data"]], experiment)
        for name, entry in experiment.trained_models.items()
    }


def training_estimate(
    files: Sequence[Path],
    *,
    device: str,
    tokens_per_second: float | None,
    weights_mb: float,
    at_a_time: int,
) -> None:
    """Print the estimate for the experiment of some files that are laid over ``config.yaml``.

    Parameters
    ----------
    device
        A key of `TOKENS_PER_SECOND`.
    tokens_per_second
        Of one training; None is that of the device, divided by how much larger a snapshot is than one of BERT-base.
    weights_mb
        Of a snapshot, MB.
    at_a_time
        Trainings side by side, whose snapshots all lie on the disk.

    Raises
    ------
    ConfigError
        A mistake of the configuration, no training in it, an unknown device, or a number that is not above 0.
    """
    if device not in TOKENS_PER_SECOND:
        raise ConfigError(f"--device {device}: write {' or '.join(TOKENS_PER_SECOND)}.")
    speed, source = TOKENS_PER_SECOND[device]
    if weights_mb > WEIGHTS_MB:
        speed, source = speed * WEIGHTS_MB / weights_mb, f"{source}; here for {weights_mb:,.0f} MB of weights"
    if tokens_per_second is not None:
        speed, source = tokens_per_second, "as you state"
    given = {"tokens-per-second": speed, "weights-mb": weights_mb, "at-a-time": at_a_time}
    if wrong := [
        f"--{name} {value:g}" for name, value in given.items() if not (math.isfinite(value) and value > 0)
    ]:
        raise ConfigError(f"{', '.join(wrong)}: write a number above 0.")
    experiment = read_experiment(files)
    found = estimated(experiment)
    if not found:
        raise ConfigError("the experiment selects no trained encoder, so there is nothing to estimate.")
    kept = bool(experiment.config.training.keep_snapshots)
    show_blocks(
        [
            Listing(
                ("Recipe", "Start", "Trainings", "Steps", "M tokens", f"{device.upper()} hours", "Snapshots"),
                _rows(found, speed),
                "llrrrrr",
                caption="Trainings: an estimate of what they take, made before any of them ran",
                notes=(
                    f"Hours: steps × rows of a step × texts of a row × the limit of tokens, at {speed:,.0f} tokens/s "
                    f"({source}). Texts that are shorter than the limit and half precision make it less; the gradient "
                    "cache, which computes a text twice, Condenser's head and starts larger than --weights-mb make it "
                    "more. Embedding and scoring snapshots come on top. A training of yours tells its own tokens/s "
                    "(table training-costs): --tokens-per-second.",
                    "Rows that are mined count as if every question had as many negatives as it may have, and "
                    "documents as if each had two spans: there are fewer.",
                    f"Memory of the device: {_COPIES * weights_mb / 1000:,.1f} GB for weights, gradients and moments, "
                    "and on top what the layers keep of a batch, or with the gradient cache of a chunk (chunk_tokens).",
                    _disk(found, weights_mb, at_a_time, kept=kept),
                    *_unknown(found),
                ),
            )
        ]
    )


def _estimate(entry: Mapping[str, Any], data: Mapping[str, Any], experiment: Experiment) -> Estimate | None:
    training = TrainingSettings.of(entry["training"])
    rows_of_step = training.batch_size * training.accumulate
    steps = training.steps
    if steps is None:
        n_rows = data.get("rows", data.get("limit", collected_rows(dict(data), experiment.entries)))
        if n_rows is None or training.epochs is None:
            return None
        steps = math.ceil(n_rows * training.epochs / rows_of_step)
    selection = entry.get("selection", {})
    chosen = "pairs" in selection and (selection.get("rule", BEST) == BEST or "patience" in selection)
    return Estimate(
        recipe=entry["recipe"],
        start=str(start_of(entry)["name"]),
        steps=steps,
        tokens=steps * rows_of_step * _views(entry["recipe"], data["form"]) * training.max_tokens,
        snapshots=len(training.snapshot_steps(steps)),
        left=2 if chosen else 1,
    )


def _views(recipe: str, form: str) -> int:
    return _FEWER_VIEWS.get((recipe, form), _VIEWS[form])


def _rows(found: Mapping[str, Estimate | None], speed: float) -> list[tuple[str, ...]]:
    groups: dict[tuple[str, str], list[Estimate]] = {}
    for one in _known(found):
        groups.setdefault((one.recipe, one.start), []).append(one)
    rows = [(recipe, start, *_sums(ones, speed)) for (recipe, start), ones in groups.items()]
    return [*rows, ("all", "", *_sums(_known(found), speed))]


def _sums(ones: Sequence[Estimate], speed: float) -> tuple[str, ...]:
    tokens = sum(one.tokens for one in ones)
    return (
        f"{len(ones):,}",
        f"{sum(one.steps for one in ones):,}",
        f"{tokens / 1e6:,.1f}",
        f"{tokens / speed / _HOUR:,.1f}",
        f"{sum(one.snapshots for one in ones):,}",
    )


def _disk(found: Mapping[str, Estimate | None], weights_mb: float, at_a_time: int, *, kept: bool) -> str:
    largest = sorted(_known(found), key=lambda one: one.snapshots, reverse=True)
    counts = [one.snapshots for one in largest]
    # The largest trainings may be at work last, when every other one has its encoder
    peak = sum(counts if kept else [*counts[:at_a_time], *(one.left for one in largest[at_a_time:])])
    why = (
        "training.keep_snapshots is true, so all of them stay"
        if kept
        else f"the chosen and the last one of every training stay, and all of {at_a_time} at a time (--at-a-time). "
        "A training counts until its snapshots are embedded and one is chosen, which may be long after it ended"
    )
    return (
        f"Disk for snapshots at peak: {peak * weights_mb / 1000:,.0f} GB, {peak:,} of {weights_mb:,.0f} MB "
        f"(--weights-mb; {WEIGHTS_MB:g} is BERT-base): {why}. All of them together would be "
        f"{sum(counts) * weights_mb / 1000:,.0f} GB. The state from which a training goes on has three times "
        "its weights."
    )


def _unknown(found: Mapping[str, Estimate | None]) -> list[str]:
    names = [name for name, one in found.items() if one is None]
    if not names:
        return []
    return [
        f"Not in the sums, because nothing states how many rows an epoch has: {', '.join(names)}. Write steps, or rows."
    ]


def _known(found: Mapping[str, Estimate | None]) -> list[Estimate]:
    return [one for one in found.values() if one is not None]
