"""Means over the seeds of trainings, and the cells of sweeps, ours beside published ones."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

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


# A place in the grid of a sweep: where it stands; the published values, see `PublishedCell`, all "?" where the source
# has no such cell; our encoder without the seed, empty where our sweep has no such cell, and `VALUE` where it has a
# development score, `NOT_RUN` or `NOT_APPLICABLE`; means over seeds of the chosen snapshots. Undefined numbers are NaN.
_SCORES = ("dev", "test", "scores", "uniformity", "alignment", "geometry")
SWEEP_CELL = (
    *("sweep", "section", *AXES, *(f"published_{name}" for name in _SCORES)),
    *("group", "state", "dev", "test", "uniformity", "alignment", "n_seeds"),
)
# The best of the learning rates of a group, published and ours, each by development score, and of how many; our encoder
_ROW = ("sweep", "section", "start", "data", "method", "max_tokens")
REDUCED = (
    *(*_ROW, "published_learning_rate", "published_dev", "published_test", "published_n"),
    *("learning_rate", "dev", "test", "n", "n_seeds", "winner"),
)


def sweep_cells(sweep: Mapping[str, Any], rows: Sequence[TrainingRow]) -> list[dict[str, Any]]:
    """The published cells in the order of the source, then ours that nobody published: each a `SWEEP_CELL`.

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
        state = NOT_APPLICABLE if own.get("state") == NOT_APPLICABLE else state
        found = {"sweep": sweep["name"], "section": cell.section, **dict(zip(AXES, cell.place, strict=True))}
        found |= {f"published_{name}": getattr(cell, name) for name in _SCORES}
        found |= {name: means.get((group, test, of), SeedMean()).value for name, of in measures.items()}
        cells.append(found | {"group": group, "state": state, "dev": dev.value, "n_seeds": dev.n_seeds})
    return cells


def reduced(cells: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A `REDUCED` row per group of cells, in order; a group of which nothing was run has a row without values."""
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for cell in cells:
        groups.setdefault(tuple(cell[name] for name in _ROW), []).append(cell)
    nothing = {"learning_rate": math.nan, "dev": math.nan, "test": math.nan, "n_seeds": 0, "group": ""}
    rows = []
    for place, members in groups.items():
        row = dict(zip(_ROW, place, strict=True))
        for before in ("published_", ""):
            scored = [cell for cell in members if not math.isnan(cell[f"{before}dev"])]
            best = max(scored, key=itemgetter(f"{before}dev"), default=None)
            row |= {
                f"{before}{name}": best[f"{before}{name}"] if best else math.nan for name in ("dev", "test")
            }
            row |= {f"{before}learning_rate": (best or nothing)["learning_rate"], f"{before}n": len(scored)}
        # the last turn was ours
        rows.append(row | {"n_seeds": (best or nothing)["n_seeds"], "winner": (best or nothing)["group"]})
    return rows
