"""Rows of a task that are derived from public records: what columns mean, what is masked, how negatives are made."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

import numpy as np

from sentflow.audit.ngrams import plain
from sentflow.config.collections import Records
from sentflow.config.tasks import FILE, Reader
from sentflow.stats.seeds import derive_seed
from sentflow.texts.derived.making import balanced, crossed, exchanged, tampered
from sentflow.texts.derived.names import Names
from sentflow.texts.readers import Rows, label_map
from sentflow.texts.sources import Row, Source, columns_of, rows_of
from sentflow.texts.table import SEPARATOR

_MEANINGS = ("text_a", "text_b", "label", "group", "topic", "key")
_MAKERS = {"exchange": exchanged, "cross": crossed, "alter": tampered}


def read_derived(reader: Reader, paths: Mapping[str, Path], *, task: str, where: str) -> Rows:
    """The rows of a task with ``format: derived``; what each key of its reader does is said there."""
    return _Derivation(reader, paths, where).rows(task)


class _Derivation:
    def __init__(self, reader: Reader, paths: Mapping[str, Path], where: str) -> None:
        self.reader, self.paths, self.where = reader, paths, where
        self.labels = label_map(reader.labels)
        self.replaced = [(_compiled(one.pattern), one.by) for one in reader.replace or ()]
        self.matching = {
            key: _compiled(text)
            for key in ("text_a", "text_b", "label", "topic")
            if reader.matching and (text := getattr(reader.matching, key)) is not None
        }
        # of which the value is the name of the file
        self.of_file = {
            key
            for source in reader.sources or ()
            for key in ("label", "group", "topic")
            if getattr(source, key) == FILE
        }

    def rows(self, task: str) -> Rows:
        reader = self.reader
        answers = {row.one("key"): row.one("text_b") for row in self._read("joined", reader.joined)}
        names = Names(self._names()) if reader.names else None
        kept = [
            cells
            for row in self._read("sources", reader.sources)
            if (cells := self._row(row, answers, names))
        ]
        if reader.not_in:
            others = {plain(row.one("text_a")) for row in self._read("not_in", reader.not_in)}
            kept = [cells for cells in kept if plain(cells["text_a"]) not in others]
        if reader.distinct:
            kept = list({plain(cells["text_a"]): cells for cells in reversed(kept)}.values())[::-1]
        rng = np.random.default_rng(derive_seed(reader.seed, "derived", task))
        if reader.balanced:
            kept = balanced(kept, rng, reader.length_step)
        if reader.makes:
            kept = _MAKERS[reader.makes](kept, rng)
        return Rows(
            names=[cells["name"] for cells in kept],
            text_a=[cells["text_a"] for cells in kept],
            text_b=[cells["text_b"] for cells in kept] if kept and "text_b" in kept[0] else None,
            labels=[cells["label"] for cells in kept],
            groups=[cells.get("group") for cells in kept],
        )

    def _read(self, key: str, entries: Sequence[Records] | None) -> list[Row]:
        sources = []
        for number, entry in enumerate(entries or ()):
            columns = columns_of(entry, _MEANINGS)
            named = {meaning: column for meaning, column in columns.items() if column != FILE}
            sources.append(Source(entry, f"{self.where}.{key}.{number}", named))
        return list(rows_of(sources, self.paths))

    def _names(self) -> list[str]:
        cells = [row.one("text_a") for row in self._read("names", self.reader.names)]
        if pattern := self.reader.name_pattern:
            cells = [name for cell in cells for name in _compiled(pattern).findall(cell)]
        return [name for cell in cells if (name := self._replaced(cell))]

    def _row(self, row: Row, answers: Mapping[str, str], names: Names | None) -> dict[str, str] | None:
        """The cells of a row by what they mean; None for a row that is left out."""
        reader = self.reader
        cells = {key: SEPARATOR.join(values) for key, values in row.cells.items()}
        name = PurePath(row.where.partition(", row ")[0]).stem
        cells |= dict.fromkeys(self.of_file, name)
        if reader.joined:
            cells["text_b"] = answers.get(cells["key"], "")
        if reader.split:
            parts = _compiled(reader.split).split(cells["text_a"], maxsplit=1)
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
        if reader.topic_pattern and (topic := _compiled(reader.topic_pattern).search(cells["topic"])):
            cells["topic"] = topic[0]
        same = plain(cells["text_a"]) == plain(cells.get("text_b", ""))
        if same or len(cells["text_a"].split()) < (reader.least_words or 1):
            return None
        if reader.threshold is not None:
            cells["label"] = str(int(float(cells["label"].replace(",", ".")) >= reader.threshold))
        elif self.labels and cells.get("label") not in self.labels:
            return None
        return {"name": row.where, **cells}

    def _replaced(self, text: str) -> str:
        for pattern, by in self.replaced:
            text = pattern.sub(by, text)
        return " ".join(text.split())


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
