"""A chain of two rounds, run for good: what it makes."""

import pytest
import yaml
from small_chain import TEST, TRAINING, chain
from workflow_copy import TINY, copy_workflow, snakemake

from sentflow.texts.corpora import read_corpus, read_questions
from sentflow.training.data.table import read_training_data

pytestmark = pytest.mark.nightly


def test_a_chain_of_two_rounds_mines_no_relevant_text(tmp_path):
    project = copy_workflow(tmp_path / "project")
    config = project / "chain.yaml"
    config.write_text(yaml.safe_dump(chain(steps=12)), encoding="utf-8")
    last = f"results/runs/{TEST}/bm25-x-round-2-seed-1.parquet"
    outcome = snakemake(project, last, "--cores", "2", "--configfile", str(TINY), str(config))
    assert outcome.code == 0, outcome.text[-6000:]
    assert (project / last).is_file()
    results = project / "results"
    corpus = read_corpus(results / f"data/corpora/{TEST}.parquet")
    questions = read_questions(
        results / f"data/questions/{TRAINING}.parquet", results / f"data/judgements/{TRAINING}.parquet"
    )
    text_of = dict(zip(corpus.ids, corpus.whole_texts(), strict=True))
    grades = questions.by_question()
    partly = {
        question: {text_of[document] for document, grade in grades[name].items() if grade > 0}
        for name, question in zip(questions.ids, questions.texts, strict=True)
    }
    for data in ("of-bm25", "of-round-1-seed-1"):
        rows = read_training_data(results / f"data/training/{data}.parquet").rows()
        assert rows
        assert not [row for row in rows if row["negative"] in partly[row["text"]]]
