"""The scores of an experiment as every export reads them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.compare.score_rows import ScoreRow
from sentflow.exports.identity import REVISION_DIGITS, ModelName
from sentflow.files.io import read_json
from sentflow.files.rows import read_rows


@dataclass(frozen=True)
class TaskFacts:
    """What an export says about the data of a task."""

    language: str  # ISO 639-1
    data: str  # ``"owner/name"`` of the dataset
    data_revision: str  # 40 hexadecimal digits of the SHA-256 of the task table, where others have a commit


@dataclass(frozen=True)
class ModelFacts(ModelName):
    """What an export says about an encoder."""

    licence: str
    max_tokens: int | None


@dataclass(frozen=True)
class ExportSettings:
    """Tasks and models by name."""

    tasks: Mapping[str, Mapping[str, Any]]
    models: Mapping[str, ModelFacts]

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "ExportSettings":
        """The settings of a job."""
        models = {name: ModelFacts(**facts) for name, facts in settings["models"].items()}
        return cls(settings["tasks"], models)

    def task_facts(self, digests: Mapping[str, str]) -> dict[str, TaskFacts]:
        """The facts of every task; `digests` maps a task to the SHA-256 of its table."""
        return {
            name: TaskFacts(**entry, data_revision=digests[name][:REVISION_DIGITS])
            for name, entry in self.tasks.items()
        }


def read_scores(summary: Path) -> list[ScoreRow]:
    """The rows of the summary."""
    return read_rows(summary, ScoreRow)


def read_digests(files: list[Path]) -> dict[str, str]:
    """Task → SHA-256 of its table, from files ``{task}.json``."""
    return {file.stem: read_json(file)["sha256"] for file in files}


def level_key(level: float) -> str:
    """``0.99`` → ``"ci99"``: the level is part of the key, so that two levels are never taken for one."""
    return f"ci{100 * level:g}"


def finite(value: float) -> float | None:
    """The number, or None where it is undefined: JSON has no NaN."""
    return float(value) if np.isfinite(value) else None
