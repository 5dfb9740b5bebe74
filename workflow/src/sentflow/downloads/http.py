"""HTTP with urllib3's policy of trying again, and a time limit for an answer as a whole.

The policy is not on the adapter of a session, where it would see no more than the head of an answer: a body that
breaks off is continued from where it stopped, so that a loop around the whole transfer is needed anyway.
"""

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import InvalidHeader, MaxRetryError
from urllib3.util import Retry

from sentflow.jobs.secrecy import without_secrets

logger = logging.getLogger(__name__)

# A later try may succeed; every other status of 400 and above is an answer
_PASSING_STATUSES = frozenset({408, 425, 429, *range(500, 600)})
_LONGEST_WAIT_SECONDS = 900.0  # that a server can request: beyond it a waiting job only occupies its place
_CHUNK_BYTES = 1 << 17

Result = TypeVar("Result")


class PassingError(Exception):
    """A try failed in a way that may pass; the message is the reason."""

    def __init__(self, reason: str, retry_after: str = "") -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class GaveUpError(Exception):
    """No try succeeded, or the server asks to wait for too long; the message says why the last one failed."""


class Deadline:
    """A moment after which nothing more is read. `clock`: gives seconds; tests have their own."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock, self._end = clock, clock() + seconds

    def left(self) -> float:
        """Seconds that are left; 0 or less when it is over."""
        return self._end - self._clock()


def retries(attempts: int, *, first_seconds: float = 1.0, longest_seconds: float = 60.0) -> Retry:
    """A policy of so many tries, the second at once and each later one after twice the wait of the one before it."""
    return Retry(
        total=attempts - 1,
        allowed_methods=None,
        status_forcelist=_PASSING_STATUSES,
        backoff_factor=first_seconds,
        backoff_max=longest_seconds,
    )


def refuse_status(response: requests.Response, reason: str) -> None:
    """Raise `PassingError` for a status that a later try may not have."""
    if response.status_code in _PASSING_STATUSES:
        raise PassingError(reason, response.headers.get("Retry-After", ""))


def retried(
    attempt: Callable[[], Result], policy: Retry, *, where: str, deadline: Deadline | None = None
) -> Result:
    """What an attempt gives, which is made again as long as the policy allows.

    `attempt`: raises `PassingError` where it may be made again. `deadline`: of all tries together, if there is one: a
    longer wait is not begun. Raises GaveUpError: with the reason of the last try and the number of tries.
    """
    while True:
        try:
            return attempt()
        except PassingError as error:
            tried = f"{error} (tried {len(policy.history) + 1} times"
            wait = _requested_wait(policy, error.retry_after)
            if wait > min(
                _LONGEST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS if deadline is None else deadline.left()
            ):
                raise GaveUpError(f"{tried}; the server asks to wait {wait:.0f} s)") from None
            try:
                policy = policy.increment(error=error)
            except MaxRetryError:
                raise GaveUpError(f"{tried})") from None
            wait = wait or policy.get_backoff_time()
            logger.warning("%s; trying again in %.1f s", without_secrets(f"{where}: {error}"), wait)
        time.sleep(wait)


def _requested_wait(policy: Retry, retry_after: str) -> float:
    try:
        return policy.parse_retry_after(retry_after)
    except (
        InvalidHeader,
        ValueError,
        OverflowError,
        TypeError,
    ):  # thousands of digits, a date that does not exist
        return 0.0


class HeadInTime(HTTPAdapter):
    """Breaks a connection whose status line and headers are not complete in time: each byte may take a time-out.

    `seconds`: that are left when a request has been sent.
    """

    def __init__(self, seconds: Callable[[], float]) -> None:
        super().__init__()
        self._seconds = seconds

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> Any:
        """The pool of an address, whose connections know of the time."""
        pool: Any = super().get_connection_with_tls_context(*args, **kwargs)
        pool.ConnectionCls = _in_time(type(pool).ConnectionCls, self._seconds)
        return pool


def _in_time(connection_class: Any, seconds: Callable[[], float]) -> Any:
    class Connection(connection_class):  # type: ignore[misc]
        def getresponse(self) -> Any:
            over = threading.Event()
            timer = threading.Timer(max(0.0, seconds()), self._break, [over])
            timer.daemon = True
            timer.start()
            try:
                response = super().getresponse()
            finally:
                timer.cancel()
            if over.is_set():  # headers that end early look complete
                response.close()
                raise TimeoutError
            return response

        def _break(self, over: threading.Event) -> None:
            over.set()
            with suppress(AttributeError, OSError):  # closed already
                self.sock.shutdown(socket.SHUT_RDWR)

    return Connection


def pieces(response: requests.Response, deadline: Deadline) -> Iterator[bytes]:
    """The body of a streamed answer as it was sent, not unpacked, piece by piece as it arrives.

    Raises PassingError: it is not complete before the deadline. The time-outs of requests hold for each single read,
    so that a server that sends a byte now and then never meets them.
    """
    while piece := response.raw.read1(_CHUNK_BYTES, decode_content=False):
        if deadline.left() <= 0:
            raise PassingError("no complete response before the timeout")
        yield piece
