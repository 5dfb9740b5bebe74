"""Terms and their vectors by a tiny SparseEmbed through the encoder of the pipeline, beside the model itself."""

import numpy as np
import pytest
from masked_models import TEXTS, sparse_encoder
from resumed_embedding import assert_goes_on_and_knows_texts, loaded

from sentflow.encoders.vectors.sparse import TERM_FORM, TermEmbeddings
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
def test_terms_are_those_of_the_model_one_text_at_a_time(folder, tmp_path, role):
    encoder = loaded("sparse-embed", folder, tmp_path, {"batch_tokens": 1000}, threads=2)
    found = as_maps(encoder.encode(TEXTS, role=role, task=None))
    assert_alike(found, [by_the_model(folder, text, role) for text in TEXTS])
    assert {len(one) for one in found} == {2 if role == "query" else 5}


def test_a_killed_run_goes_on_with_the_same_bytes_and_known_texts_are_not_read_again(folder, tmp_path):
    encoder = loaded("sparse-embed", folder, tmp_path, {"batch_size": 4})
    assert_goes_on_and_knows_texts(encoder, TERM_FORM, tmp_path)
