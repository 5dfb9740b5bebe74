"""Where the state of a training lies until Snakemake has its outputs, and what is deleted then."""

import hashlib
import json
import logging
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from sentflow.encoders.manifest import read_manifest
from sentflow.files.io import file_sha256
from sentflow.files.storage import Storage
from sentflow.flow.paths import CACHE, TRAINING_RECORD, cache_beside
from sentflow.training.settings import TrainingRun

logger = logging.getLogger(__name__)


def state_folder(
    record: Path,
    settings: TrainingRun,
    start: Path,
    files: Sequence[Path],
    code: str,
    versions: Mapping[str, str],
) -> Path:
    """The folder of a training, named by its model and a key of all that its weights are a function of.

    `record`: its output, which says where the results are. `files`: rows, and those of a teacher. The same training in
    another workflow or on another machine has the same name, so that either may go on with what the other has saved.
    """
    contents = [file_sha256(path) for path in files]
    parts = (settings.as_dict(), contents, read_manifest(start).files_sha256, code, versions)
    key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
    folder = _states(record) / f"{settings.model}-{key}"
    if others := [other for other in _of_model(record, settings.model) if other != folder]:
        size = sum(file.stat().st_size for other in others for file in other.rglob("*") if file.is_file())
        logger.info(
            "%d states of other settings, data or code (%.1f MB) are deleted when this training has ended: %s",
            *(len(others), size / 1e6, ", ".join(map(str, others))),
        )
    return folder


def drop_states(record: Path, model: str, copies: Sequence[str] = (), storage: Storage | None = None) -> None:
    """Delete all states of an encoder, also those of settings that were given up, and these copies."""
    for folder in _of_model(record, model):
        shutil.rmtree(folder, ignore_errors=True)
    if storage:
        for name in copies:
            storage.delete(name)


def storage_of_states(given: Mapping[str, str] | None) -> Storage | None:
    """Where copies of states are, by ``provider`` and ``prefix`` of the default storage of the run, if it has one."""
    if given is None:
        return None
    return Storage(given["provider"], f"{given['prefix'].rstrip('/')}/{CACHE}/training")


def _states(record: Path) -> Path:
    return cache_beside(record, TRAINING_RECORD) / "training"


def _of_model(record: Path, model: str) -> list[Path]:
    named = re.compile(re.escape(model) + "-[0-9a-f]{16}")
    return [path for path in sorted(_states(record).glob("*")) if named.fullmatch(path.name)]
