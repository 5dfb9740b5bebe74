"""Gradients from chunks are those of the whole batch, with dropout on."""

import itertools

import pytest
import torch
from trainable import ROWS, trainable_encoder
from two_views import DRAWS, FrozenGuide, TwoViews

from sentflow.training.cache import chunks_by_length, gradients


class OtherSeeds(TwoViews):
    """Draws other dropout each time that it represents."""

    def __init__(self, encoder):
        super().__init__(encoder)
        self.calls = itertools.count()

    def represent(self, examples, view):
        torch.manual_seed(next(self.calls))
        return super().represent(examples, view)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bert")


def by_length(examples):
    return chunks_by_length(examples, 12)


def gradient(objective, **how):
    """The gradient of all parameters as one vector, and the loss."""
    objective.train().zero_grad()
    how = {"chunks": by_length, "cached": False, **how}
    loss = gradients(objective, ROWS, DRAWS, **how).loss
    parts = [p.grad.flatten() for p in objective.parameters() if p.grad is not None]
    return torch.cat(parts).clone(), loss


def relative_difference(one, other):
    return ((one - other).norm() / other.norm()).item()


@pytest.mark.parametrize("kind", [TwoViews, FrozenGuide])
def test_a_cache_changes_no_gradient(folder, kind):
    objective = kind(trainable_encoder(folder, double=True))
    assert len(by_length(objective.views(ROWS, DRAWS)[0])) == 3
    whole, loss = gradient(objective)
    cached, its_loss = gradient(objective, cached=True)
    assert its_loss == pytest.approx(loss, rel=1e-12)
    assert relative_difference(cached, whole) < 1e-12


def test_a_cache_with_other_dropout_the_second_time_is_found_out(folder):
    objective = OtherSeeds(trainable_encoder(folder, double=True))
    whole, _ = gradient(objective)
    objective.calls = itertools.count()
    again, _ = gradient(objective)
    objective.calls = itertools.count()
    cached, _ = gradient(objective, cached=True)
    assert relative_difference(again, whole) < 1e-12
    assert relative_difference(cached, whole) > 0.01


def test_without_dropout_chunks_change_no_gradient(folder):
    objective = TwoViews(trainable_encoder(folder, double=True))
    for module in objective.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
        if hasattr(module, "dropout_prob"):
            module.dropout_prob = 0.0
    objective.encoder[0].auto_model.config.attention_probs_dropout_prob = 0.0
    whole, _ = gradient(objective, chunks=lambda examples: [list(range(len(examples)))])
    chunked, _ = gradient(objective, cached=True)
    assert relative_difference(chunked, whole) < 1e-12


def test_gradients_of_steps_are_added_and_scaled(folder):
    objective = TwoViews(trainable_encoder(folder, double=True))
    once, loss = gradient(objective)
    objective.zero_grad()
    for _ in range(2):
        half = gradients(objective, ROWS, DRAWS, chunks=by_length, cached=True, scale=0.5)
        assert half.loss == pytest.approx(loss)
    twice_half = torch.cat([p.grad.flatten() for p in objective.parameters() if p.grad is not None])
    assert relative_difference(twice_half, once) < 1e-12


def test_tokens_are_counted_without_padding(folder):
    objective = TwoViews(trainable_encoder(folder, double=True))
    texts = [objective.tokens(row["text"]) for row in ROWS]
    found = gradients(objective, ROWS, DRAWS, chunks=by_length, cached=True)
    assert found.tokens == 2 * sum(len(ids) for ids in texts)


def test_frozen_views_are_represented_once(folder):
    objective = FrozenGuide(trainable_encoder(folder, double=True))
    represented = []
    original = objective.represent
    objective.represent = lambda examples, view: represented.append(view) or original(examples, view)
    gradient(objective, cached=True)
    assert (represented.count(0), represented.count(1)) == (6, 3)
    assert all(weight.grad is None for weight in objective.guide.parameters())


def test_half_precision_reaches_the_loss_as_single(folder):
    seen = []

    class Watched(TwoViews):
        def loss(self, views, rows):
            seen.extend(view.dtype for view in views)
            return super().loss(views, rows)

    def autocast():
        return torch.autocast("cpu", torch.bfloat16)

    objective = Watched(trainable_encoder(folder)).float()
    whole, _ = gradient(objective, autocast=autocast)
    cached, _ = gradient(objective, cached=True, autocast=autocast)
    assert set(seen) == {torch.float32}
    # bfloat16 keeps 8 bits; a lost gradient would be far off
    assert relative_difference(cached, whole) < 1e-2


@pytest.mark.parametrize(
    ("lengths", "limit", "expected"),
    [
        ([3, 9, 3, 5], 12, [[1], [3, 0], [2]]),  # 9 · 2 and 5 · 3 are above 12
        ([3, 9, 3, 5], 18, [[1, 3], [0, 2]]),
        ([40, 2], 10, [[0], [1]]),  # longer than a chunk may be
        ([2, 2, 2], 100, [[0, 1, 2]]),
        ([], 10, []),
    ],
)
def test_chunks_hold_texts_of_similar_length(lengths, limit, expected):
    assert chunks_by_length([{"input_ids": [1] * n} for n in lengths], limit) == expected
