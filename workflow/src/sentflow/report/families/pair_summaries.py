"""Result files of pair sets and of geometry -> rows of summaries: what both families do alike."""

from collections.abc import Sequence
from typing import Any

from sentflow.report.rows import described, unique
from sentflow.report.settings import PairSummary

COEFFICIENTS = ("spearman", "pearson")
BASELINE_TITLES = {
    "jaccard-words": "Shared words (Jaccard)",
    "jaccard-bigrams": "Shared character bigrams (Jaccard)",
    "count-cosine": "Cosine of word counts",
    "jaccard-words-lowercase": "Shared words, lower case (Jaccard)",
    "jaccard-bigrams-lowercase": "Shared character bigrams, lower case (Jaccard)",
}


def in_order(rows: Sequence[Any], settings: PairSummary, set_key: str = "") -> list[Any]:
    """Rows by set and encoder in the order of the selection; within them as they are.

    `set_key`: the attribute that names the set; nothing if rows have none that is selected by name.
    """
    systems = unique([*settings.systems, *(row.model for row in rows)])
    sets = unique([*settings.selected, *(getattr(row, set_key) for row in rows)]) if set_key else []
    return sorted(
        rows,
        key=lambda row: (sets.index(getattr(row, set_key)) if set_key else 0, systems.index(row.model)),
    )


def model_columns(settings: PairSummary, name: str) -> dict[str, Any]:
    """The columns that say which encoder or baseline a row is of."""
    if name in settings.baselines:
        return {"model": name, "model_title": BASELINE_TITLES.get(name, name), "is_control": False}
    entry = described(settings, "models", name)
    return {"model": name, "model_title": entry.title, "is_control": entry.control}


def position_of(settings: PairSummary, name: str) -> int:
    return int(described(settings, "models", name).position)


def data_version_of(settings: PairSummary, pairs: Sequence[str]) -> str:
    """What the texts of pair sets are."""
    return "; ".join(unique(described(settings, "pairs", name).data_version for name in pairs))
