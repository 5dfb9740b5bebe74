"""`sentflow tune`: its form and its errors; what it chooses is in test_encoders_tuning.py. No test looks at times."""

import json
from pathlib import Path

import pytest
import yaml
from tiny_bert import TEXTS, save_tiny_bert
from typer.testing import CliRunner, Result

from sentflow.cli.app import app
from sentflow.cli.configuration import read_configuration
from sentflow.encoders.entries import encode_settings
from sentflow.encoders.kinds.neural.settings import TORCH, Settings
from sentflow.graph.config.catalog import load_catalog
from sentflow.texts.collection import write_texts

WORKFLOW = Path(__file__).parents[2] / "workflow"
DESCRIBED = {"title": "Tiny", "licence": "none", "citation": "none"}


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["tune", *map(str, words)])


def refused(*words: object) -> str:
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "error: " in result.stderr
    return result.stderr


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tune")
    save_tiny_bert(folder / "bert")
    entry = {
        **DESCRIBED,
        "kind": "transformers",
        "source": {"folder": str(folder / "bert")},
        "prompt": "lei ",
    }
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump({"models": {"tiny": entry}}), encoding="utf-8")
    return path


@pytest.fixture
def _only_torch(monkeypatch):
    """Exports take a minute; they are tested by themselves."""
    missing = lambda backend: [] if backend == TORCH else ["a_library"]  # noqa: E731
    monkeypatch.setattr("sentflow.encoders.tuning.tune.missing_libraries", missing)


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join([*TEXTS, "", "saúde"]), encoding="utf-8")
    return path


@pytest.mark.usefixtures("_only_torch")
def test_prints_all_that_was_tried_and_settings_to_paste(config, texts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    result = run(
        "tiny", "--configfile", config, "--texts", texts, "--rounds", 2, "--threads", 2, "--tolerance", 0.5
    )
    assert result.exit_code == 0, result.output
    assert sorted(tmp_path.rglob("*")) == before
    table, block = result.stdout.split("# The fastest of which")
    for part in ("backend and dtype", "tokens of a batch", "threads"):
        assert part in table
    for dtype in ("float32", "bfloat16-autocast", "bfloat16"):
        assert dtype in table
    assert table.count("chosen") == 3  # one of each question
    assert "not installed: pip install -r envs/requirements-onnx.txt" in table
    assert "not installed: pip install -r envs/requirements-openvino.txt" in table
    # 5 distinct texts with [CLS], the prompt and [SEP]: 1, 4, 2, 9 and 1 words more
    assert "5 texts, 6 tokens each on average: texts of " in table
    settings = yaml.safe_load("#" + block)
    assert set(settings) == {"models", "set-threads"}
    assert settings["set-threads"]["embed"] in (1, 2)
    pasted = tmp_path / "pasted.yaml"
    pasted.write_text(yaml.safe_dump({"models": settings["models"]}), encoding="utf-8")
    entry = load_catalog(read_configuration([config, pasted]), WORKFLOW)["models"]["tiny"]
    assert Settings.from_entry(encode_settings(entry)).backend == TORCH


@pytest.mark.usefixtures("_only_torch")
def test_a_collection_can_be_measured_and_too_many_texts_are_thinned_out(config, tmp_path):
    write_texts(tmp_path / "c.parquet", [f"lei {number}" for number in range(10)])
    words = ("tiny", "--configfile", config, "--texts", tmp_path / "c.parquet", "--rounds", 1, "--threads", 1)
    result = run(*words, "--most", 4)
    assert result.exit_code == 0, result.output
    assert f"4 texts, 5 tokens each on average: 4 of 10 texts of {tmp_path / 'c.parquet'}" in result.stdout


@pytest.mark.usefixtures("_only_torch")
def test_without_a_file_the_texts_are_samples_and_that_is_said(config):
    result = run("tiny", "--configfile", config, "--rounds", 1, "--threads", 1, "--most", 3)
    assert result.exit_code == 0, result.output
    assert "sample texts that come with sentflow. Speeds and differences hold for such texts" in result.stdout


def test_an_unknown_model_is_named_with_the_nearest():
    assert "minilm-l5: there is no such model. Did you mean minilm-l6? Write one of: " in refused("minilm-l5")


@pytest.mark.parametrize("model", ["tfidf", "random", "bag-of-words"])
def test_a_model_without_such_settings_is_refused_with_the_kinds_that_have_them(model):
    told = refused(model)
    assert f"{model} is of kind {model}, which has no backend, dtype or batches to choose from" in told
    assert "kind sentence-transformers or transformers" in told


@pytest.mark.parametrize("tolerance", [0, -1, "nan", "inf"])
def test_a_tolerance_that_means_nothing_is_refused(tolerance):
    assert "Write a number > 0, e.g. 0.005" in refused("minilm-l6", "--tolerance", tolerance)


def test_a_file_that_is_not_there_is_named(tmp_path):
    told = refused("minilm-l6", "--texts", tmp_path / "no.txt")
    assert f"there is no file {tmp_path / 'no.txt'}. Give one with a text per line" in told


@pytest.mark.parametrize("content", [b"", b"\n \n\t\n"])
def test_a_file_without_texts_is_named(tmp_path, content):
    path = tmp_path / "empty.txt"
    path.write_bytes(content)
    assert f"{path} holds no texts. Give a file with one text per line." in refused(
        "minilm-l6", "--texts", path
    )


def test_a_file_in_another_encoding_is_named(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("ação".encode("latin-1"))
    assert f"{path} is not UTF-8" in refused("minilm-l6", "--texts", path)


def test_a_model_that_has_to_be_downloaded_is_left_to_the_pipeline(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = refused("ulysses-labse")
    assert "ulysses-labse has to be downloaded before it is measured" in told
    assert "sentflow run --cores 1 results/models/ulysses-labse/manifest.json" in told


def test_a_manifest_of_another_source_is_not_used(tmp_path, monkeypatch):
    manifest = tmp_path / "results/models/ulysses-labse/manifest.json"
    manifest.parent.mkdir(parents=True)
    manifest.write_text(json.dumps({"kind": "transformers", "dimension": 8, "source": {"folder": "x"}}))
    monkeypatch.chdir(tmp_path)
    assert "does not say that it was" in refused("ulysses-labse")
