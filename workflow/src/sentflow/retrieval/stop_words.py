"""Terms that an analyser drops: lists of bm25s, or a user's file with one term per line."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError, DataError
from sentflow.texts.decoding import decode

_OTHER_NAMES = {
    "STOPWORDS_EN": "english",
    "STOPWORDS_EN_PLUS": "english-long",
}  # of bm25s; others have the language's name


def stop_words(settings: str | Sequence[str] | Mapping[str, Any], *, where: str) -> frozenset[str]:
    """The terms that are dropped.

    Parameters
    ----------
    settings
        Name of a list of bm25s (``english``, …); the terms themselves; or ``{"file": path, "sha256": digest}``, where
        the digest may be left out.
    where
        Place of these, for messages.

    Raises
    ------
    ConfigError
        There is no such list, or no such file.
    DataError
        The file has another checksum, is not UTF-8, or holds no term.
    """
    if isinstance(settings, str):
        return frozenset(_known_list(settings, where))
    if isinstance(settings, Mapping):
        return _of_file(settings, where)
    return frozenset(settings)


def file_settings(settings: Mapping[str, Any], *, where: str) -> dict[str, str]:
    """File and checksum of a list: what decides a job that reads it.

    Raises
    ------
    ConfigError
        There is no such file.
    """
    return {"sha256": _sha256(_content(settings["file"], where)), **settings}


def list_problems(settings: Any, *, where: str) -> list[str]:
    """A problem if the file of a list is not there, or is another one."""
    if not isinstance(settings, Mapping):
        return []
    try:
        _of_file(settings, where)
    except (ConfigError, DataError) as error:
        return [str(error)]
    return []


def _of_file(settings: Mapping[str, Any], where: str) -> frozenset[str]:
    content = _content(settings["file"], where)
    found = _sha256(content)
    if settings.get("sha256", found) != found:
        raise DataError(
            f"{where}: {settings['file']} has the SHA-256 {found}, expected {settings['sha256']}. Bring that file, or "
            "name a list of yours as an analyser of its own."
        )
    lines = decode(content, "utf-8", where=str(settings["file"])).splitlines()
    words = frozenset(filter(None, (line.strip() for line in lines)))
    if not words:
        raise DataError(f"{where}: {settings['file']} holds no term. Write one per line.")
    return words


def _content(file: str, where: str) -> bytes:
    path = Path(file).expanduser()
    if not path.is_file():
        raise ConfigError(
            f"{where}.file: there is no file {file} (searched for in {Path.cwd()}). Write the path of a text file with "
            "one term per line."
        )
    return path.read_bytes()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _known_list(name: str, where: str) -> Sequence[str]:
    from bm25s import stopwords

    lists = {
        _OTHER_NAMES.get(key, key).removeprefix("STOPWORDS_").lower(): value
        for key, value in vars(stopwords).items()
        if key.startswith("STOPWORDS_") and isinstance(value, tuple | list)
    }
    if name not in lists:
        raise ConfigError(
            f"{where}: there is no list {name!r}. Write one of: {', '.join(sorted(lists))}; the words themselves; or "
            "file: <path>."
        )
    found: Sequence[str] = lists[name]
    return found
