"""The jobs of retrieval one after the other, on files written here, and what they refuse."""

import json
from pathlib import Path

import numpy as np
import pytest

from sentflow.compare.rows import QuestionDifference
from sentflow.config.collections import Analyser as AnalyserSettings
from sentflow.config.collections import CorpusSettings, QuestionSettings
from sentflow.errors import DataError
from sentflow.files.io import read_sealed
from sentflow.files.rows import read_rows
from sentflow.retrieval.decisions import read_decided
from sentflow.retrieval.evaluation import read_values
from sentflow.retrieval.hardest import HardQuestion
from sentflow.retrieval.jobs import analyse, compare_retrieval, decide, evaluate, hardest_questions, search
from sentflow.retrieval.ranking import read_run as read_run_file
from sentflow.retrieval.settings import (
    DecideSettings,
    EvaluateSettings,
    HardestSettings,
    RetrievalComparisonSettings,
    SearchSettings,
)
from sentflow.texts.jobs import prepare_corpus, prepare_questions
from sentflow.training.jobs import evaluate_snapshot
from sentflow.training.settings import ScoredSnapshot

TEXTS = ["wings and flow", "heat transfer", "wings of heat", "sound"]
QUESTIONS = {"q1": "wings?", "q2": "heat transfer", "q3": "loud sound"}
RELEVANT = {"q1": "d0", "q2": "d1", "q3": "d3"}
CORPUS = Path("c.parquet")
ASKED = {"questions": Path("q.parquet"), "judgements": Path("j.parquet")}
WORDS = AnalyserSettings(units="words")
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
    prepare_corpus(
        corpus="c",
        raw=[Path("corpus.jsonl")],
        settings=CorpusSettings.from_parts(corpus),
        table=Path("c.parquet"),
    )
    questions_prepared()
    analyse(corpus=CORPUS, analyser="words", settings=WORDS, table=Path("t.parquet"))
    return tmp_path


def questions_prepared(**keys):
    questions = {
        **COMMON,
        "corpus": "c",
        "questions": [{**LINES, "files": ["questions.jsonl"]}],
        "judgements": [{"format": "jsonl", "files": ["judgements.jsonl"], "question": "q", "document": "d"}],
        **keys,
    }
    prepare_questions(
        questions="q",
        raw=[Path("questions.jsonl"), Path("judgements.jsonl")],
        corpus=CORPUS,
        settings=QuestionSettings.from_parts(questions),
        table=ASKED["questions"],
        judgements=ASKED["judgements"],
    )


def searched(output, by, depth=3, *, analyser=None, **inputs):
    given = {"retriever": Path(output).stem, "depth": depth, "by": by}
    settings = SearchSettings.model_validate(given | ({"analyser": analyser} if analyser else {}))
    search(corpus=CORPUS, **ASKED, settings=settings, run=Path(output), **inputs)
    about, run = read_run_file(output, [f"d{row}" for row in range(len(TEXTS))])
    return about, {name: run.documents(name) for name in run.ranked}


def bm25(depth=3):
    by = {"kind": "bm25", "analyser": "words"}
    return searched("bm25.parquet", by, depth, analyser=WORDS, terms=Path("t.parquet"))


def run_file(name, file, depth=3):
    by = {"kind": "run", "files": {"q": str(file)}}
    return searched(f"{name}.parquet", by, depth, trec=Path(file))


def evaluated(*names, **settings):
    """Values per question of runs that were written, or of the only one."""
    given = {"measures": ["nDCG@10"], "level": 0.95, "n_resamples": 50, "seed": 1, **settings}
    given = EvaluateSettings.model_validate(given)
    runs, rows = ([Path(f"{name}{end}.parquet") for name in names] for end in ("", "-r"))
    scores = [Path(f"{name}-r.json") for name in names]
    evaluate(runs=runs, corpus=CORPUS, **ASKED, settings=given, scores=scores, rows=rows)
    found = [*map(read_values, rows)]
    return found if names[1:] else found[0]


def quoted(pair=()):
    names = ("bm25", "other")
    settings = HardestSettings(retrievers=names, controls=(), pair=tuple(pair), measure="nDCG@10", limit=2)
    hardest_questions(
        corpus=CORPUS,
        **ASKED,
        runs=[Path(f"{name}.parquet") for name in names],
        rows=[Path(f"{name}-r.parquet") for name in names],
        settings=settings,
        output=Path("hard.parquet"),
    )
    return read_rows("hard.parquet", HardQuestion)


def test_an_expanded_question_finds_documents_without_its_own_terms(prepared):
    by = {"kind": "bm25-rm3", "analyser": "words"}
    _, found = searched("rm3.parquet", by, 4, analyser=WORDS, terms=Path("t.parquet"))
    assert set(bm25(4)[1]["q1"]) == {"d0", "d2"}
    assert (found["q1"][2:], found["q3"]) == (["d1"], ["d3"])  # heat, which d2 has beside wings


@pytest.mark.parametrize(("measure", "value"), [("RR@10", (1 / 2 + 1 + 0) / 3), ("RR@1", (0 + 1 + 0) / 3)])
def test_a_snapshot_is_worth_the_mean_over_all_development_questions(prepared, measure, value):
    (prepared / "run.trec").write_text("q1 Q0 d1 1 9 x\nq1 Q0 d0 2 1 x\nq2 Q0 d1 1 1 x\n", encoding="utf-8")
    run_file("snapshot", "run.trec")
    settings = ScoredSnapshot(model="mine", step=20, pairs="q", measure=measure)
    evaluate_snapshot(
        corpus=CORPUS, **ASKED, run=Path("snapshot.parquet"), settings=settings, output=Path("s.json")
    )
    found = read_sealed("s.json")
    assert (found["step"], found["pairs"], found["measures"]) == (20, "q", {measure: pytest.approx(value)})


def test_hardest_questions_and_those_that_two_retrievers_disagree_on(prepared):
    bm25()
    (prepared / "run.trec").write_text("q1 Q0 d1 1 9 x\nq1 Q0 d0 2 1 x\nq2 Q0 d1 1 1 x\n", encoding="utf-8")
    run_file("other", "run.trec")
    Path("damaged.parquet").write_bytes(b"no run")
    with pytest.raises(DataError, match="^damaged on q: "):
        evaluated("bm25", "damaged", "other")
    evaluated("bm25", "other")
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


def test_a_retriever_that_equal_scores_decide_on_is_not_tested(prepared):
    bm25()  # d0 and d2 have the same score for q1
    (prepared / "a.trec").write_text("q1 Q0 d0 1 2 x\nq2 Q0 d0 1 2 x\nq3 Q0 d3 1 1 x\n", encoding="utf-8")
    (prepared / "b.trec").write_text("q1 Q0 d0 1 2 x\nq1 Q0 d1 1 1 x\nq2 Q0 d1 1 1 x\n", encoding="utf-8")
    for name in ("a", "b"):
        run_file(name, f"{name}.trec")
    for name in ("a", "b", "bm25"):
        evaluated(name)
    settings = RetrievalComparisonSettings(
        question_sets=["q"], systems=["a", "bm25", "b"], families={}, main="nDCG@10",
        measures=["nDCG@10"], alpha=0.05, level=0.95, margin=0.01, n_resamples=50, seed=1,
    )  # fmt: skip
    names = ("differences", "document_differences", "group_differences", "clusters", "groups", "seeds")
    compare_retrieval(
        scores=[Path(f"{name}-r.json") for name in ("a", "b", "bm25")],
        rows=[Path(f"{name}-r.parquet") for name in ("a", "b", "bm25")],
        settings=settings,
        **{name: Path(f"{name}.parquet") for name in names},
    )
    found = read_rows("differences.parquet", QuestionDifference)
    assert [(row.model_a, row.model_b) for row in found] == [("a", "b")]


def test_a_decision_is_tuned_on_a_run_and_judged_by_what_was_chosen_without_its_fold(prepared):
    bm25()
    parameters = {"most": {"from": 1, "to": 3, "step": 1}, "tuned_on": ["q"]}
    tuning = {"folds": 3, "margin": 0.01, "seed": 1}
    settings = {"decision": "few", "parameters": parameters, "tuning": tuning}
    files = {name: [path] for name, path in ASKED.items()}
    decide(
        corpus=CORPUS,
        **ASKED,
        run=Path("bm25.parquet"),
        training_corpora=[CORPUS],
        training_questions=files["questions"],
        training_judgements=files["judgements"],
        training_runs=[Path("bm25.parquet")],
        settings=DecideSettings.model_validate(settings),
        decided=Path("d.parquet"),
    )
    decided = read_decided("d.parquet")
    assert decided.about["parameters"] == {"most": 1} and decided.about["tuning"]["in_sample"] == 1
    assert decided.documents == {"q1": ["d0"], "q2": ["d1"], "q3": ["d3"]}


def test_a_question_that_is_a_document_does_not_find_itself_where_its_set_says_so(prepared):
    asked = [{"_id": "d1", "text": TEXTS[1]}, {"_id": "d2", "text": TEXTS[2]}]
    (prepared / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    judged = [{"q": "d1", "d": "d2"}, {"q": "d2", "d": "d0"}, {"q": "d2", "d": "d2"}]
    (prepared / "judgements.jsonl").write_text("\n".join(map(json.dumps, judged)), encoding="utf-8")
    (prepared / "run.trec").write_text("d1 Q0 d1 1 9 x\nd1 Q0 d0 2 8 x\nd1 Q0 d2 3 7 x\n", encoding="utf-8")
    second = 1 / np.log2(3)  # what the second rank counts; of d2 itself, too, where it is kept
    for same_ids, found, other, values in (
        ("keep", {"d1": ["d1", "d2"], "d2": ["d2", "d1"]}, ["d1", "d0"], [second, 1 / (1 + second)]),
        ("exclude", {"d1": ["d2"], "d2": ["d1", "d0"]}, ["d0", "d2"], [1, second]),
    ):
        questions_prepared(same_ids=same_ids)
        about, run = bm25(depth=2)
        assert (about["depth"], run) == (2, found)
        assert run_file("o", "run.trec", 2)[1] == {"d1": other}
        assert evaluated("bm25").values["nDCG@10"].tolist() == pytest.approx(values)
