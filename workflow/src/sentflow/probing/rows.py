"""Features of a task's rows: from embeddings of texts, from an encoder that is fitted in each fold, or a user's own.

Source of the layouts: ulysses-camara/ulysses-senteval@f2a12c2.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from sentflow.errors import DataError
from sentflow.probing.draws import FoldPlan
from sentflow.probing.features import SelectedRows
from sentflow.texts.table import SEPARATOR, TaskTable

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    EncodedTexts: TypeAlias = np.ndarray | csr_array


class LazyEncoder(Protocol):
    """An encoder that learns from texts before it encodes."""

    def fit(self, texts: Sequence[str]) -> "LazyEncoder":
        """Forget everything and learn from these texts."""

    def transform(self, texts: Sequence[str]) -> "EncodedTexts":
        """(n, d) float32, dense or sparse."""


def row_features(
    table: TaskTable,
    embeddings: np.ndarray,
    row_of: Mapping[str, int],
    second_row_of: Mapping[str, int] | None = None,
) -> np.ndarray:
    """Features of every row of a task from (m, D) float32 embeddings of its dataset's distinct texts.

    `row_of`: text → its row there; `second_row_of`: of second texts and alternatives, where they were embedded with a
    prompt of their own. Returns float32: (n, D) for single texts, (n, 4 D) for pairs (`pair_features`), (n, (1 + k) D)
    for a question and its k alternatives, side by side.
    """

    def of(texts: Sequence[str], row_of: Mapping[str, int]) -> SelectedRows:
        unknown = [text for text in texts if text not in row_of]
        if unknown:
            raise DataError(
                f"{table.info.task}: {len(unknown)} of its texts are not among those of its dataset, e.g. "
                f"{unknown[0][:60]!r}. Delete the table of the task and run snakemake again."
            )
        return SelectedRows(embeddings, np.array([row_of[text] for text in texts], np.int64))

    second_row_of = row_of if second_row_of is None else second_row_of
    sides = [of(table.text_a, row_of)]
    if table.info.layout == "pair":
        sides.append(of(table.text_b, second_row_of))
    if table.info.layout == "alternatives":
        rows = [table.alternatives(row) for row in range(len(table))]
        sides += [of(alternatives, second_row_of) for alternatives in zip(*rows, strict=True)]
    # Each value is written once where it belongs: large matrices of parts would double the memory of a job.
    width = embeddings.shape[1]
    n_blocks = 4 if table.info.layout == "pair" else len(sides)
    features = np.empty((len(table), n_blocks * width), np.float32)
    blocks = [features[:, k * width : (k + 1) * width] for k in range(n_blocks)]
    for side, block in zip(sides, blocks, strict=False):
        side.write_to(block)
    if table.info.layout == "pair":
        first, second, difference, product = blocks
        np.subtract(first, second, out=difference)
        np.abs(difference, out=difference)
        np.multiply(first, second, out=product)
    return features


def pair_features(first: "EncodedTexts", second: "EncodedTexts") -> "EncodedTexts":
    """(n, D), (n, D), both dense or both sparse → (n, 4 D): both, their absolute difference, their product."""
    return side_by_side([first, second, abs(first - second), first * second])


def side_by_side(blocks: "Sequence[EncodedTexts]") -> "EncodedTexts":
    """Features of the same rows, all dense or all sparse, as one matrix."""
    if isinstance(blocks[0], np.ndarray):
        return np.concatenate(blocks, axis=1)
    from scipy.sparse import csr_array, hstack  # here, for dense embeddings need no SciPy

    return csr_array(hstack(blocks, format="csr"))


class LazyFeatures:
    """Features from an encoder that is refitted on the training part of every fold.

    A question with alternatives is an ordinary pair with the whole of text b, as in the published evaluator, unless
    `split_alternatives`: then each alternative is a text, and the layout is that of `row_features`.
    """

    def __init__(self, table: TaskTable, encoder: LazyEncoder, *, split_alternatives: bool = False) -> None:
        self._table = table
        self._encoder = encoder
        self._splits = split_alternatives and table.info.layout == "alternatives"

    def parts(self, plan: FoldPlan) -> "tuple[EncodedTexts, EncodedTexts, EncodedTexts]":
        """(n, d) float32 features of the training, evaluation and test rows."""
        second = [text for column in self._second_texts(plan.train) for text in column]
        self._encoder.fit(self._texts(self._table.text_a, plan.train) + second)
        return self._encode(plan.train), self._encode(plan.evaluation), self._encode(plan.test)

    def _encode(self, rows: np.ndarray) -> "EncodedTexts":
        first = self._encoder.transform(self._texts(self._table.text_a, rows))
        if self._table.info.layout == "single":
            return first
        others = [self._encoder.transform(texts) for texts in self._second_texts(rows)]
        return side_by_side([first, *others]) if self._splits else pair_features(first, others[0])

    def _second_texts(self, rows: np.ndarray) -> list[list[str]]:
        """What stands beside the first texts: nothing, the second texts, or the first, second, … alternatives."""
        if self._splits:
            return [
                list(column) for column in zip(*(self._table.alternatives(row) for row in rows), strict=True)
            ]
        return [self._texts(self._table.text_b, rows)] if self._table.text_b else []

    @staticmethod
    def _texts(texts: Sequence[str], rows: np.ndarray) -> list[str]:
        return [texts[row] for row in rows] if texts else []


# --- by a user's own class, a `sentflow.encoders.kinds.custom.CustomFeaturiser` ------------------------------

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
    return np.asarray(featuriser.embed(texts_a, texts_b, task=table.info.task, split=split))
