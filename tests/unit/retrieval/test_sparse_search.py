"""Search by weights of terms, beside every product in a plain loop; rounded weights; what it costs."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_array

from sentflow.encoders.vectors.sparse import TermEmbeddings
from sentflow.errors import DataError
from sentflow.retrieval.retrievers import sparse
from sentflow.retrieval.retrievers.bm25 import sparsity_of_terms
from sentflow.retrieval.retrievers.dense import Vectors
from sentflow.retrieval.retrievers.sparse import (
    refuse_other_terms,
    reordered,
    rounded,
    search_weights,
    sparsity,
)
from sentflow.retrieval.shard_runs import cost_of_shards
from sentflow.retrieval.term_index import TermIndex


def drawn(n, seed, *, terms=40, share=0.1):
    """Weights of which many are equal, so that there are ties; some rows have none."""
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 4, (n, terms)) * (rng.random((n, terms)) < share)
    return csr_array(values.astype(np.float32) / 2)


QUESTIONS, DOCUMENTS = drawn(30, 1), drawn(200, 2)


def of_all(documents):
    return Vectors(documents, np.arange(documents.shape[0]))


def in_a_loop(question, documents, owners, k):
    """(document, score), best first: every product, one term after the other."""
    asked, best = question.toarray()[0].astype(float), {}
    for row, owner in enumerate(owners):
        held = documents[row : row + 1].toarray()[0].astype(float)
        score = 0.0
        for term in range(len(asked)):
            score += asked[term] * held[term]
        best[owner] = max(score, best.get(owner, 0.0))
    found = [(owner, score) for owner, score in best.items() if score > 0]
    return sorted(found, key=lambda one: (-one[1], one[0]))[:k]


def pairs(ranked):
    return list(zip(ranked.rows.tolist(), ranked.scores.tolist(), strict=True))


@pytest.mark.parametrize("k", [1, 10, 1000])
def test_the_best_documents_are_those_of_all_products_and_ties_keep_the_order_of_the_corpus(k, monkeypatch):
    monkeypatch.setattr(sparse, "_BLOCK_ROWS", 32)
    monkeypatch.setattr(sparse, "_QUESTIONS", 7)
    # also where a document counts by the best of its passages
    for owners in (np.arange(200), np.repeat(np.arange(0, 100, 2), 4)):
        found = list(search_weights(QUESTIONS, Vectors(DOCUMENTS, owners), k))
        assert len(found) == 30
        for row, ranked in enumerate(found):
            assert pairs(ranked) == in_a_loop(QUESTIONS[row : row + 1], DOCUMENTS, owners.tolist(), k)
        assert any(ranked.tied_at_cut for ranked in found) == (k < 1000)


def with_vectors(weights, seed):
    """Vectors of whole numbers, of which many multiply to 0."""
    rng = np.random.default_rng(seed)
    vectors = rng.integers(0, 3, (weights.nnz, 4)) * (rng.random((weights.nnz, 4)) < 0.5)
    return TermEmbeddings(weights, vectors.astype(np.float16))


def by_vectors(question, documents, rows, k):
    """(document, Σ_j e^q_j · e^d_j), best first, one term after the other."""

    def as_map(text):
        return dict(zip(text.weights.indices.tolist(), text.vectors.astype(float), strict=True))

    asked, found = as_map(question), []
    for row in rows:
        held = as_map(documents[row : row + 1])
        found.append((row, float(sum(asked[term] @ held[term] for term in asked if term in held))))
    return sorted((one for one in found if one[1] > 0), key=lambda one: (-one[1], one[0]))[:k]


@pytest.mark.parametrize("n_candidates", [5, 200])
def test_only_candidates_are_ordered_anew_by_the_vectors_of_their_terms(n_candidates, monkeypatch):
    monkeypatch.setattr(sparse, "_BLOCK_DOCUMENTS", 7)
    questions, documents = with_vectors(QUESTIONS, 1), with_vectors(DOCUMENTS, 2)
    first = list(search_weights(QUESTIONS, of_all(DOCUMENTS), n_candidates))
    found = list(reordered(first, questions, Vectors(documents, np.arange(200)), 5))
    for row, (stage, ranked) in enumerate(zip(first, found, strict=True)):
        assert pairs(ranked) == by_vectors(
            questions[row : row + 1], documents, sorted(stage.rows.tolist()), 5
        )
    assert any(ranked.tied_at_cut for ranked in found) == (n_candidates > 5)
    assert [pairs(one) for one in found] != [pairs(one)[:5] for one in first]


def test_documents_without_a_shared_term_are_not_found():
    questions, documents = csr_array(np.eye(3, dtype=np.float32)), csr_array(np.diag([0, 0, 2]).astype("f4"))
    assert [pairs(one) for one in search_weights(questions, of_all(documents), 5)] == [[], [], [(2, 2.0)]]
    nothing = csr_array((0, 3), dtype=np.float32)
    assert [len(one) for one in search_weights(questions, of_all(nothing), 5)] == [0, 0, 0]
    assert list(search_weights(nothing, of_all(documents), 5)) == []


@pytest.mark.parametrize("bits", [1, 8])
def test_rounded_weights_are_off_by_half_a_step_at_most_and_so_are_scores(bits):
    rng = np.random.default_rng(3)
    documents = csr_array((rng.random((50, 40)) * (rng.random((50, 40)) < 0.3)).astype(np.float32))
    values, step = rounded(documents, bits)
    assert values.dtype == np.uint8
    assert values.data.max() == 2**bits - 1
    assert (values.data > 0).all()
    back = values.toarray() * step
    assert np.abs(back - documents.toarray()).max() <= step * (0.5 + 1e-9)
    asked = QUESTIONS.toarray()
    exact, most = asked @ documents.toarray().T, asked.sum(axis=1) * step / 2
    for row, ranked in enumerate(search_weights(QUESTIONS, of_all(values), 50, step=step)):
        scores = np.zeros(50)
        scores[ranked.rows] = ranked.scores
        assert np.abs(scores - exact[row]).max() <= most[row] + 1e-5


def test_what_a_search_costs_is_counted_as_in_a_loop():
    asked, held = QUESTIONS.toarray() > 0, DOCUMENTS.toarray() > 0
    shared = np.mean([(one & other).sum() for one in asked for other in held])
    found = sparsity(QUESTIONS, DOCUMENTS)
    assert found["expected_matches"] == pytest.approx(shared)
    assert found["terms_per_question"] == pytest.approx(asked.sum(axis=1).mean())
    assert found["terms_per_document"] == pytest.approx(held.sum(axis=1).mean())
    arrays = (DOCUMENTS.data, DOCUMENTS.indices, DOCUMENTS.indptr)
    assert found["index_bytes"] == sum(array.nbytes for array in arrays)
    assert sparsity(QUESTIONS, rounded(DOCUMENTS, 8)[0])["index_bytes"] < found["index_bytes"]
    parts = [sparsity(QUESTIONS, part) for part in (DOCUMENTS[:60], DOCUMENTS[60:])]
    of_parts = cost_of_shards([{**part, "seconds": 1.0} for part in parts])
    assert of_parts["n_vectors"] == 200
    for key in ("expected_matches", "terms_per_question", "terms_per_document"):
        assert of_parts[key] == pytest.approx(found[key])
    known = {"seconds": 1.0, "index_bytes": 2}
    assert cost_of_shards([known, {**parts[0], **known}]) == {"seconds": 2.0, "index_bytes": 4}


def terms_of(vectors):
    """Each term with a weight as a word, some of them twice."""
    rows = vectors.toarray()
    return [[f"t{term}" for term in np.flatnonzero(row) for _ in range(1 + term % 2)] for row in rows]


def test_terms_of_texts_are_counted_as_those_of_weights_are():
    asked, held = terms_of(QUESTIONS), terms_of(DOCUMENTS)
    found = sparsity_of_terms([*asked, ["unknown"]], TermIndex.of([held]), 1000)
    expected = sparsity(QUESTIONS, DOCUMENTS)
    # one more question, which has a term that no document has
    share = len(asked) / (len(asked) + 1)
    assert found["expected_matches"] == found["flops"] == pytest.approx(expected["flops"] * share)
    assert found["terms_per_document"] == pytest.approx(expected["terms_per_document"])
    assert (found["n_vectors"], found["index_bytes"]) == (200, 1000)
    parts = [
        sparsity_of_terms(asked, TermIndex.of([part]), 500) | {"question_seconds": 1.0}
        for part in (held[:60], held[60:])
    ]
    of_parts = cost_of_shards([{**part, "seconds": 1.0} for part in parts])
    # the questions are cut once, whatever the shards
    assert of_parts["question_seconds"] == 1.0
    assert of_parts["expected_matches"] == pytest.approx(expected["expected_matches"])
    assert sparsity_of_terms([], TermIndex.of([[[]]]), 0)["expected_matches"] == 0


def test_terms_of_two_vocabularies_or_models_are_refused(tmp_path):
    about = {"model": "m", "files_sha256": "a", "vocabulary_sha256": "v"}
    documents, questions = tmp_path / "documents.json", tmp_path / "questions.json"
    documents.write_text(json.dumps(about))
    for key in about:
        questions.write_text(json.dumps({**about, key: "other"}))
        with pytest.raises(DataError, match=f"cannot be compared: {key} differ"):
            refuse_other_terms(documents, questions)
    questions.write_text(json.dumps({**about, "collection": "other"}))
    refuse_other_terms(documents, questions)
