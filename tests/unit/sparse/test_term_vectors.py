"""Scores by shared terms: by hand, against a loop over texts and terms, without any shared term."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from sentflow.sparse.model import TermVectors, all_scores, attended, pair_scores
from sentflow.sparse.weigher import NO_TERM

N_TERMS, WIDTH = 12, 3


def drawn_texts(n: int, k: int, seed: int, *, dtype: torch.dtype = torch.float32) -> TermVectors:
    """Texts with 0 to k of `N_TERMS` terms; what stands behind them must count nowhere, so it is great."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.stack([torch.randperm(N_TERMS, generator=generator)[:k] for _ in range(n)])
    n_active = torch.randint(0, k + 1, (n,), generator=generator)
    inactive = torch.arange(k) >= n_active[:, None]
    embeddings = torch.randn(n, k, WIDTH, generator=generator, dtype=torch.double).masked_fill(
        inactive[:, :, None], 1e6
    )
    return TermVectors(ids.masked_fill(inactive, NO_TERM), embeddings.to(dtype))


def by_loop(queries: TermVectors, documents: TermVectors, query: int, document: int) -> float:
    total = 0.0
    for a, term in enumerate(queries.ids[query].tolist()):
        for b, other in enumerate(documents.ids[document].tolist()):
            if term == other and term != NO_TERM:
                products = queries.embeddings[query, a].double() * documents.embeddings[document, b].double()
                total += float(products.sum())
    return total


@given(k_query=st.integers(1, 6), k_document=st.integers(1, 8), seed=st.integers(0, 2**31))
def test_scores_are_those_of_a_loop(k_query, k_document, seed):
    queries, documents = drawn_texts(3, k_query, seed), drawn_texts(4, k_document, seed + 1)
    expected = torch.tensor([[by_loop(queries, documents, q, d) for d in range(4)] for q in range(3)])
    torch.testing.assert_close(all_scores(queries, documents), expected, rtol=1e-6, atol=1e-6)
    three = TermVectors(documents.ids[:3], documents.embeddings[:3])
    torch.testing.assert_close(pair_scores(queries, three), expected[:, :3].diagonal(), rtol=1e-6, atol=1e-6)


def test_a_pair_without_a_shared_term_scores_0_and_stays():
    embeddings = torch.ones(3, 2, WIDTH, requires_grad=True)
    queries = TermVectors(torch.tensor([[0, 1], [2, 3], [NO_TERM, NO_TERM]]), embeddings)
    documents = TermVectors(torch.tensor([[1, 0], [4, 5], [NO_TERM, NO_TERM]]), torch.ones(3, 2, WIDTH))
    found = pair_scores(queries, documents)
    assert found.tolist() == [2.0 * WIDTH, 0.0, 0.0]
    found.square().sum().backward()
    assert (embeddings.grad[0] != 0).all()
    assert (embeddings.grad[1:] == 0).all()


def test_attention_of_each_term_is_the_softmax_over_positions():
    generator = torch.Generator().manual_seed(3)
    logits, tokens = (torch.randn(2, 4, width, generator=generator).double() for width in (3, 5))
    mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]])
    found = attended(logits, tokens, mask)
    for text in range(2):
        n = int(mask[text].sum())
        for term in range(3):
            shares = logits[text, :n, term].exp() / logits[text, :n, term].exp().sum()
            torch.testing.assert_close(found[text, term], shares @ tokens[text, :n])
