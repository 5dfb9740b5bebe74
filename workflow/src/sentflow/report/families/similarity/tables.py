"""The tables of similarity beside that of all sets: sub-sources, differences, regressions."""

import math
from collections.abc import Sequence

from sentflow.compare.rows import SimilarityDifference
from sentflow.report import captions
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.rows import RegressionRow, SimilarityRow
from sentflow.report.numbers import MISSING, count, decimal, p_number, percent
from sentflow.report.rows import unique
from sentflow.report.table.cells import Cell, Group, Table, names_of, records_of

_MORE = {"mean": "mean of sub-sources", "wmean": "weighted mean"}


def subsets_table(rows: Sequence[SimilarityRow], title: str) -> Table:
    """Every sub-source, and the three ways to make one number of them, with intervals."""
    shown = [row for row in rows if row.is_main]
    models = unique(row.model for row in shown)
    titles = {row.model: row.model_title for row in shown}
    groups = []
    for pairs in unique(row.pairs for row in shown):
        members = [row for row in shown if row.pairs == pairs]
        has_subsets = any(row.aggregation == "subset" for row in members)
        # of a set without sub-sources, all three say the same
        keys = list(dict.fromkeys((row.aggregation, row.subset) for row in members))
        kept = [key for key in keys if has_subsets or key[0] == "all"]
        ordered = sorted(kept, key=lambda key: key[0] != "subset")  # what is summed up comes last
        lines = tuple(_subset_line(members, key, models) for key in ordered)
        groups.append(Group(f"{pairs}: {members[0].pairs_title}, {members[0].data_version}", lines))
    return Table(
        name="sts-subsets",
        caption=f"{title}: similarity by sub-source ({words.protocol(shown)}; × 100).",
        notes=(
            captions.data_note(shown),
            words.protocol_note(shown),
            words.interval_note(shown),
            "n: scored pairs. Papers print “all”; “mean” and “weighted mean” (by pairs) are the other two ways of the "
            "literature, and not the same number.",
            "Nothing is marked here: tests are made over whole pair sets.",
            *words.warning_notes([row for row in shown if row.aggregation == "all"]),
        ),
        header=("Sub-source", "n", *(titles[model] for model in models)),
        alignment=("l", "r", *["c"] * len(models)),
        groups=tuple(groups),
        tidy_header=names_of(SimilarityRow),
        tidy_rows=records_of(rows),
        lead=2,
    )


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
    notes = [captions.data_note(rows), words.protocol_note([row for row in rows if row.is_main])]
    if differences:
        first = differences[0]
        notes += [
            "Difference: first minus second, × 100, on the same pairs of sentences, with its "
            f"{percent(first.level)} interval (paired bootstrap over these pairs).",
            "p: from the difference over its standard deviation in the bootstrap; Holm: adjusted over all pairs of "
            f"encoders of the set; *: below {percent(first.alpha)}. Williams: test of two dependent correlations, for "
            "comparison.",
            "n: scored pairs.",
        ]
        if any(math.isnan(row.p_holm) for row in differences):
            notes.append(f"{MISSING} No test: a value is undefined.")
    else:
        notes.append("Nothing was compared: fewer than two encoders have a score.")
    return Table(
        name="sts-differences",
        caption=f"{title}: paired differences of semantic textual similarity.",
        notes=tuple(notes),
        header=("First − second", "n", "Difference", "Interval", "p", "Holm", "Williams"),
        alignment=("w5.2", "r", "r", "l", "r", "r", "r"),
        groups=tuple(groups),
        tidy_header=names_of(SimilarityDifference),
        tidy_rows=records_of(differences),
    )


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
        captions.data_note(rows),
        "A regressor on |u − v| and u · v, trained on the first part, stopped by Pearson's correlation on the second "
        "and scored on the third, as original SentEval does. Correlations × 100; MSE on the scale of the gold scores.",
        "These numbers are no cosines: they cannot stand beside those of the table sts. One training each, so nothing "
        "is tested and nothing is marked.",
    ]
    if any(row.train.startswith("STSB-train") for row in rows) and not words.only_sample(rows):
        notes.append(words.CONTAMINATION)
    return Table(
        name="regressions",
        caption=f"{title}: SentEval's regressor.",
        notes=tuple(notes),
        header=("Encoder", "Dev, Pearson", "Test, Pearson", "Test, Spearman", "MSE", "Epochs"),
        alignment=("w5.2", "r", "r", "r", "r", "r"),
        groups=tuple(groups),
        tidy_header=names_of(RegressionRow),
        tidy_rows=records_of(rows),
    )


def _subset_line(
    rows: Sequence[SimilarityRow], key: tuple[str, str], models: Sequence[str]
) -> tuple[Cell, ...]:
    aggregation, subset = key
    of_model = {row.model: row for row in rows if (row.aggregation, row.subset) == key}
    first = next(iter(of_model.values()))
    cells = []
    for model in models:
        row = of_model.get(model)
        if row is None or math.isnan(row.value):
            cells.append(Cell(MISSING))
        else:
            cells.append(Cell(words.hundred(row.value), words.hundred_interval(row.low, row.high)))
    return (Cell(subset or _MORE.get(aggregation, aggregation)), Cell(count(first.n)), *cells)


def _difference_line(row: SimilarityDifference, titles: dict[str, str]) -> tuple[Cell, ...]:
    found = row.p_holm <= row.alpha
    return (
        Cell(f"{titles[row.model_a]} − {titles[row.model_b]}"),
        Cell(count(row.n)),
        Cell(words.hundred(row.difference) + ("*" if found else "")),
        Cell(words.hundred_interval(row.low, row.high) or MISSING),
        Cell(p_number(row.p_bootstrap)),
        Cell(p_number(row.p_holm)),
        Cell(p_number(row.p_williams)),
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
