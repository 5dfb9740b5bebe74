"""The intermediate files of the published Zalo system: their forms, and which questions are in them."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from sentflow.commands import export_law_files
from sentflow.errors import DataError
from sentflow.exports.law_files import article_list, article_texts, text_lines
from sentflow.graph.config.experiment import load_experiment
from sentflow.graph.targets import Targets
from sentflow.texts.corpora import Corpus, Questions, write_corpus, write_questions

REPOSITORY = Path(__file__).parents[3]
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
NOTHING = dict.fromkeys(("tasks", "pair_sets", "alignments", "regressions"), [])
LAWS = Corpus(
    "laws", "raw", "vi",
    ["45/2019/qh14|9", "45/2019/qh14|10", "1_2|3", "1|2_3"],
    ["Điều 9. Quyền", "", "Điều 3", "Điều 2"],
    ["1. Một\n2. Hai\u2028ba", "Không tên", "trước", "sau"],
)  # fmt: skip


def asked(name, *texts):
    ids = [f"{name}-{row}" for row in range(len(texts))]
    none = np.zeros(0, dtype=np.int64)
    return Questions(name, "laws", "raw", "vi", 1, ids, [*texts], [""] * len(texts), none, [], none)


def test_a_line_is_an_article_and_then_a_question():
    lines = [*text_lines(LAWS, [asked("train", "Hỏi\ngì?"), asked("public", "Ai?", "Đâu?")])]
    assert lines[:2] == ["Điều 9. Quyền. 1. Một 2. Hai ba", "Không tên"]
    assert lines[4:] == ["Hỏi gì?", "Ai?", "Đâu?"]


def test_the_first_of_two_articles_with_one_key_stays():
    found = article_texts(LAWS)
    assert found["45/2019/qh14_9"] == {"title": "Điều 9. Quyền", "text": "1. Một\n2. Hai\u2028ba"}
    assert found["1_2_3"]["text"] == "trước"
    assert len(found) == 3


def test_articles_are_listed_in_the_order_of_the_corpus():
    found = article_list(LAWS)
    assert [one[:2] for one in found] == [
        ("45/2019/qh14", "9"),
        ("45/2019/qh14", "10"),
        ("1_2", "3"),
        ("1", "2_3"),
    ]
    assert found[0][2] == "Điều 9. Quyền 1. Một\n2. Hai\u2028ba"
    with pytest.raises(DataError, match="document 'd1' is no article of a law"):
        article_list(Corpus("c", "raw", "vi", ["d1"], [""], ["x"]))


def test_the_command_writes_three_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_corpus("c.parquet", LAWS)
    write_questions("q.parquet", "j.parquet", asked("train", "Hỏi?"))
    outputs = ("--text", "corpus.txt", "--dictionary", "legal_dict.json", "--articles", "doc_refers.json")
    export_law_files.main(["--corpus", "c.parquet", "--questions", "q.parquet", *outputs])
    assert Path("corpus.txt").read_text(encoding="utf-8").splitlines() == [
        *text_lines(LAWS, [asked("t", "Hỏi?")])
    ]
    assert json.loads(Path("legal_dict.json").read_text(encoding="utf-8")) == article_texts(LAWS)
    read = json.loads(Path("doc_refers.json").read_text(encoding="utf-8"))
    assert [tuple(one) for one in read] == article_list(LAWS)
    export_law_files.main(["--corpus", "c.parquet", "--questions", *outputs])
    assert len(Path("corpus.txt").read_text(encoding="utf-8").splitlines()) == len(LAWS)


def exported(*question_sets, **more):
    select = {
        **DEFAULT["select"],
        **NOTHING,
        "question_sets": [*question_sets],
        "retrievers": ["bm25", *more],
    }
    sets = {"mine": {"like": "zalo-subset-test", "training": ["zalo-subset-train"]}}
    config = {
        **DEFAULT,
        "select": {**select, "models": ["bag-of-words"]},
        "retrievers": more,
        "question_sets": sets,
    }
    return Targets(load_experiment(config, REPOSITORY / "workflow")).families["retrieval"].exported


TUNED = {
    "kind": "fusion", "of": ["bm25", "bm25-english"], "rule": "sum",
    "weights": {"tuned_on": ["zalo-2021-train"], "steps": 2},
}  # fmt: skip


def test_questions_of_trainings_come_first_and_those_that_are_measured_are_left_out():
    family = exported("zalo-2021-private", "mine", "cranfield", tuned=TUNED)
    assert family.law_corpora() == ["zalo-2021", "zalo-subset"]
    questions = family.law_questions("{questions}")
    assert questions(SimpleNamespace(corpus="zalo-2021")) == ["zalo-2021-train", "zalo-2021-private"]
    # that of an encoder, which the test names
    assert questions(SimpleNamespace(corpus="zalo-subset")) == ["zalo-subset-train"]
    assert "results/exports/law-files/zalo-2021/corpus.txt" in family.files()


def test_other_corpora_have_no_such_files():
    assert exported("cranfield").law_files() == []
