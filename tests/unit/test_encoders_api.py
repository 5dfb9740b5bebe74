"""Services that speak the OpenAI embeddings format, against a server of this machine."""

import hashlib
import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from one_connection import one_connection

from sentflow.downloads import http
from sentflow.encoders.kinds.api import ApiEncoder, EmbeddingsService, read_answer
from sentflow.encoders.settings import Connection, ServiceSettings
from sentflow.errors import DataError

KEY = 'chave/do+lab"=zq81'  # with signs that every form writes in another way
TEXTS = ["lei", "voto", "ação", "saúde", "educação"]


def vector_of(text: str, dimension: int) -> list[float]:
    """The server's vector of a text: whole numbers, so that JSON and float32 change nothing."""
    return [float(byte) for byte in hashlib.sha256(text.encode()).digest()[:dimension]]


class EmbeddingsServer:
    """Answers of the server, and what it was asked."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.url = ""
        # (status, headers, body) of the next answers, in this order; then it answers well
        self.failures: list[tuple[int, dict[str, str], str]] = []
        self.reason: str | None = None  # words behind the status of a failure; None is those of the standard
        self.change: Any = None  # called with the good answer, gives the answer that is sent
        self.requests: list[tuple[dict[str, str], dict[str, Any]]] = []  # headers and body of every request

    def answer(self, body: dict[str, Any]) -> Any:
        """Vectors in reverse order, each with its index."""
        dimension = body.get("dimensions", self.dimension)
        data = [
            {"object": "embedding", "index": index, "embedding": vector_of(text, dimension)}
            for index, text in enumerate(body["input"])
        ]
        answer = {"object": "list", "data": data[::-1], "model": body["model"]}
        return self.change(answer) if self.change else answer


@contextmanager
def embeddings_server(dimension: int = 4) -> Iterator[EmbeddingsServer]:
    """Run a server while the block runs."""
    state = EmbeddingsServer(dimension)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append((dict(self.headers), body))
            reason = None
            if state.failures:
                reason = state.reason
                status, headers, text = state.failures.pop(0)
            else:
                status, headers, text = 200, {}, json.dumps(state.answer(body))
            if status == 0:  # the connection breaks
                self.close_connection = True
                return
            self.send_response(status, reason)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *args: Any) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1/embeddings"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def server(monkeypatch):
    """A service, and a key that is for it."""
    monkeypatch.setenv("NO_PROXY", "*")
    with embeddings_server() as server:
        monkeypatch.setenv("SENTFLOW_KEY_LAB", KEY + "\n")
        monkeypatch.setenv("SENTFLOW_HOST_LAB", urlsplit(server.url).netloc)
        yield server


@pytest.fixture
def waits(monkeypatch):
    """Seconds that were waited, without waiting."""
    waited = []
    monkeypatch.setattr(http.time, "sleep", waited.append)
    return waited


def make_encoder(server, *, dimension=4, request_dimension=False, prompt=None, normalise=False, **connection):
    connection = Connection(**{"key_variable": "SENTFLOW_KEY_LAB", "batch_texts": 2, **connection})
    return ApiEncoder(
        EmbeddingsService(server.url, connection),
        {"model": "small", "dimension": dimension, "request_dimension": request_dimension},
        ServiceSettings(prompt=prompt, normalise=normalise),
        batch_texts=connection.batch_texts,
    )


def encode(server, texts=TEXTS, **keys):
    return make_encoder(server, **keys).encode(texts, role="text", task=None)


def test_vectors_are_in_the_order_of_the_texts_whatever_the_order_of_the_answer(server):
    vectors = encode(server)
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [vector_of(text, 4) for text in TEXTS]


def test_requests_hold_batches_model_and_key(server):
    encode(server)
    bodies = [body for _, body in server.requests]
    assert [body["input"] for body in bodies] == [TEXTS[:2], TEXTS[2:4], TEXTS[4:]]
    assert bodies[0] == {"model": "small", "encoding_format": "float", "input": TEXTS[:2]}
    assert {headers["Authorization"] for headers, _ in server.requests} == {f"Bearer {KEY}"}


def test_without_a_key_none_is_sent_not_even_one_of_netrc(server, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password other\n")
    monkeypatch.setenv("NETRC", str(netrc))
    encode(server, key_variable=None)
    assert all("Authorization" not in headers for headers, _ in server.requests)
    encode(server)
    assert server.requests[-1][0]["Authorization"] == f"Bearer {KEY}"


def test_prompt_normalisation_and_dimension(server):
    encode(server, ["lei"], prompt="Busca: ", dimension=3, request_dimension=True)
    assert server.requests[0][1]["input"] == ["Busca: lei"] and server.requests[0][1]["dimensions"] == 3
    vectors = encode(server, ["lei"], normalise=True)
    expected = np.array(vector_of("lei", 4))
    assert vectors[0] == pytest.approx(expected / np.linalg.norm(expected))


@pytest.mark.parametrize("status", [408, 503])
def test_a_passing_trouble_is_waited_for(server, waits, status):
    server.failures = [(status, {}, "busy")] * 3
    assert encode(server, ["lei"]).tolist() == [vector_of("lei", 4)]
    assert waits == [0, 2, 4]


def test_retry_after_in_seconds_or_as_a_date_is_kept_to(server, waits):
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    server.failures = [(429, {"Retry-After": "7"}, ""), (503, {"Retry-After": date}, "")]
    server.failures += [(503, {"Retry-After": "soon"}, "")]
    encode(server, ["lei"])
    assert waits == [7, pytest.approx(30, abs=3), 4]


def test_a_redirection_takes_neither_key_nor_texts_to_another_host(server, waits):
    with embeddings_server() as other:
        server.failures = [(308, {"Location": other.url.replace("127.0.0.1", "localhost")}, "moved")]
        with pytest.raises(DataError, match="HTTP 308"):
            encode(server, ["lei"])
        assert other.requests == []


@pytest.mark.parametrize("status", [401, 500])
def test_no_error_and_no_log_shows_the_key(server, waits, caplog, status):
    server.failures = [(status, {}, f"bad key {KEY}")] * 6
    server.reason = f"No-{KEY}"
    with caplog.at_level(logging.DEBUG), pytest.raises(DataError) as error:
        encode(server, ["lei"])
    assert f"HTTP {status}" in str(error.value)
    assert KEY not in str(error.value) + ours(caplog)
    assert error.value.__cause__ is None
    if status == 401:
        assert "Check the key in SENTFLOW_KEY_LAB" in str(error.value)


def ours(caplog) -> str:
    """What sentflow logged; what libraries log is masked when the commands write it."""
    return "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("sentflow"))


def test_an_answer_that_holds_the_key_is_refused_without_showing_it(server):
    server.change = lambda answer: {"data": [{**answer["data"][0], "embedding": [1.0, 2.0, 3.0, KEY]}]}
    with pytest.raises(DataError) as error:
        encode(server, ["lei"])
    assert KEY not in str(error.value)
    assert error.value.__cause__ is None


def test_an_answer_without_end_is_left(monkeypatch):
    def endless(connection):
        connection.recv(1 << 16)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n[")
        while True:
            connection.sendall(b"[]," * 10_000)

    monkeypatch.setenv("NO_PROXY", "*")
    with one_connection(endless) as url, pytest.raises(DataError, match="1048576"):
        EmbeddingsService(url, Connection(attempts=1)).post({}, most_bytes=1 << 20)


def item(index, vector=(1.0, 2.0)):
    return {"index": index, "embedding": list(vector)}


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        ({"error": "x"}, r"not the form of OpenAI's embeddings.*KeyError: 'data'"),
        ({"data": [item(0)]}, r"1 vectors \(index 0, …\) for 2 texts"),
        ({"data": [item(0), item(2)]}, "index 0, 2"),
        ({"data": [item(0), item(1, (1.0, 2.0, 3.0))]}, "vectors of 2, 3 values, .* says 2"),
        ({"data": [item(0, ("1", "2")), item(1)]}, "are no numbers, but hold str"),
        ({"data": [item(0, (10**400, 1)), item(1)]}, "too large"),
    ],
)
def test_an_answer_of_another_form_is_refused(answer, part):
    with pytest.raises(DataError, match=part):
        read_answer(answer, n_texts=2, dimension=2)
