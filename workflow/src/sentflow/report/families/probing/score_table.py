"""The table of scores: task × encoder, with what tests say of each score."""

import math
from collections.abc import Sequence
from dataclasses import astuple, replace

from sentflow.compare.comparisons import Comparisons, detectable, n_needed
from sentflow.compare.marks import Marks
from sentflow.compare.protocol_groups import by_protocol
from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.rows import average_score
from sentflow.report.numbers import MISSING, about, count, decimal, interval
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.maker import made_of
from sentflow.report.table.table import Cell, Table, crossed

# what the CSV of scores says of tests, behind the columns of the summary
STANDING_NAMES = ("rank", "is_best", "not_worse", "letter", "better_than", "mdd_power", "n_needed")


def scores_table(rows: Sequence[ScoreRow], title: str, comparisons: Comparisons | None = None) -> Table:
    """Task × model with generalisation intervals; an average only for models that have all tasks.

    With comparisons the best score is bold and what is not significantly worse underlined; without, nothing is.
    """
    tested = comparisons if comparisons and comparisons.pairs else None
    models = unique(row.model for row in rows)
    found = {(row.task, row.model): row for row in rows}
    model_titles = {row.model: row.model_title for row in rows}
    line = ScoreLine(found, models, tested)
    groups, averages = [], []
    for protocol, own in by_protocol(rows).items():
        apart = captions.of_protocol(protocol, rows)
        for family in unique(row.family for row in own):
            members = unique(row.task for row in own if row.family == family)
            lines = tuple(line.cells(task) for task in members)
            groups.append(Group(captions.family_name(family) + apart, lines))
        tasks = unique(row.task for row in own)
        if len(tasks) > 1:
            means = [_average(found, tasks, model) for model in models]
            heading = [Cell(f"Average of {len(tasks)} tasks{apart}"), *[Cell("")] * (line.lead - 1)]
            groups.append(Group("", ((*heading, *means),)))
            averages += means
    of_details = [
        captions.interval_note(rows),
        "n: rows left when all classes are cut to the size of the smallest.",
    ]
    notes = [
        data_note(rows),
        captions.design_note(rows),
        captions.metric_note(rows),
        *of_details,
    ]
    if tested:
        of_details.append(captions.detectable_note(tested.pairs[0].alpha))
        of_details += remarks.unbalanced_notes(rows)
        notes += [captions.test_note(tested.pairs), *of_details[2:]]
    else:
        notes.append(captions.NO_TEST)
    notes += remarks.score_notes(rows) + remarks.shared_notes(rows)
    if any(row.degenerate for row in rows):
        notes.append(captions.DEGENERATE)
    if any(average.text == MISSING for average in averages):
        notes.append(f"{MISSING} Not computed; a model that lacks a task has no average.")
    return table_of_cells(
        name="scores",
        caption=f"{title}: score of each encoder on each task.",
        notes=tuple(notes),
        header=(
            "Task",
            "Metric",
            "n",
            *(("MDD", captions.N_NEEDED) if tested else ()),
            *(model_titles[model] for model in models),
        ),
        alignment=("l", "l", "r", *(("r", "r") if tested else ()), *["c"] * len(models)),
        groups=tuple(groups),
        tidy_header=names_of(ScoreRow) + (STANDING_NAMES if tested else ()),
        tidy_rows=with_standings(rows, tested) if tested else records_of(rows),
        header_letters=(*[""] * line.lead, *line.marks.letters.values()) if tested else (),
        lead=line.lead,
        matrix=crossed(
            rows, by=("task",), across="model", value="mean", notes=_compact_notes(notes, of_details)
        ),
    )


def _compact_notes(notes: Sequence[str], left_out: Sequence[str]) -> tuple[str, ...]:
    """Of a table without intervals, sizes and letters."""
    return tuple(note.removesuffix(captions.LETTERS).rstrip() for note in notes if note not in left_out)


class ScoreLine:
    """The cells of the lines of the table of scores."""

    def __init__(
        self, found: dict[tuple[str, str], ScoreRow], models: list[str], tested: Comparisons | None
    ) -> None:
        self.marks = Marks(tested.pairs if tested else [], models)
        self.lead = 5 if tested else 3
        self._found, self._models, self._tested = found, models, tested

    def cells(self, task: str) -> tuple[Cell, ...]:
        """The line of a task."""
        row = next(self._found[task, model] for model in self._models if (task, model) in self._found)
        label = [
            Cell(task + remarks.score_marks(row)),
            Cell(captions.metric_name(row.metric)),
            Cell(count(row.n_balanced_rows)),
        ]
        if self._tested:
            mdd = detectable(self._tested.pairs, task)
            label += [Cell(decimal(mdd)), Cell(about(n_needed(row.n_balanced_rows, mdd)))]
        return (*label, *(self._score(task, model) for model in self._models))

    def _score(self, task: str, model: str) -> Cell:
        cell = score_cell(self._found.get((task, model)))
        if self._tested is None or cell.text == MISSING:
            return cell
        return replace(cell, mark=self.marks.mark(task, model), letters=self.marks.raised(task, model))


def score_cell(row: ScoreRow | None) -> Cell:
    """``0.506 [0.479, 0.533]``, perhaps with marks; words for an interval that means nothing; a dash for no row."""
    if row is not None and row.has_too_few_documents:
        return Cell(decimal(row.mean) + remarks.score_mark(row), captions.TOO_FEW_DOCUMENTS)
    if row is None or math.isnan(row.mean):
        return Cell(MISSING)
    text = decimal(row.mean) + remarks.score_mark(row)
    if row.degenerate:
        return Cell(f"{text}†")
    return Cell(text, interval(*row.shown_generalisation))


def with_standings(
    rows: Sequence[ScoreRow], tested: Comparisons
) -> tuple[tuple[str | int | float | bool | None, ...], ...]:
    """Tidy records: the columns of the rows, then `STANDING_NAMES`."""
    marks = Marks(tested.pairs, unique(row.model for row in rows))
    standings = {(row.task, row.model): row for row in tested.standings}
    records = []
    for row in rows:
        standing = standings.get((row.task, row.model))
        lower = " ".join(marks.letters[other] for other in marks.beaten(row.task, row.model))
        places = (standing.rank, standing.is_best, standing.not_worse) if standing else (None, None, None)
        mdd = detectable(tested.pairs, row.task)
        needed = n_needed(row.n_balanced_rows, mdd)
        records.append((*astuple(row), *places, marks.letters[row.model], lower, mdd, needed))
    return tuple(records)


def _average(found: dict[tuple[str, str], ScoreRow], tasks: list[str], model: str) -> Cell:
    rows = [found[task, model] for task in tasks if (task, model) in found]
    return Cell(decimal(average_score(rows, len(tasks))))


table = made_of(ScoreRow, scores_table, Comparisons)
