"""Folders for the hub: whole, loadable, refused where something is missing, in the way or outside."""

from dataclasses import replace

import pytest
from tiny_bert import TEXTS, save_tiny_bert

from sentflow.cli.publish import write_folder
from sentflow.encoders.manifest import Manifest, read_manifest, write_manifest
from sentflow.encoders.safety import model_files
from sentflow.errors import ConfigError, DataError
from sentflow.files.archives.pack import pack
from sentflow.files.io import file_sha256

CARD = "---\nlicense: apache-2.0\nlibrary_name: sentence-transformers\n---\n\n# Tiny\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A results folder, and the files of one encoder as sentence-transformers saves them."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    folder = tmp_path_factory.mktemp("made")
    transformer = Transformer(str(save_tiny_bert(folder / "plain", layers=2)))
    encoder = SentenceTransformer(modules=[transformer, Pooling(8, "cls")], device="cpu")
    encoder.save(str(folder / "saved"), create_model_card=False)
    return folder / "results", folder / "saved", encoder.encode(TEXTS)


@pytest.fixture
def results(made):
    folder, weights, _ = made
    files = {name: file_sha256(weights / name) for name in model_files(weights, allow_pickle=False)}
    source = {"archive": {"urls": ["http://example.org/tiny.zip"]}}
    write_manifest(
        folder / "models/tiny/manifest.json",
        Manifest(8, kind="sentence-transformers", source=source, files=files),
    )
    pack(weights, files, folder / "models/tiny/weights.tar")
    write_manifest(folder / "models/random/manifest.json", Manifest(8, kind="random"))
    (folder / "exports/cards/tiny").mkdir(parents=True, exist_ok=True)
    (folder / "exports/cards/tiny/README.md").write_text(CARD, encoding="utf-8")
    return folder


def test_what_is_written_loads_and_gives_the_same_vectors(results, made, tmp_path):
    import numpy as np
    from sentence_transformers import SentenceTransformer

    write_folder("tiny", tmp_path / "hub", results=results)
    loaded = SentenceTransformer(str(tmp_path / "hub"), device="cpu", local_files_only=True)
    np.testing.assert_array_equal(loaded.encode(TEXTS), made[2])  # the same files on the same machine
    assert {"README.md", "LICENSE", "modules.json", "model.safetensors", "tokenizer.json"} <= {
        path.name for path in (tmp_path / "hub").rglob("*")
    }
    assert (tmp_path / "hub/README.md").read_text(encoding="utf-8") == CARD
    assert "apache-2.0" in (tmp_path / "hub/LICENSE").read_text(encoding="utf-8")
    assert not list(tmp_path.glob(".*"))


def test_a_folder_with_files_is_refused_and_kept(results, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="is not empty, and nothing in it is overwritten"):
        write_folder("tiny", tmp_path, results=results)
    with pytest.raises(ConfigError, match="is there already and no folder"):
        write_folder("tiny", tmp_path / "notes.txt", results=results)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_files_that_are_not_those_of_the_manifest_are_refused(results, tmp_path):
    path = results / "models/tiny/manifest.json"
    found = read_manifest(path)
    for changed, problem in (
        ({"tokenizer.json": "0" * 64}, "'tokenizer.json' has SHA-256"),
        ({"further.json": "0" * 64}, "no member 'further.json'"),
    ):
        write_manifest(path, replace(found, files={**found.files, **changed}))
        with pytest.raises(DataError, match=rf"weights\.tar: .*{problem}"):
            write_folder("tiny", tmp_path / "hub", results=results)
        assert not (tmp_path / "hub").exists()
    write_manifest(path, found)
    (results / "models/tiny/weights.tar").unlink()
    with pytest.raises(DataError, match=r"weights\.tar is missing.*Run snakemake"):
        write_folder("tiny", tmp_path / "hub", results=results)


SOURCE = {"archive": {"urls": ["http://example.org/tiny.zip"]}}


@pytest.fixture
def hostile_results(tmp_path):
    """A results folder with weights, and beside it a home folder with a file that nobody else may write."""
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights/model.safetensors").write_text("weights")
    pack(tmp_path / "weights", ["model.safetensors"], tmp_path / "results/models/tiny/weights.tar")
    (tmp_path / "results/exports/cards/tiny").mkdir(parents=True)
    (tmp_path / "results/exports/cards/tiny/README.md").write_text("---\nlicense: mit\n---\n")
    (tmp_path / ".bashrc").write_text("mine")
    return tmp_path / "results"


def manifest(hostile_results, *names, kind="transformers"):
    folder = hostile_results / "models/tiny"
    weights = hostile_results.parent / "weights"
    files = {name: file_sha256(weights / name) for name in ("model.safetensors", *names)}
    write_manifest(folder / "manifest.json", Manifest(8, kind=kind, source=SOURCE, files=files))
    return folder / "manifest.json"


@pytest.mark.parametrize(("name", "fault"), [("../.bashrc", "leads out"), ("{}/.bashrc", "absolute path")])
def test_a_manifest_with_a_file_outside_is_refused(hostile_results, tmp_path, name, fault):
    path = manifest(hostile_results, name.format(tmp_path))
    with pytest.raises(DataError, match=rf"manifest\.json: the file '.*\.bashrc' .*{fault}"):
        write_folder("tiny", tmp_path / "hub", results=hostile_results)
    with pytest.raises(DataError):
        read_manifest(path)
    assert (tmp_path / ".bashrc").read_text() == "mine"


def test_an_own_class_has_no_folder_and_is_not_published(hostile_results, tmp_path):
    path = manifest(hostile_results, "../.bashrc", kind="custom")
    assert "../.bashrc" in read_manifest(path).files
    with pytest.raises(ConfigError, match="custom, which has no files"):
        write_folder("tiny", tmp_path / "hub", results=hostile_results)


def test_a_link_in_the_place_of_the_new_folder_is_not_followed(hostile_results, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".hub.part").symlink_to(tmp_path / "elsewhere")
    manifest(hostile_results)
    with pytest.raises(DataError):
        write_folder("tiny", tmp_path / "hub", results=hostile_results)
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("files", [["a"], "a", 3])
def test_files_that_are_no_map_are_told(tmp_path, files):
    write_manifest(tmp_path / "manifest.json", Manifest(8, kind="transformers", files=files))
    with pytest.raises(DataError, match="not a readable manifest"):
        read_manifest(tmp_path / "manifest.json")
