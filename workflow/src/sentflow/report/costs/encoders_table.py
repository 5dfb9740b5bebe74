"""The table of encoders: what each is and what embedding cost, beside its mean score."""

import math
from collections.abc import Sequence

from sentflow.report.costs.rows import EncoderRow
from sentflow.report.numbers import MISSING, count, decimal, duration
from sentflow.report.rows import data_note
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.maker import made_of
from sentflow.report.table.table import Cell, Table


def encoders_table(rows: Sequence[EncoderRow], title: str) -> Table:
    """One line per encoder, in the order of selection."""
    first = rows[0]
    return table_of_cells(
        name="encoders",
        caption=f"{title}: the encoders.",
        notes=(
            data_note(rows),
            *_score_notes(first),
            "Parameters: trained numbers in the model's files; 0 where nothing was trained beforehand.",
            "Embedding: total time of the jobs that embedded this many distinct texts, including "
            "loading the model.",
            f"{MISSING} Not known, or fitted in every fold and not embedded separately.",
        ),
        header=(
            "Encoder",
            *(("Mean score",) if first.n_tasks else ()),
            "Parameters",
            "Dimension",
            "Max. tokens",
            "Texts",
            "Embedding",
            "Per 1,000",
            "Device",
        ),
        alignment=("w3.6", *(("r",) if first.n_tasks else ()), "r", "r", "r", "r", "r", "r", "l"),
        groups=(Group("", tuple(_line(row) for row in rows)),),
        tidy_header=names_of(EncoderRow),
        tidy_rows=records_of(rows),
    )


def _score_notes(row: EncoderRow) -> list[str]:
    if not row.n_tasks:
        return []
    return [
        f"Mean score over {row.n_tasks} tasks, protocol {row.protocol}, {row.repetitions} × {row.folds} "
        "folds; a model "
        "that lacks a task has none. Intervals, n and MDD of the scores are in tables of their own.",
        *([row.score_notes] if row.score_notes else []),
    ]


def _line(row: EncoderRow) -> tuple[Cell, ...]:
    known = row.texts > 0
    return (
        Cell(row.model_title),
        *((Cell(decimal(row.mean)),) if row.n_tasks else ()),
        Cell(MISSING if math.isnan(row.parameters) else count(int(row.parameters))),
        Cell(MISSING if math.isnan(row.dimension) else count(int(row.dimension))),
        Cell("no limit" if math.isnan(row.max_tokens) else count(int(row.max_tokens))),
        Cell(count(int(row.texts)) if known else MISSING),
        Cell(duration(row.embed_seconds)),
        Cell(duration(1000 * row.embed_seconds / row.texts) if known else MISSING),
        Cell(row.device or MISSING),
    )


table = made_of(EncoderRow, encoders_table)
