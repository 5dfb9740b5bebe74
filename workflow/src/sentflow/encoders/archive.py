"""Models that are published as a zip."""

import logging
import posixpath
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.data.archives import member_names
from sentflow.data.checksums import CatalogFile
from sentflow.data.download import download
from sentflow.encoders.model_files import is_model_file
from sentflow.errors import DataError

logger = logging.getLogger(__name__)


def fetch_from_archive(
    source: Mapping[str, Any], folder: Path, *, mirrors: Sequence[str], allow_pickle: bool
) -> None:
    """Download the zip of a model, check it, and unpack the files of the model into a folder.

    Parameters
    ----------
    source
        With ``archive``: ``urls`` and ``sha256``.
    folder
        The zip lies there while it is needed, so that an interrupted download goes on.
    mirrors
        Folders or base URLs, tried first.
    allow_pickle
        Whether pytorch_model.bin is unpacked too.

    Raises
    ------
    DataError
        No place has the zip with the right checksum, it is not safe to read, or it holds no model.
    """
    zip_path = folder / "model.zip"
    file = CatalogFile.from_settings(source["archive"], where="source.archive")
    place = download(file, zip_path, mirrors=mirrors)
    logger.info("unpacking the zip from %s", place)
    unpack_model(zip_path, folder, allow_pickle=allow_pickle)
    zip_path.unlink()


def unpack_model(zip_path: Path, folder: Path, *, allow_pickle: bool) -> None:
    """Unpack the files of the one model in a checked zip, without the folders around it.

    Raises
    ------
    DataError
        The zip holds no model, or several.
    """
    names = member_names(zip_path)
    root = _model_root(names, zip_path)
    with zipfile.ZipFile(zip_path) as archive:
        for name in names:
            below_root = name.removeprefix(root)
            if name.startswith(root) and is_model_file(below_root, allow_pickle=allow_pickle):
                target = folder / below_root
                target.parent.mkdir(parents=True, exist_ok=True)
                # As a stream: weights of some GB need not fit into memory
                with archive.open(name) as member, target.open("wb") as stream:
                    shutil.copyfileobj(member, stream)


def _model_root(names: Sequence[str], zip_path: Path) -> str:
    """Folder of the model in the archive: the outermost one with modules.json, else with config.json."""
    for mark in ("modules.json", "config.json"):
        roots = sorted({posixpath.dirname(name) for name in names if posixpath.basename(name) == mark})
        outermost = [root for root in roots if _depth(root) == min(map(_depth, roots))]
        if len(outermost) > 1:
            raise DataError(f"{zip_path} holds several models: {', '.join(outermost)}. One was expected.")
        if outermost:
            return f"{outermost[0]}/" if outermost[0] else ""
    raise DataError(f"{zip_path} holds no model: there is neither a modules.json nor a config.json in it.")


def _depth(folder: str) -> int:
    return len(folder.split("/")) if folder else 0
