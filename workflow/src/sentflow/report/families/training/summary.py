"""Records, histories and scores of trainings → the rows of their summaries."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.files.io import read_sealed
from sentflow.files.parquet import read_parquet, readable
from sentflow.files.rows import read_rows, row_from
from sentflow.report.families.geometry.rows import AlignmentRow
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.families.training.rows import (
    ALIGNMENT,
    DEVELOPMENT,
    SPEARMAN,
    TEST,
    UNIFORMITY,
    SweepPoint,
    TrainedRow,
    TrainingHeldOutRow,
    TrainingHistoryRow,
    TrainingRow,
)
from sentflow.report.families.training.sweeps import sweep_cells
from sentflow.report.rows import unique
from sentflow.report.settings import TrainedGroup, TrainingScores
from sentflow.training.record import RANDOM_WEIGHTS, HeldOutRow, Made, Record
from sentflow.training.settings import shown_start

# --- scores ------------------------------------------------------------------------------------------------


def development_rows(
    snapshots: Sequence[Mapping[str, Any]], chosen: Mapping[str, int], settings: TrainingScores
) -> Iterator[TrainingRow]:
    """The numbers of snapshots, as rule score_snapshots wrote them; `chosen`: encoder → the step of its snapshot."""
    for one in snapshots:
        for measure, value in one["measures"].items():
            about = {"model": one["model"], "step": one["step"], "split": DEVELOPMENT, "measure": measure}
            yield _row(about, one["pairs"], value, chosen, settings)


def test_rows(
    similarity: Sequence[SimilarityRow],
    alignments: Sequence[AlignmentRow],
    chosen: Mapping[str, int],
    settings: TrainingScores,
) -> list[TrainingRow]:
    """The numbers of the encoders on pair sets that were not chosen by: Spearman over all pairs, and geometry."""
    plain = ("cosine", "spearman", "all")
    numbers = [
        (row.model, row.pairs, SPEARMAN, row.value)
        for row in similarity
        if (row.measure, row.coefficient, row.aggregation) == plain
    ]
    for row in alignments:
        # An alignment of several sets has no column; variants of the definition are other measures
        if row.pairs in settings.pairs and (row.variant, row.sentences) == ("definition", "all"):
            numbers.append((row.model, row.pairs, ALIGNMENT, row.alignment))
            numbers.append((row.model, row.pairs, UNIFORMITY, row.uniformity))
    rows: dict[TrainingRow, None] = {}
    for model, pairs, measure, value in numbers:
        if model in chosen:
            about = {"model": model, "step": chosen[model], "split": TEST, "measure": measure}
            rows[_row(about, pairs, value, chosen, settings)] = None
    return list(rows)


def _row(
    about: Mapping[str, Any],
    pairs: str,
    value: float | None,
    chosen: Mapping[str, int],
    settings: TrainingScores,
) -> TrainingRow:
    known = {**dict(settings.models[about["model"]]), **dict(settings.pairs[pairs]), **about, "value": value}
    return row_from(TrainingRow, known, pairs=pairs, selected=about["step"] == chosen[about["model"]])


# --- trainings as jobs -------------------------------------------------------------------------------------


def history_rows(folder: Path, trained: TrainedRow) -> Iterator[TrainingHistoryRow]:
    """The steps of one training, of its ``history.parquet``."""
    file = folder / "history.parquet"
    with readable(file, "Parquet file"):
        steps = read_parquet(file).to_pylist()
    for step in steps:
        yield row_from(TrainingHistoryRow, {**vars(trained), **step})


def held_out_rows(folder: Path, trained: TrainedRow) -> Iterator[TrainingHeldOutRow]:
    """What the snapshots of one training reach on held-out rows, of its ``held-out.parquet``."""
    for row in read_rows(folder / "held-out.parquet", HeldOutRow, may_be_empty=True):
        yield row_from(TrainingHeldOutRow, vars(trained) | vars(row), chosen=row.step == trained.chosen)


def trained_row(folder: Path, about: TrainedGroup) -> TrainedRow:
    """What ``record.json``, ``made.json`` and ``selection.json`` of one training say."""
    record, made = Record.read(folder / "record.json"), Made.read(folder / "made.json")
    chosen = read_sealed(folder / "selection.json")
    data, start = record.data, shown_start(record.start.name, drawn=record.start.kind == RANDOM_WEIGHTS)
    own = {"model_title": about.title, "group": about.group, "is_control": about.control}
    own |= {"start": start, "data": data.name, "rows": data.rows, "form": data.form}
    own |= {"rule": str(chosen.get("rule") or ""), "pairs": str(chosen.get("pairs") or "")}
    own |= {"chosen": int(chosen["step"]), "score": chosen.get("score"), "n_resumed": len(made.resumed_at)}
    return row_from(TrainedRow, {**vars(made), **vars(record), **own, "data_version": about.data_version})


def sweep_points(sweeps: Sequence[Mapping[str, Any]], rows: Sequence[TrainingRow]) -> Iterator[SweepPoint]:
    """The development scores of the cells of sweeps, published ones first; see `sweep_cells`."""
    for sweep in sweeps:
        version = "; ".join(unique(row.data_version for row in rows if row.pairs == sweep["development"]))
        for cell in sweep_cells(sweep, rows):
            scores = ((True, cell["published_dev"], 1), (False, cell["dev"], cell["n_seeds"]))
            for published, value, n_seeds in scores:
                if value == value and cell["learning_rate"] == cell["learning_rate"]:
                    own = {
                        "value": value,
                        "n_seeds": n_seeds,
                        "published": published,
                        "data_version": version,
                    }
                    yield row_from(SweepPoint, {**cell, **own}, max_tokens=cell["max_tokens"] or 0)
