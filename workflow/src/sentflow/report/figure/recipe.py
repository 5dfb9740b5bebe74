"""How a figure is made: what rows it is drawn from, by what, and what its caption says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from sentflow.errors import DataError
from sentflow.files.rows import read_rows
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import counted
from sentflow.report.rows import unique

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
    draw: Callable[[Sequence[Any]], Figure]  # under the style of `canvas`
    texts: Callable[[Sequence[Any]], Caption]
    # gather: rows from the files of the experiment; None where they are those of one file
    gather: Callable[[Inputs], Sequence[Any]] | None = None
    may_be_empty: bool = False  # whether no rows are a figure too, which says so

    def rows(self, inputs: Inputs) -> Sequence[Any]:
        """The rows of the figure; none where there are no files of them."""
        return self.gather(inputs) if self.gather else inputs.rows_if_there(self.kind)

    def own_rows(self, files: Sequence[Path]) -> Sequence[Any]:
        """The rows of a file that was written of the figure.

        Raises DataError: that is not one file, or not of this figure.
        """
        if len(files) != 1:
            raise DataError(
                f"{', '.join(map(str, files))}: give the files of the experiment that the figure reads, or the "
                "Parquet file of the figure alone (docs/report.md)."
            )
        rows: Sequence[Any] = read_rows(files[0], self.kind, may_be_empty=self.may_be_empty)
        return rows


def nothing(title: str, why: str = NOTHING) -> Caption:
    """The caption of a figure without rows."""
    return Caption(title=title, reading=why, alternative=why)


def sentences(*said: str) -> str:
    """Sentences one after the other; empty ones are left out."""
    return " ".join(sentence for sentence in said if sentence)


def encoders(rows: Sequence[Any]) -> str:
    """How many encoders rows are of: ``3 encoders``."""
    return counted(len(unique(row.model for row in rows)), "encoder")
