"""A search by weights of terms through the pipeline, beside the library's own encoder, and asked anew."""

import json
from pathlib import Path

import numpy as np
import pytest
from tiny_bert import save_tiny_masked_bert
from typer.testing import CliRunner
from workflow_copy import REPOSITORY, copy_workflow, snakemake

from sentflow.cli.app import app
from sentflow.files.io import read_json
from sentflow.retrieval.runs import read_run
from sentflow.texts.corpora import read_corpus, read_questions

pytestmark = pytest.mark.slow

CONFIG = REPOSITORY / "tests/fixtures/weighed.yaml"
CORPUS = "municipal-laws-sample"
RUN = f"results/runs/{CORPUS}/weighed.parquet"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_workflow(tmp_path_factory.mktemp("weighed") / "project")
    save_tiny_masked_bert(folder / "model")
    outcome = snakemake(folder, "--cores", "2", "--configfile", str(CONFIG), "--", RUN)
    assert outcome.code == 0, outcome.text[-6000:]
    return folder


def test_the_run_is_that_of_the_librarys_encoder_and_is_found_anew(project, tmp_path, monkeypatch):
    from sentence_transformers import SparseEncoder

    data = project / "results/data"
    corpus = read_corpus(data / f"corpora/{CORPUS}.parquet")
    questions = read_questions(data / f"questions/{CORPUS}.parquet", data / f"judgements/{CORPUS}.parquet")
    library = SparseEncoder(str(project / "model"), device="cpu")

    def weighed(texts, most):
        return library.encode(texts, max_active_dims=most, convert_to_sparse_tensor=False).numpy()

    scores = weighed(questions.texts, 8) @ weighed(corpus.whole_texts(), 20).T
    _, run = read_run(project / RUN, corpus.ids)
    assert len(run.ranked) == len(questions) > 100
    for row, name in enumerate(questions.ids):
        found = run.ranked[name]
        np.testing.assert_allclose(found.scores, np.sort(scores[row])[::-1][: len(found)], rtol=1e-4)
        np.testing.assert_allclose(found.scores, scores[row][found.rows], rtol=1e-4)
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

    name = questions.ids[0]
    words = ["--retriever", "weighed", "--questions", CORPUS, "--question", name, "--json"]
    result = CliRunner().invoke(app, ["explain", "--configfile", str(CONFIG), *words])
    assert result.exit_code == 0, result.output
    first = json.loads(result.stdout)["documents"][0]
    assert first["document"] == run.documents(name)[0]
    assert sum(term["addend"] for term in first["terms"]) == pytest.approx(
        run.ranked[name].scores[0], rel=1e-5
    )
