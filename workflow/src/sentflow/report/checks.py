"""What acceptance checks are asked, and what they answer; and the check of figures."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sentflow.files.io import read_sealed
from sentflow.flow.paths import FIGURE_INSPECTION
from sentflow.report.inputs import Inputs

# A score this far above guessing is still called chance: less than any difference that is claimed
# anywhere, and far below what a leak of labels gives.
CONTROL_TOLERANCE = 0.05


@dataclass(frozen=True)
class Selection:
    """What the config asked for."""

    # tasks, models, pairs, baselines, question_sets, retrievers: names selected
    # random_models: those of the models whose vectors know nothing of the texts
    # pair_models: encoders with fixed vectors, which are scored on pair sets
    tasks: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    random_models: list[str] = field(default_factory=list)
    pairs: list[str] = field(default_factory=list)
    pair_models: list[str] = field(default_factory=list)
    baselines: list[str] = field(default_factory=list)
    question_sets: list[str] = field(default_factory=list)
    retrievers: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class CheckResult:
    """Outcome of one check."""

    # name, rule: what was checked, in a word and in a sentence
    name: str
    rule: str
    counts: dict[str, int]  # how much was looked at
    problems: list[str] = field(default_factory=list)  # one line per offending row; empty if the check passed

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.problems


def unselected(
    scored: Iterable[tuple[str, str]], sets: Sequence[str], systems: Sequence[str]
) -> Iterator[str]:
    """What lacks a score of the selected sets and systems, and what has one without being selected."""
    known, wanted = dict.fromkeys(scored), [(name, system) for name in sets for system in systems]
    yield from (f"{name} × {system}: no score" for name, system in wanted if (name, system) not in known)
    yield from (f"{name} × {system}: not selected" for name, system in known if (name, system) not in wanted)


def check_figures(inputs: Inputs, _selection: Selection) -> CheckResult:
    """All that is written in figures can be read, as was measured when they were drawn."""
    end = FIGURE_INSPECTION.rpartition("}")[2]
    found = [read_sealed(file) for file in inputs.files if file.name.endswith(end)]
    return CheckResult(
        "figures",
        "No figure has overlapping or clipped texts, or collapsed panels.",
        {"figures": len(found), "texts": sum(one["n_texts"] for one in found)},
        [f"{one['figure']}: {problem}" for one in found for problem in one["problems"]],
    )
