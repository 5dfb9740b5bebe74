"""Job fetch_model: every source into a manifest, and what it says of a bad one."""

import hashlib
import json
import shutil
import zipfile
from fnmatch import fnmatch
from types import SimpleNamespace

import huggingface_hub
import numpy as np
import pytest
from safetensors.numpy import save

from sentflow.encoders import fetch as hub_files
from sentflow.encoders.jobs import fetch_model
from sentflow.encoders.manifest import checked_folder, read_manifest
from sentflow.errors import ConfigError, DataError
from sentflow.files.archives.members import member_names, member_streams
from sentflow.files.archives.pack import pack

COMMIT = "0123456789abcdef0123456789abcdef01234567"
URL = "http://127.0.0.1:9/s/abc/download/modelo.zip"  # nobody answers there
MODULES = {"Transformer": "", "Pooling": "1_Pooling"}
FILES = {
    "modules.json": json.dumps(
        [{"type": f"sentence_transformers.models.{name}", "path": path} for name, path in MODULES.items()]
    ),
    "config.json": json.dumps({"hidden_size": 8, "max_position_embeddings": 64}),
    "1_Pooling/config.json": json.dumps({"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True}),
    "vocab.txt": "ação\nlei\nlei\n",
    "model.safetensors": save({"weights": np.zeros(1, np.float32)}).decode(),
    "README.md": "not read",
    "modeling_own.py": "raise SystemExit('this code must never run')",
}
READ = sorted(set(FILES) - {"README.md", "modeling_own.py"})


def sha256(content):
    return hashlib.sha256(content if isinstance(content, bytes) else content.encode()).hexdigest()


def write_files(folder, files=FILES):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


@pytest.fixture
def fetch(tmp_path, monkeypatch):
    """Run the job on an entry; gives the manifest and the files of the archive beside it."""
    monkeypatch.delenv("SENTFLOW_MIRROR", raising=False)
    monkeypatch.setattr("sentflow.downloads.http.time.sleep", lambda seconds: None)
    folder = tmp_path / "results" / "models" / "my-model"

    def run(entry, mirrors=()):
        places = [str(mirror) for mirror in mirrors]
        archive = None if "folder" in entry["source"] else folder / "weights.tar"
        made = {"manifest": folder / "manifest.json", "model_files": archive}
        fetch_model(model="my-model", settings=entry, mirrors=places, **made)
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        found = {name: stream.read() for name, stream in member_streams(archive, member_names(archive))}
        assert {name: sha256(content) for name, content in found.items()} == manifest["files"]
        return manifest, found

    run.folder, run.cache = folder, tmp_path / "results" / "cache"
    return run


def kept(cache):
    """What lies in a cache."""
    return sorted(path.relative_to(cache).as_posix() for path in cache.rglob("*") if path.is_file())


def neural(source, **keys):
    return {"kind": "sentence-transformers", "source": source, **keys}


class Hub:
    """Stands for the hub: writes the files of a commit that match the patterns."""

    def __init__(self, files):
        self.files = files
        self.calls = []

    def __call__(self, repo_id, *, revision, local_dir, allow_patterns, ignore_patterns, dry_run=False):
        wanted = {
            name: content
            for name, content in self.files.items()
            if any(fnmatch(name, pattern) for pattern in allow_patterns)
        }
        if dry_run:
            return [SimpleNamespace(file_size=len(content)) for content in wanted.values()]
        self.calls.append((repo_id, revision))
        write_files(local_dir, {**wanted, ".cache/huggingface/download/note.json": "{}"})
        return None


@pytest.fixture(autouse=True)
def hub_answers(monkeypatch):
    """Tests have no network."""
    monkeypatch.setattr(hub_files, "ask_hub", lambda: None)


@pytest.fixture
def hub(monkeypatch):
    hub = Hub(FILES)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", hub)
    return hub


def test_a_wrong_checksum_names_the_file_and_leaves_no_manifest(fetch, tmp_path):
    source = {"folder": str(write_files(tmp_path / "modelo")), "sha256": {"model.safetensors": "0" * 64}}
    message = r"models\.my-model: .*model\.safetensors has SHA-256 .*, expected 0000"
    with pytest.raises(DataError, match=message):
        fetch(neural(source))
    assert not (fetch.folder / "manifest.json").exists()


def test_hub_model_at_its_commit(fetch, hub):
    manifest, found = fetch(neural({"hub": "lab/modelo", "revision": COMMIT}))
    assert hub.calls == [("lab/modelo", COMMIT)]
    assert manifest["revision"] == COMMIT
    assert sorted(found) == READ
    assert manifest["parameters"] == 1


def test_rests_of_a_killed_copy_are_not_taken_for_the_model(fetch, hub, monkeypatch):
    def killed(_, *, local_dir, **__):
        write_files(local_dir, {"stale.json": "{}"})
        raise KeyboardInterrupt

    entry = neural({"hub": "lab/modelo", "revision": COMMIT})
    with monkeypatch.context() as patch:
        patch.setattr(huggingface_hub, "snapshot_download", killed)
        with pytest.raises(KeyboardInterrupt):
            fetch(entry)
    assert sorted(fetch(entry)[0]["files"]) == READ


def test_what_the_cache_has_is_not_downloaded_again_unless_it_is_damaged_or_gone(fetch, hub):
    entry = neural({"hub": "lab/modelo", "revision": COMMIT})
    first = fetch(entry)
    archive = (fetch.folder / "weights.tar").read_bytes()
    assert fetch(entry) == first
    assert len(hub.calls) == 1
    [weights] = fetch.cache.rglob("model.safetensors")
    weights.write_text("damaged")
    assert fetch(entry) == first
    assert len(hub.calls) == 2
    shutil.rmtree(fetch.cache)
    assert fetch(entry) == first
    assert len(hub.calls) == 3
    assert (fetch.folder / "weights.tar").read_bytes() == archive


PICKLED = {
    **{name: FILES[name] for name in READ if name != "model.safetensors"},
    "pytorch_model.bin": "pickle",
}


def test_a_hub_model_of_pickles_needs_permission(fetch, hub):
    hub.files = PICKLED
    entry = neural({"hub": "lab/modelo", "revision": COMMIT})
    with pytest.raises(DataError, match=r"no model\.safetensors.* allow_pickle: true"):
        fetch(entry)
    manifest, _ = fetch({**entry, "allow_pickle": True})
    assert manifest["files"]["pytorch_model.bin"] == sha256("pickle")


def test_archive_from_a_mirror_is_unpacked_without_its_outer_folders(fetch, tmp_path):
    path = tmp_path / "mirror/127.0.0.1/s/abc/download/modelo.zip"
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in FILES.items():
            archive.writestr(f"a/b/{name}", content)
    source = {"archive": {"urls": [URL], "sha256": sha256(path.read_bytes())}}
    manifest, _ = fetch(neural(source), [tmp_path / "mirror"])
    assert manifest["files"] == {name: sha256(FILES[name]) for name in READ}
    assert sorted(path.name for path in fetch.folder.iterdir()) == ["manifest.json", "weights.tar"]
    key = sha256(json.dumps(manifest["files"], sort_keys=True))
    [record] = (name for name in kept(fetch.cache) if name.endswith(".json") and name.count("/") == 1)
    assert kept(fetch.cache) == sorted([record, *(f"weights/{key}/{name}" for name in READ)])


def test_word_vectors_in_an_archive_are_its_one_file(fetch, tmp_path):
    path = tmp_path / "mirror/127.0.0.1/s/abc/download/modelo.zip"
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/vectors.vec", "lei 1 2\n")
        archive.writestr("a/README", "not read")
    source = {"archive": {"urls": [URL], "sha256": sha256(path.read_bytes())}}
    entry = {"kind": "word-vectors", "source": source}
    assert fetch(entry, [tmp_path / "mirror"])[1] == {"vectors.vec": b"lei 1 2\n"}
    path.unlink()
    assert fetch(entry)[1] == {"vectors.vec": b"lei 1 2\n"}  # of the cache


def test_a_snapshot_is_described_by_its_archive_and_leaves_nothing_in_the_cache(tmp_path):
    results = tmp_path / "legal/results"
    snapshot = results / "training/simcse/snapshots/step-000020.tar"
    pack(write_files(tmp_path / "saved"), READ, snapshot)
    output = results / "models/simcse/step-000020/manifest.json"
    entry = neural({"trained": "simcse/step-000020"})
    fetch_model(model="simcse/step-000020", settings=entry, snapshot=snapshot, manifest=output)
    manifest = read_manifest(output)
    assert manifest.files == {name: sha256(FILES[name]) for name in READ}
    assert manifest.dimension == 8
    unpacked = checked_folder(manifest, snapshot)
    assert unpacked.is_relative_to(results / "cache")
    assert not list((results / "cache/weights").glob("[!.]*"))  # of this process alone, and deleted with it


@pytest.mark.parametrize("may_write", [True, False])
def test_an_archive_is_unpacked_into_the_cache_of_its_results_if_that_may_be_written(
    fetch, hub, monkeypatch, may_write
):
    fetch(neural({"hub": "lab/modelo", "revision": COMMIT}))
    shutil.rmtree(fetch.cache)
    described, archive = read_manifest(fetch.folder / "manifest.json"), fetch.folder / "weights.tar"
    monkeypatch.setattr("sentflow.encoders.manifest._is_writable", lambda _: may_write)
    found = checked_folder(described, archive)
    assert found.is_relative_to(fetch.cache) == fetch.cache.exists() == may_write
    assert (found / "vocab.txt").read_text(encoding="utf-8") == FILES["vocab.txt"]
    with pytest.raises(ConfigError, match=r"archive, which was not given"):
        checked_folder(described, None)
