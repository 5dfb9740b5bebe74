"""Logging and exit codes of the commands."""

import argparse
import logging
import platform
import shlex
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sentflow.errors import SentflowError
from sentflow.io import NO_ROOM, NOT_ALLOWED, not_written
from sentflow.lifeline import end_with_snakemake

logger = logging.getLogger(__name__)


def start_log(name: str, args: argparse.Namespace, libraries: Sequence[str] = ()) -> None:
    """Send log records to standard error; first the command as it could be typed, then the versions.

    Parameters
    ----------
    name
        Of the command module, e.g. ``"probe"``.
    args
        The parsed arguments.
    libraries
        Distributions whose versions can change the result.
    """
    logging.basicConfig(
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
        datefmt="%Y-%m-%d %H:%M:%S",
        stream=sys.stderr,
        force=True,
    )
    logger.info("python -m sentflow.commands.%s %s", name, shlex.join(_as_typed(args)))
    versions = " ".join(f"{library}={library_version(library)}" for library in libraries)
    logger.info("python=%s %s", platform.python_version(), versions)


def library_version(distribution: str) -> str:
    """Installed version of a distribution, or ``"absent"``; nothing is imported."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "absent"


def exit_with(main: Callable[[], int]) -> None:
    """Run a command and exit: 0 when done, 2 with one paragraph for a `SentflowError` or a file that cannot be written.

    The process ends with the Snakemake that began it, see `sentflow.lifeline`. Any other exception is a defect of the
    program and keeps its traceback (exit code 1).
    """
    try:
        end_with_snakemake()
        sys.exit(main())
    except SentflowError as error:
        sys.stderr.write(f"\nerror: {error}\n")
        sys.exit(2)
    except OSError as error:
        if error.errno not in NO_ROOM | NOT_ALLOWED or not error.filename:
            raise
        sys.stderr.write(f"\nerror: {not_written(Path(error.filename), error)}\n")
        sys.exit(2)


def _as_typed(args: argparse.Namespace) -> list[str]:
    words: list[str] = []
    for name, value in vars(args).items():
        if value is None or value == []:
            continue
        words.append("--" + name.replace("_", "-"))
        words.extend(str(item) for item in value) if isinstance(value, list) else words.append(str(value))
    return words
