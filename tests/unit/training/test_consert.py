import pytest
import tiny_training as tiny
import torch

from sentflow.errors import DataError
from sentflow.training.draws import Draws
from sentflow.training.losses.contrastive import nt_xent
from sentflow.training.losses.pairs import pair_features
from sentflow.training.modules import unscaled

STEP = Draws(1, ("step", 4))
NONE = {"name": "none"}
SHUFFLE = {"name": "shuffle"}
CUTOFF = {"name": "token-cutoff", "rate": 0.4}
FEATURES = {"name": "feature-cutoff", "rate": 0.3}
VALUES = {"name": "dropout", "rate": 0.3}
ADVERSARIAL = {"name": "adversarial", "norm": 1.0}


def made(tmp_path, *, kind: str = "bert", double: bool = False, **settings):
    return tiny.recipe(
        "consert", tiny.encoder(tmp_path, kind=kind, pooling="mean", double=double), **settings
    )


def loss_of(objective, rows, **how) -> torch.Tensor:
    return objective.loss(tiny.vectors(objective, objective.views(rows, STEP), **how), rows)


@pytest.mark.parametrize(
    ("settings", "rows", "n_views"),
    [
        ({"views": [FEATURES, SHUFFLE]}, tiny.TEXTS, 2),
        ({"views": [NONE, NONE]}, tiny.TEXTS, 2),
        ({"views": [NONE, NONE], "none_view": "shared"}, tiny.TEXTS, 1),
        ({"objective": "supervised"}, tiny.LABELLED, 2),
        ({"objective": "joint", "views": [NONE, CUTOFF]}, tiny.LABELLED, 6),
        ({"objective": "joint", "views": [NONE, CUTOFF], "none_view": "shared"}, tiny.LABELLED, 4),
        ({"objective": "joint", "views": [CUTOFF, SHUFFLE], "none_view": "shared"}, tiny.LABELLED, 6),
    ],
)
def test_every_pass_is_a_view_and_no_pass_is_computed_twice(tmp_path, settings, rows, n_views):
    objective = made(tmp_path, **settings)
    views = objective.views(rows, STEP)
    assert len(views) == n_views
    loss = objective.loss(tiny.vectors(objective, views), rows)
    loss.backward()
    without = {name for name, value in objective.named_parameters() if value.grad is None}
    assert all(".pooler." in name for name in without)


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


@pytest.mark.parametrize("pair_features_form", ["difference", "difference-and-square"])
def test_both_forms_of_the_supervised_term_train(tmp_path, pair_features_form):
    objective = made(tmp_path, objective="supervised", pair_features=pair_features_form)
    blocks = {"difference": 3, "difference-and-square": 4}[pair_features_form]
    assert objective.classifier.weight.shape == (3, 8 * blocks)
    loss_of(objective, tiny.LABELLED).backward()
    assert float(objective.classifier.weight.grad.abs().sum()) > 0


def test_a_view_without_change_differs_by_dropout_alone_or_is_shared(tmp_path):
    own, shared = (
        made(tmp_path, views=[NONE, NONE], none_view=none_view, dropout=None)
        for none_view in ("own", "shared")
    )
    first, second = tiny.vectors(own, own.views(tiny.TEXTS, STEP))
    assert not torch.equal(first, second)
    (only,) = tiny.vectors(shared, shared.views(tiny.TEXTS, STEP))
    expected = 0.15 * nt_xent(only, only, temperature=0.1)
    assert shared.loss([only], tiny.TEXTS).item() == pytest.approx(expected.item())


@pytest.mark.parametrize("kind", ["bert", "roberta"])
@pytest.mark.parametrize("view", [SHUFFLE, CUTOFF, FEATURES, VALUES], ids=lambda view: view["name"])
def test_vectors_of_parts_of_a_batch_are_those_of_the_whole(tmp_path, kind, view):
    objective = made(tmp_path, kind=kind, double=True, views=[view, NONE])
    views = objective.views(tiny.TEXTS if kind == "bert" else tiny.LETTERS, STEP)
    whole, parts = (tiny.vectors(objective, views, chunk=chunk) for chunk in (100, 1))
    for one, other in zip(whole, parts, strict=True):
        assert torch.allclose(one, other, rtol=0, atol=1e-12)
    assert not torch.allclose(whole[0], whole[1])  # the view changes something


def test_views_are_functions_of_seed_and_step(tmp_path):
    objective = made(tmp_path, views=[VALUES, SHUFFLE])
    first, again, later = (
        str(objective.views(tiny.TEXTS, draws)) for draws in (STEP, STEP, Draws(1, ("step", 5)))
    )
    assert first == again != later


def test_position_shuffle_changes_nothing_where_positions_have_no_vectors(tmp_path):
    objective = made(tmp_path, views=[SHUFFLE, NONE], double=True)
    with torch.no_grad():
        objective.encoder[0].auto_model.embeddings.position_embeddings.weight.zero_()
    shuffled, plain = tiny.vectors(objective, objective.views(tiny.TEXTS, STEP))
    assert torch.allclose(shuffled, plain, rtol=0, atol=1e-12)


# --- adversarial noise


def adversarial(tmp_path, **settings):
    return made(tmp_path, objective="joint", views=[ADVERSARIAL, NONE], none_view="shared", **settings)


def test_noise_follows_the_gradient_of_the_supervised_term(tmp_path):
    objective = adversarial(tmp_path, double=True)
    rows = tiny.LABELLED
    views = objective.views(rows, STEP)
    found = tiny.vectors(objective, views)[2:]
    # the whole batch at once, both sides, with the mean over pairs as loss
    embeddings = objective.encoder[0].auto_model.embeddings
    outputs = []
    handle = embeddings.register_forward_hook(
        lambda _module, _inputs, output: outputs.append(output.requires_grad_()) or outputs[-1]
    )
    u, v = (unscaled(objective.encoder, objective.padded(view)) for view in views[:2])
    handle.remove()
    objective.loss([u, v, u, v], rows)  # the classifier is used as in the loss
    logits = objective.classifier(pair_features(u, v, form="difference"))
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor([row["label"] for row in rows]))
    for side, gradient in enumerate(torch.autograd.grad(loss, outputs)):
        noise = gradient / (gradient.norm(dim=-1, keepdim=True) + 1e-10)
        handle = embeddings.register_forward_hook(
            lambda _module, _inputs, output, noise=noise: output + noise
        )
        expected = unscaled(objective.encoder, objective.padded(views[side]))
        handle.remove()
        # the added 1e-10 weighs more in a mean over pairs than in a sum
        assert torch.allclose(found[side], expected, rtol=0, atol=1e-6)


def test_noise_makes_the_supervised_term_greater_and_leaves_no_gradient_behind(tmp_path):
    objective = adversarial(tmp_path, double=True)
    rows = tiny.LABELLED
    vectors = tiny.vectors(objective, objective.views(rows, STEP))
    assert all(value.grad is None for value in objective.parameters())
    labels = torch.tensor([row["label"] for row in rows])
    plain, noisy = (
        torch.nn.functional.cross_entropy(
            objective.classifier(pair_features(*pair, form="difference")), labels
        )
        for pair in (vectors[:2], vectors[2:])
    )
    assert noisy > plain


def test_noise_of_parts_of_a_batch_is_that_of_the_whole_also_without_a_graph(tmp_path):
    objective = adversarial(tmp_path, double=True)
    views = objective.views(tiny.LABELLED, STEP)
    whole, parts = (tiny.vectors(objective, views, chunk=chunk) for chunk in (100, 1))
    with torch.no_grad():
        without = tiny.vectors(objective, views)
    for one, other, third in zip(whole, parts, without, strict=True):
        assert torch.allclose(one, other, rtol=0, atol=1e-10)
        assert torch.equal(one, third)


# --- data that do not fit


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (tiny.TEXTS, "has none"),
        ([{**tiny.LABELLED[0], "label": 3}], "has the label 3"),
        ([{**tiny.LABELLED[0], "label": -1}], "has the label -1"),
    ],
)
def test_labels_that_are_missing_or_outside_the_classes_are_told(tmp_path, rows, message):
    with pytest.raises(DataError, match=message):
        made(tmp_path, objective="joint").views(rows, STEP)
