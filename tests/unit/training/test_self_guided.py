"""The four losses of SG-BERT: what is compared, and how much."""

import pytest
import torch
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

from sentflow.training.recipes.sg_bert import BASE, OPT1, OPT2, OPT3, contrast, self_guided

B, LAYERS, WIDTH = 5, 4, 8


def vectors(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize(
    ("form", "layers", "anchors", "positives", "negatives"),
    [
        (BASE, 1, 2 * B, 1, 2 * B - 2),
        (OPT1, 1, B, 1, 2 * (B - 1)),
        (OPT2, 1, B, 1, B - 1),
        (OPT3, LAYERS, B, LAYERS, (B - 1) * LAYERS),
    ],
)
def test_each_anchor_has_the_positives_and_negatives_of_its_form(form, layers, anchors, positives, negatives):
    found = contrast(form, B, layers)
    assert found.positive.sum(1).tolist() == [positives] * anchors
    assert found.negative.sum(1).tolist() == [negatives] * anchors
    assert not (found.positive & found.negative).any()


def test_the_released_opt2_loses_the_first_negative_of_each_anchor():
    whole, lost = contrast(OPT2, B, 1).negative, contrast(OPT2, B, 1, first_is_lost=True).negative
    assert lost.sum(1).tolist() == [B - 2] * B
    assert (whole & ~lost).nonzero().tolist() == [[0, 1], *([anchor, 0] for anchor in range(1, B))]


@pytest.mark.parametrize(
    ("form", "directions", "both_ways"),
    [
        (OPT2, ("query_to_doc",), False),
        (OPT1, ("query_to_doc", "query_to_query"), False),
        (BASE, ("query_to_doc", "query_to_query"), True),
    ],
)
def test_forms_with_one_layer_are_those_of_sentence_transformers(form, directions, both_ways):
    c, h = vectors(B, WIDTH), vectors(B, WIDTH, seed=1)
    theirs = MultipleNegativesRankingLoss(model=None, scale=10.0, directions=directions)
    expected = theirs.compute_loss_from_embeddings([c, h], None)
    if both_ways:
        expected = (expected + theirs.compute_loss_from_embeddings([h, c], None)) / 2
    found = self_guided(c, h, contrast(form, B, 1), temperature=0.1)
    assert found.item() == pytest.approx(expected.item(), rel=1e-10)


def test_opt3_is_its_formula():
    c, h = vectors(B, WIDTH), vectors(B, LAYERS, WIDTH, seed=1)

    def phi(i, m, n):
        return torch.exp(torch.cosine_similarity(c[i], h[m, n], dim=0) / 0.5)

    terms = [
        -torch.log(
            phi(i, i, k)
            / (phi(i, i, k) + sum(phi(i, m, n) for m in range(B) if m != i for n in range(LAYERS)))
        )
        for i in range(B)
        for k in range(LAYERS)
    ]
    found = self_guided(c, h.flatten(0, 1), contrast(OPT3, B, LAYERS), temperature=0.5)
    assert found.item() == pytest.approx((sum(terms) / (B * LAYERS)).item(), rel=1e-12)


@pytest.mark.parametrize("form", [BASE, OPT3])
def test_logits_of_a_hundred_do_not_overflow(form):
    u = vectors(1, WIDTH).float()
    c, h = torch.cat([u, -u]).requires_grad_(), torch.cat([-u, u])  # positives opposite, a negative equal
    found = self_guided(c, h, contrast(form, 2, 1), temperature=0.01)
    found.backward()
    assert found.item() == pytest.approx(200, rel=1e-5)  # ln(1 + e^100 / e^-100)
    assert torch.isfinite(c.grad).all()
