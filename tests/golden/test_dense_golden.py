"""MiniLM as it is on German court decisions of 19,000 characters: cut off after 256 tokens, and by passages.

MTEB states nDCG@10 .1181 for all-MiniLM-L6-v2 on LegalQuAD (embeddings-benchmark/results@f4cc6c8b), which reads the
first 256 tokens of a decision; tolerance .01, because its preparation of texts is another. Passages, of which there
are 9,347, must find more than that; they take ten CPU minutes to embed.
"""

import numpy as np
import pytest
from mirror_questions import mirror_corpus, mirror_questions

from sentflow.retrieval.dense import Vectors, search
from sentflow.retrieval.evaluation import evaluate
from sentflow.retrieval.ranking import Run
from sentflow.texts.split_passages import PassageSettings, split_corpus

pytestmark = [pytest.mark.mirror, pytest.mark.slow]

MTEB = 0.1181
TOLERANCE = 0.01


@pytest.fixture(scope="module")
def ndcg(mirror, minilm):
    """Function of texts and the document of each → nDCG@10 of their vectors."""
    questions, corpus = mirror_questions("legalquad", mirror), mirror_corpus("legalquad", mirror)
    asked = minilm.embed(questions.texts)

    def measured(texts, documents):
        found = search(asked, Vectors(minilm.embed(texts), documents), 100)
        run = Run(corpus.ids, dict(zip(questions.ids, found, strict=True)))
        return float(evaluate(run, questions, corpus, ["nDCG@10"]).values["nDCG@10"].mean())

    return measured


def test_documents_that_are_cut_off_have_the_value_of_mteb(mirror, ndcg):
    texts = mirror_corpus("legalquad", mirror).whole_texts()
    assert ndcg(texts, np.arange(len(texts))) == pytest.approx(MTEB, abs=TOLERANCE)


def test_passages_of_200_tokens_are_read_whole_and_find_more(mirror, minilm, ndcg):
    settings = PassageSettings(tokens=200, overlap=50)
    found = split_corpus(mirror_corpus("legalquad", mirror), "p", settings, minilm.token_spans)
    assert ndcg(found.texts, found.documents) > MTEB + TOLERANCE
