"""Which raw files corpora and question sets need. Read by the Snakefile too, so nothing heavy is imported here."""

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


def raw_files_of(entry: Mapping[str, Any]) -> list[str]:
    """Names of the files that the sources of an entry read, each once, in the order in which they are read."""
    sources = [source for key in MEANINGS for source in entry.get(key, [])]
    return list(dict.fromkeys(file for source in sources for file in source.get("files", [])))
