"""The short forms of collections: what the lines of the documentation stand for, and what is said about wrong ones."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sentflow.audit.question_audit import Judged, audit_questions
from sentflow.errors import ConfigError
from sentflow.files.checksums import CatalogFile
from sentflow.graph.config.experiment import Experiment, load_experiment
from sentflow.texts.corpora import Corpus, Questions
from sentflow.texts.corpus_files import raw_files_of
from sentflow.texts.corpus_settings import CorpusSettings, QuestionSettings
from sentflow.texts.prepare_corpus import prepare_corpus
from sentflow.texts.prepare_questions import prepare_questions

REPOSITORY = Path(__file__).parents[3]
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
SECTION = (
    (REPOSITORY / "docs/retrieval.md").read_text(encoding="utf-8").partition("## Your own collection")[2]
)
BEIR, TREC, FILES = (
    yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", SECTION, re.DOTALL)[:3]
)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The working folder, with the files that the documentation names."""
    monkeypatch.chdir(tmp_path)
    write(
        "data/mine/corpus.jsonl",
        [{"_id": "d1", "title": "Título", "text": "um"}, {"_id": "d2", "text": "dois"}],
    )
    asked = [{"_id": "q1", "text": "qual?"}, {"_id": "q2", "text": "dev?"}, {"_id": "q1", "text": "qual?"}]
    write("data/mine/queries.jsonl", asked)
    write("data/mine/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td2\t1\n")
    write("data/news/b", "<DOC><DOCNO>B-1</DOCNO><TEXT>Caf\u00e9 &amp; ch\u00e1</TEXT></DOC>", "latin-1")
    write("data/news/a", "<DOC><DOCNO>A-1</DOCNO><TITLE>News</TITLE> no text tag</DOC>")
    write(
        "data/topics.txt",
        "<top>\n<num> Number: 051\n<title> Tea\n<desc> Description:\nWhat is tea?\n</top>\n",
    )
    write("data/qrels.txt", "51 0 B-1 1\n51 0 A-1 0\n")
    write("data/articles.csv", "number,text\nl|1,um\nl|2,dois\n")
    write("data/questions.csv", "number,question,articles\n1,qual?,\"[{'law': 'l', 'article': '2'}]\"\n")
    return tmp_path


def write(name: str, content: Any, encoding: str = "utf-8") -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else "".join(f"{json.dumps(line)}\n" for line in content)
    path.write_bytes(text.encode(encoding))


def experiment(written: dict[str, Any]) -> Experiment:
    config = copy.deepcopy(DEFAULT)
    config["select"] |= written["select"] | {"models": ["minilm-l6"]} if "select" in written else {}
    config |= {key: value for key, value in written.items() if key != "select"}
    return load_experiment(config, REPOSITORY / "workflow")


def prepared(written: dict[str, Any], name: str) -> tuple[Corpus, Questions]:
    """What the rules make of a collection."""
    entries = experiment(written).entries

    def paths(entry: dict[str, Any]) -> list[Path]:
        files = entries["datasets"][entry["dataset"]]["files"]
        found = [CatalogFile.from_settings(files[file], where=file).urls[0] for file in raw_files_of(entry)]
        return [Path(path) for path in found]

    asked = entries["question_sets"][name]
    documents = entries["corpora"][asked["corpus"]]
    corpus = prepare_corpus(
        asked["corpus"], paths(documents), CorpusSettings.from_settings(documents, corpus=asked["corpus"])
    )
    settings = QuestionSettings.from_settings(asked, name=name)
    return corpus, prepare_questions(name, paths(asked), settings, corpus)


def mistake(written: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as error:
        experiment(written)
    return "\n".join(str(error.value).splitlines()[1:])


def test_five_lines_read_a_folder_of_beir(folder):
    assert len(re.findall(r"```yaml\n(.*?)```", SECTION, re.DOTALL)[0].splitlines()) == 5
    corpus, questions = prepared(BEIR, "mine")
    assert corpus.whole_texts() == ["Título um", "dois"]
    assert (questions.ids, questions.by_question()) == (["q1"], {"q1": {"d2": 1}})
    assert (questions.language, questions.data_version) == ("pt", "mine")


def test_a_folder_of_beir_may_hold_parquet_with_other_names_of_ids(folder):
    import pandas as pd

    for old in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        (folder / "data/mine" / old).unlink()
    tables = {
        "corpus": {"id": ["d1", "d2"], "text": ["um", "dois"]},
        "queries": {"id": ["q1"], "text": ["qual?"]},
        "qrels/test": {"query-id": ["q1"], "corpus-id": ["d2"], "score": [1.0]},
    }
    for name, table in tables.items():
        pd.DataFrame(table).to_parquet(folder / f"data/mine/{name}.parquet")
    corpus, questions = prepared(BEIR, "mine")
    assert (corpus.ids, questions.by_question()) == (["d1", "d2"], {"q1": {"d2": 1}})


def test_files_of_trec_are_read_in_the_order_of_their_names_and_in_their_encoding(folder):
    corpus, questions = prepared(TREC, "news")
    assert (corpus.ids, corpus.titles, corpus.texts) == (
        ["A-1", "B-1"],
        ["News", ""],
        ["no text tag", "Café & chá"],
    )
    assert (questions.ids, questions.texts) == (["51"], ["Tea What is tea?"])
    assert questions.by_question() == {"51": {"B-1": 1, "A-1": 0}}


def test_any_other_files_are_a_dataset_and_two_entries(folder):
    _, questions = prepared({**FILES, "select": BEIR["select"]}, "mine")
    assert questions.by_question() == {"1": {"l|2": 1}}


def test_a_short_form_may_be_like_and_have_another_name_than_its_corpus(folder):
    sets = {**BEIR["question_sets"], "strict": {"like": "mine", "title": "Strict", "relevant_grade": 1}}
    sets["other"] = {**BEIR["question_sets"]["mine"], "corpus": "mine", "title": "Other"}
    for name in ("strict", "other"):
        corpus, questions = prepared({**BEIR, "question_sets": sets}, name)
        assert (corpus.name, questions.ids) == ("mine", ["q1"])


def test_questions_of_both_splits_are_counted_and_can_be_taken_out_of_one(folder):
    """As in MTEB's ZacLegalTextRetrieval, which also repeats the row of a question for each of its documents."""
    asked = [{"_id": f"q{number}", "text": f"pergunta {number}"} for number in (1, 1, 2, 3)]
    write("data/mine/queries.jsonl", asked)
    write("data/mine/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t1\nq2\td1\t1\n")
    write("data/mine/qrels/train.tsv", "query-id\tcorpus-id\tscore\nq2\td2\t1\nq3\td1\t1\n")
    mine = BEIR["question_sets"]["mine"]
    sets = {
        "mine": mine,
        "both": {**mine, "split": "train", "corpus": "mine"},
        "train": {**mine, "split": "train", "without_split": "test", "corpus": "mine"},
    }
    found = {name: prepared({**BEIR, "question_sets": sets}, name) for name in sets}
    assert {name: questions.ids for name, (_, questions) in found.items()} == {
        "mine": ["q1", "q2"],
        "both": ["q2", "q3"],
        "train": ["q3"],
    }
    test, *training = (Judged(questions, corpus) for corpus, questions in found.values())
    assert [list(audit_questions(test, [one])["leaked"]) for one in training] == [["q2"], []]


@pytest.mark.parametrize(
    ("section", "changed", "said"),
    [
        (
            "corpora",
            {"beir": "no/where"},
            "corpora.mine: there is no file no/where/corpus.jsonl (searched for in ",
        ),
        ("question_sets", {"split": "dev"}, "question_sets.mine: there is no file data/mine/qrels/dev.tsv"),
        ("question_sets", {"split": "../x"}, "question_sets.mine.split: '../x' does not match"),
        ("question_sets", {"corpus": "min"}, "question_sets.mine.corpus: there is no corpus 'min'"),
        ("corpora", {"trec": "data/news"}, "corpora.mine: beir and trec are two forms. Write one of them."),
        (
            "question_sets",
            {"text": "title"},
            "question_sets.mine.text: nothing of this kind is read in the form beir",
        ),
        ("corpora", {"lang": "pt"}, "corpora.mine.lang: there is no such key. Did you mean language?"),
    ],
)
def test_what_is_wrong_with_a_short_form_is_said_with_its_place(folder, section, changed, said):
    written = copy.deepcopy(BEIR)
    written[section]["mine"] |= changed
    assert said in mistake(written)


def test_topics_without_judgements_are_a_mistake(folder):
    written = copy.deepcopy(TREC)
    del written["question_sets"]["news"]["qrels"]
    assert "question_sets.news.qrels: there are no judgements. Write qrels: <file>." in mistake(written)


def test_the_documentation_lists_every_question_set_of_the_catalog():
    text = (REPOSITORY / "docs/retrieval.md").read_text(encoding="utf-8")
    table = text.partition("## In the catalog")[2].partition("What a reader of scores")[0]
    first = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    catalog = yaml.safe_load((REPOSITORY / "workflow/catalog/question_sets.yaml").read_text(encoding="utf-8"))
    assert {name for cell in first for name in re.findall(r"`([^`]+)`", cell)} == set(catalog)
