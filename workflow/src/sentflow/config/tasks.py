"""Tasks and protocols of probes: entries of the catalog."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from sentflow.config.collections import Column, Records
from sentflow.config.datasets import FORMAT_OF_ENDING, Counted, OfDataset, OwnFile, Written
from sentflow.config.model import (
    Count,
    DataVersion,
    Distinct,
    Int,
    Language,
    Maybe,
    Number,
    Path,
    Seed,
    Settings,
    Several,
    Text,
    Title,
    keys_of_others,
)
from sentflow.errors import no_pattern
from sentflow.probing.settings import Switches, Training

Family = Annotated[
    str,
    Field(
        pattern=r"^(factual|governmental|trust|own|[^a-z\s].*)\z",
        description="Group in the tables: factual, governmental, trust, own, or a heading that does not begin with a"
        " lower-case letter.",
    ),
]
Metric = Annotated[
    Literal["mcc", "adjusted_macro_f1"],
    Field(description="mcc (two classes), or adjusted_macro_f1 (macro-F1, scaled so that chance is 0)."),
]
Classifier = Annotated[
    Literal["logistic", "mlp"],
    Field(description="Probe on the embeddings; mlp has a hidden layer of 256 units."),
]
Layout = Annotated[
    Literal["columns", "single", "pair", "alternatives"],
    Field(
        description="What a row holds. single is one text, pair is two, alternatives is a question and its "
        'answers joined by " [SEP] ", the same number in every row; columns is single or pair, whichever '
        "the file's columns say."
    ),
]
Class = Annotated[str, Field(pattern=r"^-?[0-9]{1,18}\z", description="A class is a whole number.")]
FILE = "file"
"""As column of a label, group or topic: the name of the file, without its ending."""
_RECORDS = ("file", "labels", "member", "encoding", "delimiter")
_NAMED = ("text_a", "text_b", "label", "group")
_DERIVED = (
    *(
        "sources",
        "labels",
        "replace",
        "least_words",
        "distinct",
        "matching",
        "topic_pattern",
        "not_in",
        "joined",
    ),
    *("names", "name_pattern", "split", "balanced", "length_step", "threshold", "makes", "seed"),
)
# Format → the keys that it reads; the first of them, and those in _NEEDED, must be there
_KEYS = {
    "ulysses-csv": _RECORDS,
    "csv": (*_RECORDS, *_NAMED, "quoting"),
    "jsonl": ("file", "labels", "member", "encoding", *_NAMED),
    "parquet": ("file", "labels", *_NAMED),
    "arff": (*_RECORDS, *_NAMED),
    "text-folders": ("file", "labels", "encoding", "root", "group"),
    "assin-xml": ("file", "labels", "member"),
    "derived": _DERIVED,
}
_NEEDED = {
    "text-folders": ("root",),
    **dict.fromkeys(("csv", "jsonl", "parquet", "arff"), ("text_a", "label")),
}


class Columns(Written):
    """What is read of a file with one row each."""

    text_a: Maybe[Text] = None
    """Column of the text, or of the first text."""
    text_b: Maybe[Text] = None
    """Column of the second text, or of the alternatives: joined by " [SEP] ", or a list in jsonl and parquet."""
    label: Maybe[Text] = None
    """Column of the label."""
    labels: Maybe[
        Annotated[dict[str, Int], Field(min_length=1)] | Annotated[Distinct[str | Int], Field(min_length=2)]
    ] = None
    """Labels that are not integers: a list, the first of which is class 0; or a map from label to class, which may
    join classes. Put yes, no, true and false in quotes.
    """
    group: Maybe[Text] = None
    """Column of the document that a row comes from; name for text-folders, where files of one name belong together."""


class TaskSource(Records):
    """Files, and which columns are texts, label, document and topic; rows without one of these are left out."""

    text_a: Column
    """Column of the text, or of the first text."""
    text_b: Maybe[Column] = None
    """Column of the second text, or of the alternatives."""
    label: Maybe[Column] = None
    """Column of the label; file is the name of the file, without its ending."""
    group: Maybe[Column] = None
    """Column that names the document of a row; file is the name of the file, without its ending."""
    topic: Maybe[Column] = None
    """Column of the topic within which second texts are exchanged, or classes balanced; or file, the file's name."""
    key: Maybe[Column] = None
    """Column by which rows are joined with the records of joined."""


class JoinedSource(Records):
    """Files, and which columns are the key and the second text."""

    key: Column
    """Column by which rows are joined with the records of joined."""
    text_b: Column
    """Column of the second text, or of the alternatives."""


class Replacement(Settings):
    """What is replaced in texts."""

    pattern: Text
    """Regular expression; upper and lower case count alike."""
    by: str = ""
    """What stands there then; nothing if left out."""


class Matching(Settings):
    """What cells must match as a whole, after replacements."""

    text_a: Maybe[Text] = None
    """Regular expression of the text."""
    text_b: Maybe[Text] = None
    """Regular expression of the second text."""
    label: Maybe[Text] = None
    """Regular expression of the label."""
    topic: Maybe[Text] = None
    """Regular expression of the topic."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        if not self.model_fields_set:
            yield "", "nothing is matched. Write a cell and its pattern, or leave the key out."


class Reader(Columns):
    """How to read the rows out of a file of the dataset."""

    format: Literal["ulysses-csv", "csv", "jsonl", "parquet", "arff", "text-folders", "assin-xml", "derived"]
    """ulysses-csv has a first column that is an index, then text, label or text a, text b, label; csv has named
    columns; arff is Weka's format; jsonl has one JSON object per line, parquet typed columns; text-folders is an
    archive with one folder of text files per label; assin-xml has pair elements, whose label is the attribute
    entailment; derived makes rows of the records of sources (docs/open-tasks.md).
    """
    file: Maybe[Text] = None
    """Name of the file in the dataset. An archive (zip or tar) can be given instead of the one text file in it."""
    root: Maybe[Text] = None
    """Folder that holds the folders of texts, wherever it is in the archive (text-folders)."""
    sources: Maybe[Several[TaskSource]] = Field(None, min_length=1)
    """Where the records are from, one after the other (derived)."""
    replace: Maybe[Several[Replacement]] = Field(None, min_length=1)
    """What is replaced in texts, in order; white space becomes single (derived)."""
    least_words: Maybe[Count] = None
    """Rows with fewer words in their first text, after all replacements, are left out (derived)."""
    distinct: bool = False
    """Whether of rows with the same first text, but for case and punctuation, only the first stays (derived)."""
    matching: Maybe[Matching] = None
    """Cell → regular expression that it must match as a whole, after replacements (derived)."""
    topic_pattern: Maybe[Text] = None
    """Regular expression of the topic in its cell, the first match; all of the cell if left out (derived)."""
    not_in: Maybe[Several[TaskSource]] = Field(None, min_length=1)
    """Records whose first texts are in no row, but for case and punctuation (derived)."""
    joined: Maybe[Several[JoinedSource]] = Field(None, min_length=1)
    """Records with the key of a row and its text_b; rows without one are left out (derived)."""
    names: Maybe[Several[TaskSource]] = Field(None, min_length=1)
    """Records of names; a row with exactly one has it masked, and as text b; others are left out (derived)."""
    name_pattern: Maybe[Text] = None
    """Regular expression of the names in a cell of names, every match; all of the cell if left out (derived)."""
    split: Maybe[Text] = None
    """Regular expression between text a and text b in a text, the first match; others are left out (derived)."""
    balanced: bool = False
    """Whether every topic has as many rows of each class, drawn from those that it has (derived)."""
    length_step: Maybe[Count] = None
    """Characters; with balanced, texts in one step of length have as many of each class (derived)."""
    threshold: Maybe[Number] = None
    """Labels are numbers; from this on they are class 1, below class 0 (derived)."""
    makes: Maybe[Literal["exchange", "cross", "alter"]] = None
    """How rows of both classes are made of records that have none (derived). exchange matches pairs of a topic in
    twos, and half of the matches exchange their second texts, which are class 0; the others are class 1. cross
    matches documents, and half of the pairs of both exchange them. alter exchanges a word for its opposite in half
    of the texts, which are class 1.
    """
    seed: Seed = 0
    """Of what is drawn, with the name of the task (derived)."""

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        yield from keys_of_others(self, "format", _KEYS)
        for key in (_KEYS[self.format][0], *_NEEDED.get(self.format, ())):
            if getattr(self, key) is None:
                yield "", f"{key!r} is missing, which the format {self.format} needs."
        if self.format == "text-folders" and self.group not in (None, "name"):
            yield (
                "group",
                f"{self.group!r} is no column of folders of texts. Write name, or leave the key out.",
            )
        if self.format == "derived" and not self.makes:
            for number, source in enumerate(self.sources or ()):
                if source.label is None:
                    yield ("sources", number), "there is no label. Write its column, or makes in the reader."
        yield from self._wrong_patterns()

    def _wrong_patterns(self) -> Iterator[tuple[Path, str]]:
        patterns: dict[Path, str | None] = {
            (key,): getattr(self, key) for key in ("topic_pattern", "name_pattern", "split")
        }
        for number, one in enumerate(self.replace or ()):
            patterns["replace", number, "pattern"] = one.pattern
        for key, text in self.matching or ():
            patterns["matching", key] = text
        for place, pattern in patterns.items():
            if pattern and (wrong := no_pattern(pattern)):
                yield place, wrong


class TaskRows(Counted):
    """What tasks say of their rows in both of their forms."""

    class_counts: Maybe[dict[Class, Annotated[Int, Field(ge=0)]]] = Field(None, min_length=1)
    """Class → number of rows that it must have."""
    documents: Maybe[Literal["texts"]] = None
    """texts: rows that share a text, directly or through other rows, count as one document (docs/protocols.md)."""


class TaskSettings(TaskRows):
    """What the table of a task depends on."""

    layout: Layout
    reader: Reader
    data_version: DataVersion


class TaskFacts(TaskRows):
    """What tasks say in both of their forms."""

    protocol: Maybe[Text] = None
    """Protocol of the scores; probe.protocol if left out, but corrected instead of published."""
    offensive: bool = False
    """Whether texts are abusive, so that reports hide them until asked."""


class Task(OfDataset, TaskSettings, TaskFacts):
    """How to read labelled rows out of a dataset, and how they are scored."""

    family: Family
    metric: Metric
    classifier: Classifier
    published: bool = True
    """Whether there can be published scores: true for tasks that sentflow comes with. It is set by itself."""
    leaked_hidden_layer: bool = False
    """Whether the published evaluator probes it with the hidden layer of F3 and F5 (defect A1)."""


class ShortTask(OwnFile, Columns, TaskFacts):
    """A task of your own has at least file, text, label, metric, licence and language (docs/adding-a-task.md)."""

    endings = {**FORMAT_OF_ENDING, ".arff": {"format": "arff"}}

    text: Maybe[Text] = None
    """Column of the text."""
    label: Text
    """Column of the label."""
    format: Maybe[Literal["csv", "jsonl", "parquet", "arff"]] = None
    """Format of the file, if its ending does not show it."""
    metric: Metric
    classifier: Classifier = "logistic"
    layout: Layout = "columns"
    """single, pair, or alternatives; depends on the columns if left out."""
    family: Family = "own"
    language: Language
    licence: Text
    """Terms of use, "not stated" where upstream gives none."""

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        yield from super().wrong()
        if self.text is not None and self.text_a is not None:
            yield "text", "text and text_a are the same column. Write one of them."
        if self.text is None and self.text_a is None:
            yield (
                "text",
                "there is no column for the texts. Write text: <column>, or text_a: and text_b: for a pair.",
            )


class Protocol(Settings):
    """How probes are trained, tested and summed up, as differences from the published evaluator (docs/protocols.md)."""

    like: Maybe[Text] = None
    """Name of another protocol whose switches and training are taken; keys written here are merged over them."""
    title: Title
    description: Maybe[Text] = None
    """What it is for, for the report."""
    switches: Switches = Switches()
    training: Training = Training()
