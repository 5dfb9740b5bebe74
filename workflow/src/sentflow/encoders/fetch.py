"""The files of a model: brought into ``weights/`` beside its manifest, or left where they are; verified and described.

The job `fetch_model` finds this module by name: of encoders without such files it depends on nothing here.
"""

import hashlib
import json
import logging
import posixpath
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

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

_RECORD = "weights.json"
_WORD_VECTORS = (".txt", ".vec", ".gz", ".glove", ".w2v")


HUB_HOST = "huggingface.co"
_ANSWER_WITHIN_SECONDS = 10.0
_CLIENT_NOTES = ".cache"  # which files there are and how far they have come


def fetch_model(
    name: str, entry: Mapping[str, Any], folder: Path, *, mirrors: Sequence[str] = ()
) -> Manifest:
    """Obtain a model, verify it and describe it.

    `name`: for messages. `entry`: what `sentflow.encoders.entries.fetch_settings` gives. `folder`: of the manifest;
    fetched weights go into ``weights/`` there. `mirrors`: folders or base URLs, tried first. Raises ConfigError: the
    model cannot be read safely, or what the entry names does not exist. Raises DataError: the model cannot be obtained,
    or a file has another checksum.
    """
    try:
        if entry.get("source") is None:
            return Manifest.of(entry, description_of(entry, folder), {})
        return _Fetch(entry, entry["source"], folder, mirrors).manifest()
    except ConfigError as error:
        raise ConfigError(f"models.{name}: {error}") from error
    except DataError as error:
        raise DataError(f"models.{name}: {error}") from error


@dataclass(frozen=True)
class _Fetch:
    """A model with files, on its way."""

    entry: Mapping[str, Any]
    source: Mapping[str, Any]
    folder: Path
    mirrors: Sequence[str]

    @property
    def allow_pickle(self) -> bool:
        """Whether pytorch_model.bin may be read."""
        return bool(self.entry.get("allow_pickle", False))

    def manifest(self) -> Manifest:
        origin = source_kind(self.source)
        if KINDS[self.entry["kind"]].one_file:
            path = self._one_of_archive() if origin == "archive" else own_file(self.source)
            check_files(path.parent, self.source.get("sha256", {}))
            return Manifest.of(self.entry, description_of(self.entry, path), {path.name: file_sha256(path)})
        if origin in ("hub", "archive"):
            weights, files = self.folder / WEIGHTS, self._fetched()
        else:
            weights = model_folder(self.source, self.folder)
            files = self._checked_files(weights)
        return Manifest.of(self.entry, description_of(self.entry, weights), files)

    def _fetched(self) -> dict[str, str]:
        """Fetch into ``weights/``, unless what lies there came from the same source and is whole."""
        weights = self.folder / WEIGHTS
        request = {"source": self.source, "allow_pickle": self.allow_pickle}
        if (files := self._whole_weights(request)) is not None:
            logger.info("%s exists and its checksums are correct", weights)
            return files
        digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:12]
        part = self.folder / f".{WEIGHTS}.{digest}.part"
        for other in self.folder.glob(f".{WEIGHTS}.*.part"):
            if other != part:
                shutil.rmtree(other)
        part.mkdir(parents=True, exist_ok=True)
        if source_kind(self.source) == "hub":
            self._from_hub(part)
        else:
            self._from_archive(part)
        files = self._checked_files(part)
        description_of(self.entry, part)  # what cannot be read is not kept
        shutil.rmtree(weights, ignore_errors=True)
        part.rename(weights)
        write_json(self.folder / _RECORD, {**request, "files": files})
        return files

    def _whole_weights(self, request: Mapping[str, Any]) -> dict[str, str] | None:
        if not (self.folder / _RECORD).is_file():
            return None
        try:
            record = read_json(self.folder / _RECORD)
            files: dict[str, str] = record.pop("files")
            if record != request:
                return None
            check_files(self.folder / WEIGHTS, files)
        except (OSError, ValueError, KeyError, DataError) as error:
            logger.info("weights are fetched again: %s", error)
            return None
        return files

    def _checked_files(self, folder: Path) -> dict[str, str]:
        check_files(folder, self.source.get("sha256", {}))
        names = model_files(folder, allow_pickle=self.allow_pickle)
        return {name: file_sha256(folder / name) for name in names}

    # --- archives, and files of word vectors --------------------------------------------------------------------

    def _from_archive(self, folder: Path) -> None:
        """Unpack the files of the one model in an archive, without the folders around it."""
        archive = folder / "model.archive"
        place = download(File.model_validate(self.source["archive"]), archive, mirrors=self.mirrors)
        logger.info("unpacking the archive from %s", without_secrets(str(place)))
        names = member_names(archive)
        root = _model_root(names, archive)
        wanted = [
            name
            for name in names
            if name.startswith(root)
            and is_model_file(name.removeprefix(root), allow_pickle=self.allow_pickle)
        ]
        # As streams: weights of some GB need not fit into memory
        for name, member in member_streams(archive, wanted):
            target = folder / name.removeprefix(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as stream:
                shutil.copyfileobj(member, stream)
        archive.unlink()

    def _one_of_archive(self) -> Path:
        """The one file of word vectors in an archive, which stays: its checksum says that all is still right."""
        archive = self.folder / WEIGHTS / "vectors.archive"
        download(File.model_validate(self.source["archive"]), archive, mirrors=self.mirrors)
        names = [name for name in member_names(archive) if name.lower().endswith(_WORD_VECTORS)]
        if len(names) != 1:
            found = ", ".join(sorted(names)[:5]) or "none"
            raise DataError(
                f"{archive} must hold one file of word vectors ({', '.join(_WORD_VECTORS)}), found: {found}. Unpack it "
                "yourself and write source: {file: …}."
            )
        path = self.folder / WEIGHTS / Path(names[0]).name
        try:
            # As a stream: such files have some GB
            for _, member in member_streams(archive, names):
                with atomic(path) as part, part.open("wb") as stream:
                    shutil.copyfileobj(member, stream)
        except DataError as error:
            raise DataError(
                f"{archive}: {names[0]} is damaged ({error}). Delete it and run again."
            ) from error
        return path

    # --- models of the Hugging Face hub, at one commit ----------------------------------------------------------

    def _from_hub(self, folder: Path) -> None:
        """Bring a hub model into a folder that may hold a part of it; mirrors that are folders come first."""
        if problems := revision_problems("source.revision", self.source):
            raise ConfigError(" ".join(problems))
        local = [local_path(mirror) for mirror in self.mirrors if not is_remote(mirror)]
        copies = [mirror / self._mirror_name for mirror in local]
        if copy := next((copy for copy in copies if copy.is_dir()), None):
            logger.info("%s@%s: copied from the mirror %s", self.source["hub"], self.source["revision"], copy)
            safe = any(copy.rglob("*.safetensors"))
            for name in model_files(copy, allow_pickle=self.allow_pickle and not safe):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(copy / name, folder / name)
            return
        if not (folder / _CLIENT_NOTES).is_dir():
            # Without its notes the client takes any files for the whole model if the hub does not answer
            shutil.rmtree(folder, ignore_errors=True)
        self._download(folder, PATTERNS)
        if self.allow_pickle and not any(folder.rglob("*.safetensors")):
            self._download(folder, (PICKLES,))
        shutil.rmtree(folder / _CLIENT_NOTES)

    @property
    def _mirror_name(self) -> str:
        return f"{HUB_HOST}/{self.source['hub']}/resolve/{self.source['revision']}"

    def _download(self, folder: Path, patterns: Sequence[str]) -> None:
        # Attribute of the module, so that tests can replace it; imported here because it takes half a second
        import huggingface_hub

        # It writes to a handler of its own what the log of the job has already
        logging.getLogger("huggingface_hub").handlers.clear()
        hub = self.source["hub"]
        get: Any = partial(
            huggingface_hub.snapshot_download,
            hub,
            revision=self.source["revision"],
            local_dir=folder,
            allow_patterns=list(patterns),
            ignore_patterns=["onnx/*", "openvino/*"],
        )
        try:
            ask_hub()
            _check_size(hub, get(dry_run=True))
            get()
        except ConfigError:
            raise
        # The client raises errors of several HTTP libraries, of the file system and of its own
        except Exception as error:  # noqa: BLE001
            reason = (str(error).strip().splitlines() or ["no reason given"])[0]
            raise DataError(
                f"the hub did not give {hub} at commit {self.source['revision']} ({type(error).__name__}: "
                f"{without_secrets(reason)}). Check both in the model's entry, and the network; a model that needs "
                "permission wants HF_TOKEN. Or name a mirror (a folder) in the config (mirrors: [...]) or in "
                f"{MIRROR_VARIABLE}; the model is looked up there as {self._mirror_name}/."
            ) from error


def ask_hub() -> None:
    """One request, whatever the answer: the client would ask a hub out of reach six times, for half a minute."""
    from huggingface_hub import constants, get_session

    get_session().head(constants.ENDPOINT, timeout=_ANSWER_WITHIN_SECONDS)


def _check_size(hub: str, files: Sequence[Any]) -> None:
    if unknown := [file.filename for file in files if file.file_size is None]:
        raise ConfigError(
            f"the hub does not say how large {unknown[0]} of {hub} is. Fetch the model yourself and write source: "
            "{folder: …}."
        )
    n_bytes = sum(file.file_size for file in files)
    if n_bytes > limits().model_bytes:
        raise ConfigError(
            f"the files of {hub} have {n_bytes} bytes, more than limits.model_bytes allows ({limits().model_bytes}). "
            "If it is the model that you mean, raise the limit."
        )


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


def own_file(source: Mapping[str, Any]) -> Path:
    """The file of word vectors of a source with ``file``."""
    path = model_folder(source, Path()) / Path(source["file"]).name
    if not path.is_file():
        raise ConfigError(
            f"source.file: there is no file {path}. Write the path of a file of word vectors (.txt, .vec or .gz), "
            "beside the configuration file or in the working folder."
        )
    if others := sorted(set(source.get("sha256", {})) - {path.name}):
        raise ConfigError(f"source.sha256: there is one file, {path.name}, but {', '.join(others)} is named.")
    return path
