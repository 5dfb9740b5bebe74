"""Raw files of training data into their table: read, leave out what cannot be trained on, and count it."""

import logging
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.config.trainings import Reader
from sentflow.errors import DataError
from sentflow.texts.checks import named, verified_files
from sentflow.texts.formats.table import record_batches
from sentflow.texts.prepare_pairs import read_pair_rows
from sentflow.texts.raw_files import raw_files_of
from sentflow.training.data.forms import BY_PREMISE, COLUMNS, FORMS, SCORES, SPANS, STUDY_LABEL_WORD, TEXTS
from sentflow.training.data.settings import PreparedRows, RowSettings, are_taken_by_row
from sentflow.training.data.table import TEXT_COLUMNS, TrainingData
from sentflow.training.draws import Draws

logger = logging.getLogger(__name__)

_TEXTS = COLUMNS[:3]


@dataclass(frozen=True)
class Rows:
    """Rows in the order of their files, before anything is left out."""

    names: list[str]  # what to call each row in a message: its file and number
    # columns: of `COLUMNS` → cells, as long as `names`; an empty cell is one that is missing
    columns: Mapping[str, list[str]]

    def __len__(self) -> int:
        return len(self.names)

    def texts(self) -> Iterator[tuple[str, ...]]:
        """The texts of each row, labels left out."""
        return zip(*(self.columns[key] for key in _TEXTS if key in self.columns), strict=True)

    def taken(self, places: Sequence[int]) -> "Rows":
        """Some of the rows, in this order."""
        columns = {key: [cells[place] for place in places] for key, cells in self.columns.items()}
        return Rows([self.names[place] for place in places], columns)

    def with_cells(self, **columns: list[str]) -> "Rows":
        """The rows with other cells in some columns."""
        return Rows(self.names, {**self.columns, **columns})


def read_sources(
    settings: PreparedRows, raw_files: Sequence[Path], files: Mapping[str, Mapping[str, Any]], *, rows: int
) -> Iterator[Rows]:
    """The rows of all sources, one after the other. `rows`: records of a batch, where the format can be read so."""
    for source in settings.sources:
        where = f"{source.where}.reader"
        own = [path for path in raw_files if path.parent.name == source.dataset]
        known = files.get(source.dataset, {})
        if source.pairs is not None:
            paths = verified_files(raw_files_of({"reader": source.pairs.as_dict()}), own, known, where=where)
            parts = read_pair_rows(paths, source.pairs, unscored=settings.unscored)
            yield joined(
                Rows(
                    [f"{part.file}, row {name}" for name in part.names],
                    {"text": part.text_a, "other": part.text_b},
                )
                for part in parts
            )
        reader = source.rows
        if reader is None:
            continue
        paths = verified_files(reader.files, own, known, where=where)
        columns = {"text": reader.text} | {
            key: column for key in COLUMNS if (column := getattr(reader, key)) is not None
        }
        for file in reader.files:
            for records in record_batches(paths[file], reader, columns.values(), joined="\n", rows=rows):
                names = [f"{records.file}, row {name}" for name in records.names]
                yield _as_meant(Rows(names, records.pick(columns)), reader)


def labels_of(settings: PreparedRows) -> dict[str, int]:
    """Label as written → class, of the first source; empty where labels are classes already."""
    reader = settings.sources[0].rows
    labels = (reader.labels if reader else None) or ()
    return dict(labels) if isinstance(labels, dict) else {name: place for place, name in enumerate(labels)}


def _as_meant(rows: Rows, reader: Reader) -> Rows:
    """Rows with missing cells empty, and a row for each text of a list."""
    if reader.missing:
        empty = {
            key: ["" if cell in reader.missing else cell for cell in cells]
            for key, cells in rows.columns.items()
        }
        rows = rows.with_cells(**empty)
    if not reader.lists:
        return rows
    others = [cell.split("\n") for cell in rows.columns["other"]]
    repeated = rows.taken([place for place, texts in enumerate(others) for _ in texts])
    return repeated.with_cells(other=list(chain.from_iterable(others)))


def joined(parts: Iterable[Rows]) -> Rows:
    """Rows one after the other, with the columns of the first."""
    parts = list(parts)
    columns = {
        key: list(chain.from_iterable(part.columns[key] for part in parts)) for key in parts[0].columns
    }
    return Rows(list(chain.from_iterable(part.names for part in parts)), columns)


def in_parts(batches: Iterable[Rows], least: int) -> Iterator[Rows]:
    """The rows of batches in parts of at least so many rows, apart from the last."""
    held: list[Rows] = []
    for rows in batches:
        held.append(rows)
        if sum(map(len, held)) >= least:
            yield joined(held)
            held = []
    if any(map(len, held)):
        yield joined(held)


def shuffled(rows: Rows, seed: int) -> tuple[Rows, int]:
    """Rows with the ``other`` of the next row of a random circle, and in how many of them it is the same text."""
    order = Draws(seed, ("shuffled positives",)).generator().permutation(len(rows))
    others = rows.columns["other"]
    found = [""] * len(rows)
    for place, after in zip(order.tolist(), np.roll(order, -1).tolist(), strict=True):
        found[place] = others[after]
    kept = sum(one == other for one, other in zip(found, others, strict=True))
    return rows.with_cells(other=found), kept


_LONGEST_NUMBER = 3  # digits of a class


def _refuse(data: str, rows: Rows, column: str, wrong: Sequence[bool], what: str, remedy: str) -> None:
    cells = zip(rows.names, rows.columns[column], wrong, strict=True)
    if odd := [f"{name} ({cell[:20]!r})" for name, cell, is_wrong in cells if is_wrong]:
        raise DataError(f"training_data.{data}: the {what} in {named(odd)}. Write {remedy}")


def classes_of(data: str, rows: Rows, labels: Mapping[str, int]) -> list[int]:
    """The class of each row. Raises DataError: a label is none of the classes; names the rows."""
    found = [labels.get(label) if labels else _class_number(label) for label in rows.columns["label"]]
    known = (
        f"one of {', '.join(map(repr, labels))}"
        if labels
        else f"a number of at most {_LONGEST_NUMBER} digits"
    )
    remedy = "it in reader.labels, or in reader.missing if such rows are to be left out."
    _refuse(data, rows, "label", [one is None for one in found], f"label is not {known}", remedy)
    return [one for one in found if one is not None]


def class_names(labels: Mapping[str, int], classes: Sequence[int]) -> list[str]:
    """The label of each class; the first, where several are one class."""
    first: dict[int, str] = {}
    for label, number in labels.items():
        first.setdefault(number, str(label))
    return [first.get(number, str(number)) for number in range(max([*first, *classes]) + 1)]


def _class_number(label: str) -> int | None:
    is_number = label.isascii() and label.isdecimal() and len(label) <= _LONGEST_NUMBER
    return int(label) if is_number else None


def scores_of(data: str, rows: Rows, column: str) -> np.ndarray:
    """The scores in a column, (n,) float64. Raises DataError: a cell is no finite number; names the rows."""
    found = np.array([_score(cell) for cell in rows.columns[column]], dtype=np.float64)
    what = f"{column.replace('_', ' ')} is no finite number"
    remedy = "a number such as 7.25, or name the cell in reader.missing, so that the row is left out."
    _refuse(data, rows, column, (~np.isfinite(found)).tolist(), what, remedy)
    return found


def _score(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan


CONTRADICTION, ENTAILMENT = "0", "1"  # as ConSERT numbers them; 2 is neutral


def by_premise(rows: Rows, *, negatives: bool) -> Rows:
    """A row for each entailed hypothesis: premise, hypothesis, and a contradicted hypothesis of the same premise.

    `rows`: premises (``text``), hypotheses (``other``) and classes (``label``). `negatives`: whether there must be a
    contradicted hypothesis; otherwise rows are pairs. The k-th entailed one of a premise has its k-th contradiction,
    counted again from the first. princeton-nlp/SimCSE@49fa580a draws it at random.
    """
    premises, hypotheses, classes = (rows.columns[key] for key in ("text", "other", "label"))
    entailed = [place for place, found in enumerate(classes) if found == ENTAILMENT]
    if not negatives:
        return rows.taken(entailed)
    contradicted: dict[str, list[str]] = defaultdict(list)
    for premise, hypothesis, found in zip(premises, hypotheses, classes, strict=True):
        if found == CONTRADICTION:
            contradicted[premise].append(hypothesis)
    kept = rows.taken([place for place in entailed if premises[place] in contradicted])
    seen: Counter[str] = Counter()
    negative = []
    for premise in kept.columns["text"]:
        choices = contradicted[premise]
        negative.append(choices[seen[premise] % len(choices)])
        seen[premise] += 1
    return kept.with_cells(negative=negative)


ROWS = 1 << 14
"""Of a part."""


class Preparation:
    """Chooses and checks the rows of training data, part by part, and counts what it leaves out.

    `rows`: how many there must be, if known. `labels`: label as written → class; empty where labels are classes
    already.
    """

    def __init__(
        self,
        data: str,
        settings: RowSettings,
        rows: int | None = None,
        labels: Mapping[str, int] | None = None,
    ) -> None:
        self.data = data
        self.settings = settings
        self._expected, self._labels = rows, labels or {}
        self.n_rows = self._n_read = self._n_one_word = 0
        self._dropped: Counter[str] = Counter()
        self._seen: set[bytes] = set()
        self._classes: Sequence[str] = ()
        self._more: dict[str, Any] = {}

    def parts(self, batches: Iterable[Rows]) -> Iterator[TrainingData]:
        """The tables of rows, in their order, `ROWS` in memory at a time where they are taken as they stand."""
        chosen = self.settings
        by_row = are_taken_by_row(chosen.form, chosen.nli, chosen.shuffled_positives)
        for rows in in_parts(batches, ROWS) if by_row else [joined(batches)]:
            yield self.part(rows)

    def part(self, rows: Rows) -> TrainingData:
        """The table of rows, wherever they are from. Raises DataError: the rows are not in order."""
        settings, columns = self.settings, FORMS[self.settings.form]
        self._n_read += len(rows)
        cells = zip(*rows.columns.values(), strict=True)
        rows = self._left_out(rows, "empty", [any(not cell.strip() for cell in row) for row in cells])
        rows = self._in_form(rows)
        least = settings.least_characters
        short = [any(len(text) < least for text in texts) for texts in rows.texts()]
        rows = self._left_out(rows, "short", short)
        if settings.drop_repeated:
            rows = self._left_out(rows, "repeated", self._repeated(rows))
        if settings.limit is not None:
            beyond = [self.n_rows + place >= settings.limit for place in range(len(rows))]
            rows = self._left_out(rows, "beyond_limit", beyond)
        if settings.shuffled_positives is not None and len(rows):
            rows, self._more["kept_positives"] = shuffled(rows, settings.shuffled_positives)
        self.n_rows += len(rows)
        self._n_one_word += sum(len(text.split()) == 1 for text in rows.columns["text"])
        classes = list(map(int, rows.columns["label"])) if "label" in columns else None
        self._classes = [] if classes is None else class_names(self._labels, classes)
        return TrainingData(
            name=self.data,
            form=settings.form,
            columns={key: rows.columns[key] for key in columns if key in TEXT_COLUMNS},
            labels=None if classes is None else np.array(classes, dtype=np.int64),
            classes=self._classes,
            scores={key: scores_of(self.data, rows, key) for key in columns if key in SCORES},
        )

    def facts(self) -> dict[str, Any]:
        """Facts about all parts so far, as JSON holds them.

        ``without_negative``: entailed hypotheses of premises without a contradiction; ``one_word``: rows of one word.
        """
        data, expected = self.data, self._expected
        counts = ", ".join(f"{n} {why.replace('_', ' ')}" for why, n in self._dropped.items() if n)
        if not self.n_rows:
            raise DataError(
                f"training_data.{data}: none of {self._n_read} rows is left. Left out: {counts or 'none'}."
            )
        if expected is not None and self.n_rows != expected:
            raise DataError(f"training_data.{data}: {self.n_rows} rows, expected {expected}.")
        form = self.settings.form
        logger.info(
            "%s: %d rows of the form %s from %d of the files; left out: %s",
            *(data, self.n_rows, form, self._n_read, counts or "none"),
        )
        if self._n_one_word:
            logger.info(
                "%s: rows with a text of one word, which no permutation changes: %d", data, self._n_one_word
            )
        return {
            **self._more,
            **{"data": data, "form": form, "rows": self.n_rows, "read": self._n_read},
            **{"dropped": dict(self._dropped), "one_word": self._n_one_word, "classes": list(self._classes)},
        }

    def _in_form(self, rows: Rows) -> Rows:
        """Rows with the columns of the form; labels are numbers of classes."""
        form, nli = self.settings.form, self.settings.nli
        if "label" in rows.columns:
            written = rows.columns["label"]
            rows = rows.with_cells(label=list(map(str, classes_of(self.data, rows, self._labels))))
        if nli == STUDY_LABEL_WORD:
            # What a published study trained on as if it were supervised SimCSE, contradicted hypotheses as positives
            # included; kept to see what that does. HYU-NLP/Korean-Sentence-Representations@b03e1514, train-sup
            return rows.with_cells(negative=written)
        if nli == BY_PREMISE:
            entailed = rows.columns["label"].count(ENTAILMENT)
            rows = by_premise(rows, negatives="negative" in FORMS[form])
            self._dropped["without_negative"] = entailed - len(rows)
        elif form == TEXTS:  # every text is a row of its own
            width = sum(key in rows.columns for key in _TEXTS)
            names = [name for name in rows.names for _ in range(width)]
            return Rows(names, {"text": list(chain.from_iterable(rows.texts()))})
        elif form == SPANS:
            cells = [
                "\n".join(line for raw in text.split("\n") if (line := raw.strip()))
                for text in rows.columns["text"]
            ]
            rows = self._left_out(
                rows.with_cells(text=cells), "one_span", ["\n" not in text for text in cells]
            )
        return rows

    def _repeated(self, rows: Rows) -> list[bool]:
        """Whether all that a row has is equal to an earlier one, by BLAKE2b digests of 128 bits."""
        found = []
        labelled = "label" in FORMS[self.settings.form]
        for key in zip(rows.texts(), rows.columns["label"] if labelled else [""] * len(rows), strict=True):
            digest = blake2b(repr(key).encode(), digest_size=16).digest()
            found.append(digest in self._seen)
            self._seen.add(digest)
        return found

    def _left_out(self, rows: Rows, why: str, out: Sequence[bool]) -> Rows:
        self._dropped[why] += sum(out)
        return rows.taken([place for place, gone in enumerate(out) if not gone]) if any(out) else rows


def table_of_rows(
    data: str, rows: Rows, settings: RowSettings, expected: int | None
) -> tuple[TrainingData, dict[str, Any]]:
    """The table of rows in memory, and facts about it; see `Preparation`."""
    preparation = Preparation(data, settings, expected)
    return preparation.part(rows), preparation.facts()
