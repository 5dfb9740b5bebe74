"""Fetches the kind ``word-vectors``."""

import logging
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.config.datasets import File
from sentflow.downloads.download import download
from sentflow.encoders.kinds.word_vector_files import describe_word_vectors
from sentflow.encoders.manifest import WEIGHTS, Manifest, check_files, model_folder, source_kind
from sentflow.errors import ConfigError, DataError
from sentflow.files.archives.members import member_names, member_streams
from sentflow.files.atomic import atomic
from sentflow.files.io import file_sha256

logger = logging.getLogger(__name__)

_ENDINGS = (".txt", ".vec", ".gz", ".glove", ".w2v")
_ARCHIVE = "vectors.archive"


def fetch(entry: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Manifest:
    """Describe a file of word vectors; every line of it is checked.

    Its ``source`` has a ``file`` of this machine, which stays where it is, or an ``archive``, zip or tar, with one such
    file.
    """
    source = entry["source"]
    path = _from_archive(source, folder, mirrors) if source_kind(source) == "archive" else _own_file(source)
    check_files(path.parent, source.get("sha256", {}))
    description = describe_word_vectors(path)
    logger.info("%s: %d words, %d values each", path.name, description.n_words, description.dimension)
    return Manifest(
        kind=entry["kind"],
        dimension=description.dimension,
        source=source,
        files={path.name: file_sha256(path)},
        pooling="mean",
        settings={"n_words": description.n_words},
    )


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


def _from_archive(source: Mapping[str, Any], folder: Path, mirrors: Sequence[str]) -> Path:
    """The one file of word vectors in an archive, which stays: its checksum says that all is still right."""
    archive = folder / WEIGHTS / _ARCHIVE
    file = File.model_validate(source["archive"])
    download(file, archive, mirrors=mirrors)
    names = [name for name in member_names(archive) if name.lower().endswith(_ENDINGS)]
    if len(names) != 1:
        found = ", ".join(sorted(names)[:5]) or "none"
        raise DataError(
            f"{archive} must hold one file of word vectors ({', '.join(_ENDINGS)}), found: {found}. Unpack it "
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
