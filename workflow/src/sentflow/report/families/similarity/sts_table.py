"""The table of papers on sentence encoders: a line per encoder, a column per pair set, published lines below."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.compare.marks import Marks
from sentflow.compare.rows import SimilarityDifference
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.data import SimilarityData, main_rows
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, decimal
from sentflow.report.rows import data_note, is_sample, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Matrix, Table, Value
from sentflow.similarity.averages import SEVEN_TASKS, seven_task_average

AVERAGE = "Avg."
_HEADINGS = {"STSB": "STS-B", "SICKR": "SICK-R"}  # as papers write them
OURS = "this experiment"


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
    effective_pairs: float
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
    blocks = _blocks(shown)
    entries = published_of(published, shown)
    footnotes = {
        text: place
        for place, text in enumerate(unique(e.get("remark", "") for e in entries if e.get("remark")), 1)
    }
    marks = Marks(differences, unique(row.model for row in shown) if differences else [])
    source = (Cell(OURS),) if entries else ()
    notes = _notes(shown, differences, entries, footnotes, has_average=AVERAGE in columns)
    groups = [
        Group(
            block_title(members, n_blocks=len(blocks), published=bool(entries)),
            tuple((*_our_line(found, columns, marks), *source) for found in _by_model(members)),
        )
        for members in blocks
    ]
    for section in unique(str(entry["section"]) for entry in entries):
        lines = tuple(
            _published_line(entry, columns, footnotes) for entry in entries if entry["section"] == section
        )
        groups.append(Group(f"Published: {section}", lines))
    return table_of_cells(
        name="sts",
        caption=f"{title}: semantic textual similarity ({words.protocol(shown)}; × 100).",
        notes=notes,
        header=("Encoder", *columns.values(), *(("Source",) if entries else ())),
        alignment=(
            "w2.9",
            *("r" for _ in columns),
            *(("w2.1",) if entries else ()),
        ),
        groups=tuple(groups),
        tidy_header=names_of(StsLine),
        tidy_rows=records_of(
            [
                *(line for members in blocks for line in _our_records(members, columns)),
                *_published_records(entries),
            ]
        ),
        matrix=Matrix(
            header=("model", "model_title", "source", "data_version", *columns),
            rows=(
                *(_our_values(found, columns) for members in blocks for found in _by_model(members)),
                *(_values_of_others(entry, columns) for entry in entries),
            ),
            notes=tuple(note.removesuffix(words.LETTERS).rstrip() for note in notes),
        ),
    )


def _our_values(found: Mapping[str, SimilarityRow], columns: Mapping[str, str]) -> tuple[Value, ...]:
    first = next(iter(found.values()))
    values = {key: 100 * row.value for key, row in found.items()} | {AVERAGE: average_of(found)}
    versions = "; ".join(unique(row.data_version for row in found.values()))
    return (first.model, first.model_title, OURS, versions, *(values.get(key) for key in columns))


def _values_of_others(entry: Mapping[str, Any], columns: Mapping[str, str]) -> tuple[Value, ...]:
    values = _published_values(entry)
    return ("", str(entry["model"]), str(entry["source"]), "", *(values.get(key) for key in columns))


def key_of(row: SimilarityRow) -> str:
    """What published values call the column of a row."""
    return row.group or row.pairs


def columns_of(rows: Sequence[SimilarityRow]) -> dict[str, str]:
    """What published values call each column → its heading, as papers write it.

    The seven sets in the order of papers, then the others as they were selected; with all seven their average.
    """
    keys = unique(key_of(row) for row in rows)
    seven = [group for group in SEVEN_TASKS if group in keys]
    ordered = [*seven, *(key for key in keys if key not in SEVEN_TASKS)]
    average = [AVERAGE] if len(seven) == len(SEVEN_TASKS) else []
    return {key: _HEADINGS.get(key, key) for key in (*ordered, *average)}


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


def _by_model(rows: Sequence[SimilarityRow]) -> list[dict[str, SimilarityRow]]:
    """Per encoder its rows by their columns."""
    models = unique(row.model for row in rows)
    return [{key_of(row): row for row in rows if row.model == model} for model in models]


def _our_line(
    found: Mapping[str, SimilarityRow], columns: Mapping[str, str], marks: Marks
) -> tuple[Cell, ...]:
    first = next(iter(found.values()))
    # here the letter of an encoder is that of its line
    cells = [Cell(first.model_title, letters=marks.letters.get(first.model, ""))]
    for key in columns:
        row = found.get(key)
        if key == AVERAGE:
            cells.append(Cell(decimal(average_of(found), 2)))
        elif row is None or math.isnan(row.value):
            cells.append(Cell(MISSING))
        else:
            shown = (marks.mark(row.pairs, row.model), marks.raised(row.pairs, row.model))
            cells.append(Cell(words.hundred(row.value), "", *shown))
    return tuple(cells)


def average_of(rows: Mapping[str, SimilarityRow]) -> float:
    """Average × 100 of rows by their groups; NaN unless all seven sets have a value."""
    return seven_task_average({key: row.value for key, row in rows.items()}).value


def _published_values(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Column → value of an entry, its average among them."""
    return {**entry["values"], **({AVERAGE: entry["average"]} if "average" in entry else {})}


def _published_line(
    entry: Mapping[str, Any], columns: Mapping[str, str], footnotes: Mapping[str, int]
) -> tuple[Cell, ...]:
    number = footnotes.get(entry.get("remark", ""))
    values = _published_values(entry)
    return (
        Cell(entry["model"] + (f" ({number})" if number else "")),
        *(Cell(decimal(float(values[key]), 2) if key in values else MISSING) for key in columns),
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
    sizes = unique(words.scored_pairs(row.pairs, row.n, row.effective_pairs) for row in rows)
    notes = [
        data_note(rows),
        words.protocol_note(rows),
        f"n, scored pairs: {', '.join(sizes)}. Intervals are in the table of sub-sources.",
        words.drawn_note({row.pairs: row.drawn for row in rows}),
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


def _our_records(rows: Sequence[SimilarityRow], columns: Mapping[str, str]) -> Iterator[StsLine]:
    for found in _by_model(rows):
        yield from (_record(found[key]) for key in columns if key in found)
        first = next(iter(found.values()))
        if AVERAGE in columns:
            yield StsLine(
                first.model, first.model_title, OURS, "; ".join(unique(row.data_version for row in found.values())),
                first.measure, first.coefficient, first.aggregation, AVERAGE, "", 0, math.nan,
                average_of(found), math.nan, math.nan, "",
            )  # fmt: skip


def _record(row: SimilarityRow) -> StsLine:
    return StsLine(
        row.model, row.model_title, OURS, row.data_version, row.measure, row.coefficient, row.aggregation,
        key_of(row), row.pairs, row.n, row.effective_pairs, 100 * row.value, 100 * row.low, 100 * row.high,
        row.warnings,
    )  # fmt: skip


def _published_records(entries: Sequence[Mapping[str, Any]]) -> list[StsLine]:
    found = []
    for entry in entries:
        correlation, aggregation, measure = _protocol_of(entry)
        found += [
            StsLine(
                "", entry["model"], entry["source"], "", measure, correlation, aggregation, key, "", 0, math.nan,
                float(value), math.nan, math.nan, entry.get("remark", ""),
            )
            for key, value in _published_values(entry).items()
        ]  # fmt: skip
    return found


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`sts_table` of the files of an experiment."""
    data = inputs.together(SimilarityData)
    return sts_table(
        inputs.rows(SimilarityRow), settings["caption"], data.differences, settings.get("published", ())
    )
