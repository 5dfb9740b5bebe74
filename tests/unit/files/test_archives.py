"""Zip and tar archives: what is read, and what is refused before it does harm."""

import bz2
import gzip
import hashlib
import io
import lzma
import stat
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from sentflow.config.datasets import File
from sentflow.errors import DataError
from sentflow.files.archives.members import (
    check_archive,
    is_archive,
    member_names,
    members_sha256,
    read_members,
)
from sentflow.files.checksums import verify
from sentflow.files.limits import RATIO_FROM_BYTES, limited

PACKERS = {"tar": bytes, "tar.gz": gzip.compress, "tar.bz2": bz2.compress, "tar.xz": lzma.compress}


def make_zip(
    path: Path, members: list[tuple[str | zipfile.ZipInfo, bytes]], packing=zipfile.ZIP_DEFLATED
) -> Path:
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def entry(name: str, **changes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    for key, value in changes.items():
        setattr(info, key, value)
    return info


def make_tar(path: Path, members: list[tuple[str | tarfile.TarInfo, bytes]], packing: str = "tar") -> Path:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in members:
            info = entry(name) if isinstance(name, str) else name
            info.size = len(content) if info.isreg() else info.size
            archive.addfile(info, io.BytesIO(content))
    path.write_bytes(PACKERS[packing](stream.getvalue()))
    return path


def zip_link() -> zipfile.ZipInfo:
    link = zipfile.ZipInfo("atalho")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    return link


def test_a_good_archive_is_read_in_the_order_asked_for_whatever_its_name(tmp_path):
    long, path = "pasta/" * 30 + "é.txt", tmp_path / "nome sem fim"
    members = [("b/ção.txt", "é".encode()), ("a.txt", b"1" * 3000), (long, b"longo")]
    make_zip(path, [("b/", b""), *members])
    for packing in (None, *PACKERS):
        if packing:
            make_tar(path, [(entry("b", type=tarfile.DIRTYPE), b""), *members], packing)
        assert is_archive(path)
        check_archive(path)
        assert member_names(path) == ["a.txt", "b/ção.txt", long]
        assert list(read_members(path, [long, "a.txt"])) == [(long, b"longo"), ("a.txt", b"1" * 3000)]


OUT, ABSOLUTE = "leads out of its folder", "has an absolute path"


@pytest.mark.parametrize(
    ("make", "name", "fault"),
    [
        *((make, "../fora.txt", OUT) for make in (make_zip, make_tar)),
        (make_zip, "a\\..\\..\\fora.txt", OUT),
        *((make, "/etc/passwd", ABSOLUTE) for make in (make_zip, make_tar)),
        *((make_zip, name, ABSOLUTE) for name in ("C:/x.txt", "\\\\host\\x.txt")),
        (make_zip, zip_link(), "is a link"),
        (make_tar, entry("atalho", type=tarfile.SYMTYPE, linkname="/etc/passwd"), "is a link"),
        (make_tar, entry("nulo", type=tarfile.CHRTYPE, devmajor=1, devminor=3), "is a device"),
        (make_tar, entry("outro", type=b"Z"), "has an unknown type"),
    ],
)
def test_a_member_that_could_do_harm_is_refused_by_name(tmp_path, make, name, fault):
    path = make(tmp_path / "a", [("bom.txt", b"1"), (name, b"")])
    with pytest.raises(DataError) as error:
        check_archive(path)
    plain = name if isinstance(name, str) else getattr(name, "filename", None) or name.name
    assert f"member {plain!r} {fault}" in str(error.value)
    assert "bom.txt" not in str(error.value)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_occurs_twice_or_is_encrypted_is_refused_by_name(tmp_path):
    for make in (make_zip, make_tar):
        with pytest.raises(DataError, match=r"member 'x\.csv' occurs 2 times"):
            check_archive(make(tmp_path / "a", [("x.csv", b"1"), ("x.csv", b"2")]))
    path = make_zip(tmp_path / "a.zip", [("segredo.csv", b"1")])
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1  # the flag in the central directory
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"member 'segredo\.csv' is encrypted"):
        check_archive(path)


def lying(path: Path) -> Path:
    """Its member says that it is packed to a hundredth."""
    make_zip(path, [("a.csv", bytes(8 * RATIO_FROM_BYTES))])
    content = bytearray(path.read_bytes())
    place = content.rindex(b"PK\x01\x02") + 20
    content[place : place + 4] = (8 * RATIO_FROM_BYTES // 100).to_bytes(4, "little")
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    "make",
    [
        lambda path: make_zip(path, [("a.csv", bytes(RATIO_FROM_BYTES + 1))]),
        lambda path: make_zip(path, [(f"{n}.csv", bytes(RATIO_FROM_BYTES // 2)) for n in range(3)]),
        lambda path: make_tar(path, [("a.csv", bytes(8 * RATIO_FROM_BYTES))], "tar.xz"),
        lying,
    ],
    ids=["one member", "members together", "tar", "wrong sizes"],
)
def test_a_bomb_is_refused_before_it_fills_the_memory(tmp_path, make):
    path = make(tmp_path / "a.zip")
    tracemalloc.start()
    for read in (check_archive, lambda path: list(read_members(path, member_names(path)))):
        with pytest.raises(DataError, match="like a decompression bomb"):
            read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * RATIO_FROM_BYTES


def test_too_many_members_and_too_many_bytes_are_refused(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("a", b"11"), ("b", b"22"), ("c", b"33")])
    message = r"holds 3 members, more than 2 .*; unpacks from \d+ to 6 bytes, .* limits.unpacked_bytes"
    with limited(archive_members=2, unpacked_bytes=5), pytest.raises(DataError, match=message):
        check_archive(path)
    path = make_tar(tmp_path / "a.tar", [(str(n), b"11") for n in range(5)])
    with limited(archive_members=4), pytest.raises(DataError, match="holds more than 4 members"):
        check_archive(path)
    with limited(unpacked_bytes=3000), pytest.raises(DataError, match=r"more than limits\.unpacked_bytes"):
        check_archive(path)


def test_what_is_damaged_cut_or_absent_is_an_error(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("a.txt", b"conteudo")], zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"conteudo", b"c0nteudo"))
    with pytest.raises(DataError, match="Bad CRC-32"):
        list(read_members(path, ["a.txt"]))
    with pytest.raises(DataError, match=r"no member 'b\.txt'"):
        list(read_members(path, ["b.txt"]))
    for packing in PACKERS:
        make_tar(path, [(f"{n}.txt", bytes(range(256)) * 8) for n in range(20)], packing)
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * 0.6)])
        with pytest.raises(DataError, match="not a readable|no end mark"):
            check_archive(path)


def test_members_checksum_is_that_of_the_written_rule(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("raiz/b.txt", b"2"), ("raiz/a.txt", b"1"), ("outra.txt", b"3")])
    # one line per member: path, NUL, hash of the bytes; sorted by path
    lines = "".join(f"{n}\0{hashlib.sha256(c).hexdigest()}\n" for n, c in [("a.txt", b"1"), ("b.txt", b"2")])
    assert members_sha256(path, "raiz") == hashlib.sha256(lines.encode()).hexdigest()


def test_download_refuses_a_bad_archive_under_any_name(tmp_path):
    path = make_tar(tmp_path / "dados.csv", [("../fora.csv", b"1")], "tar.gz")
    with pytest.raises(DataError, match="leads out of its folder"):
        verify(path, File(urls=("x",)))
