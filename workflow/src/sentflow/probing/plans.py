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
        Its documents cannot be dealt to the folds.
    """
    groups = _documents(table) if protocol.switches.group_folds else None
    try:
        yield from plan_folds(table.labels, protocol, wanted=wanted, groups=groups)
    except UngroupableError as error:
        raise DataError(
            f"{table.info.task}: {error}. Write fewer folds, or a protocol with group_folds: false; where "
            "probe.documents asks for them, leave reader.group out of the task or write probe.documents: false."
        ) from error


def refuse_torn_documents(table: TaskTable, *, repetitions: int, folds: int, seed: int) -> None:
    """Plan the folds that keep the documents of a task together, so that a task without such folds is refused early.

    Raises
    ------
    DataError
        See `task_plans`.
    """
    switches = Switches(group_folds=True)
    protocol = ProbeProtocol(repetitions=repetitions, folds=folds, seed=seed, switches=switches)
    for _ in task_plans(table, protocol):
        pass


def _documents(table: TaskTable) -> np.ndarray:
    """(n,) int64: the document of each row, see `plan_folds`; a row without one is its own."""
    if all(name is None for name in table.groups):
        logger.warning("%s: no row has a document, so folds are drawn row by row", table.info.task)
    return resampling_units(table.labels, table.groups).of_row
