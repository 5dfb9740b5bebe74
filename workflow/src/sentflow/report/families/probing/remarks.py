"""What a reader must know of a task's data: marks for tables, sentences for notes."""

from collections.abc import Sequence

from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions
from sentflow.report.numbers import count, listed, percent, share
from sentflow.report.rows import unique
from sentflow.texts.checks import WARM_UP_BATCHES

TRAINED_TOO_LITTLE, CONTRADICTIONS, HELD_BACK, SHARED = "‡", "§", "¶", "‖"
# Of the rows; where less is left after balancing (of two classes: the smaller one below a third), intervals of scores
# and the corrected t-test are too wide: docs/measurements/2026-11-27-error-rates.md.
BALANCED_SHARE = 2 / 3
_INDEPENDENT = 0.5  # of the rows; below, errors may be more than 1.4 times as large
_REGULARISED = "regularised"  # probe that chooses its penalty
_START = 0.05  # of the chosen learning rate, where the published warm-up begins


def marks(row: ScoreRow, *, of_scores: bool = False) -> str:
    """Marks of a row's task; empty for most. `of_scores`: those that belong beside its scores."""
    contradicts = row.n_contradicting and not of_scores
    return training_mark(row) + (CONTRADICTIONS if contradicts else "") + _shared_mark(row)


def notes(rows: Sequence[ScoreRow]) -> list[str]:
    """What the marks that occur mean, each once."""
    counts = unique(f"{row.task} {count(row.n_contradicting)}" for row in rows if row.n_contradicting)
    said = f"{CONTRADICTIONS} Rows whose text also occurs with another label: {', '.join(counts)}."
    return [*training_notes(rows), *[said] * bool(counts), *shared_notes(rows)]


def _shared_mark(row: ScoreRow) -> str:
    """`SHARED` where rows may depend on each other: they share texts, and folds do not keep such rows together."""
    return SHARED if not row.groups_folds and 0 < row.effective_rows < _INDEPENDENT * row.n_rows else ""


def shared_notes(rows: Sequence[ScoreRow]) -> list[str]:
    """What `SHARED` means, if it occurs."""
    counts = unique(
        f"{row.task} {count(round(row.effective_rows))} of {count(row.n_rows)}"
        for row in rows
        if _shared_mark(row)
    )
    if not counts:
        return []
    return [
        f"{SHARED} Rows share texts, so that as few as these may be independent: {', '.join(counts)}. Intervals may be "
        "too narrow, p-values too small, and probes may be tested on texts that they were trained on."
    ]


def unbalanced_notes(rows: Sequence[ScoreRow]) -> list[str]:
    """On which tasks intervals and tests are too cautious because classes differ in size; empty for none."""
    known = [(row.task, row.n_balanced_rows / row.n_rows) for row in rows if not row.is_untested]
    tasks = unique(f"{task} ({share(part)})" for task, part in known if part < BALANCED_SHARE)
    if not tasks:
        return []
    return [
        f"Unbalanced classes (rows left when all are cut to the smallest): {listed(tasks)}. Intervals of scores and "
        f"the corrected t-test, with its MDD and {captions.N_NEEDED}, are about 1.5 times too wide if the smaller of "
        "two classes has a third of the rows (balanced: 1.2). The test of out-of-fold predictions is not affected."
    ]


def training_mark(row: ScoreRow) -> str:
    """A mark where the learning rate never leaves its start: an epoch has too few batches for a step of warm-up."""
    is_short = row.warmup_floor and not row.is_untested and row.n_train < row.batch_rows * WARM_UP_BATCHES
    return TRAINED_TOO_LITTLE if is_short else ""


def training_notes(rows: Sequence[ScoreRow]) -> list[str]:
    """What `training_mark` means, if it occurs."""
    return unique(
        f"{TRAINED_TOO_LITTLE} Undertrained: below {row.batch_rows * WARM_UP_BATCHES} training rows in a fold, "
        f"protocol {row.protocol} keeps the learning rate at {percent(_START)} of the chosen one, and scores can be "
        "far too low. Write protocol: corrected at the task, or add rows."
        for row in rows
        if training_mark(row)
    )


def score_mark(row: ScoreRow) -> str:
    """A mark behind the score where the protocol, rather than the encoder, may be why it is low.

    It is that of encoders that are fitted in each fold. Under the published protocol they get a question with all its
    alternatives as one pair (A9). On pairs their probe has many more columns than rows to train on, and only the
    regularised one chooses how weights are penalised.
    """
    if not row.is_fitted or row.is_untested:
        return ""
    if row.layout == "alternatives":
        is_held_back = not row.splits_alternatives
    else:
        is_wide = row.classifier != _REGULARISED and row.dimension > row.n_train
        is_held_back = row.layout == "pair" and is_wide
    return HELD_BACK if is_held_back else ""


def score_notes(rows: Sequence[ScoreRow]) -> list[str]:
    """What the marks beside scores mean, as far as they occur."""
    return [*training_notes(rows), *(f"{HELD_BACK} {said}" for said in _held_back(rows))]


def low_score_notes(rows: Sequence[ScoreRow]) -> list[str]:
    """Which scores below a mean, a rank or a count are lower than encoders allow, without marks beside them."""
    tasks = unique(row.task for row in rows if training_mark(row))
    low = [f"Undertrained, so that scores on them are too low: {listed(tasks)}."] if tasks else []
    return low + _held_back(rows)


def low_score_text(rows: Sequence[ScoreRow]) -> str:
    """`low_score_notes` as one text, for a column of a file; empty where no score is too low."""
    return " ".join(low_score_notes(rows))


def _held_back(rows: Sequence[ScoreRow]) -> list[str]:
    """Why scores of rows with a `score_mark` are low, and what to write."""
    said = []
    for layout in ("alternatives", "pair"):
        own = [row for row in rows if score_mark(row) and row.layout == layout]
        names = listed(unique(row.model_title for row in own))
        protocols = listed(unique(row.protocol for row in own))
        if own and layout == "alternatives":
            said.append(
                f"Protocol {protocols} gives {names} a question and all its alternatives as one pair, but other "
                "encoders each alternative by itself. Write protocol: corrected at the task."
            )
        elif own:
            said.append(
                f"On pairs {names} has up to {count(max(row.dimension for row in own))} columns, as few as "
                f"{count(min(row.n_train for row in own))} rows to train on, and no chosen penalty (protocol "
                f"{protocols}): low scores say little of the encoder. Write protocol: regularised at the task."
            )
    return said
