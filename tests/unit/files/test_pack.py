"""The files of a folder as one archive, and back."""

import hashlib
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from tests.unit.files.test_archives import entry, make_tar

from sentflow.errors import DataError
from sentflow.files.archives.pack import is_whole, pack, unpack
from sentflow.flow import paths

CONTENTS = {
    "config.json": b"{}",
    "1_Pooling/config.json": b"[]",
    "model.safetensors": bytes(range(256)) * 999,
}
CHECKSUMS = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENTS.items()}


def folder_of(place: Path) -> Path:
    for name, content in CONTENTS.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(content)
    return place


def test_the_same_files_give_the_same_bytes_whatever_their_dates_rights_and_order(tmp_path):
    first, second = folder_of(tmp_path / "first"), folder_of(tmp_path / "second")
    os.utime(second / "config.json", (0, 0))
    (second / "config.json").chmod(0o600)
    (second / "other.txt").write_text("not named")
    pack(first, CONTENTS, tmp_path / "first.tar")
    pack(second, reversed(CONTENTS), tmp_path / "second.tar")
    assert (tmp_path / "first.tar").read_bytes() == (tmp_path / "second.tar").read_bytes()
    with tarfile.open(tmp_path / "first.tar", "r:") as tar:
        assert {m.name: tar.extractfile(m).read() for m in tar.getmembers()} == CONTENTS


@pytest.mark.parametrize("spoiled", ["changed", "missing", "further", "link"])
def test_a_whole_folder_is_left_as_it_is_and_any_other_made_anew(tmp_path, spoiled):
    pack(folder_of(tmp_path / "source"), CONTENTS, tmp_path / "weights.tar")
    folder = tmp_path / "cache" / "key"
    unpack(tmp_path / "weights.tar", CHECKSUMS, folder)
    before = (folder / "config.json").stat().st_ino
    (tmp_path / "weights.tar").rename(tmp_path / "gone.tar")
    unpack(tmp_path / "weights.tar", CHECKSUMS, folder)  # not read
    assert (folder / "config.json").stat().st_ino == before
    match spoiled:
        case "changed":
            (folder / "config.json").write_bytes(b"{ ")
        case "missing":
            (folder / "config.json").unlink()
        case "further":
            (folder / "tokenizer.json").write_bytes(b"{}")
        case "link":
            (folder / "config.json").unlink()
            (folder / "config.json").symlink_to(tmp_path / "source" / "config.json")
    unpack(tmp_path / "gone.tar", CHECKSUMS, folder)
    assert is_whole(folder, CHECKSUMS)
    assert [path.name for path in folder.parent.iterdir()] == ["key"]


WHOLE = list(CONTENTS.items())
HOSTILE = {
    "'symbolic' is a link": [*WHOLE, (entry("symbolic", type=tarfile.SYMTYPE, linkname="/etc/passwd"), b"")],
    "'hard' is a link": [*WHOLE, (entry("hard", type=tarfile.LNKTYPE, linkname="config.json"), b"")],
    "'../escaped' leads out of its folder": [*WHOLE, ("../escaped", b"x")],
    "'/escaped' has an absolute path": [*WHOLE, ("/escaped", b"x")],
    "'modeling.py' is not expected": [*WHOLE, ("modeling.py", b"x")],
    "'config.json' is not expected there, or not twice": [*WHOLE, WHOLE[0]],
    "'folder' is not expected": [(entry("folder", type=tarfile.DIRTYPE), b""), *WHOLE],
    "'config.json' has SHA-256": [("config.json", b"{ "), *WHOLE[1:]],
    "it has no member 'model.safetensors'": WHOLE[:2],
}


@pytest.mark.parametrize("why", HOSTILE)
def test_an_archive_of_other_members_is_refused_by_name_and_leaves_nothing(tmp_path, why):
    archive = make_tar(tmp_path / "weights.tar", HOSTILE[why])
    with pytest.raises(DataError, match=f"weights.tar: .*{why}.*Delete it and run snakemake again"):
        unpack(archive, CHECKSUMS, tmp_path / "cache" / "key")
    assert not list((tmp_path / "cache").iterdir())
    assert not (tmp_path / "escaped").exists()


@pytest.mark.parametrize("kept", [0, 100, 512, 1000, 100_000])
def test_a_cut_archive_is_refused(tmp_path, kept):
    pack(folder_of(tmp_path / "source"), CONTENTS, tmp_path / "weights.tar")
    whole = (tmp_path / "weights.tar").read_bytes()
    (tmp_path / "weights.tar").write_bytes(whole[:kept])
    with pytest.raises(DataError, match=r"weights.tar: not a readable tar archive"):
        unpack(tmp_path / "weights.tar", CHECKSUMS, tmp_path / "key")


def test_processes_unpack_at_the_same_time_and_what_a_killed_one_left_is_deleted(tmp_path):
    pack(folder_of(tmp_path / "source"), CONTENTS, tmp_path / "weights.tar")
    folder = tmp_path / "cache" / "key"
    script = (
        "import json, sys; from pathlib import Path; from sentflow.files.archives import pack\n"
        "archive, folder, files, end = sys.argv[1:]\n"
        "print(flush=True); sys.stdin.readline()\n"
        "if end == 'killed':\n"
        "    import os; pack.move_whole = lambda *_: os.kill(os.getpid(), 9)\n"
        "pack.unpack(Path(archive), json.loads(files), Path(folder))"
    )
    words = [sys.executable, "-c", script, tmp_path / "weights.tar", folder, json.dumps(CHECKSUMS)]

    def run(*ends: str) -> list[int]:
        pipe = subprocess.PIPE
        started = [subprocess.Popen([*words, end], stdin=pipe, stdout=pipe) for end in ends]
        for one in started:
            one.stdout.readline()
        for one in started:
            one.stdin.write(b"\n")
            one.stdin.flush()
        for one in started:
            one.communicate()
        return [one.returncode for one in started]

    assert run("killed") == [-9]
    assert [path.name.startswith(".key.") for path in folder.parent.iterdir()] == [True]
    assert run("whole", "whole", "whole") == [0, 0, 0]
    assert is_whole(folder, CHECKSUMS)
    assert [path.name for path in folder.parent.iterdir()] == ["key"]


@pytest.mark.parametrize(
    ("file", "pattern", "cache"),
    [
        ("results/models/m/weights.tar", paths.WEIGHTS, "results/cache"),
        ("legal/results/models/results/weights.tar", paths.WEIGHTS, "legal/results/cache"),
        ("/data/run-3/models/models/weights.tar", paths.WEIGHTS, "/data/run-3/cache"),
        ("results/embeddings/m/step-000020/pairs/sts.npy", paths.EMBEDDINGS, "results/cache"),
        ("elsewhere/vectors.npy", paths.EMBEDDINGS, "elsewhere/cache"),
    ],
)
def test_the_cache_is_that_of_the_results_that_a_file_lies_in(file, pattern, cache):
    assert paths.cache_beside(Path(file), pattern) == Path(cache)
