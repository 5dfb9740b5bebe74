"""A limit to the time that foreign code may take: a process that hangs ends, and says where it hung."""

import faulthandler
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_EXIT_CODE = 2  # as for every error that a user can correct
# Code in C that lets no other thread run is ended from outside Python, this much later and without a sentence.
_GRACE_SECONDS = 5.0


@contextmanager
def time_limit(seconds: float | None, *, what: str, remedy: str) -> Iterator[None]:
    """End this process if the block takes longer; None is no limit.

    Nothing else could be done: Python cannot break off code that does not come back. The log gets the line of every
    thread, then one paragraph.

    `seconds`: above 0.
    """
    if seconds is None:
        yield
        return
    message = f"{what} did not come back within {seconds:g} seconds. {remedy}"
    timer = threading.Timer(seconds, _end, [message])
    timer.daemon = True
    faulthandler.dump_traceback_later(seconds + _GRACE_SECONDS, exit=True, file=2)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        faulthandler.cancel_dump_traceback_later()


def _end(message: str) -> None:
    faulthandler.dump_traceback(file=2)
    os.write(2, f"\nerror: {message}\n".encode())
    os._exit(_EXIT_CODE)
