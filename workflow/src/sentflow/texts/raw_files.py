"""Which raw files tasks, pair sets, corpora and question sets need. The Snakefile reads it: standard library only."""

from collections.abc import Mapping
from typing import Any

# What a catalog entry reads → what columns of its files may mean
MEANINGS: Mapping[str, tuple[str, ...]] = {
    "documents": ("id", "title", "text"),
    "questions": ("id", "text", "group", "cluster"),
    "judgements": ("question", "question_text", "document", "document_text", "grade"),
    "without": ("id", "text"),
}

COLUMN, GOLD_DOCUMENT = "column", "gold-document"  # how questions come in clusters


# Formats of files that are never in memory as a whole, see `sentflow.texts.formats.table.record_batches`
READ_IN_PARTS = frozenset({"csv", "tsv", "jsonl", "parquet", "beir"})
SUBSET = "{subset}"  # stands in the names of files for a sub-source


DERIVED = "derived"
"""Format of a reader that derives the rows of a task from records of several files."""
SHARED_TEXTS = "texts"
"""What a task writes as `documents` so that rows that share a text count as those of one document."""
EXCHANGE, CROSS = "exchange", "cross"
"""How such a reader makes pairs that do not belong together; the latter within documents that hold several pairs."""
SOURCE_KEYS = ("sources", "not_in", "joined", "names")
"""Keys of such a reader that hold sources."""


def raw_files_of(entry: Mapping[str, Any]) -> list[str]:
    """Names of the files that an entry reads, each once, in the order in which they are read."""
    reader = entry.get("reader", {})
    if reader.get("format") == "semeval":  # sentences and gold of each sub-source
        keys = ("input", "gold")
        return [reader[key].replace(SUBSET, subset) for subset in reader["subsets"] for key in keys]
    if "file" in reader:
        return [reader["file"]]
    sources = [source for key in MEANINGS for source in entry.get(key, [])]
    sources += [reader, *(source for key in SOURCE_KEYS for source in reader.get(key, []))]
    return list(dict.fromkeys(file for source in sources for file in source.get("files", [])))


def has_groups(reader: Mapping[str, Any]) -> bool:
    """Whether the reader says of which document a row is."""
    if reader.get("format") != DERIVED:
        return "group" in reader
    return reader.get("makes") in (EXCHANGE, CROSS) or any("group" in source for source in reader["sources"])
