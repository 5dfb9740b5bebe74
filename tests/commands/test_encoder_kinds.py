"""Encoders that are no sentence-transformers model, through the commands that the rules call."""

import json
import os
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from embeddings_server import embeddings_server, vector_of
from small_tasks import PROBE_SETTINGS, make_task

from sentflow.commands import embed, fetch_model, probe_lazy
from sentflow.encoders.vectors.storage import how_made, read_embeddings
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import file_sha256
from sentflow.probing.storage.folds import read_folds
from sentflow.texts.table import write_task

KEY = "sk-very-secret-0123456789"
TEXTS = ["A lei e o voto", "educação", "xyz"]
WORDS = "3 2\nlei 1 2\nvoto 3 4\neducação -1 5\n"
REAL = "github/MinishLab/model2vec-rs/c75c126fe7aeeea34714f1cc36cef74b3c489f19/tests/fixtures"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """The commands set variables of their own process; later tests must not see them."""
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.delenv("SENTFLOW_MIRROR", raising=False)
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def fetch(tmp_path):
    """Run fetch_model on an entry; gives the path of the manifest."""

    def run(entry, mirrors=()):
        path = tmp_path / "models" / "my-model" / "manifest.json"
        words = ["--model", "my-model", "--settings", json.dumps(entry), "--output", str(path)]
        assert fetch_model.main([*words, "--mirrors", json.dumps([str(mirror) for mirror in mirrors])]) == 0
        return path

    return run


@pytest.fixture
def run_embed(tmp_path):
    """Run embed on the texts; gives vectors and description."""

    def run(manifest, settings=None, connection=None):
        path = tmp_path / "dados.parquet"
        pq.write_table(pa.table({"text": pa.array(TEXTS, pa.string())}), path)
        npy, info = tmp_path / "out" / "dados.npy", tmp_path / "out" / "dados.json"
        words = [
            "--manifest",
            str(manifest),
            "--texts",
            str(path),
            "--collection",
            "dados",
            "--settings",
            json.dumps(settings or {}),
        ]
        words += ["--connection", json.dumps(connection or {})]
        assert embed.main([*words, "--embeddings", str(npy), "--info", str(info)]) == 0
        return read_embeddings(npy, info, TEXTS), json.loads(info.read_text(encoding="utf-8"))

    return run


def word_file(folder, text=WORDS, name="vetores.txt"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_word_vectors_of_a_file(fetch, run_embed, tmp_path):
    path = word_file(tmp_path / "own")
    manifest = fetch({"kind": "word-vectors", "source": {"file": str(path)}})
    facts = json.loads(manifest.read_text())
    assert (facts["dimension"], facts["settings"]) == (2, {"n_words": 3})
    assert facts["files"] == {"vetores.txt": file_sha256(path)}
    assert [file.name for file in manifest.parent.iterdir()] == ["manifest.json"]
    vectors, description = run_embed(manifest, {"tokens": "words", "lower_case": True})
    assert vectors.tolist() == [[2, 3], [-1, 5], [0, 0]]
    assert description["encode_settings"] == {"tokens": "words", "lower_case": True, "normalise": False}
    assert str(tmp_path) not in json.dumps(description)


def test_a_file_of_word_vectors_that_changed_since_is_refused(fetch, run_embed, tmp_path):
    path = word_file(tmp_path / "own")
    manifest = fetch({"kind": "word-vectors", "source": {"file": str(path)}})
    word_file(tmp_path / "own", WORDS.replace("-1", "-2"))
    with pytest.raises(DataError, match=r"vetores\.txt has SHA-256"):
        run_embed(manifest)


def zipped(tmp_path, files):
    path = tmp_path / "mirror" / "127.0.0.1" / "vetores.zip"
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    source = {"archive": {"urls": ["http://127.0.0.1/vetores.zip"], "sha256": file_sha256(path)}}
    return {"kind": "word-vectors", "source": source}, [tmp_path / "mirror"]


def test_word_vectors_of_a_zip(fetch, run_embed, tmp_path):
    manifest = fetch(*zipped(tmp_path, {"glove/vetores.txt": WORDS, "glove/README.md": "x"}))
    names = sorted(file.name for file in (manifest.parent / "weights").iterdir())
    assert names == ["vectors.archive", "vetores.txt"]
    assert run_embed(manifest)[0][0].tolist() == [2, 3]


@pytest.mark.parametrize("files", [{"a.txt": WORDS, "b.vec": WORDS}, {"README.md": "x"}])
def test_a_zip_must_hold_one_file_of_word_vectors(fetch, tmp_path, files):
    with pytest.raises(DataError, match=r"models\.my-model: .*must hold one file of word vectors"):
        fetch(*zipped(tmp_path, files))


@pytest.mark.parametrize(
    ("source", "error", "part"),
    [
        ({"file": "nowhere.txt"}, ConfigError, "there is no file nowhere.txt"),
        ({"file": "{path}", "sha256": {"vetores.txt": "0" * 64}}, DataError, r"vetores\.txt has SHA-256"),
        (
            {"file": "{path}", "sha256": {"other.txt": "0" * 64}},
            ConfigError,
            r"one file, vetores\.txt, but other",
        ),
    ],
)
def test_a_wrong_file_of_word_vectors_leaves_no_manifest(fetch, tmp_path, source, error, part):
    path = word_file(tmp_path / "own")
    source = {**source, "file": source["file"].format(path=path)}
    with pytest.raises(error, match=part):
        fetch({"kind": "word-vectors", "source": source})
    assert not (tmp_path / "models/my-model/manifest.json").exists()


def test_a_wrong_line_is_told_when_the_model_is_fetched(fetch, tmp_path):
    path = word_file(tmp_path / "own", WORDS + "mais 1\n")
    with pytest.raises(DataError, match=r"models\.my-model: .*line 5: holds 1 values, expected 2"):
        fetch({"kind": "word-vectors", "source": {"file": str(path)}})


@pytest.mark.mirror
def test_a_real_static_model(fetch, run_embed, mirror):
    folder = mirror / REAL / "test-model-vocab-quantized"
    manifest = fetch({"kind": "model2vec", "source": {"folder": str(folder)}})
    facts = json.loads(manifest.read_text())
    assert (facts["dimension"], facts["pooling"], facts["max_tokens"]) == (64, "mean", None)
    assert set(facts["files"]) == {"config.json", "model.safetensors", "modules.json", "tokenizer.json"}
    vectors, _ = run_embed(manifest, {"max_tokens": 64})
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-6)


@pytest.mark.mirror
def test_a_static_model_from_the_hub(fetch, run_embed, mirror, tmp_path):
    place = tmp_path / "mirror/huggingface.co/lab/static/resolve" / ("a" * 40)
    place.mkdir(parents=True)
    # without modules.json, as model2vec itself writes it
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        content = (mirror / REAL / "test-model-vocab-quantized" / name).read_bytes()
        (place / name).write_bytes(content)
    source = {"hub": "lab/static", "revision": "a" * 40}
    manifest = fetch({"kind": "model2vec", "source": source}, [tmp_path / "mirror"])
    assert json.loads(manifest.read_text())["revision"] == "a" * 40
    assert (manifest.parent / "weights" / "tokenizer.json").is_file()
    assert run_embed(manifest)[0].shape == (3, 64)


@pytest.fixture
def server():
    with embeddings_server() as server:
        yield server


def service(server, **keys):
    return {"kind": "api", "url": server.url, "model": "small", "dimension": 4, **keys}


def test_a_service(fetch, run_embed, server, monkeypatch, tmp_path, capfd):
    monkeypatch.setenv("SENTFLOW_KEY_LAB", KEY)
    monkeypatch.setenv("SENTFLOW_HOST_LAB", urlsplit(server.url).netloc)
    server.failures = [(429, {"Retry-After": "0"}, f"slow down, {KEY}")]
    server.reason = f"Slow-down-{KEY}"
    manifest = fetch(service(server))
    assert server.requests == []
    vectors, description = run_embed(
        manifest, {"prompt": "q: "}, {"key_variable": "SENTFLOW_KEY_LAB", "batch_texts": 2}
    )
    assert vectors.tolist() == [vector_of("q: " + text, 4) for text in TEXTS]
    assert len(server.requests) == 3  # one was refused, and two batches
    assert description["model_settings"]["request_dimension"] is False
    assert "batch_texts" not in json.dumps(description)
    assert how_made(tmp_path / "out" / "dados.json")["device"] == "service"
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in written and KEY not in "".join(capfd.readouterr())


def test_a_service_of_another_dimension_is_told(fetch, run_embed, server):
    with pytest.raises(DataError, match="gives vectors of 4 values, but the model's entry says 8"):
        run_embed(fetch(service(server, dimension=8)))


def test_a_missing_key_is_told_before_anything_is_sent(fetch, run_embed, server):
    with pytest.raises(ConfigError, match="the environment variable SENTFLOW_KEY_NONE is not set"):
        run_embed(fetch(service(server)), connection={"key_variable": "SENTFLOW_KEY_NONE"})
    assert server.requests == []


@pytest.mark.parametrize("variable", ["HF_TOKEN", "SENTFLOW_KEY_LAB"])
def test_a_secret_that_is_not_for_the_service_is_never_sent(fetch, run_embed, server, monkeypatch, variable):
    monkeypatch.setenv(variable, KEY)
    monkeypatch.setenv("SENTFLOW_HOST_LAB", "api.example.org")
    with pytest.raises(ConfigError, match="SENTFLOW_HOST_"):
        run_embed(fetch(service(server)), connection={"key_variable": variable})
    assert server.requests == []


VECTORISER = {
    "kind": "scikit-learn",
    "class": "sklearn.feature_extraction.text.HashingVectorizer",
    "arguments": {"n_features": 32, "alternate_sign": False},
}


@pytest.mark.parametrize(("layout", "width"), [("single", 32), ("pair", 4 * 32)])
def test_a_vectoriser_of_scikit_learn_is_probed(fetch, tmp_path, layout, width):
    write_task(tmp_path / "task.parquet", make_task(270, layout=layout))
    manifest = fetch(VECTORISER)
    assert json.loads(manifest.read_text())["dimension"] is None
    output = tmp_path / "rep-1/fold-1.parquet"
    words = ["--task", str(tmp_path / "task.parquet"), "--manifest", str(manifest)]
    assert probe_lazy.main([*words, "--settings", json.dumps(PROBE_SETTINGS), "--output", str(output)]) == 0
    _, (info,) = read_folds([str(output)])
    assert info.dimension == width
    first = Path(output).read_bytes()
    probe_lazy.main([*words, "--settings", json.dumps(PROBE_SETTINGS), "--output", str(output)])
    assert Path(output).read_bytes() == first


def test_what_scikit_learn_cannot_build_is_told_when_the_model_is_fetched(fetch, tmp_path):
    with pytest.raises(
        ConfigError,
        match=r"models\.my-model: scikit-learn\.arguments\.features: this argument is not on the list",
    ):
        fetch({**VECTORISER, "arguments": {"features": 2}})
    assert not (tmp_path / "models/my-model/manifest.json").exists()


@pytest.mark.parametrize("kind", ["random", "bag-of-words"])
def test_only_lazy_encoders_are_fitted_inside_folds(fetch, tmp_path, kind):
    write_task(tmp_path / "task.parquet", make_task(270))
    manifest = fetch({"kind": kind, "dimension": 4, **({"seed": 1} if kind == "random" else {})})
    words = ["--task", str(tmp_path / "task.parquet"), "--manifest", str(manifest)]
    with pytest.raises(ConfigError, match=f"an encoder of kind {kind} is not fitted inside folds"):
        probe_lazy.main(
            [*words, "--settings", json.dumps(PROBE_SETTINGS), "--output", str(tmp_path / "fold.parquet")]
        )


def test_a_lazy_encoder_has_no_embeddings(fetch, run_embed):
    with pytest.raises(ConfigError, match="an encoder of kind scikit-learn is fitted inside each fold"):
        run_embed(fetch(VECTORISER))
