"""Raw files of training data into their table: read, leave out what cannot be trained on, and count it."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import DataError
from sentflow.training.data.control import shuffled
from sentflow.training.data.forms import BY_PREMISE, FORMS, SCORES, STUDY_LABEL_WORD
from sentflow.training.data.labels import class_names, classes_of
from sentflow.training.data.nli import ENTAILMENT, by_premise, study_label_word
from sentflow.training.data.reader import Rows, joined
from sentflow.training.data.scores import scores_of
from sentflow.training.data.settings import TrainingDataSettings
from sentflow.training.data.table import TEXT_COLUMNS, TrainingData
from sentflow.training.recipes.table import SPANS, TEXTS

logger = logging.getLogger(__name__)


def prepare_training(
    data: str, raw_files: Sequence[Path], settings: TrainingDataSettings
) -> tuple[TrainingData, dict[str, Any]]:
    """Read, choose and check the rows of training data.

    Parameters
    ----------
    data
        Their name.
    raw_files
        Files of their datasets, each in the folder of its dataset.
    settings
        See `TrainingDataSettings`.

    Returns
    -------
    tuple
        The table, rows in the order of the files; and facts about it, as JSON holds them: ``read`` counts rows of the
        files, ``dropped`` why rows were left out (``without_negative``: entailed hypotheses of premises without a
        contradiction), ``one_word`` the rows whose ``text`` is one word, which no permutation changes.

    Raises
    ------
    ConfigError
        The settings do not fit the files.
    DataError
        A file or its rows are not in order, or no row is left.
    """
    rows = joined(
        source.read(raw_files, settings.files.get(source.dataset, {}), unscored=settings.unscored)
        for source in settings.sources
    )
    return table_of_rows(data, rows, settings)


def table_of_rows(
    data: str, rows: Rows, settings: TrainingDataSettings
) -> tuple[TrainingData, dict[str, Any]]:
    """Choose and check rows, wherever they are from; see `prepare_training`.

    Raises
    ------
    DataError
        The rows are not in order, or none is left.
    """
    dropped: dict[str, int] = {}
    n_read = len(rows)
    rows = _left_out(rows, dropped, "empty", _with_empty_cells(rows))
    labels = settings.labels
    classes = classes_of(data, rows, labels) if "label" in rows.columns else None
    rows, classes = _in_form(rows, classes, settings, dropped)
    least = settings.least_characters
    short = [any(len(text) < least for text in texts) for texts in rows.texts()]
    rows, classes = _kept(rows, classes, dropped, "short", short)
    if settings.drop_repeated:
        rows, classes = _kept(rows, classes, dropped, "repeated", _repeated(rows, classes))
    if settings.limit is not None:
        beyond = [place >= settings.limit for place in range(len(rows))]
        rows, classes = _kept(rows, classes, dropped, "beyond_limit", beyond)
    _check(data, rows, dropped, n_read, settings.rows)
    facts: dict[str, Any] = {}
    if settings.shuffled_positives is not None:
        rows, facts["kept_positives"] = shuffled(rows, settings.shuffled_positives)
    table = TrainingData(
        name=data,
        form=settings.form,
        columns={key: rows.columns[key] for key in FORMS[settings.form] if key in TEXT_COLUMNS},
        labels=None if classes is None else np.array(classes, dtype=np.int64),
        classes=[] if classes is None else class_names(labels, classes),
        scores={key: scores_of(data, rows, key) for key in FORMS[settings.form] if key in SCORES},
    )
    one_word = sum(len(text.split()) == 1 for text in rows.columns["text"])
    facts |= {"data": data, "form": settings.form, "rows": len(rows), "read": n_read}
    facts |= {"dropped": dropped, "one_word": one_word, "classes": list(table.classes)}
    _tell(facts)
    return table, facts


def _in_form(
    rows: Rows, classes: list[int] | None, settings: TrainingDataSettings, dropped: dict[str, int]
) -> tuple[Rows, list[int] | None]:
    """Rows with the columns of the form; classes where the form has labels."""
    if settings.nli is not None:
        assert classes is not None  # the columns are checked with the configuration
        if settings.nli == STUDY_LABEL_WORD:
            rows = study_label_word(rows)
        elif settings.nli == BY_PREMISE:
            rows = by_premise(rows, classes, negatives="negative" in FORMS[settings.form])
            dropped["without_negative"] = classes.count(ENTAILMENT) - len(rows)
        return rows, None
    if settings.form == TEXTS:
        return rows.one_text_each(), None
    if settings.form == SPANS:
        rows = rows.with_whole_lines()
        return _left_out(rows, dropped, "one_span", ["\n" not in text for text in rows.columns["text"]]), None
    return rows, classes


def _with_empty_cells(rows: Rows) -> list[bool]:
    return [any(not cell.strip() for cell in cells) for cells in zip(*rows.columns.values(), strict=True)]


def _repeated(rows: Rows, classes: Sequence[int] | None) -> list[bool]:
    seen: set[tuple[Any, ...]] = set()
    found = []
    for key in zip(rows.texts(), [0] * len(rows) if classes is None else classes, strict=True):
        found.append(key in seen)
        seen.add(key)
    return found


def _left_out(rows: Rows, dropped: dict[str, int], why: str, out: Sequence[bool]) -> Rows:
    dropped[why] = sum(out)
    return rows.taken([place for place, gone in enumerate(out) if not gone]) if any(out) else rows


def _kept(
    rows: Rows, classes: list[int] | None, dropped: dict[str, int], why: str, out: Sequence[bool]
) -> tuple[Rows, list[int] | None]:
    if classes is not None:
        classes = [found for found, gone in zip(classes, out, strict=True) if not gone]
    return _left_out(rows, dropped, why, out), classes


def _check(data: str, rows: Rows, dropped: Mapping[str, int], n_read: int, expected: int | None) -> None:
    if not len(rows):
        counts = ", ".join(f"{n} {why.replace('_', ' ')}" for why, n in dropped.items() if n)
        raise DataError(f"training_data.{data}: none of {n_read} rows is left. Left out: {counts}.")
    if expected is not None and len(rows) != expected:
        raise DataError(f"training_data.{data}: {len(rows)} rows, expected {expected}.")


def _tell(facts: Mapping[str, Any]) -> None:
    counts = [f"{n} {why.replace('_', ' ')}" for why, n in facts["dropped"].items() if n]
    logger.info(
        "%s: %d rows of the form %s from %d of the files; left out: %s",
        facts["data"],
        facts["rows"],
        facts["form"],
        facts["read"],
        ", ".join(counts) or "none",
    )
    if facts["one_word"]:
        logger.info(
            "%s: rows with a text of one word, which no permutation changes: %d",
            facts["data"],
            facts["one_word"],
        )
