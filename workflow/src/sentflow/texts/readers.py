"""One small reader per file format: a raw file into rows whose labels are still as written."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path, PurePosixPath
from typing import Any

from sentflow.errors import ConfigError, DataError
from sentflow.files.archives.limits import is_archive_name
from sentflow.files.archives.members import is_archive, member_names, members_under, read_members
from sentflow.files.decoding import csv_records, decode
from sentflow.files.io import parse_json
from sentflow.texts.formats.xml_assin import read_assin
from sentflow.texts.table import SEPARATOR

FORMATS = ("ulysses-csv", "csv", "jsonl", "parquet", "arff", "text-folders", "assin-xml")
_COLUMN_FORMATS = ("csv", "jsonl", "parquet", "arff")


@dataclass(frozen=True)
class Reader:
    """How to read the rows of a task: the ``reader`` of a catalog entry.

    Attributes
    ----------
    format
        One of `FORMATS`.
    file
        Name of the raw file; an archive (zip or tar) may stand for the one text file in it.
    text_a, text_b, label, group
        Names of columns (``csv``, ``jsonl``, ``parquet``, ``arff``). For ``text-folders``, ``group: name`` says
        that files of the same name in several folders belong together.
    labels
        Label as written → class; empty where labels are integers already. In the catalog it may be a list of
        labels, the first of which is class 0.
    encoding, delimiter
        Of text files.
    quoting
        Whether quotes enclose fields (``csv``); otherwise they are signs like any other, and a line is a row.
    member
        Name of the file in an archive, where it holds several.
    root
        Folder in the archive that holds one folder of texts per label (``text-folders``).
    """

    format: str
    file: str
    text_a: str | None = None
    text_b: str | None = None
    label: str | None = None
    group: str | None = None
    labels: Mapping[str, int] = field(default_factory=dict)
    encoding: str = "utf-8"
    delimiter: str = ","
    quoting: bool = True
    member: str | None = None
    root: str | None = None

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, where: str) -> "Reader":
        """The reader of a catalog entry.

        Raises
        ------
        ConfigError
            Unknown or missing keys, or an unknown format.
        """
        known = [item.name for item in fields(cls)]
        if unknown := sorted(set(settings) - set(known)):
            raise ConfigError(f"{where}: unknown key {', '.join(unknown)}. Known: {', '.join(known)}.")
        if settings.get("format") not in FORMATS:
            raise ConfigError(
                f"{where}.format: {settings.get('format')!r} is not a format. "
                f"Write one of: {', '.join(FORMATS)}."
            )
        needed = {**dict.fromkeys(_COLUMN_FORMATS, ("text_a", "label")), "text-folders": ("root",)}
        missing = [key for key in ("file", *needed.get(settings["format"], ())) if not settings.get(key)]
        if missing:
            raise ConfigError(f"{where}: format {settings['format']} needs {' and '.join(missing)}.")
        return cls(**{**settings, "labels": _label_map(settings.get("labels") or {})})


@dataclass(frozen=True)
class Rows:
    """What a reader found, in the order of the file.

    Attributes
    ----------
    names
        What to call each row in a message: a number from 1, or the name of a file in an archive.
    text_a, labels, groups
        As long as `names`; labels as written in the file.
    text_b
        Likewise, or None where the file has no second text.
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
    read: Callable[[Path, Reader], Rows] = _READERS[reader.format]
    return read(path, reader)


def _read_ulysses_csv(path: Path, reader: Reader) -> Rows:
    """First column an index; then text and label, or text a, text b and label."""
    header, records = csv_records(_text(path, reader), reader.delimiter, where=path.name)
    if len(header) not in (3, 4):
        raise DataError(
            f"{path.name}: {len(header)} columns ({_listed(header)}), expected 3 (index, text, label) or 4 "
            f"(index, text a, text b, label). A file with other columns is read with format: csv."
        )
    return Rows(
        names=_numbers(len(records)),
        text_a=[record[1] for record in records],
        text_b=[record[2] for record in records] if len(header) == 4 else None,
        labels=[record[-1] for record in records],
        groups=[None] * len(records),
    )


def _read_csv(path: Path, reader: Reader) -> Rows:
    header, records = csv_records(
        _text(path, reader), reader.delimiter, where=path.name, quoting=reader.quoting
    )
    return _columns(path, reader, header, records)


def _read_jsonl(path: Path, reader: Reader) -> Rows:
    """One JSON object per line; a key that a line does not have is empty there, as null is."""
    objects: list[Mapping[str, Any]] = []
    # split at line feeds only: JSON may hold other signs that Python counts as line ends
    for number, line in enumerate(_text(path, reader).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found = parse_json(line)
        except ValueError as error:
            raise DataError(
                f"{path.name}, line {number}: {error}. Each line must be one JSON object; a file that is one JSON "
                "list is rewritten by pandas.read_json(file).to_json(new_file, orient='records', lines=True)."
            ) from error
        if not isinstance(found, dict):
            raise DataError(
                f'{path.name}, line {number}: {type(found).__name__}, not an object like {{"text": …}}.'
            )
        objects.append(found)
    if not objects:
        raise DataError(f"{path.name} is empty: no line holds an object.")
    header = list(dict.fromkeys(key for found in objects for key in found))
    return _typed_columns(
        path, reader, header, {key: [found.get(key) for found in objects] for key in header}
    )


def _read_parquet(path: Path, reader: Reader) -> Rows:
    from sentflow.files.parquet_columns import column_names, column_values

    wanted = {reader.text_a, reader.text_b, reader.label, reader.group}
    header = column_names(path)
    values = column_values(path, [name for name in header if name in wanted])
    if values and not any(values.values()):
        raise DataError(f"{path.name} is empty: no rows.")
    return _typed_columns(path, reader, header, values)


def _typed_columns(
    path: Path, reader: Reader, header: list[str], values: Mapping[str, Sequence[Any]]
) -> Rows:
    """Columns whose values have types, as if they had been written in a CSV."""
    named = (reader.text_a, reader.text_b, reader.label, reader.group)
    wanted = [name for name in named if name is not None and name in values]
    fields = {
        name: [_field(value, path, name, row) for row, value in enumerate(values[name], start=1)]
        for name in wanted
    }
    n = len(next(iter(fields.values()), []))
    # columns that nobody asked for stay empty: only their names are wanted, for messages
    records = [[fields[name][row] if name in fields else "" for name in header] for row in range(n)]
    return _columns(path, reader, header, records)


def _field(value: Any, path: Path, column: str, row: int) -> str:
    if value is None or value != value:  # NaN stands for a missing value, not for a text
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return SEPARATOR.join(value)
    raise DataError(
        f"{path.name}, row {row}: the column {column!r} holds {type(value).__name__}, expected a text, a number, true "
        "or false, or a list of texts (alternatives)."
    )


def _read_arff(path: Path, reader: Reader) -> Rows:
    """Attributes, then one row per line; blank lines and comments (%) may stand anywhere."""
    names: list[str] = []
    records: list[list[str]] = []
    in_data = False
    # split at line feeds only: a text may hold other signs that Python counts as line ends
    for number, line in enumerate(_text(path, reader).split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        if in_data:
            records.append(_arff_fields(line, f"{path.name}, line {number}", expected=len(names)))
        elif line.strip().lower() == "@data":
            in_data = True
        elif match := _ARFF_ATTRIBUTE.match(line):
            names.append(match["quoted"] or match["plain"])
    if not in_data:
        raise DataError(f"{path.name}: no line @data. Is it an ARFF file?")
    if not records:
        raise DataError(f"{path.name} is empty: no rows after @data.")
    return _columns(path, reader, names, records)


def _read_text_folders(path: Path, reader: Reader) -> Rows:
    """An archive with one folder of text files per label; each file is one text, stripped of outer white space."""
    assert reader.root is not None  # Reader.from_settings has seen to it
    try:
        found = members_under(path, reader.root)
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from error
    paths = {PurePosixPath(below_root): member for below_root, member in found.items()}
    if odd := [str(below) for below in paths if len(below.parts) != 2 or below.suffix != ".txt"]:
        raise DataError(f"{path.name}: {_listed(odd)} in {reader.root} is not of the form <label>/<name>.txt")
    ordered = sorted(paths, key=lambda below: (below.parts[0], _natural(below.stem)))
    try:
        contents = list(read_members(path, [paths[below] for below in ordered]))
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from error
    return Rows(
        names=[str(below) for below in ordered],
        text_a=[
            decode(content, reader.encoding, where=f"{path.name}, {member}").strip()
            for member, content in contents
        ],
        text_b=None,
        labels=[below.parts[0] for below in ordered],
        groups=[below.stem if reader.group == "name" else None for below in ordered],
    )


def _read_assin(path: Path, _: Reader) -> Rows:
    """Two sentences, and whether the second follows from the first."""
    pairs = read_assin(path)
    return Rows(
        names=_numbers(len(pairs)),
        text_a=[pair.text_a for pair in pairs],
        text_b=[pair.text_b for pair in pairs],
        labels=[pair.entailment for pair in pairs],
        groups=[None] * len(pairs),
    )


_READERS: Mapping[str, Callable[[Path, Reader], Rows]] = {
    "ulysses-csv": _read_ulysses_csv,
    "csv": _read_csv,
    "jsonl": _read_jsonl,
    "parquet": _read_parquet,
    "arff": _read_arff,
    "text-folders": _read_text_folders,
    "assin-xml": _read_assin,
}

_LONGEST_NUMBER = 18  # digits; what is longer is a name like any other
_ENDING = {"arff": ".arff", "jsonl": ".jsonl"}  # of the one text file in an archive
_ARFF_ATTRIBUTE = re.compile(r"\s*@attribute\s+(?:'(?P<quoted>[^']*)'|(?P<plain>\S+))\s", re.IGNORECASE)
_ARFF_FIELD = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,'"]*))\s*(,|\Z)""")


def _arff_fields(line: str, where: str, *, expected: int) -> list[str]:
    found: list[str] = []
    position = 0
    while match := _ARFF_FIELD.match(line, position):
        single, double, plain, end = match.groups()
        quoted = single if single is not None else double
        found.append(plain.strip() if quoted is None else re.sub(r"\\(.)", r"\1", quoted))
        position = match.end()
        if not end:
            break
    if position < len(line) or len(found) != expected:
        raise DataError(f"{where}: {len(found)} values, expected {expected}; or a quote is not closed.")
    return found


def _columns(path: Path, reader: Reader, header: list[str], records: list[list[str]]) -> Rows:
    """Pick the named columns; all that are missing are named together with those that exist."""
    wanted = {"text_a": reader.text_a, "text_b": reader.text_b, "label": reader.label, "group": reader.group}
    problems = [
        f"{key}: {'no' if header.count(name) == 0 else 'more than one'} column {name!r}"
        for key, name in wanted.items()
        if name is not None and header.count(name) != 1
    ]
    if problems:
        hint = ""
        if len(header) == 1 and (other := re.search(r"[;\t|,]", header[0])):
            hint = f" The header holds {other[0]!r}: write delimiter: {other[0]!r}."
        raise DataError(f"{path.name}: {'; '.join(problems)}. Columns: {_listed(header)}.{hint}")

    def column(name: str | None) -> list[str] | None:
        return None if name is None else [record[header.index(name)] for record in records]

    groups: Sequence[str | None] = column(reader.group) or [None] * len(records)
    return Rows(
        names=_numbers(len(records)),
        text_a=column(reader.text_a) or [],
        text_b=column(reader.text_b),
        labels=column(reader.label) or [],
        groups=[group or None for group in groups],
    )


def _text(path: Path, reader: Reader) -> str:
    if not is_archive_name(path.name) and not is_archive(path):
        return decode(path.read_bytes(), reader.encoding, where=path.name)
    try:
        member = reader.member or _only_member(path, _ENDING.get(reader.format, ".csv"))
        ((_, content),) = read_members(path, [member])
    except DataError as error:
        raise DataError(f"{path.name}: {error}") from error
    return decode(content, reader.encoding, where=f"{path.name}, {member}")


def _only_member(path: Path, ending: str) -> str:
    names = member_names(path)
    fitting = [name for name in names if name.lower().endswith(ending)]
    if len(fitting) != 1:
        raise DataError(
            f"the archive holds {len(fitting)} files {ending}, expected one. "
            f"Write member: <name> in the reader. Members: {_listed(names)}."
        )
    return fitting[0]


def _label_map(labels: Mapping[str, int] | Sequence[str | int]) -> Mapping[str, int]:
    if isinstance(labels, Mapping):
        return labels
    return {str(label): number for number, label in enumerate(labels)}


def _numbers(n: int) -> list[str]:
    return [str(number) for number in range(1, n + 1)]


def _natural(stem: str) -> tuple[bool, int, str]:
    """Sort key: numbers by value, before all other names."""
    is_number = stem.isdecimal() and len(stem) <= _LONGEST_NUMBER
    return (False, int(stem), stem) if is_number else (True, 0, stem)


def _listed(names: Sequence[str], limit: int = 20) -> str:
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown + (f" and {len(names) - limit} more" if len(names) > limit else "")
