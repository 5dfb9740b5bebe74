"""What a reader must know of a task's data: marks for tables, sentences for notes."""

from collections.abc import Sequence

from sentflow.compare.score_rows import ScoreRow
from sentflow.report.numbers import count, percent
from sentflow.report.rows import unique
from sentflow.texts.checks import WARM_UP_BATCHES

TRAINED_TOO_LITTLE = "‡"
CONTRADICTIONS = "§"
_START = 0.05  # of the chosen learning rate, where the published warm-up begins


def marks(row: ScoreRow) -> str:
    """Marks of a row's task; empty for most."""
    return training_mark(row) + (CONTRADICTIONS if row.n_contradicting else "")


def notes(rows: Sequence[ScoreRow]) -> list[str]:
    """What the marks that occur mean, each once."""
    contradicting = [row for row in rows if row.n_contradicting]
    if not contradicting:
        return training_notes(rows)
    counts = unique(f"{row.task} {count(row.n_contradicting)}" for row in contradicting)
    found = f"{CONTRADICTIONS} Rows whose text also occurs with another label: {', '.join(counts)}."
    return [*training_notes(rows), found]


def trained_too_little(row: ScoreRow) -> bool:
    """Whether the learning rate never leaves its start, because an epoch has too few batches for a step of warm-up."""
    return row.warmup_floor and not row.is_untested and row.n_train < _enough_rows(row)


def training_mark(row: ScoreRow) -> str:
    """`TRAINED_TOO_LITTLE` if the row is `trained_too_little`; it belongs beside the scores themselves."""
    return TRAINED_TOO_LITTLE if trained_too_little(row) else ""


def training_notes(rows: Sequence[ScoreRow]) -> list[str]:
    """What `training_mark` means, if it occurs."""
    return unique(f"{TRAINED_TOO_LITTLE} {training_sentence(row)}" for row in rows if trained_too_little(row))


def training_sentence(row: ScoreRow) -> str:
    """Why the scores of a row that is `trained_too_little` are low, and what to write."""
    return (
        f"Undertrained: with fewer than {_enough_rows(row)} training rows in a fold, protocol {row.protocol} "
        f"keeps the learning rate at {percent(_START)} of the chosen one, and scores can be far below "
        "what the "
        "encoder allows. Write probe.protocol: corrected, which trains such tasks fully, or add rows."
    )


def sentences(row: ScoreRow) -> list[str]:
    """The same for one task, with its own numbers."""
    found = []
    if trained_too_little(row):
        found.append(
            f"{training_sentence(row)} Here the smallest training part has {count(row.n_train)} rows."
        )
    if row.n_contradicting:
        found.append(f"{count(row.n_contradicting)} rows have a text that also occurs with another label.")
    return found


def _enough_rows(row: ScoreRow) -> int:
    return row.batch_rows * WARM_UP_BATCHES
