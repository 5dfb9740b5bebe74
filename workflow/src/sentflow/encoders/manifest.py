"""The manifest of a model: what was fetched, and what its files say about it."""

import atexit
import hashlib
import importlib.util
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from sentflow.encoders.settings import KINDS
from sentflow.errors import ConfigError, DataError
from sentflow.files.archives.limits import name_fault
from sentflow.files.io import file_sha256, read_json, write_json
from sentflow.flow import paths

# Keys of a source that say where the files come from; a package has a folder too
SOURCE_KEYS = ("hub", "package", "archive", "folder", "file", "trained")
# Sources of which the results hold the files, as an archive; those of others are at the same place on every machine
ARCHIVED = frozenset({"hub", "archive", "trained"})


@dataclass(frozen=True)
class Description:
    """What the files of a model, or its entry, say of its vectors."""

    # dimension: of the vectors, at most for TF-IDF; None where the files do not say, or each fold has its own
    dimension: int | None
    # pooling: how token vectors become one, e.g. ``"mean"``, ``"cls"``, ``"cls+max"``; None without such a step
    pooling: str | None = None
    # max_tokens: tokens of a text that the model reads unless told otherwise; None is no limit
    max_tokens: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)  # further keys of the entry, by kind
    # source, files: where these are not those that its entry names
    source: Mapping[str, Any] | None = None
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Manifest(Description):
    """What `fetch_model` found out about a model; `files` are all that are read, by their names in its folder."""

    kind: str  # of encoder, see `sentflow.encoders.settings.KINDS`
    revision: str | None = None  # commit of a model from the hub, else None
    # parameters: trained values, 0 for none, None where only loading would tell; see `sentflow.encoders.safety`
    parameters: float | None = None

    @classmethod
    def of(
        cls,
        entry: Mapping[str, Any],
        description: Description,
        files: Mapping[str, str],
        parameters: float | None,
    ) -> Self:
        """Of an entry with files that are described."""
        source = description.source or entry.get("source")
        revision = source.get("revision") if source else None
        own = {**vars(description), "source": source, "files": {**files, **description.files}}
        return cls(kind=entry["kind"], revision=revision, parameters=parameters, **own)

    @property
    def files_sha256(self) -> str | None:
        """One checksum over names and contents of all files; None if there are none."""
        return sha256_of(self.files) if self.files else None


def sha256_of(files: Mapping[str, str]) -> str:
    """One checksum of files by their names and checksums."""
    return hashlib.sha256(json.dumps(dict(files), sort_keys=True).encode()).hexdigest()


def description_of(entry: Mapping[str, Any], place: Path) -> Description:
    """What the function of a kind says of an entry whose files are at a place; of kinds without one, the entry."""
    if describes := KINDS[entry["kind"]].described_by:
        module, _, name = describes.partition(":")
        described: Description = getattr(import_module(module), name)(entry, place)
        return described
    settings = {key: value for key, value in entry.items() if key != "kind"}
    # TF-IDF says how many values there are at most
    return Description(settings.get("dimension", settings.get("max_features")), settings=settings)


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write a manifest as JSON."""
    write_json(path, asdict(manifest))


def read_manifest(path: Path) -> Manifest:
    """Read what `write_manifest` wrote."""
    try:
        manifest = Manifest(**read_json(path))
        names = () if manifest.kind == "custom" else manifest.files.keys()
    except (AttributeError, TypeError) as error:
        raise DataError(
            f"{path} is not a readable manifest of a model ({error}). Delete it and run snakemake again."
        ) from error
    for name in names:
        if fault := name_fault(name):
            raise DataError(
                f"{path}: the file {name!r} {fault}. Delete the manifest and run snakemake again."
            )
    return manifest


def source_kind(source: Mapping[str, Any]) -> str:
    """``"hub"``, ``"package"``, ``"archive"``, ``"folder"`` or ``"file"``."""
    return next(kind for kind in SOURCE_KEYS if kind in source)


def is_archived(source: Mapping[str, Any] | None) -> bool:
    """Whether the results hold the files of a source, see `ARCHIVED`."""
    return bool(ARCHIVED & (source or {}).keys())


def unpacked_folder(files: Mapping[str, str], cache: Path) -> Path:
    """Where a cache holds these files of a model."""
    return cache / "weights" / sha256_of(files)


def model_folder(source: Mapping[str, Any]) -> Path:
    """The folder with the files of a model whose source is a package, a folder or a file."""
    kind = source_kind(source)
    if kind == "file":
        return Path(source["file"]).expanduser().parent
    folder = Path(source["folder"]).expanduser()
    if kind == "package":
        folder = _package_folder(source) / source["folder"]
    if not folder.is_dir():
        raise ConfigError(
            f"source.folder: there is no folder {folder}. Write the folder that holds the model's "
            "config.json" + (", relative to the package." if kind == "package" else ".")
        )
    return folder


def checked_folder(manifest: Manifest, model_files: Path | None) -> Path:
    """The folder with the files of a model, which are those of its manifest.

    `model_files`: their archive where `is_archived`, which is unpacked into the cache of its results.
    """
    if manifest.source is None:
        raise ConfigError(
            f"the manifest of a {manifest.kind} model names no source. Delete it and run again."
        )
    if not is_archived(manifest.source):
        folder = model_folder(manifest.source)
        check_files(folder, manifest.files)
        return folder
    if model_files is None:
        raise ConfigError(
            f"the files of a {manifest.kind} model are in an archive, which was not given. Write the path of its "
            "weights.tar."
        )
    return _unpacked(model_files, manifest.files)


def manifest_of_archive(model_files: Path, entry: Mapping[str, Any]) -> Manifest:
    """Of an encoder that was trained here, by its archive and an entry with its ``kind`` and ``source``."""
    from sentflow.encoders.safety import count_parameters
    from sentflow.files.archives.pack import checksums_of

    files = checksums_of(model_files)
    folder = _unpacked(model_files, files)
    parameters = count_parameters(entry["kind"], folder, files)
    return Manifest.of(entry, description_of(entry, folder), files, parameters)


def _unpacked(model_files: Path, files: Mapping[str, str]) -> Path:
    """In the cache; or until this process ends, where nothing can be written, and of snapshots, which are many."""
    # Not above: the Snakefile reads this module in every job
    from sentflow.files.archives.pack import unpack

    folder = unpacked_folder(files, paths.cache_beside(model_files, paths.WEIGHTS, paths.SNAPSHOT))
    is_snapshot = model_files.parent.name == Path(paths.SNAPSHOT).parent.name
    is_writable = _is_writable(folder)
    if not folder.is_dir() and (is_snapshot or not is_writable):
        folder = _place_of_process(folder.parent if is_writable else None) / folder.name
    unpack(model_files, files, folder)
    return folder


@cache
def _place_of_process(beside: Path | None) -> Path:
    """A folder that is deleted with this process; if it is killed, by the next one that has one in the same place."""
    from sentflow.files.archives.pack import own_place

    place = Path(tempfile.mkdtemp()) if beside is None else own_place(beside / "snapshots")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def _is_writable(folder: Path) -> bool:
    return os.access(next(parent for parent in folder.absolute().parents if parent.is_dir()), os.W_OK)


def check_files(folder: Path, expected: Mapping[str, str]) -> None:
    """Compare files with their checksums."""
    problems = []
    for name, checksum in sorted(expected.items()):
        path = folder / name
        if not path.is_file():
            problems.append(f"{name} is missing")
        elif (found := file_sha256(path)) != checksum.lower():
            problems.append(f"{name} has SHA-256 {found}, expected {checksum.lower()}")
    if problems:
        raise DataError(
            f"{folder} does not hold the model that was asked for: {'; '.join(problems)}. Restore the files, "
            "or if the change is meant, correct the checksum in the model's entry and delete its manifest."
        )


def _package_folder(source: Mapping[str, Any]) -> Path:
    # A module's own code is not run: only its place is looked up.
    spec = importlib.util.find_spec(source["module"])
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(
            f"source.module: the package {source['package']} with the module {source['module']} is not "
            f"installed in this environment. Install it: pip install {source['package']}."
        )
    return Path(spec.submodule_search_locations[0])
