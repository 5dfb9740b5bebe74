"""Which raw files a task reads, and whether it names documents. Standard library only: the Snakefile reads it."""

from collections.abc import Mapping
from typing import Any

DERIVED = "derived"
"""Format of a reader that derives the rows of a task from records of several files."""
SHARED_TEXTS = "texts"
"""What a task writes as `documents` so that rows that share a text count as those of one document."""
EXCHANGE = "exchange"
"""How such a reader makes pairs that do not belong together, see `sentflow.texts.derived.exchange`."""

CROSS = "cross"
"""The same within documents that hold several pairs, see `sentflow.texts.derived.making.crossed`."""
SOURCE_KEYS = ("sources", "not_in", "joined", "names")
"""Keys of such a reader that hold sources."""


def files_of(reader: Mapping[str, Any]) -> list[str]:
    """Names of the raw files of a reader, each once."""
    if reader.get("format") != DERIVED:
        return [reader["file"]]
    sources = [source for key in SOURCE_KEYS for source in reader.get(key, [])]
    return list(dict.fromkeys(file for source in sources for file in source["files"]))


def has_groups(reader: Mapping[str, Any]) -> bool:
    """Whether the reader says of which document a row is."""
    if reader.get("format") != DERIVED:
        return "group" in reader
    return reader.get("makes") in (EXCHANGE, CROSS) or any("group" in source for source in reader["sources"])
