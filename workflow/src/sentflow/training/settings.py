"""How encoders are trained: what entries of kind trained say, and what the jobs of a training read.

No digest of code holds this module, for all that it says reaches jobs as their params: nothing here computes a result.
The Snakefile imports it: standard library and pydantic only.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, ValidationInfo, field_validator

from sentflow.config.model import (
    Count,
    Distinct,
    Int,
    Maybe,
    Names,
    Number,
    Pair,
    Seed,
    Settings,
    Several,
    Text,
)
from sentflow.similarity.settings import PairSetSettings
from sentflow.training.recipes.settings import RECIPES, RecipeSettings

KEEP, DROP = "keep", "drop"
LINEAR, CONSTANT, COSINE = "linear", "constant", "cosine"
FLOAT32, BFLOAT16, FLOAT16 = "float32", "bfloat16-autocast", "float16-autocast"
# How evaluations without improvement are counted for early stopping: each that is lower than the one before, never
# counted back (galsang/SG-BERT@23d5ebec); instead of "reset", those since the best so far
CUMULATIVE = "cumulative"
BEST, LAST = "best", "last"
HELD_OUT = "held-out"  # instead of a pair set: the rows of the training's own data that are not trained on
LOSS, AVERAGE_PRECISION = "loss", "average_precision"
# Whatever a snapshot is scored on → the measures by which it may be chosen, and examples of them
_MEASURES = {
    "pairs": (re.compile("spearman|pearson"), "spearman or pearson"),
    HELD_OUT: (re.compile(f"{LOSS}|{AVERAGE_PRECISION}"), f"{LOSS} or {AVERAGE_PRECISION}"),
    "questions": (re.compile(r"(nDCG|AP|RR|R|P|Success)@[1-9]\d{0,2}"), "for example RR@10 or nDCG@10"),
}


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
    """Learn the vocabulary from the rows; texts are normalised and split as the tokenizer of like does."""


class OptionSettings(Settings):
    """Settings of an option of any recipe; with the distributions whose versions count beside those of any training."""

    libraries: ClassVar[tuple[str, ...]] = ()


class Matryoshka(OptionSettings):
    """The first numbers of each vector, trained to be a vector of their own."""

    dimensions: Distinct[Count] = Field(min_length=1)
    """How many numbers are left; name the whole width, too."""
    weights: Maybe[Several[Annotated[Number, Field(gt=0)]]] = None
    """What the loss of each is multiplied by; 1 if left out."""


class Lora(OptionSettings):
    """A product of two thin matrices beside each of some layers."""

    libraries = ("peft",)

    rank: Count
    """Of the product."""
    alpha: Number = Field(gt=0)
    """The product is multiplied by alpha / rank."""
    dropout: Number = Field(0, ge=0, lt=1)
    """Probability of dropout before the product."""
    targets: Several[Text] | None = Field(None, min_length=1)
    """Ends of the names of the layers, e.g. query; null is what peft takes for this type of model."""


class HeldOutTexts(Settings):
    """Rows that are held out text by text."""

    texts: Count
    """How many texts (questions) are drawn; no row of theirs is trained on, but their other texts may be."""


class TrainingOptions(Settings):
    """How any recipe is trained."""

    learning_rate: Maybe[Number] = Field(None, gt=0)
    """Highest learning rate, after the warm-up."""
    steps: Count | None = None
    """Updates of the weights; or write epochs."""
    epochs: Number | None = Field(None, gt=0)
    """Passes over the rows; or write steps."""
    batch_size: Count = 64
    """Rows of a batch, at least 2 if other rows of a batch are negatives."""
    accumulate: Count = 1
    """Batches whose gradients are averaged to one step; negatives come from one batch."""
    max_tokens: Int = Field(128, ge=3)
    """Most tokens of a text in training, including special ones."""
    schedule: Literal["linear", "cosine", "constant"] = "linear"
    """Learning rate after the warm-up: linear or cosine to 0 at the last step, or constant."""
    warm_up: Number = Field(0, ge=0, le=1)
    """Share of the steps in which the learning rate rises from 0."""
    weight_decay: Number = Field(0, ge=0)
    """Of AdamW; biases and normalisations are not decayed."""
    betas: Pair[Annotated[Number, Field(ge=0, lt=1)]] = (0.9, 0.999)
    """Of AdamW."""
    epsilon: Number = Field(1e-08, gt=0)
    """Of AdamW."""
    bias_correction: bool = True
    """Whether AdamW corrects its moments for their start at 0; that of ConSERT (false) does not, and decays later."""
    clip: Number | None = Field(1.0, gt=0)
    """Largest norm of the gradient; null is no limit."""
    precision: Literal["float32", "bfloat16-autocast", "float16-autocast"] = "float32"
    """float32, or a shorter type for products of matrices; float16-autocast needs a GPU."""
    last_batch: Literal["keep", "drop"] = "keep"
    """Whether an epoch keeps or drops the rows that do not fill its last batch."""
    snapshot_every: Count | Literal["epoch"] | None = None
    """Save the encoder every so many steps, or after every epoch, and before the first; null is only after the last.
    Synonym: `snapshots`.
    """
    chunk_tokens: Int = Field(512, ge=8)
    """Most tokens, with padding, of the chunks of similar length in which a batch is computed."""
    gradient_cache: bool = False
    """Compute chunks twice, so that memory does not grow with the batch."""
    held_out: Annotated[Number, Field(gt=0, lt=1)] | HeldOutTexts | None = None
    """Share of the rows that is drawn, never trained on, and measured at each snapshot; or {texts: 50}, the rows of so
    many drawn texts; null is none.
    """
    matryoshka: Matryoshka | None = None
    """Train the first numbers of each vector as vectors of their own (docs/training.md)."""
    lora: Lora | None = None
    """A product of two thin matrices is trained beside each of some layers, and added at the end; null is without."""


class TrainingSettings(TrainingOptions):
    """Length, batches and optimiser of the training (docs/training.md)."""

    learning_rate: Number = Field(gt=0)
    """Highest learning rate, after the warm-up."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        if (self.steps is None) == (self.epochs is None):
            yield "", "write either steps or epochs, and not both."
        elif self.snapshot_every == "epoch" and self.epochs is None:
            yield "snapshot_every", "steps have no epochs. Write a number, or epochs instead of steps."

    @property
    def options(self) -> Mapping[str, OptionSettings]:
        """Name → settings of the options of any recipe that are taken, in the order in which they are laid over it."""
        options = {"matryoshka": self.matryoshka, "lora": self.lora}
        return {name: option for name, option in options.items() if option is not None}


class Rule(Settings):
    """How a snapshot is chosen."""

    measure: Text = "spearman"
    """The score: spearman or pearson of pairs, loss (the lowest is best) or average_precision of held-out rows, a
    measure of retrieval such as RR@10 of questions.
    """
    rule: Literal["best", "last"] = "best"
    """The snapshot with the best score, the earliest of equals; or the last, whatever its score."""
    patience: Count | None = None
    """The search ends after so many scores without improvement; null looks at all snapshots."""
    counted: Literal["reset", "cumulative"] = "reset"
    """Whether an improvement resets the count, or it counts every score below the one before (SG-BERT's code)."""


class Selection(Rule):
    """Choice of the snapshot that is the encoder; the last one if left out."""

    pairs: Maybe[str] = None
    """The pair set on which snapshots are scored, none that the results are reported on; or held-out, for the rows of
    training.held_out.
    """
    questions: Maybe[str] = None
    """Instead of pairs, the question set: each snapshot searches its corpus. None that the results are reported on."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        if (self.pairs is None) == (self.questions is None):
            yield "", "write either pairs or questions, and not both."
            return
        kind = "questions" if self.questions else HELD_OUT if self.pairs == HELD_OUT else "pairs"
        known, examples = _MEASURES[kind]
        if not known.fullmatch(self.measure):
            yield "measure", f"{self.measure!r} is no measure of {kind}. Write {examples}."


def option_module(name: str) -> str:
    """The module of an option of any recipe, which jobs import by its name: `prepare` and `extended`."""
    return f"sentflow.training.options.{name}"


# --- jobs -----------------------------------------------------------------------------------------------------


class StartOfTraining(Settings):
    """The encoder that a training starts from."""

    name: Text
    configuration: dict[str, Any] | None = None
    """Keys of its config.json that are changed where the weights are drawn; null takes its weights."""
    tokenizer: Tokenizer | None = None


class TrainingRun(Settings):
    """Everything that a training is a function of, beside its files."""

    model: Text
    recipe: Text
    settings: RecipeSettings
    least_rows: Int
    """Of a batch, where the recipe compares a text with others of its batch."""
    training: TrainingSettings
    seed: Seed
    pooling: str | None
    """How the encoder is read out in training; null is as the start's files say."""
    segment: str | None
    """How words are marked in texts, see `sentflow.texts.segmentation`."""
    start: StartOfTraining
    data: Text
    form: Text

    @field_validator("settings", mode="before")
    @classmethod
    def _of_recipe(cls, settings: Any, info: ValidationInfo) -> Any:
        if isinstance(settings, RecipeSettings):
            return settings
        return RECIPES[info.data["recipe"]].model_validate(settings)


class SnapshotChoice(Rule):
    """Which snapshot is the encoder."""

    model: Text
    kind: Text
    """Of the encoder that the recipe makes."""
    pairs: str | None = None
    """The pair set or question set on which snapshots are scored, or held-out; null where none are."""


class ScoredSnapshot(Settings):
    """What is scored on development pairs, or on development questions."""

    model: Text
    step: Int
    pairs: Text
    """The pair set, or the question set."""
    measure: str | None = None
    """Of questions; null of pairs, of which all are written."""


class ComparedTrainings(PairSetSettings):
    """Trainings that are compared; the seed is that of all pair sets, see `bootstrap_seed`."""

    pair_sets: Names
    groups: dict[str, dict[str, str]]
    """What is trained several times → seed → encoder."""
    controls: Names
    """Those of `groups` that are controls."""


class CardSettings(Settings):
    """What the configuration says of an encoder and of what it was made of."""

    title: Text
    licence: str = ""
    """Of the trained encoder, as SPDX names it; empty where nobody has said."""
    languages: Names = ()
    """ISO 639-1, of the training data."""
    base: str = ""
    """The encoder, itself not trained here, that the training began with, perhaps through others; empty for none."""
    base_title: str = ""
    base_hub: str = ""
    """Its name on the hub; empty where it did not come from there."""
    base_revision: str = ""
    base_licence: str = ""
    path: Names = ()
    """The encoders between it and this one, in the order of training."""
    data: str = ""
    """Name of the training data."""
    data_title: str = ""
    data_hub: str = ""
    data_licence: str = ""
    read_out: str = ""
    """Pooling of the vectors that were scored; empty where it is that of the files."""
    segment: str = ""
    """How words are marked in the texts that it reads, see `sentflow.texts.segmentation`; empty for not at all."""
    siblings: dict[str, int] = {}
    """Encoder → seed, of the trainings that differ in nothing but the seed, this one included."""


# --- tables of trainings -------------------------------------------------------------------------------------

# Cells of a table of trainings, as papers print them
VALUE = "value"
NOT_RUN = "?"
NOT_APPLICABLE = "-"


def shown_start(name: str, *, drawn: bool) -> str:
    """An encoder, or random weights with its tokenizer and architecture, which are another start than the encoder."""
    return f"random weights like {name}" if drawn else name
