"""What the log of a failed job says of the failure: its last paragraph, not all that came before."""

from collections.abc import Sequence

from sentflow.files.control_characters import visible

_ERROR = "error: "
_TRACEBACK = "Traceback (most recent call last)"
_INTERRUPTED = "KeyboardInterrupt"
# Of a log without either, and of a traceback.
_LINES = 15


def paragraph(log: str) -> str:
    """The ``error:`` paragraph of a log, else its last traceback, else its last lines; empty for an empty log.

    Parameters
    ----------
    log
        The end of a log file is enough.
    """
    lines = visible(log).rstrip().splitlines()
    if lines[-1:] == [_INTERRUPTED]:
        return "It was interrupted (Ctrl-C)."
    if (first := _last(lines, _ERROR)) is not None:
        return "\n".join(lines[first:])
    if (first := _last(lines, _TRACEBACK)) is not None:
        found = lines[first:]
        return "\n".join(found if len(found) <= _LINES else [found[0], "  …", *found[1 - _LINES :]])
    return "\n".join(lines[-_LINES:])


def _last(lines: Sequence[str], beginning: str) -> int | None:
    return next((n for n in range(len(lines) - 1, -1, -1) if lines[n].startswith(beginning)), None)
