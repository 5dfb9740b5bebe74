"""Pair sets, and what is measured on them: entries of the catalog."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from pydantic import Field

from sentflow.config.datasets import Checks, Counted, Files, OfDataset, Table
from sentflow.config.entries import Entries
from sentflow.config.model import (
    Count,
    DataVersion,
    Int,
    Language,
    LowerName,
    Maybe,
    Names,
    Number,
    Pair,
    PartOfData,
    Settings,
    Several,
    Text,
    Title,
    keys_of_others,
)


class Reader(Table):
    """How to read the pairs out of files of the dataset."""

    format: Literal["semeval", "tsv", "csv", "jsonl", "json", "parquet", "assin-xml", "blocks"]
    """semeval has one file of sentences and one of gold per sub-source, with a blank line of gold where a pair was
    not scored; tsv is tab-separated without quoting, csv has real quoting; jsonl has one JSON object per line, json
    is one list of them; parquet has typed columns; assin-xml has pair elements with t, h and similarity; blocks has
    sets of paraphrases, each so many lines.
    """
    files: Maybe[Files] = None
    subsets: Maybe[Names] = Field(None, min_length=1)
    """Sub-sources in their order (semeval)."""
    input: Maybe[str] = Field(None, pattern=r"\{subset\}")
    """Name of the files of sentences; {subset} stands for the sub-source (semeval)."""
    gold: Maybe[str] = Field(None, pattern=r"\{subset\}")
    """Name of the files of scores; {subset} stands for the sub-source (semeval)."""
    text_a: Text | Count = "text_a"
    """Column of the first sentence, by name, or by number from 1 without a header; for blocks, of the sentence."""
    text_b: Text | Count = "text_b"
    """Column of the second sentence."""
    score: Text | Count = "score"
    """Column of the score; in json and jsonl it may be a path, labels.label."""
    subset: Maybe[Text | Count] = None
    """Column of the sub-source, left out where there are none."""
    scores: Maybe[dict[str, Number]] = Field(None, min_length=1)
    """Score as written in the file → number, where it is not a number on the scale; put it in quotes."""
    columns: Maybe[Several[Count]] = Field(None, min_length=1)
    """Numbers of fields that a line may have; as many as the first line has if left out (tsv, csv, blocks)."""
    spaces: Literal["keep", "remove"] = "keep"
    """remove deletes the spaces of all sentences, for languages in which only some files separate words by spaces."""
    block: Maybe[Int] = Field(None, ge=2, multiple_of=2)
    """Lines per set of paraphrases; the first and second are a pair, the third and fourth, and so on (blocks)."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        yield from keys_of_others(self, "format", _KEYS)
        for key in _NEEDED.get(self.format, ("files",)):
            if getattr(self, key) is None:
                yield "", f"{key!r} is missing, which the format {self.format} needs."
        if not self.header:
            for key in ("text_a",) if self.format == "blocks" else ("text_a", "text_b", "score"):
                if isinstance(column := getattr(self, key), str):
                    yield (
                        key,
                        f"{column!r} names a column, but without a header columns have numbers. "
                        "Write its number, from 1.",
                    )


_NEEDED = {"semeval": ("subsets", "input", "gold"), "blocks": ("files", "block")}
_COLUMNS = ("files", "member", "text_a", "text_b", "score", "subset", "scores", "encoding", "spaces")
_LINES = (*_COLUMNS, "header", "columns", "delimiter")
# Format → the keys that it reads; of those, some may be left out
_KEYS = {
    "semeval": ("subsets", "input", "gold", "scores", "encoding", "spaces"),
    "tsv": _LINES,
    "csv": (*_LINES, "quoting"),
    "jsonl": _COLUMNS,
    "json": _COLUMNS,
    "parquet": tuple(key for key in _COLUMNS if key != "member"),
    "assin-xml": _COLUMNS,
    "blocks": (*_LINES, "block"),
}


class PairSettings(Settings):
    """What the table of a pair set depends on."""

    reader: Reader
    data_version: DataVersion
    language: Language
    scale: Pair[Number]
    """Least and greatest score that a pair can have; a score outside is an error."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        if not self.scale[0] < self.scale[1]:
            yield "scale", f"{list(self.scale)} is no scale. Write [least, greatest], e.g. [0, 5]."


class PairCounts(Counted):
    """How many pairs there must be."""

    subset_rows: Maybe[dict[str, Count]] = Field(None, min_length=1)
    """Sub-source → number of scored pairs that it must have; other numbers are an error."""


class PairChecks(Checks, PairCounts):
    """What is checked of the table of a pair set."""


class PairSet(OfDataset, PairSettings, PairCounts):
    """Scored sentence pairs of a dataset, for similarity, alignment and uniformity."""

    family: LowerName
    """Pair sets whose sentences are embedded together; part of paths, and the name of no dataset."""
    group: Maybe[Text] = None
    """Column of the usual tables of papers that the set fills, e.g. STS12; left out where there is none."""
    split: Maybe[PartOfData] = None


class Alignment(Settings):
    """A way to measure alignment and uniformity of vectors on pair sets (docs/similarity.md)."""

    title: Text
    """Name for tables and captions; says split, comparison and variant."""
    pairs: Names = Field(min_length=1)
    """Pair sets of one family, taken together. Uniformity is that of their sentences."""
    positives: Maybe[Names] = Field(None, min_length=1)
    """Pair sets of the family whose positive pairs give alignment; those of pairs if left out."""
    variant: Literal["definition", "alignunformeval", "per-batch"]
    """definition is that of Wang and Isola: normalised, squared distances, t = 2, all pairs of sentences.
    alignunformeval is what the package of that name computes: neither normalised nor squared. per-batch is what a
    study of Korean and English encoders computes: the mean over batches of pairs, in which uniformity is computed
    over the positive sentences only. Their numbers cannot be compared.
    """
    threshold: Number
    """Gold score, on the scale of the pair sets, from which a pair counts as positive."""
    comparison: Literal["above", "at-least"]
    """Whether a score equal to the threshold counts; above leaves it out, at-least includes it."""
    sentences: Literal["all", "unique"]
    """all takes every sentence of both sides as often as it occurs, unique takes each once."""
    batch: Maybe[Int] = Field(None, ge=2)
    """Pairs of a batch, of per-batch only; 64 in the study."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        if self.variant == "per-batch" and self.batch is None:
            yield "", "'batch' is missing, the pairs of a batch of per-batch; 64 in the study."
        if self.variant != "per-batch" and self.batch is not None:
            yield "batch", "only per-batch has batches. Leave the key out, or write variant: per-batch."
        if self.variant != "definition" and self.sentences != "all":
            yield (
                "sentences",
                "the published tools take every sentence as often as it occurs. Write all, or variant: definition.",
            )


class Regression(Settings):
    """Pair sets of one family on which a similarity is trained, chosen and tested, as SentEval does."""

    title: Title
    train: Text
    """Pair set that the regressor is trained on (training split)."""
    dev: Text
    """Pair set for early stopping (development split)."""
    test: Text
    """Pair set that is reported (test split)."""


PERMUTED = "-permuted"
"""Ends the name of the collection of a family's texts with their words in another order."""
_MADE_OF_SETS = {"alignments": ("pairs", "positives"), "regressions": ("train", "dev", "test")}


def pair_sets_of(section: str, entry: Mapping[str, Any]) -> list[str]:
    """The pair sets that an entry of alignments or regressions is made of."""
    named = [entry.get(key, []) for key in _MADE_OF_SETS[section]]
    return [name for one in named for name in ([one] if isinstance(one, str) else one)]


def needed_pair_sets(selected: Mapping[str, Iterable[str]], entries: Mapping[str, Entries]) -> list[str]:
    """The selected pair sets, then those that selected alignments and regressions are made of; each once."""
    needed = list(selected["pair_sets"])
    for section in _MADE_OF_SETS:
        for name in selected[section]:
            needed += pair_sets_of(section, entries[section][name])
    return list(dict.fromkeys(needed))
