"""The figures by name: what rows each is drawn from, where these come from, and by what it is drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from sentflow.compare.rows import PairRow
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import ConfigError
from sentflow.files.rows import read_rows, write_rows
from sentflow.report import comparison_data
from sentflow.report.comparison_data import MatchRow, RankingRow
from sentflow.report.costs import bars as cost_bars
from sentflow.report.costs import pareto
from sentflow.report.costs.encoder_rows import EncoderRow
from sentflow.report.families.geometry import association, association_figure, plane, spectrum, truncation
from sentflow.report.families.probing import curves, differences, forest, heatmap, rankings, wins
from sentflow.report.families.similarity import histograms
from sentflow.report.families.similarity.rows import (
    AssociationRow,
    HistogramRow,
    PlaneRow,
    SpectrumRow,
    TruncationRow,
)
from sentflow.report.figure import canvas
from sentflow.report.rows import CostRow, CurveRow


@dataclass(frozen=True)
class Recipe:
    """How a figure is made.

    Attributes
    ----------
    kind
        Of its rows: one Parquet file of them is all that it takes to draw it again.
    draw
        Rows to figure.
    gather
        Rows from several files of the experiment, by the names of these files; None where one file holds them.
    may_be_empty
        Whether no rows are a figure too, which says so.
    """

    kind: type[Any]
    draw: Callable[[Sequence[Any]], Figure]
    gather: Callable[[dict[str, Path]], Sequence[Any]] | None = None
    may_be_empty: bool = False


SIMILARITY_RECIPES: dict[str, Recipe] = {
    "alignment-uniformity": Recipe(PlaneRow, plane.draw, association.read_plane, True),
    "similarity-histograms": Recipe(HistogramRow, histograms.draw, may_be_empty=True),
    "spectrum": Recipe(SpectrumRow, spectrum.draw, may_be_empty=True),
    "truncation": Recipe(TruncationRow, truncation.draw, may_be_empty=True),
    "geometry-and-scores": Recipe(
        AssociationRow, association_figure.draw, association.read_associations, True
    ),
}
RECIPES: dict[str, Recipe] = {
    "heatmap": Recipe(ScoreRow, heatmap.draw),
    "forest": Recipe(ScoreRow, forest.draw),
    "curves": Recipe(CurveRow, curves.draw),
    "costs": Recipe(CostRow, cost_bars.draw),
    "sizes": Recipe(EncoderRow, pareto.draw_sizes),
    "speed": Recipe(EncoderRow, pareto.draw_speed),
    "differences": Recipe(PairRow, differences.draw, may_be_empty=True),
    "critical-difference": Recipe(
        RankingRow, rankings.draw_critical_difference, comparison_data.read_ranking, True
    ),
    "ranks": Recipe(RankingRow, rankings.draw_ranks, comparison_data.read_ranking, True),
    "wins": Recipe(MatchRow, wins.draw, comparison_data.read_matches, True),
    **SIMILARITY_RECIPES,
}
FIGURES = tuple(RECIPES)


def draw(name: str, *files: Path, data: Path | None = None) -> Figure:
    """Draw a figure from one Parquet file of its rows, or from the files of the experiment that it needs.

    Parameters
    ----------
    name
        Of the figure.
    files
        One file with the rows of this figure, or several, told apart by their names.
    data
        Where to write the rows, from which the figure can be drawn again.

    Raises
    ------
    ConfigError
        There is no such figure.
    DataError
        A file is missing or not of the kind that the figure needs.
    """
    if name not in RECIPES:
        raise ConfigError(f"report.figures: there is no figure {name!r}. Write one of: {', '.join(FIGURES)}.")
    recipe = RECIPES[name]
    if recipe.gather is None or len(files) == 1:
        rows = read_rows(files[0], recipe.kind, may_be_empty=recipe.may_be_empty)
    else:
        rows = list(recipe.gather(comparison_data.by_stem(files)))
    if data is not None:
        write_rows(data, recipe.kind, rows)
    with canvas.style():
        return recipe.draw(rows)
