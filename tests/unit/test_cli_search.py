"""`sentflow search`: its options, files of questions and of answers, and the arguments of every kind of search."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

from sentflow.cli.answering import ASKED, Answering
from sentflow.cli.answers import answers_shown, write_answers
from sentflow.cli.app import app
from sentflow.cli.new_questions import question_source
from sentflow.cli.steps import COMMANDS, missing
from sentflow.errors import DataError
from sentflow.graph.config.experiment import load_experiment
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.runs import read_run
from sentflow.texts.corpora import Corpus, read_questions

REPOSITORY = Path(__file__).parents[2]
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
SAMPLE = "municipal-laws-sample"
NOTHING = dict.fromkeys(("tasks", "pair_sets", "alignments", "regressions"), [])
TRAINING = ["municipal-laws-training-sample"]
RETRIEVERS = {
    "words": {"kind": "dense", "model": "bag-of-words", "passages": "parts"},
    "near": {"kind": "dense", "model": "bag-of-words", "index": {"kind": "hnsw"}},
    "tuned": {"kind": "fusion", "of": ["bm25", "words"], "rule": "sum", "weights": {"tuned_on": TRAINING}},
    "weighed": {"kind": "sparse", "model": "terms"},
    "quick": {"kind": "sparse", "model": "terms", "index": {"kind": "seismic"}},
    "again": {"kind": "rerank", "of": "tuned", "model": "cross", "passages": "parts"},
    "random-order": {"kind": "random"},
    "chance-seed-1": {"kind": "random", "seed": 1, "seed_of": "chance"},
    "theirs": {"kind": "run", "files": {SAMPLE: "theirs.run"}},
}
CONFIG = {
    "select": {
        **NOTHING,
        "models": ["bag-of-words"],
        "question_sets": [SAMPLE],
        "retrievers": ["bm25", *RETRIEVERS],
        "decisions": ["window"],
    },
    "models": {
        "cross": {"kind": "cross-encoder", "source": {"folder": "cross"}},
        "terms": {"kind": "splade", "source": {"folder": "terms"}},
    },
    "passages": {"parts": {"words": 30}},
    "retrievers": RETRIEVERS,
    "decisions": {
        "window": {"window": {"from": 0, "to": 2, "step": 1}, "tuned_on": TRAINING, "retrievers": ["tuned"]}
    },
}
CORPUS = Corpus("c", "raw", "en", ["a|1", "a|2", "b|1"], ["One", "", ""], ["of one", "two", "three " * 100])
FOUND = Run(
    CORPUS.ids,
    {
        "q1": Ranked(np.array([2, 0, 1]), np.array([3.0, 2.0, 1.0])),
        "q2": Ranked(np.array([1]), np.array([0.5])),
    },
)


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "theirs.run").write_text("q1 Q0 d1 1 1 x\n", encoding="utf-8")
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(CONFIG), encoding="utf-8")
    return path


def refused(config, *words):
    result = CliRunner().invoke(app, ["search", "--configfile", str(config), *map(str, words)])
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


# --- the jobs


def steps(config, retriever, decision=None):
    merged = {**DEFAULT, **CONFIG, "select": {**DEFAULT["select"], **CONFIG["select"]}}
    experiment = load_experiment(merged, REPOSITORY / "workflow")
    source = {"format": "jsonl", "files": ["asked.jsonl"], "id": "_id", "text": "text"}
    return Answering(experiment, SAMPLE, source, Path("asked.jsonl")).steps(retriever, decision)


@pytest.mark.parametrize("retriever", ["bm25", "words", "near", "weighed", "quick", "again", "random-order"])
def test_commands_take_the_arguments_that_their_rules_give_them(config, retriever):
    rules = "".join(
        file.read_text(encoding="utf-8") for file in (REPOSITORY / "workflow/rules").rglob("*.smk")
    )
    for step in steps(config, retriever, "window" if retriever == "again" else None):
        words = step.words(Path)
        COMMANDS[step.command].parser().parse_args(words)
        call = re.search(rf'"python -m sentflow\.commands\.{step.command} (.*?)2>&1"', rules, re.DOTALL)
        assert call is not None
        of_rule = set(re.findall(r"--[a-z-]+", call[1]))
        assert {word.partition("=")[0] for word in words if word.startswith("--")} <= of_rule
        given = {*step.given, *step.reads, *step.writes.values()}
        # what changes no byte: expected numbers of rows, and vectors of earlier runs
        assert of_rule - given <= {"--checks", "--code", "--kept-beside"}


def test_jobs_follow_those_that_they_read_and_questions_are_embedded_once(config):
    found = steps(config, "tuned", "window")
    assert [step.command for step in found] == [
        *("prepare_questions", "collect", "embed", "search_terms", "search_vectors", "fuse", "decide")
    ]
    made: set[str] = set()
    for step in found:
        asked = {file for files in step.reads.values() for file in files if ASKED in file}
        assert asked <= made
        made |= step.writes.keys()
    absent = missing(found, Path("nowhere"))
    assert "results/fusions/tuned.parquet" in absent
    assert f"results/runs/{TRAINING[0]}/tuned.parquet" in absent
    assert not made & {*absent}


def test_what_is_missing_is_told_with_the_command_that_makes_it(config):
    said = refused(config, "--ask", "why?", "--retriever", "bm25")
    terms = f"results/data/terms/{SAMPLE}/long-words.parquet"
    command = f"sentflow run --cores all results/data/corpora/{SAMPLE}.parquet {terms} --configfile {config}"
    assert said.splitlines()[-1] == command


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "a file of questions, or one question with --ask"),
        (["questions.txt", "--ask", "why?"], "one of both"),
        (["--ask", " "], "--ask: there is no question"),
        (["questions.txt"], "write with --output where the answers go"),
        (
            ["questions.txt", "--output", "x.json"],
            "a submission holds what was decided. Write --decision NAME",
        ),
        (["questions.txt", "--output", "x.run"], "there is no file questions.txt"),
        (["--ask", "why?", "--retriever", "bm52"], "'bm52' is not selected. Did you mean bm25?"),
        (
            ["--ask", "why?", "--retriever", "chance"],
            "chance stands for one retriever per seed. Write one of: chance-seed-1.",
        ),
        (["--ask", "why?", "--retriever", "theirs"], "theirs needs runs of another engine (theirs)"),
        (["--ask", "why?", "--corpus", "laws"], "there is no corpus 'laws' in this experiment"),
        (
            ["--ask", "why?", "--decision", "none"],
            "--decision: 'none' is not selected. Write one of: window.",
        ),
        (["--ask", "why?", "--decision", "window", "--retriever", "bm25"], "Write --retriever tuned."),
    ],
)
def test_options_that_do_not_fit_are_one_paragraph(config, words, said):
    assert said in refused(config, *words)


# --- files


@pytest.mark.parametrize(
    ("name", "content", "asked"),
    [
        ("a.json", '{"items": [{"question_id": "q1", "question": "Why?"}]}', {"q1": "Why?"}),
        ("a.json", '[{"question_id": "q1", "question": "Why?", "relevant_articles": []}]', {"q1": "Why?"}),
        ("a.jsonl", '{"_id": "q1", "text": "Why?"}\n{"_id": "q2", "text": "How?"}\n', {"q1": "Why?", "q2": "How?"}),
        ("a.txt", "Why?\n\n  Như thế nào? \n", {"line-1": "Why?", "line-3": "Như thế nào?"}),
    ],
)  # fmt: skip
def test_questions_are_read_in_every_form(tmp_path, name, content, asked):
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert read_by_the_pipeline(tmp_path, name) == asked


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", '{"questions": []}', "a.json is not of the form"),
        ("a.jsonl", '{"_id": "q1", "text": "Why?"}\n{"_id": "q1", "text": "How?"}\n', "another question than before"),
        ("a.txt", "\n\n", "holds no question"),
    ],
)  # fmt: skip
def test_files_of_questions_that_are_not_in_order(tmp_path, name, content, said):
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        read_by_the_pipeline(tmp_path, name)


def read_by_the_pipeline(folder, name):
    from sentflow.commands import prepare_questions
    from sentflow.texts.corpora import write_corpus

    path, source = question_source(folder / name, folder)
    write_corpus(folder / "c.parquet", CORPUS)
    settings = {
        "corpus": "c",
        "questions": [source],
        "judgements": [],
        "data_version": "raw",
        "language": "en",
    }
    files = [str(folder / f"{one}.parquet") for one in ("c", "q", "j")]
    prepare_questions.main(
        [
            *("--questions", ASKED, "--raw", str(path), "--settings", json.dumps(settings)),
            *("--corpus", files[0], "--output", files[1], "--judgements", files[2]),
        ]
    )
    found = read_questions(*files[1:])
    return dict(zip(found.ids, found.texts, strict=True))


def written(path, found=FOUND, asked=("q1", "q2", "q3")):
    write_answers(path, found, asked, question_set=ASKED, retriever="bm25")
    return path


def test_a_submission_has_every_question(tmp_path):
    found = json.loads(written(tmp_path / "a.json").read_text(encoding="utf-8"))
    assert [one["question_id"] for one in found] == ["q1", "q2", "q3"]
    assert found[1]["relevant_articles"] == [{"law_id": "a", "article_id": "2"}]
    assert found[2]["relevant_articles"] == []


def test_a_submission_of_documents_that_are_no_articles_is_refused(tmp_path):
    with pytest.raises(DataError, match="is no article of a law"):
        written(tmp_path / "a.json", Run(["d1"], {"q1": Ranked(np.array([0]), np.array([1.0]))}))


def test_runs_are_those_of_the_pipeline_or_of_trec(tmp_path):
    about, run = read_run(written(tmp_path / "a.parquet"), CORPUS.ids)
    assert (about["retriever"], run.documents("q1")) == ("bm25", ["b|1", "a|1", "a|2"])
    lines = written(tmp_path / "a.run").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "q1 Q0 b|1 1 3.0 bm25"
    assert len(lines) == 4


def test_first_documents_are_shown_and_long_texts_cut():
    many = Run([f"d{row}" for row in range(9)], {"q": Ranked(np.arange(9), np.arange(9, 0, -1.0))})
    corpus = Corpus("c", "raw", "en", [*many.document_ids], [""] * 9, ["word " * 100] * 9)
    shown = answers_shown(many, "q", corpus, title="BM25: why?", decided=False)
    assert [row[1] for row in shown.rows] == ["d0", "d1", "d2", "d3", "d4"]
    assert shown.notes == ("4 further documents below them.",)
    assert all(len(row[3]) < 210 and row[3].endswith("…") for row in shown.rows)
    assert len(answers_shown(many, "q", corpus, title="", decided=True).rows) == 9
    nothing = answers_shown(Run(CORPUS.ids, {}), "q", CORPUS, title="", decided=False)
    assert (nothing.rows, nothing.notes) == ([], ("No document was found.",))
