"""Protocols of the Python API: by name, or an entry of the caller's own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sentflow.api.arguments import ArgumentError
from sentflow.api.data import WORKFLOW, own_entries
from sentflow.config.entries import Entries
from sentflow.config.load import catalog_with
from sentflow.errors import ConfigError, instead
from sentflow.probing.catalog import protocol_name, protocol_of
from sentflow.probing.settings import PUBLISHED_NAME, REGULARISED, ProbeProtocol

OWN_NAME = "own"  # of an entry that is given without a name


class Protocols:
    """The protocol of each task that an evaluator knows."""

    def __init__(
        self,
        protocol: str | Mapping[str, Any],
        config: str | Path | Mapping[str, Any] | None,
        tasks: Entries,
    ) -> None:
        self.chosen = named_protocol(protocol, config)
        names = {task: protocol_name(entry, self.chosen.name) for task, entry in tasks.items()}
        others = dict.fromkeys(name for name in names.values() if name != self.chosen.name)
        found = {name: named_protocol(name, config) for name in others}
        self._of_tasks = {task: found.get(name, self.chosen) for task, name in names.items()}

    def of(self, task: str) -> ProbeProtocol:
        """What the entry of a task names; else what was asked for, or `corrected` where that is `published`.

        The latter is for tasks of the caller's own, see `protocol_name`.
        """
        return self._of_tasks.get(task, self.chosen)


def named_protocol(
    protocol: str | Mapping[str, Any], config: str | Path | Mapping[str, Any] | None
) -> ProbeProtocol:
    """The protocol that ``protocol=`` asks for."""
    own = own_entries(config)
    if isinstance(protocol, Mapping):
        entry = {"title": "Own protocol", **protocol}
        own = {"protocols": {**(own.get("protocols") or {}), OWN_NAME: entry}}
        try:
            return protocol_of(OWN_NAME, catalog_with(own, WORKFLOW, "protocols")["protocols"][OWN_NAME])
        except ConfigError as error:
            raise ArgumentError(f"protocol: {error}") from error
    known = catalog_with(own, WORKFLOW, "protocols")["protocols"]
    if protocol not in known:
        raise ArgumentError(f"protocol: there is no protocol {protocol!r}. {instead(str(protocol), known)}")
    return protocol_of(protocol, known[protocol])


def probe_protocol(
    protocol: str | Mapping[str, Any] = PUBLISHED_NAME,
    *,
    config: str | Path | Mapping[str, Any] | None = None,
) -> ProbeProtocol:
    """A protocol for `sentflow.probing.cross_validate`.

    Parameters
    ----------
    protocol
        A name of the catalog or of `config`; or an entry as under ``protocols:`` of a config file, with ``like``,
        ``switches`` and ``training``, which is then called "own". The switch ``leak_hidden_dims`` and those of
        intervals and curves are kept, but decide nothing there: a probe of features alone knows no task, and gives
        folds, not summaries.
    config
        A YAML file, or what one would hold: its ``protocols`` are read.

    Raises
    ------
    ArgumentError
        There is no such protocol, the entry is not in order, or the protocol sets a ``classifier`` for which
        `cross_validate` has ``hidden``.
    """
    named = named_protocol(protocol, config)
    if named.classifier not in (None, REGULARISED):
        raise ArgumentError(
            f"the protocol {named.name} sets training.classifier, which cross_validate does not read. Leave it out, "
            "and write hidden=None for logistic probes, hidden=256 for those with a hidden layer."
        )
    return named
