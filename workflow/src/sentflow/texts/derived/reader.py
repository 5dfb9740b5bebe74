"""Rows of a task that are derived from public records: what columns mean, what is masked, how negatives are made."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from sentflow.audit.ngrams import plain
from sentflow.errors import ConfigError, no_pattern
from sentflow.stats.seeds import derive_seed
from sentflow.texts.derived.making import balanced, crossed, exchanged, tampered
from sentflow.texts.derived.names import Names
from sentflow.texts.readers import Rows, label_map
from sentflow.texts.sources import Row, Source, rows_of
from sentflow.texts.table import SEPARATOR
from sentflow.texts.task_files import CROSS, EXCHANGE, SOURCE_KEYS

MEANINGS = ("text_a", "text_b", "label", "group", "topic", "key")
ALTER = "alter"
MAKES = (EXCHANGE, CROSS, ALTER)
FILE = "file"
"""As column of a label, group or topic: the name of the file, without its ending."""


@dataclass(frozen=True)
class Replacement:
    """What is replaced in texts.

    Attributes
    ----------
    pattern
        Regular expression, upper and lower case alike.
    by
        What stands there then; white space around it becomes single.
    """

    pattern: re.Pattern[str]
    by: str


@dataclass(frozen=True)
class DerivedReader:
    """How rows are derived: the ``reader`` of a catalog entry with ``format: derived``.

    Attributes
    ----------
    sources
        Records, and which of their columns are `MEANINGS`; rows with an empty text, label or topic are left out.
    of_file
        Meanings whose value is the name of the file, `FILE`.
    replaced
        In text a and text b, in order. Then rows with fewer than `least_words` words in text a are left out.
    least_words
        Of text a, after all replacements.
    distinct
        Whether of rows with the same text a (but for case and punctuation) only the first stays.
    joined
        Records with a key and a text b, which is that of the rows with this key; rows without one are left out.
    names
        Records whose text a holds names. A row with exactly one of them has it masked in text a, and as text b; other
        rows are left out.
    name_pattern
        What of a cell of `names` is a name; all of it where left out.
    split
        Where text a ends and text b begins in the text of a row; rows without it are left out.
    matching
        Meaning → regular expression that its cell must match as a whole; other rows are left out.
    topic_pattern
        What of the topic's cell is the topic: the first match; all of it where left out.
    not_in
        Records whose text a is in no row, but for case and punctuation.
    labels
        Label as written → class; other labels leave the row out.
    balanced
        Whether every topic has as many rows of each class, drawn from those that it has.
    length_step
        Characters; with `balanced`, texts in the same step of length have as many rows of each class, so that lengths
        say nothing about the label.
    threshold
        Labels are numbers; at or above it is class 1, below class 0.
    makes
        ``exchange``: see `sentflow.texts.derived.exchange`. ``cross``: the same for documents with several pairs, see
        `sentflow.texts.derived.making.crossed`. ``alter``: half of the texts are altered, see
        `sentflow.texts.derived.alter`. The label is 1 for pairs that belong together and for altered texts.
    seed
        Of what is drawn, with the name of the task.
    """

    sources: tuple[Source, ...]
    of_file: frozenset[str] = frozenset()
    replaced: tuple[Replacement, ...] = ()
    least_words: int = 1
    distinct: bool = False
    joined: tuple[Source, ...] = ()
    names: tuple[Source, ...] = ()
    name_pattern: re.Pattern[str] | None = None
    split: re.Pattern[str] | None = None
    matching: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    topic_pattern: re.Pattern[str] | None = None
    not_in: tuple[Source, ...] = ()
    labels: Mapping[str, int] = field(default_factory=dict)
    balanced: bool = False
    length_step: int | None = None
    threshold: float | None = None
    makes: str | None = None
    seed: int = 0

    @property
    def files(self) -> list[str]:
        """Names of the raw files, each once."""
        sources = [source for key in SOURCE_KEYS for source in getattr(self, key)]
        return list(dict.fromkeys(file for source in sources for file in source.reader.files))

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, where: str) -> "DerivedReader":
        """The reader of a catalog entry.

        Raises
        ------
        ConfigError
            Unknown keys, values that do not exist, or neither labels nor a way to make them.
        """
        known = {item.name for item in fields(cls)} - {"of_file", "replaced"} | {"format", "replace"}
        if unknown := sorted(settings.keys() - known):
            raise ConfigError(
                f"{where}: there is no key {', '.join(unknown)}. Write one of: {', '.join(sorted(known))}."
            )
        if settings.get("makes") not in (None, *MAKES):
            raise ConfigError(
                f"{where}.makes: {settings['makes']!r} does not exist. Write {' or '.join(MAKES)}."
            )

        if any("label" not in entry for entry in settings["sources"]) and "makes" not in settings:
            raise ConfigError(
                f"{where}.sources: a source has no label. Write its column at each source, or makes: "
                f"{' or '.join(MAKES)}."
            )

        def pattern(text: str, key: str) -> re.Pattern[str]:
            if wrong := no_pattern(text):
                raise ConfigError(f"{where}.{key}: {wrong}")
            return re.compile(text, re.IGNORECASE)

        def sources(key: str) -> tuple[Source, ...]:
            return tuple(
                Source.from_settings(
                    {name: value for name, value in entry.items() if value != FILE},
                    where=f"{where}.{key}.{number}",
                    meanings=MEANINGS,
                )
                for number, entry in enumerate(settings.get(key, ()))
            )

        own = ("least_words", "distinct", "balanced", "length_step", "threshold", "makes", "seed")
        patterns: dict[str, Any] = {
            key: pattern(settings[key], key)
            for key in ("topic_pattern", "name_pattern", "split")
            if key in settings
        }
        return cls(
            sources("sources"),
            of_file=frozenset(
                key
                for entry in settings["sources"]
                for key in ("label", "group", "topic")
                if entry.get(key) == FILE
            ),
            replaced=tuple(
                Replacement(pattern(entry["pattern"], f"replace.{number}.pattern"), entry.get("by", ""))
                for number, entry in enumerate(settings.get("replace", ()))
            ),
            matching={
                key: pattern(text, f"matching.{key}") for key, text in settings.get("matching", {}).items()
            },
            not_in=sources("not_in"),
            joined=sources("joined"),
            names=sources("names"),
            labels=label_map(settings.get("labels") or {}),
            **patterns,
            **{key: settings[key] for key in own if key in settings},
        )

    def read(self, paths: Mapping[str, Path], *, task: str) -> Rows:
        """The rows of a task.

        Raises
        ------
        ConfigError, DataError
            See `sentflow.texts.sources.Source.rows`.
        """
        answers = {row.one("key"): row.one("text_b") for row in rows_of(self.joined, paths)}
        names = Names(self._names(paths)) if self.names else None
        found = [one for row in rows_of(self.sources, paths) if (one := self._row(row, answers, names))]
        if self.not_in:
            others = {plain(row.one("text_a")) for row in rows_of(self.not_in, paths)}
            found = [one for one in found if plain(one["text_a"]) not in others]
        if self.distinct:
            found = list({plain(one["text_a"]): one for one in reversed(found)}.values())[::-1]
        rng = np.random.default_rng(derive_seed(self.seed, "derived", task))
        if self.balanced:
            found = balanced(found, rng, self.length_step)
        if self.makes == EXCHANGE:
            found = exchanged(found, rng)
        elif self.makes == CROSS:
            found = crossed(found, rng)
        elif self.makes == ALTER:
            found = tampered(found, rng)
        return Rows(
            names=[one["name"] for one in found],
            text_a=[one["text_a"] for one in found],
            text_b=[one["text_b"] for one in found] if found and "text_b" in found[0] else None,
            labels=[one["label"] for one in found],
            groups=[one.get("group") for one in found],
        )

    def _names(self, paths: Mapping[str, Path]) -> list[str]:
        cells = [row.one("text_a") for row in rows_of(self.names, paths)]
        found = [
            name
            for cell in cells
            for name in (self.name_pattern.findall(cell) if self.name_pattern else [cell])
        ]
        return [name for one in found if (name := self._replaced(one))]

    def _row(self, row: Row, answers: Mapping[str, str], names: Names | None) -> dict[str, str] | None:
        """The cells of a row by what they mean; None for a row that is left out."""
        cells = {key: SEPARATOR.join(values) for key, values in row.cells.items()}
        name = PurePath(row.where.partition(", row ")[0]).stem
        cells |= dict.fromkeys(self.of_file, name)
        if self.joined:
            cells["text_b"] = answers.get(cells["key"], "")
        if self.split:
            parts = self.split.split(cells["text_a"], maxsplit=1)
            cells["text_a"], cells["text_b"] = (parts[0], parts[-1]) if len(parts) > 1 else ("", "")
        for key in ("text_a", "text_b"):
            if key in cells:
                cells[key] = self._replaced(cells[key])
        if names:
            cells["text_a"], cells["text_b"] = names.hidden(cells["text_a"]) or ("", "")
        if any(not cells[key] for key in ("text_a", "text_b", "label", "topic") if key in cells):
            return None
        if any(not one.fullmatch(cells[key]) for key, one in self.matching.items()):
            return None
        if self.topic_pattern and (topic := self.topic_pattern.search(cells["topic"])):
            cells["topic"] = topic[0]
        if len(cells["text_a"].split()) < self.least_words or plain(cells["text_a"]) == plain(
            cells.get("text_b", "")
        ):
            return None
        if self.threshold is not None:
            cells["label"] = str(int(float(cells["label"].replace(",", ".")) >= self.threshold))
        elif self.labels and cells.get("label") not in self.labels:
            return None
        return {"name": row.where, **cells}

    def _replaced(self, text: str) -> str:
        for one in self.replaced:
            text = one.pattern.sub(one.by, text)
        return " ".join(text.split())
