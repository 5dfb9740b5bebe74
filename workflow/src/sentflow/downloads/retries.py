"""One policy of trying again, for downloads and for services: what may pass, how long to wait, when to give up.

The policy is urllib3's, but not on the adapter of a session, where it would see no more than the head of an answer:

- a body that breaks off is gone on from where it stopped, so that a loop around the whole transfer is needed anyway,
  and two loops would multiply the tries;
- urllib3 would try again after a failed TLS handshake, and would sleep beyond the time limit of the whole transfer;
- its log shows addresses with all that stands in them;
- a ``Retry-After`` of thousands of digits, or of a date that does not exist, would end in a traceback.
"""

import logging
import time
from collections.abc import Callable
from typing import Self, TypeVar

from urllib3.exceptions import InvalidHeader, MaxRetryError
from urllib3.util import Retry

from sentflow.downloads.timed_http import Deadline
from sentflow.jobs.secrecy import without_secrets

logger = logging.getLogger(__name__)

# A later try may succeed; every other status of 400 and above is an answer
_PASSING_STATUSES = frozenset({408, 425, 429, *range(500, 600)})
_LONGEST_ASKED_SECONDS = 900.0  # beyond it a job that waits only occupies its place

Result = TypeVar("Result")


class PassingError(Exception):
    """A try failed in a way that may pass; the message is the reason."""

    def __init__(self, reason: str, retry_after: str = "") -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class GaveUpError(Exception):
    """No try succeeded, or the server asks to wait for too long; the message says why the last one failed."""


class RetryPolicy(Retry):
    """How often and when to try again: after twice the time from try to try, or when the server asks for it."""

    @classmethod
    def of(cls, attempts: int, *, first_seconds: float = 1.0, longest_seconds: float = 60.0) -> Self:
        """A policy of so many tries, with a first and a longest wait."""
        if attempts < 1:
            raise ValueError(f"attempts must be at least 1, not {attempts}")
        return cls(
            total=attempts - 1,
            allowed_methods=None,
            status_forcelist=_PASSING_STATUSES,
            backoff_factor=first_seconds,
            backoff_max=longest_seconds,
        )

    def may_pass(self, status: int) -> bool:
        """Whether a later try may end in another status."""
        return self.is_retry("GET", status)

    def get_backoff_time(self) -> float:
        """Seconds before the next try; urllib3 would not wait before the second."""
        return float(min(self.backoff_max, self.backoff_factor * 2 ** (len(self.history) - 1)))

    def parse_retry_after(self, retry_after: str) -> float:
        """Seconds that a server asks to wait, from a number or a date; 0 where it says neither."""
        try:
            return super().parse_retry_after(retry_after)
        except (InvalidHeader, ValueError, OverflowError, TypeError):
            return 0.0


def retried(
    attempt: Callable[[], Result], policy: RetryPolicy, *, where: str, deadline: Deadline | None = None
) -> Result:
    """What an attempt gives, which is made again as long as the policy allows.

    `attempt`: raises `PassingError` where it may be made again. `deadline`: of all tries together, if there is one: a
    longer wait is not begun. Raises GaveUpError: with the reason of the last try and the number of tries.
    """
    while True:
        try:
            return attempt()
        except PassingError as error:
            n_tried = len(policy.history) + 1
            asked = policy.parse_retry_after(error.retry_after)
            longest = (
                _LONGEST_ASKED_SECONDS if deadline is None else min(_LONGEST_ASKED_SECONDS, deadline.left())
            )
            if asked > longest:
                raise GaveUpError(
                    f"{error} (tried {n_tried} times; the server asks to wait {asked:.0f} s)"
                ) from None
            try:
                policy = policy.increment(error=error)
            except MaxRetryError:
                raise GaveUpError(f"{error} (tried {n_tried} times)") from None
            pause = asked or policy.get_backoff_time()
            logger.warning("%s; trying again in %.1f s", without_secrets(f"{where}: {error}"), pause)
        time.sleep(pause)
