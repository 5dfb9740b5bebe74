"""The tables of trainings: what was trained, what it cost and reaches, sweeps beside published ones, seeds."""

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from sentflow.compare.rows import TrainingSeeds
from sentflow.report.families.training.rows import TrainedRow, TrainingHeldOutRow, TrainingRow
from sentflow.report.families.training.sweeps import REDUCED, SWEEP_CELL, reduced, sweep_cells
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, decimal, duration, interval, memory, percent, signed
from sentflow.report.rows import grouped, unique
from sentflow.report.table.seed_columns import seed_columns, seed_notes
from sentflow.report.table.table import Blocks, Cell, Column, Table, build, marked, number, text
from sentflow.training.settings import NOT_APPLICABLE, NOT_RUN, VALUE
from sentflow.training.sweeps import number_word

_DIGITS = 4  # as papers print correlations of sweeps


# --- trainings ---------------------------------------------------------------------------------------------


def runs(inputs: Inputs) -> Table:
    """A block per group of trainings that differ in their seed alone, a line per training."""
    rows = inputs.rows(TrainedRow)
    return build(
        "what was trained.",
        TrainedRow,
        rows,
        [
            text("Encoder", "model", 4),
            text("Recipe", "recipe"),
            text("Start", "start"),
            text("Data", lambda row: f"{row.data} (control)" if row.is_control else row.data),
            number("Rows", "rows", count),
            number("Seed", "seed", str),
            number("Steps", "steps", count),
            number("Tokens", "tokens", count),
            text("Rule", lambda row: f"{row.rule}, {row.pairs}" if row.pairs else MISSING),
            number("Chosen", "chosen", count),
            number("Dev. score", "score", decimal, _DIGITS),
        ],
        [
            "Chosen: the step whose snapshot became the encoder. Its development score is the best of several (the "
            "lowest of losses): too good."
        ],
        blocks=Blocks("group", "Training"),
    )


def costs(inputs: Inputs) -> Table:
    """Time and memory of each training; a column without any number is left out."""
    rows = inputs.rows(TrainedRow)
    has_device = any(math.isfinite(row.device_memory_mb) for row in rows)
    return build(
        "what trainings cost.",
        TrainedRow,
        rows,
        [
            text("Encoder", "model", 4),
            text("Device", "device"),
            text("Precision", "precision"),
            number("Threads", "threads", str),
            number("Time", "seconds", duration),
            number("Tokens/s", lambda row: round(row.tokens_per_second), count),
            number("Memory", "memory_mb", memory),
            *([number("Device memory", "device_memory_mb", memory)] if has_device else []),
            number("Resumed", "n_resumed", lambda n: f"{n} ×" if n else "no"),
        ],
        [
            "Time: with snapshots, without their scores. Tokens: read in all views. Memory: peak of the process, in "
            "its last run."
        ],
        data=(),
        blocks=Blocks("group", "Training"),
    )


def held_out(inputs: Inputs) -> Table:
    """A block per group of trainings that differ in their seed alone, a line per measure: the mean over seeds."""
    rows = inputs.rows(TrainingHeldOutRow, may_be_empty=True)

    def mean(values: Iterator[float]) -> float:
        known = list(values)
        return fmean(known) if known else math.nan

    return build(
        "trainings on their held-out rows.",
        TrainingHeldOutRow,
        grouped(rows, "group", "measure").values(),
        [
            text("Measure", lambda line: line[0].measure.replace("_", " "), 3),
            number("Before training", lambda line: mean(row.value for row in line if row.step == 0)),
            number("Chosen", lambda line: mean(row.value for row in line if row.chosen)),
            number("Seeds", lambda line: len({row.seed for row in line}), str),
            number("n", lambda line: round(mean(row.n for row in line)), count),
        ],
        [
            "Means over seeds, each with held-out rows of its own; n: hidden tokens, spans, rows or batches of one "
            "seed. Losses of different recipes cannot be compared."
            if rows
            else "No training held rows out."
        ],
        records=rows,
        blocks=Blocks(lambda line: line[0].group, "Training"),
    )


# --- sweeps ------------------------------------------------------------------------------------------------


def sweep(inputs: Inputs) -> Table:
    """A block per sweep, a line per cell: ours beside the published one."""
    rows = inputs.rows(TrainingRow, may_be_empty=True)
    cells = [cell for one in inputs.published for cell in sweep_cells(one, rows)]
    published = [
        _score("Dev, published", "published_dev", "published_scores"),
        _score("Test, published", "published_test", "published_scores"),
        _score("Unif., published", "published_uniformity", "published_geometry"),
        _score("Align., published", "published_alignment", "published_geometry"),
    ]
    columns = [
        _rate("Learning rate", "learning_rate"),
        *(published if _printed(inputs) else []),
        _score("Dev, ours", "dev", "state"),
        _score("Test, ours", "test", "state"),
        _score("Unif., ours", "uniformity", "state"),
        _score("Align., ours", "alignment", "state"),
        number("Seeds", "n_seeds", str),
    ]
    notes = [
        f"Ours: {sum(cell['n_seeds'] > 0 for cell in cells)} of {len(cells)} cells were run; means over seeds of the "
        "snapshots that the development set chose. Do not choose cells by test scores. No cells are tested.",
        *unique(remark for entry in _printed(inputs) for remark in entry.get("remarks", ())),
    ]
    caption = "trainings cell by cell (Spearman; uniformity, alignment)."
    return _of_sweeps(inputs, caption, SWEEP_CELL, cells, columns, notes, lead=5)


def best_of_sweep(inputs: Inputs) -> Table:
    """A block per sweep, a line per group of cells: the learning rate with the best development score."""
    rows = inputs.rows(TrainingRow, may_be_empty=True)
    lines = [row for one in inputs.published for row in reduced(sweep_cells(one, rows))]
    published = [
        _rate("Rate, published", "published_learning_rate", "published_n"),
        _score("Dev", "published_dev"),
        _score("Test", "published_test"),
        number("of", "published_n", str),
    ]
    columns = [
        *(published if _printed(inputs) else []),
        _rate("Rate, ours", "learning_rate", "n"),
        _score("Dev", "dev"),
        _score("Test", "test"),
        number("of", "n", str),
        number("Seeds", "n_seeds", str),
    ]
    notes = [
        "Of each line the learning rate with the best development score (of: how many were compared); the test score "
        "is that of the same training. The best of several is too high an estimate of its own development score. With "
        "one seed per cell the choice is partly chance: train the winners again with new seeds (sentflow sweep "
        "winners) before you call a method better.",
    ]
    caption = "the best learning rate by development score (Spearman)."
    return _of_sweeps(inputs, caption, REDUCED, lines, columns, notes, lead=4)


def _of_sweeps(
    inputs: Inputs,
    caption: str,
    kind: Sequence[str],
    lines: Sequence[Mapping[str, Any]],
    columns: Sequence[Column],
    notes: Sequence[str],
    lead: int,
) -> Table:
    """A table with a block per sweep, and the place in the grid in front of the columns."""
    titles = {one["name"]: one.get("title", one["name"]) for one in inputs.published}
    sources = unique(f"{entry['source']} ({entry['reference']})" for entry in _printed(inputs))
    place = [
        text("Start", "start"),
        text("Data", lambda row: row["data"] or NOT_APPLICABLE),
        text("Method", "method", 2.9),
        number("Tokens", "max_tokens", str),
    ]
    return build(
        caption,
        kind,
        lines,
        [*place, *columns],
        [
            f"{NOT_RUN}: not run. {NOT_APPLICABLE}: not applicable. No cell is filled in from its neighbours.",
            *notes,
            f"Published: {'; '.join(sources)}." if sources else "",
        ],
        data=inputs.rows(TrainingRow, may_be_empty=True),
        blocks=Blocks("sweep", "Sweep", lambda name, _: titles[name]),
        lead=lead,
    )


def _printed(inputs: Inputs) -> list[Mapping[str, Any]]:
    """What others published of the sweeps."""
    return [one["published"] for one in inputs.published if one.get("published")]


def _score(heading: str, value: str, state: str = "") -> Column:
    """A score, or the state that says why there is none."""

    def cell(row: Mapping[str, Any]) -> Cell:
        score, reason = row[value], row[state] if state else NOT_RUN
        if math.isnan(score):
            return Cell(NOT_RUN if reason == VALUE else reason)
        return Cell(decimal(score, _DIGITS), value=score)

    return marked(heading, cell)


def _rate(heading: str, rate: str, n: str = "") -> Column:
    """A learning rate like ``3e-5``; `n` is the number of cells without which none was run."""

    def cell(row: Mapping[str, Any]) -> Cell:
        value = row[rate]
        if n and not row[n]:
            return Cell(NOT_RUN)
        if math.isnan(value):
            return Cell(NOT_APPLICABLE)
        return Cell(number_word(value), value=value)

    return marked(heading, cell)


# --- seeds -------------------------------------------------------------------------------------------------


def seeds(inputs: Inputs) -> Table:
    """A block per pair set: the mean of each group of seeds, then every two groups."""
    rows = inputs.rows(TrainingSeeds, may_be_empty=True)

    def name(row: TrainingSeeds) -> str:
        return (f"{row.group} − {row.other}" if row.other else row.group) + (" ‡" if row.is_control else "")

    def value(row: TrainingSeeds) -> Cell:
        star = "*" if row.other and row.p_holm <= row.alpha else ""
        return Cell((signed(row.value) if row.other else decimal(row.value)) + star, value=row.value)

    return build(
        "trainings with several seeds.",
        TrainingSeeds,
        rows,
        [
            text("Training, or training − training", name, 4.6),
            marked("Value", value),
            text("New seeds", lambda row: interval(row.seeds_low, row.seeds_high)),
            text("New seeds and pairs", lambda row: interval(row.low, row.high)),
            number("Seeds", "n_seeds", count),
            *seed_columns("pairs"),
        ],
        _notes_of_seeds(rows),
        data=inputs.rows_if_there(TrainingRow),
        blocks=Blocks("unit_set", "Pair set"),
    )


def _notes_of_seeds(rows: Sequence[TrainingSeeds]) -> list[str]:
    if not rows:
        return ["No training was run with several seeds, so methods cannot be compared."]
    first, at = rows[0], percent(rows[0].alpha)
    weak = [row.n_seeds for row in rows if row.other and row.least_p > row.alpha]
    notes = [
        f"Mean over seeds of {first.measure.capitalize()}'s correlation, with {percent(first.level)} intervals: "
        "for new seeds on the same pairs (t), and for new seeds and new pairs of the same set (not adjusted). Limited "
        "by: what to double for a narrower interval.",
        f"*: significant at {at} for new seeds on the same pairs (exact sign-flip test over common seeds, Holm over "
        "all lines of the set). The CSV file has p, and its minimum.",
    ]
    if weak:
        notes.append(f"With {max(weak)} seeds no difference can be significant at {at}.")
    elif any(row.other and row.least_p_holm > row.alpha for row in rows):
        notes.append(
            f"With Holm over so many lines and these seeds, no difference can be significant at {at}."
        )
    if any(row.is_control for row in rows):
        notes.append("‡: a negative control, or the difference from one.")
    return [*notes, *seed_notes(rows)]
