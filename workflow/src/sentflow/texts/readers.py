"""Raw files of a task into rows: which columns of a raw record are texts, label and document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError, DataError
from sentflow.texts.formats.arff import read_arff
from sentflow.texts.formats.delimited import read_delimited
from sentflow.texts.formats.json_records import read_json_lines
from sentflow.texts.formats.parquet import read_parquet_columns
from sentflow.texts.formats.raw_file import FileForm
from sentflow.texts.formats.records import Column, Records, listed
from sentflow.texts.formats.text_folders import read_text_folders
from sentflow.texts.formats.xml_assin import read_assin
from sentflow.texts.table import SEPARATOR

_COLUMNS = ("file", "text_a", "label")
_NEEDED = {
    "ulysses-csv": ("file",),
    "csv": _COLUMNS,
    "jsonl": _COLUMNS,
    "parquet": _COLUMNS,
    "arff": _COLUMNS,
    "text-folders": ("file", "root"),
    "assin-xml": ("file",),
}
FORMATS = tuple(_NEEDED)


@dataclass(frozen=True)
class Reader(FileForm):
    """How to read the rows of a task: the ``reader`` of a catalog entry; see `FileForm`.

    Attributes
    ----------
    file
        Name of the raw file; an archive (zip or tar) may stand for the one text file in it.
    text_a, text_b, label, group
        Names of columns (``csv``, ``jsonl``, ``parquet``, ``arff``); in ``jsonl`` also paths like ``meta.label``. For
        ``text-folders``, ``group: name`` says that files of the same name in several folders belong together.
    labels
        Label as written → class; empty where labels are integers already. In the catalog it may be a list of
        labels, the first of which is class 0.
    root
        Folder in the archive that holds one folder of texts per label (``text-folders``).
    """

    file: str = ""
    text_a: str | None = None
    text_b: str | None = None
    label: str | None = None
    group: str | None = None
    labels: Mapping[str, int] = field(default_factory=dict)
    root: str | None = None

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, where: str) -> "Reader":
        """The reader of a catalog entry.

        Raises
        ------
        ConfigError
            See `FileForm.check_keys`.
        """
        cls.check_keys(settings, where=where, formats=FORMATS, needed=_NEEDED)
        return cls(**{**settings, "labels": label_map(settings.get("labels") or {})})


@dataclass(frozen=True)
class Rows:
    """What a reader found, in the order of the file.

    Attributes
    ----------
    names
        What to call each row in a message, see `Records`.
    text_a, labels, groups
        As long as `names`; labels as written in the file.
    text_b
        As long as `names`, or None where the file has no second text.
    """

    names: list[str]
    text_a: list[str]
    text_b: list[str] | None
    labels: list[str]
    groups: list[str | None]


def read_rows(path: Path, reader: Reader) -> Rows:
    """Read a raw file.

    Raises
    ------
    ConfigError
        The reader's keys do not fit the file's format.
    DataError
        The file is missing, empty, damaged, wrongly encoded, or lacks a column.
    """
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    records, wanted = _records(path, reader)
    found = records.pick(wanted)
    return Rows(
        names=records.names,
        text_a=found.get("text_a", []),
        text_b=found.get("text_b"),
        labels=found.get("label", []),
        groups=[group or None for group in found["group"]] if "group" in found else [None] * len(records),
    )


def _records(path: Path, reader: Reader) -> tuple[Records, dict[str, Column | None]]:
    """The raw records, and which of their columns are what."""
    raw = reader.raw(path)
    named: dict[str, Column | None] = {
        "text_a": reader.text_a,
        "text_b": reader.text_b,
        "label": reader.label,
        "group": reader.group,
    }
    match reader.format:
        case "ulysses-csv":
            return _official(read_delimited(raw, reader.delimiter))
        case "csv":
            return read_delimited(raw, reader.delimiter, quoting=reader.quoting), named
        case "jsonl":
            return read_json_lines(raw, named.values(), gaps=True, joined=SEPARATOR), named
        case "parquet":
            return read_parquet_columns(path, named.values(), joined=SEPARATOR), named
        case "arff":
            return read_arff(raw), named
        case "assin-xml":
            return read_assin(raw), {"text_a": "t", "text_b": "h", "label": "entailment"}
        case "text-folders":
            records = read_text_folders(path, str(reader.root), encoding=reader.encoding)
            return records, {"text_a": "text", "label": "folder", "group": reader.group}
    raise ConfigError(f"{reader.format!r} is not a format. Write one of: {', '.join(FORMATS)}.")


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


def label_map(labels: Mapping[str, int] | Sequence[str | int]) -> Mapping[str, int]:
    """Label as written → class, of such a map, or of a list whose places are the classes."""
    if isinstance(labels, Mapping):
        return labels
    return {str(label): number for number, label in enumerate(labels)}
