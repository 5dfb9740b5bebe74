"""The table of scores that papers give, beside ours."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.compare.score_rows import ScoreRow
from sentflow.files.rows import row_from
from sentflow.report import captions
from sentflow.report.numbers import MISSING, count, decimal, interval, percent
from sentflow.report.rows import data_note
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.maker import made_of
from sentflow.report.table.table import Cell, Table


@dataclass(frozen=True)
class PublishedScore:
    """A score that somebody published, and ours. Undefined numbers are NaN.

    Attributes
    ----------
    published
        In the metric of the task, on our scale (1 is perfect).
    source
        Where it is reported, e.g. a paper and its table.
    mean, difference
        Ours, and ours less the published one.
    repeatability_low, repeatability_high, generalisation_low, generalisation_high
        Of ours, see `ScoreRow`.
    """

    task: str
    model: str
    model_title: str
    metric: str
    n_balanced_rows: int
    published: float
    mean: float
    difference: float
    repeatability_low: float
    repeatability_high: float
    generalisation_low: float
    generalisation_high: float
    source: str


def beside_ours(entries: Sequence[Mapping[str, Any]], rows: Sequence[ScoreRow]) -> list[PublishedScore]:
    """The entries of ``report.published`` whose task and encoder were scored, in their order."""
    score_of = {(row.task, row.model): row for row in rows}
    return [
        row_from(
            PublishedScore,
            vars(row),
            published=float(entry["value"]),
            difference=row.mean - float(entry["value"]),
            source=entry["source"],
        )
        for entry in entries
        if (row := score_of.get((entry["task"], entry["model"]))) is not None
    ]


def published_table(rows: Sequence[ScoreRow], title: str, entries: Sequence[Mapping[str, Any]] = ()) -> Table:
    """One line per published score."""
    found = beside_ours(entries, rows)
    return table_of_cells(
        name="published",
        caption=f"{title}: published scores and ours.",
        notes=(
            data_note(rows),
            captions.design_note(rows),
            f"Repeatability ({percent(rows[0].repeatability_level)}): {captions.REPEATABILITY}. A score "
            "published for the same texts, vectors and protocol should be in it, or near it if it was shuffled in "
            "another way.",
            f"Generalisation ({percent(rows[0].level)}): {captions.generalisation(rows)}. A score on other "
            "texts of the same population has an error of its own, and may be outside it a little more often.",
            "n: rows left when all classes are cut to the size of the smallest. MDD: defined for a pair "
            "on a task, see "
            "table of differences.",
        ),
        header=(
            *("Task", "Encoder", "Metric", "n", "Published", "Ours", "Difference"),
            *("Repeatability", "Generalisation", "Source"),
        ),
        alignment=("l", "w3.6", "l", "r", "r", "r", "r", "c", "c", "w3.6"),
        groups=(Group("", tuple(_line(score) for score in found)),),
        tidy_header=names_of(PublishedScore),
        tidy_rows=records_of(found),
    )


def _line(score: PublishedScore) -> tuple[Cell, ...]:
    unknown = math.isnan(score.mean)
    return (
        Cell(score.task),
        Cell(score.model_title),
        Cell(captions.metric_name(score.metric)),
        Cell(count(score.n_balanced_rows)),
        Cell(decimal(score.published)),
        Cell(decimal(score.mean)),
        Cell(MISSING if unknown else decimal(score.difference)),
        Cell(interval(score.repeatability_low, score.repeatability_high)),
        Cell(interval(score.generalisation_low, score.generalisation_high)),
        Cell(score.source),
    )


table = made_of(ScoreRow, published_table, published=True)
