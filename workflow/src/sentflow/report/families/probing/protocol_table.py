"""The table of a study of protocols: one line per protocol, beside the protocol of the scores."""

import math
from collections.abc import Sequence
from statistics import median

from scipy.stats import kendalltau

from sentflow.compare.score_rows import EffectRow
from sentflow.report.numbers import MISSING, count, decimal, percent, signed
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.maker import made_of
from sentflow.report.table.table import Cell, Table


def protocols_table(rows: Sequence[EffectRow], title: str) -> Table:
    """What each protocol does to scores, to the order of encoders and to intervals."""
    protocols = unique(row.protocol for row in rows)
    lines = [_line([row for row in rows if row.protocol == protocol]) for protocol in protocols]
    first = rows[0]
    n_tasks, n_models = len(unique(row.task for row in rows)), len(unique(row.model for row in rows))
    notes = [
        data_note(rows),
        f"Each line is another protocol compared with {first.baseline}, on {n_tasks} tasks and "
        f"{n_models} encoders: numbers "
        "of different protocols are shown together on purpose here and must not be mixed elsewhere.",
        "Mean change: of the scores over all tasks and encoders, in points of the metric. Largest "
        "change: of one "
        f"score, and where; an asterisk marks one whose {percent(first.level)} interval of paired fold "
        "differences "
        "(Nadeau and Bengio 2003) does not contain 0; it is the largest of many and not adjusted for that, so it is no "
        "test.",
        "New first: tasks on which a different encoder has the highest score. Kendall's tau: agreement "
        "of the ranking of "
        "encoders, mean over tasks; 1 is the same ranking.",
        "Width: width of the protocol's own interval divided by that of the baseline, median.",
    ]
    unpaired = unique(row.protocol_title for row in rows if not row.paired)
    if unpaired:
        notes.append(
            f"Folds differ from the baseline's, so there are no paired differences: {', '.join(unpaired)}."
        )
    for protocol in protocols:
        members = [row for row in rows if row.protocol == protocol]
        changed = unique(row.not_comparable for row in members if row.not_comparable)
        if changed:
            notes.append(
                f"{members[0].protocol_title} is not comparable with published scores: {'; '.join(changed)}."
            )
    return table_of_cells(
        name="protocols",
        caption=f"{title}: effect of other protocols on the scores of {first.baseline}.",
        notes=tuple(notes),
        header=(
            "Protocol",
            "Differs from published",
            "Mean change",
            "Largest change",
            "Where",
            "New first",
            "Kendall's tau",
            "Width",
        ),  # fmt: skip
        alignment=("w3.2", "w3.6", "r", "r", "l", "r", "r", "r"),
        groups=(Group("", tuple(lines)),),
        tidy_header=names_of(EffectRow),
        tidy_rows=records_of(rows),
    )


def _line(rows: Sequence[EffectRow]) -> tuple[Cell, ...]:
    changes = [row for row in rows if not math.isnan(row.difference)]
    tasks = unique(row.task for row in rows)
    taus = [_tau([row for row in rows if row.task == task]) for task in tasks]
    known = [tau for tau in taus if not math.isnan(tau)]
    ratios = [row.width / row.baseline_width for row in rows if row.width >= 0 and row.baseline_width > 0]
    largest = max(changes, key=lambda row: abs(row.difference), default=None)
    others = sum(_first(rows, task, "rank") != _first(rows, task, "baseline_rank") for task in tasks)
    return (
        Cell(rows[0].protocol_title),
        Cell(rows[0].switches or "no switch"),
        Cell(signed(math.fsum(row.difference for row in changes) / len(changes)) if changes else MISSING),
        Cell(signed(largest.difference) + ("*" if _apart(largest) else "") if largest else MISSING),
        Cell(f"{largest.task}, {largest.model}" if largest and largest.difference else MISSING),
        Cell(f"{count(others)} of {count(len(tasks))}"),
        Cell(decimal(math.fsum(known) / len(known), 2) if known else MISSING),
        Cell(decimal(median(ratios), 2) if ratios else MISSING),
    )


def _tau(rows: Sequence[EffectRow]) -> float:
    tau = kendalltau([row.baseline_mean for row in rows], [row.mean for row in rows]).statistic
    return float(tau)  # Kendall's τ-b, NaN where one of the two ranks nothing


def _first(rows: Sequence[EffectRow], task: str, rank: str) -> set[str]:
    """The encoders that share the highest score of a task."""
    members = [row for row in rows if row.task == task]
    best = min(getattr(row, rank) for row in members)
    return {row.model for row in members if getattr(row, rank) == best}


def _apart(row: EffectRow) -> bool:
    return row.difference_low > 0 or row.difference_high < 0


table = made_of(EffectRow, protocols_table)
