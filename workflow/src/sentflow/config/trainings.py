"""How encoders are trained: what entries of kind trained, presets and sweeps say."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from sentflow.config.model import (
    Correlation,
    Count,
    Distinct,
    Int,
    LowerName,
    Maybe,
    Names,
    Note,
    Number,
    Pair,
    Path,
    Seed,
    Settings,
    Several,
    Text,
    Title,
    mistakes,
)
from sentflow.training.recipes.settings import SETTINGS as RECIPE_SETTINGS

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
    Field(description="The same in training, where that is another way than in use."),
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


class Tokenizer(Settings):
    """A vocabulary learnt from the rows; texts are normalised and split as the tokenizer of like does."""

    size: Int = Field(ge=10)
    """Tokens of the vocabulary, special ones included; vocab_size of the configuration follows."""


class Start(Settings):
    """An encoder with random weights: the architecture of another, perhaps changed."""

    like: str
    """The encoder whose tokenizer and architecture are taken."""
    configuration: dict[str, Any]
    """Keys of its config.json that are changed, e.g. num_hidden_layers; the weights are drawn."""
    tokenizer: Maybe[Tokenizer] = None
    """Learn the vocabulary from the rows that are trained on; texts are normalised and split as the tokenizer of
    like does.
    """


class Matryoshka(Settings):
    """The first numbers of each vector, trained to be a vector of their own."""

    dimensions: Distinct[Count] = Field(min_length=1)
    """How many numbers are left; name the whole width, too."""
    weights: Maybe[Several[Annotated[Number, Field(gt=0)]]] = None
    """What the loss of each is multiplied by; 1 if left out."""


class Lora(Settings):
    """A product of two thin matrices beside each of some layers."""

    rank: Count
    """Of the product."""
    alpha: Number = Field(gt=0)
    """The product is multiplied by alpha / rank."""
    dropout: Number = Field(0, ge=0, lt=1)
    """Probability of dropout before the product."""
    targets: Several[Text] | None = Field(None, min_length=1)
    """Ends of the names of the layers, e.g. query; null is what peft takes for this type of model."""


class TrainingOptions(Settings):
    """How any recipe is trained."""

    learning_rate: Maybe[Number] = Field(None, gt=0)
    """Highest learning rate, after the warm-up."""
    steps: Count | None = None
    """Updates of the weights; or write epochs."""
    epochs: Number | None = Field(None, gt=0)
    """Passes over the rows; or write steps."""
    batch_size: Count = 64
    """Rows of a batch, at least 2 where other rows of a batch are negatives."""
    accumulate: Count = 1
    """Batches whose gradients are averaged to one step; negatives are those of one batch."""
    max_tokens: Int = Field(128, ge=3)
    """Texts are cut after this many tokens in training, special ones included."""
    schedule: Literal["linear", "cosine", "constant"] = "linear"
    """The learning rate after the warm-up, linear or cosine to 0 at the last step, or constant."""
    warm_up: Number = Field(0, ge=0, le=1)
    """Share of the steps in which the learning rate rises from 0."""
    weight_decay: Number = Field(0, ge=0)
    """Of AdamW; biases and normalisations are not decayed."""
    betas: Pair[Annotated[Number, Field(ge=0, lt=1)]] = (0.9, 0.999)
    """Of AdamW."""
    epsilon: Number = Field(1e-08, gt=0)
    """Of AdamW."""
    bias_correction: bool = True
    """Whether AdamW corrects its moments for their start at 0. The AdamW of ConSERT, which false takes, does not,
    and decays weights after the step.
    """
    clip: Number | None = Field(1.0, gt=0)
    """Greatest norm of the gradient; null is no limit."""
    precision: Literal["float32", "bfloat16-autocast", "float16-autocast"] = "float32"
    """float32, or products of matrices in a shorter type; bfloat16-autocast is faster on processors with
    instructions for it, float16-autocast needs a GPU.
    """
    last_batch: Literal["keep", "drop"] = "keep"
    """Whether an epoch keeps or drops the rows that do not fill its last batch. A row left alone without a negative
    of its own is always dropped by recipes that compare the rows of a batch.
    """
    snapshots: Count | None = None
    """Every so many steps the encoder is saved, and before the first; null is after the last step alone."""
    chunk_tokens: Int = Field(512, ge=8)
    """Texts of a batch are computed in chunks of about equal length, of at most so many tokens with padding."""
    gradient_cache: bool = False
    """Whether chunks are computed twice, so that memory does not grow with the batch."""
    held_out: Number | None = Field(None, gt=0, lt=1)
    """Share of the rows that are drawn by the seed, never trained on, and measured at each snapshot; rounded down to
    whole batches. null is none.
    """
    matryoshka: Matryoshka | None = None
    """Train the first numbers of each vector to be a vector of their own; null is without."""
    lora: Lora | None = None
    """Train a product of two thin matrices beside each of some layers, and add it to their weights at the end; null
    is without.
    """


class Rule(Settings):
    """How a snapshot is chosen."""

    measure: Correlation = "spearman"
    """The score."""
    rule: Literal["best", "last"] = "best"
    """The snapshot with the best score, the earliest of equals; or the last, whatever its score."""
    patience: Count | None = None
    """The search ends after so many scores without improvement; null looks at all snapshots."""
    counted: Literal["reset", "cumulative"] = "reset"
    """Whether the count starts again with an improvement, or counts every score below the one before (as SG-BERT's
    code).
    """


class Selection(Rule):
    """Which snapshot is the encoder; without this key the last one."""

    pairs: str
    """The pair set on which snapshots are scored; none that the results are reported on."""


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
        model = RECIPE_SETTINGS.get(self.recipe or "")
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
