"""What acceptance checks are asked, and what they answer."""

from dataclasses import dataclass, field

# A score this far above guessing is still called chance: less than any difference that is claimed
# anywhere, and far below what a leak of labels gives.
CONTROL_TOLERANCE = 0.05


@dataclass(frozen=True)
class Selection:
    """What the config asked for.

    Attributes
    ----------
    tasks, models
        Names selected.
    random_models
        Those of the models whose vectors know nothing of the texts.
    pairs, pair_models, baselines
        Pair sets, and what is scored on them: encoders with fixed vectors, and overlaps of texts.
    question_sets, retrievers
        Question sets, and what searches for them.
    """

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
    """Outcome of one check.

    Attributes
    ----------
    name, rule
        What was checked, in a word and in a sentence.
    counts
        How much was looked at.
    problems
        One line per offending row; empty if the check passed.
    """

    name: str
    rule: str
    counts: dict[str, int]
    problems: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.problems
