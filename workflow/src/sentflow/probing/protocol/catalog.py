"""From entries of the catalog and the config to protocols, and from these to the settings of jobs.

Standard library only: the Snakefile reads it. No job imports it, so that nothing is computed again when it is edited.
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from sentflow.probing.protocol.settings import (
    CROSS_VALIDATION,
    LOGISTIC,
    MLP,
    PUBLISHED,
    REGULARISED,
    ProbeProtocol,
    frozen,
)
from sentflow.probing.protocol.switches import PROBE_SWITCHES, Switches, SwitchValue
from sentflow.texts.task_files import SHARED_TEXTS, has_groups

# what the section `training` of a protocol may hold
TRAINING_KEYS = tuple(
    item.name for item in fields(ProbeProtocol) if item.name not in ("switches", "name", "title")
)

DOCUMENTS = "-documents"  # ends the name of a protocol that is another with documents kept together


def protocol_of(name: str, entry: Mapping[str, Any], probe: Mapping[str, Any] | None = None) -> ProbeProtocol:
    """The protocol of an entry that fits `sentflow.config.protocols.Protocol`.

    Parameters
    ----------
    name, entry
        Of the protocol.
    probe
        Section ``probe`` of the config: repetitions, folds and seed of an entry that names none. Without it they
        are the published ones.
    """
    drawn = {key: probe[key] for key in CROSS_VALIDATION} if probe else {}
    training = frozen({**drawn, **entry.get("training", {})})
    switches = Switches.unlike_published(entry.get("switches", {}))
    return ProbeProtocol(name=name, title=entry["title"], switches=switches, **training)


def keeping_documents(protocol: ProbeProtocol) -> ProbeProtocol:
    """The same protocol with documents kept together, by the name that the catalog gives such protocols."""
    return replace(
        protocol,
        name=f"{protocol.name}{DOCUMENTS}",
        title=f"{protocol.title}, documents kept together",
        switches=replace(protocol.switches, group_folds=True),
    )


def classifier_of(protocol: ProbeProtocol, task: Mapping[str, Any]) -> str:
    """The probe of a task: the protocol's own, the leaked hidden layer, or what the task's entry says."""
    leaked = protocol.switches.leak_hidden_dims and task.get("leaked_hidden_layer", False)
    return protocol.classifier or (MLP if leaked else str(task["classifier"]))


def changed_settings(
    protocol: ProbeProtocol, task: Mapping[str, Any] | None = None
) -> dict[str, dict[str, Any]]:
    """Settings of training that are not the published ones: the scores are then not comparable.

    Parameters
    ----------
    protocol
        Any.
    task
        Entry of the task that is probed: its classifier decides which settings matter. None for a probe of features
        alone.

    Returns
    -------
    dict
        Name → ``{"here": value, "published": value}``.
    """
    changed = {
        key: {"here": _as_json(getattr(protocol, key)), "published": _as_json(getattr(PUBLISHED, key))}
        for key in TRAINING_KEYS
        if key != "classifier" and getattr(protocol, key) != getattr(PUBLISHED, key)
    }
    for key in _unread(protocol.classifier if task is None else classifier_of(protocol, task)):
        changed.pop(key, None)
    published = LOGISTIC if task is None else task["classifier"]
    if protocol.classifier not in (None, published):
        changed["classifier"] = {"here": protocol.classifier, "published": published}
    return changed


def _unread(classifier: str | None) -> set[str]:
    """Settings of training that do not matter to probes of a kind; None may be logistic or have a hidden layer."""
    of_regularised = {"penalties", "scalings"}
    if classifier == REGULARISED:
        return {*TRAINING_KEYS} - {*CROSS_VALIDATION, "evaluation_share", *of_regularised}
    return of_regularised if classifier in (None, MLP) else {*of_regularised, "hidden_width"}


def about_protocol(protocol: ProbeProtocol, task: Mapping[str, Any]) -> dict[str, Any]:
    """What the score of a task says of its protocol, given the task's entry."""
    return {
        "name": protocol.name,
        "switches": protocol.switches.changes(),
        "changed": changed_settings(protocol, task),
    }


def job_settings(
    protocol: ProbeProtocol,
    task: Mapping[str, Any],
    *,
    lazy: bool,
    device: str = "cpu",
    folds_optional: bool = False,
) -> dict[str, Any]:
    """What decides the folds of a task, as `ProbeDesign.of_job` reads it; what cannot matter is left out.

    What is as published is left out too, so that nothing of a published fold ever changes by a new setting.

    Parameters
    ----------
    protocol
        Of the probes.
    task
        Its entry.
    lazy
        Whether the encoder is fitted inside each fold.
    device, folds_optional
        See `ProbeDesign`; the latter matters only where documents are kept together.
    """
    switches: dict[str, SwitchValue] = {
        name: value for name, value in protocol.switches.changes().items() if name in PROBE_SWITCHES
    }
    if not (lazy and task["layout"] == "alternatives"):
        switches.pop("lazy_sep_layout", None)
    if not names_documents(task):
        switches.pop("group_folds", None)
    training = {
        key: change["here"]
        for key, change in changed_settings(protocol, task).items()
        if key not in (*CROSS_VALIDATION, "classifier")
    }
    classifier = classifier_of(protocol, task)
    return {
        "protocol": protocol.name,
        **protocol.cross_validation,
        "metric": task["metric"],
        "classifier": classifier,
        **({"switches": switches} if switches else {}),
        **({"training": training} if training else {}),
        **({"device": device} if device != "cpu" else {}),
        **({"folds_optional": True} if folds_optional and "group_folds" in switches else {}),
    }


def names_documents(task: Mapping[str, Any]) -> bool:
    """Whether the entry of a task says which document a row comes from, or that shared texts make documents."""
    return task.get("documents") == SHARED_TEXTS or has_groups(task["reader"])


def _as_json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
