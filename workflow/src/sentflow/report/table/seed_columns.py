"""Columns and notes that tables of several seeds share: how much seeds decide, and what would narrow an interval."""

import math
from collections.abc import Sequence
from typing import Any

from sentflow.report import captions
from sentflow.report.numbers import MISSING
from sentflow.report.table.table import Cell, Column, marked, number, text


def seed_columns(others: str) -> list[Column]:
    """Spread between seeds, shares of the variance from `others` (``"pairs"``) and from seeds, and the greater one."""
    return [
        number("Spread of seeds", "spread_of_seeds"),
        number(f"Variance from {others}", f"share_of_{others}", _percent),
        marked("from seeds", _from_seeds),
        text("Limited by", "more"),
    ]


def seed_notes(rows: Sequence[Any]) -> list[str]:
    """What few seeds do not say."""
    notes = captions.few_seeds(row.n_seeds for row in rows)
    if any(row.seeds_unseen for row in rows):
        notes.append(
            "†: seeds differ less than noise would; with a few seeds this means “not seen”, not “none”."
        )
    return notes


def _percent(share: float) -> str:
    return f"{100 * share:.0f}\u202f%"


def _from_seeds(row: Any) -> Cell:
    share, unseen = row.share_of_seeds, "†" if row.seeds_unseen else ""
    return Cell((MISSING if math.isnan(share) else _percent(share)) + unseen, value=share)
