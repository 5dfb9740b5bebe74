"""Which raw files a task reads, and whether it names documents. Standard library only: the Snakefile reads it."""

from collections.abc import Mapping
from typing import Any

DERIVED = "derived"
"""Format of a reader that derives the rows of a task from records of several files."""
EXCHANGE = "exchange"
"""How such a reader makes pairs that do not belong together, see `sentflow.texts.derived.exchange`."""


def files_of(reader: Mapping[str, Any]) -> list[str]:
    """Names of the raw files of a reader, each once."""
    if reader.get("format") != DERIVED:
        return [reader["file"]]
    sources = [*reader["sources"], *reader.get("not_in", [])]
    return list(dict.fromkeys(file for source in sources for file in source["files"]))


def has_groups(reader: Mapping[str, Any]) -> bool:
    """Whether the reader says of which document a row is."""
    if reader.get("format") != DERIVED:
        return "group" in reader
    return reader.get("makes") == EXCHANGE or any("group" in source for source in reader["sources"])
