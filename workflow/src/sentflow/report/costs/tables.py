"""The tables of every run: what rules took, and what encoders are."""

import math

from sentflow.report.costs.rows import CostRow, EncoderRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, duration, memory
from sentflow.report.table.table import Cell, Table, build, marked, number, text


def costs(inputs: Inputs) -> Table:
    """Time and memory per rule, the longest first."""
    # None where all benchmark files were deleted
    found = inputs.rows(CostRow, may_be_empty=True)
    rows = sorted(found, key=lambda row: (-row.wall_seconds, row.rule))
    notes = [
        "Times are sums over the jobs of this selection, less those of tables, figures and page. Start and end are "
        "UTC, from the dates of the benchmark files; the last run counts."
    ]
    unmeasured = sum(row.unmeasured_jobs for row in rows)
    if unmeasured:
        notes.append(
            f"{count(unmeasured)} of {count(sum(row.jobs for row in rows))} jobs ended before CPU time and memory were "
            "measured."
        )
    return build(
        "time and memory per rule.",
        CostRow,
        rows,
        [
            text("Rule", "rule"),
            number("Jobs", "jobs", count),
            number("Time", "wall_seconds", duration),
            number("CPU time", "cpu_seconds", duration),
            number("Largest memory", "max_rss_mb", memory),
            text("First start", lambda row: row.started or MISSING),
            text("Last end", lambda row: row.ended or MISSING),
        ],
        notes,
    )


def encoders(inputs: Inputs) -> Table:
    """One line per encoder, in the order of selection: what it is, what embedding took, its mean score."""
    rows = inputs.rows(EncoderRow)
    first = rows[0]
    return build(
        "the encoders.",
        EncoderRow,
        rows,
        [
            text("Encoder", "model_title", 3.6),
            *([number("Mean score", "mean")] if first.n_tasks else []),
            number("Parameters", "parameters", _whole),
            number("Dimension", "dimension", _whole),
            marked("Max. tokens", _max_tokens),
            number("Texts", lambda row: row.texts or None, _whole),
            number("Embedding", "embed_seconds", duration),
            number(
                "Per 1,000", lambda row: 1000 * row.embed_seconds / row.texts if row.texts else None, duration
            ),
            text("Device", lambda row: row.device or MISSING),
        ],
        [
            f"Mean score over {first.n_tasks} tasks, protocol {first.protocol}, {first.repetitions} × {first.folds} "
            "folds; intervals are in the table of scores."
            if first.n_tasks
            else "",
            "Parameters: number of pretrained weights.",
            "Embedding: total time of the jobs that embedded this many distinct texts, including loading the model.",
            f"{MISSING} Not known, or fitted in every fold and not embedded separately.",
        ],
    )


def _whole(value: float) -> str:
    return count(int(value))


def _max_tokens(row: EncoderRow) -> Cell:
    if math.isnan(row.max_tokens):
        return Cell("no limit")
    return Cell(_whole(row.max_tokens), value=row.max_tokens)
