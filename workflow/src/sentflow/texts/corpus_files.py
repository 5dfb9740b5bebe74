"""Which raw files corpora and question sets need. Read by the Snakefile too, so nothing heavy is imported here."""

from collections.abc import Mapping
from typing import Any

from sentflow.errors import no_pattern

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


def source_problems(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Place in an entry, and what is wrong there: columns that cannot be meant, and those that are missing."""
    every = {meaning for meanings in MEANINGS.values() for meaning in meanings}
    problems = []
    for key, meanings in MEANINGS.items():
        for number, source in enumerate(entry.get(key, [])):
            place = f"{key}.{number}"
            problems += [
                (f"{place}.{name}", "nothing of this kind is read there. Delete it.")
                for name in source
                if name in every and name not in meanings
            ]
            problems += [
                (f"{place}.{name}", wrong)
                for name in ("pattern", "remove")
                if isinstance(source.get(name), str) and (wrong := no_pattern(source[name]))
            ]
            for choices in _needed(key, entry.get("ids", "column")):
                if sum(choice in source for choice in choices) != 1:
                    problems.append((place, f"write the column of {' or of '.join(choices)}."))
    return problems


def _needed(key: str, ids: str) -> list[tuple[str, ...]]:
    """What a source must name, each of one kind."""
    if key == "without":
        return [("id", "text")]
    own: list[tuple[str, ...]] = [("id",)] if ids == "column" else []
    if key != "judgements":
        return [*own, ("text",)]
    question = {"column": [("question",)], "distinct": [("question_text",)]}.get(ids, [])
    return [*question, ("document", "document_text")]
