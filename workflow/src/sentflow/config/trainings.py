"""How encoders are trained: what entries of kind trained, presets and sweeps say."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from sentflow.config.model import (
    Distinct,
    LowerName,
    Maybe,
    Names,
    Note,
    Number,
    Path,
    Seed,
    Settings,
    Several,
    Text,
    Title,
    mistakes,
)
from sentflow.training.recipes.settings import RECIPES
from sentflow.training.settings import Rule, Selection, TrainingOptions

INNER_POOLINGS = ("embedding-last", "first-last", "last-two")
TrainingPooling = Annotated[
    Literal[
        "cls",
        "embedding-last",
        "first-last",
        "last-token",
        "last-two",
        "max",
        "mean",
        "mean-sqrt-length",
        "weighted-mean",
    ],
    Field(description="How vectors are read out in training, where that is another way than in use."),
]
Pooling = Annotated[
    Literal[
        "cls",
        "embedding-last",
        "first-last",
        "last-token",
        "last-two",
        "max",
        "mean",
        "mean-sqrt-length",
        "weighted-mean",
    ]
    | None,
    Field(
        description="How token vectors become one; null is what the files say, and mean for kind transformers. "
        "first-last, last-two and embedding-last average two layers first."
    ),
]


class Recipe(Settings):
    """How an encoder is trained."""

    recipe: Maybe[Text] = None
    """How it is trained, see docs/training.md."""
    settings: dict[str, Any] = {}
    """Of the recipe, see docs/training.md."""
    training: Maybe[TrainingOptions] = None
    training_pooling: Maybe[TrainingPooling] = None
    pooling: Pooling = None


class Trained(Recipe):
    """The same, with settings that fit the recipe."""

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        """Settings that are not those of the recipe."""
        yield from super().wrong()
        model = RECIPES.get(self.recipe or "")
        for mistake in mistakes(model, self.settings, where="settings") if model else ():
            yield mistake.place, mistake.text


class Preset(Trained):
    """The published settings of a training, which an entry of kind trained takes by preset."""

    title: Title
    recipe: Text
    """How it is trained, see docs/training.md."""
    training: TrainingOptions
    selection: Maybe[Rule] = None
    """Which snapshot is the encoder; the entry names the pairs."""
    source: Text
    """Paper or repository and commit that the settings are of."""
    note: Maybe[Note] = None


class Method(Recipe):
    """What is peculiar to entries of a method, merged over the keys of the sweep."""

    preset: Maybe[Text] = None
    """Name of published settings in catalog/presets.yaml, over which the keys of the entry are laid."""


Value = Number | str | bool
Filters = Annotated[
    Several[Annotated[dict[str, Value | Several[Any]], Field(min_length=1)]],
    Field(
        min_length=1,
        description="Axis → the value, or values, that it must have; axes that are not named may have any.",
    ),
]


class Grid(Settings):
    """Axis → its values: method, data, start, seed, or a key of training such as learning_rate."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Annotated[Distinct[Value], Field(min_length=1)]]
    method: dict[LowerName, Method] = Field(min_length=1)
    """Name → what is peculiar to entries of this method, merged over the keys of the sweep."""
    start: Maybe[Names] = Field(None, min_length=1)
    """Names of encoders to start from."""
    data: Maybe[Names] = Field(None, min_length=1)
    """Names of training data."""
    seed: Distinct[Seed] = Field(min_length=1)
    """Seeds of the trainings; a claim about a method takes at least 6."""


class PublishedSweep(Settings):
    """The published sweep beside which the cells stand (workflow/catalog/published_training.yaml)."""

    name: Text
    """Of the published sweep."""
    section: Maybe[Text] = None
    """The section of it that is meant; all if left out."""


class Sweep(Recipe):
    """A grid of trainings, each of them an encoder of its own (docs/training.md, Sweeps)."""

    preset: Maybe[Text] = None
    """Name of published settings in catalog/presets.yaml, over which the keys of the entry are laid."""
    title: Maybe[Title] = None
    grid: Grid
    """Axis → its values; every combination is a cell. An axis is method, data, start, seed, or a key of training
    such as learning_rate.
    """
    only: Maybe[Filters] = None
    """Filters (axis → value or values); a cell is a combination that fits one of them. Without it, each combination
    is one.
    """
    run: Literal["all", "none"] | Filters = "all"
    """Which cells are trained. all, none (a table of published values with none of ours), or filters of which a cell
    fits one.
    """
    not_applicable: Maybe[Filters] = None
    """Filters; cells that fit one of them cannot be trained, and are shown as a dash."""
    start: Maybe[Text] = None
    """Encoder to start from, where all cells have the same."""
    data: Maybe[Text] = None
    """Training data, where all cells have the same."""
    selection: Maybe[Selection] = None
    development: Maybe[Text] = None
    """Pair set whose scores the tables of the sweep show as development scores; that of the selection if left out."""
    test: Maybe[Text] = None
    """Pair set whose scores the tables of the sweep show as test scores."""
    published: Maybe[PublishedSweep] = None
    """The published sweep beside which the cells stand (workflow/catalog/published_training.yaml)."""
