"""The table of paired differences between encoders on pair sets."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sentflow.compare.rows import SimilarityDifference
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.data import SimilarityData
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, count, p_number, percent
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table
from sentflow.stats.pair_graph import FEWEST_EFFECTIVE


def differences_table(
    rows: Sequence[SimilarityRow], title: str, differences: Sequence[SimilarityDifference]
) -> Table:
    """Every pair of encoders on every pair set."""
    titles = {row.model: row.model_title for row in rows}
    sets = {row.pairs: row for row in rows}
    groups = [
        Group(
            f"{pairs}: {sets[pairs].pairs_title}",
            tuple(_difference_line(row, titles) for row in differences if row.pairs == pairs),
        )
        for pairs in unique(row.pairs for row in differences)
    ]
    notes = [data_note(rows), words.protocol_note([row for row in rows if row.is_main])]
    if differences:
        first = differences[0]
        notes += [
            "Difference: first minus second, × 100, on the same pairs of sentences, with its "
            f"{percent(first.level)} interval (normal, with the standard deviation of a paired bootstrap over these "
            "pairs, or over what is drawn in their place), which is not adjusted for the number of pairs.",
            words.drawn_note({row.pairs: row.drawn for row in differences}),
            "p: by the same standard deviation; Holm: adjusted over all pairs of "
            f"encoders of the set; *: at most {percent(first.alpha)}.",
            "n: scored pairs.",
        ]
        if any(math.isnan(row.p_holm) for row in differences):
            notes.append(
                f"{MISSING} No test: an undefined value, or fewer than {FEWEST_EFFECTIVE} effective pairs."
            )
    else:
        notes.append("Nothing was compared: fewer than two encoders have a score.")
    return table_of_cells(
        name="sts-differences",
        caption=f"{title}: paired differences of semantic textual similarity.",
        notes=tuple(notes),
        header=("First − second", "n", "Effective", "Difference", "Interval", "p", "Holm"),
        alignment=("w5.2", "r", "r", "r", "l", "r", "r"),
        groups=tuple(groups),
        tidy_header=names_of(SimilarityDifference),
        tidy_rows=records_of(differences),
    )


def _difference_line(row: SimilarityDifference, titles: dict[str, str]) -> tuple[Cell, ...]:
    found = row.p_holm <= row.alpha
    return (
        Cell(f"{titles[row.model_a]} − {titles[row.model_b]}"),
        Cell(count(row.n)),
        Cell(count(round(row.effective_pairs))),
        Cell(words.hundred(row.difference) + ("*" if found else "")),
        Cell(words.hundred_interval(row.low, row.high) or MISSING),
        Cell(p_number(row.p_bootstrap)),
        Cell(p_number(row.p_holm)),
    )


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """`differences_table` of the files of an experiment."""
    found = inputs.together(SimilarityData).differences
    return differences_table(inputs.rows(SimilarityRow), settings["caption"], found)
