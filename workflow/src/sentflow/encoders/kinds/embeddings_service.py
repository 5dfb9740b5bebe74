"""One request to a service that speaks the OpenAI embeddings format: retries, time-outs, and few of its own words."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import requests
import urllib3
from requests.auth import AuthBase

from sentflow.downloads.http import (
    Deadline,
    GaveUpError,
    PassingError,
    pieces,
    refuse_status,
    retried,
    retries,
)
from sentflow.encoders.kinds.service_keys import read_key
from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.errors import DataError
from sentflow.files.io import parse_json
from sentflow.jobs.secrecy import without_secrets

_CONNECT_SECONDS = 10.0
_SHOWN_CHARACTERS = 300
_STATUSES = frozenset(HTTPStatus)


@dataclass(frozen=True)
class Connection(EncoderSettings):
    """How a service is reached; none of this changes what it answers."""

    # key_variable: environment variable that holds the key, see `sentflow.encoders.kinds.service_keys`; None for a
    # service that asks for none
    key_variable: str | None = None
    batch_texts: int = 64  # texts of a request at most
    timeout_seconds: float = 60  # how long an answer is waited for
    attempts: int = 6  # tries of a request, at least 1


class _Bearer(AuthBase):
    """Sets the header of the key, or none; as an object, so that requests looks for no other key in ~/.netrc."""

    def __init__(self, key: str | None) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key}"
        return request


class EmbeddingsService:
    """Asks an address for answers in JSON.

    `url`: http(s) address that takes the requests. `clock`: gives seconds; tests have their own. Raises ConfigError:
    there is no key, or it is not for this address, see `sentflow.encoders.kinds.service_keys`.
    """

    def __init__(
        self, url: str, connection: Connection, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._url = url
        self._connection = connection
        self._policy = retries(connection.attempts)
        self._clock = clock
        self._session = requests.Session()
        # What is packed could unpack to any size
        self._session.headers["Accept-Encoding"] = "identity"
        variable = connection.key_variable
        self._session.auth = _Bearer(None if variable is None else read_key(variable, url))

    def post(self, body: Mapping[str, Any], *, most_bytes: int) -> Any:
        """Send one request, again and again while the trouble may pass; gives the answer, read as JSON.

        Raises DataError: the service refuses, its answer has more than so many bytes, or all tries failed.
        """
        try:
            return retried(lambda: self._attempt(body, most_bytes), self._policy, where=self._url)
        except GaveUpError as error:
            raise DataError(
                f"{self._url}: {error}. What is done is kept: run snakemake again later, or raise attempts "
                "in the model's entry."
            ) from None

    def _attempt(self, body: Mapping[str, Any], most_bytes: int) -> Any:
        timeout = (_CONNECT_SECONDS, self._connection.timeout_seconds)
        deadline = Deadline(self._connection.timeout_seconds, self._clock)
        try:
            # A redirection would carry texts to an address that nobody named
            with self._session.post(
                self._url, json=body, timeout=timeout, allow_redirects=False, stream=True
            ) as response:
                # the body of a redirection is not read; its status is told below
                content = b"" if response.is_redirect else _body(response, most_bytes, deadline)
        except requests.exceptions.SSLError as error:
            raise DataError(f"{self._url}: no safe connection ({type(error).__name__}).") from None
        except (
            requests.ConnectionError,
            requests.Timeout,
            requests.exceptions.ChunkedEncodingError,
        ) as error:
            raise PassingError(_reason(error)) from None
        except urllib3.exceptions.ReadTimeoutError:
            raise PassingError("no complete response before the timeout") from None
        except urllib3.exceptions.HTTPError:
            raise PassingError("the response ended early") from None
        except requests.RequestException as error:
            raise DataError(f"{self._url}: {_shown(str(error))}") from None
        text = "" if content is None else content.decode("utf-8", errors="replace")
        self._check_status(response, text)
        if content is None:
            raise DataError(
                f"{self._url}: the answer has more than {most_bytes} bytes, more than the vectors that "
                "were asked for "
                "need. Write a smaller batch_texts in the model's entry, or raise limits.answer_bytes."
            )
        if (packed := response.headers.get("Content-Encoding", "identity").lower()) != "identity":
            raise DataError(
                f"{self._url}: the answer is packed ({_shown(packed)}), although it was asked for as it is; "
                "it could unpack to any size. Let the service send plain JSON."
            )
        try:
            return parse_json(content)
        except ValueError:
            raise DataError(
                f"{self._url}: the answer is no JSON, but begins {_shown(text)!r}. Write the address "
                "that takes requests for embeddings; it often ends in /v1/embeddings."
            ) from None

    def _check_status(self, response: requests.Response, text: str) -> None:
        status = response.status_code
        # The standard's words for it: the service's own may be the key that it was sent
        what = f"HTTP {status} {HTTPStatus(status).phrase}" if status in _STATUSES else f"HTTP {status}"
        if status == requests.codes.ok:
            return
        refuse_status(response, what)
        if status in (401, 403):
            # Such answers like to repeat a part of the key
            variable = self._connection.key_variable
            remedy = (
                f"Check the key in {variable}" if variable else "Write key_variable into the model's entry"
            )
            raise DataError(f"{self._url}: {what}. {remedy}, and that it may use the model.")
        raise DataError(f"{self._url}: {what}. The service says: {_shown(text)!r}")


def _body(response: requests.Response, most_bytes: int, deadline: Deadline) -> bytes | None:
    """The body of an answer as it was sent; None if it is larger than so many bytes."""
    body = bytearray()
    for piece in pieces(response, deadline):
        body += piece
        if len(body) > most_bytes:
            return None
    return bytes(body)


def _shown(text: str) -> str:
    """The start of a text of others; a secret is hidden before it can be cut in two."""
    clean = " ".join(without_secrets(text).split())
    return clean if len(clean) <= _SHOWN_CHARACTERS else clean[:_SHOWN_CHARACTERS] + "…"


def _reason(error: requests.RequestException) -> str:
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return "no connection before the timeout"
    if isinstance(error, requests.Timeout):
        return "no response before the timeout"
    if isinstance(error, requests.ConnectionError):
        return "no connection, or it was lost"
    return "the response ended early"
