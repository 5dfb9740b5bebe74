"""The tables of ConSERT, SimCSE and SG-BERT: seven STS columns and their average, published lines above ours."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.report.families.similarity.sts_table import AVERAGE, OURS
from sentflow.report.families.training.rows import SPEARMAN, TEST, TrainingRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import decimal
from sentflow.report.rows import data_note, is_sample, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table
from sentflow.similarity.averages import SEVEN_TASKS, seven_task_average
from sentflow.training.cell_states import NOT_APPLICABLE, NOT_RUN, VALUE

_COLUMNS = (*SEVEN_TASKS, AVERAGE)
_HEADINGS = {"STSB": "STS-B", "SICKR": "SICK-R"}
_PRINTED_AVERAGE = "average"  # what entries call it


@dataclass(frozen=True)
class SevenValue:
    """A cell as a record: a published value, or the mean of ours over seeds, × 100.

    Attributes
    ----------
    trained
        Entry that is trained as published; of ours its name.
    state
        `VALUE`, `NOT_RUN` or `NOT_APPLICABLE`.
    consistent
        The value that goes with the others of the row, where the printed one does not; else NaN.
    """

    trained: str
    line: str
    source: str
    reference: str
    column: str
    state: str
    value: float
    consistent: float
    n_seeds: int
    remark: str


def seven_table(
    name: str,
    what: str,
    rows: Sequence[TrainingRow],
    title: str,
    entries: Sequence[Mapping[str, Any]],
) -> Table:
    """Published lines by the setting that they are of, ours below each.

    Parameters
    ----------
    name, what
        Of the table, and in words.
    rows
        The summary of trainings.
    title
        How the caption begins.
    entries
        Of ``catalog/published_similarity.yaml``, key ``sts``.
    """
    ours = _ours(rows)
    remarks = unique(entry["remark"] for entry in entries if "remark" in entry)
    numbers = {remark: f" ({place})" for place, remark in enumerate(remarks, 1)}
    settings = unique(entry.get("trained", "") for entry in entries)
    records: list[SevenValue] = []
    groups = []
    for trained in sorted(settings, key=lambda one: one == ""):
        published = [entry for entry in entries if entry.get("trained", "") == trained]
        lines = [_records(entry) for entry in published]
        if trained:
            lines.append(_our_records(trained, ours.get(trained, {})))
        records += [record for line in lines for record in line]
        heading = trained or "Published only"
        groups.append(Group(heading, tuple(_line(line, numbers) for line in lines)))
    return table_of_cells(
        name=name,
        caption=f"{title}: {what}, published values and ours (Spearman × 100).",
        notes=(
            *([data_note(rows)] if rows else []),
            "Published values are as printed; ours are means over seeds of the chosen snapshots, tested in the table "
            "of seeds. Nothing here says that a difference would be found again with other seeds.",
            f"{NOT_RUN}: not run. {NOT_APPLICABLE}: no average, for not all seven sets were scored.",
            *(f"{number.strip()} {remark}" for remark, number in numbers.items()),
        ),
        header=("Encoder", *(_HEADINGS.get(one, one) for one in _COLUMNS), "Source"),
        alignment=("w2.9", *("r" for _ in _COLUMNS), "w2.1"),
        groups=tuple(groups),
        tidy_header=names_of(SevenValue),
        tidy_rows=records_of(records),
    )


def _ours(rows: Sequence[TrainingRow]) -> dict[str, dict[str, tuple[float, int]]]:
    """Group → column → mean × 100 over seeds, and their number; the average is that of each seed."""
    scores: dict[str, dict[int, dict[str, float]]] = {}
    for row in rows:
        is_shown = row.selected and row.split == TEST and row.measure == SPEARMAN
        if is_shown and row.column in SEVEN_TASKS and not is_sample(row.data_version):
            scores.setdefault(row.group, {}).setdefault(row.seed, {})[row.column] = row.value
    found: dict[str, dict[str, tuple[float, int]]] = {}
    for group, seeds in scores.items():
        columns = {column for of_seed in seeds.values() for column in of_seed}
        values = {
            column: [100 * of_seed[column] for of_seed in seeds.values() if column in of_seed]
            for column in columns
        }
        values[AVERAGE] = [seven_task_average(of_seed).value for of_seed in seeds.values()]
        found[group] = {column: (math.fsum(ones) / len(ones), len(ones)) for column, ones in values.items()}
    return found


def _records(entry: Mapping[str, Any]) -> list[SevenValue]:
    printed = {**entry["values"], AVERAGE: entry.get(_PRINTED_AVERAGE, math.nan)}
    wrong = entry.get("inconsistent", {"column": "", "consistent": math.nan})
    column_of_wrong = AVERAGE if wrong["column"] == _PRINTED_AVERAGE else wrong["column"]

    def record(column: str) -> SevenValue:
        value = float(printed.get(column, math.nan))
        is_wrong = column == column_of_wrong
        return SevenValue(
            trained=entry.get("trained", ""),
            line=entry["model"],
            source=entry["source"],
            reference=entry.get("reference", ""),
            column=column,
            state=VALUE if value == value else NOT_APPLICABLE,
            value=value,
            consistent=float(wrong["consistent"]) if is_wrong else math.nan,
            n_seeds=1,
            # a remark on one number stands at that number, others at the line
            remark=entry.get("remark", "") if is_wrong or not column_of_wrong else "",
        )

    return [record(column) for column in _COLUMNS]


def _our_records(trained: str, found: Mapping[str, tuple[float, int]]) -> list[SevenValue]:
    def record(column: str) -> SevenValue:
        value, n_seeds = found.get(column, (math.nan, 0))
        missing = NOT_APPLICABLE if n_seeds else NOT_RUN
        return SevenValue(
            trained,
            trained,
            OURS,
            "",
            column,
            VALUE if value == value else missing,
            value,
            math.nan,
            n_seeds,
            "",
        )

    return [record(column) for column in _COLUMNS]


def _line(records: Sequence[SevenValue], numbers: Mapping[str, str]) -> tuple[Cell, ...]:
    first = records[0]
    on_line = {record.remark for record in records} if len({r.remark for r in records}) == 1 else set()
    seeds = max(record.n_seeds for record in records)
    name = first.line + "".join(numbers.get(remark, "") for remark in on_line)
    if first.source == OURS and seeds:
        name = f"{name}, {seeds} seed{'s' if seeds > 1 else ''}"
    return (
        Cell(name),
        *(Cell(_text(record) + ("" if on_line else numbers.get(record.remark, ""))) for record in records),
        Cell(first.source),
    )


def _text(record: SevenValue) -> str:
    return decimal(record.value, 2) if record.state == VALUE else record.state


def _maker(name: str, what: str) -> Any:
    def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
        rows = inputs.rows(TrainingRow, may_be_empty=True)
        return seven_table(name, what, rows, settings["caption"], settings.get("published", ()))

    return table


consert_table = _maker("training-consert", "ConSERT")
simcse_table = _maker("training-simcse", "SimCSE")
sgbert_table = _maker("training-sgbert", "SG-BERT")
