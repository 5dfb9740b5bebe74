"""The commands of retrieval one after the other, on files written here, and what they refuse."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from only_tokenizers import save_word_pieces
from scipy.sparse import csr_array
from tiny_bert import save_tiny_cross_encoder

from sentflow.commands import (
    analyse,
    build_index,
    certify_index,
    choose_weights,
    compare_decisions,
    compare_retrieval,
    decide,
    evaluate,
    evaluate_decisions,
    explain_sparse,
    explain_terms,
    export_submissions,
    fuse,
    hardest_questions,
    prepare_corpus,
    prepare_questions,
    read_run,
    rerank,
    search_index,
    search_randomly,
    search_sparse,
    search_terms,
    search_vectors,
    split_passages,
    summarise_decisions,
    summarise_indexes,
    summarise_questions,
    summarise_retrieval,
    summarise_retrieval_costs,
    summarise_stages,
    summarise_weights,
    weigh,
)
from sentflow.compare.decision_rows import DecisionDifference
from sentflow.compare.question_rows import QuestionDifference
from sentflow.encoders.fetch.model import fetch_model
from sentflow.encoders.manifest import write_manifest
from sentflow.encoders.protocol import Reading
from sentflow.encoders.vectors.sparse import SPARSE_FORM
from sentflow.encoders.vectors.storage import text_order_sha256, write_embeddings, write_tokens
from sentflow.encoders.vectors.terms import TERM_FORM, TermEmbeddings
from sentflow.encoders.vocabulary import vocabulary_sha256
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import read_json
from sentflow.files.rows import read_rows
from sentflow.report.families.retrieval.decision_rows import DecisionRow, WeightRow
from sentflow.report.families.retrieval.decisions_table import decisions_table
from sentflow.report.families.retrieval.index_rows import IndexRow
from sentflow.report.families.retrieval.indexes_table import indexes_table
from sentflow.report.families.retrieval.rows import (
    QuestionGapRow,
    RecallRow,
    RetrievalCostRow,
    RetrievalRow,
)
from sentflow.report.families.retrieval.stage_rows import StageRow
from sentflow.retrieval.hardest_rows import HardQuestion
from sentflow.retrieval.indexes import by_seismic
from sentflow.retrieval.results import read_values
from sentflow.retrieval.runs import read_run as read_run_file
from sentflow.retrieval.shared_term_rows import SharedTerm
from sentflow.texts.collection import write_texts

TEXTS = ["wings and flow", "heat transfer", "wings of heat", "sound"]
QUESTIONS = {"q1": "wings?", "q2": "heat transfer", "q3": "loud sound"}
RELEVANT = {"q1": "d0", "q2": "d1", "q3": "d3"}
TERMS = ("wing", "heat", "sound")
COMMON = {"data_version": "raw", "language": "en"}
LINES = {"format": "jsonl", "id": "_id", "text": "text"}


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    """A folder with corpus, questions, judgements and terms."""
    monkeypatch.chdir(tmp_path)
    write = {
        "corpus.jsonl": [{"_id": f"d{row}", "text": text} for row, text in enumerate(TEXTS)],
        "questions.jsonl": [{"_id": name, "text": text} for name, text in QUESTIONS.items()],
        "judgements.jsonl": [{"q": name, "d": document} for name, document in RELEVANT.items()],
    }
    for name, lines in write.items():
        (tmp_path / name).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    corpus = {**COMMON, "documents": [{**LINES, "files": ["corpus.jsonl"]}]}
    prepare_corpus.main(
        ["--corpus", "c", "--raw", "corpus.jsonl", "--settings", json.dumps(corpus), "--output", "c.parquet"]
    )
    questions = {
        **COMMON,
        "corpus": "c",
        "questions": [{**LINES, "files": ["questions.jsonl"]}],
        "judgements": [{"format": "jsonl", "files": ["judgements.jsonl"], "question": "q", "document": "d"}],
    }
    prepare_questions.main(
        [
            *("--questions", "q", "--raw", "questions.jsonl", "judgements.jsonl", "--corpus", "c.parquet"),
            *("--settings", json.dumps(questions), "--output", "q.parquet", "--judgements", "j.parquet"),
        ]
    )
    analyse.main(
        [
            "--corpus",
            "c.parquet",
            "--analyser",
            "words",
            "--settings",
            '{"units": "words"}',
            "--output",
            "t.parquet",
        ]
    )
    return tmp_path


def searched(command, output, settings, *more):
    given = ["--corpus", "c.parquet", "--questions", "q.parquet", "--judgements", "j.parquet"]
    command.main([*given, *more, "--settings", json.dumps({"depth": 3, **settings}), "--output", output])
    about, run = read_run_file(output, [f"d{row}" for row in range(len(TEXTS))])
    return about, {name: run.documents(name) for name in run.ranked}


def bm25(output="bm25.parquet", **settings):
    return searched(
        search_terms,
        output,
        {"retriever": "bm25", "analyser": {"units": "words"}, **settings},
        *("--terms", "t.parquet"),
    )


def vectors(name, texts, limit=None):
    """Unit vectors by the words wing, heat, sound; words are tokens, of which `limit` are read."""
    words = ("wing", "heat", "sound")
    values = np.array([[float(word in text) for word in words] for text in texts], dtype=np.float32)
    write_texts(f"{name}-texts.parquet", texts)
    reading = Reading(np.array([len(text.split()) for text in texts]), limit)
    description = {
        "text_order_sha256": text_order_sha256(texts),
        **write_tokens(Path(f"{name}.tokens.npy"), reading if limit else None),
    }
    write_embeddings(Path(f"{name}.npy"), Path(f"{name}.json"), values, description)
    return [f"{name}-texts.parquet", f"{name}.npy", f"{name}.tokens.npy", f"{name}.json"]


def weights(name, texts, vectors=None, **about):
    """Weights of `TERMS`: how often the text has them; with vectors, one for each."""
    values = np.array([[float(text.count(term)) for term in TERMS] for text in texts], dtype=np.float32)
    write_texts(f"{name}-texts.parquet", texts)
    description = {"text_order_sha256": text_order_sha256(texts), "model": "m", "files_sha256": "f"}
    description |= {"vocabulary_sha256": "v", **write_tokens(Path(f"{name}.tokens.npy"), None), **about}
    found, form = csr_array(values), SPARSE_FORM
    if vectors is not None:
        found, form = TermEmbeddings(found, np.array(vectors, dtype=np.float16)), TERM_FORM
    form.write(Path(f"{name}.npz"), Path(f"{name}.json"), found, description, None)
    return [f"{name}-texts.parquet", f"{name}.npz", f"{name}.tokens.npy", f"{name}.json"]


def test_lexical_search(prepared):
    about, found = bm25()
    assert found == {"q1": ["d0", "d2"], "q2": ["d1", "d2"], "q3": ["d3"]}
    assert (about["questions"], about["retriever"], about["corpus"], about["n_documents"]) == (
        "q",
        "bm25",
        "c",
        4,
    )
    made = read_json("bm25.made.json")
    # in twelve pairs: wings twice, heat twice, transfer and sound once; one term and two of two words
    assert made["expected_matches"] == made["flops"] == pytest.approx(6 / 12)
    assert (made["terms_per_question"], made["n_vectors"]) == (pytest.approx(5 / 3), 4)


def test_search_by_vectors_of_documents_and_of_passages(prepared):
    asked = vectors("asked", [*QUESTIONS.values()])
    _, whole = searched(
        search_vectors,
        "dense.parquet",
        {"retriever": "dense", "similarity": "cosine"},
        *("--document-vectors", *vectors("documents", TEXTS), "--question-vectors", *asked),
    )
    assert [documents[0] for documents in whole.values()] == ["d0", "d1", "d3"]
    made = read_json("dense.made.json")
    # four vectors of three values of four bytes
    assert (made["n_vectors"], made["flops"], made["index_bytes"]) == (4, 3, 48)
    split_passages.main(
        ["--corpus", "c.parquet", "--passages", "p", "--settings", '{"words": 1}', "--output", "p.parquet"]
    )
    parts = list(dict.fromkeys(word for text in TEXTS for word in text.split()))
    _, found = searched(
        search_vectors,
        "passages.parquet",
        {"retriever": "dense", "similarity": "cosine"},
        *("--document-vectors", *vectors("passages", parts), "--question-vectors", *asked),
        *("--passages", "p.parquet"),
    )
    assert found["q1"][:2] == ["d0", "d2"]


def test_search_by_weights_of_terms_of_documents_and_of_passages(prepared):
    asked = ("--question-vectors", *weights("asked", [*QUESTIONS.values()]))
    documents = ("--document-vectors", *weights("documents", TEXTS))
    expected = {"q1": ["d0", "d2"], "q2": ["d1", "d2"], "q3": ["d3"]}
    about, whole = searched(search_sparse, "sparse.parquet", {"retriever": "sparse"}, *documents, *asked)
    assert (whole, about["reading"]) == (expected, {"documents": None, "questions": None})
    made = read_json("sparse.made.json")
    assert (made["n_questions"], made["terms_per_question"], made["n_vectors"]) == (3, 1, 4)
    # five of the twelve pairs share a term
    assert made["expected_matches"] == pytest.approx(5 / 12)
    settings = {"retriever": "sparse", "impacts": 8}
    assert searched(search_sparse, "rounded.parquet", settings, *documents, *asked)[1] == expected
    assert read_json("rounded.made.json")["index_bytes"] < made["index_bytes"]
    split_passages.main(
        ["--corpus", "c.parquet", "--passages", "p", "--settings", '{"words": 1}', "--output", "p.parquet"]
    )
    parts = weights("passages", list(dict.fromkeys(word for text in TEXTS for word in text.split())))
    more = ("--document-vectors", *parts, *asked, "--passages", "p.parquet")
    assert searched(search_sparse, "passages.parquet", {"retriever": "sparse"}, *more)[1] == expected


def test_vectors_of_terms_order_what_weights_found(prepared):
    # wing in d0, heat in d1, wing and heat in d2, sound in d3
    of_documents = [[1, 0], [0, 1], [1, 2], [2, 0], [3, 3]]
    files = [
        *("--document-vectors", *weights("documents", TEXTS, of_documents)),
        *("--question-vectors", *weights("asked", [*QUESTIONS.values()], [[1, 1], [1, 0], [1, 1]])),
    ]
    _, by_weights = searched(search_sparse, "sparse.parquet", {"retriever": "sparse"}, *files)
    assert by_weights == {"q1": ["d0", "d2"], "q2": ["d1", "d2"], "q3": ["d3"]}
    settings = {"retriever": "sparse", "candidates": 4}
    _, found = searched(search_sparse, "ordered.parquet", settings, *files)
    # 3 is more than 1; and what multiplies to 0 is not found
    assert found == {"q1": ["d2", "d0"], "q2": ["d2"], "q3": ["d3"]}
    _, few = searched(search_sparse, "few.parquet", {"retriever": "sparse", "candidates": 1}, *files)
    assert few == {"q1": ["d0"], "q3": ["d3"]}
    sizes = [read_json(f"{name}.made.json")["index_bytes"] for name in ("sparse", "ordered")]
    # five terms of two values in half precision
    assert sizes[1] - sizes[0] == 5 * 2 * 2


def test_documents_and_questions_over_two_vocabularies_are_refused(prepared):
    files = ["--document-vectors", *weights("documents", TEXTS)]
    files += ["--question-vectors", *weights("asked", [*QUESTIONS.values()], vocabulary_sha256="w")]
    with pytest.raises(DataError, match="cannot be compared: vocabulary_sha256 differ"):
        search_sparse.main.work(
            search_sparse.main.parser().parse_args(
                [
                    *(
                        "--corpus",
                        "c.parquet",
                        "--questions",
                        "q.parquet",
                        "--judgements",
                        "j.parquet",
                        *files,
                    ),
                    *("--settings", '{"retriever": "sparse", "depth": 3}', "--output", "sparse.parquet"),
                ]
            )
        )


def test_a_run_says_how_much_of_documents_and_questions_was_cut_off(prepared):
    files = ["--document-vectors", *vectors("documents", TEXTS, limit=2)]
    files += ["--question-vectors", *vectors("asked", [*QUESTIONS.values()], limit=1)]
    settings = {"retriever": "dense", "similarity": "cosine"}
    about, _ = searched(search_vectors, "dense.parquet", settings, *files)
    assert about["reading"] == {
        "documents": {"n": 4, "cut": 2, "tokens": 9, "tokens_cut": 2},
        "questions": {"n": 3, "cut": 2, "tokens": 5, "tokens_cut": 2},
    }


def test_an_encoder_that_does_not_say_what_it_reads(prepared):
    files = ["--document-vectors", *vectors("documents", TEXTS)]
    files += ["--question-vectors", *vectors("asked", [*QUESTIONS.values()])]
    about, _ = searched(search_vectors, "dense.parquet", {"retriever": "dense", "similarity": "dot"}, *files)
    assert about["reading"] == {"documents": None, "questions": None}


@pytest.mark.parametrize(
    ("library", "embed", "settings"),
    [
        ("faiss", vectors, {"similarity": "cosine", "index": {"kind": "hnsw", "links": 2}}),
        ("seismic", weights, {"index": {"kind": "seismic"}}),
        ("seismic", weights, {"impacts": 8, "index": {"kind": "seismic", "question_terms": 3}}),
    ],
)
def test_an_index_is_built_searched_certified_and_shown(prepared, library, embed, settings):
    if library == "seismic" and (lacking := by_seismic.lacking()):
        pytest.skip(f"Seismic does not run here: {lacking}")
    pytest.importorskip(library, reason=f"approximate indexes need envs/requirements-{library}.txt")
    documents, asked = embed("documents", TEXTS), embed("asked", [*QUESTIONS.values()])
    build_index.main(
        [
            *("--corpus", "c.parquet", "--document-vectors", *documents, "--output", "i.index"),
            *("--made", "i.made.json", "--settings", json.dumps(settings)),
        ]
    )
    both = ("--document-vectors", *documents, "--question-vectors", *asked, "--index", "i.index")
    _, found = searched(search_index, "near.parquet", {"retriever": "near", **settings}, *both)
    assert [names[0] for names in found.values()] == ["d0", "d1", "d3"]
    size = Path("i.index").stat().st_size
    assert read_json("near.made.json")["index_bytes"] == size + Path(documents[1]).stat().st_size
    asked_for = {"measure": "RR@10", "margin": 0.01, "level": 0.95, "cutoffs": [1, 3]}
    certify_index.main(
        [
            *("--corpus", "c.parquet", "--questions", "q.parquet", "--judgements", "j.parquet", *both),
            *("--made", "i.made.json", "--output", "certificate.json", "--settings"),
            json.dumps({"retriever": "near", "depth": 3, **settings, "certificate": asked_for}),
        ]
    )
    titles = {"questions": {"q": "Questions"}, "retrievers": {"near": "Near"}}
    summarise_indexes.main(
        [
            *("--results", "certificate.json", "--settings", json.dumps(titles)),
            *("--output", "retrieval-indexes.parquet"),
        ]
    )
    first, last = read_rows("retrieval-indexes.parquet", IndexRow)
    assert (first.k, first.recall, first.value, first.value_exact, first.n_vectors) == (1, 1, 1, 1, 4)
    assert (last.k, last.recall, last.p_equivalence) == (3, 1, 0)
    shown = indexes_table([first, last], "Title")
    assert [cell.text for cell in shown.groups[0].rows[0]][2:6] == ["1", "1.000", "1.000", "0.000"]
    assert shown.groups[0].rows[0][1].text.startswith(f"{settings['index']['kind']} (")


def test_an_index_is_refused_before_anything_is_read_where_its_library_is_absent(prepared, monkeypatch):
    monkeypatch.setattr(by_seismic, "lacking", lambda: "")
    monkeypatch.setitem(sys.modules, "seismic", None)
    nowhere = ("--document-vectors", *["nowhere"] * 4)
    with pytest.raises(ConfigError, match="pip install -r envs/requirements-seismic.txt"):
        build_index.main(
            [
                *("--corpus", "nowhere", *nowhere, "--output", "i.index", "--made", "i.made.json"),
                *("--settings", '{"index": {"kind": "seismic"}}'),
            ]
        )


def test_fusion_and_random_order_and_a_run_of_another_engine(prepared):
    bm25()
    _, random = searched(search_randomly, "random.parquet", {"retriever": "random", "seed": 1})
    assert all(len(documents) == 3 for documents in random.values())
    _, fused = searched(
        fuse,
        "both.parquet",
        {"retriever": "both", "rule": "sum", "weights": [1, 0]},
        *("--runs", "bm25.parquet", "random.parquet"),
    )
    assert [documents[0] for documents in fused.values()] == ["d0", "d1", "d3"]
    (prepared / "run.trec").write_text("q1 Q0 d3 1 2.5 x\nq1 Q0 d0 2 1 x\n", encoding="utf-8")
    _, read = searched(read_run, "read.parquet", {"retriever": "elsewhere"}, "--run", "run.trec")
    assert read == {"q1": ["d3", "d0"]}


def test_the_first_documents_are_reranked_by_a_cross_encoder(prepared, capsys):
    bm25()
    folder = save_tiny_cross_encoder(prepared / "cross")
    entry = {"kind": "cross-encoder", "source": {"folder": str(folder)}}
    write_manifest(Path("manifest.json"), fetch_model("cross", entry, Path()))
    settings = {"retriever": "again", "rerank_depth": 1, "encoder": {}}
    common = ("--run", "bm25.parquet", "--manifest", "manifest.json", "--device", '"cpu"')
    _, found = searched(rerank, "again.parquet", settings, *common)
    assert found == {"q1": ["d0", "d2"], "q2": ["d1", "d2"], "q3": ["d3"]}
    _, both = searched(rerank, "again.parquet", {**settings, "rerank_depth": 9}, *common)
    assert {name: set(documents) for name, documents in both.items()} == {
        name: set(documents) for name, documents in found.items()
    }
    split_passages.main(
        ["--corpus", "c.parquet", "--passages", "p", "--settings", '{"words": 1}', "--output", "p.parquet"]
    )
    settings |= {"encoder": {"max_tokens": 4}}
    searched(rerank, "again.parquet", settings, *common, "--passages", "p.parquet")
    assert "pairs (100.0 %) have more tokens than the cross-encoder takes" in capsys.readouterr().err


def test_results_differences_and_summary(prepared):
    bm25()
    searched(search_randomly, "random.parquet", {"retriever": "random", "seed": 1})
    bootstrap = {"level": 0.95, "n_resamples": 200, "seed": 1}
    for name in ("bm25", "random"):
        evaluate.main(
            [
                *("--run", f"{name}.parquet", "--corpus", "c.parquet", "--questions", "q.parquet"),
                *("--judgements", "j.parquet", "--output", f"{name}-r.json", "--rows", f"{name}-r.parquet"),
                *("--settings", json.dumps({"measures": ["nDCG@10", "R@1"], **bootstrap})),
            ]
        )
    stated = read_json("bm25-r.json")["measures"]
    assert (stated["nDCG@10"]["mean"], stated["R@1"]["mean"]) == (1, 1)
    compare_retrieval.main(
        [
            *("--rows", "bm25-r.parquet", "random-r.parquet", "--differences", "differences.parquet"),
            *("--document-differences", "differences-documents.parquet", "--clusters", "clusters.parquet"),
            *("--group-differences", "differences-groups.parquet", "--groups", "groups.parquet"),
            *("--seeds", "seeds.parquet", "--settings"),
            json.dumps(
                {
                    "order": [["q"], ["bm25", "random"]],
                    "controls": ["random"],
                    "families": {},
                    "main": "nDCG@10",
                    "measures": ["nDCG@10", "R@1"],
                    "alpha": 0.05,
                    "margin": 0.01,
                    **bootstrap,
                }
            ),
        ]
    )
    [row] = read_rows("differences.parquet", QuestionDifference)
    assert (row.unit_set, row.model_a, row.model_b, row.n_questions, row.value_a) == (
        "q",
        "bm25",
        "random",
        3,
        1,
    )
    titles = {"title": "T", "control": False, "position": 0, "model": "", "model_title": ""}
    shown = {
        "question_sets": {"q": {"title": "Q", "corpus": "c", **COMMON}},
        "corpora": {"c": {"title": "C"}},
        "retrievers": {"bm25": titles, "random": {**titles, "control": True}},
        "order": [["q"], ["bm25", "random"]],
        "measures": ["nDCG@10", "R@1"],
        "main": "nDCG@10",
    }
    summarise_retrieval.main(
        [
            *("--results", "bm25-r.json", "random-r.json", "--output", "summary.parquet"),
            *("--settings", json.dumps(shown)),
        ]
    )
    rows = read_rows("summary.parquet", RetrievalRow)
    assert [(row.retriever, row.measure, row.is_main) for row in rows] == [
        ("bm25", "nDCG@10", True), ("bm25", "R@1", False), ("random", "nDCG@10", True), ("random", "R@1", False),
    ]  # fmt: skip
    assert [row.model for row in rows[:1]] == ["bm25"]
    stages = {
        "stages": [{"title": title, "retrievers": [title]} for title in ("random", "bm25")],
        "series": ["alone"], "measures": ["R@1"], "reference": "random", "families": {},
    }  # fmt: skip
    summarise_stages.main(
        [
            *("--summary", "summary.parquet", "--differences", "differences.parquet"),
            *("--seeds", "seeds.parquet", "--settings", json.dumps(stages), "--output", "stages.parquet"),
        ]
    )
    assert [(row.place, row.value) for row in read_rows("stages.parquet", StageRow)][2] == (2, 1)
    summarise_questions.main(
        [
            *("--rows", "bm25-r.parquet", "random-r.parquet", "--differences", "differences.parquet"),
            *("--recall", "recall.parquet", "--gaps", "gaps.parquet"),
            *("--settings", json.dumps({**shown, "reference": "random", "depth": 3, **bootstrap})),
        ]
    )
    recall = read_rows("recall.parquet", RecallRow)
    assert [(row.cutoff, row.recall) for row in recall if row.model == "bm25"] == [(1, 1), (2, 1), (3, 1)]
    gaps = read_rows("gaps.parquet", QuestionGapRow)
    assert [row.question for row in gaps] == [*QUESTIONS]
    assert {row.model for row in gaps} == {"bm25"}
    parts = {"parts": {"bm25": ["bm25"], "random": ["random"]}, "encoders": {}}
    summarise_retrieval_costs.main(
        [
            *("--summary", "summary.parquet", "--made", "bm25.made.json", "random.made.json"),
            *("--settings", json.dumps(parts), "--output", "costs.parquet"),
        ]
    )
    [cost, _] = read_rows("costs.parquet", RetrievalCostRow)
    assert cost.search_seconds > 0
    made = read_json("bm25.made.json")
    assert (cost.index_bytes, cost.n_asked) == (made["index_bytes"], 3)
    assert (cost.encode_seconds, cost.flops) == (made["question_seconds"], made["expected_matches"])


def test_what_a_search_took_is_no_part_of_its_run(prepared):
    files = [Path(f"bm25.{ending}") for ending in ("parquet", "json")]
    bm25()
    first = [file.read_bytes() for file in files]
    made = read_json("bm25.made.json")
    bm25()
    assert [file.read_bytes() for file in files] == first
    assert made["seconds"] > 0
    assert (made["questions"], made["retriever"], made["n_questions"]) == ("q", "bm25", 3)


def evaluated(name, **settings):
    """Values per question of a run that was written."""
    given = {"measures": ["nDCG@10"], "level": 0.95, "n_resamples": 50, "seed": 1, **settings}
    evaluate.main(
        [
            *("--run", f"{name}.parquet", "--corpus", "c.parquet", "--questions", "q.parquet"),
            *("--judgements", "j.parquet", "--output", f"{name}-r.json", "--rows", f"{name}-r.parquet"),
            *("--settings", json.dumps(given)),
        ]
    )
    return read_values(f"{name}-r.parquet")


def test_values_per_question_say_their_cluster_where_questions_have_one(prepared):
    bm25()
    assert evaluated("bm25").clusters is None
    assert evaluated("bm25", cluster="gold-document").clusters == ["d0", "d1", "d3"]
    pattern = {"cluster": "gold-document", "cluster_pattern": "^d[01]|d"}
    assert evaluated("bm25", **pattern).clusters == ["d0", "d1", "d"]
    with pytest.raises(DataError, match="q: no question has a cluster"):
        evaluated("bm25", cluster="column")


def quoted(pair=()):
    settings = {
        "order": ["bm25", "other"], "serious": ["bm25", "other"], "pair": pair, "measure": "nDCG@10", "limit": 2,
    }  # fmt: skip
    hardest_questions.main(
        [
            *("--corpus", "c.parquet", "--questions", "q.parquet", "--judgements", "j.parquet"),
            *("--runs", "bm25.parquet", "other.parquet", "--rows", "bm25-r.parquet", "other-r.parquet"),
            *("--settings", json.dumps(settings), "--output", "hard.parquet"),
        ]
    )
    return read_rows("hard.parquet", HardQuestion)


def test_hardest_questions_and_those_that_two_retrievers_disagree_on(prepared):
    bm25()
    (prepared / "run.trec").write_text("q1 Q0 d1 1 9 x\nq1 Q0 d0 2 1 x\nq2 Q0 d1 1 1 x\n", encoding="utf-8")
    searched(read_run, "other.parquet", {"retriever": "other"}, "--run", "run.trec")
    evaluated("bm25")
    evaluated("other")
    rows = quoted()
    # of the other run q1 has its document second, 1/log2(3), and q3 nothing
    assert [(row.view, row.place, row.question, row.value_a, row.value_b) for row in rows] == [
        ("hardest", 1, "q3", 1, 0),
        ("hardest", 2, "q1", 1, pytest.approx(1 / np.log2(3))),
        ("apart", 1, "q3", 1, 0),
        ("apart", 2, "q1", 1, pytest.approx(1 / np.log2(3))),
    ]
    second = rows[1]
    assert (second.text, second.document, second.document_text) == ("wings?", "d0", "wings and flow")
    assert (second.a, second.rank_a, second.first_a) == ("bm25", 1, "d0")
    assert (second.b, second.rank_b, second.first_b, second.first_text_b) == (
        "other",
        2,
        "d1",
        "heat transfer",
    )
    assert np.isnan(second.first_grade_b)
    assert (rows[0].rank_b, rows[0].first_b) == (0, "")
    assert [(row.a, row.b) for row in quoted(["other", "bm25"])[:1]] == [("other", "bm25")]


def explained(command, retriever, settings, *files):
    """The terms of the questions worth reading, by question and document."""
    evaluated(retriever)
    common = ("--corpus", "c.parquet", "--questions", "q.parquet", "--judgements", "j.parquet")
    chosen = {"order": [retriever], "serious": [retriever], "pair": [], "measure": "nDCG@10", "limit": 2}
    hardest_questions.main(
        [
            *common,
            *("--runs", f"{retriever}.parquet", "--rows", f"{retriever}-r.parquet"),
            *("--settings", json.dumps(chosen), "--output", "hard.parquet"),
        ]
    )
    given = json.dumps({"retriever": retriever, "depth": 3, **settings})
    command.main(
        [
            *(*common, "--hardest", "hard.parquet", "--run", f"{retriever}.parquet", *files),
            *("--settings", given, "--output", "terms.parquet"),
        ]
    )
    rows = read_rows("terms.parquet", SharedTerm)
    assert {(row.question_set, row.retriever) for row in rows} == {("q", retriever)}
    found = {}
    for row in rows:
        found.setdefault((row.question, row.which), []).append(row)
    return found


def test_questions_worth_reading_say_by_which_terms_bm25_found_their_documents(prepared):
    bm25()
    _, run = read_run_file("bm25.parquet", [f"d{row}" for row in range(len(TEXTS))])
    settings = {"analyser": {"units": "words"}}
    found = explained(explain_terms, "bm25", settings, "--terms", "t.parquet")
    assert [*found] == [
        ("q1", "relevant"), ("q1", "wrong"), ("q2", "relevant"), ("q2", "wrong"),
    ]  # fmt: skip
    assert [(row.document, row.rank, row.term) for row in found["q2", "relevant"]] == [
        ("d1", 1, "transfer"), ("d1", 1, "heat"),
    ]  # fmt: skip
    [wrong] = found["q2", "wrong"]
    assert (wrong.document, wrong.rank, wrong.term, wrong.place) == ("d2", 2, "heat", 1)
    for rows in found.values():
        score = run.ranked[rows[0].question].scores[rows[0].rank - 1]
        assert sum(row.addend for row in rows) == pytest.approx(score, rel=1e-5)
        assert rows[0].score == pytest.approx(score, rel=1e-5)
        assert sum(row.share for row in rows) == pytest.approx(1)
        assert {row.n_shared for row in rows} == {len(rows)}


def test_a_run_of_other_parameters_is_not_explained_by_these(prepared):
    bm25()
    settings = {"analyser": {"units": "words"}, "k1": 0.5}
    with pytest.raises(DataError, match=r"bm25.parquet: the score of d\d .* but its terms add up to"):
        explained(explain_terms, "bm25", settings, "--terms", "t.parquet")


def test_a_document_that_was_not_found_shares_nothing(prepared):
    (prepared / "run.trec").write_text("q2 Q0 d1 1 9 x\n", encoding="utf-8")
    searched(read_run, "bm25.parquet", {"retriever": "bm25"}, "--run", "run.trec")
    found = explained(explain_terms, "bm25", {"analyser": {"units": "long-words"}}, "--terms", "t.parquet")
    [row] = found["q3", "relevant"]
    assert (row.document, row.rank, row.term, row.place, row.n_shared) == ("d3", 0, "sound", 1, 1)
    assert ("q3", "wrong") not in found


def test_questions_worth_reading_say_by_which_weights_their_documents_were_found(prepared):
    write_manifest(prepared / "manifest.json", save_word_pieces(prepared / "tiny", TERMS))
    about = {"vocabulary_sha256": vocabulary_sha256({term: row for row, term in enumerate(TERMS)})}
    asked = ("--question-vectors", *weights("asked", [*QUESTIONS.values()], **about))
    texts, npz, tokens, info = weights("documents", TEXTS, **about)
    searched(
        search_sparse, "sparse.parquet", {"retriever": "sparse", "impacts": 8},
        *("--document-vectors", texts, npz, tokens, info, *asked),
    )  # fmt: skip
    files = ("--document-vectors", texts, npz, tokens, "--document-infos", info, *asked)
    files += ("--manifest", "manifest.json")
    found = explained(explain_sparse, "sparse", {"impacts": 8}, *files)
    [wrong] = found["q2", "wrong"]
    assert (wrong.document, wrong.term, wrong.addend, wrong.share) == ("d2", "heat", pytest.approx(1), 1)
    other = (*files[:-1], "manifest.json", *("--question-vectors", *weights("asked", [*QUESTIONS.values()])))
    with pytest.raises(DataError, match="another vocabulary than the one that the weights"):
        explained(explain_sparse, "sparse", {}, *other)


def test_questions_worth_reading_say_by_which_vectors_of_terms_their_documents_were_ordered(prepared):
    write_manifest(prepared / "manifest.json", save_word_pieces(prepared / "tiny", TERMS))
    about = {"vocabulary_sha256": vocabulary_sha256({term: row for row, term in enumerate(TERMS)})}
    asked = weights("asked", [*QUESTIONS.values()], [[1, 1], [1, -1], [1, 1]], **about)
    # wing in d0, heat in d1, wing and heat in d2, sound in d3
    of_documents = [[1, 0], [3, 1], [1, 2], [4, 1], [3, 3]]
    texts, npz, tokens, info = weights("documents", TEXTS, of_documents, **about)
    settings = {"candidates": 4}
    searched(
        search_sparse, "ordered.parquet", {"retriever": "ordered", **settings},
        *("--document-vectors", texts, npz, tokens, info, "--question-vectors", *asked),
    )  # fmt: skip
    files = ("--document-vectors", texts, npz, tokens, "--document-infos", info, "--question-vectors", *asked)
    found = explained(explain_sparse, "ordered", settings, *files, "--manifest", "manifest.json")
    # heat: 1 · 3 − 1 · 1 in d1, 1 · 4 − 1 · 1 in d2
    rows = [found["q2", which][0] for which in ("relevant", "wrong")]
    assert [(row.document, row.rank, row.term, row.addend) for row in rows] == [
        ("d1", 2, "heat", 2), ("d2", 1, "heat", 3),
    ]  # fmt: skip
    with pytest.raises(DataError, match=r"ordered.parquet: the score of d\d .* but its terms add up to"):
        explained(explain_sparse, "ordered", {}, *files, "--manifest", "manifest.json")


def test_questions_of_another_corpus_are_refused(prepared):
    other = {**COMMON, "documents": [{**LINES, "files": ["corpus.jsonl"]}]}
    prepare_corpus.main(
        [
            "--corpus",
            "other",
            "--raw",
            "corpus.jsonl",
            "--settings",
            json.dumps(other),
            "--output",
            "c.parquet",
        ]
    )
    with pytest.raises(DataError, match="asks the corpus c, but c.parquet is other"):
        bm25()


def other_questions(name, texts):
    """Questions and judgements of a set of its own, with the gold of the third question for each."""
    lines = [{"_id": f"{name}-{row}", "text": text} for row, text in enumerate(texts)]
    gold = [{"q": line["_id"], "d": "d3"} for line in lines]
    for file, written in ((f"{name}.jsonl", lines), (f"{name}-j.jsonl", gold)):
        Path(file).write_text("\n".join(map(json.dumps, written)), encoding="utf-8")
    settings = {
        **COMMON,
        "corpus": "c",
        "questions": [{**LINES, "files": [f"{name}.jsonl"]}],
        "judgements": [{"format": "jsonl", "files": [f"{name}-j.jsonl"], "question": "q", "document": "d"}],
    }
    prepare_questions.main(
        [
            *("--questions", name, "--raw", f"{name}.jsonl", f"{name}-j.jsonl", "--corpus", "c.parquet"),
            *("--settings", json.dumps(settings), "--output", f"{name}.parquet"),
            *("--judgements", f"{name}-j.parquet"),
        ]
    )


def test_weights_are_chosen_on_training_questions_and_used_on_others(prepared):
    bm25()
    searched(search_randomly, "random.parquet", {"retriever": "random", "seed": 1})
    both = ("--runs", "random.parquet", "bm25.parquet")
    about = {"retriever": "both", "rule": "sum"}
    given = ["--corpus", "c.parquet", "--questions", "q.parquet", "--judgements", "j.parquet", "--settings"]
    settings = {**about, "depth": 3, "steps": 4, "measure": "RR@10"}
    weigh.main([*given, json.dumps(settings), *both, "--output", "w.parquet"])
    tuning = {"folds": 3, "margin": 0.01, "row_ids": [], "seed": 1}
    choose_weights.main(
        [
            *("--weighed", "w.parquet", "--questions", "q.parquet", "--judgements", "j.parquet"),
            *("--settings", json.dumps(tuning), "--output", "chosen.parquet"),
        ]
    )
    stated = read_json("chosen.json")
    assert (stated["in_sample"], stated["n_questions"]) == (1, 3)
    assert stated["weights"][1] > 0
    _, own = searched(fuse, "both.parquet", about, *both, "--chosen", "chosen.parquet")
    assert set(own) == set(QUESTIONS)
    summarise_weights.main(
        [
            *(
                "--weighed",
                "w.parquet",
                "--chosen",
                "chosen.parquet",
                "--output",
                "weights.parquet",
                "--settings",
            ),
            json.dumps(
                {
                    "question_sets": {"q": {"title": "Q", "data_version": "raw", "language": "en"}},
                    "retrievers": {"both": {"title": "Both", "position": 0, "of": ["Random", "BM25"]}},
                    "order": [["q"], ["both"]],
                    "level": 0.95,
                    "n_resamples": 100,
                    "seed": 1,
                }
            ),
        ]
    )
    rows = read_rows("weights.parquet", WeightRow)
    assert [row.last for row in rows] == [0, 0.25, 0.5, 0.75, 1]
    assert (rows[-1].value, rows[0].is_training, sum(row.is_chosen for row in rows)) == (1, True, 1)
    other_questions("shared", ["Heat transfer!", "else"])
    with pytest.raises(
        DataError, match="retrievers.both.weights.tuned_on: shared shares questions .* shared-0"
    ):
        fuse.main(
            [
                *(
                    "--corpus",
                    "c.parquet",
                    "--questions",
                    "shared.parquet",
                    "--judgements",
                    "shared-j.parquet",
                ),
                *(*both, "--chosen", "chosen.parquet", "--settings", json.dumps({**about, "depth": 3})),
                *("--output", "refused.parquet"),
            ]
        )


def test_decisions_from_run_to_table_and_submission(prepared):
    bm25()
    settings = {
        "first": {"parameters": {"most": 1}},
        "tuned": {
            "parameters": {"share": {"from": 0, "to": 1, "step": 0.5}}, "folds": 3, "margin": 0.01, "row_ids": [],
            "seed": 1,
        },
    }  # fmt: skip
    given = ["--corpus", "c.parquet", "--questions", "q.parquet", "--judgements", "j.parquet"]
    training = [
        *("--training-corpora", "c.parquet", "--training-questions", "q.parquet"),
        *("--training-judgements", "j.parquet", "--training-runs", "bm25.parquet"),
    ]
    for name, own in settings.items():
        decide.main(
            [
                *(*given, "--run", "bm25.parquet", "--settings", json.dumps({"decision": name, **own})),
                *("--output", f"{name}.parquet", *(training if name == "tuned" else ())),
            ]
        )
    # d0 and d2 have equal scores for q1, so that all but 0 give two documents there, and one to each other question
    stated = read_json("tuned.json")
    assert (stated["parameters"], len(stated["tuning"]["grid"])) == ({"share": 0.5}, 3)
    assert stated["tuning"]["in_sample"] == pytest.approx((5 / 6 + 1 + 1) / 3)
    # without q2, whose second document scores less than half of the first, 0 is as good
    assert stated["tuning"]["nested"] == pytest.approx((5 / 6 + 5 / 6 + 1) / 3)
    bootstrap = {"level": 0.95, "n_resamples": 100, "seed": 1}
    systems = [["bm25", "first"], ["bm25", "tuned"]]
    evaluate_decisions.main(
        [
            *(
                "--decided",
                "first.parquet",
                "tuned.parquet",
                "--questions",
                "q.parquet",
                "--judgements",
                "j.parquet",
            ),
            *("--settings", json.dumps({"systems": systems, **bootstrap})),
            *("--output", "d.json", "--rows", "d.parquet"),
        ]
    )
    compared = {"question_sets": ["q"], "systems": systems, "controls": [], "alpha": 0.05, "margin": 0.01}
    compare_decisions.main(
        [
            *("--rows", "d.parquet", "--settings", json.dumps({**compared, **bootstrap})),
            *("--output", "decision-differences.parquet"),
        ]
    )
    [row] = read_rows("decision-differences.parquet", DecisionDifference)
    assert (row.measure, row.model_a, row.model_b, row.value_a) == ("F2", "bm25/first", "bm25/tuned", 1)
    summarise_decisions.main(
        [
            *("--results", "d.json", "--output", "decisions.parquet", "--settings"),
            json.dumps(
                {
                    "question_sets": {"q": {"title": "Q", "data_version": "raw", "language": "en"}},
                    "retrievers": {"bm25": "BM25"},
                    "decisions": {"first": "first", "tuned": "tuned share"},
                    "controls": [],
                    "order": [["q"], systems],
                }
            ),
        ]
    )
    rows = read_rows("decisions.parquet", DecisionRow)
    assert [row.measure for row in rows[:4]] == ["F2", "SetP", "SetR", "F2-published"]
    assert (rows[4].parameters, rows[4].tuned_on, rows[4].n_candidates) == ("share 0.5", "q", 3)
    made = decisions_table(rows, "Title", read_rows("decision-differences.parquet", DecisionDifference))
    lines = [[cell.text for cell in line] for line in made.groups[0].rows]
    assert [line[:3] for line in lines] == [["BM25", "first", "1.000"], ["BM25", "tuned share", "0.889"]]
    assert "q: each question is decided by what was chosen on others of the set." in made.notes
    with pytest.raises(DataError, match="document 'd0' is no article of a law"):
        export_submissions.main(
            ["--decided", "first.parquet", "--questions", "q.parquet", "--output", "submission.json"]
        )
