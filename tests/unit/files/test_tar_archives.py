"""Tar archives, plain and packed: the same refusals as for zip, counted while they are unpacked."""

import bz2
import gzip
import io
import lzma
import tarfile
import tracemalloc
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentflow.encoders.fetch.archive import unpack_model
from sentflow.errors import DataError
from sentflow.files.archives.members import (
    check_archive,
    is_archive,
    member_names,
    member_streams,
    members_sha256,
    read_members,
)
from sentflow.files.checksums import CatalogFile, verify
from sentflow.files.limits import RATIO_FROM_BYTES, limited
from sentflow.texts.readers import Reader, read_rows

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


@pytest.mark.parametrize("packing", PACKERS)
def test_good_archive_passes_and_is_read_in_the_order_asked_for(tmp_path, packing):
    long = "pasta/" * 30 + "é.txt"
    members = [("b/ção.txt", "é".encode()), ("./a.txt", b"1" * 3000), (long, b"longo")]
    path = make_tar(tmp_path / "nome sem fim", [(entry("b", type=tarfile.DIRTYPE), b""), *members], packing)
    assert is_archive(path)
    check_archive(path)
    assert member_names(path) == ["a.txt", "b/ção.txt", long]
    assert list(read_members(path, [long, "a.txt"])) == [(long, b"longo"), ("a.txt", b"1" * 3000)]


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("../fora.txt", "leads out of its folder"),
        ("a/../../fora.txt", "leads out of its folder"),
        ("a\\..\\..\\fora.txt", "leads out of its folder"),
        ("/etc/passwd", "has an absolute path"),
        ("C:/x.txt", "has an absolute path"),
        (entry("atalho", type=tarfile.SYMTYPE, linkname="/etc/passwd"), "is a link"),
        (entry("atalho", type=tarfile.LNKTYPE, linkname="bom.txt"), "is a link"),
        (entry("nulo", type=tarfile.CHRTYPE, devmajor=1, devminor=3), "is a device"),
        (entry("disco", type=tarfile.BLKTYPE), "is a device"),
        (entry("cano", type=tarfile.FIFOTYPE), "is a device"),
        (entry("outro", type=b"Z"), "has an unknown type"),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value.name} {value.type.decode()}",
)
def test_member_that_could_do_harm_is_refused_by_name(tmp_path, name, fault, packing):
    path = make_tar(tmp_path / "a", [("bom.txt", b"1"), (name, b"")], packing)
    with pytest.raises(DataError) as error:
        check_archive(path)
    shown = name if isinstance(name, str) else name.name
    assert f"member {shown!r} {fault}" in str(error.value)
    assert "bom.txt" not in str(error.value)


@pytest.mark.parametrize("second", ["x.csv", "./x.csv", "pasta/../x.csv"])
def test_member_that_occurs_twice_is_refused(tmp_path, second):
    path = make_tar(tmp_path / "a.tar", [("x.csv", b"1"), (second, b"2")])
    with pytest.raises(DataError, match=r"x\.csv' (occurs 2 times|climbs out)"):
        check_archive(path)


@pytest.mark.parametrize("packing", ["tar.gz", "tar.bz2", "tar.xz"])
def test_bomb_is_left_as_soon_as_it_exceeds_the_limit(tmp_path, packing):
    path = make_tar(tmp_path / "a", [("bomba.csv", bytes(8 * RATIO_FROM_BYTES))], packing)
    tracemalloc.start()
    with pytest.raises(DataError, match=r"unpacks to more than \d+ bytes, like a decompression bomb"):
        check_archive(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < RATIO_FROM_BYTES


def test_bomb_is_counted_when_it_is_read_too(tmp_path):
    path = make_tar(tmp_path / "a", [("bomba.csv", bytes(2 * RATIO_FROM_BYTES))], "tar.gz")
    with pytest.raises(DataError, match="like a decompression bomb"):
        list(read_members(path, ["bomba.csv"]))


def test_header_that_promises_more_than_the_archive_holds(tmp_path):
    content = tar_bytes([("x.csv", b"1" * 600)])
    path = tmp_path / "a.tar"
    path.write_bytes(content[:700])
    with pytest.raises(DataError, match="not a readable tar archive"):
        check_archive(path)


def test_header_of_endless_attributes_is_not_read(tmp_path):
    # a member of kind x holds attributes of the next one, and tarfile reads it in one piece
    info = entry("x", type=tarfile.XHDTYPE, size=1 << 30)
    path = tmp_path / "a.tar"
    path.write_bytes(info.tobuf(tarfile.USTAR_FORMAT) + bytes(2048))
    with pytest.raises(DataError, match=r"a header of \d+ bytes"):
        check_archive(path)


def test_too_many_members_and_too_many_bytes(tmp_path):
    path = make_tar(tmp_path / "a.tar", [(str(n), b"11") for n in range(5)])
    with limited(archive_members=4), pytest.raises(DataError, match="holds more than 4 members"):
        check_archive(path)
    message = r"unpacks to more than 3000 bytes, more than limits\.unpacked_bytes allows"
    with limited(unpacked_bytes=3000), pytest.raises(DataError, match=message):
        check_archive(path)


@pytest.mark.parametrize("packing", PACKERS)
def test_archive_that_was_cut_is_refused(tmp_path, packing):
    path = make_tar(tmp_path / "a", [(f"{n}.txt", bytes(range(256)) * 8) for n in range(20)], packing)
    content = path.read_bytes()
    for share in (0.3, 0.6, 0.8):
        path.write_bytes(content[: int(len(content) * share)])
        with pytest.raises(DataError, match="not a readable|no end mark"):
            check_archive(path)


def test_archive_with_a_damaged_header_in_the_middle_does_not_end_there(tmp_path):
    content = bytearray(tar_bytes([("a.txt", b"1"), ("b.txt", b"2")]))
    content[1024:1030] = b"\xff" * 6  # the header of b.txt
    path = tmp_path / "a.tar"
    path.write_bytes(content)
    with pytest.raises(DataError, match="no end mark"):
        member_names(path)


def test_something_behind_the_end_is_refused(tmp_path):
    path = tmp_path / "a.tar"
    path.write_bytes(tar_bytes([("a.txt", b"1")]) + tar_bytes([("b.txt", b"2")]))
    with pytest.raises(DataError, match="there is data after its end"):
        check_archive(path)


@settings(max_examples=150)
@given(
    places=st.lists(st.tuples(st.integers(0, 4095), st.integers(0, 255)), min_size=1, max_size=8),
    packing=st.sampled_from(sorted(PACKERS)),
    cut=st.integers(0, 6000),
)
def test_damage_of_any_kind_is_told(tmp_path_factory, places, packing, cut):
    content = bytearray(tar_bytes([("a.txt", b"um"), ("b/c.txt", b"dois" * 200)], tarfile.GNU_FORMAT))
    for place, byte in places:
        content[place % len(content)] = byte
    path = tmp_path_factory.mktemp("tar") / "a"
    path.write_bytes(PACKERS[packing](bytes(content))[: max(1, cut)])
    try:
        check_archive(path)
        found = dict(read_members(path, member_names(path)))
    except DataError:
        return
    assert sum(map(len, found.values())) <= len(content)


@pytest.mark.parametrize(
    "content", [b"", b"a,b\n1,2\n", b"\x1f\x8b", gzip.compress(b"palavra 0.1 0.2\n" * 90, mtime=0)]
)
def test_other_files_are_no_archives(tmp_path, content):
    path = tmp_path / "a"
    path.write_bytes(content)
    assert not is_archive(path)


def test_checksum_of_members_does_not_depend_on_the_format(tmp_path):
    import zipfile

    members = {"raiz/a.txt": b"1", "raiz/b/c.txt": b"2"}
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    packed = make_tar(tmp_path / "a.tgz", [(f"repo-01/{n}", c) for n, c in members.items()][::-1], "tar.gz")
    assert members_sha256(tmp_path / "a.zip", "raiz") == members_sha256(packed, "raiz")


# --- where archives are read --------------------------------------------------------------------------------


@pytest.mark.parametrize("packing", PACKERS)
def test_an_archive_stands_for_the_text_file_in_it_whatever_its_name(tmp_path, packing):
    rows = "text,label\nÓtimo,1\nRuim,0\n".encode()
    path = make_tar(tmp_path / "dados.csv", [("LEIAME.md", b"x"), ("pasta/dados.csv", rows)], packing)
    reader = Reader(format="csv", file="dados.csv", text_a="text", label="label")
    assert read_rows(path, reader).text_a == ["Ótimo", "Ruim"]


def test_one_of_several_files_is_named(tmp_path):
    members = [("a.csv", b"text,label\nA,1\n"), ("b.csv", b"text,label\nB,0\n")]
    path = make_tar(tmp_path / "dados.tar.gz", members, "tar.gz")
    reader = {"format": "csv", "file": "dados.tar.gz", "text_a": "text", "label": "label"}
    with pytest.raises(DataError, match=r"Write member: <name> in the reader. Members: 'a\.csv', 'b\.csv'"):
        read_rows(path, Reader(**reader))
    assert read_rows(path, Reader(**reader, member="b.csv")).text_a == ["B"]
    with pytest.raises(DataError, match=r"no member 'c\.csv'"):
        read_rows(path, Reader(**reader, member="c.csv"))


def test_texts_in_folders_may_be_in_a_tar(tmp_path):
    members = [(f"x/raiz/{label}/{n}.txt", f"{label} {n}".encode()) for label in "ab" for n in (10, 2)]
    path = make_tar(tmp_path / "textos.tar.xz", members, "tar.xz")
    rows = read_rows(path, Reader(format="text-folders", file=path.name, root="raiz"))
    assert rows.text_a == ["a 2", "a 10", "b 2", "b 10"]


@pytest.mark.parametrize("name", ["dados.csv", "dados.tar.gz"])
def test_download_refuses_a_bad_archive_under_any_name(tmp_path, name):
    path = make_tar(tmp_path / name, [("../fora.csv", b"1")], "tar.gz")
    with pytest.raises(DataError, match="leads out of its folder"):
        verify(path, CatalogFile(urls=("x",)))


def test_a_file_named_as_an_archive_must_be_one(tmp_path):
    path = tmp_path / "dados.tar.gz"
    path.write_bytes(b"<html>not here</html>")
    with pytest.raises(DataError, match="neither|nor a tar"):
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


def test_streams_need_no_memory_of_the_size_of_the_member(tmp_path):
    content = bytes(range(256)) * (1 << 14)  # 4 MiB
    path = make_tar(tmp_path / "a.tar", [("grande.bin", content)])
    tracemalloc.start()
    n_bytes = sum(
        len(chunk)
        for _, stream in member_streams(path, ["grande.bin"])
        for chunk in iter(partial(stream.read, 1 << 16), b"")
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_bytes == len(content)
    assert peak < 1 << 20


def test_long_names_one_after_the_other_are_one_paragraph(tmp_path):
    # each entry says that the next one's name is longer; tarfile follows them by calling itself
    header = entry("././@LongLink", type=tarfile.GNUTYPE_LONGNAME, size=2)
    block = header.tobuf(tarfile.GNU_FORMAT) + b"a\0".ljust(tarfile.BLOCKSIZE, b"\0")
    path = tmp_path / "chain.tar"
    path.write_bytes(block * 5000 + bytes(2 * tarfile.BLOCKSIZE))
    with pytest.raises(DataError, match="not a readable tar archive"):
        check_archive(path)
