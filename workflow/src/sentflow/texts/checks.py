"""What must hold of raw files and of a task's rows; each check returns its problems, so that all are told at once."""

import logging
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import ConfigError, DataError, listed
from sentflow.files.checksums import verify_again
from sentflow.texts.table import SEPARATOR, TaskTable


def verified_files(
    names: Sequence[str], given: Sequence[Path], entries: Mapping[str, Mapping[str, Any]], *, where: str
) -> dict[str, Path]:
    """The raw files that a reader names, each verified again.

    `entries`: name → catalog entry; what has a checksum there is verified. Empty where nothing is known.
    """
    by_name = {path.name: path for path in given}
    if missing := [name for name in names if name not in by_name]:
        what = "is not a file" if len(missing) == 1 else "are not files"
        raise ConfigError(
            f"{where}: {', '.join(map(repr, missing))} {what} of the dataset. Files: {', '.join(by_name)}."
        )
    for name in dict.fromkeys(names):
        verify_again(by_name[name], entries.get(name, {}))
    return {name: by_name[name] for name in names}


def refuse(problems: Sequence[str], *, table: str, file: str = "") -> None:
    """Tell all that is wrong with the rows of a table, and of what file they are where there is one."""
    if problems:
        place = f"{file}; " if file else ""
        lines = "".join(f"\n  - {problem}." for problem in problems)
        raise DataError(f"{table} ({place}rows are counted from 1 after the header):{lines}")


logger = logging.getLogger(__name__)

BATCH_ROWS = 128  # of the published protocol; an incomplete batch is dropped
WARM_UP_BATCHES = 4  # fewer per epoch leave the published protocol without a warm-up step
EVALUATION_FRACTION = 0.2  # of the rows that are not in the test part
_WHOLE_NUMBER = re.compile(r"([+-]?[0-9]{1,18})(?:\.0*)?")


def named(names: Sequence[str], limit: int = 10) -> str:
    """Rows for a message: the first few by name, the rest as a count."""
    return f"{'rows' if len(names) > 1 else 'row'} {listed(names, limit)}"


def whole_number(written: str) -> int | None:
    """A whole number as files write it, ``1`` or ``1.0``; None for anything else."""
    found = _WHOLE_NUMBER.fullmatch(written)
    return int(found[1]) if found else None


def empty_texts(names: Sequence[str], texts: Sequence[str], column: str) -> list[str]:
    """Texts that are empty or white space only."""
    empty = [name for name, text in zip(names, texts, strict=True) if not text.strip()]
    return [f"{column} is empty in {named(empty)}: fill or delete them"] if empty else []


def uneven_alternatives(names: Sequence[str], text_b: Sequence[str]) -> list[str]:
    """Rows whose number of alternatives is not that of most rows, or where an alternative is empty."""
    split = [text.split(SEPARATOR) for text in text_b]
    usual, _ = Counter(len(parts) for parts in split).most_common(1)[0]
    if usual < 2:
        return [f"text b holds no alternatives: join them by {SEPARATOR!r}"]
    odd = [f"{name} ({len(parts)})" for name, parts in zip(names, split, strict=True) if len(parts) != usual]
    empty = [
        name for name, parts in zip(names, split, strict=True) if not all(part.strip() for part in parts)
    ]
    problems = [f"most rows have {usual} alternatives, but not {named(odd)}"] if odd else []
    return problems + ([f"an alternative is empty in {named(empty)}"] if empty else [])


def misfit_classes(counts: Mapping[int, int], metric: str) -> list[str]:
    """Classes that the metric cannot score."""
    if len(counts) == 1:
        return [f"all rows have the label {next(iter(counts))}; a task needs at least two classes"]
    if metric == "mcc" and len(counts) != 2:
        return [
            f"the metric mcc needs two classes, but there are {len(counts)} ({_listed(counts)}). "
            "Join classes in reader.labels, or write metric: adjusted_macro_f1"
        ]
    return []


def misfit_counts(
    counts: Mapping[int, int], expected_rows: int | None, expected_counts: Mapping[int, int] | None
) -> list[str]:
    """Differences from the numbers that the catalog expects."""
    problems = []
    n_rows = sum(counts.values())
    if expected_rows is not None and n_rows != expected_rows:
        problems.append(f"{n_rows} rows, expected {expected_rows}")
    if expected_counts is not None and dict(counts) != dict(expected_counts):
        problems.append(f"rows per class are {_listed(counts)}, expected {_listed(expected_counts)}")
    return problems


def check_folds(
    table: TaskTable,
    folds: int,
    *,
    batch_rows: int = BATCH_ROWS,
    evaluation_share: float = EVALUATION_FRACTION,
    small_parts: bool = False,
) -> None:
    """Refuse a task that is too small for cross-validation by a protocol.

    `table`: with at least two classes. `folds`: number of parts, at least 2. `small_parts`: whether a training part
    may be smaller than a batch (switch ``warmup_floor`` off). Raises DataError: a class has fewer rows than there are
    folds, or the smallest training part is smaller than one batch.

    All classes are cut to the size s of the smallest, so n = K s rows take part. The largest test part has
    ceil(n / folds) rows, of the m others ceil(evaluation_share · m) are for evaluation, and the rest is trained on.
    """
    classes, counts = np.unique(table.labels, return_counts=True)
    small = [
        f"class {table.info.classes[k]} has {n} rows, fewer than {folds} folds"
        for k, n in zip(classes, counts, strict=True)
        if n < folds
    ]
    if small:
        raise DataError(
            f"{table.info.task}: {'; '.join(small)}. Add rows, join classes, or write fewer folds."
        )
    n_training = training_rows(n_balanced(counts.tolist()), folds, evaluation_share)
    # the batch norm of an MLP needs two rows
    least = 2 if small_parts else batch_rows
    if n_training < least:
        sizes = (training_rows(n * len(classes), folds, evaluation_share) for n in count(folds))
        needed = next(n for n, rows in enumerate(sizes, start=folds) if rows >= least)
        raise DataError(
            f"{table.info.task}: with {len(classes)} classes and {counts.min()} rows in the smallest, a fold "
            f"trains on {n_training} rows, fewer than {'two' if small_parts else f'one batch of {batch_rows}'}. "
            f"The smallest class needs at least {needed} rows"
            + (
                "."
                if small_parts
                else '; or write protocol: corrected at the task (in Python protocol="corrected"), which trains on '
                "one smaller batch."
            )
        )


def few_rows(
    counts: Sequence[int],
    folds: int,
    *,
    protocol: str,
    batch_rows: int = BATCH_ROWS,
    evaluation_share: float = EVALUATION_FRACTION,
    small_parts: bool = False,
) -> str | None:
    """What training on few rows does to the scores of a task, and what to write; None where there are enough."""
    n_training = training_rows(n_balanced(counts), folds, evaluation_share)
    enough = batch_rows * WARM_UP_BATCHES
    if not small_parts and n_training < enough:
        return (
            f"a fold trains on {n_training} rows. Below {enough} the learning rate of protocol {protocol} never leaves "
            "its start, 5 % of the chosen one, and scores can lie far below what an encoder allows. Write protocol: "
            'corrected at the task (in Python protocol="corrected"), or add rows.'
        )
    if n_training < batch_rows:
        return f"a fold trains on {n_training} rows in one incomplete batch (a full one has {batch_rows})."
    return None


def n_balanced(counts: Sequence[int]) -> int:
    """Rows that are left when all classes are cut to the size of the smallest."""
    return int(min(counts)) * len(counts)


def training_rows(n_balanced: int, folds: int, evaluation_share: float = EVALUATION_FRACTION) -> int:
    """Rows of the smallest training part; see `check_folds`."""
    others = n_balanced - math.ceil(n_balanced / folds)
    return others - math.ceil(evaluation_share * others)


def _listed(counts: Mapping[int, int]) -> str:
    return ", ".join(f"{label}: {n}" for label, n in sorted(counts.items()))
