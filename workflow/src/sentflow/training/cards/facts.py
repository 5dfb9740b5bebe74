"""Everything that a model card says, as it stands in the files of the results."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from sentflow.encoders.settings import CROSS_ENCODER
from sentflow.errors import DataError
from sentflow.files.io import read_json
from sentflow.files.rows import read_rows
from sentflow.files.sealed import read_sealed
from sentflow.training.cards.overlap import Overlap
from sentflow.training.cards.scores import CardScore, read_scores
from sentflow.training.cards.uses import USES
from sentflow.training.record import HeldOutRow, Made, Record
from sentflow.training.settings import CardSettings

_END_SHARE = 10  # the first and the last tenth of the steps stand for beginning and end


@dataclass(frozen=True)
class HistoryRow:
    """What a model card reads of one step."""

    FILE: ClassVar[str] = "history"

    step: int
    loss: float


@dataclass(frozen=True)
class ReadOut:
    """What the manifest says of what an encoder gives, see `sentflow.encoders.manifest.Manifest`."""

    kind: str
    dimension: int | None
    pooling: str | None
    max_tokens: int | None

    @classmethod
    def read(cls, manifest: Path) -> "ReadOut":
        """From the file. Raises DataError: it is missing, damaged, or no manifest of a trained encoder."""
        found = read_json(manifest)
        try:
            kind, dimension = found["kind"], found["dimension"]
            if kind not in USES or (dimension is None) != (kind == CROSS_ENCODER):
                raise ValueError(f"kind {kind}, dimension {dimension}")
            return cls(kind, dimension, found["pooling"], found["max_tokens"])
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"{manifest} is no manifest of a trained encoder ({type(error).__name__}: {error}). Delete it and run "
                "snakemake again."
            ) from error


@dataclass(frozen=True)
class Spread:
    """A score of this encoder beside those of the other seeds."""

    score: CardScore
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Over seeds."""
        return statistics.fmean(self.values)

    @property
    def deviation(self) -> float:
        """Standard deviation between seeds, of a sample."""
        return statistics.stdev(self.values)


@dataclass(frozen=True)
class Facts:
    """What one card says."""

    # record, made, read_out, about: of the encoder
    record: Record
    made: Made
    read_out: ReadOut
    about: CardSettings
    selection: Mapping[str, Any]  # how the snapshot was chosen; ``step`` is the chosen one
    loss: tuple[float, float]  # mean over the first and over the last tenth of the steps
    # held_out: what rows that were not trained on measured at first and with the chosen weights; empty without such
    # rows
    held_out: Sequence[HeldOutRow]
    scores: Sequence[CardScore]  # of this encoder
    spreads: Sequence[Spread]  # of the scores that two seeds or more have
    overlap: Overlap | None  # of the training texts with the test sets; None where it was not counted

    @property
    def is_chosen_by_score(self) -> bool:
        """Whether a development set chose the snapshot; without one, it is the last."""
        return self.selection.get("rule") == "best" and self.selection.get("pairs") is not None


def read_facts(
    training: Path, manifest: Path, about: CardSettings, summaries: Sequence[Path], overlap: Path | None
) -> Facts:
    """The facts of one encoder.

    `training`: folder with ``record.json``, ``made.json``, ``selection.json``, ``history.parquet`` and
    ``held-out.parquet``. `summaries`: files of ``summary/``; those that hold no scores are passed over.
    """
    record = Record.read(training / "record.json")
    selection = read_sealed(training / "selection.json")
    if not isinstance(selection, dict) or not isinstance(selection.get("step"), int):
        raise DataError(
            f"{training / 'selection.json'} does not say which step was chosen. Delete it and run snakemake again."
        )
    scores = read_scores(summaries)
    own = [score for score in scores if score.model == record.model]
    found = Overlap.read(overlap) if overlap else None
    if found and found.data != record.data.name:
        raise DataError(
            f"{overlap} is the audit of other training data than {training / 'record.json'} names. "
            "Delete it and run snakemake again."
        )
    return Facts(
        record=record,
        made=Made.read(training / "made.json"),
        read_out=ReadOut.read(manifest),
        about=about,
        selection=selection,
        loss=_ends(read_rows(training / "history.parquet", HistoryRow)),
        held_out=_first_and_chosen(
            read_rows(training / "held-out.parquet", HeldOutRow, may_be_empty=True), selection["step"]
        ),
        scores=own,
        spreads=[spread for score in own if len((spread := _spread(score, scores, about)).values) > 1],
        overlap=found,
    )


def _ends(history: Sequence[HistoryRow]) -> tuple[float, float]:
    losses = [row.loss for row in sorted(history, key=lambda row: row.step) if math.isfinite(row.loss)]
    n = max(1, len(losses) // _END_SHARE)
    return statistics.fmean(losses[:n]), statistics.fmean(losses[-n:])


def _first_and_chosen(rows: Sequence[HeldOutRow], chosen: int) -> list[HeldOutRow]:
    shown = {min((row.step for row in rows), default=chosen), chosen}
    return [row for row in rows if row.step in shown]


def _spread(score: CardScore, scores: Sequence[CardScore], about: CardSettings) -> Spread:
    same = {other.model: other.value for other in scores if _same(other, score)}
    return Spread(score, tuple(same[model] for model in about.siblings if model in same))


def _same(one: CardScore, other: CardScore) -> bool:
    """Whether two scores are of the same thing; a retriever may be named after its encoder."""
    return _without_encoder(one) == _without_encoder(other)


def _without_encoder(score: CardScore) -> tuple[str, str, str]:
    return score.task_type, score.data, score.measure.replace(score.model, "")
