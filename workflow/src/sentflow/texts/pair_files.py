"""Which raw files a pair set needs. Read by the Snakefile too, so nothing heavy is imported here."""

from collections.abc import Mapping
from typing import Any

SUBSET = "{subset}"  # stands in the names of files for a sub-source


def raw_files_of(entry: Mapping[str, Any]) -> list[str]:
    """Names of the files that the reader of a pair set's entry reads, in the order in which it reads them."""
    return reader_files(entry["reader"])


def reader_files(reader: Mapping[str, Any]) -> list[str]:
    """Names of the files that a reader reads; for ``semeval`` sentences and gold of each sub-source."""
    if reader.get("format") == "semeval":
        return [
            reader[key].replace(SUBSET, subset) for subset in reader["subsets"] for key in ("input", "gold")
        ]
    return list(reader["files"])
