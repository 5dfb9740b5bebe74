"""The cells of sweeps, ours beside published ones: what the tables of sweeps and of their reduction show."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.compare.best_of_groups import best_of_groups
from sentflow.report.families.training.means import NOTHING, SeedMean, seed_means
from sentflow.report.families.training.published import AXES, PublishedCell, published_cells
from sentflow.report.families.training.rows import ALIGNMENT, SPEARMAN, UNIFORMITY, TrainingRow
from sentflow.training.settings import NOT_APPLICABLE, NOT_RUN, VALUE

# How a list of our cells is handed to a table: the group, whether it is to be run, and its place on the axes
OUR_COLUMNS = ("group", "state", *AXES)


@dataclass(frozen=True)
class SweepCell:
    """A place in the grid of a sweep; undefined numbers NaN, scores as correlations."""

    # sweep, section: where it belongs; the section is that of the source
    sweep: str
    section: str
    # start, data, method, max_tokens, learning_rate: its place
    start: str
    data: str
    method: str
    max_tokens: int
    learning_rate: float
    # published_…: see `PublishedCell`; all "?" where the source has no such cell
    published_dev: float
    published_test: float
    published_scores: str
    published_uniformity: float
    published_alignment: float
    published_geometry: str
    group: str  # our encoder without the seed; empty where our sweep has no such cell
    state: str  # `VALUE` where we have a development score, `NOT_RUN` or `NOT_APPLICABLE`
    # dev, test, uniformity, alignment, n_seeds: ours: means over seeds of the chosen snapshots
    dev: float
    test: float
    uniformity: float
    alignment: float
    n_seeds: int

    @property
    def row(self) -> tuple[Any, ...]:
        """What a learning rate is chosen for."""
        return self.section, self.start, self.data, self.method, self.max_tokens


def sweep_cells(sweep: Mapping[str, Any], rows: Sequence[TrainingRow]) -> list[SweepCell]:
    """The published cells in the order of the source, then ours that nobody published.

    `sweep`: ``name``; ``development`` and ``test``, pair sets; ``cells``, lists in the order of `OUR_COLUMNS`;
    ``published``, an entry of the catalog with the rows that are meant, or nothing.
    """
    means = seed_means(rows)
    ours = {
        _place(cell): cell for cell in (dict(zip(OUR_COLUMNS, one, strict=True)) for one in sweep["cells"])
    }
    published = published_cells(sweep["published"]) if "published" in sweep else []
    theirs = {cell.place for cell in published}
    found = [_joined(sweep, cell, ours.get(cell.place), means) for cell in published]
    return found + [
        _joined(sweep, _not_published(cell), cell, means)
        for place, cell in ours.items()
        if place not in theirs
    ]


@dataclass(frozen=True)
class ReducedRow:
    """The best of the learning rates of a group, published and ours; undefined numbers NaN."""

    sweep: str
    section: str
    start: str
    data: str
    method: str
    max_tokens: int
    # published_learning_rate, published_dev, published_test, published_n: of the published cell with the best
    # development score, and of how many it is the best
    published_learning_rate: float
    published_dev: float
    published_test: float
    published_n: int
    # learning_rate, dev, test, n, n_seeds, winner: of ours, means over seeds; our encoder without its seed
    learning_rate: float
    dev: float
    test: float
    n: int
    n_seeds: int
    winner: str


def reduced(cells: Sequence[SweepCell]) -> list[ReducedRow]:
    """One row per group of cells, in order; a group of which nothing was run has a row without values."""
    theirs = {
        one.row: one
        for one in best_of_groups(cells, group=lambda cell: cell.row, score=lambda cell: cell.published_dev)
    }
    ours = {
        one.row: one
        for one in best_of_groups(cells, group=lambda cell: cell.row, score=lambda cell: cell.dev)
    }
    rows = []
    for key in dict.fromkeys(cell.row for cell in cells):
        members = [cell for cell in cells if cell.row == key]
        first, published, own = members[0], theirs.get(key), ours.get(key)
        rows.append(
            ReducedRow(
                sweep=first.sweep,
                section=first.section,
                start=first.start,
                data=first.data,
                method=first.method,
                max_tokens=first.max_tokens,
                published_learning_rate=published.learning_rate if published else math.nan,
                published_dev=published.published_dev if published else math.nan,
                published_test=published.published_test if published else math.nan,
                published_n=sum(not math.isnan(cell.published_dev) for cell in members),
                learning_rate=own.learning_rate if own else math.nan,
                dev=own.dev if own else math.nan,
                test=own.test if own else math.nan,
                n=sum(not math.isnan(cell.dev) for cell in members),
                n_seeds=own.n_seeds if own else 0,
                winner=own.group if own else "",
            )
        )
    return rows


def _place(cell: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(cell[axis] for axis in AXES)


def _not_published(cell: Mapping[str, Any]) -> PublishedCell:
    place = {axis: cell[axis] for axis in AXES}
    numbers: dict[str, Any] = dict.fromkeys(("dev", "test", "uniformity", "alignment"), math.nan)
    return PublishedCell(section="", **place, **numbers, scores=NOT_RUN, geometry=NOT_RUN)


def _joined(
    sweep: Mapping[str, Any],
    published: PublishedCell,
    ours: Mapping[str, Any] | None,
    means: Mapping[tuple[str, str, str], SeedMean],
) -> SweepCell:
    group = str(ours["group"]) if ours else ""
    development, test = sweep.get("development", ""), sweep.get("test", "")
    dev = means.get((group, development, SPEARMAN), NOTHING)
    state = VALUE if dev.n_seeds else NOT_RUN
    return SweepCell(
        sweep=sweep["name"],
        section=published.section,
        **{axis: getattr(published, axis) for axis in AXES},
        published_dev=published.dev,
        published_test=published.test,
        published_scores=published.scores,
        published_uniformity=published.uniformity,
        published_alignment=published.alignment,
        published_geometry=published.geometry,
        group=group,
        state=NOT_APPLICABLE if ours and ours["state"] == NOT_APPLICABLE else state,
        dev=dev.value,
        test=means.get((group, test, SPEARMAN), NOTHING).value,
        uniformity=means.get((group, test, UNIFORMITY), NOTHING).value,
        alignment=means.get((group, test, ALIGNMENT), NOTHING).value,
        n_seeds=dev.n_seeds,
    )
