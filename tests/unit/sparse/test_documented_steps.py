"""What stands in the steps of the replication's README: scores, losses and batches of rows."""

import pytest
import torch

from sentflow.errors import ConfigError, DataError
from sentflow.sparse import losses, utils

ROWS = [
    # Query, document, label
    ("lei", "lei ação projeto", 1),
    ("lei", "saúde não projeto", 0),
    ("saúde", "lei ação projeto", 0),
    ("saúde", "saúde não :", 1),
]


def test_scores_are_a_sum_or_a_mean_and_0_without_a_shared_term():
    ids = torch.tensor([[3, 7], [3, 7]]), torch.tensor([[7, 9, 3], [1, 2, -1]])
    embeddings = (
        torch.tensor([[[1.0, 2.0], [0.0, 1.0]]] * 2),
        torch.tensor([[[4.0, 5.0], [6.0, 6.0], [2.0, 1.0]]] * 2),
    )
    sides = ids[0], embeddings[0], ids[1], embeddings[1]
    assert utils.scores(*sides, func=torch.sum).tolist() == [9.0, 0.0]
    assert utils.scores(*sides).tolist() == [9.0 / 4, 0.0]  # two terms of width 2
    with pytest.raises(ConfigError, match="torch.sum or torch.mean"):
        utils.scores(*sides, func=torch.max)


def test_cosine_by_hand():
    loss = losses.Cosine()
    scores, labels = torch.tensor([0.5, 0.5]), torch.tensor([1, 0])
    assert loss.dense(scores, labels).item() == pytest.approx(0.25)
    assert loss.dense(scores, labels, weights=torch.tensor([2.0, 0.0])).item() == pytest.approx(0.25)
    queries = torch.tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
    value = loss.sparse(queries, torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.tensor([1.0, 1.0]))
    assert value.item() == pytest.approx((0.4**2 + 1) / 2)  # cosines 3/5 and 0
    value.backward()
    assert torch.isfinite(queries.grad).all()


def test_every_row_comes_once_per_epoch():
    batches = list(utils.iter(ROWS, epochs=2, batch_size=3))
    assert [len(batch[0]) for batch in batches] == [3, 1] * 2
    for epoch in (batches[:2], batches[2:]):
        rows = [row for *texts, labels in epoch for row in zip(*texts, labels.tolist(), strict=True)]
        assert sorted(rows) == sorted(ROWS)


def test_the_order_is_that_of_the_seed_and_rows_stay_as_they_are():
    rows = [(f"q{place}", "d", "n") for place in range(20)]
    before = list(rows)
    first, again, other = ([batch[0] for batch in utils.iter(rows, seed=seed)] for seed in (0, 0, 1))
    assert first == again != other
    assert rows == before


def test_rows_are_of_one_form():
    with pytest.raises(DataError, match=r"row 1 is \('a', 'b', 1\)"):
        next(utils.iter([("a", "b", "c"), ("a", "b", 1)]))
