"""The files of a model: brought into ``weights/`` beside its manifest, or left where they are; verified and described.

The job `fetch_model` finds this module by name: of encoders without such files it depends on nothing here.
"""

import hashlib
import json
import logging
import posixpath
import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from sentflow.config.datasets import File
from sentflow.downloads.download import download
from sentflow.downloads.mirrors import MIRROR_VARIABLE, is_remote, local_path
from sentflow.encoders.manifest import (
    WEIGHTS,
    Manifest,
    check_files,
    description_of,
    model_folder,
    source_kind,
)
from sentflow.encoders.safety import PATTERNS, PICKLES, is_model_file, model_files
from sentflow.encoders.settings import KINDS, revision_problems
from sentflow.errors import ConfigError, DataError
from sentflow.files.archives.members import member_names, member_streams
from sentflow.files.atomic import atomic
from sentflow.files.io import file_sha256, read_json, write_json
from sentflow.files.limits import limits
from sentflow.jobs.secrecy import without_secrets

logger = logging.getLogger(__name__)

Check: TypeAlias = Callable[[Path], Any]

_RECORD = "weights.json"
_WORD_VECTORS = (".txt", ".vec", ".gz", ".glove", ".w2v")


def fetch_model(
    name: str, entry: Mapping[str, Any], folder: Path, *, mirrors: Sequence[str] = ()
) -> Manifest:
    """Obtain a model, verify it and describe it.

    `name`: Of the model, for messages. `entry`: The part of its entry that `sentflow.encoders.entries.fetch_settings`
    gives, without problems. `folder`: Of the manifest; weights that are fetched go into ``weights/`` there. `mirrors`:
    Folders or base URLs, tried first. Raises ConfigError: the model cannot be read safely, or what the entry names does
    not exist. Raises DataError: the model cannot be obtained, or a file has another checksum.
    """
    try:
        return _manifest(entry, folder, mirrors)
    except ConfigError as error:
        raise ConfigError(f"models.{name}: {error}") from error
    except DataError as error:
        raise DataError(f"models.{name}: {error}") from error


def _manifest(entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Manifest:
    source = entry.get("source")
    if source is None:
        return Manifest.of(entry, description_of(entry, folder), {})
    if KINDS[entry["kind"]].one_file:
        path = (
            _one_of_archive(source, folder, mirrors)
            if source_kind(source) == "archive"
            else _own_file(source)
        )
        check_files(path.parent, source.get("sha256", {}))
        return Manifest.of(entry, description_of(entry, path), {path.name: file_sha256(path)})
    allow_pickle = bool(entry.get("allow_pickle", False))
    weights, files = obtain(
        source,
        folder,
        mirrors,
        allow_pickle=allow_pickle,
        check=lambda weights: description_of(entry, weights),
    )
    return Manifest.of(entry, description_of(entry, weights), files)


# --- a folder of files --------------------------------------------------------------------------------------


def obtain(
    source: Mapping[str, Any], folder: Path, mirrors: Sequence[str], *, allow_pickle: bool, check: Check
) -> tuple[Path, dict[str, str]]:
    """The folder with the files of a model, fetched if need be, and their checksums.

    `allow_pickle`: whether pytorch_model.bin may be read. `check`: reads the files in a folder: what cannot be read is
    not kept.
    """
    if source_kind(source) in ("hub", "archive"):
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
    digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:12]
    part = folder / f".{WEIGHTS}.{digest}.part"
    for other in folder.glob(f".{WEIGHTS}.*.part"):
        if other != part:
            shutil.rmtree(other)
    part.mkdir(parents=True, exist_ok=True)
    fetch = fetch_from_hub if source_kind(source) == "hub" else _fetch_from_archive
    fetch(source, part, mirrors=mirrors, allow_pickle=allow_pickle)
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


def _checked_files(folder: Path, source: Mapping[str, Any], *, allow_pickle: bool) -> dict[str, str]:
    check_files(folder, source.get("sha256", {}))
    return {name: file_sha256(folder / name) for name in model_files(folder, allow_pickle=allow_pickle)}


# --- archives -----------------------------------------------------------------------------------------------


def _fetch_from_archive(
    source: Mapping[str, Any], folder: Path, *, mirrors: Sequence[str], allow_pickle: bool
) -> None:
    archive = folder / "model.archive"
    place = download(File.model_validate(source["archive"]), archive, mirrors=mirrors)
    logger.info("unpacking the archive from %s", without_secrets(str(place)))
    unpack_model(archive, folder, allow_pickle=allow_pickle)
    archive.unlink()


def unpack_model(archive: Path, folder: Path, *, allow_pickle: bool) -> None:
    """Unpack the files of the one model in a checked archive, without the folders around it."""
    names = member_names(archive)
    root = _model_root(names, archive)
    wanted = [
        name
        for name in names
        if name.startswith(root) and is_model_file(name.removeprefix(root), allow_pickle=allow_pickle)
    ]
    # As streams: weights of some GB need not fit into memory
    for name, member in member_streams(archive, wanted):
        target = folder / name.removeprefix(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as stream:
            shutil.copyfileobj(member, stream)


def _model_root(names: Sequence[str], archive: Path) -> str:
    """Folder of the model in the archive: the outermost one with modules.json, else with config.json."""
    for mark in ("modules.json", "config.json"):
        roots = sorted({posixpath.dirname(name) for name in names if posixpath.basename(name) == mark})
        depths = [len(root.split("/")) if root else 0 for root in roots]
        outermost = [root for root, depth in zip(roots, depths, strict=True) if depth == min(depths)]
        if len(outermost) > 1:
            raise DataError(f"{archive} holds several models: {', '.join(outermost)}. One was expected.")
        if outermost:
            return f"{outermost[0]}/" if outermost[0] else ""
    raise DataError(f"{archive} holds no model: there is neither a modules.json nor a config.json in it.")


# --- one file of word vectors -------------------------------------------------------------------------------


def _own_file(source: Mapping[str, Any]) -> Path:
    path = model_folder(source, Path()) / Path(source["file"]).name
    if not path.is_file():
        raise ConfigError(
            f"source.file: there is no file {path}. Write the path of a file of word vectors (.txt, .vec or "
            ".gz), relative to the working directory."
        )
    if others := sorted(set(source.get("sha256", {})) - {path.name}):
        raise ConfigError(f"source.sha256: there is one file, {path.name}, but {', '.join(others)} is named.")
    return path


def _one_of_archive(source: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Path:
    """The one file of word vectors in an archive, which stays: its checksum says that all is still right."""
    archive = folder / WEIGHTS / "vectors.archive"
    download(File.model_validate(source["archive"]), archive, mirrors=mirrors)
    names = [name for name in member_names(archive) if name.lower().endswith(_WORD_VECTORS)]
    if len(names) != 1:
        found = ", ".join(sorted(names)[:5]) or "none"
        raise DataError(
            f"{archive} must hold one file of word vectors ({', '.join(_WORD_VECTORS)}), found: {found}. Unpack it "
            "yourself and write source: {file: …}."
        )
    path = folder / WEIGHTS / Path(names[0]).name
    try:
        # As a stream: such files have some GB
        for _, member in member_streams(archive, names):
            with atomic(path) as part, part.open("wb") as stream:
                shutil.copyfileobj(member, stream)
    except DataError as error:
        raise DataError(f"{archive}: {names[0]} is damaged ({error}). Delete it and run again.") from error
    return path


# --- models of the Hugging Face hub, at one commit -------------------------------------------------------------------

HUB_HOST = "huggingface.co"
_ANSWER_WITHIN_SECONDS = 10.0
_CLIENT_NOTES = ".cache"  # which files there are and how far they have come


def fetch_from_hub(
    source: Mapping[str, Any], folder: Path, *, mirrors: Sequence[str], allow_pickle: bool
) -> None:
    """Bring the files of a hub model into a folder; safetensors where there are any.

    `source`: with ``hub`` (owner/name) and ``revision`` (a commit). `folder`: may hold a part of the files from an
    interrupted run. `mirrors`: folders are looked into first; base URLs cannot list a model's files and are passed
    over. `allow_pickle`: whether pytorch_model.bin may be taken where there are no safetensors. Raises ConfigError:
    the source names no commit, or the hub has more bytes of it than the limits allow.
    """
    if problems := revision_problems("source.revision", source):
        raise ConfigError(" ".join(problems))
    copy = _in_mirror(source, mirrors)
    if copy is not None:
        logger.info("%s@%s: copied from the mirror %s", source["hub"], source["revision"], copy)
        _copy(copy, folder, allow_pickle=allow_pickle)
        return
    if not (folder / _CLIENT_NOTES).is_dir():
        # Without its notes the client takes any files for the whole model if the hub does not answer
        shutil.rmtree(folder, ignore_errors=True)
    _download(source, folder, PATTERNS)
    if allow_pickle and not any(folder.rglob("*.safetensors")):
        _download(source, folder, (PICKLES,))
    shutil.rmtree(folder / _CLIENT_NOTES)


def _mirror_name(source: Mapping[str, Any]) -> str:
    return f"{HUB_HOST}/{source['hub']}/resolve/{source['revision']}"


def _in_mirror(source: Mapping[str, Any], mirrors: Sequence[str]) -> Path | None:
    folders = (local_path(mirror) / _mirror_name(source) for mirror in mirrors if not is_remote(mirror))
    return next((folder for folder in folders if folder.is_dir()), None)


def _copy(mirror: Path, folder: Path, *, allow_pickle: bool) -> None:
    names = [path.relative_to(mirror).as_posix() for path in sorted(mirror.rglob("*")) if path.is_file()]
    if any(name.endswith(".safetensors") for name in names):
        allow_pickle = False
    for name in names:
        if is_model_file(name, allow_pickle=allow_pickle):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(mirror / name, folder / name)


def _download(source: Mapping[str, Any], folder: Path, patterns: Sequence[str]) -> None:
    # Attribute of the module, so that tests can replace it; imported here because it takes half a second
    import huggingface_hub

    # It writes to a handler of its own what the log of the job has already
    logging.getLogger("huggingface_hub").handlers.clear()
    get: Any = partial(
        huggingface_hub.snapshot_download,
        source["hub"],
        revision=source["revision"],
        local_dir=folder,
        allow_patterns=list(patterns),
        ignore_patterns=["onnx/*", "openvino/*"],
    )
    try:
        ask_hub()
        _check_size(source, get(dry_run=True))
        get()
    except ConfigError:
        raise
    # The client raises errors of several HTTP libraries, of the file system and of its own
    except Exception as error:  # noqa: BLE001
        raise DataError(
            f"the hub did not give {source['hub']} at commit {source['revision']} "
            f"({type(error).__name__}: {without_secrets(_first_line(error))}). Check both in the model's entry, "
            "and the network; a model that needs permission wants HF_TOKEN. Or name a mirror (a folder) in the "
            f"config (mirrors: [...]) or in {MIRROR_VARIABLE}; the model is looked up there as "
            f"{_mirror_name(source)}/."
        ) from error


def ask_hub() -> None:
    """Ask the hub once whether it is there: the client would ask an unreachable one six times, for half a minute.

    Raises Exception: there was no answer at all, for a reason of the client or of the network; any answer counts.
    """
    from huggingface_hub import constants, get_session

    get_session().head(constants.ENDPOINT, timeout=_ANSWER_WITHIN_SECONDS)


def _check_size(source: Mapping[str, Any], files: Sequence[Any]) -> None:
    if unknown := [file.filename for file in files if file.file_size is None]:
        raise ConfigError(
            f"the hub does not say how large {unknown[0]} of {source['hub']} is. Fetch the model yourself and write "
            "source: {folder: …}."
        )
    n_bytes = sum(file.file_size for file in files)
    if n_bytes > limits().model_bytes:
        raise ConfigError(
            f"the files of {source['hub']} have {n_bytes} bytes, more than limits.model_bytes allows "
            f"({limits().model_bytes}). If it is the model that you mean, raise the limit."
        )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0]
