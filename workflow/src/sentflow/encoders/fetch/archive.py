"""Models that are published as an archive, zip or tar."""

import logging
import posixpath
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.config.datasets import File
from sentflow.downloads.download import download
from sentflow.encoders.fetch.file_names import is_model_file
from sentflow.errors import DataError
from sentflow.files.archives.members import member_names, member_streams
from sentflow.jobs.secrecy import without_secrets

logger = logging.getLogger(__name__)


def fetch_from_archive(
    source: Mapping[str, Any], folder: Path, *, mirrors: Sequence[str], allow_pickle: bool
) -> None:
    """Download the archive of a model, check it, and unpack the files of the model into a folder.

    `source`: with ``archive``: ``urls`` and ``sha256``. `allow_pickle`: whether pytorch_model.bin is unpacked too.
    Raises DataError: no place has the archive with the right checksum, it is not safe to read, or it holds no model.
    """
    archive = folder / "model.archive"
    file = File.model_validate(source["archive"])
    place = download(file, archive, mirrors=mirrors)
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
        outermost = [root for root in roots if _depth(root) == min(map(_depth, roots))]
        if len(outermost) > 1:
            raise DataError(f"{archive} holds several models: {', '.join(outermost)}. One was expected.")
        if outermost:
            return f"{outermost[0]}/" if outermost[0] else ""
    raise DataError(f"{archive} holds no model: there is neither a modules.json nor a config.json in it.")


def _depth(folder: str) -> int:
    return len(folder.split("/")) if folder else 0
