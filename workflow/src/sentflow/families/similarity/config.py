"""Pair sets and regressions in catalog and configuration, and what may be wrong with them."""

from collections.abc import Iterator

from sentflow.config.entries import AllEntries, Selected, derived
from sentflow.config.experiment import Configuration
from sentflow.config.pairs import PairSet, Regression
from sentflow.config.problems.shared import file_problems, needed
from sentflow.config.sections import ConfigPart, Section
from sentflow.families import pair_sets
from sentflow.texts.pair_files import raw_files_of


def _problems(config: Configuration, entries: AllEntries, selected: Selected) -> Iterator[str]:
    for name in selected["regressions"]:
        yield from pair_sets.part_problems("regressions", name, entries)
    known = pair_sets.whole_sets(selected, entries)
    for name, entry in known.items():
        files = list(raw_files_of(entry))
        where = f"pair_sets.{name}"
        yield from file_problems(where, entry["dataset"], files, entries["datasets"], key="reader")
    yield from pair_sets.family_problems(known, entries["datasets"])
    yield from _baseline_problems(config)
    yield from needed(config, "regressions", selected["regressions"])
    if not config.similarity.baselines:
        yield from needed(config, "pair sets without similarity.baselines", selected["pair_sets"])


def _baseline_problems(config: Configuration) -> list[str]:
    """Encoders with the name of a similarity that needs none: both would write the same files."""
    return [
        f"config.select.models: {name!r} is also one of similarity.baselines. Give the encoder another name."
        for name in config.select.models
        if name in config.similarity.baselines
    ]


SIMILARITY = ConfigPart(
    (
        Section("pair_sets", "pair set", ("select.pair_sets",), model=PairSet, derive=derived),
        Section("regressions", "regression", ("select.regressions",), model=Regression),
    ),
    problems=_problems,
)
