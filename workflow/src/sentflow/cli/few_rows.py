"""Tasks of an experiment that are too small for their protocol, as far as that is known before the first job."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sentflow.families.probing.family import Probing
from sentflow.graph.config.experiment import Experiment

if TYPE_CHECKING:
    from sentflow.texts.table import TaskTable


def small_tasks(experiment: Experiment, tables: Mapping[str, "TaskTable"]) -> list[tuple[str, str]]:
    """Task with its protocol, and warning, in the order of the selection.

    Parameters
    ----------
    experiment
        Rows per class of its catalog count where a task has no table.
    tables
        Of tasks whose files are on this machine.
    """
    from sentflow.texts.checks import few_rows

    probing = Probing(experiment)
    found = []
    for task in probing.tasks:
        counts, protocol = _counts(task, experiment, tables), probing.task_protocol(task)
        if counts and (warning := few_rows(counts, **protocol.needs())):
            found.append((f"{task} ({protocol.name})", at_the_task(warning)))
    return found


def at_the_task(advice: str) -> str:
    """The advice of a job, which does not know that its task names a protocol of its own."""
    return advice.replace("probe.protocol: corrected", "protocol: corrected at the task")


def rows_of_tasks(experiment: Experiment, tables: Mapping[str, "TaskTable"]) -> dict[str, int]:
    """Task → its rows, for the tasks whose rows are known; `tables` as for `small_tasks`."""
    counts = {task: _counts(task, experiment, tables) for task in experiment.selected["tasks"]}
    return {task: sum(found) for task, found in counts.items() if found}


def _counts(task: str, experiment: Experiment, tables: Mapping[str, "TaskTable"]) -> list[int]:
    """Rows of each class; none where they are not known."""
    if task in tables:
        return list(Counter(tables[task].labels.tolist()).values())
    return list(experiment.selected["tasks"][task].get("class_counts", {}).values())
