"""Figures of the report drawn from results in memory, which a notebook shows."""

from collections.abc import Sequence
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def drawn(figure: str, rows: Sequence[Any]) -> "Figure":
    """A figure of the report by its name, from rows of its own kind; see `sentflow.report.figure.recipe.Recipe`."""
    from sentflow.flow import products
    from sentflow.flow.products import FIGURE
    from sentflow.report.figure import canvas

    with canvas.style():
        return shown(products.find(FIGURE, figure).load().draw(rows))


def shown(figure: "Figure") -> "Figure":
    """A figure that a notebook shows as the last value of a cell, whatever its back end is."""

    def png(figure: "Figure") -> bytes:
        stream = BytesIO()
        figure.savefig(stream, format="png", dpi=100, bbox_inches="tight")
        return stream.getvalue()

    # figures that were not made by pyplot have no picture in a notebook of their own
    figure._repr_png_ = partial(png, figure)  # type: ignore[attr-defined]
    return figure
