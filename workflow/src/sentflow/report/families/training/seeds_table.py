"""The table of trainings with several seeds: means and differences, what decides them, and what can be claimed."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.compare.training_rows import TrainingSeeds
from sentflow.report import captions
from sentflow.report.families.training.rows import TrainingRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, decimal, interval, percent, signed
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table


def seeds_table(seeds: Sequence[TrainingSeeds], title: str, rows: Sequence[TrainingRow]) -> Table:
    """A block per pair set: the mean of each group of seeds, then every two groups.

    Parameters
    ----------
    seeds
        What compare_training wrote; may be empty.
    title
        How the caption begins.
    rows
        The summary of trainings, which says what the data are.
    """
    groups = [
        Group(name, tuple(_line(row) for row in seeds if row.unit_set == name))
        for name in unique(row.unit_set for row in seeds)
    ]
    return table_of_cells(
        name="training-seeds",
        caption=f"{title}: trainings with several seeds.",
        notes=(*([data_note(rows)] if rows else []), *_notes(seeds)),
        header=(
            "Training, or training − training",
            "Value",
            "New seeds",
            "New seeds and pairs",
            "Seeds",
            "Spread of seeds",
            "Variance from pairs",
            "from seeds",
            "More of",
        ),
        alignment=("w4.6", "r", "l", "l", *("r" for _ in range(4)), "l"),
        groups=tuple(groups),
        tidy_header=names_of(TrainingSeeds),
        tidy_rows=records_of(seeds),
    )


def _line(row: TrainingSeeds) -> tuple[Cell, ...]:
    name = f"{row.group} − {row.other}" if row.other else row.group
    return (
        Cell(name + (" ‡" if row.is_control else "")),
        Cell(_value(row)),
        Cell(interval(row.seeds_low, row.seeds_high)),
        Cell(interval(row.low, row.high)),
        Cell(count(row.n_seeds)),
        Cell(decimal(row.spread_of_seeds)),
        Cell(_share(row.share_of_pairs)),
        Cell(_share(row.share_of_seeds) + ("†" if row.seeds_unseen else "")),
        Cell(row.more),
    )


def _value(row: TrainingSeeds) -> str:
    return signed(row.value) + ("*" if row.p_holm <= row.alpha else "") if row.other else decimal(row.value)


def _share(value: float) -> str:
    return MISSING if math.isnan(value) else f"{100 * value:.0f}\u202f%"


def _notes(seeds: Sequence[TrainingSeeds]) -> list[str]:
    if not seeds:
        return ["No training was run with several seeds, so nothing can be said of methods."]
    first = seeds[0]
    said = [
        f"Mean over seeds of {first.measure.capitalize()}'s correlation, with {percent(first.level)} intervals: "
        "for new seeds on the same pairs (t), and for new seeds and new pairs of the same set (resampled pairs, or "
        "what pairs with shared sentences make up; not adjusted for the number of lines). Nothing is said of other "
        "training data, other starts or other pair sets.",
        "Spread: standard deviation between seeds. Variance: shares of that of the value; the rest is what is "
        "peculiar to a seed on these pairs. More of: what twice as many would make the interval narrower.",
        f"*: significant at {percent(first.alpha)} for new seeds on the same pairs (exact sign-flip test over the "
        "seeds that both have, Holm over all lines of the set). The CSV file has p, and the least that it can be.",
    ]
    differences = [row for row in seeds if row.other]
    weak = [row for row in differences if row.least_p > row.alpha]
    if weak:
        n = max(row.n_seeds for row in weak)
        said.append(
            f"With {n} seeds no difference can be significant at {percent(first.alpha)}, whatever its size: no claim."
        )
    elif any(row.least_p_holm > row.alpha for row in differences):
        said.append(
            f"With so many lines, Holm's correction leaves no difference that could be significant at "
            f"{percent(first.alpha)} with these seeds: only a comparison that was planned alone can be."
        )
    said += captions.few_seeds(row.n_seeds for row in seeds)
    if any(row.seeds_unseen for row in seeds):
        said.append(
            "†: seeds differ less than noise would; with a few seeds this means “not seen”, not “none”."
        )
    if any(row.is_control for row in seeds):
        said.append("‡: a negative control, or the difference from one.")
    return said


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`seeds_table` of the files of an experiment."""
    return seeds_table(
        inputs.rows(TrainingSeeds, may_be_empty=True),
        settings["caption"],
        inputs.rows_if_there(TrainingRow),
    )
