"""Models of the Hugging Face hub, at one commit."""

import logging
import shutil
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sentflow.downloads.mirrors import MIRROR_VARIABLE, is_remote, local_path
from sentflow.encoders.safety import PATTERNS, PICKLES, is_model_file
from sentflow.encoders.settings import revision_problems
from sentflow.errors import ConfigError, DataError
from sentflow.files.limits import limits
from sentflow.jobs.secrecy import without_secrets

logger = logging.getLogger(__name__)

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
