"""Means over the seeds of trainings, and the cells of sweeps, ours beside published ones."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sentflow.compare.best_of_groups import best_of_groups
from sentflow.files.rows import row_from
from sentflow.report.families.training.rows import ALIGNMENT, SPEARMAN, TEST, UNIFORMITY, TrainingRow
from sentflow.report.rows import grouped, is_sample
from sentflow.similarity.measures import SEVEN_TASKS, seven_task_average
from sentflow.training.settings import NOT_APPLICABLE, NOT_RUN, VALUE


class SeedMean(NamedTuple):
    """The mean of the chosen snapshots over the seeds of a group."""

    value: float = math.nan
    n_seeds: int = 0


def seed_means(rows: Iterable[TrainingRow]) -> dict[tuple[str, str, str], SeedMean]:
    """(Group, pair set, measure) → the mean of its chosen snapshots; an undefined score makes the mean undefined."""
    chosen = grouped((row for row in rows if row.selected), "group", "pairs", "measure")
    return {key: _mean({row.seed: row.value for row in own}.values()) for key, own in chosen.items()}


def means_of_columns(rows: Iterable[TrainingRow], average: str) -> dict[str, dict[str, SeedMean]]:
    """Group → column of the seven English sets → mean × 100 over seeds; `average` names that of each seed.

    Only Spearman's correlations of chosen snapshots on test parts of real data count.
    """
    shown = [
        row
        for row in rows
        if row.selected and row.split == TEST and row.measure == SPEARMAN
        if row.column in SEVEN_TASKS and not is_sample(row.data_version)
    ]
    means = {}
    for group, own in grouped(shown, "group").items():
        seeds = [{row.column: row.value for row in one} for one in grouped(own, "seed").values()]
        columns = [column for column in SEVEN_TASKS if any(column in seed for seed in seeds)]
        means[group] = {
            column: _mean([100 * seed[column] for seed in seeds if column in seed]) for column in columns
        }
        means[group][average] = _mean([seven_task_average(seed) for seed in seeds])
    return means


def _mean(values: Iterable[float]) -> SeedMean:
    known = list(values)
    return SeedMean(math.fsum(known) / len(known), len(known))


# --- cells -------------------------------------------------------------------------------------------------

AXES = ("start", "data", "method", "max_tokens", "learning_rate")
# How a list of our cells is handed to a table: the group, whether it is to be run, and its place on the axes
OUR_COLUMNS = ("group", "state", *AXES)


@dataclass(frozen=True)
class PublishedCell:
    """A training that others published."""

    section: str  # part of the source
    # start, data, method, max_tokens, learning_rate: where it stands in the grid; data empty and learning rate NaN
    # where they do not apply
    start: str
    data: str
    method: str
    max_tokens: int
    learning_rate: float
    # dev, test, scores: Spearman's correlations in [-1, 1], NaN without value; `VALUE`, `NOT_RUN` or `NOT_APPLICABLE`
    dev: float
    test: float
    scores: str
    # uniformity, alignment, geometry: likewise
    uniformity: float
    alignment: float
    geometry: str

    @property
    def place(self) -> tuple[Any, ...]:
        """Its values on `AXES`."""
        return tuple(getattr(self, axis) for axis in AXES)


def published_cells(entry: Mapping[str, Any]) -> list[PublishedCell]:
    """The cells of an entry of ``catalog/published_training.yaml``, whose null is an undefined number or no data."""
    return [row_from(PublishedCell, dict(zip(entry["columns"], row, strict=True))) for row in entry["rows"]]


@dataclass(frozen=True)
class SweepCell:
    """A place in the grid of a sweep; undefined numbers NaN, scores as correlations."""

    # sweep, section, start, data, method, max_tokens, learning_rate: where it stands; the section is of the source
    sweep: str
    section: str
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


_SCORES = ("dev", "test", "scores", "uniformity", "alignment", "geometry")


def sweep_cells(sweep: Mapping[str, Any], rows: Sequence[TrainingRow]) -> list[SweepCell]:
    """The published cells in the order of the source, then ours that nobody published.

    `sweep`: ``name``; ``development`` and ``test``, pair sets; ``cells``, lists in the order of `OUR_COLUMNS`;
    ``published``, an entry of the catalog with the rows that are meant, or nothing.
    """
    means = seed_means(rows)
    ours = {tuple(one[-len(AXES) :]): dict(zip(OUR_COLUMNS, one, strict=True)) for one in sweep["cells"]}
    published = published_cells(sweep["published"]) if "published" in sweep else []
    nothing: dict[str, Any] = dict.fromkeys(("dev", "test", "uniformity", "alignment"), math.nan)
    nothing |= {"section": "", "scores": NOT_RUN, "geometry": NOT_RUN}
    theirs = {cell.place for cell in published}
    pairs = [(cell, ours.get(cell.place, {})) for cell in published]
    pairs += [
        (row_from(PublishedCell, {**nothing, **own}), own)
        for place, own in ours.items()
        if place not in theirs
    ]
    cells = []
    for cell, own in pairs:
        group, development, test = own.get("group", ""), sweep.get("development", ""), sweep.get("test", "")
        dev = means.get((group, development, SPEARMAN), SeedMean())
        state = VALUE if dev.n_seeds else NOT_RUN
        measures = {"test": SPEARMAN, "uniformity": UNIFORMITY, "alignment": ALIGNMENT}
        known: dict[str, Any] = {
            **vars(cell),
            **{f"published_{name}": getattr(cell, name) for name in _SCORES},
            **{name: means.get((group, test, of), SeedMean()).value for name, of in measures.items()},
            "sweep": sweep["name"],
            "group": group,
            "state": NOT_APPLICABLE if own.get("state") == NOT_APPLICABLE else state,
            "dev": dev.value,
            "n_seeds": dev.n_seeds,
        }
        cells.append(row_from(SweepCell, known))
    return cells


@dataclass(frozen=True)
class ReducedRow:
    """The best of the learning rates of a group, published and ours; undefined numbers NaN."""

    sweep: str
    section: str
    start: str
    data: str
    method: str
    max_tokens: int
    # published_…: of the published cell with the best development score, and of how many it is the best
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


_ROW = ("section", "start", "data", "method", "max_tokens")  # what a learning rate is chosen for


def reduced(cells: Sequence[SweepCell]) -> list[ReducedRow]:
    """One row per group of cells, in order; a group of which nothing was run has a row without values."""
    rows = []
    for members in grouped(cells, *_ROW).values():
        theirs, ours = _best(members, "published_dev"), _best(members, "dev")
        rows.append(
            row_from(
                ReducedRow,
                vars(members[0]),
                published_learning_rate=theirs.learning_rate if theirs else math.nan,
                published_dev=theirs.published_dev if theirs else math.nan,
                published_test=theirs.published_test if theirs else math.nan,
                published_n=sum(not math.isnan(cell.published_dev) for cell in members),
                learning_rate=ours.learning_rate if ours else math.nan,
                dev=ours.dev if ours else math.nan,
                test=ours.test if ours else math.nan,
                n=sum(not math.isnan(cell.dev) for cell in members),
                n_seeds=ours.n_seeds if ours else 0,
                winner=ours.group if ours else "",
            )
        )
    return rows


def _best(cells: Sequence[SweepCell], score: str) -> SweepCell | None:
    best = best_of_groups(cells, group=lambda _: "", score=lambda cell: float(getattr(cell, score)))
    return best[0] if best else None
