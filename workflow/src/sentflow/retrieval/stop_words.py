"""Terms that an analyser drops: lists of bm25s, or a user's file with one term per line."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.config.search import StopList
from sentflow.errors import ConfigError, DataError
from sentflow.texts.decoding import decode

_OTHER_NAMES = {
    "STOPWORDS_EN": "english",
    "STOPWORDS_EN_PLUS": "english-long",
}  # of bm25s; others have the language's name


def stop_words(settings: str | Sequence[str] | StopList, *, where: str) -> frozenset[str]:
    """The terms that are dropped.

    `settings`: name of a list of bm25s (``english``, …); the terms themselves; or a file, whose digest may be left
    out.
    """
    if isinstance(settings, str):
        return frozenset(_known_list(settings, where))
    if isinstance(settings, StopList):
        return _of_file(settings, where)
    return frozenset(settings)


def with_checksum(settings: StopList, *, where: str) -> StopList:
    """File and checksum of a list: what decides a job that reads it. Raises ConfigError: there is no such file."""
    return StopList(file=settings.file, sha256=settings.sha256 or _sha256(_content(settings.file, where)))


def list_problems(settings: Any, *, where: str) -> list[str]:
    """A problem if the file of a list is not there, or is another one."""
    if not isinstance(settings, Mapping):
        return []
    try:
        _of_file(StopList.model_validate(settings), where)
    except (ConfigError, DataError) as error:
        return [str(error)]
    return []


def _of_file(settings: StopList, where: str) -> frozenset[str]:
    content = _content(settings.file, where)
    found = _sha256(content)
    if settings.sha256 not in (None, found):
        raise DataError(
            f"{where}: {settings.file} has the SHA-256 {found}, expected {settings.sha256}. Bring that file, or "
            "name a list of yours as an analyser of its own."
        )
    lines = decode(content, "utf-8", where=settings.file).splitlines()
    words = frozenset(filter(None, (line.strip() for line in lines)))
    if not words:
        raise DataError(f"{where}: {settings.file} holds no term. Write one per line.")
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
