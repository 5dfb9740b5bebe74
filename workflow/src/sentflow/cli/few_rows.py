"""Tasks of an experiment that are too small for their protocol, as far as that is known before the first job."""

import json
from collections import Counter
from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

from sentflow.config.experiment import Experiment
from sentflow.families.probing.family import Probing

if TYPE_CHECKING:
    from sentflow.texts.table import TaskTable


class SmallTasks(NamedTuple):
    """Tasks with their protocols, and warnings, in the order of the selection.

    Attributes
    ----------
    rows
        Of tasks with too few rows to train on as published.
    documents
        Of tasks with too few documents for anything to be said of new ones.
    """

    rows: list[tuple[str, str]]
    documents: list[tuple[str, str]]


def small_tasks(experiment: Experiment, tables: Mapping[str, "TaskTable"]) -> SmallTasks:
    """Which tasks are too small.

    Parameters
    ----------
    experiment
        Rows per class of its catalog count where a task has no table.
    tables
        Of tasks whose files are on this machine; documents are known only of these.
    """
    from sentflow.probing.protocol.draws import check_documents
    from sentflow.texts.checks import few_rows

    probing = Probing(experiment)
    found = SmallTasks([], [])
    for task in probing.tasks:
        counts, protocol = _counts(task, experiment, tables), probing.task_protocol(task)
        where = f"{task} ({protocol.name})"
        if counts and (warning := few_rows(counts, protocol=protocol.name, **protocol.needs())):
            found.rows.append((where, warning))
        documents = json.loads(probing.prepare_checks(SimpleNamespace(task=task))).get("document_folds")
        if task in tables and documents and (warning := check_documents(tables[task], **documents)):
            found.documents.append((where, warning))
    return found


def rows_of_tasks(experiment: Experiment, tables: Mapping[str, "TaskTable"]) -> dict[str, int]:
    """Task → its rows, for the tasks whose rows are known; `tables` as for `small_tasks`."""
    counts = {task: _counts(task, experiment, tables) for task in experiment.selected["tasks"]}
    return {task: sum(found) for task, found in counts.items() if found}


def _counts(task: str, experiment: Experiment, tables: Mapping[str, "TaskTable"]) -> list[int]:
    """Rows of each class; none where they are not known."""
    if task in tables:
        return list(Counter(tables[task].labels.tolist()).values())
    return list(experiment.selected["tasks"][task].get("class_counts", {}).values())
