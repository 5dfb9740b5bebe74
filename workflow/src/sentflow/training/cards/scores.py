"""What was measured of encoders, as model cards say it: of any family, with intervals and what they speak for."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.compare.score_rows import ScoreRow
from sentflow.files.rows import read_rows
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.families.retrieval.words import POPULATION as OF_QUESTIONS
from sentflow.report.families.similarity.rows import SimilarityRow

OF_TEXTS = "new texts from the same source"
OF_PAIRS = "new pairs from the same source"
_WHOLE = ("all", "mean", "wmean")  # aggregations that are no part of a set


@dataclass(frozen=True)
class CardScore:
    """One score of one encoder."""

    model: str  # its encoder
    # task_type, task_name: as the Hugging Face hub calls what was done; and in words
    task_type: str
    task_name: str
    # data, data_title, data_version: what it was measured on
    data: str
    data_title: str
    data_version: str
    measure: str  # identifier, e.g. ``"spearman_cosine"``
    # value, low, high: fractions; the limits are NaN where there is no interval
    value: float
    low: float
    high: float
    level: float  # of the interval
    # n, unit: how many of what were measured
    n: int
    unit: str
    population: str  # what the interval speaks for

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells the scores of an encoder apart."""
        return self.task_type, self.data, self.measure


def read_scores(summaries: Sequence[Path]) -> list[CardScore]:
    """The main scores in summaries of any family; files of other kinds are passed over, undefined scores left out."""
    found = [score for path in summaries for score in _read(path)]
    return [score for score in found if math.isfinite(score.value)]


def _read(path: Path) -> Iterable[CardScore]:
    if path.suffix != ".parquet" or path.stem not in _KINDS:
        return []
    kind, convert = _KINDS[path.stem]
    return [score for row in read_rows(path, kind, may_be_empty=True) if (score := convert(row)) is not None]


def _of_task(row: ScoreRow) -> CardScore:
    low, high = (math.nan, math.nan) if row.degenerate else row.shown_generalisation
    return CardScore(
        row.model, "text-classification", "Probe on frozen vectors", row.task, row.task_title, row.data_version,
        row.metric, row.mean, low, high, row.level, row.n_balanced_rows, "rows", OF_TEXTS,
    )  # fmt: skip


def _of_pairs(row: SimilarityRow) -> CardScore | None:
    if not row.is_main or row.aggregation not in _WHOLE:
        return None
    measure = f"{row.coefficient}_{row.measure}" + ("" if row.aggregation == "all" else f"_{row.aggregation}")
    return CardScore(
        row.model, "sentence-similarity", "Semantic similarity", row.pairs, row.pairs_title, row.data_version,
        measure, row.value, row.low, row.high, row.level, row.n, "pairs", OF_PAIRS,
    )  # fmt: skip


def _of_questions(row: RetrievalRow) -> CardScore | None:
    # a retriever of one encoder's vectors alone is told under the encoder's name
    if not row.is_main or row.group or row.is_baseline:
        return None
    return CardScore(
        row.model, "information-retrieval", f"Retrieval by {row.retriever_title}",
        row.questions, row.questions_title, row.data_version,
        f"{row.measure} ({row.retriever})", row.value, row.low, row.high, row.level, row.n_questions, "questions",
        OF_QUESTIONS,
    )  # fmt: skip


_KINDS: Mapping[str, tuple[type[Any], Callable[[Any], CardScore | None]]] = {
    ScoreRow.FILE: (ScoreRow, _of_task),
    SimilarityRow.FILE: (SimilarityRow, _of_pairs),
    RetrievalRow.FILE: (RetrievalRow, _of_questions),
}
