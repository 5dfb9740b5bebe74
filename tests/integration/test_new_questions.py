"""`sentflow search` beside the pipeline: the same questions, asked anew, get the answers of the runs."""

import json
import shutil
from pathlib import Path

import called
import numpy as np
import pytest
from workflow_copy import REPOSITORY, copy_workflow, snakemake

from sentflow.retrieval.decisions import read_decided
from sentflow.retrieval.ranking import read_run
from sentflow.texts.corpora import read_corpus, read_questions

pytestmark = pytest.mark.slow

ASKED = REPOSITORY / "tests/fixtures/asked.yaml"
CORPORA = {"laws": "municipal-laws-sample", "laws-in-shards": "in-shards"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_workflow(tmp_path_factory.mktemp("asked") / "project")
    targets = [
        file.format(name)
        for name in CORPORA
        for file in (
            "results/decisions/{}/bm25-x-tuned/window.parquet",
            "results/runs/{}/tuned-times-bm25.parquet",
        )
    ]
    outcome = snakemake(folder, "--cores", "2", "--configfile", str(ASKED), "--", *targets)
    assert outcome.code == 0, outcome.text[-6000:]
    return folder


@pytest.fixture
def here(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(project)
    return project


def answered(*words: object) -> str:
    result = called.run("search", "--configfile", ASKED, *words)
    assert result.exit_code == 0, result.output  # what is read is told meanwhile
    return result.stdout


def refused(*words: object) -> str:
    result = called.run("search", "--configfile", ASKED, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


def questions_of(project: Path, name: str = "laws"):
    data = project / "results/data"
    return read_questions(data / f"questions/{name}.parquet", data / f"judgements/{name}.parquet")


def as_challenge(project: Path, path: Path, name: str = "laws") -> Path:
    """The questions of a set in the form of the Zalo challenge."""
    asked = questions_of(project, name)
    items = [{"question_id": one, "question": text} for one, text in zip(asked.ids, asked.texts, strict=True)]
    path.write_text(json.dumps({"items": items}), encoding="utf-8")
    return path


def assert_same(found, run) -> None:
    """Equal documents, and scores up to the rounding of vectors that were embedded in other batches."""
    assert [*found.ranked] == [*run.ranked]
    for name in run.ranked:
        assert found.documents(name) == run.documents(name)
        np.testing.assert_allclose(found.ranked[name].scores, run.ranked[name].scores, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("question_set", "retriever"),
    [("laws", "words"), ("laws-in-shards", "bm25-x-tuned"), ("laws", "tuned-times-bm25")],
)
def test_the_questions_of_a_set_get_the_run_of_the_pipeline(here, tmp_path, retriever, question_set):
    corpus = CORPORA[question_set]
    asked, output = as_challenge(here, tmp_path / "asked.json", question_set), tmp_path / "found.parquet"
    answered(asked, "--corpus", corpus, "--retriever", retriever, "--output", output)
    ids = read_corpus(here / f"results/data/corpora/{corpus}.parquet").ids
    about, found = read_run(output, ids)
    _, run = read_run(here / f"results/runs/{question_set}/{retriever}.parquet", ids)
    assert len(run.ranked) > 100
    assert about["retriever"] == retriever
    assert_same(found, run)


def test_a_tuned_decision_keeps_what_the_pipeline_keeps(here, tmp_path):
    asked, output = as_challenge(here, tmp_path / "asked.json"), tmp_path / "found.parquet"
    by = ("--decision", "window", "--retriever", "bm25-x-tuned")
    answered(asked, "--corpus", CORPORA["laws"], *by, "--output", output)
    decided = read_decided(here / "results/decisions/laws/bm25-x-tuned/window.parquet").documents
    _, found = read_run(output, read_corpus(here / "results/data/corpora/municipal-laws-sample.parquet").ids)
    assert {name: found.documents(name) for name in found.ranked} == decided
    assert len({len(documents) for documents in decided.values()}) > 1


def test_a_question_that_weights_were_tuned_on_is_refused_and_others_answer_it(here):
    training = questions_of(here, "municipal-laws-training-sample").texts[0]
    words = ("--ask", training, "--corpus", CORPORA["laws"])
    assert "shares questions with what it is tuned on" in refused(*words, "--retriever", "tuned")
    assert "shares questions with what it is tuned on" in refused(
        *words, "--decision", "window", "--retriever", "bm25"
    )
    assert "#" in answered(*words, "--retriever", "bm25")


def test_what_is_not_there_is_named_as_a_target_that_makes_it(here, tmp_path):
    results = tmp_path / "results"
    shutil.copytree(here / "results", results)
    vectors = "embeddings/bag-of-words/municipal-laws-sample/documents+words-30.npy"
    (results / vectors).unlink()
    said = refused("--ask", "taxa", "--corpus", CORPORA["laws"], "--results", results)
    assert "lack 1 file" in said
    command = said.splitlines()[-1]
    assert command == f"sentflow run --cores all results/{vectors} --configfile {ASKED}"
    # BM25 needs no vectors
    answered("--ask", "taxa", "--corpus", CORPORA["laws"], "--retriever", "bm25", "--results", results)
