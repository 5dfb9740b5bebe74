"""Raw files of training data into their table: read, leave out what cannot be trained on, and count it."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np

from sentflow.errors import DataError
from sentflow.training.data.control import shuffled
from sentflow.training.data.forms import BY_PREMISE, FORMS, SCORES, SPANS, STUDY_LABEL_WORD, TEXTS
from sentflow.training.data.labels import class_names, classes_of
from sentflow.training.data.nli import ENTAILMENT, by_premise, study_label_word
from sentflow.training.data.reader import Rows, in_parts, joined
from sentflow.training.data.scores import scores_of
from sentflow.training.data.settings import RowSettings
from sentflow.training.data.sources import are_taken_by_row
from sentflow.training.data.table import TEXT_COLUMNS, TrainingData

logger = logging.getLogger(__name__)
ROWS = 1 << 14
"""Of a part."""


class Preparation:
    """Chooses and checks the rows of training data, part by part, and counts what it leaves out.

    `rows`: how many there must be; None is not known. `labels`: label as written → class; empty where labels are
    classes already.
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
        self.n_rows = 0
        self._n_read = 0
        self._n_one_word = 0
        self._dropped: dict[str, int] = {}
        self._seen: set[bytes] = set()
        self._classes: Sequence[str] = ()
        self._more: dict[str, Any] = {}

    def parts(self, batches: Iterable[Rows]) -> Iterator[TrainingData]:
        """The tables of rows, in their order.

        Of texts, pairs, triplets and spans that are taken as they stand, `ROWS` are in memory at a time. Rows with
        labels or scores, rows made of several others and shuffled ones come as one part.
        """
        chosen = self.settings
        by_row = are_taken_by_row(chosen.form, chosen.nli, chosen.shuffled_positives)
        for rows in in_parts(batches, ROWS) if by_row else [joined(batches)]:
            yield self.part(rows)

    def part(self, rows: Rows) -> TrainingData:
        """The table of rows, wherever they are from. Raises DataError: the rows are not in order."""
        settings = self.settings
        self._n_read += len(rows)
        rows = self._left_out(rows, "empty", _with_empty_cells(rows))
        labels = self._labels
        classes = classes_of(self.data, rows, labels) if "label" in rows.columns else None
        rows, classes = self._in_form(rows, classes)
        least = settings.least_characters
        short = [any(len(text) < least for text in texts) for texts in rows.texts()]
        rows, classes = self._kept(rows, classes, "short", short)
        if settings.drop_repeated:
            rows, classes = self._kept(rows, classes, "repeated", self._repeated(rows, classes))
        if settings.limit is not None:
            beyond = [self.n_rows + place >= settings.limit for place in range(len(rows))]
            rows, classes = self._kept(rows, classes, "beyond_limit", beyond)
        if settings.shuffled_positives is not None and len(rows):
            rows, self._more["kept_positives"] = shuffled(rows, settings.shuffled_positives)
        self.n_rows += len(rows)
        self._n_one_word += sum(len(text.split()) == 1 for text in rows.columns["text"])
        self._classes = [] if classes is None else class_names(labels, classes)
        return TrainingData(
            name=self.data,
            form=settings.form,
            columns={key: rows.columns[key] for key in FORMS[settings.form] if key in TEXT_COLUMNS},
            labels=None if classes is None else np.array(classes, dtype=np.int64),
            classes=self._classes,
            scores={key: scores_of(self.data, rows, key) for key in FORMS[settings.form] if key in SCORES},
        )

    def facts(self) -> dict[str, Any]:
        """Facts about all parts so far, as JSON holds them.

        ``read`` counts rows of the files, ``dropped`` why rows were left out (``without_negative``: entailed hypotheses
        of premises without a contradiction), ``one_word`` the rows whose ``text`` is one word, which no permutation
        changes.
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
        facts = {**self._more, "data": data, "form": form, "rows": self.n_rows, "read": self._n_read}
        return {
            **facts,
            "dropped": self._dropped,
            "one_word": self._n_one_word,
            "classes": list(self._classes),
        }

    def _in_form(self, rows: Rows, classes: list[int] | None) -> tuple[Rows, list[int] | None]:
        """Rows with the columns of the form; classes where the form has labels."""
        form, nli = self.settings.form, self.settings.nli
        if nli is not None:
            assert classes is not None  # the columns are checked with the configuration
            if nli == STUDY_LABEL_WORD:
                rows = study_label_word(rows)
            elif nli == BY_PREMISE:
                rows = by_premise(rows, classes, negatives="negative" in FORMS[form])
                self._dropped["without_negative"] = classes.count(ENTAILMENT) - len(rows)
            return rows, None
        if form == TEXTS:
            return rows.one_text_each(), None
        if form == SPANS:
            rows = rows.with_whole_lines()
            return self._left_out(rows, "one_span", ["\n" not in text for text in rows.columns["text"]]), None
        return rows, classes

    def _repeated(self, rows: Rows, classes: Sequence[int] | None) -> list[bool]:
        """Whether all that a row has is equal to an earlier one, by BLAKE2b digests of 128 bits."""
        found = []
        for key in zip(rows.texts(), [0] * len(rows) if classes is None else classes, strict=True):
            digest = blake2b(repr(key).encode(), digest_size=16).digest()
            found.append(digest in self._seen)
            self._seen.add(digest)
        return found

    def _left_out(self, rows: Rows, why: str, out: Sequence[bool]) -> Rows:
        self._dropped[why] = self._dropped.get(why, 0) + sum(out)
        return rows.taken([place for place, gone in enumerate(out) if not gone]) if any(out) else rows

    def _kept(
        self, rows: Rows, classes: list[int] | None, why: str, out: Sequence[bool]
    ) -> tuple[Rows, list[int] | None]:
        if classes is not None:
            classes = [found for found, gone in zip(classes, out, strict=True) if not gone]
        return self._left_out(rows, why, out), classes


def table_of_rows(
    data: str, rows: Rows, settings: RowSettings, expected: int | None
) -> tuple[TrainingData, dict[str, Any]]:
    """The table of rows in memory, and facts about it; see `Preparation`."""
    preparation = Preparation(data, settings, expected)
    return preparation.part(rows), preparation.facts()


def _with_empty_cells(rows: Rows) -> list[bool]:
    return [any(not cell.strip() for cell in cells) for cells in zip(*rows.columns.values(), strict=True)]
