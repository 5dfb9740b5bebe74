"""Raw files of a task into its table: read, map labels to classes, and say all that is wrong at once."""

import logging
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sentflow.config.tasks import TaskSettings
from sentflow.errors import DataError
from sentflow.texts.checks import (
    check_folds,
    empty_texts,
    misfit_classes,
    misfit_counts,
    named,
    refuse,
    uneven_alternatives,
    verified_files,
)
from sentflow.texts.derived import Derivation
from sentflow.texts.raw_files import DERIVED, SHARED_TEXTS, raw_files_of
from sentflow.texts.settings import TaskChecks
from sentflow.texts.sources import Rows, label_map, read_rows
from sentflow.texts.table import SEPARATOR, TaskInfo, TaskTable, row_graph

logger = logging.getLogger(__name__)

COLUMNS_LAYOUT = "columns"  # single or pair, whichever the number of columns says
_INTEGER = re.compile(r"\s*([+-]?\d{1,18})(\.0*)?\s*")
_MISSING_LABELS = frozenset({"", "nan", "na", "n/a", "null", "none"})


def prepare(task: str, raw_files: Sequence[Path], settings: TaskSettings, checks: TaskChecks) -> TaskTable:
    """Read and check the rows of a task.

    `raw_files`: files of its dataset; the reader's `file` is found among them by name. `settings`, `checks`: what the
    table depends on, and what it must allow. Returns: rows in the order of the file. Texts are as read: nothing is
    stripped or normalised here.
    """
    reader = settings.reader
    names = raw_files_of(settings.as_dict())
    place = f"tasks.{task}.reader"
    if reader.format == DERIVED:
        paths = verified_files(names, raw_files, checks.files, where=f"{place}.sources")
        rows = Derivation(reader, paths, place).rows(task)
    else:
        paths = verified_files(names, raw_files, checks.files, where=f"{place}.file")
        rows = read_rows(paths[names[0]], reader)
    file = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    layout = _layout(settings.layout, rows, f"{task} ({file})")
    classes, problems = _classes(rows, label_map(reader.labels))
    problems += empty_texts(rows.names, rows.text_a, "text a")
    if rows.text_b is not None:
        problems += empty_texts(rows.names, rows.text_b, "text b")
    if layout == "alternatives" and rows.text_b is not None:
        problems += uneven_alternatives(rows.names, rows.text_b)
    counts = Counter(number for number in classes if number is not None)
    if None not in classes:  # counts of half the rows would only repeat the problem with the other half
        problems += misfit_classes(counts, checks.metric)
        expected = {int(name): n for name, n in (settings.class_counts or {}).items()}
        problems += misfit_counts(counts, settings.rows, expected or None)
    refuse(problems, table=task, file=file)
    table = _table(task, layout, settings, rows, [number for number in classes if number is not None])
    if settings.documents == SHARED_TEXTS:
        table = replace(table, groups=_connected_by_texts(table))
    check_folds(
        table,
        checks.folds,
        batch_rows=checks.batch_rows,
        evaluation_share=checks.evaluation_share,
        small_parts=checks.small_parts,
    )
    logger.info("%s: %d rows, per class %s", task, len(table), dict(sorted(counts.items())))
    return table


def _connected_by_texts(table: TaskTable) -> list[str | None]:
    """n names: of the connected component of each row. DataError where none or most of all are connected."""
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
    problems = [f"the label is missing in {named(missing)}"] if missing else []
    if other:
        # A label is short; a long one is a text from a wrong column, and texts do not belong in logs.
        kinds = list(dict.fromkeys(label if len(label) <= 20 else label[:20] + "…" for _, label in other))
        where = f"{', '.join(repr(kind) for kind in kinds[:10])} in {named([name for name, _ in other])}"
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


def _table(task: str, layout: str, settings: TaskSettings, rows: Rows, classes: Sequence[int]) -> TaskTable:
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
