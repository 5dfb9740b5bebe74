"""The results of similarity in plain words."""

import math
from collections.abc import Sequence

from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.data import SimilarityData, main_rows
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.findings import Finding, highest, lead_over_all
from sentflow.report.numbers import counted
from sentflow.report.rows import unique


def similarity_findings(data: SimilarityData) -> list[Finding]:
    """What a reader should take home; nothing is called a lead that no test shows."""
    main = [row for row in main_rows(data.scores) if not math.isnan(row.value)]
    if not main:
        return []
    scores = [(row.pairs, row.model_title, row.value) for row in main]
    sets = unique(row.pairs for row in main)
    lead = lead_over_all(data.differences, sets, "paired bootstrap", "pair set")
    found = [
        highest("Highest similarity score", scores, "pair set"),
        Finding("How clear the lead is", lead) if lead else None,
        _baseline(main),
    ]
    return [finding for finding in found if finding is not None]


def _baseline(rows: Sequence[SimilarityRow]) -> Finding | None:
    sets = [
        pairs
        for pairs in unique(row.pairs for row in rows if row.is_baseline)
        if any(row.pairs == pairs and not row.is_baseline and not row.is_control for row in rows)
    ]
    if not sets:
        return None
    below = [
        pairs for pairs in sets if _best(rows, pairs, baseline=False) <= _best(rows, pairs, baseline=True)
    ]
    text = f"No encoder scores above the best baseline on {', '.join(below)}." if below else (
        f"On all {counted(len(sets), 'pair set')} the highest encoder scores above all of them."
    )  # fmt: skip
    best = max((row for row in rows if row.is_baseline), key=lambda row: row.value)
    return Finding(
        "Comparison with baselines without an encoder",
        f"{text} Their highest score is {words.hundred(best.value)} ({best.model_title} on {best.pairs}).",
    )


def _best(rows: Sequence[SimilarityRow], pairs: str, *, baseline: bool) -> float:
    return max(
        (
            row.value
            for row in rows
            if row.pairs == pairs and row.is_baseline == baseline and not row.is_control
        ),
        default=-math.inf,
    )
