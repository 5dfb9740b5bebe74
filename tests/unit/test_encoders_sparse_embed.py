"""Terms and their vectors by a tiny SparseEmbed through the encoder of the pipeline, beside the model itself."""

import json
import shutil

import numpy as np
import pytest
from masked_models import TEXTS, sparse_encoder
from resumed_embedding import assert_goes_on_and_knows_texts
from scipy.sparse import csr_array
from tiny_bert import WORDS, save_tiny_masked_bert

from sentflow.encoders.entries import encode_settings as encode_keys
from sentflow.encoders.entries import has_term_vectors, weighs_terms
from sentflow.encoders.fetch.model import fetch_model
from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.load import encode_settings, load_encoder, load_sparse_encoder
from sentflow.encoders.vectors.embedding import embed_texts
from sentflow.encoders.vectors.forms import form_of
from sentflow.encoders.vectors.shards import ShardFolder
from sentflow.encoders.vectors.sparse import SPARSE_FORM, read_sparse
from sentflow.encoders.vectors.storage import text_order_sha256
from sentflow.encoders.vectors.terms import TERM_FORM, TermEmbeddings
from sentflow.errors import ConfigError, DataError
from sentflow.sparse.folder import load_sparse_embed, save_sparse_embed

TEXTS = TEXTS["bert"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("models")
    model = sparse_encoder(place / "start", heads="two", k_query=2, k_documents=5, projection_bias=False)
    model.projections["query"].weight.data += 0.5
    model.heads["query"].decoder.bias.data *= -1
    save_sparse_embed(model, place / "model")
    return place / "model"


def fetched(folder, tmp_path):
    return fetch_model("m", {"kind": "sparse-embed", "source": {"folder": str(folder)}}, tmp_path)


def loaded(folder, tmp_path, settings=None, **around):
    manifest = fetched(folder, tmp_path)
    surroundings = Surroundings(manifest_folder=tmp_path, devices=("cpu",), **around)
    return load_sparse_encoder(manifest, encode_settings(manifest, settings or {}), surroundings)


def as_maps(found):
    """Of each text term → (weight, vector)."""
    assert isinstance(found, TermEmbeddings)
    weights, vectors = found.weights, found.vectors
    assert (weights.dtype, vectors.dtype) == (np.float32, np.float16)
    assert weights.has_sorted_indices
    pieces = (slice(*ends) for ends in zip(weights.indptr[:-1], weights.indptr[1:], strict=True))
    return [
        dict(
            zip(
                weights.indices[piece].tolist(),
                zip(weights.data[piece], vectors[piece], strict=True),
                strict=True,
            )
        )
        for piece in pieces
    ]


def by_the_model(folder, text, side, k=None):
    found = load_sparse_embed(folder).encode([text], k, side)
    terms = [term for term in found["activations"][0].tolist() if term >= 0]
    return {
        term: (found["sparse_activations"][0, term].item(), vector.numpy())
        for term, vector in zip(terms, found["embeddings"][0], strict=False)
    }


def assert_alike(found, expected):
    assert [set(one) for one in found] == [set(one) for one in expected]
    for one, other in zip(found, expected, strict=True):
        for term, (weight, vector) in other.items():
            assert one[term][0] == pytest.approx(weight, rel=1e-4)
            np.testing.assert_allclose(one[term][1], vector, rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("role", ["query", "document"])
@pytest.mark.parametrize("batch_tokens", [1, 1000])
def test_terms_are_those_of_the_model_one_text_at_a_time_whatever_the_batch(
    folder, tmp_path, role, batch_tokens
):
    encoder = loaded(folder, tmp_path, {"batch_tokens": batch_tokens}, threads=2)
    found = as_maps(encoder.encode(TEXTS, role=role, task=None))
    assert_alike(found, [by_the_model(folder, text, role) for text in TEXTS])
    assert {len(one) for one in found} == {2 if role == "query" else 5}


def test_heads_differ_and_questions_and_documents_keep_their_own_numbers_of_terms(folder, tmp_path):
    encoder = loaded(folder, tmp_path, {"terms": {"queries": 3, "documents": 4}})
    asked, held = (encoder.encode(TEXTS, role=role, task=None) for role in ("query", "document"))
    assert_alike(as_maps(asked), [by_the_model(folder, text, "query", 3) for text in TEXTS])
    assert_alike(as_maps(held), [by_the_model(folder, text, "document", 4) for text in TEXTS])
    entry = {"kind": "sparse-embed", "source": {"folder": "x"}, "terms": {"queries": 3, "documents": 4}}
    assert encode_keys(entry, roles=("query",)) == {"terms": {"queries": 3}}
    assert weighs_terms(entry)
    assert has_term_vectors(entry)
    assert not has_term_vectors({**entry, "kind": "splade"})


def test_prompts_limits_and_types_of_numbers_are_those_of_the_entry(folder, tmp_path):
    plain = loaded(folder, tmp_path).encode(["lei projeto"], role="document", task=None)
    prompted = loaded(folder, tmp_path, {"prompt": "lei "}).encode(["projeto"], role="document", task=None)
    assert_alike(as_maps(prompted), as_maps(plain))
    cut = loaded(folder, tmp_path, {"max_tokens": 4, "truncation": "start"})
    found = cut.encode(["ação lei projeto"], role="document", task=None)
    assert_alike(as_maps(found), as_maps(plain))
    assert cut.reading.lost.tolist() == [1]
    for dtype in ("bfloat16", "bfloat16-autocast"):
        rounded = loaded(folder, tmp_path, {"dtype": dtype}).encode(
            ["lei projeto"], role="document", task=None
        )
        # 8 bits of bfloat16 in each of a few products
        np.testing.assert_allclose(rounded.weights.sum(), plain.weights.sum(), rtol=0.1)
    with pytest.raises(ConfigError, match="max_tokens is 99, and the model has 32 positions"):
        loaded(folder, tmp_path, {"max_tokens": 99})


def test_a_text_without_tokens_has_no_term_and_is_told(folder, tmp_path, caplog):
    encoder = loaded(folder, tmp_path)
    texts = ["lei", "\u200b", "saúde não"]
    found = as_maps(encoder.encode(texts, role="document", task=None))
    assert [len(one) for one in found] == [5, 0, 5]
    assert "1 of 3 texts have no term of a weight above 0" in caplog.text
    assert encoder.encode(texts[1:2], role="document", task=None).vectors.shape == (0, 4)


def test_batches_that_the_memory_does_not_hold_are_halved(folder, tmp_path, monkeypatch):
    encoder = loaded(folder, tmp_path, {"batch_tokens": 1000})
    whole = encoder.encode(TEXTS, role="document", task=None)
    model = encoder._model.terms
    encode = model.encode

    def few(texts, *rest):
        if len(texts) > 2:
            raise MemoryError
        return encode(texts, *rest)

    monkeypatch.setattr(model, "encode", few)
    assert_alike(as_maps(encoder.encode(TEXTS, role="document", task=None)), as_maps(whole))
    assert encoder.halved_batches


def test_values_beyond_half_precision_are_refused(folder, tmp_path):
    encoder = loaded(folder, tmp_path, role="document")
    encoder._model.terms.projections["document"].weight.data *= 1e6
    shards = ShardFolder(tmp_path / "shards", key="k", form=TERM_FORM)
    with pytest.raises(DataError, match=r"not finite for row 1 \('lei'\)"):
        embed_texts(encoder, TEXTS, shards=shards, form=TERM_FORM)


# --- what is refused


def test_other_models_and_damaged_files_are_refused_when_they_are_fetched(folder, tmp_path):
    with pytest.raises(ConfigError, match=r"models\.m: .*holds no sparse_embed\.json"):
        fetched(save_tiny_masked_bert(tmp_path / "plain"), tmp_path / "m")
    copy = shutil.copytree(folder, tmp_path / "copy")
    path = copy / "sparse_embed.json"
    path.write_text(
        json.dumps({**json.loads(path.read_text("utf-8")), "embedding_size": 5}), encoding="utf-8"
    )
    with pytest.raises(DataError, match=r"no projections\.document\.weight to vectors of 5 values"):
        fetched(copy, tmp_path / "m")
    (copy / "sparse_embed.safetensors").unlink()
    with pytest.raises(DataError, match=r"sparse_embed\.safetensors is missing or damaged"):
        fetched(copy, tmp_path / "m")


def test_it_gives_no_dense_vectors(folder, tmp_path):
    manifest = fetched(folder, tmp_path)
    assert (manifest.dimension, manifest.max_tokens) == (len(WORDS), 32)
    with pytest.raises(ConfigError, match="weights of terms and no dense vectors.*of kind sparse"):
        load_encoder(manifest, encode_settings(manifest, {}), Surroundings(manifest_folder=tmp_path))


# --- files


WEIGHTS = csr_array(np.array([[0, 1.5, 0], [0, 0, 0], [0.25, 0, 2]], np.float32))
FOUND = TermEmbeddings(WEIGHTS, np.arange(6, dtype=np.float16).reshape(3, 2))


def written(folder, found=FOUND, texts=("x", "y", "z")):
    npz, info = folder / "a.npz", folder / "a.json"
    TERM_FORM.write(npz, info, found, {"text_order_sha256": text_order_sha256(texts)}, None)
    return npz, info


def test_rows_keep_the_vectors_of_their_terms():
    assert form_of("term-vectors") is TERM_FORM
    some = FOUND[[2, 1, 0]]
    np.testing.assert_array_equal(some.weights.toarray(), WEIGHTS.toarray()[::-1])
    assert some.vectors.tolist() == [[2, 3], [4, 5], [0, 1]]
    both = TERM_FORM.joined([FOUND[:2], FOUND[2:]])
    np.testing.assert_array_equal(both.vectors, FOUND.vectors)
    assert FOUND[1:2].vectors.shape == (0, 2)
    placed = TERM_FORM.placed(3, 3, [(np.array([2, 0]), FOUND[[2, 0]]), (np.array([1]), FOUND[1:2])])
    np.testing.assert_array_equal(placed.vectors, FOUND.vectors)
    with pytest.raises(ValueError, match="for 3 weights of terms"):
        TermEmbeddings(WEIGHTS, FOUND.vectors[:2])


def test_a_search_by_weights_alone_reads_the_same_file(tmp_path):
    npz, info = written(tmp_path)
    with np.load(npz) as arrays:
        assert arrays["vectors"].dtype == np.float16
    np.testing.assert_array_equal(read_sparse(npz, info, ["x", "y", "z"]).toarray(), WEIGHTS.toarray())
    both = read_sparse(npz, info, ["x", "y", "z"], form=TERM_FORM)
    np.testing.assert_array_equal(both.vectors, FOUND.vectors)


def test_files_without_vectors_or_with_other_ones_are_refused(tmp_path):
    info = tmp_path / "a.json"
    SPARSE_FORM.write(tmp_path / "a.npz", info, WEIGHTS, {"text_order_sha256": "x"}, None)
    with pytest.raises(DataError, match="missing or damaged.*vectors"):
        read_sparse(tmp_path / "a.npz", info, ["x"], form=TERM_FORM)
    damaged = TermEmbeddings(WEIGHTS, np.array([[0, 1], [2, np.nan], [4, 5]], np.float16))
    assert TERM_FORM.rows_not_finite(damaged) == [2]
    npz, info = written(tmp_path, damaged)
    with pytest.raises(DataError, match="is not the file that"):
        read_sparse(npz, info, ["x", "y", "z"], form=TERM_FORM)


def test_a_killed_run_goes_on_with_the_same_bytes_and_known_texts_are_not_read_again(folder, tmp_path):
    encoder = loaded(folder, tmp_path, {"batch_size": 4}, role="document")
    assert_goes_on_and_knows_texts(encoder, TERM_FORM, tmp_path)
