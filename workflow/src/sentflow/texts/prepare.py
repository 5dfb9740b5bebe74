"""Raw files of a task into its table: read, map labels to classes, and say all that is wrong at once."""

import logging
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import ConfigError, DataError
from sentflow.texts import checks
from sentflow.texts.derived.reader import DerivedReader
from sentflow.texts.preparation import picked_settings, refuse, verified_files
from sentflow.texts.readers import Reader, Rows, read_rows
from sentflow.texts.table import LAYOUTS, SEPARATOR, TaskInfo, TaskTable, row_graph
from sentflow.texts.task_files import DERIVED, SHARED_TEXTS

logger = logging.getLogger(__name__)

COLUMNS_LAYOUT = "columns"  # single or pair, whichever the number of columns says
METRICS = ("mcc", "adjusted_macro_f1")
_INTEGER = re.compile(r"\s*([+-]?\d{1,18})(\.0*)?\s*")
_MISSING_LABELS = frozenset({"", "nan", "na", "n/a", "null", "none"})


@dataclass(frozen=True)
class PrepareSettings:
    """The part of a task's catalog entry that its table depends on.

    Attributes
    ----------
    reader
        How to read the raw file.
    layout
        One of `LAYOUTS`, or ``"columns"``.
    metric
        One of `METRICS`.
    data_version
        What the texts are, for captions.
    folds, batch_rows, evaluation_share, small_parts
        Of the protocol that the table must allow, see `check_folds`.
    rows
        Expected number of rows, or None.
    class_counts
        Expected rows per class, or None.
    documents
        `SHARED_TEXTS` where rows that share a text, directly or through others, count as rows of one document.
    files
        Name → catalog entry of the dataset's files: what has a checksum there is verified again before it is
        read. Empty where nothing is known.
    """

    reader: Reader | DerivedReader
    layout: str
    metric: str
    data_version: str
    folds: int
    rows: int | None = None
    class_counts: Mapping[int, int] | None = None
    documents: str | None = None
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    batch_rows: int = checks.BATCH_ROWS
    evaluation_share: float = checks.EVALUATION_FRACTION
    small_parts: bool = False

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, task: str) -> "PrepareSettings":
        """Pick the settings out of a task's entry (plus ``folds``); its other keys are not this stage's.

        Raises
        ------
        ConfigError
            A key is missing, or has a value that does not exist.
        """
        picked = picked_settings(cls, settings, where=f"tasks.{task}")
        for key, allowed in (("layout", (COLUMNS_LAYOUT, *LAYOUTS)), ("metric", METRICS)):
            if settings[key] not in allowed:
                raise ConfigError(
                    f"tasks.{task}.{key}: {settings[key]!r} does not exist. "
                    f"Write one of: {', '.join(allowed)}."
                )
        kind = DerivedReader if settings["reader"].get("format") == DERIVED else Reader
        picked["reader"] = kind.from_settings(settings["reader"], where=f"tasks.{task}.reader")
        if "class_counts" in picked:  # JSON has made texts of the classes
            picked["class_counts"] = {int(name): n for name, n in picked["class_counts"].items()}
        return cls(**picked)


def prepare(task: str, raw_files: Sequence[Path], settings: PrepareSettings) -> TaskTable:
    """Read and check the rows of a task.

    Parameters
    ----------
    task
        Its name.
    raw_files
        Files of its dataset; the reader's `file` is found among them by name.
    settings
        See `PrepareSettings`.

    Returns
    -------
    TaskTable
        Rows in the order of the file. Texts are as read: nothing is stripped or normalised here.

    Raises
    ------
    ConfigError
        The settings do not fit the file.
    DataError
        The file or its rows are not in order; all problems with the rows are told at once.
    """
    reader = settings.reader
    names = reader.files if isinstance(reader, DerivedReader) else [reader.file]
    place = "reader.sources" if isinstance(reader, DerivedReader) else "reader.file"
    found = verified_files(names, raw_files, settings.files, where=f"tasks.{task}.{place}")
    file = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    rows = (
        reader.read(found, task=task)
        if isinstance(reader, DerivedReader)
        else read_rows(found[reader.file], reader)
    )
    layout = _layout(settings.layout, rows, f"{task} ({file})")
    classes, problems = _classes(rows, settings.reader.labels)
    problems += checks.empty_texts(rows.names, rows.text_a, "text a")
    if rows.text_b is not None:
        problems += checks.empty_texts(rows.names, rows.text_b, "text b")
    if layout == "alternatives" and rows.text_b is not None:
        problems += checks.uneven_alternatives(rows.names, rows.text_b)
    counts = Counter(number for number in classes if number is not None)
    if None not in classes:  # counts of half the rows would only repeat the problem with the other half
        problems += checks.misfit_classes(counts, settings.metric)
        problems += checks.misfit_counts(counts, settings.rows, settings.class_counts)
    refuse(problems, table=task, file=file)
    table = _table(task, layout, settings, rows, [number for number in classes if number is not None])
    if settings.documents == SHARED_TEXTS:
        table = replace(table, groups=_connected_by_texts(table))
    checks.check_folds(
        table,
        settings.folds,
        batch_rows=settings.batch_rows,
        evaluation_share=settings.evaluation_share,
        small_parts=settings.small_parts,
    )
    logger.info("%s: %d rows, per class %s", task, len(table), dict(sorted(counts.items())))
    return table


def _connected_by_texts(table: TaskTable) -> list[str | None]:
    """n names: of the connected component of each row.

    Raises
    ------
    DataError
        No rows are connected, or most of all.
    """
    component = row_graph(table).component
    sizes, where = np.bincount(component), f"{table.info.task}: documents: {SHARED_TEXTS}"
    if len(sizes) == len(table):
        raise DataError(
            f"{where}: no two rows share a text, so there is nothing to keep together. Remove it."
        )
    if 2 * sizes.max() > len(table):
        raise DataError(
            f"{where}: {sizes.max():,} of {len(table):,} rows are connected by shared texts, directly or through "
            "other rows. They cannot be split, so one fold would hold most rows. Remove it, or name the documents "
            "of the rows (reader.group)."
        )
    return [str(number) for number in component]


def _layout(wanted: str, rows: Rows, where: str) -> str:
    found = "single" if rows.text_b is None else "pair"
    if wanted == COLUMNS_LAYOUT:
        return found
    if (wanted == "single") != (found == "single"):
        columns = "one text column" if found == "single" else "two text columns"
        raise DataError(
            f"{where}: layout {wanted} does not fit a file with {columns}. Write layout: {found}."
        )
    return wanted


def _classes(rows: Rows, labels: Mapping[str, int]) -> tuple[list[int | None], list[str]]:
    """Class of each row (None where there is none), and what is wrong with the labels."""
    classes = [_class(label, labels) for label in rows.labels]
    faulty = [
        (name, label)
        for name, label, number in zip(rows.names, rows.labels, classes, strict=True)
        if number is None
    ]
    missing = [name for name, label in faulty if label.strip().lower() in _MISSING_LABELS]
    other = [(name, label) for name, label in faulty if label.strip().lower() not in _MISSING_LABELS]
    problems = [f"the label is missing in {checks.named(missing)}"] if missing else []
    if other:
        # A label is short; a long one is a text from a wrong column, and texts do not belong in logs.
        kinds = list(dict.fromkeys(label if len(label) <= 20 else label[:20] + "…" for _, label in other))
        where = (
            f"{', '.join(repr(kind) for kind in kinds[:10])} in {checks.named([name for name, _ in other])}"
        )
        problems.append(_other_labels(where, labels))
    return classes, problems


def _class(label: str, labels: Mapping[str, int]) -> int | None:
    if labels:
        return labels.get(label)
    match = _INTEGER.fullmatch(label)
    return int(match[1]) if match else None


def _other_labels(where: str, labels: Mapping[str, int]) -> str:
    if not labels:
        return (
            f"the label is not an integer: {where}. Write labels: ['label of class 0', 'label of class 1', ...], "
            "or labels: {'label': number, ...}"
        )
    text = f"the label is not in reader.labels ({', '.join(repr(label) for label in labels)}): {where}"
    if {"true", "false"} & set(labels):
        text += ". In YAML, yes, no, true and false are truth values: put such labels in quotes"
    return text


def _table(
    task: str, layout: str, settings: PrepareSettings, rows: Rows, classes: Sequence[int]
) -> TaskTable:
    distinct = sorted(set(classes))
    position = {number: k for k, number in enumerate(distinct)}
    text_b = rows.text_b or []
    info = TaskInfo(
        task=task,
        layout=layout,
        classes=[str(number) for number in distinct],
        n_alternatives=len(text_b[0].split(SEPARATOR)) if layout == "alternatives" else 0,
        data_version=settings.data_version,
    )
    labels = np.asarray([position[number] for number in classes], dtype=np.int64)
    return TaskTable(info=info, text_a=rows.text_a, text_b=text_b, labels=labels, groups=rows.groups)
