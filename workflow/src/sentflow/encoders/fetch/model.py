"""From a model entry to a manifest, with the weights where the manifest says."""

import hashlib
import json
import logging
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.encoders.entries import (
    API,
    CUSTOM,
    MODEL2VEC,
    NEURAL_KINDS,
    SCIKIT_LEARN,
    TFIDF,
    TRANSFORMERS,
    WORD_VECTORS,
    custom_files,
    custom_problems,
    entry_problems,
    source_kind,
)
from sentflow.encoders.fetch.archive import fetch_from_archive
from sentflow.encoders.fetch.hub import fetch_from_hub
from sentflow.encoders.fetch.model_files import ModelDescription, describe, describe_plain, model_files
from sentflow.encoders.kinds.custom_class import read_class
from sentflow.encoders.manifest import WEIGHTS, Manifest, check_files, file_sha256, model_folder
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import read_json, write_json
from sentflow.jobs.log import library_version

logger = logging.getLogger(__name__)

_FETCHERS = {"hub": fetch_from_hub, "archive": fetch_from_archive}
_RECORD = "weights.json"


def fetch_model(
    name: str, entry: Mapping[str, Any], folder: Path, *, mirrors: Sequence[str] = ()
) -> Manifest:
    """Obtain a model, verify it and describe it.

    Parameters
    ----------
    name
        Of the model, for messages.
    entry
        Its entry in the catalog, or the part that `kinds.fetch_settings` gives.
    folder
        Of the manifest; weights that are fetched go into ``weights/`` there.
    mirrors
        Folders or base URLs, tried first.

    Raises
    ------
    ConfigError
        The entry is wrong, or the model cannot be read safely.
    DataError
        The model cannot be obtained, or a file has another checksum.
    """
    if problems := entry_problems(name, entry):
        raise ConfigError("\n".join(problems))
    if entry["kind"] == CUSTOM:
        return custom_manifest(name, entry)
    try:
        return _manifest(entry, folder, mirrors)
    except ConfigError as error:
        raise ConfigError(f"models.{name}: {error}") from error
    except DataError as error:
        raise DataError(f"models.{name}: {error}") from error


def _manifest(entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Manifest:
    if entry["kind"] in NEURAL_KINDS:
        return _neural_manifest(entry, folder, mirrors)
    if entry["kind"] == MODEL2VEC:
        return _model2vec_manifest(entry, folder, mirrors)
    if entry["kind"] == WORD_VECTORS:
        from sentflow.encoders.fetch.word_vectors import word_vector_manifest

        return word_vector_manifest(entry, folder, mirrors)
    return _manifest_without_files(entry)


def _manifest_without_files(entry: Mapping[str, Any]) -> Manifest:
    settings = {key: value for key, value in entry.items() if key != "kind"}
    if entry["kind"] == SCIKIT_LEARN:
        from sentflow.encoders.kinds.scikit_learn import ScikitLearnEncoder

        ScikitLearnEncoder.from_settings(settings)  # what cannot be built is told before any fold
    if entry["kind"] == API:
        settings.setdefault("request_dimension", False)
    dimension = settings.get("max_features" if entry["kind"] == TFIDF else "dimension")
    return Manifest(kind=entry["kind"], dimension=dimension, settings=settings)


def _model2vec_manifest(entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Manifest:
    from sentflow.encoders.kinds.model2vec import describe_model2vec

    weights, files = _obtained(entry["source"], folder, mirrors, allow_pickle=False)
    description = describe_model2vec(weights)
    return _described(entry, files, description, settings={})


def custom_manifest(name: str, entry: Mapping[str, Any]) -> Manifest:
    """The manifest of a user's own encoder; `name` is for messages.

    The class is read, not run: that is left to the jobs that have the memory and the time for it.

    Raises
    ------
    ConfigError
        The class, its arguments, files or libraries are not in order.
    """
    if problems := custom_problems(name, entry):
        raise ConfigError("\n".join(problems))
    libraries = {library: library_version(library) for library in entry.get("libraries", [])}
    if absent := [library for library, version in libraries.items() if version == "absent"]:
        raise ConfigError(
            f"models.{name}.libraries: {', '.join(absent)} is not installed in this environment. Write names as pip "
            "has them (scikit-learn, not sklearn), or install what is missing."
        )
    found = read_class(entry["custom"])
    return Manifest(
        kind=CUSTOM,
        dimension=None,
        source={"custom": entry["custom"]},
        files={file: file_sha256(Path(file)) for file in custom_files(entry)},
        settings={
            "class": found.name,
            "level": found.level,
            "lazy": found.lazy,
            "arguments": dict(entry.get("arguments", {})),
            "libraries": libraries,
        },
    )


def _neural_manifest(entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Manifest:
    source, allow_pickle = entry["source"], entry.get("allow_pickle", False)
    weights, files = _obtained(source, folder, mirrors, allow_pickle=allow_pickle)
    read = describe_plain if entry["kind"] == TRANSFORMERS else describe
    description = read(weights, allow_pickle=allow_pickle)
    return _described(entry, files, description, settings={"allow_pickle": allow_pickle})


def _described(
    entry: Mapping[str, Any],
    files: Mapping[str, str],
    description: ModelDescription,
    *,
    settings: Mapping[str, Any],
) -> Manifest:
    return Manifest(
        kind=entry["kind"],
        dimension=description.dimension,
        source=entry["source"],
        revision=entry["source"].get("revision"),
        files=files,
        pooling=description.pooling,
        max_tokens=description.max_tokens,
        settings=settings,
    )


def _obtained(
    source: Mapping[str, Any], folder: Path, mirrors: Sequence[str], *, allow_pickle: bool
) -> tuple[Path, dict[str, str]]:
    """The folder with the files of a model, fetched if need be, and their checksums."""
    if source_kind(source) in _FETCHERS:
        files = _fetch_weights(source, folder, mirrors=mirrors, allow_pickle=allow_pickle)
        return folder / WEIGHTS, files
    weights = model_folder(source, folder)
    return weights, _checked_files(weights, source, allow_pickle=allow_pickle)


def _fetch_weights(
    source: Mapping[str, Any], folder: Path, *, mirrors: Sequence[str], allow_pickle: bool
) -> dict[str, str]:
    """Fetch into ``weights/``, unless what lies there came from the same source and is whole."""
    request = {"source": source, "allow_pickle": allow_pickle}
    if (files := _whole_weights(folder, request)) is not None:
        logger.info("%s is there and its checksums are right", folder / WEIGHTS)
        return files
    part = folder / f".{WEIGHTS}.{_digest(request)}.part"
    _remove_other_parts(folder, part)
    part.mkdir(parents=True, exist_ok=True)
    _FETCHERS[source_kind(source)](source, part, mirrors=mirrors, allow_pickle=allow_pickle)
    files = _checked_files(part, source, allow_pickle=allow_pickle)
    describe(part, allow_pickle=allow_pickle)  # what cannot be read gets no name
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
