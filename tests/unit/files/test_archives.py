import hashlib
import stat
import zipfile
from pathlib import Path

import pytest

from sentflow.errors import DataError
from sentflow.files.archives.members import (
    check_archive,
    member_names,
    members_sha256,
    members_under,
    read_members,
)
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


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("../fora.txt", "leads out of its folder"),
        ("a/../../fora.txt", "leads out of its folder"),
        ("a\\..\\..\\fora.txt", "leads out of its folder"),
        ("/etc/passwd", "has an absolute path"),
        ("C:/x.txt", "has an absolute path"),
        ("\\\\host\\x.txt", "has an absolute path"),
    ],
)
def test_member_outside_the_folder_is_refused_by_name(tmp_path, name, fault):
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


def test_bomb_that_says_it_is_packed_to_more_than_the_file_holds_is_refused(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("bomba.csv", bytes(RATIO_FROM_BYTES + 1))])
    content = bytearray(path.read_bytes())
    in_directory = content.index(b"PK\x01\x02") + 20
    content[in_directory : in_directory + 4] = (RATIO_FROM_BYTES).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(DataError, match="like a decompression bomb"):
        check_archive(path)


def test_members_that_are_bombs_together_only_are_refused(tmp_path):
    path = make_zip(tmp_path / "a.zip", [(f"{n}.csv", bytes(RATIO_FROM_BYTES - 1)) for n in range(3)])
    with pytest.raises(DataError, match=rf"to {3 * RATIO_FROM_BYTES - 3} bytes, like a decompression bomb"):
        check_archive(path)
    with pytest.raises(DataError, match="like a decompression bomb"):
        list(read_members(path, member_names(path)))


def test_limits_of_the_configuration_let_pass_what_is_meant(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("vazio.csv", bytes(2 * RATIO_FROM_BYTES))])
    with limited(unpacked_ratio=2000):
        check_archive(path)
        assert len(dict(read_members(path, ["vazio.csv"]))["vazio.csv"]) == 2 * RATIO_FROM_BYTES


def test_too_many_members_and_too_many_bytes_are_refused_together(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("a", b"11"), ("b", b"22"), ("c", b"33")])
    message = (
        r"holds 3 members, more than 2 .*; unpacks from \d+ to 6 bytes, .* limits.unpacked_bytes allows \(5\)"
    )
    with limited(archive_members=2, unpacked_bytes=5), pytest.raises(DataError, match=message):
        check_archive(path)


def test_many_faults_are_counted_after_the_tenth(tmp_path):
    path = make_zip(tmp_path / "a.zip", [(f"../{n}", b"") for n in range(12)])
    with pytest.raises(DataError, match=r"'\.\./9' leads out of its folder; 2 more$"):
        check_archive(path)


@pytest.mark.parametrize("content", [b"", b"<html>not here</html>", b"PK\x03\x04 cut short"])
def test_file_that_is_no_archive_is_refused(tmp_path, content):
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    with pytest.raises(DataError, match="not a readable zip archive"):
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


def test_way_of_packing_that_zipfile_does_not_know_is_an_error(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("a.txt", b"conteudo")])
    content = bytearray(path.read_bytes())
    unknown = (99).to_bytes(2, "little")
    in_directory = content.index(b"PK\x01\x02") + 10
    content[8:10] = content[in_directory : in_directory + 2] = unknown
    path.write_bytes(content)
    with pytest.raises(DataError, match="compression method is not supported"):
        list(read_members(path, ["a.txt"]))


def test_member_that_begins_before_the_file_is_an_error(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("x.csv", b"1")])
    content = bytearray(path.read_bytes())
    place = content.rindex(b"PK\x05\x06") + 16  # where the directory is said to begin
    content[place : place + 4] = (10_000).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(DataError, match="not a readable zip archive"):
        list(read_members(path, ["x.csv"]))


def test_members_checksum_is_that_of_the_written_rule(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("raiz/b.txt", b"2"), ("raiz/a.txt", b"1"), ("outra.txt", b"3")])
    # one line per member: path, NUL, hash of the bytes; sorted by path
    lines = "".join(f"{n}\0{hashlib.sha256(c).hexdigest()}\n" for n, c in [("a.txt", b"1"), ("b.txt", b"2")])
    assert members_sha256(path, "raiz") == hashlib.sha256(lines.encode()).hexdigest()


def test_members_checksum_does_not_depend_on_packing(tmp_path):
    one = make_zip(tmp_path / "a.zip", [("raiz/x/1.txt", b"1"), ("raiz/x/2.txt", b"2")])
    other = make_zip(
        tmp_path / "b.zip",
        [("repo-0a1b/raiz/x/2.txt", b"2"), ("repo-0a1b/raiz/x/1.txt", b"1"), ("repo-0a1b/README.md", b"!")],
    )
    changed = make_zip(tmp_path / "c.zip", [("raiz/x/1.txt", b"1"), ("raiz/x/2.txt", b"3")])
    assert members_sha256(one, "raiz") == members_sha256(other, "raiz") != members_sha256(changed, "raiz")


def test_folder_that_is_absent_or_ambiguous_is_an_error(tmp_path):
    path = make_zip(
        tmp_path / "a.zip", [("a/raiz/1.txt", b"1"), ("b/raiz/1.txt", b"2"), ("xraiz/1.txt", b"")]
    )
    with pytest.raises(DataError, match="no folder 'nada'"):
        members_under(path, "nada")
    with pytest.raises(DataError, match="several folders 'raiz'"):
        members_under(path, "raiz")


def test_notes_of_macos_are_no_members(tmp_path):
    path = make_zip(tmp_path / "a.zip", [("x.csv", b"1"), ("__MACOSX/._x.csv", b"junk")])
    assert member_names(path) == ["x.csv"]
