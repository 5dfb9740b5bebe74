"""Texts above and below each figure, and its alternative text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sentflow.report.numbers import counted
from sentflow.report.rows import unique

NOTHING = "Nothing to draw: no encoder of this selection has both fixed vectors and this measurement."


@dataclass(frozen=True)
class FigureTexts:
    """Texts of a figure."""

    title: str  # what is shown, a few words
    reading: str  # how to read it and what it rests on, full sentences
    alternative: str  # for people who do not see the figure: its extent and where the numbers stand


def nothing(title: str, why: str = NOTHING) -> FigureTexts:
    """Texts of a figure without rows."""
    return FigureTexts(title=title, reading=why, alternative=why)


def sentences(*found: str) -> str:
    """Sentences one after the other; empty ones are left out."""
    return " ".join(sentence for sentence in found if sentence)


def encoders(rows: Sequence[Any]) -> str:
    """How many encoders rows are of: ``3 encoders``."""
    return counted(len(unique(row.model for row in rows)), "encoder")
