"""Collections and runs as they should not be: each ends in a right result, or in an error that says what is wrong."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentflow.errors import DataError, SentflowError
from sentflow.retrieval.analysers import Analyser
from sentflow.retrieval.bm25 import VARIANTS, Bm25, Bm25Settings
from sentflow.retrieval.dense import Vectors, search
from sentflow.retrieval.evaluation import evaluate
from sentflow.retrieval.fusion import RULES, FusionSettings, fused
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.trec import read_trec_run
from sentflow.texts.corpora import Corpus, Questions
from sentflow.texts.corpus_settings import CorpusSettings
from sentflow.texts.prepare_corpus import prepare_corpus
from sentflow.texts.record_readers import FORMATS, RecordReader
from sentflow.texts.split_passages import PassageSettings, split_corpus

IDS = ["d1", "d2", "d3"]
QUESTIONS = Questions(
    "q", "c", "raw", "en", 1, ["q1", "q2"], ["one?", "two?"], ["", ""],
    np.array([0], dtype=np.int64), ["d1"], np.array([1], dtype=np.int64),
)  # fmt: skip


# --- runs of other engines ------------------------------------------------------------------------------------


def trec(tmp_path, content, depth=10):
    path = tmp_path / "run.trec"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return read_trec_run(path, QUESTIONS, IDS, depth)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "run.trec is no run of q: it is empty"),
        ("\n# nothing\n\n", "it is empty"),
        ("q1 Q0 d9 1 1.0 t", r"documents that c does not have: row 1 \(d9\)"),
        ("q7 Q0 d1 1 1.0 t", r"questions that q does not have: row 1 \(q7\)"),
        ("q1 Q0 d1 1 nan t", r"scores that are no finite numbers: row 1 \(nan\)"),
        ("q1 Q0 d1 1 -inf t", r"scores that are no finite numbers: row 1 \(-inf\)"),
        ("q1 Q0 d1 1 1e999 t", r"scores that are no finite numbers: row 1 \(1e999\)"),
        ("q1 Q0 d1 1 1.0 t\nq1 Q0 d1 2 0.5 t", r"occur twice for a question: row 2 \(d1 for q1\)"),
        ("q1 d1 1.0", "do not have the six fields"),
        (b"q1 Q0 d1 1 1.0 t\nq1 Q0 d\xff 2 1 t", r"run.trec: byte \d+ \(line 2\), 0xff, cannot be decoded as utf-8"),
    ],
)  # fmt: skip
def test_a_run_that_is_not_in_order_is_refused(tmp_path, content, said):
    with pytest.raises(DataError, match=said):
        trec(tmp_path, content)


def test_lines_of_a_run_may_be_in_any_order_and_ranks_are_not_believed(tmp_path):
    found = trec(tmp_path, "q2 Q0 d3 7 1 t\nq1 Q0 d1 1 0.1 t\nq2 Q0 d1 9 3 t\nq1 Q0 d2 1 0.2 t\n")
    assert {name: found.documents(name) for name in found.ranked} == {"q1": ["d2", "d1"], "q2": ["d1", "d3"]}


WORDS = st.sampled_from(["q1", "q2", "qx", "Q0", "d1", "d2", "dx", "1", "nan", "1e400", "\x00", "é", "#"])
ENDS = st.sampled_from([" ", "\t", "\n", ""])


@settings(max_examples=50)
@given(st.lists(st.tuples(WORDS, ENDS).map("".join), max_size=40))
def test_any_lines_end_in_a_run_or_in_one_paragraph(tmp_path_factory, words):
    try:
        found = trec(tmp_path_factory.mktemp("run"), "".join(words))
    except SentflowError as error:
        assert str(error).startswith("run.trec")
        assert "\n\n" not in str(error)
    else:
        assert set(found.ranked) <= {"q1", "q2"}
        assert all(np.isfinite(one.scores).all() for one in found.ranked.values())


# --- files of collections -------------------------------------------------------------------------------------

NEEDED = {"spaced": {"columns": ["id", "text"]}, "lines": {"pattern": r"(?P<id>\S+) (?P<text>.*)"}}


# Parquet and archives are no text, and XML names its own encoding.
@pytest.mark.parametrize(
    "format", [name for name in FORMATS if name not in ("parquet", "assin-xml", "conll-archive")]
)
def test_bytes_that_are_no_utf8_are_told_with_their_place(tmp_path, format):
    path = tmp_path / "file.txt"
    path.write_bytes(b"id,text\n1,caf\xe9\n")
    entry = {"format": format, "files": ["file.txt"], **NEEDED.get(format, {})}
    reader = RecordReader.from_settings(entry, where="corpora.c.documents.0")
    with pytest.raises(DataError, match=r"file.txt: byte 13 \(line 2\), 0xe9, cannot be decoded as utf-8"):
        reader.read({"file.txt": path}, ["id", "text"], where="corpora.c.documents.0")


def corpus_of_lines(tmp_path, *documents, **keys):
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in documents), encoding="utf-8")
    source = {"format": "jsonl", "files": [path.name], "id": "id", "text": "text"}
    entry = {"data_version": "raw", "language": "en", "documents": [source], **keys}
    return prepare_corpus("c", [path], CorpusSettings.from_settings(entry, corpus="c"))


def test_an_empty_corpus_and_one_without_any_text_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"corpus.jsonl"):
        corpus_of_lines(tmp_path)
    with pytest.raises(DataError, match="no document has a text"):
        corpus_of_lines(tmp_path, {"id": "a", "text": ""}, {"id": "b", "text": " "}, empty="keep")


# --- few documents, odd questions -------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("k", [1, 1000])
def test_bm25_of_one_document_and_more_asked_for_than_there_are(variant, k):
    index = Bm25([["lei", "de"]], Bm25Settings(variant=variant))
    known, unknown, none = index.search([["lei"], ["nada"], []], k)
    # where every document has a term, it has no weight in two of the variants
    found = [] if variant in ("robertson", "atire") else [0]
    assert (known.rows.tolist(), len(unknown), len(none)) == (found, 0, 0)
    assert np.isfinite(known.scores).all()


def test_a_question_of_stop_words_alone_finds_nothing_and_counts_as_zero():
    analyser = Analyser(stop_words=frozenset({"o", "que", "é"}))
    texts = ["a lei", "o prazo", "que multa"]
    found = list(Bm25(analyser.terms(texts), Bm25Settings()).search(analyser.terms(["O que é", "lei?"]), 10))
    assert [one.rows.tolist() for one in found] == [[], [0]]
    corpus = Corpus("c", "raw", "pt", IDS, [""] * 3, texts)
    result = evaluate(Run(IDS, {"q1": found[0]}), QUESTIONS, corpus, ["nDCG@10"])
    assert (result.values["nDCG@10"].tolist(), result.n_unanswered) == ([0], 1)


def test_a_corpus_whose_documents_have_no_terms_is_searched_and_nothing_is_found():
    found = list(Bm25([[], []], Bm25Settings()).search([["lei"], []], 5))
    assert [len(one) for one in found] == [0, 0]


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_vectors_of_one_document_and_more_asked_for_than_there_are(similarity):
    corpus = Vectors(np.array([[0.5, 0.5]], dtype=np.float32), np.array([0]))
    questions = np.array([[1, 0], [0, 0]], dtype=np.float32)
    found = list(search(questions, corpus, 1000, similarity=similarity))
    assert [one.rows.tolist() for one in found] == [[0], [0]]
    assert all(np.isfinite(one.scores).all() for one in found)


@pytest.mark.parametrize("rule", RULES)
def test_runs_of_different_depth_and_empty_ones_are_fused(rule):
    deep = Ranked(np.arange(5), np.arange(5, 0, -1).astype(float))
    flat = Ranked(np.array([3]), np.array([0.2]))
    empty = Ranked(np.zeros(0, dtype=np.int64), np.zeros(0))
    settings = FusionSettings(rule=rule, weights=(1.0, 1.0))
    both = fused([deep, flat], settings, 10)
    assert np.isfinite(both.scores).all()
    assert sorted(both.rows.tolist()) == ([3] if rule == "product" else [0, 1, 2, 3, 4])
    one = fused([deep, empty], settings, 10)
    assert one.rows.tolist() == ([] if rule == "product" else [0, 1, 2, 3, 4])
    assert len(fused([empty, empty], settings, 10)) == 0


# --- long documents -------------------------------------------------------------------------------------------------


def test_a_document_of_250_000_characters_is_indexed_and_cut_whole():
    words = [f"palavra{number % 997}" for number in range(250_000 // 11)]
    words[-1] = "agulha"
    text = " ".join(words)
    assert len(text) > 230_000
    long = Corpus("c", "raw", "pt", ["long", "short"], ["", ""], [text + " " * 20_000, "feno"])
    terms = Analyser().terms(long.whole_texts())
    [found] = Bm25(terms, Bm25Settings()).search([["agulha"]], 10)
    assert found.rows.tolist() == [0]
    passages = split_corpus(long, "p", PassageSettings(words=128, overlap=32))
    own = [text for text, row in zip(passages.texts, passages.documents, strict=True) if row == 0]
    assert len(own) == math.ceil((len(words) - 32) / 96)
    assert own[-1].endswith("agulha")
    assert {word for text in own for word in text.split()} == set(words)
    assert max(len(text) for text in own) < 128 * 12
