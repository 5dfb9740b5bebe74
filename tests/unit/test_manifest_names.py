"""Manifests from elsewhere: the files that they name stay in the folder of the model."""

import pytest

from sentflow.encoders.manifest import Manifest, checked_folder, read_manifest, write_manifest
from sentflow.errors import ConfigError, DataError
from sentflow.exports.publish import publish
from sentflow.files.io import file_sha256

SOURCE = {"archive": {"urls": ["http://example.org/tiny.zip"]}}


@pytest.fixture
def results(tmp_path):
    """A results folder with weights, and beside it a home folder with a file that nobody else may write."""
    (tmp_path / "results/models/tiny/weights").mkdir(parents=True)
    (tmp_path / "results/models/tiny/weights/model.safetensors").write_text("weights")
    (tmp_path / "results/models/tiny/.bashrc").write_text("evil")
    (tmp_path / "results/exports/cards/tiny").mkdir(parents=True)
    (tmp_path / "results/exports/cards/tiny/README.md").write_text("---\nlicense: mit\n---\n")
    (tmp_path / ".bashrc").write_text("mine")
    return tmp_path / "results"


def manifest(results, *names, kind="transformers"):
    folder = results / "models/tiny"
    files = {name: file_sha256(folder / "weights" / name) for name in ("model.safetensors", *names)}
    write_manifest(folder / "manifest.json", Manifest(kind, 8, source=SOURCE, files=files))
    return folder / "manifest.json"


@pytest.mark.parametrize(("name", "fault"), [("../.bashrc", "leads out"), ("{}/.bashrc", "absolute path")])
def test_a_manifest_with_a_file_outside_is_refused(results, tmp_path, name, fault):
    path = manifest(results, name.format(tmp_path))
    with pytest.raises(DataError, match=rf"manifest\.json: the file '.*\.bashrc' .*{fault}"):
        publish("tiny", tmp_path / "hub", results=results)
    with pytest.raises(DataError):
        read_manifest(path)
    assert (tmp_path / ".bashrc").read_text() == "mine"


def test_an_own_class_has_no_folder_and_is_not_published(results, tmp_path):
    path = manifest(results, "../.bashrc", kind="custom")
    assert "../.bashrc" in read_manifest(path).files
    with pytest.raises(ConfigError, match="custom, which has no files"):
        publish("tiny", tmp_path / "hub", results=results)


def test_links_out_of_the_folder_are_refused(results, tmp_path):
    (results / "models/tiny/weights/vocab.txt").symlink_to(tmp_path / ".bashrc")
    path = manifest(results, "vocab.txt")
    with pytest.raises(DataError, match=r"vocab\.txt is a link that leads out"):
        checked_folder(read_manifest(path), path.parent)


def test_a_link_in_the_place_of_the_new_folder_is_not_followed(results, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".hub.part").symlink_to(tmp_path / "elsewhere")
    manifest(results)
    with pytest.raises(DataError):
        publish("tiny", tmp_path / "hub", results=results)
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("files", [["a"], "a", 3])
def test_files_that_are_no_map_are_told(tmp_path, files):
    write_manifest(tmp_path / "manifest.json", Manifest("transformers", 8, files=files))
    with pytest.raises(DataError, match="not a readable manifest"):
        read_manifest(tmp_path / "manifest.json")
