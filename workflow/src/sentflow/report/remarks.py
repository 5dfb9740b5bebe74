"""What a reader must know of a task's data: marks for tables, sentences for notes."""

from collections.abc import Sequence

from sentflow.data.checks import WARM_UP_BATCHES
from sentflow.report.numbers import count, percent
from sentflow.report.rows import ScoreRow, unique

FEW_ROWS = "‡"
CONTRADICTIONS = "§"


def marks(row: ScoreRow) -> str:
    """Marks of a row's task; empty for most."""
    return (FEW_ROWS if has_few_rows(row) else "") + (CONTRADICTIONS if row.n_contradicting else "")


def has_few_rows(row: ScoreRow) -> bool:
    """Whether the published learning rate does not warm up."""
    return row.n_train < _warm_up_rows(row)


def notes(rows: Sequence[ScoreRow]) -> list[str]:
    """What the marks that occur mean, each once."""
    found = [f"{FEW_ROWS} {_few_rows(row)}" for row in rows if has_few_rows(row)]
    contradicting = [row for row in rows if row.n_contradicting]
    if contradicting:
        counts = unique(f"{row.task} {count(row.n_contradicting)}" for row in contradicting)
        found.append(f"{CONTRADICTIONS} Rows whose text also stands with another label: {', '.join(counts)}.")
    return unique(found)


def sentences(row: ScoreRow) -> list[str]:
    """The same for one task, with its own numbers."""
    found = [f"{_few_rows(row)} Here the smallest has {count(row.n_train)}."] if has_few_rows(row) else []
    if row.n_contradicting:
        found.append(f"{count(row.n_contradicting)} rows have a text that also stands with another label.")
    return found


def _few_rows(row: ScoreRow) -> str:
    """What few rows mean under the row's protocol."""
    note = f"Few rows: a fold trains on fewer than {_warm_up_rows(row)}"
    if row.protocol.startswith("published"):
        return (
            f"{note}, where the published learning rate stays at {percent(0.05)} of the chosen one; probes are "
            "trained too little."
        )
    return f"{note}."


def _warm_up_rows(row: ScoreRow) -> int:
    """Rows from which on the learning rate warms up as the protocol means it."""
    return row.batch_rows * WARM_UP_BATCHES
