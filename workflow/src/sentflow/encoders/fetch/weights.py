"""The files of a model: fetched into ``weights/`` from hub or archive, or left where they are."""

import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from sentflow.encoders.fetch.archive import fetch_from_archive
from sentflow.encoders.fetch.file_names import model_files
from sentflow.encoders.fetch.hub import fetch_from_hub
from sentflow.encoders.manifest import WEIGHTS, check_files, model_folder, source_kind
from sentflow.errors import DataError
from sentflow.files.io import file_sha256, read_json, write_json

logger = logging.getLogger(__name__)

Check: TypeAlias = Callable[[Path], Any]

_FETCHERS = {"hub": fetch_from_hub, "archive": fetch_from_archive}
_RECORD = "weights.json"


def obtain(
    source: Mapping[str, Any], folder: Path, mirrors: Sequence[str], *, allow_pickle: bool, check: Check
) -> tuple[Path, dict[str, str]]:
    """The folder with the files of a model, fetched if need be, and their checksums.

    `allow_pickle`: whether pytorch_model.bin may be read. `check`: reads the files in a folder: what cannot be read is
    not kept.
    """
    if source_kind(source) in _FETCHERS:
        files = _fetched(source, folder, mirrors, allow_pickle=allow_pickle, check=check)
        return folder / WEIGHTS, files
    weights = model_folder(source, folder)
    return weights, _checked_files(weights, source, allow_pickle=allow_pickle)


def _fetched(
    source: Mapping[str, Any], folder: Path, mirrors: Sequence[str], *, allow_pickle: bool, check: Check
) -> dict[str, str]:
    """Fetch into ``weights/``, unless what lies there came from the same source and is whole."""
    request = {"source": source, "allow_pickle": allow_pickle}
    if (files := _whole_weights(folder, request)) is not None:
        logger.info("%s exists and its checksums are correct", folder / WEIGHTS)
        return files
    part = folder / f".{WEIGHTS}.{_digest(request)}.part"
    _remove_other_parts(folder, part)
    part.mkdir(parents=True, exist_ok=True)
    _FETCHERS[source_kind(source)](source, part, mirrors=mirrors, allow_pickle=allow_pickle)
    files = _checked_files(part, source, allow_pickle=allow_pickle)
    check(part)
    shutil.rmtree(folder / WEIGHTS, ignore_errors=True)
    part.rename(folder / WEIGHTS)
    write_json(folder / _RECORD, {**request, "files": files})
    return files


def _whole_weights(folder: Path, request: Mapping[str, Any]) -> dict[str, str] | None:
    if not (folder / _RECORD).is_file():
        return None
    try:
        record = read_json(folder / _RECORD)
        files: dict[str, str] = record.pop("files")
        if record != request:
            return None
        check_files(folder / WEIGHTS, files)
    except (OSError, ValueError, KeyError, DataError) as error:
        logger.info("weights are fetched again: %s", error)
        return None
    return files


def _remove_other_parts(folder: Path, part: Path) -> None:
    for other in folder.glob(f".{WEIGHTS}.*.part"):
        if other != part:
            shutil.rmtree(other)


def _checked_files(folder: Path, source: Mapping[str, Any], *, allow_pickle: bool) -> dict[str, str]:
    check_files(folder, source.get("sha256", {}))
    return {name: file_sha256(folder / name) for name in model_files(folder, allow_pickle=allow_pickle)}


def _digest(request: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:12]
