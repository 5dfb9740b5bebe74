"""The folds of a task's table under a protocol, before anything is trained."""

import logging
from collections.abc import Iterator

import numpy as np

from sentflow.errors import DataError
from sentflow.probing.protocol.draws import FoldPlan, UngroupableError, plan_folds
from sentflow.probing.protocol.settings import ProbeProtocol
from sentflow.probing.protocol.switches import Switches
from sentflow.stats.items import resampling_units
from sentflow.texts.table import TaskTable

logger = logging.getLogger(__name__)


def task_plans(
    table: TaskTable, protocol: ProbeProtocol, *, wanted: set[tuple[int, int]] | None = None
) -> Iterator[FoldPlan]:
    """The folds of a task, see `plan_folds`.

    Raises
    ------
    DataError
        Its documents cannot be assigned to the folds.
    """
    groups = _documents(table) if protocol.switches.group_folds else None
    try:
        yield from plan_folds(table.labels, protocol, wanted=wanted, groups=groups)
    except UngroupableError as error:
        raise DataError(
            f"{table.info.task}: {error}. Write fewer folds, or a protocol with group_folds: false."
        ) from error


def too_few_documents(table: TaskTable, protocol: ProbeProtocol) -> str | None:
    """Why documents cannot be kept together in every repetition, and what follows; None where they can."""
    try:
        for _ in plan_folds(table.labels, protocol, groups=_documents(table)):
            pass
    except UngroupableError as error:
        return f"too few documents: {error}. Nothing is said of new documents."
    return None


def check_documents(table: TaskTable, *, repetitions: int, folds: int, seed: int, needed: bool) -> str | None:
    """Plan the folds that keep the documents of a task together, to tell early where there are none.

    Parameters
    ----------
    table
        The rows of the task.
    repetitions, folds, seed
        Of the protocol.
    needed
        Whether the experiment names a protocol that needs such folds.

    Returns
    -------
    str or None
        See `too_few_documents`.

    Raises
    ------
    DataError
        There are no such folds, and they are needed.
    """
    switches = Switches(group_folds=True)
    protocol = ProbeProtocol(repetitions=repetitions, folds=folds, seed=seed, switches=switches)
    if not needed:
        return too_few_documents(table, protocol)
    for _ in task_plans(table, protocol):
        pass
    return None


def _documents(table: TaskTable) -> np.ndarray:
    """(n,) int64: the document of each row, see `plan_folds`; a row without one is its own."""
    if all(name is None for name in table.groups):
        logger.warning("%s: no row has a document, so folds are drawn row by row", table.info.task)
    return resampling_units(table.labels, table.groups).of_row
