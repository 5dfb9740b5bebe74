"""Rerankers: the rule of the order, and a cross-encoder with random weights beside the library's own loop."""

import numpy as np
import pytest
from tiny_bert import save_tiny_cross_encoder

from sentflow.encoders.fetch import fetch_model
from sentflow.encoders.kind import Context, load_encoder
from sentflow.retrieval.ranking import Ranked
from sentflow.retrieval.retrievers.rerank import reranked

FIRST = ["lei", "ação projeto lei não", "saúde não", "lei", "projeto", "não"]
SECOND = ["projeto lei", "saúde", "ação " * 40, "ação " * 29, "lei", ""]


def run_of(rows, scores, tied=0):
    return Ranked(np.array(rows, dtype=np.int64), np.array(scores, dtype=float), tied)


def by_length(questions, texts):
    return np.array(
        [len(text) - len(question) for question, text in zip(questions, texts, strict=True)], np.float32
    )


def test_the_first_documents_are_ordered_anew_and_the_others_keep_their_order():
    documents = [["a"], ["bbb"], ["cc"], ["dddddd"], ["eeeee"]]
    [found] = reranked([run_of([2, 0, 1, 4, 3], [9, 8, 7, 5, 5], 2)], ["?"], documents, by_length, 3)
    assert found.rows.tolist() == [1, 2, 0, 4, 3]
    assert found.scores.tolist() == [2, 1, 0, -1, -1]  # what was tied is tied
    assert found.tied_at_cut == 2


def test_a_document_counts_by_its_best_passage_and_without_one_it_is_last():
    documents = [["a", "aaaa"], ["bbb", "b"], []]
    runs = [run_of([2, 1, 0], [3, 2, 1]), run_of([], []), run_of([1, 2], [2, 1])]
    found = list(reranked(runs, ["?", "??", "???"], documents, by_length, 10))
    assert [one.rows.tolist() for one in found] == [[0, 1, 2], [], [1, 2]]
    assert found[0].scores.tolist() == [3, 2, 2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny_cross_encoder(tmp_path_factory.mktemp("models") / "cross")


def manifest_of(folder, tmp_path, **entry):
    return fetch_model("m", {"kind": "cross-encoder", "source": {"folder": str(folder)}, **entry}, tmp_path)


def scorer(folder, tmp_path, settings=(), **context):
    context = Context(devices=("cpu",), **context)
    return load_encoder(manifest_of(folder, tmp_path), dict(settings), context)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"batch_tokens": 40}, {"max_tokens": 16}])
def test_scores_are_those_of_the_library_before_the_sigmoid(folder, tmp_path, settings):
    from sentence_transformers import CrossEncoder
    from torch.nn import Identity

    library = CrossEncoder(
        str(folder), device="cpu", activation_fn=Identity(), max_length=settings.get("max_tokens", 32)
    )
    expected = [
        float(library.predict([pair], show_progress_bar=False)[0]) for pair in zip(FIRST, SECOND, strict=True)
    ]
    found = scorer(folder, tmp_path, settings.items()).scores(FIRST, SECOND)
    assert found.dtype == np.float32
    # batches of other shapes are summed in another order
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert len(set(found.tolist())) > 4
