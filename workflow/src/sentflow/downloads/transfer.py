"""One HTTP address into one file: time-outs, limits, and going on where a broken transfer stopped."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import requests
import urllib3
from tqdm import tqdm

from sentflow.downloads.retries import GaveUpError, PassingError, RetryPolicy, retried
from sentflow.downloads.timed_http import Deadline, timed_session
from sentflow.files.limits import limits

logger = logging.getLogger(__name__)

ATTEMPTS = 4  # per address, unless a caller says otherwise
_CHUNK_BYTES = 1 << 17
_MOST_DIGITS = 18  # of a size; Python makes no number of thousands of digits
_PROGRESS_SECONDS = 15.0
_RANGE_NOT_SATISFIABLE = 416
_FINAL_ERRORS = (
    requests.exceptions.InvalidSchema,
    requests.exceptions.InvalidURL,
    requests.exceptions.SSLError,
    requests.exceptions.TooManyRedirects,
)


@dataclass(frozen=True)
class Patience:
    """How long a server is waited for."""

    # connect_seconds, read_seconds: time-outs of the connection and of each read
    connect_seconds: float = 10.0
    read_seconds: float = 30.0
    # retries: tries per address, and the waits between them
    retries: RetryPolicy = field(default_factory=partial(RetryPolicy.of, ATTEMPTS))
    # stall_seconds, least_bytes_per_second: a transfer that brings less than this rate over this time is broken off: a
    # server that sends a byte now and then never runs into the read time-out. Status line and headers must be there by
    # then.
    stall_seconds: float = 60.0
    least_bytes_per_second: float = 100.0
    clock: Callable[[], float] = time.monotonic  # gives seconds; tests have their own


class TransferError(Exception):
    """An address did not give its file; the message is the reason."""


def fetch(url: str, part: Path, *, patience: Patience, expected_bytes: int | None = None) -> bool:
    """Download an address into `part`, and go on behind the bytes that are already there.

    `part`: may hold the first bytes of an earlier attempt. It stays when the transfer breaks. `expected_bytes`: size
    of the whole file where known: another announced size is refused before the body is read, and nothing is read
    beyond it. Where it is not known, ``limits.download_bytes`` holds. Returns whether the file was put together from
    several transfers, so that a wrong checksum may be the fault of an earlier one. Raises TransferError: the server
    refuses, sends more or takes longer than it may, or all attempts failed.
    """
    deadline = Deadline(limits().download_seconds, patience.clock)

    def attempt() -> bool:
        try:
            return _attempt(url, part, patience, expected_bytes, deadline)
        except PassingError as error:
            if deadline.left() > 0:
                raise
            raise TransferError(
                f"took longer than {deadline.seconds:.0f} s (limits.download_seconds). The part received is "
                "kept: run again to continue from there"
            ) from error

    try:
        return retried(attempt, patience.retries, where=url, deadline=deadline)
    except GaveUpError as error:
        raise TransferError(str(error)) from error


def _attempt(
    url: str, part: Path, patience: Patience, expected_bytes: int | None, deadline: Deadline
) -> bool:
    start = _size(part)
    # Compressed transfer would make offsets and sizes mean something else than bytes of the file.
    headers = {"Accept-Encoding": "identity", "User-Agent": "sentflow"}
    if start:
        headers["Range"] = f"bytes={start}-"
    timeout = (patience.connect_seconds, patience.read_seconds)
    # Status line and headers have the time of a stalled transfer, not that of a whole file
    in_time = Deadline(min(patience.stall_seconds, deadline.left()), patience.clock)
    try:
        with (
            timed_session(in_time) as session,
            session.get(url, headers=headers, stream=True, timeout=timeout) as response,
        ):
            in_time.restart(deadline.left())
            if start and _cannot_go_on(response, start):
                part.unlink()
                return _attempt(url, part, patience, expected_bytes, deadline)
            _check_status(response, patience.retries)
            if response.status_code == requests.codes.ok:
                start = 0  # the server sends the whole file: it knows no ranges
            _check_size(response, start, expected_bytes)
            _save(response, part, start, patience, expected_bytes)
    except _FINAL_ERRORS as error:
        raise TransferError(_short(error)) from error
    except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
        raise PassingError(_short(error)) from error
    return start > 0


def _cannot_go_on(response: requests.Response, start: int) -> bool:
    """Whether a range request was answered with another range, or with none: the file there is shorter."""
    if response.status_code == requests.codes.partial_content:
        return not response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
    return response.status_code == _RANGE_NOT_SATISFIABLE


def _check_status(response: requests.Response, retries: RetryPolicy) -> None:
    status = response.status_code
    if retries.may_pass(status):
        raise PassingError(_status(response), response.headers.get("Retry-After", ""))
    if status not in (requests.codes.ok, requests.codes.partial_content):
        raise TransferError(_status(response))


def _status(response: requests.Response) -> str:
    return f"HTTP {response.status_code} {response.reason}".strip()


def _check_size(response: requests.Response, start: int, expected_bytes: int | None) -> None:
    announced = _announced(response)
    if announced is None:
        return
    n_bytes = start + announced
    if expected_bytes is not None and n_bytes != expected_bytes:
        raise TransferError(f"has {n_bytes} bytes, expected {expected_bytes}")
    if n_bytes > _most_bytes(expected_bytes):
        raise TransferError(f"has {n_bytes} bytes, {_more_than(expected_bytes)}")


def _announced(response: requests.Response) -> int | None:
    """Bytes that the server says it will send; None where it says nothing that could be a size."""
    stated = response.headers.get("Content-Length", "")
    return int(stated) if stated.isdecimal() and len(stated) <= _MOST_DIGITS else None


def _most_bytes(expected_bytes: int | None) -> int:
    return limits().download_bytes if expected_bytes is None else expected_bytes


def _more_than(expected_bytes: int | None) -> str:
    if expected_bytes is not None:
        return f"more than the {expected_bytes} bytes of the catalog"
    return (
        f"more than limits.download_bytes allows ({limits().download_bytes}). If the file is that large, "
        "write its size as bytes next to its checksum, or raise the limit"
    )


def _save(
    response: requests.Response, part: Path, start: int, patience: Patience, expected_bytes: int | None
) -> None:
    """Write the body as it was sent: what the server packed on the way, unasked, would be unpacked without a bound."""
    announced = _announced(response)
    total = None if announced is None else start + announced
    # The bar is for people at a terminal; a log file gets a line now and then instead.
    with (
        part.open("ab" if start else "wb") as file,
        tqdm(total=total, initial=start, unit="B", unit_scale=True, desc=part.name, disable=None) as bar,
    ):
        meter = _Meter(patience, total=total, done=start)
        # read1 gives what has arrived; read would sit until a whole chunk is there, however slowly it drips
        while chunk := response.raw.read1(_CHUNK_BYTES, decode_content=False):
            start += len(chunk)
            if start > _most_bytes(expected_bytes):
                part.unlink()  # there is nothing to go on from
                raise TransferError(f"sends {_more_than(expected_bytes)}")
            file.write(chunk)
            bar.update(len(chunk))
            meter.count(len(chunk))


class _Meter:
    """Watches the rate of a transfer: breaks off a stalled one and logs the progress of a long one."""

    def __init__(self, patience: Patience, *, total: int | None, done: int) -> None:
        self._patience = patience
        self._total = total
        self._done = self._window_done = done
        self._window_start = self._logged = patience.clock()

    def count(self, n_bytes: int) -> None:
        self._done += n_bytes
        now = self._patience.clock()
        if now - self._window_start >= self._patience.stall_seconds:
            rate = (self._done - self._window_done) / (now - self._window_start)
            if rate < self._patience.least_bytes_per_second:
                raise PassingError(f"too slow: {rate:.0f} bytes per second")
            self._window_start, self._window_done = now, self._done
        if now - self._logged >= _PROGRESS_SECONDS:
            of_total = f" of {self._total / 1e6:.1f}" if self._total else ""
            logger.info("%.1f%s MB", self._done / 1e6, of_total)
            self._logged = now


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _short(error: Exception) -> str:
    """One line for the many layers of errors that a network failure is wrapped in."""
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return "no connection before the timeout"
    if isinstance(error, requests.exceptions.Timeout | urllib3.exceptions.TimeoutError):
        return "no response before the timeout"
    if isinstance(error, urllib3.exceptions.ProtocolError):
        return "the connection broke before the end of the file"
    if isinstance(error, requests.exceptions.ConnectionError):
        return f"no connection ({_innermost(error)})"
    return f"{type(error).__name__}: {error}"


def _innermost(error: BaseException) -> str:
    reason: object = error.args[0] if error.args else error
    reason = getattr(reason, "reason", reason)
    return str(reason).rsplit(": ", maxsplit=1)[-1]
