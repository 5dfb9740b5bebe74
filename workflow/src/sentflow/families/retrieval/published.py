"""What others report of the question sets, for the table that puts it beside ours."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sentflow.config.entries import Entry, read_yaml

_ORIGINS = {
    "own": "",
    "re-implemented": "A re-implementation by the source.",
    "quoted": "Copied by the source from another one.",
}
_DIGITS = 6  # more than any source prints: 70.6 / 100 is not exactly 0.706


def published_of(question_sets: Mapping[str, Entry], workflow: Path) -> list[Entry]:
    """What the entries of question sets say, then the columns of published tables that are of the same sets.

    Parameters
    ----------
    question_sets
        Name → entry, those that are measured.
    workflow
        The folder with the catalog.

    Returns
    -------
    list[Entry]
        The fields of `sentflow.config.collections.Published`, with the name of the set as ``questions``.
    """
    if not question_sets:
        return []
    tables = read_yaml(workflow / "catalog" / "published_retrieval.yaml")
    return [
        {"questions": name, **value}
        for name, entry in question_sets.items()
        for value in [*entry.get("published", []), *_values(tables.values(), name)]
    ]


def _values(tables: Iterable[Mapping[str, Any]], question_set: str) -> Iterator[Entry]:
    for table in tables:
        for name, column in table["columns"].items():
            if column.get("question_set") == question_set:
                yield from (_value(table, name, row) for row in table["rows"] if name in row["values"])


def _value(table: Mapping[str, Any], column: str, row: Mapping[str, Any]) -> Entry:
    about = table["columns"][column]
    own = (_ORIGINS[row["origin"]], row.get("remark", ""), row.get("doubts", {}).get(column, ""))
    return {
        "system": ", ".join(filter(None, (row["system"], row.get("setting")))),
        "measure": about["measure"],
        "value": round(row["values"][column] / about["scale"], _DIGITS),
        "source": table["source"],
        "remark": " ".join(filter(None, (*own, *table["remarks"]))),
    }
