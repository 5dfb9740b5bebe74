"""Errors for people: they end a command with one paragraph and no traceback."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from difflib import get_close_matches

from sentflow.files.control_characters import visible
from sentflow.jobs.secrecy import without_secrets

logger = logging.getLogger(__name__)


class SentflowError(Exception):
    """Something a user can correct. The message says what is wrong, where, and what to write instead.

    What a message quotes may come from a file or service from outside: characters that a terminal would obey are
    written out, and secrets that it repeats are hidden.
    """

    def __str__(self) -> str:
        return visible(without_secrets(super().__str__()), only_printable=True)


class ConfigError(SentflowError):
    """The configuration or the catalog asks for something that does not exist or does not fit."""


class DataError(SentflowError):
    """A file is missing, damaged, or not in the form that its reader needs."""


@contextmanager
def naming(part: str) -> Iterator[None]:
    """Name the part of a job that fails inside, before what a user can correct, or below the traceback."""
    try:
        yield
    except SentflowError as error:
        raise type(error)(f"{part}: {error}") from error
    except Exception as error:
        error.add_note(f"Part of the job: {part}")
        raise


@contextmanager
def parts() -> Iterator[Callable[[str], AbstractContextManager[None]]]:
    """Make the parts of a job, each inside ``part(name)``; in the end, one error names all that failed.

    Snakemake then deletes what the others wrote, and the next run makes it again.
    """
    failed: list[SentflowError] = []

    @contextmanager
    def part(name: str) -> Iterator[None]:
        try:
            with naming(name):
                yield
        except SentflowError as error:
            failed.append(error)
        except (MemoryError, OSError):
            raise
        except Exception as error:  # a mistake in the code of one is no reason to say nothing of the others
            logger.exception(name)
            failed.append(DataError(f"{name}: {type(error).__name__}: {error}"))

    yield part
    if failed:
        raise type(failed[0])("\n".join(map(str, failed)))


def instead(name: str, known: Iterable[str]) -> str:
    """What to write instead of a name that does not exist: the nearest one, and all in their order."""
    names = list(known)
    if not names:
        return "There is none at all."
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    guess = f"Did you mean {near[0]}? " if near else ""
    return f"{guess}Write one of: {', '.join(names)}."


def listed(items: Iterable[str], limit: int = 20) -> str:
    """Items for a message: the first few, the rest as a count."""
    items = list(items)
    return ", ".join(items[:limit]) + (f" and {len(items) - limit} more" if len(items) > limit else "")


def no_pattern(pattern: str) -> str:
    """What to say of text that is no regular expression; empty where it is one."""
    try:
        re.compile(pattern)
    except re.error as error:
        return f"{pattern!r} is no regular expression ({error}). Write another one."
    return ""
