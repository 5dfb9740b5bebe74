"""JSON objects: one per line (JSON lines), or one list of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
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
    return _records(file.name, list(_objects(file)), wanted, gaps=gaps, joined=joined)


def json_line_batches(
    file: RawFile, wanted: Iterable[Column | None], *, joined: str | None = None, rows: int
) -> Iterator[Records]:
    """The objects of `read_json_lines` with gaps, of which `rows` at a time are in memory.

    A key that a batch lacks is empty in all its rows. Keys that no object has are missing in the header of the last,
    which has no rows, so that picking them is refused.
    """
    names = [str(column) for column in wanted if column is not None]
    objects, header, done = _objects(file), dict.fromkeys(names, False), 0
    while batch := list(islice(objects, rows)):
        values = {name: [_value_at(found, name) for found in batch] for name in names}
        header |= {name: True for found in batch for name in found}
        header |= {name: True for name, cells in values.items() if any(present for present, _ in cells)}
        columns = {name: [value for _, value in cells] for name, cells in values.items()}
        yield typed_records(file.name, [*header], columns, joined=joined, after=done)
        done += len(batch)
    if not done:
        raise DataError(f"{file.name} is empty: it holds no object.")
    found = [name for name, is_there in header.items() if is_there]
    yield Records(file.name, found, [[] for _ in found], [])


def _objects(file: RawFile) -> Iterator[Object]:
    # lines end at line feeds only: JSON may hold other characters that Python counts as line ends
    for number, line in enumerate(file.lines(), start=1):
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
        yield found


def read_json_list(
    file: RawFile, wanted: Iterable[Column | None], *, gaps: bool = False, joined: str | None = None
) -> Records:
    """One list of JSON objects.

    `wanted`: names of the columns to read; ``a.b`` is the key b of the object at a, unless there is a key a.b. `gaps`:
    whether a key that an object does not have is empty there, as null is; otherwise it is an error.
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
