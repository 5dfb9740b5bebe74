"""HTTP whose answer is bounded as a whole, from the status line to the last byte.

The time-outs of requests hold for each single read, so a server that sends a byte now and then never meets them.
"""

import io
import time
from collections.abc import Callable
from functools import partial
from http.client import HTTPResponse
from socket import socket
from typing import Any

import requests
from requests.adapters import HTTPAdapter

_CHUNK_BYTES = 1 << 17


class Deadline:
    """A moment after which nothing more is read. `clock`: gives seconds; tests have their own."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.restart(seconds)

    def restart(self, seconds: float) -> None:
        """Begin again, for another request of the same session."""
        self.seconds = seconds
        self._end = self._clock() + seconds

    def left(self) -> float:
        """Seconds that are left; 0 or less when it is over."""
        return self._end - self._clock()


def timed_session(deadline: Deadline) -> requests.Session:
    """A session whose answers must be there before a deadline; a later read is a time-out like any other."""
    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, _TimedAdapter(deadline))
    return session


def read_body(response: requests.Response, limit: int) -> bytes | None:
    """The body of a streamed answer as it was sent, not unpacked; None if it is larger than a limit."""
    found = bytearray()
    while chunk := response.raw.read1(_CHUNK_BYTES, decode_content=False):
        found += chunk
        if len(found) > limit:
            return None
    return bytes(found)


class _TimedAdapter(HTTPAdapter):
    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        super().__init__()

    def init_poolmanager(self, *args: Any, **keys: Any) -> None:
        super().init_poolmanager(*args, **keys)
        self._time_pools(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **keys: Any) -> Any:
        known = proxy in self.proxy_manager
        manager = super().proxy_manager_for(proxy, **keys)
        if not known:
            self._time_pools(manager)
        return manager

    def send(self, *args: Any, **keys: Any) -> requests.Response:
        response = super().send(*args, **keys)
        if response.is_redirect:
            response.close()  # requests would read its body, of any size, before it goes on
        return response

    def _time_pools(self, manager: Any) -> None:
        manager.pool_classes_by_scheme = {
            scheme: _timed_pool(pool, self._deadline)
            for scheme, pool in manager.pool_classes_by_scheme.items()
        }


def _timed_pool(pool: Any, deadline: Deadline) -> type:
    """A class of pools whose connections give timed answers; whatever else the pool does (proxies) stays."""
    answers = partial(_TimedResponse, deadline=deadline)
    connection = type("TimedConnection", (pool.ConnectionCls,), {"response_class": answers})
    return type("TimedPool", (pool,), {"ConnectionCls": connection})


class _TimedResponse(HTTPResponse):
    def __init__(self, sock: socket, *args: Any, deadline: Deadline, **keys: Any) -> None:
        super().__init__(sock, *args, **keys)
        self.fp = io.BufferedReader(_TimedReads(self.fp.detach(), sock, deadline))


class _TimedReads(io.RawIOBase):
    """Reads of a socket, none of which waits beyond a deadline."""

    def __init__(self, raw: io.RawIOBase, sock: socket, deadline: Deadline) -> None:
        self._raw = raw
        self._socket = sock
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline.left()
        if left <= 0:
            raise TimeoutError("the complete response took too long")
        of_one_read = self._socket.gettimeout()
        self._socket.settimeout(left if of_one_read is None else min(left, of_one_read))
        try:
            return self._raw.readinto(buffer)
        finally:
            self._socket.settimeout(of_one_read)

    def close(self) -> None:
        self._raw.close()
        super().close()
