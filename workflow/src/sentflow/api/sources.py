"""Features of a task from an evaluator's `embed`: of all rows at once, or inside every fold."""

import copy
from typing import Any, Protocol

import numpy as np

from sentflow.api.arguments import ArgumentError
from sentflow.api.embedding import checked_features
from sentflow.encoders.protocol import FloatArray, IntArray
from sentflow.probing.protocol.draws import FoldPlan
from sentflow.texts.table import TaskTable


class Embedder(Protocol):
    """An evaluator, as far as its `embed` goes."""

    def embed(self, X_a: list[str], X_b: list[str] | None, task: str, data_split: str, **kwargs: Any) -> Any:  # noqa: N803
        """See `UlyssesSentEval.embed`."""


class TaskRows:
    """The rows of a task and what embeds them."""

    def __init__(self, evaluator: Embedder, table: TaskTable, options: dict[str, Any]) -> None:
        self._evaluator = evaluator
        self._table = table
        self._options = options

    @property
    def keys(self) -> list[str]:
        """Per row one text that says all that is embedded in it."""
        second = self._table.text_b or [""] * len(self._table)
        return [f"{a}\0{b}" for a, b in zip(self._table.text_a, second, strict=True)]

    def embed_now(self, rows: IntArray) -> FloatArray:
        """(k, D) float32 features of some rows, outside of any fold."""
        first, second = self._texts(rows)
        # Places and names of arguments as in the published evaluator: an override may have renamed them
        values = self._evaluator.embed(first, second, self._table.info.task, "all", **self._options)
        return self._checked(values, len(rows), "all")

    def parts(self, plan: FoldPlan) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Features of a fold (see `FeatureSource`), from a copy of the evaluator: no fold learns from another."""
        evaluator = copy.deepcopy(self._evaluator)
        train = self._embed_part(evaluator, plan.train, "train")
        evaluation = self._embed_part(evaluator, plan.evaluation, "eval")
        test = self._embed_part(evaluator, plan.test, "test")
        if len(widths := {part.shape[1] for part in (train, evaluation, test)}) > 1:
            raise ArgumentError(
                f"{self._name('train, eval, test')} returned vectors of different widths: {sorted(widths)}. Fit on the "
                "split 'train' only."
            )
        return train, evaluation, test

    def _embed_part(self, evaluator: Embedder, rows: IntArray, data_split: str) -> FloatArray:
        first, second = self._texts(rows)
        task = self._table.info.task
        values = evaluator.embed(first, second, task=task, data_split=data_split, **self._options)
        return self._checked(values, len(rows), data_split)

    def _checked(self, values: Any, n_rows: int, data_split: str) -> FloatArray:
        return checked_features(values, n_rows=n_rows, source=self._name(data_split))

    def _name(self, data_split: str) -> str:
        return (
            f"{type(self._evaluator).__name__}.embed (task {self._table.info.task}, data_split {data_split})"
        )

    def _texts(self, rows: IntArray) -> tuple[list[str], list[str] | None]:
        second = [self._table.text_b[row] for row in rows] if self._table.text_b else None
        return [self._table.text_a[row] for row in rows], second
