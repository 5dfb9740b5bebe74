"""Result files of pair sets and of geometry → rows of summaries: what both families do alike."""

from collections.abc import Sequence
from typing import Any

from sentflow.report.rows import described, unique
from sentflow.report.settings import PairSummary

COEFFICIENTS = ("spearman", "pearson")
_BASELINES = {
    "jaccard-words": "Shared words (Jaccard)",
    "jaccard-bigrams": "Shared character bigrams (Jaccard)",
    "count-cosine": "Cosine of word counts",
    "jaccard-words-lowercase": "Shared words, lower case (Jaccard)",
    "jaccard-bigrams-lowercase": "Shared character bigrams, lower case (Jaccard)",
}


def in_order(rows: Sequence[Any], settings: PairSummary, set_key: str) -> list[Any]:
    """Rows by set, of the attribute `set_key`, and encoder in the order of the selection; within them as they are."""
    systems = unique([*settings.systems, *(row.model for row in rows)])
    sets = unique([*settings.selected, *(getattr(row, set_key) for row in rows)])
    return sorted(rows, key=lambda row: (sets.index(getattr(row, set_key)), systems.index(row.model)))


def about(settings: PairSummary, model: str, pairs: Sequence[str]) -> dict[str, Any]:
    """The columns that say which encoder or baseline a row is of, and what the texts of its pair sets are."""
    versions = unique(described(settings, "pairs", name).data_version for name in pairs)
    known = {"model": model, "data_version": "; ".join(versions)}
    if model in settings.baselines:
        return {**known, "model_title": _BASELINES.get(model, model), "is_control": False}
    entry = described(settings, "models", model)
    return {**known, "model_title": entry.title, "is_control": entry.control, "position": entry.position}
