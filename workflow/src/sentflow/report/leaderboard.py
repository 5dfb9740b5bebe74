"""Leaderboards: a system per line, and what families of measurements say of it in columns."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sentflow.report.numbers import decimal
from sentflow.report.rows import unique


@dataclass(frozen=True)
class Entry:
    """What a system has in a column."""

    # text, value: as it is printed, and what it is sorted and copied by
    text: str
    value: float
    limits: tuple[float, float] = (math.nan, math.nan)  # of its interval, as they are copied; NaN without one
    detail: str = ""  # the interval as it is printed
    mark: str = ""  # what a test says: `BEST`, `NOT_WORSE` or empty


@dataclass(frozen=True)
class Column:
    """A column of a leaderboard."""

    heading: str  # of the column
    entries: Mapping[str, Entry]  # system → what it has; a system without one has a dash
    note: str = ""  # what the numbers are; empty where the heading says it
    # holds_for: what intervals hold for, in a word or two below the heading: ``"new texts"``; empty without intervals
    holds_for: str = ""
    is_optional: bool = False  # whether it is hidden until a reader asks for it


@dataclass(frozen=True)
class System:
    """A line: an encoder or a retriever; `remark` says what it lacks."""

    name: str
    title: str
    is_control: bool
    remark: str = ""


@dataclass(frozen=True)
class Board:
    """Systems from the best to the worst, and those that cannot be ranked last."""

    title: str  # one sentence: what is ranked, by what
    heading: str  # above the systems: ``"Encoder"``
    # systems, columns: lines and columns in order
    systems: tuple[System, ...]
    columns: tuple[Column, ...]
    is_sample: bool = False  # whether all data are sample data
    notes: tuple[str, ...] = ()  # further sentences, before those of the columns

    @property
    def all_notes(self) -> list[str]:
        """Its own and those of its columns, each once."""
        return unique(note for note in (*self.notes, *(column.note for column in self.columns)) if note)

    def beside(self, columns: Sequence[Column]) -> "Board":
        """The same with more columns, as far as they say something of its systems."""
        names = {system.name for system in self.systems}
        return replace(
            self, columns=(*self.columns, *(column for column in columns if names & set(column.entries)))
        )


def entries(values: Mapping[str, float], digits: int = 3) -> dict[str, Entry]:
    """Numbers without interval; undefined ones are left out."""
    return {
        name: Entry(decimal(value, digits), value) for name, value in values.items() if not math.isnan(value)
    }


def with_limits(
    value: float,
    limits: tuple[float, float],
    *,
    written: Callable[[float], str] = decimal,
    mark: str = "",
) -> Entry:
    """A number with its interval; without one where a limit is undefined."""
    undefined = any(math.isnan(limit) for limit in limits)
    detail = "" if undefined else f"[{written(limits[0])}, {written(limits[1])}]"
    return Entry(written(value), value, limits, detail, mark)
