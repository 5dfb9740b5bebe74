"""Tasks of an experiment that are too small for its protocol, as far as that is known before the first job."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sentflow.errors import DataError, SentflowError
from sentflow.families.probing.family import Probing
from sentflow.graph.config.experiment import Experiment
from sentflow.texts.task_files import DERIVED

# A task that trains on too few rows has a small file; larger ones are left to the jobs.
_MAX_BYTES = 50_000_000


def small_tasks(experiment: Experiment) -> list[tuple[str, str]]:
    """Task and warning, in the order of the selection.

    Rows per class are those of the catalog or, for a file of this machine, those that it has: it is read and checked as
    rule prepare does it.

    Raises
    ------
    ConfigError, DataError
        Files of this machine are not in order, each in the words of rule prepare; all are named.
    """
    probing = Probing(experiment)
    found, problems = [], []
    for task in experiment.selected["tasks"]:
        place = SimpleNamespace(task=task)
        settings = {
            **json.loads(probing.prepare_settings(place)),
            **json.loads(probing.prepare_checks(place)),
        }
        try:
            if warning := _warning(task, experiment, settings):
                found.append((task, warning))
        except SentflowError as problem:
            problems.append(problem)
    if len(problems) == 1:
        raise problems[0]
    if problems:
        # a message may have lines of its own
        listed = "\n".join("  - " + str(problem).replace("\n", "\n    ") for problem in problems)
        raise DataError(f"{len(problems)} tasks have files that are not in order:\n{listed}")
    return found


def _warning(task: str, experiment: Experiment, settings: Mapping[str, Any]) -> str | None:
    from sentflow.texts.checks import few_rows

    counts = list(settings.get("class_counts", {}).values()) or _counts_of_file(task, experiment, settings)
    if not counts:
        return None
    return few_rows(
        counts,
        settings["folds"],
        batch_rows=settings["batch_rows"],
        evaluation_share=settings["evaluation_share"],
        small_parts=settings["small_parts"],
    )


def _counts_of_file(task: str, experiment: Experiment, settings: Mapping[str, Any]) -> list[int]:
    """Rows per class in a file of this machine; empty where it must be fetched, made, or is large."""
    entry = experiment.selected["tasks"][task]
    if entry["reader"].get("format") == DERIVED:
        return []  # the catalog says how many there are
    file = experiment.entries["datasets"][entry["dataset"]]["files"][entry["reader"]["file"]]
    places = [Path(address.removeprefix("file://")).expanduser() for address in file.get("urls", [])]
    path = next((place for place in places if place.is_file() and place.stat().st_size <= _MAX_BYTES), None)
    if path is None:
        return []
    from sentflow.files.limits import limited
    from sentflow.texts.prepare import PrepareSettings, prepare

    # without `files`: a checksum of the catalog is for the copy in the results, and is checked there
    whole = PrepareSettings.from_settings(
        {key: settings[key] for key in settings if key != "files"}, task=task
    )
    with limited(**experiment.config.get("limits", {})):
        table = prepare(task, [path], replace(whole, reader=replace(whole.reader, file=path.name)))
    return list(Counter(table.labels.tolist()).values())
