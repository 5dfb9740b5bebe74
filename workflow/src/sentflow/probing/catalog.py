"""From entries of the catalog and the config to protocols, and from these to the settings of jobs.

Standard library only: the Snakefile reads it. No job imports it, so that nothing is computed again when it is edited.
"""

from collections.abc import Mapping
from typing import Any

from sentflow.probing.settings import (
    CROSS_VALIDATION,
    LOGISTIC,
    MLP,
    PUBLISHED,
    PUBLISHED_NAME,
    REGULARISED,
    AboutProtocol,
    ProbeProtocol,
    ProbeSettings,
    Switches,
    Training,
)
from sentflow.texts.raw_files import SHARED_TEXTS, has_groups

DOCUMENTS = "-documents"  # ends the name of a protocol that is another with documents kept together
FOR_OWN_TASKS = "corrected"
_PROBE_SWITCHES = (
    *("best_checkpoint", "clip_metric", "const_features", "group_folds", "lazy_sep_layout"),
    *("logit_in_unit_interval", "stratify_eval", "warmup_floor"),
)
"""What folds depend on; the others decide a task's classifier, intervals and curves."""


def protocol_name(task: Mapping[str, Any], chosen: str) -> str:
    """Name of the protocol that a task takes, by its entry and `probe.protocol` of a configuration.

    A task that sentflow does not come with has ``published: false``: without published scores the published protocol
    has no use there, and would train a small task too little.
    """
    if "protocol" in task:
        return str(task["protocol"])
    is_published = task.get("published", True)
    return FOR_OWN_TASKS if chosen == PUBLISHED_NAME and not is_published else chosen


def protocol_of(name: str, entry: Mapping[str, Any], probe: Mapping[str, Any] | None = None) -> ProbeProtocol:
    """The protocol of an entry of the catalog.

    `probe`: section of the config, with repetitions, folds and seed of an entry that names none; else the published
    ones. Raises pydantic.ValidationError: the entry does not fit `sentflow.config.tasks.Protocol`.
    """
    drawn = {key: probe[key] for key in CROSS_VALIDATION} if probe else {}
    training = {**drawn, **entry.get("training", {})}
    switches = Switches(**entry.get("switches", {}))
    return ProbeProtocol(name=name, title=entry["title"], switches=switches, **training)


def keeping_documents(protocol: ProbeProtocol) -> ProbeProtocol:
    """The same protocol with documents kept together, by the name that the catalog gives such protocols."""
    return protocol.but(
        name=f"{protocol.name}{DOCUMENTS}",
        title=f"{protocol.title}, documents kept together",
        switches=protocol.switches.model_copy(update={"group_folds": True}),
    )


def classifier_of(protocol: ProbeProtocol, task: Mapping[str, Any]) -> str:
    """The probe of a task: the protocol's own, the leaked hidden layer, or what the task's entry says."""
    leaked = protocol.switches.leak_hidden_dims and task.get("leaked_hidden_layer", False)
    return protocol.classifier or (MLP if leaked else str(task["classifier"]))


def changed_settings(
    protocol: ProbeProtocol, task: Mapping[str, Any] | None = None
) -> dict[str, dict[str, Any]]:
    """Settings of training that are not the published ones, so that scores are not comparable.

    `task`: entry, whose classifier decides which settings matter; None for a probe of features alone. Returns name →
    ``{"here": value, "published": value}``.
    """
    read = _read_by(protocol.classifier if task is None else classifier_of(protocol, task))
    changed = {
        key: {"here": _as_json(getattr(protocol, key)), "published": _as_json(getattr(PUBLISHED, key))}
        for key in read
        if getattr(protocol, key) != getattr(PUBLISHED, key)
    }
    published = LOGISTIC if task is None else task["classifier"]
    if protocol.classifier not in (None, published):
        changed["classifier"] = {"here": protocol.classifier, "published": published}
    return changed


def _read_by(classifier: str | None) -> list[str]:
    """Settings of training that matter to probes of a kind; None may be logistic or have a hidden layer."""
    of_regularised = ("penalties", "scalings")
    if classifier == REGULARISED:
        return [*CROSS_VALIDATION, "evaluation_share", *of_regularised]
    unread = {"classifier", *of_regularised, *([] if classifier in (None, MLP) else ["hidden_width"])}
    return [key for key in Training.model_fields if key not in unread]


def about_protocol(protocol: ProbeProtocol, task: Mapping[str, Any]) -> AboutProtocol:
    """What the score of a task says of its protocol, given the task's entry."""
    changed = changed_settings(protocol, task)
    return AboutProtocol(name=protocol.name, switches=protocol.switches, changed=changed)


def job_settings(
    protocol: ProbeProtocol,
    task: Mapping[str, Any],
    *,
    lazy: bool,
    folds_optional: bool = False,
) -> ProbeSettings:
    """What decides the folds of a task; the rest is as published. `lazy`: the encoder is fitted inside each fold."""
    switches = {name: getattr(protocol.switches, name) for name in _PROBE_SWITCHES}
    if not (lazy and task["layout"] == "alternatives"):
        del switches["lazy_sep_layout"]
    if not names_documents(task):
        del switches["group_folds"]
    classifier = classifier_of(protocol, task)
    return ProbeSettings(
        metric=task["metric"],
        protocol=PUBLISHED.but(
            name=protocol.name,
            switches=Switches(**switches),
            **{key: getattr(protocol, key) for key in _read_by(classifier)},
            classifier=classifier,
        ),
        folds_optional=folds_optional and switches.get("group_folds", False),
    )


def names_documents(task: Mapping[str, Any]) -> bool:
    """Whether the entry of a task says which document a row comes from, or that shared texts make documents."""
    return task.get("documents") == SHARED_TEXTS or has_groups(task["reader"])


def _as_json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
