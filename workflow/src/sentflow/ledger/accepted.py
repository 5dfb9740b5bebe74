"""New expected values in the text of ``catalog/ledger.yaml``; every other byte of it stays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import yaml

from sentflow.errors import DataError
from sentflow.ledger.verdicts import NOT_RUN, LedgerRow

_SECTION = "expected"


@dataclass(frozen=True)
class Entry:
    """What was found for a claim, at which commit, and why that is right."""

    value: float
    commit: str
    why: str


def unexpected(rows: Sequence[LedgerRow]) -> list[LedgerRow]:
    """Claims that were run and moved, or have no expected value; a difference between two moves with them."""
    return [
        row
        for row in rows
        if row.verdict != NOT_RUN and not row.is_difference and (row.moved or row.expected != row.expected)
    ]


def with_entries(text: str, entries: Mapping[str, Entry]) -> str:
    """The text with entries replaced where their claims have one, and added behind the last one where not."""
    known = _values_of(text)
    changes = [
        (known[name].start_mark.index, known[name].end_mark.index, _line(entry))
        for name, entry in entries.items()
        if name in known
    ]
    new = "".join(
        f"\n  {_quoted(name)}:\n    {_line(entry)}" for name, entry in entries.items() if name not in known
    )
    end = max(node.end_mark.index for node in known.values())
    for start, stop, line in sorted([*changes, (end, end, new)], reverse=True):
        text = text[:start] + line + text[stop:]
    return text


def _values_of(text: str) -> dict[str, yaml.Node]:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    for key, section in root.value if isinstance(root, yaml.MappingNode) else ():
        if key.value == _SECTION and isinstance(section, yaml.MappingNode) and section.value:
            return {name.value: value for name, value in section.value}
    raise DataError("ledger.yaml: there are no expected values, behind which new ones could stand.")


def _line(entry: Entry) -> str:
    return f"{{value: {entry.value:.6g}, commit: {_quoted(entry.commit)}, why: {_quoted(entry.why)}}}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
