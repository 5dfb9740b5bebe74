"""A chain of two rounds, run for good: what it makes, and that a kill changes no byte of it."""

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from made_once import made_once
from small_chain import TEST, TRAINING, chain
from typer.testing import CliRunner
from workflow_copy import TINY, copy_workflow, environment, snakemake, snakemake_words

from sentflow.cli.app import app
from sentflow.files.parquet import read_described
from sentflow.retrieval.runs import read_run
from sentflow.texts.corpora import read_corpus, read_questions
from sentflow.training.data.table import read_training_data

pytestmark = pytest.mark.slow

STEPS = 12
WAIT_SECONDS = 1200  # for what never comes; a busy machine takes its time
COMPARED = ("models", "runs", "data/training", "training/*/record.json", "training/*/history.parquet")


def arguments(project: Path) -> tuple[str, ...]:
    config = project / "chain.yaml"
    config.write_text(yaml.safe_dump(chain(steps=STEPS)), encoding="utf-8")
    last = f"results/runs/{TEST}/bm25-x-round-2-seed-1.parquet"
    return (last, "--cores", "1", "--configfile", str(TINY), str(config))


def run(project: Path) -> None:
    outcome = snakemake(project, "--rerun-incomplete", *arguments(project))
    assert outcome.code == 0, outcome.text[-6000:]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    def make(folder: Path) -> None:
        run(copy_workflow(folder / "project"))

    return made_once(tmp_path_factory, "chain run", make) / "project" / "results"


def compared(results: Path) -> dict[str, bytes]:
    """Every file that a chain is judged by; what it cost is not among them."""
    found = [path for pattern in COMPARED for path in results.glob(pattern)]
    files = [file for path in found for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    return {
        str(file.relative_to(results)): file.read_bytes()
        for file in files
        if file.is_file() and not file.name.endswith(".made.json") and "fetch" not in file.name
    }


def test_negatives_are_never_a_relevant_text(undisturbed):
    corpus = read_corpus(undisturbed / f"data/corpora/{TEST}.parquet")
    questions = read_questions(
        undisturbed / f"data/questions/{TRAINING}.parquet",
        undisturbed / f"data/judgements/{TRAINING}.parquet",
    )
    text_of = dict(zip(corpus.ids, corpus.whole_texts(), strict=True))
    grades = questions.by_question()
    partly = {
        question: {text_of[document] for document, grade in grades[name].items() if grade > 0}
        for name, question in zip(questions.ids, questions.texts, strict=True)
    }
    for data in ("of-bm25", "of-round-1-seed-1"):
        rows = read_training_data(undisturbed / f"data/training/{data}.parquet").rows()
        assert rows
        assert not [row for row in rows if row["negative"] in partly[row["text"]]]


def test_the_second_round_is_mined_by_the_first(undisturbed):
    _, looked_at = read_described(undisturbed / "data/training/of-round-1-seed-1.negatives.parquet")
    _, run_of_first = read_described(undisturbed / f"runs/{TRAINING}/round-1-seed-1.parquet")
    ranked = {}
    for question, document, score in zip(*run_of_first.to_pydict().values(), strict=True):
        ranked.setdefault(question, {})[document] = (len(ranked.get(question, {})) + 1, score)
    found = looked_at.to_pydict()
    assert [*zip(found["rank"], found["score"], strict=True)] == [
        ranked[question][document]
        for question, document in zip(found["question"], found["document"], strict=True)
    ]
    record = json.loads((undisturbed / "training/round-2-seed-1/record.json").read_text(encoding="utf-8"))
    assert (record["start"]["name"], record["data"]["name"]) == ("round-1-seed-1", "of-round-1-seed-1")


def test_a_chain_that_is_killed_at_each_stage_goes_on_to_the_same_bytes(undisturbed, tmp_path):
    project = copy_workflow(tmp_path / "project")
    for stage in ("train/round-1-seed-1", "mine_training/of-round-1-seed-1", "train/round-2-seed-1"):
        kill_in(project, project / f"results/logs/{stage}.log", tmp_path / "run.log")
    run(project)
    expected, found = compared(undisturbed), compared(project / "results")
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name] != expected[name]] == []


def kill_in(project: Path, stage: Path, said: Path) -> None:
    """Begin or go on, and kill everything without warning once a job has begun to write its log."""
    with said.open("wb") as stream:
        words = snakemake_words("--rerun-incomplete", *arguments(project))
        process = subprocess.Popen(
            words, cwd=project, env=environment(), stdout=stream, stderr=stream, start_new_session=True
        )
    deadline = time.monotonic() + WAIT_SECONDS
    while not stage.exists():
        assert process.poll() is None, said.read_text(encoding="utf-8")[-4000:]
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    snakemake(project, "--unlock", *arguments(project)[1:])


def test_trained_encoders_answer_new_questions_as_the_pipeline_does(undisturbed, tmp_path):
    retriever, config, asked = "bm25-x-round-2-seed-1", tmp_path / "chain.yaml", tmp_path / "asked.jsonl"
    config.write_text(yaml.safe_dump(chain(steps=STEPS)), encoding="utf-8")
    data = undisturbed / "data"
    questions = read_questions(data / f"questions/{TEST}.parquet", data / f"judgements/{TEST}.parquet")
    rows = zip(questions.ids, questions.texts, strict=True)
    asked.write_text(
        "\n".join(json.dumps({"_id": name, "text": text}) for name, text in rows), encoding="utf-8"
    )
    words = ["--configfile", str(TINY), "--configfile", str(config), "--results", str(undisturbed)]
    output = tmp_path / "found.parquet"
    told = CliRunner().invoke(
        app, ["search", str(asked), *words, "--retriever", retriever, "--output", str(output)]
    )
    assert told.exit_code == 0, told.output
    ids = read_corpus(data / f"corpora/{TEST}.parquet").ids
    found, run = (
        read_run(path, ids)[1] for path in (output, undisturbed / f"runs/{TEST}/{retriever}.parquet")
    )
    assert {name: found.documents(name) for name in found.ranked} == {
        name: run.documents(name) for name in run.ranked
    }
    for name, one in run.ranked.items():
        # questions may be embedded in other batches
        assert found.ranked[name].scores == pytest.approx(one.scores, rel=1e-5)
