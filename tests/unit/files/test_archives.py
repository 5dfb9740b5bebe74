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

from sentflow.encoders.fetch.archive import unpack_model
from sentflow.errors import DataError
from sentflow.files.archives.members import (
    check_archive,
    is_archive,
    member_names,
    members_sha256,
    read_members,
)
from sentflow.files.checksums import CatalogFile, verify
from sentflow.files.limits import RATIO_FROM_BYTES, limited


def make_zip(path: Path, members: list[tuple[str | zipfile.ZipInfo, bytes]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def test_good_archive_passes_and_is_read_member_by_member(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("b/ção.txt", "é".encode()), ("a.txt", b"1"), ("b/", b"")])
    check_archive(path)
    assert member_names(path) == ["a.txt", "b/ção.txt"]
    assert list(read_members(path, ["b/ção.txt"])) == [("b/ção.txt", "é".encode())]


def test_member_outside_the_folder_is_refused_by_name(tmp_path):
    for name, fault in (
        ("../fora.txt", "leads out of its folder"),
        ("a\\..\\..\\fora.txt", "leads out of its folder"),
        ("/etc/passwd", "has an absolute path"),
        ("C:/x.txt", "has an absolute path"),
        ("\\\\host\\x.txt", "has an absolute path"),
    ):
        path = make_zip(tmp_path / "a.zip", [("bom.txt", b"1"), (name, b"2")])
        with pytest.raises(DataError) as error:
            check_archive(path)
        assert f"member {name!r} {fault}" in str(error.value)
        assert "bom.txt" not in str(error.value)


def test_link_is_refused_by_name(tmp_path):
    link = zipfile.ZipInfo("atalho")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = make_zip(tmp_path / "a.zip", [(link, b"/etc/passwd")])
    with pytest.raises(DataError, match="member 'atalho' is a link or a device"):
        check_archive(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_member_that_occurs_twice_is_refused_by_name(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("x.csv", b"1"), ("x.csv", b"2")])
    with pytest.raises(DataError, match=r"member 'x\.csv' occurs 2 times"):
        check_archive(path)


def test_encrypted_member_is_refused_by_name(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("segredo.csv", b"1")])
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1  # the flag in the central directory
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"member 'segredo\.csv' is encrypted"):
        check_archive(path)


def test_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("bomba.csv", bytes(RATIO_FROM_BYTES + 1))])
    with pytest.raises(DataError, match=r"unpacks from \d+ to 10485761 bytes, like a decompression bomb"):
        check_archive(path)


def test_members_that_are_bombs_together_only_are_refused(tmp_path):
    path = make_zip(tmp_path / "a.zip", [(f"{n}.csv", bytes(RATIO_FROM_BYTES - 1)) for n in range(3)])
    with pytest.raises(DataError, match=rf"to {3 * RATIO_FROM_BYTES - 3} bytes, like a decompression bomb"):
        check_archive(path)
    with pytest.raises(DataError, match="like a decompression bomb"):
        list(read_members(path, member_names(path)))


def test_too_many_members_and_too_many_bytes_are_refused_together(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("a", b"11"), ("b", b"22"), ("c", b"33")])
    message = (
        r"holds 3 members, more than 2 .*; unpacks from \d+ to 6 bytes, .* limits.unpacked_bytes allows \(5\)"
    )
    with limited(archive_members=2, unpacked_bytes=5), pytest.raises(DataError, match=message):
        check_archive(path)


def test_member_that_is_damaged_or_absent_is_an_error(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.txt", b"conteudo")
    path.write_bytes(path.read_bytes().replace(b"conteudo", b"c0nteudo"))
    with pytest.raises(DataError, match="Bad CRC-32"):
        list(read_members(path, ["a.txt"]))
    with pytest.raises(DataError, match=r"no member 'b\.txt'"):
        list(read_members(path, ["b.txt"]))


def test_members_checksum_is_that_of_the_written_rule(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("raiz/b.txt", b"2"), ("raiz/a.txt", b"1"), ("outra.txt", b"3")])
    # one line per member: path, NUL, hash of the bytes; sorted by path
    lines = "".join(f"{n}\0{hashlib.sha256(c).hexdigest()}\n" for n, c in [("a.txt", b"1"), ("b.txt", b"2")])
    assert members_sha256(path, "raiz") == hashlib.sha256(lines.encode()).hexdigest()


PACKERS = {"tar": bytes, "tar.gz": gzip.compress, "tar.bz2": bz2.compress, "tar.xz": lzma.compress}


def entry(name: str, **changes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    for key, value in changes.items():
        setattr(info, key, value)
    return info


def tar_bytes(members: list[tuple[str | tarfile.TarInfo, bytes]], format: int = tarfile.PAX_FORMAT) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=format) as archive:
        for name, content in members:
            info = entry(name) if isinstance(name, str) else name
            info.size = len(content) if info.isreg() else info.size
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def make_tar(path: Path, members, packing: str = "tar", **options) -> Path:
    path.write_bytes(PACKERS[packing](tar_bytes(members, **options)))
    return path


def test_good_archive_passes_and_is_read_in_the_order_asked_for(tmp_path):
    long = "pasta/" * 30 + "é.txt"
    members = [("b/ção.txt", "é".encode()), ("./a.txt", b"1" * 3000), (long, b"longo")]
    for packing in PACKERS:
        path = make_tar(
            tmp_path / "nome sem fim", [(entry("b", type=tarfile.DIRTYPE), b""), *members], packing
        )
        assert is_archive(path)
        check_archive(path)
        assert member_names(path) == ["a.txt", "b/ção.txt", long]
        assert list(read_members(path, [long, "a.txt"])) == [(long, b"longo"), ("a.txt", b"1" * 3000)]


def test_member_that_could_do_harm_is_refused_by_name(tmp_path):
    for name, fault in (
        ("../fora.txt", "leads out of its folder"),
        ("/etc/passwd", "has an absolute path"),
        (entry("atalho", type=tarfile.SYMTYPE, linkname="/etc/passwd"), "is a link"),
        (entry("nulo", type=tarfile.CHRTYPE, devmajor=1, devminor=3), "is a device"),
        (entry("outro", type=b"Z"), "has an unknown type"),
    ):
        path = make_tar(tmp_path / "a", [("bom.txt", b"1"), (name, b"")], "tar.gz")
        with pytest.raises(DataError) as error:
            check_archive(path)
        assert f"member {name if isinstance(name, str) else name.name!r} {fault}" in str(error.value)
        assert "bom.txt" not in str(error.value)
    path = make_tar(tmp_path / "a", [("x.csv", b"1"), ("./x.csv", b"2")])
    with pytest.raises(DataError, match="x.csv' occurs 2 times"):
        check_archive(path)


def test_bomb_is_left_as_soon_as_it_exceeds_the_limit(tmp_path):
    path = make_tar(tmp_path / "a", [("bomba.csv", bytes(8 * RATIO_FROM_BYTES))], "tar.xz")
    tracemalloc.start()
    with pytest.raises(DataError, match=r"unpacks to more than \d+ bytes, like a decompression bomb"):
        check_archive(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < RATIO_FROM_BYTES


def test_too_many_members_and_too_many_bytes(tmp_path):
    path = make_tar(tmp_path / "a.tar", [(str(n), b"11") for n in range(5)])
    with limited(archive_members=4), pytest.raises(DataError, match="holds more than 4 members"):
        check_archive(path)
    message = r"unpacks to more than 3000 bytes, more than limits\.unpacked_bytes allows"
    with limited(unpacked_bytes=3000), pytest.raises(DataError, match=message):
        check_archive(path)


def test_archive_that_was_cut_is_refused(tmp_path):
    for packing in PACKERS:
        path = make_tar(tmp_path / "a", [(f"{n}.txt", bytes(range(256)) * 8) for n in range(20)], packing)
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * 0.6)])
        with pytest.raises(DataError, match="not a readable|no end mark"):
            check_archive(path)


# --- where archives are read --------------------------------------------------------------------------------


def test_download_refuses_a_bad_archive_under_any_name(tmp_path):
    path = make_tar(tmp_path / "dados.csv", [("../fora.csv", b"1")], "tar.gz")
    with pytest.raises(DataError, match="leads out of its folder"):
        verify(path, CatalogFile(urls=("x",)))


def test_model_of_a_tar_is_unpacked_without_the_folders_around_it(tmp_path):
    members = [
        ("m-1/model/config.json", b"{}"),
        ("m-1/model/model.safetensors", b"\0" * 5000),
        ("m-1/model/pytorch_model.bin", b"pickle"),
        ("m-1/README.md", b"x"),
    ]
    path = make_tar(tmp_path / "m.archive", members, "tar.gz")
    folder = tmp_path / "weights"
    unpack_model(path, folder, allow_pickle=False)
    assert sorted(p.name for p in folder.rglob("*")) == ["config.json", "model.safetensors"]
    assert (folder / "model.safetensors").read_bytes() == b"\0" * 5000
