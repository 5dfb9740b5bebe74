"""One HTTP address into one file: time-outs, limits, and going on where a broken transfer stopped."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
import urllib3
from tqdm import tqdm
from urllib3.util import Retry

from sentflow.downloads.http import (
    Deadline,
    GaveUpError,
    HeadInTime,
    PassingError,
    pieces,
    refuse_status,
    retried,
    retries,
)
from sentflow.files.limits import limits

logger = logging.getLogger(__name__)

_ATTEMPTS = 4  # per address
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

    timeout: tuple[float, float] = (10.0, 30.0)  # seconds for the connection, and for each read
    retries: Retry = field(default_factory=lambda: retries(_ATTEMPTS))
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
    start = part.stat().st_size if part.exists() else 0
    # Compressed transfer would make offsets and sizes mean something else than bytes of the file.
    headers = {"Accept-Encoding": "identity", "User-Agent": "sentflow"}
    if start:
        headers["Range"] = f"bytes={start}-"
    try:
        with (
            _session(deadline) as session,
            session.get(url, headers=headers, stream=True, timeout=patience.timeout) as response,
        ):
            if start and _cannot_go_on(response, start):
                part.unlink()
                return _attempt(url, part, patience, expected_bytes, deadline)
            refuse_status(response, _status(response))
            if response.status_code not in (requests.codes.ok, requests.codes.partial_content):
                raise TransferError(_status(response))
            if response.status_code == requests.codes.ok:
                start = 0  # the server sends the whole file: it knows no ranges
            _save(response, part, start, expected_bytes, deadline)
    except _FINAL_ERRORS as error:
        raise TransferError(_short(error)) from error
    except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
        raise PassingError(_short(error)) from error
    return start > 0


def _session(deadline: Deadline) -> requests.Session:
    session = requests.Session()
    session.hooks["response"] = _close_redirect
    for scheme in ("http://", "https://"):
        session.mount(scheme, HeadInTime(deadline.left))
    return session


def _close_redirect(response: requests.Response, **_: Any) -> None:
    """Close a redirection, whose body, of any size, requests would read before it goes on."""
    if response.is_redirect:
        response.close()


def _cannot_go_on(response: requests.Response, start: int) -> bool:
    """Whether a range request was answered with another range, or with none: the file there is shorter."""
    if response.status_code == requests.codes.partial_content:
        return not response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
    return response.status_code == _RANGE_NOT_SATISFIABLE


def _status(response: requests.Response) -> str:
    return f"HTTP {response.status_code} {response.reason}".strip()


def _save(
    response: requests.Response, part: Path, start: int, expected_bytes: int | None, deadline: Deadline
) -> None:
    """Write the body as it was sent: what the server packed on the way, unasked, would be unpacked without a bound."""
    total = _total(response, start)
    most, more = _limit(expected_bytes)
    if total is not None and expected_bytes not in (None, total):
        raise TransferError(f"has {total} bytes, expected {expected_bytes}")
    if total is not None and total > most:
        raise TransferError(f"has {total} bytes, {more}")
    logged = time.monotonic()
    # The bar is for people at a terminal; a log file gets a line now and then instead.
    with (
        part.open("ab" if start else "wb") as file,
        tqdm(total=total, initial=start, unit="B", unit_scale=True, desc=part.name, disable=None) as bar,
    ):
        for piece in pieces(response, deadline):
            start += len(piece)
            if start > most:
                part.unlink()  # there is nothing to go on from
                raise TransferError(f"sends {more}")
            file.write(piece)
            bar.update(len(piece))
            if time.monotonic() - logged >= _PROGRESS_SECONDS:
                logger.info("%.1f%s MB", start / 1e6, f" of {total / 1e6:.1f}" if total else "")
                logged = time.monotonic()


def _total(response: requests.Response, start: int) -> int | None:
    """Bytes of the whole file, by what the server says that it will send; None where that could be no size."""
    stated = response.headers.get("Content-Length", "")
    return start + int(stated) if stated.isdecimal() and len(stated) <= _MOST_DIGITS else None


def _limit(expected_bytes: int | None) -> tuple[int, str]:
    """The most bytes that are read, and what to say of more."""
    if expected_bytes is not None:
        return expected_bytes, f"more than the {expected_bytes} bytes of the catalog"
    most = limits().download_bytes
    return most, (
        f"more than limits.download_bytes allows ({most}). If the file is that large, "
        "write its size as bytes next to its checksum, or raise the limit"
    )


def _short(error: Exception) -> str:
    """One line for the many layers of errors that a network failure is wrapped in."""
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return "no connection before the timeout"
    if isinstance(error, requests.exceptions.Timeout | urllib3.exceptions.TimeoutError):
        return "no response before the timeout"
    if isinstance(error, urllib3.exceptions.ProtocolError):
        return "the connection broke before the end of the file"
    if isinstance(error, requests.exceptions.ConnectionError):
        reason: object = error.args[0] if error.args else error
        return f"no connection ({str(getattr(reason, 'reason', reason)).rsplit(': ', maxsplit=1)[-1]})"
    return f"{type(error).__name__}: {error}"
