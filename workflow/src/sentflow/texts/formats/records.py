"""Raw records: what the reader of every file format gives, before anything is known of tasks, pairs or corpora."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.errors import DataError

Column = str | int
"""A name, or a number from 1 where the file has no header."""


@dataclass(frozen=True)
class Records:
    """Rows of a raw file, column by column, as they are written there and in its order."""

    file: str  # its name, for messages
    # header: all columns of the file. A name may occur twice: then nothing can be picked by it.
    header: Sequence[Column]
    # columns: values at the place of their column in `header`, one for each row; None for columns that nobody asked
    # for
    columns: Sequence[list[str] | None]
    # names: what to call each row in a message: a number from 1, or the name of a file in an archive
    names: list[str]
    hint: str = ""  # what to write where a column is missing, if that is known

    def __len__(self) -> int:
        return len(self.names)

    def pick(self, wanted: Mapping[str, Column | None]) -> dict[str, list[str]]:
        """The values of the wanted columns, by the keys of the reader that name them; None is a column not wanted."""
        named = {key: column for key, column in wanted.items() if column is not None}
        problems = [
            f"{key}: {'no' if self.header.count(column) == 0 else 'more than one'} column {column!r}"
            for key, column in named.items()
            if self.header.count(column) != 1
        ]
        if problems:
            columns = listed(map(repr, self.header))
            raise DataError(f"{self.file}: {'; '.join(problems)}. Columns: {columns}.{self.hint}")
        picked = {key: self.columns[self.header.index(column)] for key, column in named.items()}
        return {key: values for key, values in picked.items() if values is not None}


def numbered(n: int, *, after: int = 0) -> list[str]:
    """Names of n rows that have none: numbers from 1, or from the one after those of the batches before."""
    return [str(number) for number in range(after + 1, after + n + 1)]


def typed_records(
    file: str,
    header: Sequence[str],
    values: Mapping[str, Sequence[Any]],
    *,
    joined: str | None = None,
    after: int = 0,
) -> Records:
    """Columns whose values have types, as if they had been written in a CSV.

    `values`: of the columns that somebody asked for, all of one length. `joined`: what a list of texts is joined by;
    inside of one it becomes a space, so that they can be told apart again. None: a list is an error, like any other
    type that is no text. Raises DataError: there are no rows; or a value is neither a text nor a number nor a truth
    value: names row and column.
    """
    n = len(next(iter(values.values()), ()))
    if values and not n:
        raise DataError(f"{file} is empty: no rows.")
    columns = {
        name: [_as_text(value, file, name, row, joined) for row, value in enumerate(column, start=after + 1)]
        for name, column in values.items()
    }
    return Records(file, header, [columns.get(name) for name in header], numbered(n, after=after))


def listed(items: Iterable[str], limit: int = 20) -> str:
    """Items for a message: the first few, the rest as a count."""
    items = list(items)
    return ", ".join(items[:limit]) + (f" and {len(items) - limit} more" if len(items) > limit else "")


def _as_text(value: Any, file: str, column: str, row: int, joined: str | None) -> str:
    if value is None or value != value:  # NaN stands for a missing value, not for a text
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if joined is not None and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return joined.join(item.replace(joined, " ") for item in value)
    expected = "a text, a number, true or false" + (
        "" if joined is None else ", or a list of texts (alternatives)"
    )
    raise DataError(
        f"{file}, row {row}: the column {column!r} holds {type(value).__name__}, expected {expected}."
    )
