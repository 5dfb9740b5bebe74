"""Rows of questions with negatives that a retriever found, and rows of corpora."""

import numpy as np
import pytest
from judged_questions import questions

from sentflow.retrieval.ranking import Ranked, Run
from sentflow.texts.corpora import Corpus
from sentflow.training.data.collect import collected_neighbours, collected_spans
from sentflow.training.data.mine import Mined, mine, pseudo_labelled
from sentflow.training.data.settings import MinedNegatives

TEXTS = {
    **{"a": "Licença de obra", "a copy": "licença  DE obra.", "b": "Alvará de feira"},
    **{"c": "Taxa de lixo", "d": "Multa de trânsito", "e": "Horário do parque", "none": ""},
}
CORPUS = Corpus("laws", "raw", "pt", list(TEXTS), ["Art. 1", "art 1"] + [""] * 5, list(TEXTS.values()))
IDS = list(TEXTS)


def asked_of(judged):
    texts = [f"Text of {name}?" for name in judged]
    return questions(judged, name="asked", corpus="laws", least=2, texts=texts)


def run(**found):
    """Question → documents from the best on, with scores 10, 9, 8, …"""
    return Run(
        IDS,
        {
            name: Ranked(np.array([IDS.index(one) for one in documents]), 10.0 - np.arange(len(documents)))
            for name, documents in found.items()
        },
    )


def mined(asked, ran, form="triplets", **settings):
    found = Mined()
    mine(asked, CORPUS, ran, MinedNegatives(**{"number": "all", **settings}), form, found)
    return found


def outcomes(found):
    return {one.document: one.outcome for one in found.looked_at}


ASKED = asked_of({"q": {"a": 2, "d": 1, "e": 0}})
FOUND = run(q=["b", "a copy", "a", "d", "c", "e"])


def test_no_negative_is_relevant_or_partly_relevant_or_a_copy():
    found = mined(ASKED, FOUND)
    assert [row[-1] for row in found.rows] == [TEXTS["b"], TEXTS["c"], TEXTS["e"]]
    assert outcomes(found) == {
        "b": "taken", "a copy": "copy of a relevant document", "a": "relevant", "d": "partly relevant", "c": "taken",
        "e": "taken",
    }  # fmt: skip


@pytest.mark.parametrize(("margin", "taken"), [(None, ["b", "c", "e"]), (0.0, ["c", "e"]), (0.3, ["e"])])
def test_a_margin_is_counted_from_the_score_of_the_relevant_document(margin, taken):
    # a has the score 8: with a margin of .3, at most 5.6, which is below the 6 of c
    found = mined(ASKED, FOUND, margin=margin)
    assert [name for name, outcome in outcomes(found).items() if outcome == "taken"] == taken


def test_drawn_negatives_are_a_function_of_the_seed_and_the_first_ones_of_nothing():
    several = [[row[-1] for row in mined(ASKED, FOUND, number=1, seed=seed).rows] for seed in range(20)]
    assert several == [
        [row[-1] for row in mined(ASKED, FOUND, number=1, seed=seed).rows] for seed in range(20)
    ]
    assert len({name for (name,) in several}) == 3
    assert [row[-1] for row in mined(ASKED, FOUND, number=1, choice="first").rows] == [TEXTS["b"]]
    assert outcomes(mined(ASKED, FOUND, number=1, choice="first"))["c"] == "not chosen"


def test_copies_of_held_out_documents_are_held_out_and_empty_documents_are_no_negatives():
    asked = asked_of({"q": {"a": 2, "b": 2}})
    found = Mined()
    ran = run(q=["none", "c"])
    mine(asked, CORPUS, ran, MinedNegatives(number="all"), "triplets", found, {"a copy"})
    assert [row[2:] for row in found.rows] == [(TEXTS["b"], TEXTS["c"])]
    assert found.counts["held_out_relevant"] == 1
    assert outcomes(found)["none"] == "without text"


def test_a_margin_of_scores_below_zero_lies_below_them():
    ran = Run(IDS, {"q": Ranked(np.array([2, 0, 3, 4]), np.array([-2.0, -2.05, -2.1, -3.0]))})
    found = mined(asked_of({"q": {"a": 2}}), ran, margin=0.05)
    assert [name for name, outcome in outcomes(found).items() if outcome == "taken"] == ["d"]


def test_a_first_document_well_before_the_second_counts_as_relevant():
    asked = asked_of({"q": {"a": 2}, "r": {"c": 2}, "s": {"c": 2}})
    labels = Run(
        IDS,
        {
            "q": Ranked(np.array([2, 3]), np.array([5.0, 3.0])),
            "r": Ranked(np.array([3, 2]), np.array([5.0, 3.5])),
            "s": Ranked(np.array([4]), np.array([9.0])),
        },
    )
    found = pseudo_labelled(asked, labels, 2.0)
    assert found.by_question() == {"q": {"b": 2}, "r": {}, "s": {}}
    rows = Mined()
    mine(found, CORPUS, run(q=["b", "a", "c"]), MinedNegatives(number="all"), "triplets", rows)
    assert [row[1:] for row in rows.rows] == [
        ("Text of q?", TEXTS["b"], CORPUS.whole_texts()[0]),
        ("Text of q?", TEXTS["b"], TEXTS["c"]),
    ]
    assert rows.counts["without_relevant"] == 2


def test_the_estimate_is_the_share_of_judged_documents_within_the_ranks_per_passing_document():
    asked = asked_of({"q": {"a": 2}, "r": {"c": 2}})
    facts = mined(asked, run(q=["b", "a", "d"], r=["b", "d", "e"]), number=1, choice="first").facts()
    assert facts["relevant_in_ranks"] == 1
    assert facts["looked_at"] == {"not chosen": 3, "relevant": 1, "taken": 2}
    # one of two relevant documents was found, and five documents passed in two searches
    assert facts["false_negatives_per_unjudged"] == pytest.approx(0.5 * 2 / 5)
    assert facts["mean_rank"] == 1.0


def test_neighbours_may_be_passages_of_one_document():
    """The title is in none; what is left at the end counts with half a passage."""
    texts = ["a b c\nd e f g h", "one two three four", "i j k l m", "1 2 3 4 5 6"]
    corpus = Corpus("cases", "raw", "en", ["x", "y", "z", "x again"], ["Title"] * 4, texts)
    rows = collected_neighbours([corpus], words=4)
    assert rows.names == ["cases x", "cases x again"]
    assert rows.columns == {"text": ["a b c\nd", "1 2 3 4"], "other": ["e f g h", "5 6"]}


@pytest.mark.parametrize(
    ("split", "spans"),
    [
        (None, ["Art. 2", "The following:", "1. a thing", "of two lines", "11. 1. another"]),
        (r"\n(?=\d+\. )", ["Art. 2", "The following:", "1. a thing of two lines", "11. 1. another"]),
        (r"\n(\d+)\. ", ["Art. 2", "The following:", "a thing of two lines", "1. another"]),
    ],
)
def test_spans_are_the_title_and_the_parts_between_what_matches(split, spans):
    text = "The following:\n1. a thing\n  of two lines\n11. 1. another\n"
    corpus = Corpus("laws", "raw", "en", ["x"], ["Art. 2"], [text])
    assert collected_spans([corpus], split).columns["text"] == ["\n".join(spans)]


def test_scored_rows_have_the_scores_of_the_retriever(tmp_path):
    asked = asked_of({"q": {"a": 2}, "r": {"c": 2}})
    found = mined(asked, run(q=["b", "a", "e"], r=["d", "b"]), form="scored")
    # the relevant document of r was not found, so that nobody can say its score
    assert found.rows == [
        ("asked q", "Text of q?", CORPUS.whole_texts()[0], TEXTS[other], "9.0", score)
        for other, score in (("b", "10.0"), ("e", "8.0"))
    ]
    assert found.counts["without_score"] == 1
    assert list(found.as_rows("scored").columns) == ["text", "other", "negative", "score", "negative_score"]
