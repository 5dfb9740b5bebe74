"""The second stage of a search by terms, beside plain loops and the scores of the notebook's package."""

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from sentflow.encoders.vectors.terms import TermEmbeddings
from sentflow.retrieval import second_stage
from sentflow.retrieval.ranking import Ranked, merged
from sentflow.retrieval.second_stage import TermCorpus, reordered
from sentflow.retrieval.sparse import Impacts, SparseVectors, search
from sentflow.sparse.activations import NO_TERM
from sentflow.sparse.term_vectors import TermVectors, candidate_scores

TERMS, WIDTH = 30, 4


def drawn(n, seed, *, share=0.15):
    """Whole numbers of few values, so that there are ties and vectors that multiply to 0; some texts have no term."""
    rng = np.random.default_rng(seed)
    held = rng.random((n, TERMS)) < share
    held[rng.integers(0, n)] = False
    weights = csr_array((rng.integers(1, 5, (n, TERMS)) * held).astype(np.float32))
    vectors = rng.integers(0, 3, (weights.nnz, WIDTH)) * (rng.random((weights.nnz, WIDTH)) < 0.5)
    return TermEmbeddings(weights, vectors.astype(np.float16))


QUESTIONS, DOCUMENTS = drawn(12, 1), drawn(90, 2)


def of_all(documents):
    return TermCorpus(documents, np.arange(documents.shape[0]))


def candidates(k, corpus):
    return search(QUESTIONS.weights, SparseVectors(corpus.values.weights, corpus.documents), k)


def as_maps(texts):
    ends = texts.weights.indptr
    return [
        {
            int(texts.weights.indices[place]): texts.vectors[place].astype(float)
            for place in range(first, last)
        }
        for first, last in zip(ends[:-1], ends[1:], strict=True)
    ]


def score(question, document):
    """Σ_j e^q_j · e^d_j, one number after the other."""
    return sum(
        (float(one * other) for term in question if term in document
         for one, other in zip(question[term], document[term], strict=True)),
        start=0.0,
    )  # fmt: skip


def in_a_loop(question, documents, owners, k):
    best = {}
    for owner, document in zip(owners, documents, strict=True):
        best[owner] = max(score(question, document), best.get(owner, 0.0))
    found = [(owner, value) for owner, value in best.items() if value > 0]
    return sorted(found, key=lambda one: (-one[1], one[0]))[:k]


def pairs(ranked):
    return list(zip(ranked.rows.tolist(), ranked.scores.tolist(), strict=True))


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(second_stage, "_BLOCK_DOCUMENTS", 7)


@pytest.mark.parametrize("k", [1, 10, 90])
def test_with_all_documents_as_candidates_the_best_of_all_are_found(k, small_blocks):
    found = list(reordered(candidates(90, of_all(DOCUMENTS)), QUESTIONS, of_all(DOCUMENTS), k))
    assert len(found) == 12
    for question, ranked in zip(as_maps(QUESTIONS), found, strict=True):
        assert pairs(ranked) == in_a_loop(question, as_maps(DOCUMENTS), range(90), k)
    assert any(ranked.tied_at_cut for ranked in found) == (k < 90)
    assert any(not len(ranked) for ranked in found)  # of the question without terms


def test_only_candidates_are_ordered_anew_and_blocks_change_nothing(monkeypatch):
    first = list(candidates(5, of_all(DOCUMENTS)))
    found = [pairs(one) for one in reordered(first, QUESTIONS, of_all(DOCUMENTS), 5)]
    for question, stage, ranked in zip(as_maps(QUESTIONS), first, found, strict=True):
        rows = sorted(stage.rows.tolist())
        assert ranked == in_a_loop(question, [as_maps(DOCUMENTS)[row] for row in rows], rows, 5)
    assert found != [pairs(one) for one in first]
    monkeypatch.setattr(second_stage, "_BLOCK_DOCUMENTS", 2)
    assert [pairs(one) for one in reordered(first, QUESTIONS, of_all(DOCUMENTS), 5)] == found


def padded(texts):
    """The same as tensors of the package for notebooks, one row per text."""
    lengths = np.diff(texts.weights.indptr)
    inside = np.arange(lengths.max())[None, :] < lengths[:, None]
    ids = np.full(inside.shape, NO_TERM)
    embeddings = np.zeros((*inside.shape, WIDTH), dtype=np.float16)
    ids[inside], embeddings[inside] = texts.weights.indices, texts.vectors
    return TermVectors(torch.from_numpy(ids), torch.from_numpy(embeddings))


def test_scores_are_those_of_the_notebooks_package():
    rng = np.random.default_rng(3)

    def real(texts):
        return TermEmbeddings(texts.weights, rng.random(texts.vectors.shape).astype(np.float16))

    questions, documents = real(QUESTIONS), real(DOCUMENTS)
    asked, held = padded(questions), padded(documents)
    each = TermVectors(held.ids.expand(12, -1, -1), held.embeddings.expand(12, -1, -1, -1))
    expected = candidate_scores(asked, each).numpy()
    all_rows = [Ranked(np.arange(90)[::-1], np.zeros(90))] * 12
    found = np.zeros((12, 90))
    for row, ranked in enumerate(reordered(all_rows, questions, of_all(documents), 90)):
        found[row, ranked.rows] = ranked.scores
    # sums of products in float32 there, in float64 here
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_document_counts_by_its_best_passage(small_blocks):
    corpus = TermCorpus(DOCUMENTS, np.repeat(np.arange(0, 60, 2), 3))
    for question, ranked in zip(
        as_maps(QUESTIONS), reordered(candidates(90, corpus), QUESTIONS, corpus, 8), strict=True
    ):
        assert pairs(ranked) == in_a_loop(question, as_maps(DOCUMENTS), corpus.documents.tolist(), 8)


def test_candidates_of_every_shard_are_at_least_those_of_the_whole():
    parts = (TermCorpus(DOCUMENTS[:40], np.arange(40)), TermCorpus(DOCUMENTS[40:], np.arange(40, 90)))
    of_shards = [list(reordered(candidates(90, part), QUESTIONS, part, 6)) for part in parts]
    whole = list(reordered(candidates(90, of_all(DOCUMENTS)), QUESTIONS, of_all(DOCUMENTS), 6))
    assert [pairs(merged(both, 6)) for both in zip(*of_shards, strict=True)] == [pairs(one) for one in whole]
    for stages in zip(
        candidates(5, of_all(DOCUMENTS)), *(candidates(5, part) for part in parts), strict=True
    ):
        first, *others = ({*one.rows.tolist()} for one in stages)
        assert first <= set.union(*others)


def test_rounded_weights_choose_candidates_and_change_no_score():
    impacts = Impacts.of(DOCUMENTS.weights, 1)
    rounded = search(QUESTIONS.weights, SparseVectors(impacts.values, np.arange(90)), 90, step=impacts.step)
    exact = [
        dict(pairs(one))
        for one in reordered(candidates(90, of_all(DOCUMENTS)), QUESTIONS, of_all(DOCUMENTS), 90)
    ]
    found = [dict(pairs(one)) for one in reordered(rounded, QUESTIONS, of_all(DOCUMENTS), 90)]
    assert all(one.items() <= other.items() for one, other in zip(found, exact, strict=True))
    assert found != exact
