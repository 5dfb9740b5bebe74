"""Folders for the hub: whole, loadable, refused where something is missing, in the way or outside."""

import pytest
from tiny_bert import TEXTS, save_tiny_bert

from sentflow.cli.publish import write_folder
from sentflow.encoders.manifest import Manifest, checked_folder, read_manifest, write_manifest
from sentflow.encoders.safety import model_files
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import file_sha256

CARD = "---\nlicense: apache-2.0\nlibrary_name: sentence-transformers\n---\n\n# Tiny\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A results folder with one encoder whose weights lie beside its manifest, as sentence-transformers saves them."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    folder = tmp_path_factory.mktemp("made")
    transformer = Transformer(str(save_tiny_bert(folder / "plain", layers=2)))
    encoder = SentenceTransformer(modules=[transformer, Pooling(8, "cls")], device="cpu")
    weights = folder / "results/models/tiny/weights"
    encoder.save(str(weights), create_model_card=False)
    return folder / "results", encoder.encode(TEXTS)


@pytest.fixture
def results(made):
    folder, _ = made
    weights = folder / "models/tiny/weights"
    files = {name: file_sha256(weights / name) for name in model_files(weights, allow_pickle=False)}
    source = {"archive": {"urls": ["http://example.org/tiny.zip"]}}
    write_manifest(
        folder / "models/tiny/manifest.json",
        Manifest(8, kind="sentence-transformers", source=source, files=files),
    )
    write_manifest(folder / "models/random/manifest.json", Manifest(8, kind="random"))
    (folder / "exports/cards/tiny").mkdir(parents=True, exist_ok=True)
    (folder / "exports/cards/tiny/README.md").write_text(CARD, encoding="utf-8")
    return folder


def test_what_is_written_loads_and_gives_the_same_vectors(results, made, tmp_path):
    import numpy as np
    from sentence_transformers import SentenceTransformer

    write_folder("tiny", tmp_path / "hub", results=results)
    loaded = SentenceTransformer(str(tmp_path / "hub"), device="cpu", local_files_only=True)
    np.testing.assert_array_equal(loaded.encode(TEXTS), made[1])  # the same files on the same machine
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
    file = results / "models/tiny/weights/tokenizer.json"
    kept = file.read_bytes()
    for damaged, problem in ((kept + b" ", "has SHA-256"), (None, "is missing")):
        file.unlink()
        if damaged is not None:
            file.write_bytes(damaged)
        with pytest.raises(DataError, match=rf"tokenizer\.json {problem}"):
            write_folder("tiny", tmp_path / "hub", results=results)
        assert not (tmp_path / "hub").exists()
    file.write_bytes(kept)


SOURCE = {"archive": {"urls": ["http://example.org/tiny.zip"]}}


@pytest.fixture
def hostile_results(tmp_path):
    """A hostile_results folder with weights, and beside it a home folder with a file that nobody else may write."""
    (tmp_path / "results/models/tiny/weights").mkdir(parents=True)
    (tmp_path / "results/models/tiny/weights/model.safetensors").write_text("weights")
    (tmp_path / "results/models/tiny/.bashrc").write_text("evil")
    (tmp_path / "results/exports/cards/tiny").mkdir(parents=True)
    (tmp_path / "results/exports/cards/tiny/README.md").write_text("---\nlicense: mit\n---\n")
    (tmp_path / ".bashrc").write_text("mine")
    return tmp_path / "results"


def manifest(hostile_results, *names, kind="transformers"):
    folder = hostile_results / "models/tiny"
    files = {name: file_sha256(folder / "weights" / name) for name in ("model.safetensors", *names)}
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


def test_links_out_of_the_folder_are_refused(hostile_results, tmp_path):
    (hostile_results / "models/tiny/weights/vocab.txt").symlink_to(tmp_path / ".bashrc")
    path = manifest(hostile_results, "vocab.txt")
    with pytest.raises(DataError, match=r"vocab\.txt is a link that leads out"):
        checked_folder(read_manifest(path), path.parent)


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
