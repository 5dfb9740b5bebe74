"""Paths in a configuration file: they begin beside the file, or, where nothing is there, in the working folder.

Standard library and PyYAML only: the Snakefile imports this module in every job.
"""

import filecmp
import logging
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError
from sentflow.files.settings_files import read_settings

_PLACES = (
    *(("tasks", "*", "file"), ("training_data", "*", "file"), ("datasets", "*", "files", "*", "urls")),
    *(("corpora", "*", "beir"), ("corpora", "*", "trec")),
    *(("question_sets", "*", "beir"), ("question_sets", "*", "trec"), ("question_sets", "*", "qrels")),
    *(("models", "*", "source", "folder"), ("models", "*", "source", "file"), ("models", "*", "custom")),
    *(("models", "*", "files"), ("retrievers", "*", "files", "*")),
    *(("models", "*", "source", "archive", "urls"), ("analysers", "*", "stop_words", "file"), ("mirrors",)),
)
_CODE = ".py:"  # between the file and the class of a `custom` encoder


def read_configuration_file(file: Path) -> Any:
    """What a configuration file holds; the paths in it lead from the working folder.

    Raises ConfigError: it is no YAML, or a path leads to two different files.
    """
    settings = read_settings(file)
    for place in _PLACES:
        settings = _with_paths(settings, place, file)
    return settings


def _with_paths(value: Any, place: Sequence[str], file: Path) -> Any:
    if not place:
        if isinstance(value, list):
            return [_from_here(one, file) for one in value]
        return _from_here(value, file)
    if not isinstance(value, dict) or "package" in value:  # whose folder is one of the package
        return value
    key, *rest = place
    names = [name for name in value if key in ("*", name)]
    return {**value, **{name: _with_paths(value[name], rest, file) for name in names}}


def _from_here(address: Any, file: Path) -> Any:
    """A path that begins beside a file, as one that begins in the working folder."""
    if not isinstance(address, str) or "://" in address or address.startswith("~"):
        return address
    name, mark, attribute = address.partition(_CODE)
    here = Path(name + mark.rstrip(":"))
    beside = file.absolute().parent / here
    if here.is_absolute() or not name:
        return address
    is_here, is_beside = map(os.path.exists, (here, beside))  # no error for what cannot be a name
    if (
        is_here
        and is_beside
        and not beside.samefile(here)
        and (here.is_dir() or not filecmp.cmp(here, beside))
    ):
        raise ConfigError(
            f"{file}: {here} is beside this file and, with other contents, in {Path.cwd()}. Write the whole path of "
            f"the one that is meant, for example {beside.resolve()}, or remove the other."
        )
    if is_here and not is_beside:
        _notice(f"{file}: {here} is not beside this file. The one in {Path.cwd()} is used.")
    if is_here or not is_beside:
        return address
    folder = os.path.relpath(beside.parent.resolve(), Path.cwd())
    return str(Path(folder, beside.name)) + (f":{attribute}" if mark else "")


@cache  # a command may read a file several times
def _notice(text: str) -> None:
    logging.getLogger(__name__).warning(text)
