"""Two-stage search: against all scores, blocks, parts, what is kept per document, and what is refused."""

import numpy as np
import pytest
import torch
from masked_models import sparse_encoder

from sentflow.errors import ConfigError, DataError
from sentflow.sparse import Retriever
from sentflow.sparse.calibration import calibrate
from sentflow.sparse.term_vectors import TermVectors, all_scores

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
