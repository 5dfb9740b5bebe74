"""`sentflow search`: its options and its files of answers."""

import json

import numpy as np

from sentflow.cli.search import write_answers
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.runs import read_run
from sentflow.texts.corpora import Corpus

CORPUS = Corpus("c", "raw", "en", ["a|1", "a|2", "b|1"], ["One", "", ""], ["of one", "two", "three " * 100])
FIRST, SECOND = Ranked(np.array([2, 0, 1]), np.array([3.0, 2.0, 1.0])), Ranked(np.array([1]), np.array([0.5]))
FOUND = Run(CORPUS.ids, {"q1": FIRST, "q2": SECOND})


def written(path):
    write_answers(path, FOUND, ("q1", "q2", "q3"), retriever="bm25")
    return path


def test_a_submission_has_every_question_and_runs_are_those_of_the_pipeline_or_of_trec(tmp_path):
    found = json.loads(written(tmp_path / "submission.json").read_text(encoding="utf-8"))
    assert [one["question_id"] for one in found] == ["q1", "q2", "q3"]
    assert found[1]["relevant_articles"] == [{"law_id": "a", "article_id": "2"}]
    assert found[2]["relevant_articles"] == []
    about, run = read_run(written(tmp_path / "a.parquet"), CORPUS.ids)
    assert (about["retriever"], run.documents("q1")) == ("bm25", ["b|1", "a|1", "a|2"])
    lines = written(tmp_path / "a.run").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "q1 Q0 b|1 1 3.0 bm25"
    assert len(lines) == 4
