"""What tells a label without what a text says: its length, its punctuation, or one side of a pair alone."""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import normalize

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

_FOLDS = 5
_MARKS = ".,;:!?()[]\"'-–%$"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Leak:
    """What a probe reaches that sees too little of a row to know its label."""

    # mcc: Matthews correlation in −1…1 of predictions for rows of documents that the probe was not trained on; 0 is
    # chance
    mcc: float
    # error: its standard error if the features say nothing, 1/√documents: the rows of a document may share their label
    error: float


def leaks(
    text_a: Sequence[str],
    text_b: Sequence[str] | None,
    labels: Sequence[int],
    groups: Sequence[Hashable | None],
    *,
    seed: int = 0,
) -> dict[str, Leak]:
    """Scores of logistic regressions by what they see, over five folds that keep documents together."""
    y = np.asarray(labels)
    documents = np.unique(
        [f"row {row}" if group is None else f"document {group}" for row, group in enumerate(groups)],
        return_inverse=True,
    )[1]
    error = 1 / np.sqrt(documents.max() + 1)
    folds = StratifiedGroupKFold(_FOLDS, shuffle=True, random_state=seed)

    def score(features: Any, prepare: Any) -> Leak:
        probe = make_pipeline(prepare, LogisticRegression(max_iter=1000))
        predicted = cross_val_predict(probe, features, y, groups=documents, cv=folds)
        return Leak(float(matthews_corrcoef(y, predicted)), float(error))

    sides = [[normalize("NFC", text) for text in texts] for texts in (text_a, text_b) if texts]
    lengths = np.hstack([_lengths(texts) for texts in sides])
    found = {
        "lengths": score(lengths, StandardScaler()),
        "punctuation": score(np.hstack([_marks(texts) for texts in sides]), StandardScaler()),
    }
    if text_b:
        found["text_a"] = score(sides[0], TfidfVectorizer())
        found["text_b"] = score(sides[1], TfidfVectorizer())
        found["length_difference"] = score(np.abs(lengths[:, :2] - lengths[:, 2:]), StandardScaler())
    return found


def _lengths(texts: Sequence[str]) -> np.ndarray:
    """(n, 2) float64 logarithms of characters and words."""
    return np.log1p([[len(text), len(_WORD.findall(text))] for text in texts])


def _marks(texts: Sequence[str]) -> np.ndarray:
    """(n, marks) float64 logarithms of how often each mark occurs."""
    return np.log1p([[text.count(mark) for mark in _MARKS] for text in texts])
