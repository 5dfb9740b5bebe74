"""What a reader must know of a task's data: marks for tables, sentences for notes."""

from collections.abc import Sequence

from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions
from sentflow.report.numbers import count, listed, percent, share
from sentflow.report.rows import unique
from sentflow.texts.checks import WARM_UP_BATCHES

TRAINED_TOO_LITTLE = "‡"
CONTRADICTIONS = "§"
HELD_BACK = "¶"
# Of the rows; where less is left after balancing (of two classes: the smaller one below a third), intervals of scores
# and the corrected t-test are too wide: docs/measurements/2026-11-27-error-rates.md.
BALANCED_SHARE = 2 / 3
SHARED = "‖"
_INDEPENDENT = 0.5  # of the rows; below, errors may be more than 1.4 times as large
_REGULARISED = "regularised"  # probe that chooses its penalty
_START = 0.05  # of the chosen learning rate, where the published warm-up begins


def marks(row: ScoreRow) -> str:
    """Marks of a row's task; empty for most."""
    return training_mark(row) + (CONTRADICTIONS if row.n_contradicting else "") + _shared_mark(row)


def score_marks(row: ScoreRow) -> str:
    """Marks of a row's task that belong beside its scores."""
    return training_mark(row) + _shared_mark(row)


def shares_texts(row: ScoreRow) -> bool:
    """Whether rows may depend on each other because they share texts, and folds do not keep such rows together."""
    return not row.groups_folds and 0 < row.effective_rows < _INDEPENDENT * row.n_rows


def notes(rows: Sequence[ScoreRow]) -> list[str]:
    """What the marks that occur mean, each once."""
    found = training_notes(rows)
    if counts := unique(f"{row.task} {count(row.n_contradicting)}" for row in rows if row.n_contradicting):
        found.append(f"{CONTRADICTIONS} Rows whose text also occurs with another label: {', '.join(counts)}.")
    return found + shared_notes(rows)


def _shared_mark(row: ScoreRow) -> str:
    return SHARED if shares_texts(row) else ""


def shared_notes(rows: Sequence[ScoreRow]) -> list[str]:
    """What `SHARED` means, if it occurs."""
    counts = unique(
        f"{row.task} {count(round(row.effective_rows))} of {count(row.n_rows)}"
        for row in rows
        if shares_texts(row)
    )
    if not counts:
        return []
    return [
        f"{SHARED} Rows share texts. If rows with a common text depend on each other fully, this many are "
        f"independent: {', '.join(counts)}. Intervals there may be too narrow and p-values too small, and probes may "
        "have trained on texts that they are tested on."
    ]


def unbalanced_notes(rows: Sequence[ScoreRow]) -> list[str]:
    """On which tasks intervals and tests are too cautious because classes differ in size; empty for none."""
    tasks = unique(f"{row.task} ({share(_balanced_share(row))})" for row in rows if is_unbalanced(row))
    if not tasks:
        return []
    return [
        "Unbalanced classes (in brackets the rows that are left when all are cut to the size of the smallest): "
        f"{listed(tasks)}. Intervals of scores and the corrected t-test, with its MDD and {captions.N_NEEDED}, are "
        "about 1.5 times too wide if the smaller of two classes has a third of the rows, 1.7 times at a tenth "
        "(balanced: 1.2). The test of out-of-fold predictions is not affected."
    ]


def is_unbalanced(row: ScoreRow) -> bool:
    """Whether so many rows of larger classes are left out that intervals and tests are too cautious."""
    return not row.is_untested and _balanced_share(row) < BALANCED_SHARE


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
        "encoder allows. Write protocol: corrected at the task, which trains it fully, or add rows."
    )


def held_back(row: ScoreRow) -> bool:
    """Whether the protocol, rather than the encoder, may be why a score is low: those that are fitted in each fold.

    Under the published protocol they get a question with all its alternatives as one pair (A9). On pairs their probe
    has many more columns than rows to train on, and only the regularised one chooses how weights are penalised.
    """
    if not row.is_fitted or row.is_untested:
        return False
    if row.layout == "alternatives":
        return not row.splits_alternatives
    return row.layout == "pair" and row.classifier != _REGULARISED and row.dimension > row.n_train


def score_mark(row: ScoreRow) -> str:
    """`HELD_BACK` if the row is; it belongs behind the score."""
    return HELD_BACK if held_back(row) else ""


def score_notes(rows: Sequence[ScoreRow]) -> list[str]:
    """What the marks beside scores mean, as far as they occur."""
    return [*training_notes(rows), *held_back_notes(rows)]


def low_score_notes(rows: Sequence[ScoreRow]) -> list[str]:
    """Which scores below a mean, a rank or a count are lower than encoders allow, without marks beside them."""
    tasks = unique(row.task for row in rows if trained_too_little(row))
    found = [f"Undertrained, so that scores on them are too low: {listed(tasks)}."] if tasks else []
    return found + held_back_sentences(rows)


def low_score_text(rows: Sequence[ScoreRow]) -> str:
    """`low_score_notes` as one text, for a column of a file; empty where no score is too low."""
    return " ".join(low_score_notes(rows))


def held_back_notes(rows: Sequence[ScoreRow]) -> list[str]:
    """What `score_mark` means, if it occurs."""
    return [f"{HELD_BACK} {said}" for said in held_back_sentences(rows)]


def held_back_sentences(rows: Sequence[ScoreRow]) -> list[str]:
    """Why scores of rows that are `held_back` are low, and what to write."""
    marked = [row for row in rows if held_back(row)]
    said = []
    if whole := [row for row in marked if row.layout == "alternatives"]:
        said.append(
            f"Protocol {_protocols(whole)} gives {_encoders(whole)}, fitted in each fold, a "
            "question and all its alternatives as one pair, but other encoders each alternative by itself. "
            "Write protocol: corrected at the task."
        )
    if pairs := [row for row in marked if row.layout == "pair"]:
        columns = count(max(row.dimension for row in pairs))
        said.append(
            f"On a pair {_encoders(pairs)} has up to {columns} columns and "
            f"from {count(min(row.n_train for row in pairs))} rows to train on, and protocol {_protocols(pairs)} "
            "chooses no penalty. Low scores there say little of the encoder. Write protocol: regularised at the task."
        )
    return said


def _encoders(rows: Sequence[ScoreRow]) -> str:
    return listed(unique(row.model_title for row in rows))


def _protocols(rows: Sequence[ScoreRow]) -> str:
    return listed(unique(row.protocol for row in rows))


def _balanced_share(row: ScoreRow) -> float:
    return row.n_balanced_rows / row.n_rows


def _enough_rows(row: ScoreRow) -> int:
    return row.batch_rows * WARM_UP_BATCHES
