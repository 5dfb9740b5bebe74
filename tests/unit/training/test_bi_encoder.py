"""The bi-encoder: its losses against sentence-transformers, and what counts as a false negative."""

import pytest
import torch
from sentence_transformers.sentence_transformer.losses import ContrastiveLoss, MultipleNegativesRankingLoss

from sentflow.training.contract import false_negatives
from sentflow.training.recipes.bi_encoder import contrastive_loss, ranking_loss

NONE = torch.zeros((5, 10), dtype=torch.bool)


@pytest.fixture
def batch():
    torch.manual_seed(0)
    return torch.randn(3, 5, 8, dtype=torch.float64)


@pytest.mark.parametrize("n_columns", [1, 2])
def test_without_false_negatives_the_loss_is_that_of_sentence_transformers(batch, n_columns):
    questions, *documents = batch[: 1 + n_columns]
    theirs = MultipleNegativesRankingLoss(model=None, scale=20.0)
    expected = theirs.compute_loss_from_embeddings([questions, *documents], None)
    ours = ranking_loss(questions, documents, NONE[:, : 5 * n_columns], scale=20.0)
    torch.testing.assert_close(ours, expected, rtol=1e-12, atol=0)


def test_a_false_negative_has_no_part_in_the_loss(batch):
    questions, *documents = batch
    marked = NONE.clone()
    marked[0, 3] = marked[2, 6] = True
    cosines = torch.nn.functional.cosine_similarity(questions[:, None], torch.cat(documents)[None], dim=2)
    of_rows = [
        torch.logsumexp(20 * cosines[row][~marked[row]], 0) - 20 * cosines[row, row] for row in range(5)
    ]
    found = ranking_loss(questions, documents, marked, scale=20.0)
    torch.testing.assert_close(found, torch.stack(of_rows).mean(), rtol=1e-12, atol=0)


def test_documents_of_the_same_question_and_copies_are_false_negatives():
    questions = ["q", "q", "r"]
    relevant, negatives = ["a", "b", "a"], ["c", "a", "b"]
    found = false_negatives(questions, [relevant, negatives]).tolist()
    assert found == [
        [False, True, True, False, True, True],  # q: b is its other document, a stands there twice more
        [True, False, True, False, True, True],
        [True, False, False, False, True, False],  # r: a alone
    ]


def test_the_contrastive_loss_is_that_of_sentence_transformers(batch):
    labels = torch.tensor([1, 0, 0, 1, 0])

    class Given(torch.nn.Module):
        def forward(self, features):
            return {"sentence_embedding": features["vectors"]}

    theirs = ContrastiveLoss(Given(), margin=0.5)
    expected = theirs([{"vectors": batch[0]}, {"vectors": batch[1]}], labels)
    ours = contrastive_loss(batch[0], batch[1], labels, margin=0.5)
    torch.testing.assert_close(ours, expected, rtol=1e-12, atol=0)
