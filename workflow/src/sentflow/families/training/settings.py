"""Which training data an experiment needs, and the settings of the jobs that prepare and audit them."""

from collections.abc import Mapping
from typing import Any

from sentflow.config.entries import AllEntries, Entries
from sentflow.config.experiment import Experiment
from sentflow.encoders.kinds.table import TRAINED
from sentflow.graph.job_settings import pick_known
from sentflow.training.data.combined import with_relations
from sentflow.training.settings import BEST

REQUIRED = "REQUIRED"
"""Stands in the catalog for the path of a file that was never published."""

PREPARE_KEYS = (
    "form",
    "nli",
    "unscored",
    "least_characters",
    "drop_repeated",
    "limit",
    "shuffled_positives",
)


def named_data(models: Entries) -> dict[str, str]:
    """Training data that trained encoders name → the first encoder that does."""
    found: dict[str, str] = {}
    for name, entry in models.items():
        if entry.get("kind") == TRAINED and isinstance(entry.get("data"), str):
            found.setdefault(entry["data"], name)
    return found


def selected_data(experiment: Experiment) -> Entries:
    """The entries of the training data that the selected trained encoders name, and of those that these consist of."""
    known = experiment.entries["training_data"]
    return {name: known[name] for name in with_relations(named_data(experiment.trained_models), known)}


def tested_sets(selected: AllEntries) -> list[tuple[str, str]]:
    """Section and name of everything selected that encoders are tested on."""
    return [
        (section, name) for section in ("tasks", "pair_sets", "question_sets") for name in selected[section]
    ]


def chosen_by_tests(experiment: Experiment) -> dict[str, list[str]]:
    """Selected pair sets by whose scores snapshots are chosen, so that results on them are no tests, → the encoders."""
    found: dict[str, list[str]] = {}
    for name, entry in experiment.trained_models.items():
        selection = entry.get("selection", {})
        chooses = selection.get("rule", BEST) == BEST or selection.get("patience") is not None
        if chooses and selection.get("pairs") in experiment.selected["pair_sets"]:
            found.setdefault(selection["pairs"], []).append(entry.get("seed_of", name))
    return {pairs: list(dict.fromkeys(models)) for pairs, models in found.items()}


def known_files(
    needed: list[tuple[str, str]], datasets: Mapping[str, Any]
) -> dict[str, dict[str, dict[str, Any]]]:
    """Dataset → file → catalog entry of raw files that are not written by the project."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for dataset, file in needed:
        entry = datasets[dataset]["files"][file]
        if "generator" not in entry:
            found.setdefault(dataset, {})[file] = entry
    return found


def prepared_by(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What of an entry decides its table, beside its sources."""
    return pick_known(entry, *PREPARE_KEYS)
