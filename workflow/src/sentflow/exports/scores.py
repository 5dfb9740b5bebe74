"""The scores of an experiment as every export reads them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sentflow.compare.score_rows import ScoreRow
from sentflow.exports.identity import REVISION_DIGITS, TaskName
from sentflow.files.io import read_json
from sentflow.files.rows import read_rows


@dataclass(frozen=True)
class TaskFacts:
    """What an export says about the data of a task."""

    language: str  # ISO 639-1
    data: str  # ``"owner/name"`` of the dataset
    data_revision: str  # 40 hexadecimal digits of the SHA-256 of the task table, where others have a commit


def task_facts(tasks: Mapping[str, TaskName], digests: Sequence[Path]) -> dict[str, TaskFacts]:
    """The facts of every task; `digests` are files ``{task}.json`` with the SHA-256 of its table."""
    revisions = {file.stem: read_json(file)["sha256"][:REVISION_DIGITS] for file in digests}
    return {name: TaskFacts(task.language, task.data, revisions[name]) for name, task in tasks.items()}


def read_scores(summary: Path) -> list[ScoreRow]:
    """The rows of the summary."""
    return read_rows(summary, ScoreRow)


def level_key(level: float) -> str:
    """``0.99`` → ``"ci99"``: the level is part of the key, so that two levels are never taken for one."""
    return f"ci{100 * level:g}"


def finite(value: float) -> float | None:
    """The number, or None where it is undefined: JSON has no NaN."""
    return float(value) if np.isfinite(value) else None
