"""Empty questions and documents in `sentflow.retrieve`: they find nothing, are never found, and are counted once."""

import numpy as np
import pytest

import sentflow

DOCUMENTS = ["the court", "", ("", " "), "the law"]


def encode(texts):
    assert all(text.strip() for text in texts)
    return np.array([[text.count("law") + 0.1, text.count("court") + 0.1] for text in texts])


@pytest.mark.parametrize("retriever", ["bm25", encode, "random-order", {"kind": "bm25", "variant": "bm25+"}])
def test_empty_texts_find_nothing_and_are_never_found(retriever):
    with pytest.warns(UserWarning, match="^1 question and 2 documents without text") as told:
        found = sentflow.retrieve(["the law", "  ", "the court"], DOCUMENTS, retriever)
    assert len(told) == 1
    assert [set(found[place]) for place in range(3)] == [{"0", "3"}, set(), {"0", "3"}]
    if retriever != "random-order":
        assert [next(iter(found[place])) for place in (0, 2)] == ["3", "0"]


@pytest.mark.parametrize("retriever", ["bm25", encode, "random-order"])
def test_a_corpus_of_empty_documents_gives_empty_rankings(retriever):
    with pytest.warns(UserWarning, match="^2 documents without text"):
        found = sentflow.retrieve(["law"], ["", " "], retriever)
    assert dict(found) == {"0": {}}
    assert sentflow.evaluate_run(found, {"0": {"0": 1}})["RR@10"] == 0
