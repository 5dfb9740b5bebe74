"""The leaderboards of the page: those of one family, what others say of the same encoders, and what these cost."""

import math
from collections.abc import Sequence

from sentflow.report.costs.rows import EncoderRow
from sentflow.report.leaderboard import Board, Column, Entry
from sentflow.report.numbers import count, duration, three_digits
from sentflow.report.page.sources import Section

_MILLION = 1_000_000


def leaderboards(sections: Sequence[Section], encoders: Sequence[EncoderRow]) -> list[Board]:
    """The boards of the first family that has any; the first of them with the columns of the others."""
    boards = next((section.boards for section in sections if section.boards), ())
    columns = [column for section in sections for column in section.columns if section.boards != boards]
    columns += _costs(encoders)
    return [board if place else board.beside(columns) for place, board in enumerate(boards)]


def _costs(encoders: Sequence[EncoderRow]) -> list[Column]:
    """Size and time of encoders."""
    known = [row for row in encoders if row.texts > 0]
    return [
        Column(
            "Parameters",
            {row.model: _parameters(row.parameters) for row in encoders if not math.isnan(row.parameters)},
        ),
        Column(
            "Dimension",
            {
                row.model: Entry(count(int(row.dimension)), row.dimension)
                for row in encoders
                if not math.isnan(row.dimension)
            },
        ),
        Column(
            "s per 1,000 texts",
            {row.model: _seconds(1000 * row.embed_seconds / row.texts) for row in known},
            "Seconds: to embed 1,000 texts here, start and loading included; none of encoders that are fitted in every "
            "fold. Parameters: trained before, 0 for none.",
        ),
    ]


def _parameters(value: float) -> Entry:
    text = f"{three_digits(value / _MILLION)} M" if value >= _MILLION else count(int(value))
    return Entry(text, value)


def _seconds(value: float) -> Entry:
    return Entry(duration(value), value)
