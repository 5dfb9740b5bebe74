"""What a run found that answers a claim, looked up in its summaries."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from sentflow.compare.best_of_groups import best_of_groups
from sentflow.compare.score_rows import ScoreRow
from sentflow.files.rows import RowsByName
from sentflow.ledger import claims
from sentflow.report.families.geometry.rows import AlignmentRow
from sentflow.report.families.retrieval.rows import DecisionRow, RetrievalRow
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.families.training.sweeps import PublishedCell, published_cells
from sentflow.similarity.measures import SEVEN_TASKS

_SEED = ("-seed-", ".seed-")  # before the seed in names of trained encoders, and of cells of sweeps


@dataclass(frozen=True)
class Answer:
    """Ours, on our scale; NaN where a run has none."""

    value: float
    low: float = math.nan
    high: float = math.nan


NOTHING = Answer(math.nan)


class Answers:
    """The answers of a run."""

    def __init__(self, files: Sequence[Path], sweeps: Mapping[str, Any]) -> None:
        read = RowsByName(files)
        self._pairs = _of_pairs(read(SimilarityRow.FILE, SimilarityRow))
        self._questions = {
            (row.questions, row.retriever, row.measure): Answer(row.value, row.low, row.high)
            for row in read(RetrievalRow.FILE, RetrievalRow)
            if not row.group
        }
        self._decisions = {
            (row.questions, row.retriever, row.decision, row.measure): Answer(row.value, row.low, row.high)
            for row in read(DecisionRow.FILE, DecisionRow)
        }
        self._alignments = read(AlignmentRow.FILE, AlignmentRow)
        self._scores = {(row.task, row.model): row for row in read(ScoreRow.FILE, ScoreRow)}
        self._reduced = {name: _reduced(published_cells(entry)) for name, entry in sweeps.items()}
        self._by_kind: dict[str, Callable[..., Answer]] = {
            claims.SIMILARITY: self._similarity,
            claims.ALIGNMENT: self._alignment,
            claims.SCORE: self._score,
            claims.DECISION: lambda *names: self._decisions.get(names, NOTHING),
            claims.RETRIEVAL: lambda *names: self._questions.get(names, NOTHING),
            claims.REDUCTION: self._reduction,
        }

    def __call__(self, claim: claims.Claim) -> Answer:
        """What answers a claim."""
        return self._by_kind[claim.kind](*claim.ours) if claim.kind else NOTHING

    def _similarity(self, model: str, column: str) -> Answer:
        if column == claims.AVERAGE:
            return Answer(_mean([self._similarity(model, name).value for name in SEVEN_TASKS]))
        return _over_seeds(
            answer for (name, at), answer in self._pairs.items() if at == column and _is_of(model, name)
        )

    def _alignment(self, model: str, name: str, column: str) -> Answer:
        limits = ("alignment_low", "alignment_high") if column == claims.ALIGNMENT else ()
        return _over_seeds(
            Answer(getattr(row, column), *(getattr(row, limit) for limit in limits))
            for row in self._alignments
            if row.alignment_set == name and _is_of(model, row.model)
        )

    def _score(self, task: str, model: str, column: str) -> Answer:
        row = self._scores.get((task, model))
        if row is None or row.not_comparable:
            return NOTHING
        if column == "mean":
            return Answer(row.mean, row.repeatability_low, row.repeatability_high)
        return Answer(getattr(row, column))

    def _reduction(self, sweep: str, *names: str | int) -> Answer:
        cell = self._reduced[sweep].get(names[:-1])
        return Answer(getattr(cell, str(names[-1]))) if cell else NOTHING


def _of_pairs(rows: Sequence[SimilarityRow]) -> dict[tuple[str, str], Answer]:
    """(encoder, pair set, or column of papers where it has one) → Spearman of cosines over all pairs."""
    found: dict[tuple[str, str], Answer] = {}
    for row in rows:
        if (row.measure, row.coefficient, row.aggregation) != ("cosine", "spearman", "all"):
            continue
        for column in dict.fromkeys((row.group or row.pairs, row.pairs)):
            # the raw form of a set stands before its SentEval form, which has the same column
            found.setdefault((row.model, column), Answer(row.value, row.low, row.high))
    return found


def _reduced(cells: Sequence[PublishedCell]) -> dict[tuple[Any, ...], PublishedCell]:
    best = best_of_groups(cells, group=lambda cell: cell.place[:-1], score=lambda cell: cell.dev)
    return {cell.place[:-1]: cell for cell in best}


def _is_of(model: str, name: str) -> bool:
    """Whether an encoder of a run is the one that a claim names, or one of its seeds."""
    return name == model or name.startswith(tuple(model + seed for seed in _SEED))


def _over_seeds(answers: Iterable[Answer]) -> Answer:
    found = list(answers)
    # the mean over seeds has no interval of its own here: the table of seeds has
    return found[0] if len(found) == 1 else Answer(_mean([answer.value for answer in found]))


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else math.nan
