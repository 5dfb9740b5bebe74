"""JSON objects: one per line (JSON lines), or one list of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sentflow.errors import DataError
from sentflow.files.io import parse_json
from sentflow.texts.formats.raw_file import RawFile
from sentflow.texts.formats.records import Column, Records, listed, typed_records

Object = Mapping[str, Any]


def read_json_lines(
    file: RawFile, wanted: Iterable[Column | None], *, gaps: bool = False, joined: str | None = None
) -> Records:
    """One JSON object per line; blank lines are skipped. See `read_json_list`."""
    objects: list[Object] = []
    # split at line feeds only: JSON may hold other characters that Python counts as line ends
    for number, line in enumerate(file.text().split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found = parse_json(line)
        except ValueError as error:
            raise DataError(
                f"{file.name}, line {number}: {error}. Each line must be one JSON object (JSON line by line); a file "
                "that is one JSON list is rewritten by pandas.read_json(file).to_json(new_file, orient='records', "
                "lines=True)."
            ) from error
        if not isinstance(found, dict):
            raise DataError(
                f'{file.name}, line {number}: {type(found).__name__}, not an object like {{"text": …}}.'
            )
        objects.append(found)
    return _records(file.name, objects, wanted, gaps=gaps, joined=joined)


def read_json_list(
    file: RawFile, wanted: Iterable[Column | None], *, gaps: bool = False, joined: str | None = None
) -> Records:
    """One list of JSON objects.

    Parameters
    ----------
    file
        The raw file.
    wanted
        Names of the columns to read; ``a.b`` is the key b of the object at a, unless there is a key a.b.
    gaps
        Whether a key that an object does not have is empty there, as null is; otherwise it is an error.
    joined
        See `typed_records`.

    Raises
    ------
    DataError
        The file is empty, no JSON of this form, or lacks a key; names the rows.
    """
    try:
        found = parse_json(file.text())
    except ValueError as error:
        raise DataError(f"{file.name}: {error}. Is it JSON (json), or JSON line by line (jsonl)?") from error
    if not isinstance(found, list):
        raise DataError(f"{file.name}: {type(found).__name__}, expected a list of objects.")
    if odd := [str(row) for row, item in enumerate(found, start=1) if not isinstance(item, dict)]:
        raise DataError(f'{file.name}: row {listed(odd, limit=10)} is no object like {{"text": …}}.')
    return _records(file.name, found, wanted, gaps=gaps, joined=joined)


def _records(
    file: str, objects: Sequence[Object], wanted: Iterable[Column | None], *, gaps: bool, joined: str | None
) -> Records:
    if not objects:
        raise DataError(f"{file} is empty: it holds no object.")
    header = list(dict.fromkeys(name for found in objects for name in found))
    columns: dict[str, list[Any]] = {}
    for name in (str(column) for column in wanted if column is not None):
        values = [_value_at(found, name) for found in objects]
        missing = [str(row) for row, (present, _) in enumerate(values, start=1) if not present]
        if len(missing) == len(objects):
            continue
        if missing and not gaps:
            raise DataError(f"{file}: no key {name!r} in row {listed(missing, limit=10)}.")
        columns[name] = [value for _, value in values]
    return typed_records(file, list(dict.fromkeys([*header, *columns])), columns, joined=joined)


def _value_at(found: Object, name: str) -> tuple[bool, Any]:
    """Whether a key is there, and its value; see `read_json_list`."""
    if name in found:
        return True, found[name]
    first, dot, rest = name.partition(".")
    inner = found.get(first)
    return _value_at(inner, rest) if dot and isinstance(inner, dict) else (False, None)
