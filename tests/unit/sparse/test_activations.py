"""Weights of terms: against a double loop, sentence-transformers, padding, chunks; and pruning in training."""

import math

import pytest
import torch

from sentflow.sparse.weigher import (
    MAX,
    NO_TERM,
    POOLINGS,
    pooled_weights,
    top_terms,
)

SHAPE = 4, 5, 9  # texts, positions, terms
MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 0, 0, 0, 0], [1, 1, 0, 0, 0]])


def splade_weights(logits: torch.Tensor, mask: torch.Tensor, **how) -> torch.Tensor:
    return pooled_weights(lambda chunk: chunk, logits, mask, **how)


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def by_loop(logits: torch.Tensor, mask: torch.Tensor, pooling: str) -> torch.Tensor:
    found = torch.zeros(logits.shape[0], logits.shape[2], dtype=logits.dtype)
    for text in range(logits.shape[0]):
        for term in range(logits.shape[2]):
            values = [
                math.log(1 + max(0.0, float(logits[text, place, term])))
                for place in range(logits.shape[1])
                if mask[text, place]
            ]
            found[text, term] = max(values) if pooling == MAX else sum(values)
    return found


@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("chunk_size", [None, 2])
def test_weights_are_those_of_a_loop_in_chunks_of_any_size(pooling, chunk_size):
    logits = drawn(*SHAPE)
    found = splade_weights(logits, MASK, pooling=pooling, chunk_size=chunk_size)
    torch.testing.assert_close(found, by_loop(logits, MASK, pooling), rtol=0, atol=1e-12)


@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("chunk_size", [None, 2])
def test_padding_never_enters_not_even_as_nan(pooling, chunk_size):
    logits = drawn(*SHAPE)
    spoiled = logits.masked_fill(MASK[:, :, None] == 0, torch.nan).requires_grad_()
    found = splade_weights(spoiled, MASK, pooling=pooling, chunk_size=chunk_size)
    torch.testing.assert_close(found, splade_weights(logits, MASK, pooling=pooling))
    found.sum().backward()
    assert torch.isfinite(spoiled.grad).all()
    assert (spoiled.grad[MASK == 0] == 0).all()


@pytest.mark.parametrize("pooling", POOLINGS)
def test_chunks_have_the_gradients_of_the_whole(pooling):
    tokens, matrix = drawn(4, 5, 3), drawn(3, 9, seed=2)
    gradients = []
    for chunk_size in (None, 2):
        leaf = tokens.clone().requires_grad_()
        found = pooled_weights(
            lambda chunk: chunk @ matrix, leaf, MASK, pooling=pooling, chunk_size=chunk_size
        )
        found.square().sum().backward()
        gradients.append(leaf.grad)
    torch.testing.assert_close(*gradients, rtol=0, atol=1e-12)


@pytest.mark.parametrize("chunk_size", [None, 1])
def test_a_nan_of_a_real_position_stays(chunk_size):
    logits = drawn(1, 3, 3)
    logits[0, 1, 2] = torch.nan
    found = splade_weights(logits, torch.ones(1, 3), chunk_size=chunk_size)
    assert found.isnan().tolist() == [[False, False, True]]


@pytest.mark.parametrize("chunk_size", [None, 1])
def test_of_equal_logits_one_position_has_the_gradient(chunk_size):
    logits = torch.ones(1, 4, 1, requires_grad=True)
    splade_weights(logits, torch.ones(1, 4), chunk_size=chunk_size).sum().backward()
    assert logits.grad.flatten().tolist() == [0.5, 0, 0, 0]  # 1 / (1 + 1)


def test_the_greatest_terms_are_kept_and_ties_go_to_the_lower_id():
    weights = torch.tensor([[0.5, 2.0, 0.5, 0.0, 1.0]])
    found = top_terms(weights, 3)
    assert found.ids.tolist() == [[1, 4, 0]]
    assert found.weights.tolist() == [[2.0, 1.0, 0.5]]
    assert found.dense(5).tolist() == [[0.5, 2.0, 0.0, 0.0, 1.0]]


@pytest.mark.parametrize("k", [3, 99])
def test_terms_of_weight_0_never_fill_the_places(k):
    weights = torch.tensor([[0.0, 2.0, 0.0, 1.0, 0.0], [0.0] * 5])
    found = top_terms(weights, k)
    n_places = min(k, 5)
    assert found.ids.tolist() == [[1, 3] + [NO_TERM] * (n_places - 2), [NO_TERM] * n_places]
    assert found.active.sum(dim=1).tolist() == [2, 0]
    assert found.dense(5).tolist() == weights.tolist()
