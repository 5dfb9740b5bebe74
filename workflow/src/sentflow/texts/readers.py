"""Raw files of a task into rows: which columns of a raw record are texts, label and group."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sentflow.config.tasks import Reader
from sentflow.errors import DataError
from sentflow.texts.formats.raw import Column, Records, listed
from sentflow.texts.formats.table import read_records
from sentflow.texts.table import SEPARATOR


@dataclass(frozen=True)
class Rows:
    """What a reader found, in the order of the file."""

    names: list[str]  # what to call each row in a message, see `Records`
    # text_a, labels, groups: as long as `names`; labels as written in the file
    text_a: list[str]
    text_b: list[str] | None  # as long as `names`, or None where the file has no second text
    labels: list[str]
    groups: list[str | None]


def read_rows(path: Path, reader: Reader) -> Rows:
    """Read a raw file. Raises DataError: the file is missing, empty, damaged, wrongly encoded, or lacks a column."""
    wanted: dict[str, Column | None] = {
        "text_a": reader.text_a,
        "text_b": reader.text_b,
        "label": reader.label,
        "group": reader.group,
    }
    records = read_records(path, reader, wanted.values(), joined=SEPARATOR)
    if reader.format == "ulysses-csv":
        records, wanted = _official(records)
    elif reader.format == "assin-xml":
        wanted = {"text_a": "t", "text_b": "h", "label": "entailment"}
    elif reader.format == "text-folders":
        wanted = {"text_a": "text", "label": "folder", "group": reader.group}
    picked = records.pick(wanted)
    return Rows(
        names=records.names,
        text_a=picked.get("text_a", []),
        text_b=picked.get("text_b"),
        labels=picked.get("label", []),
        groups=[group or None for group in picked["group"]] if "group" in picked else [None] * len(records),
    )


def _official(records: Records) -> tuple[Records, dict[str, Column | None]]:
    """First column an index; then text and label, or text a, text b and label, whatever their names."""
    n = len(records.header)
    if n not in (3, 4):
        raise DataError(
            f"{records.file}: {n} columns ({listed(map(repr, records.header))}), expected 3 (index, text, label) or 4 "
            f"(index, text a, text b, label). A file with other columns is read with format: csv."
        )
    by_place = Records(records.file, range(n), records.columns, records.names)
    return by_place, {"text_a": 1, "text_b": 2 if n == 4 else None, "label": n - 1}


def label_map(labels: Mapping[str, int] | Sequence[str | int] | None) -> Mapping[str, int]:
    """Label as written → class, of such a map, or of a list whose places are the classes; empty without either."""
    if isinstance(labels, Mapping):
        return labels
    return {str(label): number for number, label in enumerate(labels or ())}
