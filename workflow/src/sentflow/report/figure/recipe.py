"""How a figure is made: what rows it is drawn from, by what, and what it says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from sentflow.files.rows import read_rows, write_rows
from sentflow.report.figure import canvas
from sentflow.report.figure.texts import FigureTexts
from sentflow.report.inputs import Inputs


@dataclass(frozen=True)
class Recipe:
    """How a figure is made."""

    kind: type[Any]  # of its rows: one Parquet file of them is everything needed to draw it again
    draw: Callable[[Sequence[Any]], Figure]  # rows to figure
    texts: Callable[[Sequence[Any]], FigureTexts]  # rows to what stands around the figure
    # gather: rows from the files of the experiment; None where they are those of one file
    gather: Callable[[Inputs], Sequence[Any]] | None = None
    may_be_empty: bool = False  # whether no rows are a figure too, which says so

    def rows(self, inputs: Inputs) -> Sequence[Any]:
        """The rows of the figure; none where there are no files of them."""
        return self.gather(inputs) if self.gather else inputs.rows_if_there(self.kind)

    def make(self, inputs: Inputs, reads: Sequence[str] = (), *, data: Path | None = None) -> Figure:
        """Draw the figure from the files of the experiment, or from one Parquet file of its own rows.

        `data`: where to write the rows, from which the figure can be drawn again.
        """
        needed = [Path(pattern).stem for pattern in reads]
        is_of_experiment = self.gather is not None and [file.stem for file in inputs.files] == needed
        if len(inputs.files) == 1 and not is_of_experiment:
            rows: Sequence[Any] = read_rows(inputs.files[0], self.kind, may_be_empty=self.may_be_empty)
        else:
            inputs.refuse_missing(needed)
            rows = self.rows(inputs)
        if data is not None:
            write_rows(data, self.kind, rows)
        with canvas.style():
            return self.draw(rows)
