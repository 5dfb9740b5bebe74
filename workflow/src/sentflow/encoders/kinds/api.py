"""Kind ``api``: encoders behind an address, services that speak the OpenAI embeddings format."""

import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self

import numpy as np
import requests
import urllib3
from requests.auth import AuthBase

from sentflow.config.model import refuse_wrong
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
from sentflow.encoders.kind import Context, Encoder, kind
from sentflow.encoders.manifest import Description, Manifest
from sentflow.encoders.service_keys import read_key
from sentflow.encoders.settings import Connection, ServiceSettings
from sentflow.encoders.vectors.storage import Batch, FloatArray, unit_rows
from sentflow.errors import DataError
from sentflow.files.io import parse_json
from sentflow.files.limits import limits
from sentflow.jobs.secrecy import without_secrets

# Services bound the tokens of a request too (300,000 at OpenAI), and a token has a character or more.
_BATCH_CHARACTERS = 250_000
_CONNECT_SECONDS = 10.0
_ANSWER_SECONDS = 60.0
_SHOWN_CHARACTERS = 300
_STATUSES = frozenset(HTTPStatus)


def describe(entry: Mapping[str, Any], _folder: Path) -> Description:
    """Nothing but what the entry says of the service."""
    settings = {"request_dimension": False, **entry}
    del settings["kind"]
    return Description(entry["dimension"], settings=settings)


@kind("api")
class ApiEncoder(Encoder):
    """Asks a service for the vectors of texts, at most `batch_texts` per request, one request after the other."""

    device = "service"

    def __init__(
        self,
        service: "EmbeddingsService",
        about: Mapping[str, Any],
        settings: ServiceSettings,
        *,
        batch_texts: int,
    ) -> None:
        self.dimension = about["dimension"]
        self._service, self._settings, self._batch_texts = service, settings, batch_texts
        self._request: dict[str, Any] = {"model": about["model"], "encoding_format": "float"}
        if about["request_dimension"]:
            self._request["dimensions"] = self.dimension

    @classmethod
    def load(cls, manifest: Manifest, settings: ServiceSettings, context: Context) -> Self:
        connection = refuse_wrong(Connection, dict(context.connection), where="connection")
        service = EmbeddingsService(manifest.settings["url"], connection)
        return cls(service, manifest.settings, settings, batch_texts=connection.batch_texts)

    def encode(self, texts: Sequence[str], *, role: str, task: str | None) -> FloatArray:
        batches = self.plan(texts, role=role, task=task)
        return np.concatenate([self._asked([texts[row] for row in batch.rows]) for batch in batches])

    def plan(self, texts: Sequence[str], *, role: str, task: str | None) -> list[Batch]:  # noqa: ARG002
        """Batches in the order of the texts, each within the limits of a request."""
        lengths = [len(self._prompted(text)) for text in texts]
        batches = []
        start = 0
        while start < len(texts):
            end, characters = start + 1, lengths[start]
            while (
                end < len(texts)
                and end - start < self._batch_texts
                and characters + lengths[end] <= _BATCH_CHARACTERS
            ):
                characters += lengths[end]
                end += 1
            batches.append(Batch(rows=np.arange(start, end), cost=max(1, characters)))
            start = end
        return batches

    def _asked(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of one request."""
        most_bytes = limits().answer_of(len(texts), self.dimension)
        body = {**self._request, "input": [self._prompted(text) for text in texts]}
        answer = self._service.post(body, most_bytes=most_bytes)
        vectors = read_answer(answer, n_texts=len(texts), dimension=self.dimension)
        if self._settings.normalise:
            vectors = unit_rows(vectors.astype(np.float64)).astype(np.float32)
        return vectors

    def _prompted(self, text: str) -> str:
        return (self._settings.prompt or "") + text


def read_answer(answer: Any, *, n_texts: int, dimension: int) -> FloatArray:
    """The vectors of an answer, ordered by the ``index`` of each.

    `answer`: ``{"data": [{"index": 0, "embedding": [...]}, ...]}``. Returns: (n_texts, dimension) float32. Raises
    DataError: another form, a text without a vector or with two, or vectors of another width.
    """
    try:
        found = {item["index"]: item["embedding"] for item in answer["data"]}
        n_items = len(answer["data"])
    except (KeyError, TypeError) as error:
        raise DataError(
            "the service's answer has not the form of OpenAI's embeddings: data, a list of index and embedding "
            f"({type(error).__name__}: {error})."
        ) from None
    if n_items != n_texts or set(found) != set(range(n_texts)):
        some = list(found)[:5]
        shown = ", ".join(
            str(index)[:20] if isinstance(index, int) else type(index).__name__ for index in some
        )
        raise DataError(
            f"the service gave {n_items} vectors (index {shown}, …) for {n_texts} texts. Each index from 0 to "
            f"{n_texts - 1} is expected once. If requests are too large for it, write a smaller batch_texts."
        )
    widths = {len(vector) if isinstance(vector, list) else 0 for vector in found.values()}
    if widths != {dimension}:
        raise DataError(
            f"the service gives vectors of {', '.join(map(str, sorted(widths)))} values, but the model's entry "
            f"says {dimension}. Correct dimension, or write request_dimension: true if the model can shorten its "
            "vectors."
        )
    # Not by NumPy's own conversion, which takes texts of digits for numbers, and quotes other texts in its errors
    strange = set().union(*(map(type, vector) for vector in found.values())) - {int, float}
    if strange:
        names = ", ".join(sorted(kind.__name__ for kind in strange))
        raise DataError(f"the service gave vectors that are no numbers, but hold {names}.")
    try:
        return np.asarray([found[index] for index in range(n_texts)], dtype=np.float32)
    except OverflowError:
        raise DataError("the service gave numbers that are too large for float32.") from None


# --- requests ---------------------------------------------------------------------------------------------


# Errors that may pass, the first that fits → the reason
_PASSING: Mapping[type[Exception], str] = {
    requests.exceptions.ConnectTimeout: "no connection before the timeout",
    requests.Timeout: "no response before the timeout",
    requests.ConnectionError: "no connection, or it was lost",
    requests.exceptions.ChunkedEncodingError: "the response ended early",
    urllib3.exceptions.ReadTimeoutError: "no complete response before the timeout",
    urllib3.exceptions.HTTPError: "the response ended early",
}


class _Bearer(AuthBase):
    """Sets the header of the key, or none; as an object, so that requests looks for no other key in ~/.netrc."""

    def __init__(self, key: str | None) -> None:
        self._key = key

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key}"
        return request


class EmbeddingsService:
    """Asks an address for answers in JSON. Raises ConfigError: there is no key, or it is for another address.

    `url`: takes the requests. `clock`: gives seconds; tests have their own.
    """

    def __init__(
        self, url: str, connection: Connection, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._url = url
        self._connection = connection
        self._policy = retries(connection.attempts)
        self._seconds = float(connection.timeout_seconds or _ANSWER_SECONDS)
        self._clock = clock
        self._session = requests.Session()
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HeadInTime(lambda: self._seconds))
        # What is packed could unpack to any size
        self._session.headers["Accept-Encoding"] = "identity"
        variable = connection.key_variable
        self._session.auth = _Bearer(None if variable is None else read_key(variable, url))

    def post(self, body: Mapping[str, Any], *, most_bytes: int) -> Any:
        """The answer to one request, from JSON; tried again while the trouble may pass. DataError: refused, or too
        large.
        """
        try:
            return retried(lambda: self._attempt(body, most_bytes), self._policy, where=self._url)
        except GaveUpError as error:
            raise DataError(
                f"{self._url}: {error}. What is done is kept: run snakemake again later, or raise attempts "
                "in the model's entry."
            ) from None

    def _attempt(self, body: Mapping[str, Any], most_bytes: int) -> Any:
        timeout = (_CONNECT_SECONDS, self._seconds)
        deadline = Deadline(self._seconds, self._clock)
        try:
            # A redirection would carry texts to an address that nobody named
            with self._session.post(
                self._url, json=body, timeout=timeout, allow_redirects=False, stream=True
            ) as response:
                # the body of a redirection is not read; its status is told below
                content = b"" if response.is_redirect else _body(response, most_bytes, deadline)
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            if isinstance(error, requests.exceptions.SSLError):
                raise DataError(f"{self._url}: no safe connection ({type(error).__name__}).") from None
            for kind, reason in _PASSING.items():
                if isinstance(error, kind):
                    raise PassingError(reason) from None
            raise DataError(f"{self._url}: {_shown(str(error))}") from None
        text = "" if content is None else content.decode("utf-8", errors="replace")
        self._check_status(response, text)
        if content is None:
            raise DataError(
                f"{self._url}: the answer has more than {most_bytes} bytes, more than the vectors need. Write a "
                "smaller batch_texts in the model's entry, or raise limits.answer_bytes."
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
