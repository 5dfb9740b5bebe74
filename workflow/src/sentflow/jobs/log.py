"""Logging and exit codes of jobs."""

import logging
import platform
import shlex
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

from sentflow.errors import SentflowError
from sentflow.files.atomic import NO_ROOM, NOT_ALLOWED, not_a_file, not_written
from sentflow.files.control_characters import visible
from sentflow.jobs.lifeline import end_with_snakemake
from sentflow.jobs.machine import library_version
from sentflow.jobs.secrecy import without_secrets

logger = logging.getLogger(__name__)


def start_log(words: Sequence[str], libraries: Sequence[str] = ()) -> None:
    """Send log records to standard error, without secrets; first the command as it could be typed, then the versions.

    `words`: name and options of the job. `libraries`: distributions whose versions can change the result.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logger.info("python -P -m sentflow.jobs %s", shlex.join(words))
    versions = " ".join(f"{library}={library_version(library)}" for library in libraries)
    logger.info("python=%s %s", platform.python_version(), versions)


def exit_with(main: Callable[[], int]) -> None:
    """Run a command and exit: 0 when done, 2 with one paragraph for an error that people can mend.

    That is a `SentflowError`, a file that cannot be written, or too little memory. Any other exception is a defect of
    the program and keeps its traceback (exit code 1). Passwords and tokens are hidden in both. The process ends with
    the Snakemake that began it, see `sentflow.jobs.lifeline`.
    """
    sys.excepthook = _tell
    try:
        end_with_snakemake()
        sys.exit(main())
    except SentflowError as error:
        said = without_secrets(str(error))
    except IsADirectoryError as error:
        said = not_a_file(Path(error.filename or ""))
    except MemoryError as error:
        said = f"not enough memory{f': {error}' if str(error) else ''}"
    except OSError as error:
        if error.errno not in NO_ROOM | NOT_ALLOWED or not error.filename:
            raise
        said = not_written(Path(error.filename), error)
    sys.stderr.write(visible(f"\nerror: {said}\n"))
    sys.exit(2)


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return visible(without_secrets(super().format(record)))


def _tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    sys.stderr.write(visible(without_secrets("".join(traceback.format_exception(kind, error, trace)))))
