"""Files of classic test collections: SMART's records, records that end with a slash, and columns between spaces."""

import re
from collections.abc import Sequence

from sentflow.errors import DataError
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Column, Records, listed, numbered

_FIELD = re.compile(r"^\.([A-Z])(?:\s+(\S+))?\s*$")
_NUMBER = re.compile(r"^\s*(\d+)\s*$")
_NAMED = {"I": "id", "T": "title", "A": "author", "B": "source", "W": "text"}


def read_smart(file: RawFile) -> Records:
    """SMART's form: a record starts with ``.I number``; ``.T``, ``.A``, ``.B``, ``.W`` start fields of several lines.

    Lines of a field are joined by spaces. Columns: id, title, author, source, text, and order, the number of the
    record from 1, for files whose judgements count records instead of naming them. A last ``.I`` without a number is
    left out.

    Raises DataError: no record; a field before the first record; a field that is not one of these.
    """
    rows: list[dict[str, list[str]]] = []
    lines: list[str] | None = None
    for number, line in enumerate(file.text().splitlines(), start=1):
        field = _FIELD.match(line)
        if field is None:
            if lines is None and line.strip():
                raise DataError(
                    f"{file.name}, line {number}: {line[:40]!r} stands before the first record (.I)."
                )
            if lines is not None:
                lines.append(line.strip())
            continue
        name = _NAMED.get(field[1])
        if name is None:
            known = ", ".join(f".{key}" for key in _NAMED)
            raise DataError(f"{file.name}, line {number}: there is no field .{field[1]}. Known: {known}.")
        if name == "id":
            if field[2] is None:
                lines = []
                continue
            rows.append({"id": [field[2]]})
            lines = []
            continue
        if not rows:
            raise DataError(f"{file.name}, line {number}: a field before the first record (.I).")
        lines = rows[-1].setdefault(name, [])
    if not rows:
        raise DataError(f"{file.name} is empty: no record (.I).")
    columns = {
        name: [" ".join(filter(None, row.get(name, []))) for row in rows] for name in _NAMED.values()
    } | {"order": numbered(len(rows))}
    return Records(file.name, [*columns], [*columns.values()], numbered(len(rows)))


def read_slashed(file: RawFile) -> Records:
    """Records of a number on a line of its own, lines of text, and a line with a slash; columns id and text."""
    ids: list[str] = []
    texts: list[str] = []
    records: list[list[str]] = [[]]
    for line in file.text().split("\n"):
        if line.strip() == "/":
            records.append([])
        else:
            records[-1].append(line)
    for number, record in enumerate(records, start=1):
        lines = [line.strip() for part in record for line in part.splitlines() if line.strip()]
        if not lines:
            continue
        first = _NUMBER.match(lines[0])
        if first is None:
            raise DataError(f"{file.name}, record {number}: {lines[0][:40]!r} is no number.")
        ids.append(first[1])
        texts.append(" ".join(lines[1:]))
    if not ids:
        raise DataError(f"{file.name} is empty: no record that ends with a line '/'.")
    return Records(file.name, ["id", "text"], [ids, texts], numbered(len(ids)))


def read_spaced(file: RawFile, names: Sequence[str]) -> Records:
    """Lines of fields between spaces or tabs, as TREC's judgements have them; blank lines are skipped.

    `names`: of its columns, in their order; every line has as many.
    """
    rows = [(number, line.split()) for number, line in enumerate(file.text().splitlines(), 1) if line.strip()]
    if not rows:
        raise DataError(f"{file.name} is empty: no rows.")
    if odd := [f"{number} ({len(row)})" for number, row in rows if len(row) != len(names)]:
        raise DataError(
            f"{file.name}: expected {len(names)} fields per line ({' '.join(names)}), found another number in line "
            f"{listed(odd, limit=10)}."
        )
    header: list[Column] = [*names]
    columns = [[row[place] for _, row in rows] for place in range(len(names))]
    return Records(file.name, header, columns, [str(number) for number, _ in rows])
