"""Sections of catalog and configuration, and what a family of measurements adds to them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sentflow.config.entries import AllEntries, Entries, Entry, Selected
from sentflow.config.experiment import Configuration
from sentflow.config.model import Name


@dataclass(frozen=True)
class Section:
    """Entries by name, in the catalog and merged over it in a configuration.

    Attributes
    ----------
    name
        Key of a configuration, and of its ``select`` unless `named_in` says otherwise; the catalog's entries lie in
        ``catalog/{name}.yaml``.
    noun
        One entry, in messages.
    named_in
        Places of a configuration (``section.key``) that hold a name, or a list of names, of what is to be run.
    model, key
        What an entry and the name of one may be.
    derive
        Makes an entry with ``like`` of the entry that it names and what it says itself; None if entries have no
        ``like``.
    write_out
        Replaces entries in short form by what they stand for, in place and perhaps in other sections; gives the
        problems of those that stay as they are, by name.
    overlay_problems
        What is wrong with laying entries of a configuration over the catalog's, in this order.
    alone
        Whether something is measured where nothing else is selected.
    own
        What is laid over an entry that the catalog does not have.
    left_out
        Of the selected names, those that are not run where the user's own selection, which did not name them, is of
        other things than that of ``config.yaml``.
    members
        The entries that a name stands for which is none itself, e.g. that of an encoder with several seeds, given all
        entries, the place of the configuration, and the name; None for a name that is not known.
    """

    name: str
    noun: str
    named_in: tuple[str, ...]
    model: Any
    key: Any = Name
    derive: Callable[[Any, Entry], Entry] | None = None
    write_out: Callable[[AllEntries], dict[str, list[str]]] | None = None
    overlay_problems: Callable[[Entries, Entries], list[str]] | None = None
    alone: bool = True
    own: Mapping[str, Any] = field(default_factory=dict)
    left_out: Callable[[AllEntries, Selected], list[str]] = lambda *_: []
    members: Callable[[AllEntries, str, str], list[str] | None] = lambda *_: None

    def names(self, config: Configuration) -> list[tuple[str, str]]:
        """Place and name of every entry that a valid configuration selects."""
        found = []
        for place in self.named_in:
            section, key = place.split(".")
            value = getattr(getattr(config, section), key)
            found += [(place, name) for name in ([value] if isinstance(value, str) else value)]
        return found


@dataclass(frozen=True)
class ConfigPart:
    """The part of catalog and configuration that belongs together.

    Attributes
    ----------
    sections
        The first one holds what the family measures on; none for one that only reads the results of others.
    problems
        What is wrong with what a configuration selects and sets, given the configuration, all entries, and the selected
        names; one sentence each. What does not exist or does not fit its schema is reported already.
    entry_problems
        What is wrong with entries whether they are selected or not, beyond what their schemas find.
    further_models
        Names of encoders beside the selected ones that what is selected needs: of two texts, or to train on. They are
        fetched, and measured by nothing.
    """

    sections: tuple[Section, ...]
    problems: Callable[[Configuration, AllEntries, Selected], Iterable[str]]
    entry_problems: Callable[[AllEntries], Iterable[str]] = lambda _: ()
    further_models: Callable[[AllEntries, Selected], Iterable[str]] = lambda *_: ()
