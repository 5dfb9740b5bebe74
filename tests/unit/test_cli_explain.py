"""`sentflow explain`: the terms behind the scores of a run."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from called import printed, refused
from experiments import WORKFLOW
from retrievers import bm25_settings

from sentflow.cli.configuration import read_configuration
from sentflow.config.load import load_experiment
from sentflow.families.retrieval.family import Retrieval
from sentflow.files.io import write_digest
from sentflow.flow import paths
from sentflow.retrieval.ranking import Run, write_run
from sentflow.retrieval.retrievers.bm25 import Bm25
from sentflow.retrieval.term_index import TermIndex
from sentflow.texts.corpora import Corpus, Questions, write_corpus, write_questions

SET = "municipal-laws-sample"
CONFIG = {
    "select": {
        **dict.fromkeys(("tasks", "pair_sets", "alignments", "regressions"), []),
        "models": ["bag-of-words"],
        "question_sets": [SET],
        "retrievers": ["bm25", "random-order"],
    },
    "retrievers": {"random-order": {"kind": "random"}},
}
TEXTS = ["lei da cidade cidade", "saúde da lei", "praças", "lei das praças de todos"]
ASKED = {"q1": "lei da cidade?", "q2": "praças", "q3": "nada"}
JUDGED = (np.array([0, 0, 1]), ["d1", "d3", "d0"], np.array([2, 1, 2]))


def made(pattern, **names):
    path = Path(pattern.format(**names))
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture
def _finished(tmp_path, monkeypatch):
    """A configuration, and what its rules write before anything is explained."""
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(yaml.safe_dump(CONFIG, allow_unicode=True), encoding="utf-8")
    family = Retrieval(load_experiment(read_configuration([Path("mine.yaml")]), WORKFLOW))
    ids, names = ["d0", "d1", "d2", "d3"], {"questions": SET, "corpus": SET}
    questions = Questions(SET, SET, "raw", "pt", 2, [*ASKED], [*ASKED.values()], [""] * 3, *JUDGED)
    write_corpus(made(paths.CORPUS, **names), Corpus(SET, "raw", "pt", ids, [""] * len(ids), TEXTS))
    write_questions(made(paths.QUESTIONS, **names), made(paths.JUDGEMENTS, **names), questions)
    terms = [text.split() for text in TEXTS]
    job = SimpleNamespace(questions=SET, retriever="bm25")
    analyser = json.dumps(json.loads(family.search_settings(job))["analyser"])
    index = TermIndex.of([terms], corpus=SET, analyser=analyser)
    index.write(file := made(*family.terms(job)))
    write_digest(file)
    words = [text.rstrip("?").split() for text in ASKED.values()]
    ranked = Bm25(index, bm25_settings()).search(words, 10)
    about = {"questions": SET, "retriever": "bm25"}
    write_run(made(paths.RUN, **about), Run(ids, dict(zip(ASKED, ranked, strict=True))), about)


def explain(retriever, question, *words):
    asked = ["--retriever", retriever, "--questions", SET, "--question", question, *words]
    return ["explain", "--configfile", "mine.yaml", *asked]


@pytest.mark.usefixtures("_finished")
def test_the_best_document_and_the_best_relevant_one_are_explained():
    first, second = printed(*explain("bm25", "q1")).split("d1, rank 2")
    assert "d0, rank 1, score" in first and "not judged: lei da cidade cidade" in first
    assert [line.split()[0] for line in first.splitlines() if "%" in line] == ["cidade", "da", "lei"]
    assert "relevant: saúde da lei" in second and "cidade" not in second
    assert "Nothing was found" in printed(*explain("bm25", "q3"))
    found = json.loads(printed(*explain("bm25", "q1", "--json", "--document", "d3", "--document", "d2")))
    first, second = found["documents"]
    assert (first["document"], first["grade"], first["is_relevant"], first["rank"]) == ("d3", 1, False, 3)
    assert sum(term["addend"] for term in first["terms"]) == pytest.approx(first["score"])
    assert sum(term["share"] for term in first["terms"]) == pytest.approx(1)
    assert (second["rank"], second["score"], second["terms"]) == (None, 0, [])


@pytest.mark.usefixtures("_finished")
def test_what_cannot_be_explained_is_refused():
    for retriever, question, said in (
        ("random-order", "q1", "kind random"),
        ("bm52", "q1", "Did you mean bm25?"),
        ("bm25", "q11", "q11"),
    ):
        assert said in refused(*explain(retriever, question))
