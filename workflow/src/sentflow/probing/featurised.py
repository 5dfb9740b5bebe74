"""Features that a user's own class makes of a task's rows: of all of them at once, or inside each fold.

A featuriser is a `sentflow.encoders.kinds.custom.CustomFeaturiser`.
"""

from typing import Any

import numpy as np

from sentflow.probing.draws import FoldPlan
from sentflow.texts.table import SEPARATOR, TaskTable

ALL = "all"  # the split of a featuriser that is not lazy
SPLITS = ("train", "eval", "test")


class LazyFeaturised:
    """Features of a fold: first of its training rows, from which the featuriser may learn, then of the others."""

    def __init__(self, table: TaskTable, featuriser: Any) -> None:
        self._table, self._featuriser = table, featuriser

    def parts(self, plan: FoldPlan) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(n, d) float32 features of the training, evaluation and test rows."""
        self._featuriser.start()
        train, evaluation, test = (
            _embedded(self._featuriser, self._table, rows, split)
            for rows, split in zip((plan.train, plan.evaluation, plan.test), SPLITS, strict=True)
        )
        return train, evaluation, test


def all_features(table: TaskTable, featuriser: Any) -> np.ndarray:
    """(n, d) float32 features of every row of a task."""
    featuriser.start()
    return _embedded(featuriser, table, np.arange(len(table)), ALL)


def row_texts(table: TaskTable) -> list[str]:
    """One text per row, which names the row in messages and in checksums."""
    if not table.text_b:
        return list(table.text_a)
    return [SEPARATOR.join(row) for row in zip(table.text_a, table.text_b, strict=True)]


def _embedded(featuriser: Any, table: TaskTable, rows: np.ndarray, split: str) -> np.ndarray:
    texts_a = [table.text_a[row] for row in rows]
    texts_b = [table.text_b[row] for row in rows] if table.text_b else None
    features: np.ndarray = featuriser.embed(texts_a, texts_b, task=table.info.task, split=split)
    return features
