"""Addends of scores, beside the searches whose scores they add up to."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from sentflow.encoders.vectors.sparse import SPARSE_FORM
from sentflow.encoders.vectors.storage import text_order_sha256, write_tokens
from sentflow.encoders.vectors.terms import TERM_FORM, TermEmbeddings
from sentflow.errors import DataError
from sentflow.files.io import write_json
from sentflow.retrieval.bm25 import VARIANTS, Bm25, Bm25Settings
from sentflow.retrieval.contributions import Contribution, Explanation, of_terms, of_vectors, of_weights
from sentflow.retrieval.explaining_terms import explain_terms
from sentflow.retrieval.explaining_weights import explain_weights, files_by_shard
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.second_stage import TermCorpus, reordered
from sentflow.retrieval.shared_terms import Pair, best_ranked, explained_pairs
from sentflow.retrieval.sparse import Impacts, SparseVectors, search
from sentflow.retrieval.terms import count_terms, write_counts, write_terms
from sentflow.texts.collection import write_texts
from sentflow.texts.corpora import Corpus, Passages, Questions, write_corpus, write_passages
from sentflow.texts.shards import rows_of_shard, shards_of

TEXTS = ["a b b c", "b d", "c c c c d e", "f", "a a e", "", "b ç e"]
DOCUMENTS = [text.split() for text in TEXTS]
IDS = [f"d{row}" for row in range(len(TEXTS))]
ASKED = {"q1": "a b b", "q2": "e c zzz", "q3": "f d a ç"}
QUESTIONS = Questions(
    "q", "c", "raw", "en", 2, [*ASKED], [*ASKED.values()], [""] * 3,
    np.array([0, 0, 1]), ["d1", "d4", "d3"], np.array([1, 2, 2]),
)  # fmt: skip
EVERY_PAIR = [Pair(question, document) for question in ASKED for document in IDS]
TERMS = "abcdefç"


def named(found):
    return [one.term for one in found.shared]


# --- sums


def test_weights_are_multiplied_where_both_have_the_term():
    question = csr_array(np.array([[2, 0, 1, 0.5]], dtype=np.float32))
    document = csr_array(np.array([[0.25, 3, 1, 0]], dtype=np.float32))
    found = of_weights(question, document, "abcd".__getitem__)
    assert found.shared == (Contribution("c", 1, 1, 1), Contribution("a", 2, 0.25, 0.5))
    assert (found.score, found.rest) == (1.5, 0)
    assert [found.share(one.addend) for one in found.shared] == [pytest.approx(2 / 3), pytest.approx(1 / 3)]
    halved = of_weights(question, document, "abcd".__getitem__, step=0.5)
    assert (halved.score, halved.shared[1]) == (0.75, Contribution("a", 2, 0.125, 0.25))


def test_of_equal_addends_the_term_that_comes_first_stays_first():
    ones = csr_array(np.ones((1, 4), dtype=np.float32))
    assert named(of_weights(ones, ones, "badc".__getitem__)) == [*"badc"]


@pytest.mark.parametrize("bits", [None, 4])
def test_products_add_up_to_the_score_of_a_sparse_search(bits):
    rng = np.random.default_rng(3)
    questions, documents = (
        csr_array((rng.random((n, 30)) * (rng.random((n, 30)) < 0.2)).astype(np.float32)) for n in (10, 40)
    )
    impacts = Impacts.of(documents, bits) if bits else Impacts(documents, 1.0)
    corpus = SparseVectors(impacts.values, np.arange(40))
    n_found = 0
    for row, ranked in enumerate(search(questions, corpus, 40, step=impacts.step)):
        for document, score in zip(ranked.rows.tolist(), ranked.scores.tolist(), strict=True):
            held = impacts.values[document : document + 1]
            found = of_weights(questions[row : row + 1], held, str, step=impacts.step)
            assert found.score == pytest.approx(score, rel=1e-5)
            assert found.agrees_with(score)
            n_found += 1
    assert n_found > 100


def with_vectors(weights, vectors):
    weights = csr_array(np.array(weights, dtype=np.float32))
    return TermEmbeddings(weights, np.array(vectors, dtype=np.float16))


def test_vectors_are_multiplied_where_both_have_the_term():
    question = with_vectors([[2, 0, 1, 0.5]], [[1, 2], [0.5, -1], [9, 9]])
    document = with_vectors([[0.25, 3, 1, 0]], [[3, 0.5], [7, 7], [1, 2]])
    found = of_vectors(question, document, "abcd".__getitem__)
    # a: 1 · 3 + 2 · .5; c: .5 · 1 − 1 · 2
    assert found.shared == (Contribution("a", 2, 0.25, 4), Contribution("c", 1, 1, -1.5))
    assert (found.score, found.rest) == (2.5, 0)
    assert [found.share(one.addend) for one in found.shared] == [pytest.approx(1.6), pytest.approx(-0.6)]


def test_products_of_vectors_add_up_to_the_score_of_the_second_stage():
    rng = np.random.default_rng(4)

    def drawn(n):
        weights = rng.random((n, 30)) * (rng.random((n, 30)) < 0.2)
        return with_vectors(weights, rng.normal(size=(np.count_nonzero(weights), 3)))

    questions, documents = drawn(10), drawn(40)
    candidates = search(questions.weights, SparseVectors(documents.weights, np.arange(40)), 40)
    n_found = 0
    for row, ranked in enumerate(reordered(candidates, questions, TermCorpus(documents, np.arange(40)), 40)):
        for document, score in zip(ranked.rows.tolist(), ranked.scores.tolist(), strict=True):
            found = of_vectors(questions[row : row + 1], documents[document : document + 1], str)
            assert found.score == pytest.approx(score, rel=1e-5)
            assert found.agrees_with(score)
            n_found += any(one.addend < 0 for one in found.shared)
    assert n_found > 20


def test_terms_of_bm25_add_what_the_formula_says():
    # Lucene's variant: idf · tf / (tf + k1 (1 − b + b dl / avgdl)); 7 documents of 19 terms in all
    index = Bm25(DOCUMENTS, Bm25Settings(k1=0.9, b=0.4))
    found = of_terms(index, 0, ["a", "b", "b", "zzz", "d"], DOCUMENTS[0])
    norm = 0.9 * (1 - 0.4 + 0.4 * 4 / (19 / 7))
    idf = {"a": math.log(1 + 5.5 / 2.5), "b": math.log(1 + 4.5 / 3.5)}
    b, a = found.shared
    assert (b.term, b.in_question, b.in_document) == ("b", 2, 2)
    assert b.addend == pytest.approx(2 * idf["b"] * 2 / (2 + norm), rel=1e-6)
    assert (a.term, a.addend) == ("a", pytest.approx(idf["a"] / (1 + norm), rel=1e-6))
    assert found.rest == 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_terms_add_up_to_the_score_of_every_variant(variant):
    index = Bm25(DOCUMENTS, Bm25Settings(variant))
    for text in ASKED.values():
        question = text.split()
        [ranked] = index.search([question], 10)
        assert len(ranked)
        for row, score in zip(ranked.rows.tolist(), ranked.scores.tolist(), strict=True):
            found = of_terms(index, row, question, DOCUMENTS[row])
            assert found.score == pytest.approx(score, rel=1e-5)
            assert {*named(found)} == {*question} & {*DOCUMENTS[row]}
            lacking = [term for term in question if term not in DOCUMENTS[row]]
            assert found.rest == pytest.approx(float(index.scores(lacking)[row]), rel=1e-5)


def test_a_score_of_0_has_no_shares_and_another_score_is_no_sum_of_these():
    assert math.isnan(Explanation(()).share(0.0))
    assert Explanation(()).agrees_with(0.0)
    found = Explanation((Contribution("a", 1, 1, 2.0),), rest=1.0)
    assert (found.score, found.share(2.0)) == (3, pytest.approx(2 / 3))
    assert found.agrees_with(3.00001)
    assert not found.agrees_with(3.001)


# --- files


def scores_of(found):
    return [one.score for one in found]


@pytest.mark.parametrize("variant", ["lucene", "bm25+"])
def test_files_of_terms_in_shards_explain_what_those_of_the_whole_do(tmp_path, variant):
    settings = {"analyser": {"units": "words"}, "variant": variant}
    files = []
    for number, shard in enumerate(shards_of("c", 3)):
        files.append(tmp_path / f"{number}.parquet")
        own = DOCUMENTS[slice(*rows_of_shard(shard, len(TEXTS)))]
        write_terms(files[-1], own, corpus=shard, analyser="words")
    write_terms(tmp_path / "whole.parquet", DOCUMENTS, corpus="c", analyser="words")
    write_counts(tmp_path / "counts.parquet", count_terms([DOCUMENTS]))

    def explained(terms, counts, pairs=EVERY_PAIR):
        return explain_terms(
            pairs, QUESTIONS, IDS, settings, terms=terms, counts=counts, where="retrievers.bm25"
        )

    whole = explained([tmp_path / "whole.parquet"], [])
    assert explained(files, [tmp_path / "counts.parquet"]) == whole
    index = Bm25(DOCUMENTS, Bm25Settings(variant))
    expected = [index.scores(text.split()) for text in ASKED.values()]
    np.testing.assert_allclose(scores_of(whole), np.concatenate(expected), rtol=1e-5)
    # one document alone, also one without any term, is scored as in the whole corpus
    for place in (0, 5, 13):
        assert explained([tmp_path / "whole.parquet"], [], EVERY_PAIR[place : place + 1]) == [whole[place]]


def weights_of(folder, name, texts, *, vectors=False):
    """Files of texts and of how often each term is in them; a vector is the number of a term, and of words, less 3."""
    values = np.array([[text.count(term) for term in TERMS] for text in texts], dtype=np.float32)
    paths = [folder / f"{name}{ending}" for ending in ("-texts.parquet", ".npz", ".tokens.npy", ".json")]
    write_texts(paths[0], texts)
    about = {"text_order_sha256": text_order_sha256(texts), "model": "m", "files_sha256": "f"}
    about |= {"vocabulary_sha256": "v", **write_tokens(paths[2], None)}
    found, form = csr_array(values), SPARSE_FORM
    if vectors:
        rows, columns = values.nonzero()
        lengths = np.array([len(text.split()) for text in texts])
        found, form = with_vectors(values, np.stack([columns + 1, lengths[rows] - 3], axis=1)), TERM_FORM
    form.write(paths[1], paths[3], found, about, None)
    return paths


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "c.parquet"
    write_corpus(path, Corpus("c", "raw", "en", IDS, [""] * len(IDS), TEXTS))
    return path


def test_files_of_weights_in_shards_explain_what_those_of_the_whole_do(tmp_path, corpus):
    asked = weights_of(tmp_path, "asked", [*ASKED.values()])

    def explained(parts, passages=()):
        files = files_by_shard([file for part in parts for file in part[:3]], [part[3] for part in parts])
        return explain_weights(
            EVERY_PAIR, QUESTIONS, corpus, {}, TERMS.__getitem__,
            documents=files, passages=passages, asked=asked,
        )  # fmt: skip

    whole = explained([weights_of(tmp_path, "whole", [text for text in TEXTS if text])])
    bounds = [rows_of_shard(shard, len(TEXTS)) for shard in shards_of("c", 2)]
    parts = [
        weights_of(tmp_path, f"part{start}", [text for text in TEXTS[start:stop] if text])
        for start, stop in bounds
    ]
    assert explained(parts) == whole
    expected = [
        sum(question.count(term) * text.count(term) for term in TERMS)
        for question in ASKED.values()
        for text in TEXTS
    ]
    assert scores_of(whole) == expected
    # of passages the best one: of "a b b c" the first half has a b, the second b c
    halves = [(0, "a b"), (0, "b c"), *((row, text) for row, text in enumerate(TEXTS) if row and text)]
    rows, texts = zip(*halves, strict=True)
    write_passages(tmp_path / "p.parquet", Passages("c", "p", np.array(rows), [*texts]))
    found = explained([weights_of(tmp_path, "passages", [*texts])], [tmp_path / "p.parquet"])
    assert named(found[0]) == ["b", "a"]  # the question says b twice
    assert found[1:7] == whole[1:7]
    assert named(found[7]) == ["c"]


def product(question, text):
    """By the vectors of `weights_of`."""
    lengths = (len(question.split()) - 3) * (len(text.split()) - 3)
    shared = [number for number, term in enumerate(TERMS, 1) if term in question and term in text]
    return sum(number**2 + lengths for number in shared)


def test_files_of_vectors_in_shards_and_of_passages_explain_the_second_stage(tmp_path, corpus):
    asked = weights_of(tmp_path, "asked", [*ASKED.values()], vectors=True)

    def explained(parts, settings, passages=()):
        files = files_by_shard([file for part in parts for file in part[:3]], [part[3] for part in parts])
        return explain_weights(
            EVERY_PAIR, QUESTIONS, corpus, settings, TERMS.__getitem__,
            documents=files, passages=passages, asked=asked,
        )  # fmt: skip

    def embedded(name, texts):
        return weights_of(tmp_path, name, [text for text in texts if text], vectors=True)

    ordered = {"candidates": 1000}
    of_whole = [embedded("whole", TEXTS)]
    whole = explained(of_whole, ordered)
    bounds = [rows_of_shard(shard, len(TEXTS)) for shard in shards_of("c", 2)]
    parts = [embedded(f"part{start}", TEXTS[start:stop]) for start, stop in bounds]
    assert explained(parts, ordered) == whole
    assert scores_of(whole) == [product(question, text) for question in ASKED.values() for text in TEXTS]
    # what chooses candidates changes no score; without candidates weights alone are multiplied
    assert explained(of_whole, {**ordered, "impacts": 1}) == whole
    assert whole[0].shared == (Contribution("b", 2, 2, 4), Contribution("a", 1, 1, 1))
    assert scores_of(explained(of_whole, {}))[0] == 5
    # of passages the best one by vectors: of "e c zzz" and "a a e", c alone has 9, c c e 9 + 25, but e e e e e 25;
    # by weights that of five e
    pieces = [
        (2, "c c e"),
        (2, "e e e e e"),
        *((row, text) for row, text in enumerate(TEXTS) if row != 2 and text),
    ]
    pieces.sort(key=lambda piece: piece[0])
    rows, texts = zip(*pieces, strict=True)
    write_passages(tmp_path / "p.parquet", Passages("c", "p", np.array(rows), [*texts]))
    of_passages = [weights_of(tmp_path, "passages", [*texts], vectors=True)]
    second, first = (
        explained(of_passages, settings, [tmp_path / "p.parquet"])[len(TEXTS) + 2]
        for settings in (ordered, {})
    )
    assert (named(second), second.score) == (["e", "c"], 25 + 9)
    assert (named(first), first.score) == (["e"], 5)


def test_weights_over_another_vocabulary_are_refused(tmp_path, corpus):
    asked = weights_of(tmp_path, "asked", [*ASKED.values()])
    documents = weights_of(tmp_path, "whole", [text for text in TEXTS if text])
    write_json(documents[3], {"vocabulary_sha256": "w"})
    with pytest.raises(DataError, match="cannot be compared"):
        explain_weights(
            EVERY_PAIR, QUESTIONS, corpus, {}, str, documents=[documents], passages=[], asked=asked
        )


# --- runs


def test_explanations_are_held_against_the_run_and_documents_beyond_it_are_explained_too():
    run = Run(IDS, {"q1": Ranked(np.array([4, 1]), np.array([2.0, 1.0]))})
    pairs = [Pair("q1", "d4"), Pair("q1", "d0"), Pair("q2", "d4")]

    def adding(*scores):
        return lambda _: [Explanation((Contribution("a", 1, 1, score),)) for score in scores]

    found = explained_pairs(pairs, adding(2, 7, 7), run, where="r.parquet")
    assert [found[pair].score for pair in pairs] == [2, 7, 7]
    with pytest.raises(
        DataError, match=r"r.parquet: the score of d4 for the question q1 is 2, .* add up to 2.1"
    ):
        explained_pairs(pairs, adding(2.1, 7, 7), run, where="r.parquet")


def test_grades_below_the_relevant_one_and_unjudged_documents_are_wrong():
    run = Run(IDS, {"q1": Ranked(np.array([1, 4, 0]), np.array([3.0, 2.0, 1.0]))})
    assert best_ranked("q1", run, QUESTIONS, relevant=False) == "d1"  # grade 1, relevant from 2
    assert best_ranked("q1", run, QUESTIONS, relevant=True) == "d4"
    assert best_ranked("q2", run, QUESTIONS, relevant=True) is None
