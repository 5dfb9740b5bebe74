"""The table of regressions: the regressor of original SentEval."""

import math
from collections.abc import Sequence

from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.rows import RegressionRow
from sentflow.report.numbers import MISSING, count, decimal
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.maker import made_of
from sentflow.report.table.table import Cell, Table


def regressions_table(rows: Sequence[RegressionRow], title: str) -> Table:
    """The regressor of original SentEval: trained, unlike the cosines of the other tables."""
    groups = []
    for name in unique(row.regression for row in rows):
        members = [row for row in rows if row.regression == name]
        first = members[0]
        sizes = f"train {count(first.n_train)}, dev {count(first.n_dev)}, test {count(first.n_test)} pairs"
        groups.append(
            Group(
                f"{name}: {first.regression_title} ({sizes})", tuple(_regression_line(row) for row in members)
            )
        )
    notes = [
        data_note(rows),
        "A regressor on |u − v| and u · v, trained on the training split, stopped early by Pearson's "
        "correlation on the development "
        "split and scored on the test split, as in the original SentEval. Correlations × 100; MSE on "
        "the scale of the gold scores.",
        "These numbers are not based on cosines and cannot be compared with those of the table sts. "
        "Each regressor was trained once, so "
        "nothing is tested and nothing is marked.",
    ]
    if any(row.train.startswith("STSB-train") for row in rows) and not words.only_sample(rows):
        notes.append(words.CONTAMINATION)
    return table_of_cells(
        name="regressions",
        caption=f"{title}: SentEval's regressor.",
        notes=tuple(notes),
        header=("Encoder", "Dev, Pearson", "Test, Pearson", "Test, Spearman", "MSE", "Epochs"),
        alignment=("w5.2", "r", "r", "r", "r", "r"),
        groups=tuple(groups),
        tidy_header=names_of(RegressionRow),
        tidy_rows=records_of(rows),
    )


def _regression_line(row: RegressionRow) -> tuple[Cell, ...]:
    return (
        Cell(row.model_title),
        Cell(words.hundred(row.dev_pearson)),
        Cell(words.hundred(row.pearson)),
        Cell(words.hundred(row.spearman)),
        Cell(decimal(row.mse)),
        Cell(MISSING if math.isnan(row.epochs) else f"{row.epochs:g}"),
    )


table = made_of(RegressionRow, regressions_table)
