import pytest
import tiny_training as tiny
import torch

from sentflow.training.draws import Draws
from sentflow.training.recipes.consert import nt_xent, pair_features

STEP = Draws(1, ("step", 4))
NONE = {"name": "none"}
SHUFFLE = {"name": "shuffle"}
CUTOFF = {"name": "token-cutoff", "rate": 0.4}
FEATURES = {"name": "feature-cutoff", "rate": 0.3}


def made(tmp_path, *, double: bool = False, **settings):
    return tiny.recipe("consert", tiny.encoder(tmp_path, pooling="mean", double=double), **settings)


def test_the_unsupervised_loss_is_the_weighted_nt_xent_of_both_views_in_any_order(tmp_path):
    there, back = ([FEATURES, SHUFFLE], [SHUFFLE, FEATURES])
    objective = made(tmp_path, views=there, double=True)
    views = objective.views(tiny.TEXTS, STEP)
    a, b = tiny.vectors(objective, views)
    assert objective.loss([a, b], tiny.TEXTS).item() == pytest.approx(
        0.15 * nt_xent(a, b, temperature=0.1).item()
    )
    turned = made(tmp_path, views=back, double=True)
    other = turned.loss(tiny.vectors(turned, views[::-1]), tiny.TEXTS)
    assert other.item() == pytest.approx(objective.loss([a, b], tiny.TEXTS).item())


def test_the_joint_loss_adds_the_contrastive_terms_of_both_sides(tmp_path):
    objective = made(tmp_path, objective="joint", views=[NONE, CUTOFF], double=True)
    rows = tiny.LABELLED
    u, v, u_a, v_a, u_b, v_b = tiny.vectors(objective, objective.views(rows, STEP))
    logits = objective.classifier(pair_features(u, v, form="difference"))
    supervised = torch.nn.functional.cross_entropy(logits, torch.tensor([row["label"] for row in rows]))
    contrastive = nt_xent(u_a, u_b, temperature=0.1) + nt_xent(v_a, v_b, temperature=0.1)
    found = objective.loss([u, v, u_a, v_a, u_b, v_b], rows)
    assert found.item() == pytest.approx((supervised + 0.15 * contrastive).item())
    assert torch.equal(u, u_a)  # without dropout a pass of its own gives the same
    assert not torch.allclose(u, u_b)
