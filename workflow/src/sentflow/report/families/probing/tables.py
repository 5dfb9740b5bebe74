"""The tables of an experiment, as rows of cells that any format can print."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.compare.comparisons import Comparisons, detectable
from sentflow.compare.rows import SimilarityDifference
from sentflow.compare.score_rows import EffectRow, ScoreRow
from sentflow.errors import ConfigError
from sentflow.files.rows import read_rows
from sentflow.report import captions
from sentflow.report.comparison_tables import differences_table, matches_table, power_table, ranks_table
from sentflow.report.costs.encoder_rows import EncoderRow
from sentflow.report.costs.encoders_table import encoders_table
from sentflow.report.families.geometry.tables import alignments_table, geometry_table
from sentflow.report.families.probing import remarks
from sentflow.report.families.probing.document_table import documents_table
from sentflow.report.families.probing.protocol_table import protocols_table
from sentflow.report.families.probing.published_table import published_table
from sentflow.report.families.probing.score_table import score_cell, scores_table
from sentflow.report.families.similarity.rows import AlignmentRow, GeometryRow, RegressionRow, SimilarityRow
from sentflow.report.families.similarity.sts_table import sts_table
from sentflow.report.families.similarity.tables import differences_table as similarity_differences_table
from sentflow.report.families.similarity.tables import regressions_table, subsets_table
from sentflow.report.numbers import MISSING, count, decimal, duration, interval, memory, percent
from sentflow.report.rows import CostRow, unique
from sentflow.report.table.cells import Cell, Group, Table, names_of, records_of


def intervals_table(rows: Sequence[ScoreRow], title: str, comparisons: Comparisons | None = None) -> Table:
    """Repeatability, generalisation and, where predictions were resampled, the item-level interval of every score."""
    items = any(not math.isnan(row.item_low) for row in rows)
    clipped = not all(row.clips for row in rows)
    pairs = comparisons.pairs if comparisons else []
    groups = []
    for task in unique(row.task for row in rows):
        members = [row for row in rows if row.task == task]
        first = members[0]
        mdd = detectable(pairs, task)
        known = "" if math.isnan(mdd) else f", MDD {decimal(mdd)}"
        heading = (
            f"{task}: {first.task_title} ({captions.metric_name(first.metric)}, n = {count(first.n_balanced_rows)}"
            f"{known})"
        )
        lines = []
        for row in members:
            line = list(_interval_line(row))
            if items:
                line.insert(4, _item_cell(row))
            lines.append((*line, Cell(decimal(row.mean_clipped))) if clipped else tuple(line))
        groups.append(Group(heading, tuple(lines)))
    notes = [
        captions.data_note(rows),
        captions.design_note(rows),
        f"Repeatability ({percent(rows[0].repeatability_level)}): {captions.REPEATABILITY}.",
        f"Generalisation ({percent(rows[0].level)}): {captions.GENERALISATION}.",
        "Ratio: width of the second over width of the first.",
        "Limits are cut to the range of the metric; the CSV file has them as they were computed.",
        "n: rows left when all classes are cut to the size of the smallest.",
    ]
    if items:
        drawn = "documents" if any(row.item_grouped for row in rows) else "texts"
        notes.append(
            f"Item-level ({percent(rows[0].level)}): {captions.ITEM_LEVEL}; {drawn} are drawn."
            + (" Where rows share no document, texts." if drawn == "documents" else "")
        )
    if pairs:
        notes.append(captions.detectable_note(pairs[0].alpha))
    if any(row.degenerate for row in rows):
        notes.append(captions.DEGENERATE)
    if clipped:
        notes.append(
            "Clipped: the mean if fold scores below 0 counted as 0, as under the published protocol."
        )
    return Table(
        name="intervals",
        caption=f"{title}: the intervals of every score and what each answers.",
        notes=tuple(notes),
        header=(
            *("Encoder", "Score", "Repeatability", "Generalisation"),
            *(("Item-level",) if items else ()),
            *("Ratio",),
            *(("Clipped",) if clipped else ()),
        ),
        alignment=("w4.2", "r", "c", "c", *(("c",) if items else ()), "r", *(("r",) if clipped else ())),
        groups=tuple(groups),
        tidy_header=names_of(ScoreRow),
        tidy_rows=records_of(rows),
    )


def tasks_table(rows: Sequence[ScoreRow], title: str, _comparisons: Comparisons | None = None) -> Table:
    """What each task is: metric, probe, layout, rows and data."""
    first = [next(row for row in rows if row.task == task) for task in unique(row.task for row in rows)]
    names = (
        "task", "task_title", "family", "metric", "classifier", "layout",
        "n_classes", "n_rows", "n_balanced_rows", "n_train", "n_contradicting", "data_version",
    )  # fmt: skip
    groups = [
        Group(captions.family_name(family), tuple(_task_line(row) for row in first if row.family == family))
        for family in unique(row.family for row in first)
    ]
    return Table(
        name="tasks",
        caption=f"{title}: the tasks.",
        notes=(
            captions.data_note(rows),
            captions.metric_note(rows),
            "n: rows left when all classes are cut to the size of the smallest.",
            *remarks.notes(first),
        ),
        header=("Task", "Title", "Metric", "Probe", "Input", "Classes", "Rows", "n", "Data"),
        alignment=("l", "w3.6", "l", "w1.9", "w2.2", "r", "r", "r", "l"),
        groups=tuple(groups),
        tidy_header=names,
        tidy_rows=tuple(tuple(getattr(row, name) for name in names) for row in first),
    )


def costs_table(rows: Sequence[CostRow], title: str) -> Table:
    """Time and memory per rule, the longest first."""
    ordered = sorted(rows, key=lambda row: (-row.wall_seconds, row.rule))
    notes = [
        captions.data_note(rows),
        "Times are sums over jobs; jobs that ran side by side took less time on the clock. Start "
        "and end are UTC, by the "
        "dates of the benchmark files: what ran again counts with its last run.",
    ]
    unmeasured = sum(row.unmeasured_jobs for row in rows)
    if unmeasured:
        notes.append(
            f"{count(unmeasured)} of {count(sum(row.jobs for row in rows))} jobs ended before their "
            "CPU time and memory could be measured."
        )
    return Table(
        name="costs",
        caption=f"{title}: time and memory per rule.",
        notes=tuple(notes),
        header=("Rule", "Jobs", "Time", "CPU time", "Largest memory", "First start", "Last end"),
        alignment=("l", "r", "r", "r", "r", "l", "l"),
        groups=(Group("", tuple(_cost_line(row) for row in ordered)),),
        tidy_header=names_of(CostRow),
        tidy_rows=records_of(ordered),
    )


def read_table(
    name: str,
    *summaries: Path,
    caption: str,
    comparisons: Sequence[Path] = (),
    published: Sequence[Mapping[str, Any]] = (),
) -> Table:
    """The table of that name from the summary file that it is made of, and what was compared.

    Parameters
    ----------
    name
        Of the table.
    summaries
        Its summary file; one per protocol for the table of a study.
    caption
        How the caption begins.
    comparisons
        The files of `compare` that the table needs.
    published
        The entries of ``report.published`` for the table of that name; those of
        ``catalog/published_similarity.yaml`` for the tables ``sts`` and ``alignments``.

    Raises
    ------
    ConfigError
        There is no such table.
    DataError
        The file is not of the kind that the table needs.
    """
    if name in SCORE_TABLES:
        scores = read_rows(summaries[0], ScoreRow)
        return SCORE_TABLES[name](scores, caption, Comparisons.read(comparisons))
    if name == PUBLISHED:
        return published_table(read_rows(summaries[0], ScoreRow), caption, published)
    if name in STUDY_TABLES:
        return STUDY_TABLES[name]([row for file in summaries for row in read_rows(file, EffectRow)], caption)
    if name in COST_TABLES:
        return COST_TABLES[name](read_rows(summaries[0], CostRow), caption)
    if name in ENCODER_TABLES:
        return ENCODER_TABLES[name](read_rows(summaries[0], EncoderRow), caption)
    if name in SIMILARITY_TABLES:
        return similarity_table(name, summaries[0], caption, comparisons, published)
    raise ConfigError(f"report.tables: there is no table {name!r}. Write one of: {', '.join(TABLES)}.")


def similarity_table(
    name: str,
    summary: Path,
    caption: str,
    comparisons: Sequence[Path] = (),
    published: Sequence[Mapping[str, Any]] = (),
) -> Table:
    """One of `SIMILARITY_TABLES`.

    Parameters
    ----------
    summary
        Of similarity, regressions, alignments or geometry.
    comparisons
        What `compare_similarity` wrote, for the tables that need it.
    published
        What ``catalog/published_similarity.yaml`` holds for the table.
    """
    if name in ("sts", "sts-subsets", "sts-differences"):
        rows = read_rows(summary, SimilarityRow)
        if name == "sts-subsets":
            return subsets_table(rows, caption)
        found = [
            row for file in comparisons for row in read_rows(file, SimilarityDifference, may_be_empty=True)
        ]
        if name == "sts-differences":
            return similarity_differences_table(rows, caption, found)
        return sts_table(rows, caption, found, published)
    if name == "regressions":
        return regressions_table(read_rows(summary, RegressionRow), caption)
    if name == "alignments":
        return alignments_table(read_rows(summary, AlignmentRow), caption, published)
    return geometry_table(read_rows(summary, GeometryRow), caption)


SCORE_TABLES: dict[str, Callable[[Sequence[ScoreRow], str, Comparisons], Table]] = {
    "scores": scores_table,
    "intervals": intervals_table,
    "tasks": tasks_table,
    "differences": differences_table,
    "ranks": ranks_table,
    "matches": matches_table,
    "power": power_table,
}
COST_TABLES: dict[str, Callable[[Sequence[CostRow], str], Table]] = {"costs": costs_table}
ENCODER_TABLES: dict[str, Callable[[Sequence[EncoderRow], str], Table]] = {"encoders": encoders_table}
STUDY_TABLES: dict[str, Callable[[Sequence[EffectRow], str], Table]] = {
    "protocols": protocols_table,
    "documents": documents_table,
}
PUBLISHED = "published"
SIMILARITY_TABLES = ("sts", "sts-subsets", "sts-differences", "regressions", "alignments", "geometry")
TABLES = (*SCORE_TABLES, PUBLISHED, *STUDY_TABLES, *COST_TABLES, *ENCODER_TABLES, *SIMILARITY_TABLES)


def _interval_line(row: ScoreRow) -> tuple[Cell, ...]:
    score = score_cell(row)
    if row.degenerate or math.isnan(row.mean):
        return (Cell(row.model_title), Cell(score.text), Cell(MISSING), Cell(MISSING), Cell(MISSING))
    narrow = row.repeatability_high - row.repeatability_low
    wide = row.generalisation_high - row.generalisation_low
    return (
        Cell(row.model_title),
        Cell(score.text),
        Cell(interval(*row.shown_repeatability)),
        Cell(score.detail),
        Cell(decimal(wide / narrow, 1) if narrow > 0 else MISSING),
    )


def _item_cell(row: ScoreRow) -> Cell:
    """A number of its own: all predictions together are not scored as fold by fold."""
    if row.degenerate or math.isnan(row.item_low):
        return Cell(MISSING)
    return Cell(decimal(row.item_mean), interval(*row.shown_items))


def _task_line(row: ScoreRow) -> tuple[Cell, ...]:
    return (
        Cell(row.task + remarks.marks(row)),
        Cell(row.task_title),
        Cell(captions.metric_name(row.metric)),
        Cell(captions.CLASSIFIERS.get(row.classifier, row.classifier)),
        Cell(captions.LAYOUTS.get(row.layout, row.layout)),
        Cell(count(row.n_classes)),
        Cell(count(row.n_rows)),
        Cell(count(row.n_balanced_rows)),
        Cell(row.data_version),
    )


def _cost_line(row: CostRow) -> tuple[Cell, ...]:
    return (
        Cell(row.rule),
        Cell(count(row.jobs)),
        Cell(duration(row.wall_seconds)),
        Cell(duration(row.cpu_seconds)),
        Cell(memory(row.max_rss_mb)),
        Cell(row.started or MISSING),
        Cell(row.ended or MISSING),
    )
