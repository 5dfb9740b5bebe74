"""The legend of figures whose systems are told apart by colour and marker."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from matplotlib.lines import Line2D

from sentflow.report.figure import lettering
from sentflow.report.figure.canvas import Look

_SIZE, _INCHES = 7, 2.8


class NamedRow(Protocol):
    """What a row says of its encoder or retriever."""

    @property
    def model(self) -> str:
        """Its name."""

    @property
    def model_title(self) -> str:
        """As people know it."""


def handles(rows: Sequence[NamedRow], looks: Mapping[str, Look], **line: Any) -> list[Line2D]:
    """An entry for each look, with a name that fits; `line` is given to every one."""
    titles = {row.model: row.model_title for row in rows}
    names = lettering.distinct(titles, lettering.into(_INCHES, _SIZE))
    return [
        Line2D([], [], color=look.color, marker=look.marker, label=names[model], **line)
        for model, look in looks.items()
    ]
