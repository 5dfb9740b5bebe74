"""The files of a model: brought into the cache of the results, or left where they are; verified and described.

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
    Description,
    Manifest,
    check_files,
    description_of,
    is_archived,
    model_folder,
    source_kind,
    unpacked_folder,
)
from sentflow.encoders.safety import PATTERNS, PICKLES, count_parameters, is_model_file, model_files
from sentflow.encoders.settings import KINDS, revision_problems
from sentflow.errors import ConfigError, DataError
from sentflow.files.archives.members import member_names, member_streams
from sentflow.files.archives.pack import is_whole, move_whole
from sentflow.files.io import file_sha256, read_json, write_json
from sentflow.files.limits import limits
from sentflow.jobs.secrecy import without_secrets

logger = logging.getLogger(__name__)

_WORD_VECTORS = (".txt", ".vec", ".gz", ".glove", ".w2v")


HUB_HOST = "huggingface.co"
_ANSWER_WITHIN_SECONDS = 10.0
_CLIENT_NOTES = ".cache"  # which files there are and how far they have come


def fetch_model(name: str, entry: Mapping[str, Any], cache: Path, *, mirrors: Sequence[str] = ()) -> Manifest:
    """Obtain a model, verify it and describe it.

    `name`: of its downloads, and for messages. `entry`: what `sentflow.encoders.entries.fetch_settings` gives. `cache`:
    folder that keeps downloads; files from a hub or an archive are then in its
    `sentflow.encoders.manifest.unpacked_folder`. `mirrors`: folders or base URLs, tried first. Raises ConfigError: the
    model cannot be read safely, or what the entry names does not exist. Raises DataError: the model cannot be obtained,
    or a file has another checksum.
    """
    try:
        if entry.get("source") is None:
            parameters = count_parameters(entry["kind"], cache, ())
            return Manifest.of(entry, description_of(entry, cache), {}, parameters)
        return _Fetch(name, entry, entry["source"], cache, mirrors).manifest()
    except ConfigError as error:
        raise ConfigError(f"models.{name}: {error}") from error
    except DataError as error:
        raise DataError(f"models.{name}: {error}") from error


@dataclass(frozen=True)
class _Fetch:
    """A model with files, on its way."""

    name: str
    entry: Mapping[str, Any]
    source: Mapping[str, Any]
    cache: Path
    mirrors: Sequence[str]

    @property
    def allow_pickle(self) -> bool:
        """Whether pytorch_model.bin may be read."""
        return bool(self.entry.get("allow_pickle", False))

    @property
    def is_one_file(self) -> bool:
        """Whether the model is a file of word vectors."""
        return KINDS[self.entry["kind"]].one_file

    def manifest(self) -> Manifest:
        if is_archived(self.source):
            files = self._fetched()
            folder = unpacked_folder(files, self.cache)
        else:
            folder = own_file(self.source).parent if self.is_one_file else model_folder(self.source)
            files = self._checked_files(folder)
        parameters = count_parameters(self.entry["kind"], folder, files)
        return Manifest.of(self.entry, self._described(folder, files), files, parameters)

    def _described(self, folder: Path, files: Mapping[str, str]) -> Description:
        return description_of(self.entry, folder / next(iter(files)) if self.is_one_file else folder)

    def _fetched(self) -> dict[str, str]:
        """The files that the cache holds; they are fetched unless they came from the same source and are whole."""
        asked = [self.source, self.allow_pickle, self.is_one_file]
        digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:12]
        record = self.cache / "weights" / f"{digest}.json"
        if record.is_file():
            kept: dict[str, str] = read_json(record)
            if is_whole(folder := unpacked_folder(kept, self.cache), kept):
                logger.info("%s exists and its checksums are correct", folder)
                return kept
            logger.info("the files are fetched again: %s is not whole", folder)
        downloads = self.cache / "downloads" / "models" / self.name.replace("/", "-")
        part = downloads / digest / "files"
        part.mkdir(parents=True, exist_ok=True)
        if source_kind(self.source) == "hub":
            self._from_hub(part)
        else:
            self._from_archive(part)
        files = self._checked_files(part)
        for path in list(part.rglob("*")):
            if path.is_file() and path.relative_to(part).as_posix() not in files:
                path.unlink()
        self._described(part, files)  # what cannot be read is not kept
        move_whole(part, unpacked_folder(files, self.cache), files)
        write_json(record, files)
        shutil.rmtree(downloads, ignore_errors=True)  # with what was begun of other sources
        return files

    def _checked_files(self, folder: Path) -> dict[str, str]:
        check_files(folder, self.source.get("sha256", {}))
        if self.is_one_file:
            names = [own_file(self.source).name if "file" in self.source else next(folder.iterdir()).name]
        else:
            names = model_files(folder, allow_pickle=self.allow_pickle)
        return {name: file_sha256(folder / name) for name in names}

    # --- archives, and files of word vectors --------------------------------------------------------------------

    def _from_archive(self, folder: Path) -> None:
        """Unpack the files of the one model in an archive, without the folders around it; or its one file."""
        archive = folder.with_name("model.archive")
        place = download(File.model_validate(self.source["archive"]), archive, mirrors=self.mirrors)
        logger.info("unpacking the archive from %s", without_secrets(str(place)))
        names = member_names(archive)
        shutil.rmtree(folder)  # what a killed job unpacked
        if self.is_one_file:
            root, wanted = _one_file(names, archive)
        else:
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


def _one_file(names: Sequence[str], archive: Path) -> tuple[str, list[str]]:
    """What is before the name of the one file of word vectors in an archive, and its member."""
    found = [name for name in names if name.lower().endswith(_WORD_VECTORS)]
    if len(found) != 1:
        raise DataError(
            f"{archive} must hold one file of word vectors ({', '.join(_WORD_VECTORS)}), found: "
            f"{', '.join(found[:5]) or 'none'}. Unpack it yourself and write source: {{file: …}}."
        )
    return found[0].removesuffix(posixpath.basename(found[0])), found


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
    path = model_folder(source) / Path(source["file"]).name
    if not path.is_file():
        raise ConfigError(
            f"source.file: there is no file {path}. Write the path of a file of word vectors (.txt, .vec or .gz), "
            "beside the configuration file or in the working folder."
        )
    if others := sorted(set(source.get("sha256", {})) - {path.name}):
        raise ConfigError(f"source.sha256: there is one file, {path.name}, but {', '.join(others)} is named.")
    return path
