"""Two-stage search: against all scores, blocks, parts, what is kept per document, and what is refused."""

import numpy as np
import pytest
import torch
from masked_models import sparse_encoder

from sentflow.errors import ConfigError, DataError
from sentflow.sparse import Retriever, losses, utils
from sentflow.sparse.calibration import calibrate
from sentflow.sparse.model import TermVectors, all_scores

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


def test_errors_leave_the_retriever_as_it_was(encoder):
    retriever = filled(encoder)
    with pytest.raises(DataError, match="id 'd3' is that of two documents"):
        retriever.add([{"id": "new", "text": "lei"}, DOCUMENTS[3]], k_token=4)
    with pytest.raises(DataError, match="2 documents have no token, first 'y', 'z'"):
        retriever.add([{"id": "y", "text": ""}, {"id": "z", "text": " "}], k_token=4)
    with pytest.raises(DataError, match="document 0 has no 'text'. It has: 'id', 'title'"):
        retriever.add([{"id": "w", "title": "lei"}], k_token=4)
    with pytest.raises(ConfigError, match="k_token is 5, and the documents before were added with 4"):
        retriever.add([{"id": "v", "text": "lei"}], k_token=5)
    assert len(retriever) == len(DOCUMENTS)
    assert len(retriever.add([{"id": "new", "text": "lei"}], k_token=4)) == len(DOCUMENTS) + 1


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
    with pytest.raises(DataError, match=r"row 0 is \(\)"):
        next(utils.iter([()]))
