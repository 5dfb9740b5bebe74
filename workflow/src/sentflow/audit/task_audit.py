"""What a reader should know about the rows of a task before believing its scores."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from unicodedata import is_normalized, normalize

import numpy as np

from sentflow.audit.duplicates import (
    content_numbers,
    contradicting_rows,
    folds_of_rows,
    near_duplicates,
    numbered,
    pairs_torn_apart,
    share_of_drawn,
    torn_apart,
)
from sentflow.audit.language import languages
from sentflow.audit.plain_words import warnings_of
from sentflow.audit.settings import AuditSettings
from sentflow.audit.similar import NEAR
from sentflow.probing.draws import plan_folds
from sentflow.probing.settings import ProbeProtocol
from sentflow.texts.table import TaskTable, row_graph, texts_to_embed

_EXAMPLES = 20
_QUANTILES = {"min": 0.0, "p5": 0.05, "median": 0.5, "p95": 0.95, "max": 1.0}


def audit(table: TaskTable, settings: AuditSettings) -> dict[str, Any]:
    """Duplicates, contradictions, classes, lengths, languages and documents of a task, with warnings in plain words."""
    not_nfc = sum(not is_normalized("NFC", text) for text in texts_to_embed(table))
    composed = {
        side: [normalize("NFC", text) for text in getattr(table, side)] for side in ("text_a", "text_b")
    }
    table = replace(table, **composed)  # type: ignore[arg-type]
    documents = _documents(table)
    protocol = ProbeProtocol(repetitions=settings.repetitions, folds=settings.folds, seed=settings.seed)
    groups = documents if settings.group_folds else None
    folds = folds_of_rows(plan_folds(table.labels, protocol, groups=groups), len(table))
    contents = content_numbers(table)
    texts = texts_to_embed(table)
    language, unsure = languages(texts)
    facts = {
        "task": table.info.task,
        "n_rows": len(table),
        "exact_duplicates": _exact(contents, folds),
        "near_duplicates": _near(table, contents, folds),
        "contradicting": _contradicting(table, contents),
        "shared_texts": None if table.info.layout == "single" else _shared_texts(table, contents, folds),
        "classes": dict(
            zip(
                table.info.classes,
                np.bincount(table.labels, minlength=len(table.info.classes)).tolist(),
                strict=True,
            )
        ),
        "lengths": {
            "chars": _quantiles([len(text) for text in texts]),
            "words": _quantiles([len(text.split()) for text in texts]),
        },
        "not_nfc": not_nfc,
        "language": language,
        "language_unsure": unsure,
        "documents": None
        if documents is None
        else {
            "n": len({name for name in table.groups if name is not None}),
            "rows_with_one": sum(name is not None for name in table.groups),
            "share_across_folds": share_of_drawn(torn_apart(documents, folds), folds),
        },
    }
    return {**facts, "warnings": warnings_of(facts, language=settings.language)}


def _documents(table: TaskTable) -> np.ndarray | None:
    """(n,) int64: the document of each row, a row without one is its own; None where no row names one."""
    if all(name is None for name in table.groups):
        return None
    return numbered(
        ("row", str(row)) if name is None else ("document", name) for row, name in enumerate(table.groups)
    )


def _exact(contents: np.ndarray, folds: np.ndarray) -> Mapping[str, Any]:
    sizes = np.bincount(contents)
    return {
        "rows": int(sizes[sizes > 1].sum()),
        "groups": int((sizes > 1).sum()),
        "share_across_folds": share_of_drawn(torn_apart(contents, folds), folds),
    }


def _near(table: TaskTable, contents: np.ndarray, folds: np.ndarray) -> Mapping[str, Any]:
    pairs = near_duplicates(table, contents, threshold=NEAR)
    order = np.lexsort((pairs.second, pairs.first, -pairs.similarity))[:_EXAMPLES]
    examples = [
        [int(pairs.first[place]), int(pairs.second[place]), round(float(pairs.similarity[place]), 4)]
        for place in order
    ]
    return {
        "rows": len(np.unique(np.concatenate([pairs.first, pairs.second]))),
        "pairs": len(pairs.first),
        "share_across_folds": share_of_drawn(pairs_torn_apart(pairs.first, pairs.second, folds), folds),
        "threshold": NEAR,
        "examples": examples,
    }


def _contradicting(table: TaskTable, contents: np.ndarray) -> Mapping[str, Any]:
    rows = contradicting_rows(contents, table.labels)
    return {
        "rows": len(rows),
        "groups": len(np.unique(contents[rows])),
        "examples": rows[:_EXAMPLES].tolist(),
    }


def _shared_texts(table: TaskTable, contents: np.ndarray, folds: np.ndarray) -> Mapping[str, Any]:
    """Rows that have one of their two texts in common with a row of other content, and what all rows are worth."""
    graph = row_graph(table)
    shared = np.zeros(len(table), bool)
    torn = np.zeros(folds.shape, bool)
    first_of_content = np.unique(contents, return_index=True)[1]
    for texts in (numbered(table.text_a), numbered(table.text_b)):
        shared |= (np.bincount(texts[first_of_content]) > 1)[texts]
        torn |= torn_apart(texts, folds)
    return {
        "rows": int(shared.sum()),
        "share_across_folds": share_of_drawn(torn & shared, folds),
        "effective_rows": graph.effective_rows,
        "largest_connected": int(np.bincount(graph.component).max()),
    }


def _quantiles(values: list[int]) -> dict[str, float]:
    quantiles = np.quantile(values, list(_QUANTILES.values()))
    return dict(zip(_QUANTILES, quantiles.tolist(), strict=True))
