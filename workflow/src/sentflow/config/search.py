"""How documents are cut, analysed and given as answers: entries of the catalog."""

from collections.abc import Iterator
from math import inf
from typing import Annotated, Literal

from pydantic import Field

from sentflow.config.model import (
    Count,
    Int,
    Maybe,
    Names,
    Number,
    Settings,
    Sha256,
    Text,
    Title,
)

TuningFolds = Annotated[
    Int,
    Field(
        ge=2,
        le=100,
        description="Folds of the training questions; what is chosen on all but one of them is judged on that one.",
    ),
]
PARAMETERS = ("most", "window", "share", "least")
_BOUNDS = {"most": (1, inf, 1), "window": (0, inf, 0), "share": (0, 1, 0), "least": (-inf, inf, 0)}
MOST_CANDIDATES = 5000  # weights, or parameters of a decision, that are tried


class StopList(Settings):
    """A list of terms in a file."""

    file: Text
    """Path of a text file in UTF-8, one term per line, relative to the folder in which you run."""
    sha256: Maybe[Sha256] = None
    """SHA-256 of the file; another file is then refused. An edit of the file runs the analysis again either way."""


class Range(Settings):
    """Numbers from one to another, both included."""

    from_: Number = Field(alias="from")
    """First number."""
    to: Number
    """Last number."""
    step: Number = Field(gt=0)
    """Distance of two numbers."""


class Analyser(Settings):
    """How texts become the terms that lexical retrievers count (docs/retrieval.md)."""

    title: Maybe[Title] = None
    units: Literal["words", "long-words", "character-bigrams", "vietnamese-words"]
    """words are runs of letters, digits and underscores; long-words those of two or more; character-bigrams pairs of
    neighbours within a word; vietnamese-words are made by underthesea.
    """
    lower: bool = True
    """Whether case is dropped."""
    normalise: bool = True
    """Whether letters and accents are compared in Unicode's composed form (NFC). false is for comparisons with
    scores of texts as they stand.
    """
    stop_words: Maybe[Text | Names | StopList] = None
    """Terms that are dropped, compared after the case was; or the name of a list of bm25s, e.g. english; or a file
    of yours with one term per line.
    """
    stemmer: Literal["none", "english", "portuguese", "german", "spanish", "french", "italian"] = "none"
    """Language of Snowball's stemmer."""


class Cut(Settings):
    """How long documents are cut into passages that are searched in their stead (docs/retrieval.md)."""

    title: bool = True
    """Whether each passage begins with the title of its document."""
    words: Maybe[Count] = None
    """Words of a passage, between white space."""
    tokens: Maybe[Count] = None
    """Tokens of a passage, counted by the tokenizer of the encoder that reads it; its title and what the encoder
    adds come on top. Instead of words.
    """
    overlap: Int = Field(0, ge=0)
    """Words, or tokens, that a passage shares with the one before it."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        """Whether the length is told, in one way."""
        if (self.words is None) == (self.tokens is None):
            yield "", "how long is a passage? Write words or tokens, and not both."
        elif self.overlap >= (size := self.tokens or self.words or 0):
            unit = "words" if self.tokens is None else "tokens"
            yield (
                "overlap",
                f"passages of {size} {unit} cannot overlap by {self.overlap}. Write fewer than {size}.",
            )


class Decision(Settings):
    """Which ranked documents are given as an answer: those that pass all that is written (docs/retrieval.md)."""

    title: Maybe[Title] = None
    most: Maybe[Count | Range] = None
    """Documents per question at most; a number, or a range to choose from."""
    window: Maybe[Annotated[Number, Field(ge=0)] | Range] = None
    """Keeps scores that are below the best one by at most so much; a number, or a range to choose from."""
    share: Maybe[Annotated[Number, Field(ge=0, le=1)] | Range] = None
    """Keeps scores of at least this share of the best one, whatever the units of scores; a number, or a range to
    choose from.
    """
    least: Maybe[Number | Range] = None
    """Keeps scores of at least so much, in the units of the retriever; a number, or a range to choose from."""
    tuned_on: Maybe[Names] = Field(None, min_length=1)
    """Question sets on which the mean F2 chooses among ranges. They may share no question with a set that is
    decided, unless it is that set.
    """
    folds: TuningFolds = 10
    retrievers: Maybe[Names] = Field(None, min_length=1)
    """Names of selected retrievers whose runs it is applied to; all if left out."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        """What is no decision, ranges that are none, and ranges without questions to choose on."""
        given = {key: getattr(self, key) for key in PARAMETERS if getattr(self, key) is not None}
        ranges = {key: one for key, one in given.items() if isinstance(one, Range)}
        if not given:
            yield "", f"nothing is decided. Write one of: {', '.join(PARAMETERS)}."
        if ranges and self.tuned_on is None:
            yield next(iter(ranges)), "a range, but no questions to choose on. Write tuned_on, or a number."
        if not ranges and self.tuned_on is not None:
            yield (
                "tuned_on",
                "there is nothing to choose. Write a range {from, to, step}, or delete tuned_on.",
            )
        n_candidates = 1.0
        for key, one in ranges.items():
            if one.to < one.from_:
                yield key, f"from {one.from_} to {one.to} is no range. Write the lesser number first."
            least, most, unit = _BOUNDS[key]
            if one.from_ < least or one.to > most or (unit and (one.from_ % unit or one.step % unit)):
                kind = "whole numbers" if unit else "numbers"
                yield key, f"from {one.from_} to {one.to}. Write {kind} from {least} to {most}."
            n_candidates *= max(1.0, 1 + (one.to - one.from_) / one.step)
        if n_candidates > MOST_CANDIDATES:
            yield (
                "",
                f"its ranges have {n_candidates:.0f} values. Write larger steps: at most {MOST_CANDIDATES}.",
            )
