"""Training data, and how encoders are trained on them: what entries of kind trained, presets and sweeps say."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from sentflow.config.collections import Column
from sentflow.config.datasets import FORMAT_OF_ENDING, Counted, Files, OfDataset, OwnFile, Table
from sentflow.config.model import (
    Count,
    Distinct,
    Int,
    LanguageIfKnown,
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
    keys_of_others,
    mistakes,
)
from sentflow.errors import no_pattern
from sentflow.training.data.forms import COLUMNS, FORMS
from sentflow.training.recipes.settings import RECIPES
from sentflow.training.settings import Rule, Selection, TrainingOptions

Form = Annotated[
    Literal["texts", "pairs", "triplets", "scored", "labelled", "spans"],
    Field(
        description="What a row has. texts is one text; pairs is text and other, which mean the same; "
        "triplets is text, other and negative, which means something else; scored is a triplet with a "
        "teacher's scores of text with other and with negative; labelled is text, other and label; spans is a"
        " text of several lines, or a list of texts, which are parts of one document. With form texts, every "
        "text column of a row makes a row of its own."
    ),
]
Format = Annotated[
    Literal["lines", "csv", "tsv", "jsonl", "json", "parquet"],
    Field(
        description="lines has one text per line; csv has real quoting, tsv is tab-separated without "
        "quoting; jsonl has one JSON object per line, json is one list of them; parquet has typed columns."
    ),
]
_COLUMNS = ("text", "other", "negative", "label", "labels", "score", "negative_score")
_FILES = ("files", "member", "missing", "encoding")
# Format → the keys that it reads
_KEYS = {
    "lines": (*_FILES, "pattern", *_COLUMNS),
    "csv": (*_FILES, *_COLUMNS, "header", "delimiter", "quoting"),
    "tsv": (*_FILES, *_COLUMNS, "header"),
    "jsonl": (*_FILES, *_COLUMNS),
    "json": (*_FILES, *_COLUMNS, "lists"),
    "parquet": (*_FILES, *_COLUMNS),
}
ORIGINS = ("pair_sets", "collections", "questions", "combined")
# Key → the origins whose rows it is about
_OF_ROWS = ("reader", "pair_sets", "collections", "questions")
_READ_BY = {
    "nli": ("reader",),
    "unscored": ("pair_sets",),
    **dict.fromkeys(("split", "neighbours"), ("collections",)),
    **dict.fromkeys(("negatives", "pseudo_labels", "without_documents_of"), ("questions",)),
    **dict.fromkeys(("least_characters", "drop_repeated", "limit", "shuffled_positives"), _OF_ROWS),
}
_FORMS_OF = {
    "pair_sets": ("texts", "pairs"),
    "collections": ("texts", "pairs", "spans"),
    "questions": ("pairs", "triplets", "labelled", "scored"),
    "combined": ("pairs",),
}
_NLI_FORMS = {"by-premise": ("pairs", "triplets"), "study-label-word": ("triplets",)}


class _OfNames(Settings):
    def wrong(self) -> Iterator[tuple[str, str]]:
        if not self.model_fields_set:
            yield "", "there are no names. Write some, or leave the key out."


class Collections(_OfNames):
    """Corpora and question sets."""

    corpora: Maybe[Names] = Field(None, min_length=1)
    """Names of corpora, whose documents are rows."""
    question_sets: Maybe[Names] = Field(None, min_length=1)
    """Names of question sets, whose questions are rows."""


class Neighbours(Settings):
    """Passages that follow one another."""

    words: Int = Field(ge=2)
    """Words of a passage."""


class PseudoLabels(Settings):
    """When the first document that a retriever finds counts as relevant."""

    retriever: Text
    """Name of the retriever, an entry of retrievers."""
    margin: Number = Field(ge=0)
    """Least difference of the two scores, in their units; other questions are left out."""


class WithoutTextsOf(_OfNames):
    """Tests whose texts are in no row."""

    tasks: Maybe[Names] = Field(None, min_length=1)
    """Names of tasks, selected or not."""
    pair_sets: Maybe[Names] = Field(None, min_length=1)
    """Names of selected pair sets."""
    question_sets: Maybe[Names] = Field(None, min_length=1)
    """Names of selected question sets, of which the questions count."""


class Combined(Settings):
    """Training data whose pairs are put together, each a relation of its own."""

    data: Names = Field(min_length=1)
    """Names of training data of the form pairs, in the order in which of two near copies the first stays."""
    without_texts_of: Maybe[WithoutTextsOf] = None
    """Tasks, selected or not, and selected pair sets and question sets. No text is in a row that equals one of
    theirs, holds it, or is part of it: at least 80 % of the character 5-grams of the smaller are in the larger, if
    it has 40 characters or more. For a question set its questions count.
    """
    near: Number = Field(0.8, gt=0, le=1)
    """Jaccard similarity of character 5-grams from which both texts of a pair make it a copy of an earlier one."""
    shards: Count = Field(1, le=1000)
    """Number of files of the export (snakemake exports)."""


class Negatives(Settings):
    """Documents that a retriever ranks high for a question and that are not relevant."""

    retriever: Text
    """Name of the retriever, an entry of retrievers."""
    ranks: Pair[Annotated[Count, Field(le=1000)]] = (1, 20)
    """First and last rank of candidates, relevant documents included."""
    number: Count | Literal["all"] = 1
    """Number of negatives for each relevant document (triplets) or question (labelled); or all."""
    choice: Literal["random", "first"] = "random"
    """Draw negatives from those ranks, or take the first."""
    seed: Seed = 0
    """Random seed of the draws."""
    margin: Number | None = Field(None, ge=0, lt=1)
    """A score is at most (1 − margin) times that of the relevant document, which must be ranked; null is no limit."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        if self.ranks[0] > self.ranks[1]:
            first, last = self.ranks
            yield "ranks", f"from {first} to {last} is nothing. Write the smaller number first."


class Columns(Table):
    """What is read of a file."""

    text: Column = "text"
    """Column of the text, by name, or by number from 1 where there is no header; for lines, there is no other."""
    other: Maybe[Column] = None
    """Column of the other text, which means the same, or of the hypothesis."""
    negative: Maybe[Column] = None
    """Column of a text that means something else, the hard negative."""
    label: Maybe[Column] = None
    """Column of the label."""
    score: Maybe[Column] = None
    """Column of a teacher's score of text with other (scored)."""
    negative_score: Maybe[Column] = None
    """Column of its score of text with negative."""
    labels: Maybe[
        Annotated[dict[str, Annotated[Int, Field(ge=0, le=999)]], Field(min_length=1)]
        | Annotated[Names, Field(min_length=1)]
    ] = None
    """Label as written → class, from 0, or a list of labels whose places are the classes. Left out, labels are
    classes already. Rows with another label are an error.
    """
    missing: Maybe[Names] = Field(None, min_length=1)
    """Cells that stand for nothing, e.g. N/A; rows with one are left out, as those with an empty cell are."""
    lists: bool = False
    """Whether other holds a list of texts, each of which makes a row (json)."""


class Reader(Columns):
    """How to read the rows out of files of the dataset."""

    format: Format
    files: Files
    pattern: Maybe[Text] = None
    """Regular expression of a line, whose named groups are the columns; other lines are left out (lines)."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        yield from keys_of_others(self, "format", _KEYS)
        if self.format == "lines" and self.pattern is None:
            for key in sorted(
                key for key in _COLUMNS if getattr(self, key) != Reader.model_fields[key].default
            ):
                yield key, "lines have no columns. Write a pattern with named groups, or leave the key out."


class RowChoice(Settings):
    """Which rows stay, and what is made of them."""

    nli: Maybe[Literal["by-premise", "study-label-word"]] = None
    """Makes pairs or triplets of premise (text), hypothesis (other) and label (1 entailment, 0 contradiction). by-
    premise takes entailed hypotheses, with a contradicted one of the same premise as negative. study-label-word takes
    every hypothesis, with the word of its label as negative, a defect of a published study.
    """
    least_characters: Count = 1
    """Skip rows with a text of fewer characters."""
    drop_repeated: bool = False
    """Skip rows that equal an earlier one."""
    limit: Maybe[Count] = None
    """Most rows, the first of those left."""
    shuffled_positives: Maybe[Seed] = None
    """Seed of a control that gives each row the other text of another row (pairs, triplets)."""


class DataFacts(RowChoice, Counted):
    """What training data say in both of their forms."""

    contains_test_texts: bool = False
    """Whether the data contain texts of test sets. Tables and model cards say so."""


class TrainingData(OfDataset, DataFacts):
    """Where the rows come from that an encoder is trained on, and what each row has (docs/training.md, Data)."""

    form: Form
    language: LanguageIfKnown
    dataset: Maybe[Text] = None  # type: ignore[assignment]
    reader: Maybe[Reader] = None
    pair_sets: Maybe[Names] = Field(None, min_length=1)
    """Names of pair sets whose sentences are the rows, instead of dataset and reader. Their scores are not read."""
    unscored: bool = False
    """Whether pairs that nobody scored are taken, too (pair_sets; files of SemEval have such pairs)."""
    collections: Maybe[Collections] = None
    """Corpora and question sets of which texts, pairs of title and text, or spans are the rows."""
    split: Maybe[Text] = None
    """Regular expression between two spans of a document (collections, spans); lines if left out."""
    neighbours: bool | Neighbours = False
    """Instead of title and text (collections, pairs): true makes a pair of a document and the next one of the same
    law, which is one whose identifier is the same before the last |; {words: 64} cuts documents into passages of so
    many words and makes pairs of those that follow one another. What is left at the end of a document is a passage
    if it has half as many words.
    """
    combined: Maybe[Combined] = None
    questions: Maybe[Names] = Field(None, min_length=1)
    """Question sets whose questions are the texts, each with a relevant document as other; others are left out."""
    pseudo_labels: Maybe[PseudoLabels] = None
    """The first document found counts as relevant, where its score is well above the second's (questions)."""
    without_documents_of: Maybe[Names] = Field(None, min_length=1)
    """Question sets that are reported on: documents judged for them are in no row (questions)."""
    negatives: Maybe[Negatives] = None

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        origins = [key for key in ORIGINS if getattr(self, key) is not None]
        n_read = (self.dataset is not None) + (self.reader is not None)
        if len(origins) + (n_read > 0) != 1 or n_read == 1:
            yield "", f"it has one origin. Write dataset and reader, or one of: {', '.join(ORIGINS)}."
            return
        origin = origins[0] if origins else "reader"
        for key, readers in _READ_BY.items():
            if key in self.model_fields_set and origin not in readers:
                yield key, f"rows of {origin} have none. Delete it, or write {' or '.join(readers)}."
        if self.form not in (forms := _FORMS_OF.get(origin, FORMS)):
            yield "form", f"{origin} gives {' or '.join(forms)}, not {self.form}. Write one of these."
        if self.shuffled_positives is not None and self.form not in ("pairs", "triplets"):
            yield (
                "shuffled_positives",
                f"data of the form {self.form} have no positives, so that it has no effect. Delete it, or write form: "
                "pairs.",
            )
        if self.reader is not None:
            yield from self._wrong_columns(self.reader)
        if self.collections is not None:
            yield from self._wrong_collections(self.collections)
        if self.questions is not None:
            yield from self._wrong_negatives()

    def _wrong_columns(self, reader: Reader) -> Iterator[tuple[str | Path, str]]:
        if self.nli is not None and self.form not in _NLI_FORMS[self.nli]:
            yield (
                "nli",
                f"{self.nli} makes {' or '.join(_NLI_FORMS[self.nli])}, not {self.form}. Write form: triplets.",
            )
            return
        named = {"text", *(key for key in COLUMNS if key in reader.model_fields_set)}
        needed = FORMS[self.form] if self.nli is None else ("text", "other", "label")
        for column in needed:
            if column not in named:
                yield ("reader", column), f"{self.form} have {', '.join(needed)}. Write {column}: <column>."
        if self.form == "texts":
            needed = [column for column in COLUMNS if column != "label"]
        for column in sorted(named.difference(needed)):
            yield (
                ("reader", column),
                f"{self.form} have {', '.join(needed)} only. Delete it, or write another form.",
            )

    def _wrong_collections(self, collections: Collections) -> Iterator[tuple[str | Path, str]]:
        if self.form != "texts" and collections.question_sets:
            place = ("collections", "question_sets")
            yield place, f"a question is none of the {self.form}. Delete them, or write form: texts."
        if self.neighbours and self.form != "pairs":
            yield "neighbours", f"{self.form} are not of two texts. Delete it, or write form: pairs."
        if self.split is not None and self.form != "spans":
            yield "split", f"{self.form} are not cut. Delete it, or write form: spans."
        elif self.split is not None and (wrong := no_pattern(self.split)):
            yield "split", wrong

    def _wrong_negatives(self) -> Iterator[tuple[str | Path, str]]:
        if self.negatives is None and self.form != "pairs":
            yield (
                "negatives",
                f"{self.form} need documents that are not relevant. Write negatives: {{retriever: bm25}}.",
            )
        elif self.negatives is not None and self.form == "pairs":
            yield "negatives", "pairs have none. Delete it, or write form: triplets."


class ShortTrainingData(OwnFile, Columns, DataFacts):
    """Training data of your own in short form have at least file (docs/training.md, Data)."""

    endings = {".txt": {"format": "lines"}, **FORMAT_OF_ENDING}

    format: Maybe[Format] = None
    """Format of the file, if its ending does not show it."""
    form: Maybe[Form] = None
    """What a row has; left out, the columns tell."""
    language: LanguageIfKnown = "und"


# --- trainings -----------------------------------------------------------------------------------------------------

INNER_POOLINGS = ("embedding-last", "first-last", "last-two")
PoolingName = Literal[
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
Pooling = Annotated[
    PoolingName | None,
    Field(
        description="How token vectors become one; null is as in the files, or mean for kind transformers."
    ),
]


class Recipe(Settings):
    """How an encoder is trained."""

    recipe: Maybe[Text] = None
    """Training recipe (docs/training.md)."""
    settings: dict[str, Any] = {}
    """Settings of the recipe (docs/training.md)."""
    training: Maybe[TrainingOptions] = None
    training_pooling: Maybe[PoolingName] = None
    """Pooling in training, if it differs from pooling in use."""
    pooling: Pooling = None


class Trained(Recipe):
    """The same, with settings that fit the recipe."""

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        yield from super().wrong()
        model = RECIPES.get(self.recipe or "")
        for mistake in mistakes(model, self.settings, where="settings") if model else ():
            yield mistake.place, mistake.text


class Round(TrainingOptions, Negatives):
    """A training of an entry with rounds: keys of training and negatives, over those of the entry and of its data.

    In names and titles, {name}, {title} and {start} are those of the entry, and {round} counts from 1.
    """

    name: Text = "{name}-{round}"
    """Of the encoder, and of the retriever that it makes."""
    title: Text = "{title} {round}"
    """Of the encoder and its retriever."""
    start: Text = ""
    """Encoder to start from; if left out, that of the round before, for the first that of the entry."""
    data: Text = ""
    """Training data; where there are none of that name, those of the start are taken with negatives of its own."""
    data_title: Text = "Negatives of {title}"
    """Title of data that are made."""
    retriever: Maybe[Text] = None  # type: ignore[assignment]
    """Retriever that finds the negatives; that of the start if left out."""
    settings: Maybe[dict[str, Any]] = None
    """Settings of the recipe, instead of those of the entry."""
    selection: Maybe[Selection] = None
    """Choice of the snapshot, instead of that of the entry."""


_ROUNDS = "Trainings, each of which starts from the one before, with negatives that it finds."
Rounds = Annotated[Several[Round], Field(min_length=1, description=_ROUNDS)]


class Preset(Trained):
    """The published settings of a training, which an entry of kind trained takes by preset."""

    title: Title
    recipe: Text
    """Training recipe (docs/training.md)."""
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


class Sweep(Method):
    """A grid of trainings, each of them an encoder of its own (docs/training.md, Sweeps)."""

    title: Maybe[Title] = None
    grid: Grid
    """Axis (method, data, start, seed, or a key of training) → its values; every combination is a cell."""
    only: Maybe[Filters] = None
    """Filters (axis → value or values), of which a cell fits one; each combination is a cell without it."""
    run: Literal["all", "none"] | Filters = "all"
    """Which cells are trained: all, none (published values alone), or those that fit one of some filters."""
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
