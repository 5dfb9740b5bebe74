"""The table of sub-sources: every correlation with its interval."""

import math
from collections.abc import Sequence

from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.numbers import MISSING, count
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.maker import made_of
from sentflow.report.table.table import Cell, Table

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
    return table_of_cells(
        name="sts-subsets",
        caption=f"{title}: similarity by sub-source ({words.protocol(shown)}; × 100).",
        notes=(
            data_note(shown),
            words.protocol_note(shown),
            words.interval_note(shown),
            words.drawn_note(
                {_name(row): row.drawn for row in shown if row.aggregation in ("subset", "all")}
            ),
            "n: scored pairs. Papers report “all”; “mean” and “weighted mean” (by pairs) are two other "
            "aggregations used in the "
            "literature and give different numbers.",
            "Nothing is marked here: tests are made on whole pair sets.",
            *words.warning_notes([row for row in shown if row.aggregation == "all"]),
        ),
        header=("Sub-source", "n", "Effective", *(titles[model] for model in models)),
        alignment=("l", "r", "r", *["c"] * len(models)),
        groups=tuple(groups),
        tidy_header=names_of(SimilarityRow),
        tidy_rows=records_of(rows),
        lead=3,
    )


def _name(row: SimilarityRow) -> str:
    """Of a pair set or sub-source: several sets have one called headlines."""
    return f"{row.pairs}: {row.subset}" if row.subset else row.pairs


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
    return (
        Cell(subset or _MORE.get(aggregation, aggregation)),
        Cell(count(first.n)),
        Cell(count(round(first.effective_pairs))),
        *cells,
    )


table = made_of(SimilarityRow, subsets_table)
