"""Searches by terms through the pipeline, beside the library's own encoder and a model of the notebook; asked anew."""

import json
from pathlib import Path

import numpy as np
import pytest
from masked_models import sparse_encoder
from tiny_bert import save_tiny_masked_bert
from typer.testing import CliRunner
from workflow_copy import REPOSITORY, copy_workflow, snakemake

from sentflow.cli.app import app
from sentflow.files.io import read_json
from sentflow.retrieval.runs import read_run
from sentflow.sparse.folder import load_sparse_embed, save_sparse_embed
from sentflow.sparse.term_vectors import TermVectors, all_scores
from sentflow.texts.corpora import read_corpus, read_questions

pytestmark = pytest.mark.slow

CONFIG = REPOSITORY / "tests/fixtures/weighed.yaml"
CORPUS = "municipal-laws-sample"
RUN = f"results/runs/{CORPUS}/weighed.parquet"
ORDERED = [
    f"results/runs/{name}/{retriever}.parquet"
    for name, retriever in ((CORPUS, "ordered"), (CORPUS, "by-weights"), ("in-shards", "ordered"))
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_workflow(tmp_path_factory.mktemp("weighed") / "project")
    save_tiny_masked_bert(folder / "model")
    model = sparse_encoder(folder / "start", heads="two", k_documents=6)
    model.projections["query"].weight.data *= 2
    save_sparse_embed(model, folder / "vectors")
    outcome = snakemake(folder, "--cores", "2", "--configfile", str(CONFIG), "--", RUN, *ORDERED)
    assert outcome.code == 0, outcome.text[-6000:]
    return folder


@pytest.fixture(scope="module")
def texts(project):
    """Corpus and questions."""
    data = project / "results/data"
    asked = data / f"questions/{CORPUS}.parquet", data / f"judgements/{CORPUS}.parquet"
    return read_corpus(data / f"corpora/{CORPUS}.parquet"), read_questions(*asked)


def assert_scores(run, questions, scores, rtol):
    """That the documents of a run are the best by (q, n) scores, and have these."""
    for row, name in enumerate(questions.ids):
        found = run.ranked[name]
        np.testing.assert_allclose(found.scores, np.sort(scores[row])[::-1][: len(found)], rtol=rtol)
        np.testing.assert_allclose(found.scores, scores[row][found.rows], rtol=rtol)


def test_the_run_is_that_of_the_librarys_encoder_and_is_found_anew(project, texts, tmp_path, monkeypatch):
    from sentence_transformers import SparseEncoder

    corpus, questions = texts
    library = SparseEncoder(str(project / "model"), device="cpu")

    def weighed(texts, most):
        return library.encode(texts, max_active_dims=most, convert_to_sparse_tensor=False).numpy()

    scores = weighed(questions.texts, 8) @ weighed(corpus.whole_texts(), 20).T
    _, run = read_run(project / RUN, corpus.ids)
    assert len(run.ranked) == len(questions) > 100
    assert_scores(run, questions, scores, rtol=1e-4)
    made = read_json(project / RUN.replace(".parquet", ".made.json"))
    assert made["terms_per_question"] <= 8
    assert 0 < made["expected_matches"] <= 8
    assert made["index_bytes"] == pytest.approx(310 * made["bytes_per_document"])

    monkeypatch.chdir(project)
    asked, output = tmp_path / "asked.json", tmp_path / "found.parquet"
    items = [
        {"question_id": one, "question": text}
        for one, text in zip(questions.ids, questions.texts, strict=True)
    ]
    asked.write_text(json.dumps({"items": items}), encoding="utf-8")
    words = ["--corpus", CORPUS, "--retriever", "weighed", "--output", str(output)]
    result = CliRunner().invoke(app, ["search", "--configfile", str(CONFIG), str(asked), *words])
    assert result.exit_code == 0, result.output
    _, again = read_run(output, corpus.ids)
    for name in questions.ids:
        np.testing.assert_array_equal(again.ranked[name].rows, run.ranked[name].rows)
        np.testing.assert_allclose(again.ranked[name].scores, run.ranked[name].scores, rtol=1e-6)

    assert_explained("weighed", run, questions.ids[0])


def assert_explained(retriever, run, name):
    """That the terms of the best document of a question add up to its score."""
    words = ["--retriever", retriever, "--questions", CORPUS, "--question", name, "--json"]
    result = CliRunner().invoke(app, ["explain", "--configfile", str(CONFIG), *words])
    assert result.exit_code == 0, result.output
    first = json.loads(result.stdout)["documents"][0]
    assert first["document"] == run.documents(name)[0]
    assert sum(term["addend"] for term in first["terms"]) == pytest.approx(
        run.ranked[name].scores[0], rel=1e-5
    )


def test_vectors_of_terms_order_documents_as_a_model_of_the_notebook_does(project, texts, monkeypatch):
    corpus, questions = texts
    model = load_sparse_embed(project / "vectors")
    asked = model.encode(questions.texts, 8, "query")
    held = model.encode(corpus.whole_texts(), side="document")
    by_vectors = all_scores(
        *(TermVectors(side["activations"], side["embeddings"]) for side in (asked, held))
    ).numpy()
    by_weights = (asked["sparse_activations"] @ held["sparse_activations"].T).numpy()
    whole, weighed, sharded = (read_run(project / file, corpus.ids)[1] for file in ORDERED)
    assert_scores(weighed, questions, by_weights, rtol=1e-4)
    # vectors are written in half precision
    assert_scores(whole, questions, by_vectors, rtol=3e-3)
    assert [len(whole.ranked[name]) for name in questions.ids] == (by_vectors > 0).sum(axis=1).tolist()
    for name in questions.ids:
        np.testing.assert_array_equal(sharded.ranked[name].rows, whole.ranked[name].rows)
    made = read_json(project / ORDERED[0].replace(".parquet", ".made.json"))
    alone = read_json(project / ORDERED[1].replace(".parquet", ".made.json"))
    # each of the terms has four values of half precision
    assert made["index_bytes"] - alone["index_bytes"] == 310 * made["terms_per_document"] * 4 * 2
    monkeypatch.chdir(project)
    assert_explained("ordered", whole, next(name for name in questions.ids if len(whole.ranked[name])))
