"""Downloads by addresses and mirrors, from a server on loopback that does what servers do wrong."""

import errno
import hashlib
import io
import os
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, repeat
from pathlib import Path

import pytest
from one_connection import one_connection

from sentflow.config.datasets import File
from sentflow.downloads.download import download
from sentflow.downloads.http import retries
from sentflow.downloads.mirrors import mirrors_in_use, names_in_mirror, places
from sentflow.downloads.transfer import Patience
from sentflow.errors import ConfigError, DataError
from sentflow.files.limits import limited

CONTENT = "índice,texto,rótulo\n".encode() + bytes(range(256)) * 40
# Short waits between tries; nothing times out on a busy machine
HASTE = Patience(timeout=(600, 600), retries=retries(3, first_seconds=0.01, longest_seconds=0.05))

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Loopback:
    """A server whose answers a test writes: path → answers, the last of which is repeated."""

    url: str
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def serve(self, path: str, *answers: Answer) -> str:
        self.answers[path] = list(answers)
        return self.url + path

    def whole(
        self, content: bytes = CONTENT, *, announced: int | None = None, ranges: bool = False
    ) -> Answer:
        def answer(request: BaseHTTPRequestHandler) -> None:
            asked = request.headers["Range"] if ranges else None
            start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
            if start and start >= len(content):
                request.send_error(416)
                return
            request.send_response(206 if start else 200)
            if start:
                request.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            request.send_header("Content-Length", str((announced or len(content)) - start))
            request.end_headers()
            request.wfile.write(content[start:])

        return answer

    def status(self, code: int, **headers: str) -> Answer:
        def answer(request: BaseHTTPRequestHandler) -> None:
            request.send_response(code)
            for name, value in headers.items():
                request.send_header(name.replace("_", "-"), value)
            request.send_header("Content-Length", "0")
            request.end_headers()

        return answer


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.asked.append((self.path, self.headers["Range"]))
            answers = server.answers.get(self.path, [server.status(404)])
            # a client that lost its patience has closed the connection
            with suppress(BrokenPipeError, ConnectionResetError):
                (answers.pop(0) if len(answers) > 1 else answers[0])(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = Loopback(f"http://127.0.0.1:{http.server_port}")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.over.set()
    http.shutdown()
    thread.join()
    http.server_close()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def catalog_file(*urls: str, content: bytes = CONTENT, **keys: object) -> File:
    return File.model_validate({"urls": urls, "sha256": sha256(content), **keys})


def zipped(members: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def members_file(url: str, text: str) -> File:
    """Entry of an archive whose folder raiz holds true/1.txt with that text."""
    line = f"true/1.txt\0{sha256(text.encode())}\n"
    return File(urls=(url,), members_sha256=sha256(line.encode()), members_under="raiz")


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_wrong_checksum_names_both_sums_and_the_address_and_leaves_nothing(tmp_path, loopback):
    url = loopback.serve("/a.csv", loopback.whole(b"outro"))
    with pytest.raises(DataError) as error:
        download(catalog_file(url), tmp_path / "raw/a.csv", patience=HASTE)
    assert f"{url}: SHA-256 is {sha256(b'outro')}, expected {sha256(CONTENT)} (5 bytes)" in str(error.value)
    assert left_in(tmp_path / "raw") == []
    assert len(loopback.asked) == 1  # the same bytes again would be as wrong


def test_second_address_is_tried_when_the_first_is_wrong(tmp_path, loopback):
    bad = loopback.serve("/a.csv", loopback.whole(b"outro"))
    good = loopback.serve("/b.csv", loopback.whole(ranges=True))
    assert download(catalog_file(bad, good), tmp_path / "a.csv", patience=HASTE) == good
    assert loopback.asked[-1] == ("/b.csv", None)  # nothing of the wrong file is gone on from


def test_all_places_are_listed_with_their_reasons_and_how_to_name_a_mirror(tmp_path, loopback):
    wrong = loopback.serve("/wrong/a.csv", loopback.whole(b"outro"))
    with pytest.raises(DataError) as error:
        download(
            catalog_file(loopback.url + "/gone/a.csv", wrong),
            tmp_path / "a.csv",
            mirrors=[str(tmp_path / "espelho")],
            patience=HASTE,
        )
    text = str(error.value)
    assert f"{tmp_path / 'espelho/127.0.0.1/gone/a.csv'}: No such file" in text
    assert f"{loopback.url}/gone/a.csv: HTTP 404" in text
    assert f"{wrong}: SHA-256 is" in text
    assert "SENTFLOW_MIRROR" in text
    assert "127.0.0.1/gone/a.csv or 127.0.0.1/wrong/a.csv" in text


@pytest.mark.parametrize("code", [408, 425, 429, 500, 599])
def test_a_status_that_may_pass_is_asked_for_again(tmp_path, loopback, code):
    url = loopback.serve("/a.csv", loopback.status(code), loopback.whole())
    assert download(catalog_file(url), tmp_path / "a.csv", patience=HASTE) == url
    assert len(loopback.asked) == 2


def test_truncated_body_is_gone_on_from_where_the_server_knows_ranges(tmp_path, loopback):
    url = loopback.serve(
        "/a.csv", loopback.whole(CONTENT[:500], announced=len(CONTENT)), loopback.whole(ranges=True)
    )
    download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)
    assert (tmp_path / "a.csv").read_bytes() == CONTENT
    assert loopback.asked == [("/a.csv", None), ("/a.csv", "bytes=500-")]
    assert left_in(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("old", [b"x" * 700, CONTENT, CONTENT + b"more"])
def test_piece_that_does_not_fit_is_thrown_away(tmp_path, loopback, old):
    (tmp_path / ".a.csv.part").write_bytes(old)
    url = loopback.serve("/a.csv", loopback.whole(ranges=True))
    download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)
    assert (tmp_path / "a.csv").read_bytes() == CONTENT
    assert left_in(tmp_path) == ["a.csv"]


def test_a_piece_may_lie_on_another_file_system(tmp_path, loopback, monkeypatch):
    part, output = tmp_path / "cache/downloads/a.csv.part", tmp_path / "raw/a.csv"
    cut = loopback.serve("/a.csv", loopback.whole(CONTENT[:500], announced=len(CONTENT)))
    with pytest.raises(DataError):
        download(catalog_file(cut), output, part=part, patience=HASTE)
    assert part.read_bytes() == CONTENT[:500] and left_in(output.parent) == []

    def replace_within(path, target):
        if path.parent != target.parent:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return replaced(path, target)

    replaced = Path.replace
    monkeypatch.setattr(Path, "replace", replace_within)
    whole = loopback.serve("/a.csv", loopback.whole(ranges=True))
    download(catalog_file(whole), output, part=part, patience=HASTE)
    assert output.read_bytes() == CONTENT and loopback.asked[-1] == ("/a.csv", "bytes=500-")
    assert left_in(output.parent) == ["a.csv"] and left_in(part.parent) == []


@pytest.mark.parametrize("scheme", ["file", "ftp"])
def test_redirect_to_anything_but_http_is_refused(tmp_path, loopback, scheme):
    secret = tmp_path / "secret.csv"
    # even the right bytes: what a server names on this machine is not its to give
    secret.write_bytes(CONTENT)
    url = loopback.serve("/a.csv", loopback.status(302, Location=f"{scheme}://{secret}"))
    with pytest.raises(DataError, match=rf"(?s)a\.csv could not be obtained.*{scheme}://"):
        download(catalog_file(url), tmp_path / "raw/a.csv", patience=HASTE)
    assert left_in(tmp_path / "raw") == []


def endless(connection) -> None:
    connection.recv(1 << 16)
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(bytes(1 << 16))


@pytest.mark.parametrize("known", [{"bytes": 15}, {}], ids=["size of the catalog", "limit"])
def test_body_that_does_not_say_its_size_is_left_at_the_limit(tmp_path, known):
    message = r"sends more than (the 15 bytes|limits\.download_bytes allows \(1000\))"
    with (
        limited(download_bytes=1000),
        pytest.raises(DataError, match=message),
        one_connection(endless) as url,
    ):
        download(catalog_file(url, **known), tmp_path / "a.csv", patience=HASTE)
    assert left_in(tmp_path) == []


def test_announced_size_beyond_the_limit_is_refused_before_the_body(tmp_path, loopback):
    url = loopback.serve("/a.csv", loopback.whole(announced=10**12))
    with pytest.raises(DataError, match=r"has 1000000000000 bytes, more than limits\.download_bytes allows"):
        download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)
    assert left_in(tmp_path) == [] and len(loopback.asked) == 1


def test_answer_that_drips_past_both_time_outs_is_left(tmp_path):
    now = 0.0

    def drip(connection) -> None:
        nonlocal now
        connection.recv(1 << 16)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:  # each piece comes before a read would time out, and fast enough
            now += 100
            connection.sendall(bytes(500))

    patience = replace(HASTE, clock=lambda: now)
    with one_connection(drip) as url, pytest.raises(DataError, match=r"took longer than 3600 s"):
        download(catalog_file(url), tmp_path / "a.csv", patience=patience)


def test_answer_whose_headers_do_not_end_is_left(tmp_path):
    def silent(connection) -> None:
        connection.recv(1 << 16)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0")
        connection.recv(1)  # until the connection is broken

    patience = replace(HASTE, clock=chain([0.0], repeat(3600.0)).__next__)
    with one_connection(silent) as url, pytest.raises(DataError, match=r"took longer than 3600 s"):
        download(catalog_file(url), tmp_path / "a.csv", patience=patience)
    assert left_in(tmp_path) == []


def test_local_file_beyond_the_limit_is_refused(tmp_path):
    (tmp_path / "a.csv").write_bytes(CONTENT)
    with (
        limited(download_bytes=100),
        pytest.raises(DataError, match=r"limits\.download_bytes allows \(100\)"),
    ):
        download(File(urls=(str(tmp_path / "a.csv"),)), tmp_path / "raw/a.csv")
    with pytest.raises(DataError, match=f"has {len(CONTENT)} bytes, expected 15"):
        download(File(urls=(str(tmp_path / "a.csv"),), bytes=15), tmp_path / "raw/a.csv")


@pytest.mark.parametrize("prefix", ["", "repo-0a1b/"])
def test_archive_may_be_packed_otherwise_where_only_its_members_count(tmp_path, loopback, prefix):
    content = zipped({f"{prefix}raiz/true/1.txt": "ação", f"{prefix}README.md": prefix})
    url = loopback.serve("/a.zip", loopback.whole(content))
    download(members_file(url, "ação"), tmp_path / "raw/a.zip", patience=HASTE)
    assert (tmp_path / "raw/a.zip").read_bytes() == content


def test_folder_of_a_mirror_serves_before_the_network(tmp_path, loopback):
    mirrored = tmp_path / "espelho/127.0.0.1/x/a.csv"
    mirrored.parent.mkdir(parents=True)
    mirrored.write_bytes(CONTENT)
    url = loopback.serve("/x/a.csv", loopback.whole())
    place = download(catalog_file(url), tmp_path / "raw/a.csv", mirrors=[str(tmp_path / "espelho")])
    assert place == mirrored
    assert (tmp_path / "raw/a.csv").read_bytes() == CONTENT
    assert loopback.asked == []


def test_right_file_that_is_there_is_not_fetched_again(tmp_path, loopback):
    (tmp_path / "a.csv").write_bytes(CONTENT)
    download(catalog_file(loopback.url + "/a.csv"), tmp_path / "a.csv", patience=HASTE)
    assert loopback.asked == []


def test_wrong_file_that_is_there_is_deleted_even_if_no_place_has_another(tmp_path, loopback):
    (tmp_path / "a.csv").write_bytes(b"estragado")
    with pytest.raises(DataError, match="HTTP 404"):
        download(catalog_file(loopback.url + "/a.csv"), tmp_path / "a.csv", patience=HASTE)
    assert left_in(tmp_path) == []


RAW = "https://raw.githubusercontent.com/ana/dados/0a1b/pasta/f.csv"
CLOUD = "https://cloud.example.br/s/X1/download/tarefa.zip"


def test_address_that_would_leave_the_mirror_is_refused():
    with pytest.raises(ConfigError, match=r"'\.\.' in its path"):
        names_in_mirror("https://host.br/a/%2e%2e/%2e%2e/etc/passwd")


def test_mirrors_come_first_and_the_order_of_addresses_is_kept():
    assert places([CLOUD, RAW], ["/espelho", "https://m.br/dados/"]) == [
        Path("/espelho/cloud.example.br/s/X1/download/tarefa.zip"),
        Path("/espelho/github/ana/dados/0a1b/pasta/f.csv"),
        "https://m.br/dados/cloud.example.br/s/X1/download/tarefa.zip",
        "https://m.br/dados/github/ana/dados/0a1b/pasta/f.csv",
        CLOUD,
        RAW,
    ]


def test_a_file_without_a_public_address_is_in_mirrors_only():
    address = "mirror://derived/Leis/corpus.json"
    assert names_in_mirror(address) == ["derived/Leis/corpus.json"]
    assert places([address], ["/espelho", "https://m.br"]) == [
        Path("/espelho/derived/Leis/corpus.json"),
        "https://m.br/derived/Leis/corpus.json",
    ]
    assert places([address], []) == []


def test_mirrors_of_the_environment_come_after_those_of_the_config_each_once():
    environment = {"SENTFLOW_MIRROR": " /espelho\thttps://m.br:8080/d  /outro "}
    assert mirrors_in_use(["/outro"], environment) == ["/outro", "/espelho", "https://m.br:8080/d"]
    assert mirrors_in_use([], {}) == []
