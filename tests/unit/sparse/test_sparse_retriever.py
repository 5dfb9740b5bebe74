"""Two-stage search: against all scores, blocks, parts, what is kept per document, and what is refused."""

import numpy as np
import pytest
import torch
from masked_models import sparse_encoder

from sentflow.errors import ConfigError, DataError
from sentflow.sparse import Retriever, index
from sentflow.sparse.calibration import calibrate
from sentflow.sparse.index import TermArrays, TermIndex
from sentflow.sparse.term_vectors import TermVectors, all_scores

WORDS = ("lei", "ação", "projeto", "não", "saúde", ":")
DOCUMENTS = [
    {"id": f"d{place}", "text": " ".join(np.random.default_rng(place).choice(WORDS, size=2 + place % 7))}
    for place in range(24)
]
QUESTIONS = ["lei saúde", "projeto", "não não ação"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A model some of whose texts share no term."""
    made = sparse_encoder(tmp_path_factory.mktemp("bert"))
    calibrate(made, [document["text"] for document in DOCUMENTS], 3)
    return made


def filled(model, **options):
    return Retriever("id", "text", model).add(DOCUMENTS, **{"k_token": 4, **options})


def by_hand(model) -> torch.Tensor:
    queries, documents = (
        model.encode(texts, k) for texts, k in ((QUESTIONS, 5), ([each["text"] for each in DOCUMENTS], 4))
    )
    return all_scores(
        TermVectors(queries["activations"], queries["embeddings"]),
        TermVectors(documents["activations"], documents["embeddings"].half()),
    )


def test_with_all_documents_as_candidates_it_is_the_search_of_all_scores(encoder):
    expected = by_hand(encoder)
    found = filled(encoder)(QUESTIONS, k_sparse=len(DOCUMENTS), k_token=5)
    for row, ranked in enumerate(found):
        order = sorted(range(len(DOCUMENTS)), key=lambda place: (-float(expected[row, place]), place))
        scores = [each["similarity"] for each in ranked]
        np.testing.assert_allclose(scores, expected[row, order].numpy(), rtol=1e-5, atol=1e-6)
        assert scores == sorted(scores, reverse=True)
        assert {each["id"] for each in ranked} == {each["id"] for each in DOCUMENTS}
    assert min(float(each) for each in expected.flatten()) == 0.0  # some share no term


def test_candidates_are_those_of_greatest_weight(encoder):
    weights = [
        encoder.encode(texts, k)["sparse_activations"]
        for texts, k in ((QUESTIONS, 5), ([each["text"] for each in DOCUMENTS], 4))
    ]
    products = weights[0] @ weights[1].T
    for row, ranked in enumerate(filled(encoder)(QUESTIONS, k_sparse=6, k_token=5)):
        least = min(products[row, int(each["id"][1:])] for each in ranked)
        assert len(ranked) == 6
        assert int((products[row] > least + 1e-6).sum()) < 6


def test_parts_batches_and_blocks_change_nothing(encoder, monkeypatch):
    whole = filled(encoder)(QUESTIONS, k_sparse=7, k_token=5)
    parts = Retriever("id", ["text"], encoder)
    for start in range(0, len(DOCUMENTS), 10):
        parts.add(DOCUMENTS[start : start + 10], k_token=4, batch_size=3)
        parts(QUESTIONS[0], k_sparse=2)
    monkeypatch.setattr(index, "_MOST_CELLS", 16)  # 8 documents for 2 questions
    for retriever in (parts, filled(encoder, batch_size=5)):
        found = retriever(QUESTIONS, k_sparse=7, k_token=5, batch_size=2)
        # Batches of other shapes round otherwise, so that documents with nearly equal scores may change places
        for one, other in zip(whole, found, strict=True):
            np.testing.assert_allclose(
                [each["similarity"] for each in one], [each["similarity"] for each in other], rtol=2e-3
            )
            of = [{each["id"]: each["similarity"] for each in ranked} for ranked in (one, other)]
            least = min(of[0].values()) * (1 + 4e-3)
            for name in of[0].keys() | of[1].keys():
                scores = [scored[name] for scored in of if name in scored]
                assert max(scores) <= least or scores == pytest.approx([scores[0]] * 2, rel=2e-3)


def test_blocks_bound_what_a_search_holds(encoder, monkeypatch):
    monkeypatch.setattr(index, "_MOST_CELLS", 64)
    sizes = []
    scored = index.candidate_scores
    monkeypatch.setattr(
        index,
        "candidate_scores",
        lambda queries, documents: (
            sizes.append(documents.ids.numel() * max(4, queries.ids.shape[1])),
            scored(queries, documents),
        )[1],
    )
    filled(encoder)(QUESTIONS, k_sparse=20, k_token=5)
    assert max(sizes) <= 64


def test_more_documents_are_asked_for_than_there_are(encoder):
    found = filled(encoder)("lei", k_sparse=10_000)
    assert [len(each) for each in found] == [len(DOCUMENTS)]


def test_bytes_per_document_are_those_of_the_docstring():
    n, k, width = 10, 4, 3
    terms = TermIndex(n_terms=50)
    arrays = TermArrays.empty(n, k, width)
    ids = torch.stack([torch.randperm(50)[:k] for _ in range(n)])
    arrays.put(0, ids, torch.ones(n, k), torch.ones(n, k, width))
    terms.add(arrays)
    assert (arrays.ids.dtype, arrays.weights.dtype, arrays.embeddings.dtype) == (
        "int32",
        "float32",
        "float16",
    )
    assert terms.n_bytes == n * (16 * k + 4 + 2 * k * width) + 4  # and the end of the last row
    matrix = arrays.matrix(50)
    assert (matrix.indices.dtype, matrix.data.dtype) == ("int32", "float32")


@pytest.mark.parametrize("most_cells", [2, 14, 1 << 24])
def test_nearest_is_exact_with_ties_in_the_order_of_the_index(most_cells, monkeypatch):
    monkeypatch.setattr(index, "_MOST_CELLS", most_cells)
    terms = TermIndex(n_terms=6)
    rng = np.random.default_rng(0)
    dense = (rng.integers(0, 3, size=(40, 6)) * rng.integers(0, 2, size=(40, 6))).astype(np.float32)
    ids = np.where(dense > 0, np.arange(6), -1).astype(np.int32)
    terms.add(TermArrays(ids, dense, np.zeros((40, 6, 1), dtype=np.float16)))
    queries = np.array([[1, 2, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0]], dtype=np.float32)
    found = terms.nearest(
        TermArrays(np.tile(np.arange(6, dtype=np.int32), (2, 1)), queries, dense).matrix(6), 9
    )
    for query, ranked in zip(queries, found, strict=True):
        scores = dense @ query
        assert ranked.rows.tolist() == sorted(range(40), key=lambda row: (-scores[row], row))[:9]


def test_errors_leave_the_retriever_as_it_was(encoder):
    retriever = filled(encoder)
    with pytest.raises(DataError, match="id 'd3' is that of two documents"):
        retriever.add([{"id": "new", "text": "lei"}, DOCUMENTS[3]], k_token=4)
    with pytest.raises(DataError, match="id 'x' is that of two documents"):
        retriever.add([{"id": "x", "text": "lei"}] * 2, k_token=4)
    with pytest.raises(DataError, match="2 documents have no token, first 'y', 'z'"):
        retriever.add([{"id": "y", "text": ""}, {"id": "z", "text": " "}], k_token=4)
    with pytest.raises(DataError, match="document 0 has no 'text'. It has: 'id', 'title'"):
        retriever.add([{"id": "w", "title": "lei"}], k_token=4)
    with pytest.raises(DataError, match=r"id \['a'\] is no identifier"):
        retriever.add([{"id": ["a"], "text": "lei"}], k_token=4)
    with pytest.raises(DataError, match="no documents"):
        retriever.add([], k_token=4)
    with pytest.raises(ConfigError, match="k_token is 5, and the documents before were added with 4"):
        retriever.add([{"id": "v", "text": "lei"}], k_token=5)
    assert len(retriever) == len(DOCUMENTS)
    assert len(retriever.add([{"id": "new", "text": "lei"}], k_token=4)) == len(DOCUMENTS) + 1


@pytest.mark.parametrize(("name", "value"), [("k_sparse", 0), ("k_token", 0), ("batch_size", -1)])
def test_numbers_are_at_least_1(encoder, name, value):
    with pytest.raises(ConfigError, match=f"{name} is {value}"):
        filled(encoder)(QUESTIONS, **{name: value})
    if name != "k_sparse":
        with pytest.raises(ConfigError, match=f"{name} is {value}"):
            filled(encoder, **{name: value})


def test_a_search_needs_documents_and_tokens(encoder):
    with pytest.raises(ConfigError, match="no documents. Call add"):
        Retriever("id", "text", encoder)("lei")
    with pytest.raises(DataError, match="has no token"):
        filled(encoder)("")


def test_another_model_is_refused(tmp_path):
    model = sparse_encoder(tmp_path)
    retriever = filled(model)
    retriever.model = sparse_encoder(tmp_path, seed=1)
    with pytest.raises(ConfigError, match="not the one that encoded the documents"):
        retriever(QUESTIONS)
    with pytest.raises(ConfigError, match="replaced or trained since"):
        retriever.add([{"id": "new", "text": "lei"}], k_token=4)


@pytest.mark.parametrize("part", ["encoder", "heads", "projections"])
def test_a_model_that_was_trained_since_is_refused(part, tmp_path):
    model = sparse_encoder(tmp_path)
    retriever = filled(model)
    optimizer = torch.optim.AdamW(getattr(model, part).parameters(), lr=1e-6)
    found = model(["lei", "não"], 3)
    (found["sparse_activations"].sum() + found["embeddings"].sum()).backward()
    assert retriever("lei")  # gradients alone change nothing
    optimizer.step()
    with pytest.raises(ConfigError, match="trained since"):
        retriever("lei")


def test_a_retriever_asks_both_heads(tmp_path):
    model = sparse_encoder(tmp_path, heads="two")
    with torch.no_grad():
        model.projections["query"].weight.zero_()
        model.projections["query"].bias.zero_()
    found = filled(model)(QUESTIONS)
    assert {each["similarity"] for ranked in found for each in ranked} == {0.0}


def test_values_beyond_half_precision_are_told():
    with pytest.raises(DataError, match="values up to 70000, and half precision ends"):
        TermArrays.empty(1, 1, 1).put(0, torch.zeros(1, 1), torch.ones(1, 1), torch.full((1, 1, 1), 7e4))
