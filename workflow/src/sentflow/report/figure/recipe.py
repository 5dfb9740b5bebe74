"""How a figure is made: what rows it is drawn from, by what, and what its caption says."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from sentflow.errors import DataError
from sentflow.files.rows import read_rows
from sentflow.report.figure.panels import nothing_drawn
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import counted
from sentflow.report.rows import data_note, unique

NOTHING = "Nothing to draw: no encoder of this selection has both fixed vectors and this measurement."


@dataclass(frozen=True)
class Caption:
    """What is said of a figure, beside it."""

    title: str  # what is shown, a few words
    reading: str  # how to read it and what it rests on, full sentences
    alternative: str  # for people who do not see the figure: its extent and where the numbers stand

    @property
    def markdown(self) -> str:
        """As it stands in the caption file."""
        return f"# {self.title}\n\n{self.reading}\n\nWhat is seen: {self.alternative}\n"


@dataclass(frozen=True)
class Recipe:
    """How a figure is made."""

    kind: type[Any]  # of its rows: one Parquet file of them is everything needed to draw it again
    picture: Callable[[Sequence[Any]], Figure]  # of rows that are shown, under the style of `canvas`
    title: str
    # reading: sentences of its caption; that on the data follows them
    reading: Callable[[Sequence[Any]], Iterable[str]]
    # gather: rows from the files of the experiment; None where they are those of one file
    gather: Callable[[Inputs], Sequence[Any]] | None = None
    nothing: str = ""  # what is said where no rows are shown; empty for a figure that cannot be without
    shown: Callable[[Sequence[Any]], Sequence[Any]] = list
    # what, named_by: what is compared, and the attribute that names it
    what: str = "encoder"
    named_by: str = "model"

    def rows(self, inputs: Inputs) -> Sequence[Any]:
        """The rows of the figure; none where there are no files of them."""
        return self.gather(inputs) if self.gather else inputs.rows_if_there(self.kind)

    def draw(self, rows: Sequence[Any]) -> Figure:
        """The figure, or one that says why it shows nothing; under the style of `canvas`."""
        shown = self.shown(rows)
        return self.picture(shown) if shown else nothing_drawn(self.nothing, rows)

    def texts(self, rows: Sequence[Any]) -> Caption:
        """Its caption."""
        shown = self.shown(rows)
        if not shown:
            return Caption(self.title, self.nothing, self.nothing)
        number = counted(len(unique(getattr(row, self.named_by) for row in shown)), self.what)
        return Caption(
            self.title,
            " ".join(filter(None, (*self.reading(shown), data_note(rows)))),
            f"{self.title}, {number}. The data of the figure, or its table, have the numbers.",
        )

    def own_rows(self, files: Sequence[Path]) -> Sequence[Any]:
        """The rows of a file that was written of the figure.

        Raises DataError: that is not one file, or not of this figure.
        """
        if len(files) != 1:
            raise DataError(
                f"{', '.join(map(str, files))}: give the files of the experiment that the figure reads, or the "
                "Parquet file of the figure alone (docs/report.md)."
            )
        rows: Sequence[Any] = read_rows(files[0], self.kind, may_be_empty=bool(self.nothing))
        return rows
