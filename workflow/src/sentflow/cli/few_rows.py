"""Tasks of an experiment that are too small for its protocol, as far as that is known before the first job."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from sentflow.errors import DataError, SentflowError
from sentflow.families.probing.family import Probing
from sentflow.graph.config.experiment import Experiment

if TYPE_CHECKING:
    from sentflow.texts.table import TaskTable

# A task that trains on too few rows has a small file; larger ones are left to the jobs.
_MAX_BYTES = 50_000_000


class SmallTasks(NamedTuple):
    """Tasks and warnings, in the order of the selection.

    Attributes
    ----------
    rows
        Of tasks with too few rows to train on as published.
    documents
        Of tasks with too few documents for anything to be said of new ones.
    """

    rows: list[tuple[str, str]]
    documents: list[tuple[str, str]]


def small_tasks(experiment: Experiment) -> SmallTasks:
    """Which tasks are too small.

    Rows per class are those of the catalog or, for a file of this machine, those that it has: it is read and checked as
    rule prepare does it. Documents are known only of a file of this machine.

    Raises
    ------
    ConfigError, DataError
        Files of this machine are not in order, each in the words of rule prepare; all are named.
    """
    probing = Probing(experiment)
    found, problems = SmallTasks([], []), []
    for task in experiment.selected["tasks"]:
        place = SimpleNamespace(task=task)
        settings = {
            **json.loads(probing.prepare_settings(place)),
            **json.loads(probing.prepare_checks(place)),
        }
        try:
            for warned, warning in zip(found, _warnings(task, experiment, settings), strict=True):
                warned += [(task, warning)] if warning else []
        except SentflowError as problem:
            problems.append(problem)
    if len(problems) == 1:
        raise problems[0]
    if problems:
        # a message may have lines of its own
        listed = "\n".join("  - " + str(problem).replace("\n", "\n    ") for problem in problems)
        raise DataError(f"{len(problems)} tasks have files that are not in order:\n{listed}")
    return found


def _warnings(
    task: str, experiment: Experiment, settings: Mapping[str, Any]
) -> tuple[str | None, str | None]:
    """Of rows and of documents, as `SmallTasks` has them; None where there are enough, or nothing is known."""
    counts = list(settings.get("class_counts", {}).values())
    table = None
    if "documents" in settings or not counts:
        table = _table_of_file(task, experiment, settings)
    if table is not None:
        counts = list(Counter(table.labels.tolist()).values())
    return _few_rows(counts, settings), _few_documents(table, settings)


def _few_rows(counts: Sequence[int], settings: Mapping[str, Any]) -> str | None:
    from sentflow.texts.checks import few_rows

    if not counts:
        return None
    return few_rows(
        counts,
        settings["folds"],
        batch_rows=settings["batch_rows"],
        evaluation_share=settings["evaluation_share"],
        small_parts=settings["small_parts"],
    )


def _few_documents(table: "TaskTable | None", settings: Mapping[str, Any]) -> str | None:
    from sentflow.probing.plans import check_documents

    if table is None or "documents" not in settings:
        return None
    return check_documents(table, **settings["documents"])


def _table_of_file(task: str, experiment: Experiment, settings: Mapping[str, Any]) -> "TaskTable | None":
    """The rows in a file of this machine; None where it must be fetched, made, or is large."""
    entry = experiment.selected["tasks"][task]
    file = experiment.entries["datasets"][entry["dataset"]]["files"][entry["reader"]["file"]]
    places = [Path(address.removeprefix("file://")).expanduser() for address in file.get("urls", [])]
    path = next((place for place in places if place.is_file() and place.stat().st_size <= _MAX_BYTES), None)
    if path is None:
        return None
    from sentflow.files.limits import limited
    from sentflow.texts.prepare import PrepareSettings, prepare

    # without `files`: a checksum of the catalog is for the copy in the results, and is checked there
    whole = PrepareSettings.from_settings(
        {key: settings[key] for key in settings if key != "files"}, task=task
    )
    with limited(**experiment.config.get("limits", {})):
        return prepare(task, [path], replace(whole, reader=replace(whole.reader, file=path.name)))
