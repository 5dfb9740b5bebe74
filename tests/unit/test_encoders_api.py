"""Services that speak the OpenAI embeddings format, against a server of this machine."""

import logging
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from urllib.parse import quote, urlsplit

import numpy as np
import pytest
from embeddings_server import embeddings_server, vector_of
from one_connection import one_connection

from sentflow.downloads import retries
from sentflow.encoders.kinds import api
from sentflow.encoders.kinds.api import ApiEncoder, Settings, read_answer
from sentflow.encoders.kinds.embeddings_service import Connection, EmbeddingsService
from sentflow.errors import DataError
from sentflow.files.limits import limited

KEY = 'chave/do+lab"=zq81'  # with signs that every form writes in another way
NUMBER = "9182736450192837"  # a key that could pass for a number
TEXTS = ["lei", "voto", "ação", "saúde", "educação"]


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
    monkeypatch.setattr(retries.time, "sleep", waited.append)
    return waited


def make_encoder(server, *, dimension=4, request_dimension=False, prompt=None, normalise=False, **connection):
    connection = Connection(**{"key_variable": "SENTFLOW_KEY_LAB", "batch_texts": 2, **connection})
    return ApiEncoder(
        EmbeddingsService(server.url, connection),
        model="small",
        dimension=dimension,
        request_dimension=request_dimension,
        settings=Settings(prompt=prompt, normalise=normalise),
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


def test_long_texts_make_small_batches(server, monkeypatch):
    monkeypatch.setattr(api, "_BATCH_CHARACTERS", 8)
    batches = make_encoder(server, batch_texts=3, prompt="q:").plan(["abcd", "ab", "a", "abcdefghijk", "b"])
    # with the prompt of two characters: 6, 4 + 3, 13, 3
    assert [batch.rows.tolist() for batch in batches] == [[0], [1, 2], [3], [4]]


def test_prompt_normalisation_and_dimension(server):
    encode(server, ["lei"], prompt="Busca: ", dimension=3, request_dimension=True)
    assert server.requests[0][1]["input"] == ["Busca: lei"] and server.requests[0][1]["dimensions"] == 3
    vectors = encode(server, ["lei"], normalise=True)
    expected = np.array(vector_of("lei", 4))
    assert vectors[0] == pytest.approx(expected / np.linalg.norm(expected))


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_a_passing_trouble_is_waited_for(server, waits, status):
    server.failures = [(status, {}, "busy")] * 3
    assert encode(server, ["lei"]).tolist() == [vector_of("lei", 4)]
    assert waits == [1, 2, 4]


def test_a_broken_connection_is_tried_again(server, waits):
    server.failures = [(0, {}, "")]
    assert encode(server, ["lei"]).tolist() == [vector_of("lei", 4)]
    assert waits == [1]


def test_waits_do_not_grow_without_bound(server, waits):
    server.failures = [(503, {}, "")] * 9
    encode(server, ["lei"], attempts=10)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_retry_after_in_seconds_or_as_a_date_is_kept_to(server, waits):
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    server.failures = [(429, {"Retry-After": "7"}, ""), (503, {"Retry-After": date}, "")]
    server.failures += [(503, {"Retry-After": "soon"}, "")]
    encode(server, ["lei"])
    assert waits == [7, pytest.approx(30, abs=3), 4]


def test_a_wait_of_hours_is_an_error(server, waits):
    server.failures = [(429, {"Retry-After": "7200"}, "")]
    with pytest.raises(DataError, match=r"HTTP 429 .*tried 1 times; the server asks to wait 7200 s"):
        encode(server, ["lei"])
    assert waits == []


def test_after_the_last_try_it_is_an_error(server, waits):
    server.failures = [(503, {}, "")] * 3
    with pytest.raises(DataError, match=r"HTTP 503 .*tried 3 times"):
        encode(server, ["lei"], attempts=3)
    assert len(server.requests) == 3 and waits == [1, 2]


def test_nobody_there_is_an_error(waits):
    service = EmbeddingsService("http://127.0.0.1:9/v1/embeddings", Connection(attempts=2))
    with pytest.raises(DataError, match=r"no connection, or it was lost \(tried 2 times\)"):
        service.post({}, most_bytes=100)


def test_a_refusal_is_not_tried_again(server, waits):
    server.failures = [(400, {}, '{"error": "input too long"}')]
    with pytest.raises(DataError, match=r"HTTP 400 .*input too long"):
        encode(server, ["lei"])
    assert len(server.requests) == 1 and waits == []


def test_a_redirection_is_not_followed(server, waits):
    server.failures = [(307, {"Location": server.url}, "<html>moved</html>")]
    with pytest.raises(DataError, match="HTTP 307"):
        encode(server, ["lei"])
    assert len(server.requests) == 1


def test_a_redirection_takes_neither_key_nor_texts_to_another_host(server, waits):
    with embeddings_server() as other:
        server.failures = [(308, {"Location": other.url.replace("127.0.0.1", "localhost")}, "moved")]
        with pytest.raises(DataError, match="HTTP 308"):
            encode(server, ["lei"])
        assert other.requests == []


@pytest.mark.parametrize(
    "moment",
    [
        "Mon, 01 Jan 99999999999999999999 00:00:00 GMT",
        "Mon, 01 Jan 2024 00:00:00 +99999999999999",
        "9" * 5000,
    ],
)
def test_a_moment_that_there_is_not_ends_in_no_traceback(server, waits, moment):
    server.failures = [(503, {"Retry-After": moment}, "")] * 6
    with pytest.raises(DataError, match="HTTP 503"):
        encode(server, ["lei"])


def test_an_answer_that_is_no_json_says_which_address_is_meant(server):
    server.failures = [(200, {}, "<html>Welcome</html>")]
    with pytest.raises(
        DataError, match=r"is no JSON, but begins '<html>Welcome.*often ends in /v1/embeddings"
    ):
        encode(server, ["lei"])


def test_an_answer_that_is_far_larger_than_its_vectors_is_left(server):
    server.change = lambda answer: {**answer, "more": "x" * (2 << 20)}
    with pytest.raises(DataError, match=r"more than \d+ bytes, .*limits\.answer_bytes"):
        encode(server, ["lei"])
    assert len(server.requests) == 1


def test_the_limit_of_the_configuration_holds_for_answers(server):
    with limited(answer_bytes=50), pytest.raises(DataError, match="more than 50 bytes"):
        encode(server, ["lei"])


def test_an_error_of_any_size_is_told_by_its_status(server):
    server.failures = [(400, {}, "x" * (2 << 20))]
    with pytest.raises(DataError, match="HTTP 400"):
        encode(server, ["lei"])


def test_an_answer_that_is_packed_unasked_is_not_unpacked(server):
    server.failures = [(200, {"Content-Encoding": "gzip"}, "{}")]
    with pytest.raises(DataError, match=r"the answer is packed \(gzip\)"):
        encode(server, ["lei"])
    assert server.requests[0][0]["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("part", ["status", "body"])
def test_an_answer_that_drips_beyond_the_time_is_left(waits, part):
    now = 0.0
    over = threading.Event()

    def drip(connection):
        nonlocal now
        connection.recv(1 << 16)
        if part == "body":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while not over.is_set():  # each piece comes long before a read would time out
            now += 10
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" if part == "status" else b" ")

    with one_connection(drip) as url:
        service = EmbeddingsService(url, Connection(attempts=1), clock=lambda: now)
        with pytest.raises(DataError, match=r"no (complete )?response before the timeout \(tried 1 times\)"):
            service.post({}, most_bytes=1 << 20)
        over.set()


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 529])
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


def test_a_body_that_is_cut_within_the_key_shows_no_part_of_it(server):
    server.failures = [(400, {}, "x" * 290 + quote(KEY))]  # of 300 signs that are shown
    with pytest.raises(DataError, match=r"xxx\*\*\*'"):
        encode(server, ["lei"])


@pytest.mark.parametrize(
    "change",
    [
        {"index": KEY},
        {"index": int(NUMBER)},
        {"embedding": [1.0, 2.0, 3.0, KEY]},
        {"embedding": [1.0, 2.0, 3.0, NUMBER]},
        {"embedding": KEY},
    ],
    ids=str,
)
def test_an_answer_that_holds_the_key_is_refused_without_showing_it(server, monkeypatch, change):
    key = NUMBER if NUMBER in str(change) else KEY
    monkeypatch.setenv("SENTFLOW_KEY_LAB", key)
    server.change = lambda answer: {"data": [{**answer["data"][0], **change}]}
    with pytest.raises(DataError) as error:
        encode(server, ["lei"])
    assert key not in str(error.value)
    assert error.value.__cause__ is None


def item(index, vector=(1.0, 2.0)):
    return {"index": index, "embedding": list(vector)}


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        ({"error": "x"}, r"not the form of OpenAI's embeddings.*KeyError: 'data'"),
        ([1], "not the form"),
        (None, "not the form"),
        ({"data": [{"embedding": [1.0, 2.0]}]}, "not the form"),
        ({"data": [item(0)]}, r"1 vectors \(index 0, …\) for 2 texts"),
        ({"data": [item(0), item(0)]}, "2 vectors"),
        ({"data": [item(0), item(2)]}, "index 0, 2"),
        ({"data": [item(0), item("1")]}, "index 0, str"),
        ({"data": [item(0), item(1), item(1)]}, "3 vectors"),
        ({"data": [item(0), item(1, (1.0, 2.0, 3.0))]}, "vectors of 2, 3 values, .* says 2"),
        ({"data": [item(0, "AAAA"), item(1, "AAAA")]}, None),
        ({"data": [item(0, ("a", "b")), item(1)]}, "are no numbers, but hold str"),
        ({"data": [item(0, ("1", "2")), item(1)]}, "are no numbers, but hold str"),
        ({"data": [item(0, (None, True)), item(1)]}, "are no numbers, but hold NoneType, bool"),
        ({"data": [item(0, (10**400, 1)), item(1)]}, "too large"),
    ],
)
def test_an_answer_of_another_form_is_refused(answer, part):
    with pytest.raises(DataError, match=part):
        read_answer(answer, n_texts=2, dimension=2)
