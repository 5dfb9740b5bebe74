"""Which raw files corpora and question sets need. Read by the Snakefile too, so nothing heavy is imported here."""

from collections.abc import Mapping
from typing import Any

SOURCES = ("documents", "questions", "judgements")


def raw_files_of(entry: Mapping[str, Any]) -> list[str]:
    """Names of the files that the sources of an entry read, each once, in the order in which they are read."""
    sources = [source for key in SOURCES for source in entry.get(key, [])]
    return list(dict.fromkeys(file for source in sources for file in source.get("files", [])))
