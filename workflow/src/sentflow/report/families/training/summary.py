"""Records and histories of trainings → the rows of their summaries."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from sentflow.files.io import read_sealed
from sentflow.files.rows import number_or_nan, read_rows
from sentflow.report.families.training.figure_rows import SweepPoint, TrainingHeldOutRow, TrainingHistoryRow
from sentflow.report.families.training.rows import TrainingRow
from sentflow.report.families.training.sweep_cells import sweep_cells
from sentflow.report.families.training.trained_rows import TrainedRow
from sentflow.report.rows import unique
from sentflow.report.settings import TrainedGroup
from sentflow.training.record import RANDOM_WEIGHTS, HeldOutRow, Made, Record
from sentflow.training.settings import shown_start


@dataclass(frozen=True)
class _Step:
    """A row of ``history.parquet``."""

    FILE: ClassVar[str] = "history"

    step: int
    loss: float
    learning_rate: float
    gradient_norm: float
    tokens: int


def history_rows(folder: Path, trained: TrainedRow) -> Iterator[TrainingHistoryRow]:
    """The steps of one training, of its ``history.parquet``."""
    for row in read_rows(folder / "history.parquet", _Step, may_be_empty=True):
        yield TrainingHistoryRow(trained.model, trained.group, trained.seed, **asdict(row))


def held_out_rows(folder: Path, trained: TrainedRow) -> Iterator[TrainingHeldOutRow]:
    """What the snapshots of one training reach on held-out rows, of its ``held-out.parquet``."""
    for row in read_rows(folder / "held-out.parquet", HeldOutRow, may_be_empty=True):
        yield TrainingHeldOutRow(
            trained.model, trained.group, trained.seed, chosen=row.step == trained.chosen, **asdict(row),
            data_version=trained.data_version,
        )  # fmt: skip


def trained_row(folder: Path, about: TrainedGroup) -> TrainedRow:
    """What ``record.json``, ``made.json`` and ``selection.json`` of one training say."""
    record, made = Record.read(folder / "record.json"), Made.read(folder / "made.json")
    chosen = read_sealed(folder / "selection.json")
    return TrainedRow(
        model=record.model,
        model_title=about.title,
        group=about.group,
        is_control=about.control,
        recipe=record.recipe,
        seed=record.seed,
        start=shown_start(record.start.name, drawn=record.start.kind == RANDOM_WEIGHTS),
        data=record.data.name,
        rows=record.data.rows,
        form=record.data.form,
        steps=record.steps,
        tokens=record.tokens,
        rule=str(chosen.get("rule") or ""),
        pairs=str(chosen.get("pairs") or ""),
        chosen=int(chosen["step"]),
        score=number_or_nan(chosen.get("score")),
        device=made.device,
        precision=made.precision,
        threads=made.threads,
        seconds=made.seconds,
        tokens_per_second=made.tokens_per_second,
        memory_mb=made.memory_mb,
        n_resumed=len(made.resumed_at),
        data_version=about.data_version,
        device_memory_mb=number_or_nan(made.device_memory_mb),
    )


def sweep_points(sweeps: Sequence[Mapping[str, Any]], rows: Sequence[TrainingRow]) -> Iterator[SweepPoint]:
    """The development scores of the cells of sweeps, published ones first; see `sweep_cells`."""
    for sweep in sweeps:
        versions = "; ".join(unique(row.data_version for row in rows if row.pairs == sweep["development"]))
        for cell in sweep_cells(sweep, rows):
            for published, value, n_seeds in (
                (True, cell.published_dev, 1),
                (False, cell.dev, cell.n_seeds),
            ):
                if value == value and cell.learning_rate == cell.learning_rate:
                    yield SweepPoint(
                        sweep=cell.sweep,
                        section=cell.section,
                        start=cell.start,
                        data=cell.data,
                        method=cell.method,
                        max_tokens=cell.max_tokens or 0,
                        learning_rate=cell.learning_rate,
                        value=value,
                        n_seeds=n_seeds,
                        published=published,
                        data_version=versions,
                    )
