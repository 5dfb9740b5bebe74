"""The one model of a table: declared columns, and the lines that `build` makes of rows."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, TypeVar

from sentflow.compare.differences import is_alike
from sentflow.flow.products import Product
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, decimal, interval, p_number
from sentflow.report.rows import DataRow, data_note, grouped

Row = TypeVar("Row")
Value = str | int | float | bool | None
Limits = tuple[str, str] | Callable[[Any], tuple[float, float]]
"""Attributes of rows, or a function of them, that hold the limits of an interval."""


@dataclass(frozen=True)
class Cell:
    """What stands in a line below a heading."""

    # text, detail: as printed; the detail, say an interval, may be smaller
    text: str
    detail: str = ""
    mark: str = ""  # `BEST` (bold) or `NOT_WORSE` (underlined): what a test says, never how a number looks
    letters: str = ""  # raised behind the text: the systems that this one is significantly better than
    value: float | None = (
        None  # the number by which readers sort; None or NaN for text and where nothing is known
    )


@dataclass(frozen=True)
class Column:
    """A heading and what of a row stands below it; made by `text`, `number` or `marked`."""

    heading: str
    cell: Callable[[Any], Cell]
    is_number: bool = False  # whether its cells stand to the right and are sorted by their value
    # width: centimetres at which text goes on in a further line where a format can do so; None for one line
    width: float | None = None
    letter: str = ""  # of the system of this column, raised behind the heading


@dataclass(frozen=True)
class Block:
    """Lines under a common title (empty for none); `name` is short, for formats where it is a column."""

    name: str
    title: str
    lines: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Matrix:
    """The values of a table by its lines and columns, as its wide CSV and compact LaTeX show them."""

    # header, rows: names of lines and columns as programs know them; values in full precision, None where there is
    # none
    header: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    # notes: of the compact form: it has neither intervals nor letters, so that it has fewer notes
    notes: tuple[str, ...]
    # n_blocks: blocks of the table that the compact form shows, from the first; None for all
    n_blocks: int | None = None


@dataclass(frozen=True)
class Table:
    """A table for people, and the same facts as tidy records for programs."""

    caption: str  # one sentence: what is shown
    notes: tuple[str, ...]  # further sentences: on what data, made how, how to read it
    # columns, blocks: headings, and lines below them
    columns: tuple[Column, ...]
    blocks: tuple[Block, ...]
    # header, records: for CSV: full precision, None where nothing is known
    header: tuple[str, ...]
    records: tuple[tuple[Value, ...], ...]
    block_heading: str = "Task"  # what the names of the blocks are: ``"Task"``
    # lead: columns that name a line: they stand again where a table is cut into several because it is too wide
    lead: int = 1
    matrix: Matrix | None = None  # only of products that are one (`sentflow.flow.products.Product.is_matrix`)
    name: str = ""  # of its product: a label, e.g. ``"scores"``

    @property
    def headings(self) -> list[str]:
        """Of its columns."""
        return [column.heading for column in self.columns]

    @property
    def lines(self) -> list[tuple[Cell, ...]]:
        """Of all blocks."""
        return [line for block in self.blocks for line in block.lines]


class Blocks(NamedTuple):
    """Which block a row belongs to, in order of first appearance."""

    by: str | Callable[[Any], str]  # an attribute of rows, or a function of them
    heading: str = "Task"  # what the names of the blocks are
    title: Callable[[str, list[Any]], str] = lambda name, _: (
        name
    )  # of a name and the rows: what stands above it


def text(
    heading: str,
    get: str | Callable[[Any], str],
    width: float | None = None,
    *,
    letters: Callable[[Any], str] = lambda _: "",
    detail: Callable[[Any], str] = lambda _: "",
) -> Column:
    """A column of text: an attribute of rows (or their key), or a function of them; letters and a detail behind it."""
    read = _reader(get)
    return Column(heading, lambda row: Cell(str(read(row)), detail(row), letters=letters(row)), width=width)


def number(
    heading: str,
    get: str | Callable[[Any], float | None],
    form: Callable[..., str] = decimal,
    *arguments: Any,
    limits: Limits | None = None,
    written: Callable[[float, float], str] = interval,
    sign: Callable[[Any], str] = lambda _: "",
    marks: Callable[[Any], tuple[str, str]] = lambda _: ("", ""),
    missing: str = MISSING,
) -> Column:
    """A column of numbers; undefined ones are `missing`.

    `get`: an attribute of rows, or a function of them that may return None. `limits`, `written`: of its interval,
    which stands behind it where both are defined, and how that is written. `sign`: of a row, behind the number.
    `marks`: mark and letters of its cell.
    """
    read, read_limits = _reader(get), _limits_reader(limits)

    def cell(row: Any) -> Cell:
        value = read(row)
        if value is None or value != value:
            return Cell(missing)
        low, high = read_limits(row)
        detail = "" if math.isnan(low) or math.isnan(high) else written(low, high)
        return Cell(form(value, *arguments) + sign(row), detail, *marks(row), float(value))

    return Column(heading, cell, is_number=True)


def test_columns(written: Callable[[float, float], str] = interval) -> list[Column]:
    """Interval, p and adjusted p of a `Difference`; dashes where two systems are alike, which is no test."""

    def tested(read: Callable[[Any], float]) -> Callable[[Any], float]:
        return lambda row: math.nan if is_alike(row) else read(row)

    def limits(row: Any) -> str:
        return (not is_alike(row) and written(row.low, row.high)) or MISSING

    return [
        text("Interval", limits),
        number("p", tested(lambda row: row.p), p_number),
        number("Holm", tested(lambda row: row.p_holm), p_number),
    ]


def marked(heading: str, cell: Callable[[Any], Cell], letter: str = "") -> Column:
    """A column of numbers whose cells have marks, letters or signs of their own."""
    return Column(heading, cell, is_number=True, letter=letter)


def made(product: Product, inputs: Inputs, title: str, published: Sequence[Mapping[str, Any]] = ()) -> Table:
    """The table of a product; `title`: how its caption begins. `published`: see `Inputs.published`."""
    table: Table = product.load()(inputs.quoting(published))
    return replace(table, name=product.name, caption=f"{title}: {table.caption}")


def build(
    caption: str,
    kind: type[Any] | Sequence[str],
    rows: Iterable[Any],
    columns: Sequence[Column],
    notes: Sequence[str],
    *,
    data: Sequence[DataRow] | None = None,
    records: Iterable[Any] | None = None,
    blocks: Blocks | None = None,
    lead: int = 1,
    matrix: Matrix | None = None,
) -> Table:
    """A table: a line per row, a cell per column.

    `kind`, `records`: names of the fields of the CSV, or the dataclass that has them; the records, dataclasses or
    mappings, where they are not `rows`. `data`: rows that say what data they are of: the first note, also of `matrix`;
    the records, where these do and nothing else is given.
    """
    rows = list(rows)
    facts = rows if records is None else list(records)
    if data is None:
        data = [row for row in facts if hasattr(row, "data_version")]
    members: dict[str, list[Any]] = {} if blocks else {"": rows}
    blocks = blocks or Blocks("")
    for row in rows if blocks.by else ():
        members.setdefault(_reader(blocks.by)(row), []).append(row)
    first_note = (data_note(data),) if data else ()
    header = tuple(kind) if isinstance(kind, Sequence) else fields_of(kind)
    return Table(
        caption=caption,
        notes=(*first_note, *filter(None, notes)),
        columns=tuple(columns),
        blocks=tuple(
            Block(
                block_name,
                blocks.title(block_name, own),
                tuple(tuple(column.cell(row) for column in columns) for row in own),
            )
            for block_name, own in members.items()
        ),
        header=header,
        records=tuple(_record(row, header) for row in facts),
        block_heading=blocks.heading,
        lead=lead,
        matrix=matrix and replace(matrix, notes=(*first_note, *filter(None, matrix.notes))),
    )


class Line(dict[str, Any]):
    """Rows of a line by what stands in columns; its attributes are those of the first."""

    def __getattr__(self, name: str) -> Any:
        return getattr(next(iter(self.values())), name)


def pivoted(rows: Iterable[Any], by: Sequence[str], across: str) -> list[Line]:
    """Lines of a table: for each value of the attributes `by` its rows, by the attribute `across`."""
    return [Line({getattr(row, across): row for row in own}) for own in grouped(rows, *by).values()]


def named(attribute: str) -> Callable[[str, list[Any]], str]:
    """``STS12: SemEval 2012`` above a block, by the title that its rows have."""
    return lambda name, own: f"{name}: {_read(own[0], attribute)}"


def footnote_signs(remarks: Iterable[str | None]) -> dict[str, str]:
    """Remark → how it is referred to, behind the name of what it is of: `` (1)``."""
    return {remark: f" ({place})" for place, remark in enumerate(dict.fromkeys(filter(None, remarks)), 1)}


def footnotes(signs: Mapping[str, str]) -> list[str]:
    """The notes that these refer to."""
    return [f"{sign.strip()} {remark}" for remark, sign in signs.items()]


def crossed(
    rows: Iterable[Any],
    by: Sequence[str],
    across: str,
    value: str,
    notes: Sequence[str],
    n_blocks: int | None = None,
) -> Matrix:
    """The matrix of rows: a line for each value of the attributes `by`, a column for each of `across`."""
    cells = {
        (tuple(getattr(row, key) for key in by), getattr(row, across)): getattr(row, value) for row in rows
    }
    lines, columns = (list(dict.fromkeys(keys)) for keys in zip(*cells, strict=True)) if cells else ([], [])
    return Matrix(
        header=(*by, *columns),
        rows=tuple((*line, *(cells.get((line, column)) for column in columns)) for line in lines),
        notes=tuple(notes),
        n_blocks=n_blocks,
    )


def fields_of(kind: type[Any]) -> tuple[str, ...]:
    """Names of the fields of a dataclass: headings of its records."""
    return tuple(field.name for field in fields(kind))


def _reader(get: str | Callable[[Any], Any]) -> Callable[[Any], Any]:
    return (lambda row: _read(row, get)) if isinstance(get, str) else get


def _limits_reader(limits: Limits | None) -> Callable[[Any], tuple[float, float]]:
    if limits is None:
        return lambda _: (math.nan, math.nan)
    if callable(limits):
        return limits
    low, high = limits
    return lambda row: (_read(row, low), _read(row, high))


def _read(row: Any, name: str) -> Any:
    return row[name] if isinstance(row, Mapping) and not isinstance(row, Line) else getattr(row, name)


def _record(row: Any, header: Sequence[str]) -> tuple[Value, ...]:
    if isinstance(row, Mapping):
        return tuple(row.get(name) for name in header)
    return tuple(getattr(row, name) for name in header)
