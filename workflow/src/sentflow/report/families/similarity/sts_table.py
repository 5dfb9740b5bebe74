"""The table of papers on sentence encoders: a line per encoder, a column per pair set, published lines below."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.compare.marks import Marks
from sentflow.compare.rows import SimilarityDifference
from sentflow.report import captions
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.data import SimilarityData, main_rows
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, decimal
from sentflow.report.rows import is_sample, unique
from sentflow.report.table.cells import Cell, Group, Table, names_of, records_of
from sentflow.similarity.averages import SEVEN_TASKS, seven_task_average

AVERAGE = "Avg."
_HEADINGS = {"STSB": "STS-B", "SICKR": "SICK-R"}  # as papers write them
OURS = "this experiment"
# more columns than this do not fit a page side by side: LaTeX cuts the table into parts
_MAX_COLUMNS = 9


@dataclass(frozen=True)
class Column:
    """A column of the table.

    Attributes
    ----------
    key
        What published values call it: the group of its pair set, or the pair set where that has none.
    heading
        As papers write it.
    """

    key: str
    heading: str


@dataclass(frozen=True)
class StsLine:
    """A cell of the table as a record: ours with interval, a published one with its source and remark."""

    model: str
    model_title: str
    source: str
    data_version: str
    measure: str
    coefficient: str
    aggregation: str
    column: str
    pairs: str
    n: int
    value: float
    low: float
    high: float
    remark: str


def sts_table(
    rows: Sequence[SimilarityRow],
    title: str,
    differences: Sequence[SimilarityDifference] = (),
    published: Sequence[Mapping[str, Any]] = (),
) -> Table:
    """Encoder × pair set, × 100, in the layout of papers, with the average of the seven English sets.

    Sets of the same group (raw text and SentEval form) stand in blocks of lines of their own. Published values stand
    below where ours are of real data.

    Parameters
    ----------
    rows
        The summary of similarity.
    differences
        What was tested; without, nothing is marked.
    published
        Entries of ``catalog/published_similarity.yaml``, key ``sts``.
    """
    shown = main_rows(rows)
    columns = columns_of(shown)
    has_average = all(group in {column.key for column in columns} for group in SEVEN_TASKS)
    blocks = _blocks(shown)
    entries = published_of(published, shown)
    footnotes = {
        text: place
        for place, text in enumerate(unique(e.get("remark", "") for e in entries if e.get("remark")), 1)
    }
    marks = Marks(differences, unique(row.model for row in shown) if differences else [])
    groups = [
        Group(
            block_title(members, n_blocks=len(blocks), published=bool(entries)),
            tuple(
                _our_line(
                    model,
                    members,
                    columns,
                    marks,
                    has_average=has_average,
                    source=bool(entries),
                )
                for model in unique(row.model for row in members)
            ),
        )
        for members in blocks
    ]
    for section in unique(str(entry["section"]) for entry in entries):
        lines = tuple(
            _published_line(entry, columns, footnotes, has_average=has_average)
            for entry in entries
            if entry["section"] == section
        )
        groups.append(Group(f"Published: {section}", lines))
    kind = "r" if len(columns) <= _MAX_COLUMNS else "c"
    return Table(
        name="sts",
        caption=f"{title}: semantic textual similarity ({words.protocol(shown)}; × 100).",
        notes=_notes(shown, differences, entries, footnotes, has_average=has_average),
        header=(
            "Encoder",
            *(column.heading for column in columns),
            *((AVERAGE,) if has_average else ()),
            *(("Source",) if entries else ()),
        ),
        alignment=(
            "w2.9",
            *[kind] * len(columns),
            *(("r",) if has_average else ()),
            *(("w2.1",) if entries else ()),
        ),
        groups=tuple(groups),
        tidy_header=names_of(StsLine),
        tidy_rows=records_of(
            [*_our_records(blocks, columns, has_average=has_average), *_published_records(entries)]
        ),
    )


def key_of(row: SimilarityRow) -> str:
    """What published values call the column of a row."""
    return row.group or row.pairs


def columns_of(rows: Sequence[SimilarityRow]) -> list[Column]:
    """The seven sets in the order of papers, then the others as they were selected."""
    keys = unique(key_of(row) for row in rows)
    ordered = [
        *(group for group in SEVEN_TASKS if group in keys),
        *(key for key in keys if key not in SEVEN_TASKS),
    ]
    return [Column(key, _HEADINGS.get(key, key)) for key in ordered]


def published_of(
    published: Sequence[Mapping[str, Any]], rows: Sequence[SimilarityRow]
) -> list[Mapping[str, Any]]:
    """The entries with a value for a set of real data that we scored, too."""
    real = {key_of(row) for row in rows if not is_sample(row.data_version)}
    return [entry for entry in published if real & set(entry["values"])]


def block_title(rows: Sequence[SimilarityRow], *, n_blocks: int, published: bool) -> str:
    """What stands above the lines of a block; nothing over the only lines of a table."""
    if n_blocks > 1:
        return f"This experiment: {', '.join(unique(row.data_version for row in rows))}"
    return "This experiment" if published else ""


def _blocks(rows: Sequence[SimilarityRow]) -> list[list[SimilarityRow]]:
    """Rows so that each column has one pair set in a block; a set that repeats a group goes to the next one."""
    place: dict[str, int] = {}
    seen: dict[str, int] = {}
    for pairs, key in dict.fromkeys((row.pairs, key_of(row)) for row in rows):
        place[pairs] = seen.get(key, 0)
        seen[key] = place[pairs] + 1
    return [
        [row for row in rows if place[row.pairs] == index] for index in range(max(seen.values(), default=0))
    ]


def _our_line(
    model: str,
    rows: Sequence[SimilarityRow],
    columns: Sequence[Column],
    marks: Marks,
    *,
    has_average: bool,
    source: bool,
) -> tuple[Cell, ...]:
    of_key = {key_of(row): row for row in rows if row.model == model}
    title = next(row.model_title for row in of_key.values())
    cells = []
    for column in columns:
        row = of_key.get(column.key)
        if row is None or math.isnan(row.value):
            cells.append(Cell(MISSING))
            continue
        shown = {"mark": marks.mark(row.pairs, model), "letters": marks.raised(row.pairs, model)}
        cells.append(Cell(words.hundred(row.value), **shown))
    average = (Cell(decimal(average_of(of_key), 2)),) if has_average else ()
    # here the letter of an encoder is that of its line
    return (
        Cell(title, letters=marks.letters.get(model, "")),
        *cells,
        *average,
        *((Cell(OURS),) if source else ()),
    )


def average_of(rows: Mapping[str, SimilarityRow]) -> float:
    """Average × 100 of rows by their groups; NaN unless all seven sets have a value."""
    return seven_task_average({key: row.value for key, row in rows.items()}).value


def _published_line(
    entry: Mapping[str, Any], columns: Sequence[Column], footnotes: Mapping[str, int], *, has_average: bool
) -> tuple[Cell, ...]:
    number = footnotes.get(entry.get("remark", ""))
    values = entry["values"]
    cells = [
        Cell(decimal(float(values[column.key]), 2) if column.key in values else MISSING) for column in columns
    ]
    average = entry.get("average")
    return (
        Cell(entry["model"] + (f" ({number})" if number else "")),
        *cells,
        *((Cell(MISSING if average is None else decimal(float(average), 2)),) if has_average else ()),
        Cell(entry["source"] + _other_protocol(entry)),
    )


def _protocol_of(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    told = entry.get("protocol", {})
    return (
        told.get("correlation", "spearman"),
        told.get("aggregation", "all"),
        told.get("measure", "cosine"),
    )


def _other_protocol(entry: Mapping[str, Any]) -> str:
    """A protocol that is not the usual one stands beside the source."""
    correlation, aggregation, measure = _protocol_of(entry)
    if (correlation, aggregation, measure) == ("spearman", "all", "cosine"):
        return ""
    return (
        f"; {words.COEFFICIENTS[correlation]}, {words.AGGREGATIONS[aggregation]}, {words.MEASURES[measure]}"
    )


def _notes(
    rows: Sequence[SimilarityRow],
    differences: Sequence[SimilarityDifference],
    entries: Sequence[Mapping[str, Any]],
    footnotes: Mapping[str, int],
    *,
    has_average: bool,
) -> tuple[str, ...]:
    sizes = unique(f"{row.pairs} {row.n:,}" for row in rows)
    notes = [
        captions.data_note(rows),
        words.protocol_note(rows),
        f"n, scored pairs: {', '.join(sizes)}. Intervals are in the table of sub-sources.",
    ]
    if any(row.is_baseline for row in rows):
        notes.append("Baselines compare the words or characters of two texts and need no encoder.")
    if has_average:
        notes.append(
            f"{AVERAGE}: unweighted mean of the seven sets, each rounded to two decimals first; an "
            "encoder that lacks one "
            "of them has none."
        )
    tested = [row for row in differences if not math.isnan(row.p_holm)]
    notes.append(words.test_note(tested[0].alpha) if tested else words.NO_TEST)
    if entries:
        notes.append(
            "Published values are as printed in their sources: Spearman, all, cosine, unless the source "
            "says otherwise; they are not tested. A dash: not reported."
        )
    notes += [f"({number}) {text}" for text, number in footnotes.items()]
    return (*notes, *words.warning_notes(rows))


def _our_records(
    blocks: Sequence[Sequence[SimilarityRow]], columns: Sequence[Column], *, has_average: bool
) -> list[StsLine]:
    found = []
    for members in blocks:
        for model in unique(row.model for row in members):
            of_key = {key_of(row): row for row in members if row.model == model}
            found += [_record(of_key[column.key]) for column in columns if column.key in of_key]
            first = next(iter(of_key.values()))
            if has_average:
                found.append(
                    StsLine(
                        model, first.model_title, OURS, "; ".join(unique(row.data_version for row in of_key.values())),
                        first.measure, first.coefficient, first.aggregation, AVERAGE, "", 0, average_of(of_key),
                        math.nan, math.nan, "",
                    )
                )  # fmt: skip
    return found


def _record(row: SimilarityRow) -> StsLine:
    return StsLine(
        row.model, row.model_title, OURS, row.data_version, row.measure, row.coefficient, row.aggregation,
        key_of(row), row.pairs, row.n, 100 * row.value, 100 * row.low, 100 * row.high, row.warnings,
    )  # fmt: skip


def _published_records(entries: Sequence[Mapping[str, Any]]) -> list[StsLine]:
    found = []
    for entry in entries:
        correlation, aggregation, measure = _protocol_of(entry)
        values = dict(entry["values"])
        if "average" in entry:
            values[AVERAGE] = entry["average"]
        found += [
            StsLine(
                "", entry["model"], entry["source"], "", measure, correlation, aggregation, key, "", 0, float(value),
                math.nan, math.nan, entry.get("remark", ""),
            )
            for key, value in values.items()
        ]  # fmt: skip
    return found


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`sts_table` of the files of an experiment."""
    data = inputs.together(SimilarityData)
    return sts_table(
        inputs.rows(SimilarityRow), settings["caption"], data.differences, settings.get("published", ())
    )
