"""Downloads from a server on loopback that does what servers do wrong."""

import gzip
import hashlib
import io
import os
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from one_connection import one_connection

from sentflow.downloads.download import download
from sentflow.downloads.retries import RetryPolicy
from sentflow.downloads.transfer import Patience
from sentflow.errors import ConfigError, DataError
from sentflow.files.checksums import CatalogFile
from sentflow.files.limits import limited

CONTENT = "índice,texto,rótulo\n".encode() + bytes(range(256)) * 40
# Short waits between tries; nothing times out on a busy machine
HASTE = Patience(
    connect_seconds=600,
    read_seconds=600,
    retries=RetryPolicy.of(3, first_seconds=0.01, longest_seconds=0.05),
    stall_seconds=600,
)

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

    def hang(self) -> Answer:
        return lambda request: self.over.wait() and None

    def drip(self) -> Answer:
        def answer(request: BaseHTTPRequestHandler) -> None:
            request.send_response(200)
            request.send_header("Content-Length", str(len(CONTENT)))
            request.end_headers()
            for byte in CONTENT:
                if self.over.wait(0.02):
                    return
                request.wfile.write(bytes([byte]))

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


def catalog_file(*urls: str, content: bytes = CONTENT, **keys: object) -> CatalogFile:
    return CatalogFile.from_settings({"urls": urls, "sha256": sha256(content), **keys}, where="test")


def zipped(members: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def members_file(url: str, text: str) -> CatalogFile:
    """Entry of an archive whose folder raiz holds true/1.txt with that text."""
    line = f"true/1.txt\0{sha256(text.encode())}\n"
    return CatalogFile((url,), members_sha256=sha256(line.encode()), members_under="raiz")


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_good_file_is_downloaded_byte_by_byte(tmp_path, loopback):
    url = loopback.serve("/a.csv", loopback.whole())
    assert download(catalog_file(url), tmp_path / "raw/a.csv", patience=HASTE) == url
    assert (tmp_path / "raw/a.csv").read_bytes() == CONTENT
    assert left_in(tmp_path / "raw") == ["a.csv"]


def test_wrong_checksum_names_both_sums_and_the_address_and_leaves_nothing(tmp_path, loopback):
    url = loopback.serve("/a.csv", loopback.whole(b"outro"))
    with pytest.raises(DataError) as error:
        download(catalog_file(url), tmp_path / "raw/a.csv", patience=HASTE)
    assert f"{url}: SHA-256 is {sha256(b'outro')}, expected {sha256(CONTENT)} (5 bytes)" in str(error.value)
    assert left_in(tmp_path / "raw") == []
    assert len(loopback.asked) == 1  # the same bytes again would be as wrong


def test_web_page_in_place_of_the_file_is_called_so(tmp_path, loopback):
    url = loopback.serve("/a.csv", loopback.whole(b"\n<!DOCTYPE html><html>quota exceeded"))
    with pytest.raises(DataError, match="It is a web page: the server sent an HTML page"):
        download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)


def test_second_address_is_tried_when_the_first_is_gone(tmp_path, loopback):
    good = loopback.serve("/b.csv", loopback.whole())
    assert download(catalog_file(loopback.url + "/gone", good), tmp_path / "a.csv", patience=HASTE) == good
    assert [path for path, _ in loopback.asked] == ["/gone", "/b.csv"]  # 404 is an answer: no second try


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


def test_server_that_is_gone_ends_clearly(tmp_path):
    with pytest.raises(DataError, match=r"no connection \(.*refused.*\) \(tried 3 times\)"):
        download(catalog_file("http://127.0.0.1:9/a.csv"), tmp_path / "a.csv", patience=HASTE)
    assert left_in(tmp_path) == []


def test_truncated_body_is_never_taken_for_the_file(tmp_path, loopback):
    url = loopback.serve("/a.csv", loopback.whole(CONTENT[:500], announced=len(CONTENT)))
    with pytest.raises(DataError, match="the connection broke before the end of the file"):
        download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)
    assert left_in(tmp_path) == [".a.csv.part"]  # for going on later, under another name


def test_truncated_body_is_gone_on_from_where_the_server_knows_ranges(tmp_path, loopback):
    url = loopback.serve(
        "/a.csv", loopback.whole(CONTENT[:500], announced=len(CONTENT)), loopback.whole(ranges=True)
    )
    download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)
    assert (tmp_path / "a.csv").read_bytes() == CONTENT
    assert loopback.asked == [("/a.csv", None), ("/a.csv", "bytes=500-")]
    assert left_in(tmp_path) == ["a.csv"]


def test_truncated_body_is_fetched_anew_where_the_server_knows_no_ranges(tmp_path, loopback):
    url = loopback.serve("/a.csv", loopback.whole(CONTENT[:500], announced=len(CONTENT)), loopback.whole())
    download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)
    assert (tmp_path / "a.csv").read_bytes() == CONTENT


def test_later_run_goes_on_from_what_an_earlier_one_left(tmp_path, loopback):
    (tmp_path / ".a.csv.part").write_bytes(CONTENT[:700])
    url = loopback.serve("/a.csv", loopback.whole(ranges=True))
    download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)
    assert loopback.asked == [("/a.csv", "bytes=700-")]
    assert (tmp_path / "a.csv").read_bytes() == CONTENT


@pytest.mark.parametrize("old", [b"x" * 700, CONTENT, CONTENT + b"more"])
def test_piece_that_does_not_fit_is_thrown_away(tmp_path, loopback, old):
    (tmp_path / ".a.csv.part").write_bytes(old)
    url = loopback.serve("/a.csv", loopback.whole(ranges=True))
    download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)
    assert (tmp_path / "a.csv").read_bytes() == CONTENT
    assert left_in(tmp_path) == ["a.csv"]


def test_another_range_than_asked_for_is_not_used(tmp_path, loopback):
    def shifted(request: BaseHTTPRequestHandler) -> None:
        if not request.headers["Range"]:
            loopback.whole()(request)
            return
        request.send_response(206)
        request.send_header("Content-Range", f"bytes 0-9/{len(CONTENT)}")
        request.send_header("Content-Length", "10")
        request.end_headers()
        request.wfile.write(CONTENT[:10])

    (tmp_path / ".a.csv.part").write_bytes(CONTENT[:700])
    download(catalog_file(loopback.serve("/a.csv", shifted)), tmp_path / "a.csv", patience=HASTE)
    assert (tmp_path / "a.csv").read_bytes() == CONTENT


def test_a_size_that_is_none_is_no_size(tmp_path, loopback):
    def endless(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "9" * 5000)
        request.end_headers()
        request.wfile.write(CONTENT)

    url = loopback.serve("/a.csv", endless, loopback.whole())
    download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)
    assert (tmp_path / "a.csv").read_bytes() == CONTENT


def test_server_that_hangs_is_left_in_time(tmp_path, loopback):
    url = loopback.serve("/a.csv", loopback.hang())
    with pytest.raises(DataError, match=r"no response before the timeout \(tried 3 times\)"):
        download(catalog_file(url), tmp_path / "a.csv", patience=replace(HASTE, read_seconds=0.3))


def test_server_that_drips_is_left_in_time(tmp_path, loopback):
    url = loopback.serve("/a.csv", loopback.drip())
    patience = replace(HASTE, stall_seconds=0.2, least_bytes_per_second=1000)  # it gives 50 at most
    with pytest.raises(DataError, match=r"too slow: \d+ bytes per second \(tried 3 times\)"):
        download(catalog_file(url), tmp_path / "a.csv", patience=patience)


def test_overloaded_server_is_asked_again(tmp_path, loopback):
    url = loopback.serve(
        "/a.csv", loopback.status(503, Retry_After="0"), loopback.status(429), loopback.whole()
    )
    download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)
    assert len(loopback.asked) == 3


def test_server_that_asks_to_wait_for_hours_is_left_for_the_next_address(tmp_path, loopback):
    busy = loopback.serve("/a.csv", loopback.status(503, Retry_After="7200"))
    good = loopback.serve("/b.csv", loopback.whole())
    assert download(catalog_file(busy, good), tmp_path / "a.csv", patience=HASTE) == good
    assert [path for path, _ in loopback.asked] == ["/a.csv", "/b.csv"]


@pytest.mark.parametrize("header", ["9" * 5000, "soon", "Mon, 01 Jan 99999999999 00:00:00 GMT"], ids=repr)
def test_wait_that_is_none_is_not_kept_to(tmp_path, loopback, header):
    url = loopback.serve("/a.csv", loopback.status(503, Retry_After=header), loopback.whole())
    download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)
    assert (tmp_path / "a.csv").read_bytes() == CONTENT


def test_redirect_is_followed(tmp_path, loopback):
    url = loopback.serve("/a.csv", loopback.status(302, Location="/b.csv"))
    loopback.serve("/b.csv", loopback.whole())
    download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)
    assert (tmp_path / "a.csv").read_bytes() == CONTENT


def test_redirect_without_end_is_an_error(tmp_path, loopback):
    url = loopback.serve("/a.csv", loopback.status(302, Location="/a.csv"))
    with pytest.raises(DataError, match="Exceeded 30 redirects"):
        download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)


@pytest.mark.parametrize("scheme", ["file", "ftp"])
def test_redirect_to_anything_but_http_is_refused(tmp_path, loopback, scheme):
    secret = tmp_path / "secret.csv"
    secret.write_bytes(
        CONTENT
    )  # even the right bytes: what a server names on this machine is not its to give
    url = loopback.serve("/a.csv", loopback.status(302, Location=f"{scheme}://{secret}"))
    with pytest.raises(DataError, match=rf"(?s)a\.csv could not be obtained.*{scheme}://"):
        download(catalog_file(url), tmp_path / "raw/a.csv", patience=HASTE)
    assert left_in(tmp_path / "raw") == []


def test_error_of_the_server_that_stays_ends_with_the_next_address(tmp_path, loopback):
    broken = loopback.serve("/a.csv", loopback.status(500))
    gone = loopback.serve("/b.csv", loopback.status(410))
    good = loopback.serve("/c.csv", loopback.whole())
    assert download(catalog_file(broken, gone, good), tmp_path / "a.csv", patience=HASTE) == good
    with pytest.raises(DataError) as caught:
        download(catalog_file(broken, gone), tmp_path / "b.csv", patience=HASTE)
    assert "/a.csv: HTTP 500 Internal Server Error (tried 3 times)" in str(caught.value)
    assert "/b.csv: HTTP 410 Gone" in str(caught.value)
    assert left_in(tmp_path) == ["a.csv"]


def test_another_size_is_refused_before_the_body(tmp_path, loopback):
    url = loopback.serve("/a.csv", loopback.whole())
    with pytest.raises(DataError, match=f"has {len(CONTENT)} bytes, expected 7"):
        download(catalog_file(url, bytes=7), tmp_path / "a.csv", patience=HASTE)
    assert left_in(tmp_path) == []


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


def test_body_that_the_server_packed_is_not_unpacked(tmp_path, loopback):
    packed = gzip.compress(bytes(1 << 20), mtime=0)

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Encoding", "gzip")
        request.send_header("Content-Length", str(len(packed)))
        request.end_headers()
        request.wfile.write(packed)

    url = loopback.serve("/a.gz", answer)
    download(catalog_file(url, content=packed), tmp_path / "a.gz", patience=HASTE)
    assert (tmp_path / "a.gz").read_bytes() == packed


def test_body_of_a_redirect_is_not_read(tmp_path, loopback):
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", "/b.csv")
        request.end_headers()
        while not loopback.over.is_set():
            request.wfile.write(bytes(1 << 16))

    url = loopback.serve("/a.csv", answer)
    loopback.serve("/b.csv", loopback.whole())
    download(catalog_file(url), tmp_path / "a.csv", patience=HASTE)
    assert (tmp_path / "a.csv").read_bytes() == CONTENT


@pytest.mark.parametrize("part", ["status", "headers", "body"])
def test_answer_that_drips_past_both_time_outs_is_left(tmp_path, part):
    now = 0.0
    start = {"status": b"", "headers": b"HTTP/1.1 200 OK\r\nX: ", "body": b"HTTP/1.1 200 OK\r\n\r\n"}[part]

    def drip(connection) -> None:
        nonlocal now
        connection.recv(1 << 16)
        connection.sendall(start)
        while True:  # each piece comes before a read would time out, and fast enough
            now += 100
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" if part == "status" else bytes(500))

    patience = replace(HASTE, clock=lambda: now, least_bytes_per_second=0, stall_seconds=1e9)
    with one_connection(drip) as url, pytest.raises(DataError, match=r"took longer than 3600 s"):
        download(catalog_file(url), tmp_path / "a.csv", patience=patience)


def pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("make", [lambda folder: Path("/dev/zero"), lambda folder: pipe(folder / "cano")])
def test_local_file_that_never_ends_is_refused(tmp_path, make):
    endless = make(tmp_path)
    link = tmp_path / "dados.csv"
    link.symlink_to(endless)
    for path in (endless, link):
        with pytest.raises(DataError, match="is not a file, but a folder, a pipe or a device"):
            download(CatalogFile((str(path),)), tmp_path / "raw/a.csv")


def test_link_to_a_file_is_followed(tmp_path):
    (tmp_path / "a.csv").write_bytes(CONTENT)
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    download(CatalogFile((str(tmp_path / "b.csv"),)), tmp_path / "raw/a.csv")
    assert (tmp_path / "raw/a.csv").read_bytes() == CONTENT


def test_local_file_beyond_the_limit_is_refused(tmp_path):
    (tmp_path / "a.csv").write_bytes(CONTENT)
    with (
        limited(download_bytes=100),
        pytest.raises(DataError, match=r"limits\.download_bytes allows \(100\)"),
    ):
        download(CatalogFile((str(tmp_path / "a.csv"),)), tmp_path / "raw/a.csv")
    with pytest.raises(DataError, match=f"has {len(CONTENT)} bytes, expected 15"):
        download(CatalogFile((str(tmp_path / "a.csv"),), bytes=15), tmp_path / "raw/a.csv")


def test_archive_that_climbs_out_is_refused_although_its_checksum_is_right(tmp_path, loopback):
    content = zipped({"../../fora.csv": "x"})
    url = loopback.serve("/a.zip", loopback.whole(content))
    with pytest.raises(DataError, match=r"member '\.\./\.\./fora\.csv' leads out of its folder"):
        download(catalog_file(url, content=content), tmp_path / "raw/a.zip", patience=HASTE)
    assert left_in(tmp_path / "raw") == []


@pytest.mark.parametrize("prefix", ["", "repo-0a1b/"])
def test_archive_may_be_packed_otherwise_where_only_its_members_count(tmp_path, loopback, prefix):
    content = zipped({f"{prefix}raiz/true/1.txt": "ação", f"{prefix}README.md": prefix})
    url = loopback.serve("/a.zip", loopback.whole(content))
    download(members_file(url, "ação"), tmp_path / "raw/a.zip", patience=HASTE)
    assert (tmp_path / "raw/a.zip").read_bytes() == content


def test_archive_with_another_member_is_refused_with_both_sums(tmp_path, loopback):
    url = loopback.serve("/a.zip", loopback.whole(zipped({"raiz/true/1.txt": "acao"})))
    with pytest.raises(DataError, match=r"SHA-256 of the members under raiz is \w{64}, expected \w{64}"):
        download(members_file(url, "ação"), tmp_path / "raw/a.zip", patience=HASTE)
    assert left_in(tmp_path / "raw") == []


def test_folder_of_a_mirror_serves_before_the_network(tmp_path, loopback):
    mirrored = tmp_path / "espelho/127.0.0.1/x/a.csv"
    mirrored.parent.mkdir(parents=True)
    mirrored.write_bytes(CONTENT)
    url = loopback.serve("/x/a.csv", loopback.whole())
    place = download(catalog_file(url), tmp_path / "raw/a.csv", mirrors=[str(tmp_path / "espelho")])
    assert place == mirrored
    assert (tmp_path / "raw/a.csv").read_bytes() == CONTENT
    assert loopback.asked == []


@pytest.mark.parametrize("there", [True, False])
def test_the_piece_of_a_killed_transfer_goes_when_the_file_is_there_otherwise(tmp_path, there):
    (tmp_path / "espelho/127.0.0.1").mkdir(parents=True)
    (tmp_path / "espelho/127.0.0.1/a.csv").write_bytes(CONTENT)
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw/.a.csv.part").write_bytes(CONTENT[:700])
    if there:
        (tmp_path / "raw/a.csv").write_bytes(CONTENT)
    download(
        catalog_file("http://127.0.0.1/a.csv"), tmp_path / "raw/a.csv", mirrors=[str(tmp_path / "espelho")]
    )
    assert left_in(tmp_path / "raw") == ["a.csv"]


def test_mirror_with_a_wrong_file_is_passed_over(tmp_path, loopback):
    (tmp_path / "espelho/127.0.0.1").mkdir(parents=True)
    (tmp_path / "espelho/127.0.0.1/a.csv").write_bytes(b"velho")
    url = loopback.serve("/a.csv", loopback.whole())
    assert download(catalog_file(url), tmp_path / "a.csv", mirrors=[str(tmp_path / "espelho")]) == url
    assert left_in(tmp_path) == ["a.csv", "espelho"]


def test_base_url_serves_as_a_mirror(tmp_path, loopback):
    loopback.serve("/dados/github/ana/repo/0a1b/a%C3%A7.csv", loopback.whole())
    file = catalog_file("https://raw.githubusercontent.com/ana/repo/0a1b/a%C3%A7.csv")
    place = download(file, tmp_path / "a.csv", mirrors=[loopback.url + "/dados/"], patience=HASTE)
    assert place == loopback.url + "/dados/github/ana/repo/0a1b/a%C3%A7.csv"


def test_file_of_this_machine_is_copied_without_a_checksum(tmp_path):
    (tmp_path / "meu.csv").write_bytes(CONTENT)
    file = CatalogFile.from_settings({"urls": [str(tmp_path / "meu.csv")]}, where="test")
    download(file, tmp_path / "raw/meu.csv")
    (tmp_path / "meu.csv").write_bytes(b"novo")
    download(file, tmp_path / "raw/meu.csv")
    assert (tmp_path / "raw/meu.csv").read_bytes() == b"novo"


def test_right_file_that_is_there_is_not_fetched_again(tmp_path, loopback):
    (tmp_path / "a.csv").write_bytes(CONTENT)
    download(catalog_file(loopback.url + "/a.csv"), tmp_path / "a.csv", patience=HASTE)
    assert loopback.asked == []


def test_wrong_file_that_is_there_is_deleted_even_if_no_place_has_another(tmp_path, loopback):
    (tmp_path / "a.csv").write_bytes(b"estragado")
    with pytest.raises(DataError, match="HTTP 404"):
        download(catalog_file(loopback.url + "/a.csv"), tmp_path / "a.csv", patience=HASTE)
    assert left_in(tmp_path) == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"urls": []}, r"test: no address\. Write urls: \[address, \.\.\.\]"),
        ({"urls": ["https://a.br/x"]}, "needs a checksum. Write sha256: <64 digits>"),
        (
            {"urls": ["x"], "sha": "0"},
            "unknown key sha. Known: urls, sha256, members_sha256, members_under, bytes",
        ),
        ({"urls": ["x"], "members_sha256": "0"}, "members_sha256 and members_under belong together"),
    ],
)
def test_catalog_entry_that_is_not_in_order_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        CatalogFile.from_settings(settings, where="test")
