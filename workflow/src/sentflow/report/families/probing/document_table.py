"""The table of what holds for new documents: scores with folds of rows, and of documents that are kept together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sentflow.compare.comparisons import DocumentComparisons, detectable
from sentflow.compare.marks import Marks
from sentflow.compare.score_rows import DocumentScore, ScoreRow
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.score_table import STANDING_NAMES, score_cell, with_standings
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import counted, decimal, listed, percent, signed
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, table_of_cells
from sentflow.report.table.table import Cell, Table

_FEW_DOCUMENTS = 20


def documents_table(
    rows: Sequence[DocumentScore],
    title: str,
    comparisons: DocumentComparisons,
    split: Sequence[ScoreRow],
) -> Table:
    """A block per task that names documents, a line per encoder.

    Parameters
    ----------
    rows
        Scores with documents kept together.
    title
        How the caption begins.
    comparisons
        Tests on the folds of `rows`.
    split
        Scores of the experiment's protocol, of these and perhaps other tasks.
    """
    found = {(row.task, row.model): row for row in split}
    models = unique(row.model for row in rows)
    marks = Marks(comparisons.pairs, models)
    groups = []
    for task in unique(row.task for row in rows):
        own = [row for row in rows if row.task == task]
        lines = tuple(_line(row, found[task, row.model], marks) for row in own)
        groups.append(Group(_heading(own[0], detectable(comparisons.pairs, task)), lines))
    first = rows[0]
    notes = [
        data_note(rows),
        captions.design_note(rows),
        captions.metric_note(rows),
        f"Same documents: as under {listed(unique(found[row.task, row.model].protocol for row in rows))}, "
        "rows are assigned to the folds one by one, "
        "so a probe may know the document of a row on which it is tested. New documents: all rows of a document are in "
        f"one fold ({captions.protocols_of(rows)}).",
        f"In brackets {percent(first.level)} generalisation intervals: for {captions.SAME_DOCUMENTS}, and for "
        f"{captions.NEW_DOCUMENTS}.",
        "Effective: how many documents of equal size carry as much information. The folds of the two columns are not "
        "the same, so the change has no interval.",
    ]
    if comparisons.pairs:
        notes += [f"{captions.test_note(comparisons.pairs)} All for new documents."]
        notes += [captions.detectable_note(comparisons.pairs[0].alpha, "texts of documents")]
    notes += remarks.training_notes(rows)
    notes += remarks.held_back_notes([*rows, *(found[row.task, row.model] for row in rows)])
    notes += captions.degenerate_notes([*rows, *(found[row.task, row.model] for row in rows)])
    notes += captions.too_few_documents_notes(rows)
    if any(row.effective_documents < _FEW_DOCUMENTS and not row.has_too_few_documents for row in rows):
        notes.append(
            f"With fewer than {_FEW_DOCUMENTS} effective documents, 95\u202f% intervals can cover the score in a large "
            "population of documents too rarely: in 89 to 93\u202f% of samples of 20 and 39 posts of HateBR."
        )
    return table_of_cells(
        name="documents",
        caption=f"{title}: scores for new texts of the same documents, and for new documents.",
        notes=tuple(notes),
        header=("Encoder", "Same documents", "New documents", "Change"),
        alignment=("l", "c", "c", "r"),
        groups=tuple(groups),
        tidy_header=names_of(DocumentScore) + STANDING_NAMES,
        tidy_rows=with_standings(rows, comparisons),
    )


def _heading(row: DocumentScore, mdd: float) -> str:
    rows = "" if row.is_untested else f", {captions.sizes(row.n_balanced_rows, mdd)}"
    return (
        f"{row.task}: {row.task_title} ({captions.metric_name(row.metric)}, {counted(row.n_documents, 'document')}, "
        f"{decimal(row.effective_documents, 1)} effective{rows})"
    )


def _line(row: DocumentScore, split: ScoreRow, marks: Marks) -> tuple[Cell, ...]:
    place = (row.task, row.model)
    return (
        Cell(row.model_title, letters=marks.letters[row.model]),
        score_cell(split),
        replace(score_cell(row), mark=marks.mark(*place), letters=marks.raised(*place)),
        Cell(signed(row.mean - split.mean)),
    )


def table(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """The table of the files of an experiment."""
    return documents_table(
        inputs.rows(DocumentScore),
        settings["caption"],
        inputs.together(DocumentComparisons),
        inputs.rows(ScoreRow),
    )
