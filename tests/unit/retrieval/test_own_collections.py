"""The short forms of collections: what the lines of the documentation stand for, and what is said about wrong ones."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from experiments import REPOSITORY, experiment
from mirror_data import prepared_corpus

from sentflow.config.collections import CorpusSettings, QuestionSettings
from sentflow.config.datasets import File
from sentflow.errors import ConfigError
from sentflow.flow.targets import Targets
from sentflow.texts.corpora import Corpus, Questions
from sentflow.texts.prepare_collections import prepare_questions
from sentflow.texts.raw_files import raw_files_of

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
    write("data/articles.csv", "number,text\nl|1,um\nl|2,dois\n")
    write("data/questions.csv", "number,question,articles\n1,qual?,\"[{'law': 'l', 'article': '2'}]\"\n")
    return tmp_path


def write(name: str, content: Any, encoding: str = "utf-8") -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else "".join(f"{json.dumps(line)}\n" for line in content)
    path.write_bytes(text.encode(encoding))


def prepared(written: dict[str, Any], name: str) -> tuple[Corpus, Questions]:
    """What the rules make of a collection."""
    entries = experiment(written, {"select": {"models": ["minilm-l6"]}}).entries

    def paths(entry: dict[str, Any]) -> list[Path]:
        files = entries["datasets"][entry["dataset"]]["files"]
        found = [File.model_validate(files[file]).urls[0] for file in raw_files_of(entry)]
        return [Path(path) for path in found]

    asked = entries["question_sets"][name]
    documents = entries["corpora"][asked["corpus"]]
    corpus = prepared_corpus(asked["corpus"], paths(documents), CorpusSettings.from_parts(documents))
    settings = QuestionSettings.from_parts(asked)
    return corpus, prepare_questions(name, paths(asked), settings, corpus)


def test_five_lines_read_a_folder_of_beir(folder):
    assert len(re.findall(r"```yaml\n(.*?)```", SECTION, re.DOTALL)[0].splitlines()) == 5
    corpus, questions = prepared(BEIR, "mine")
    assert corpus.whole_texts() == ["Título um", "dois"]
    assert (questions.ids, questions.by_question()) == (["q1"], {"q1": {"d2": 1}})
    assert (questions.language, questions.data_version) == ("pt", "mine")


@pytest.mark.parametrize("form", [BEIR, TREC])
def test_a_corpus_in_short_form_has_the_shards_of_the_long_one(folder, form):
    for file in ("data/news/1", "data/topics.txt", "data/qrels.txt"):
        write(file, "")
    written = {**form, "select": {**form["select"], "models": ["minilm-l6"], "retrievers": ["bm25"]}}
    [name] = written["corpora"]
    written_out = experiment(written).entries
    entry = written_out["corpora"][name]
    dataset = {entry["dataset"]: written_out["datasets"][entry["dataset"]]}
    long = {"corpora": {name: entry}, "datasets": dataset}
    short = copy.deepcopy(written)
    found = []
    for one in (short, {**written, **long}):
        one["corpora"][name]["shards"] = 3
        family = Targets(experiment(one)).families["retrieval"]
        found.append((family.shards(), family.corpora[name]))
    assert found[0] == found[1]
    assert found[0][0] == [f"{name}/shard-{number}-of-3" for number in (1, 2, 3)]


def test_any_other_files_are_a_dataset_and_two_entries(folder):
    _, questions = prepared({**FILES, "select": BEIR["select"]}, "mine")
    assert questions.by_question() == {"1": {"l|2": 1}}


def test_what_is_wrong_with_a_short_form_is_said_with_its_place(folder):
    for section, changed, said in (
        ("corpora", {"beir": "no/where"}, "corpora.mine: there is no file no/where/corpus.jsonl"),
        ("question_sets", {"split": "../x"}, "question_sets.mine.split: '../x'"),
        ("question_sets", {"corpus": "min"}, "question_sets.mine.corpus: there is no corpus 'min'"),
        ("corpora", {"trec": "data/news"}, "corpora.mine: beir and trec are two forms"),
        ("corpora", {"lang": "pt"}, "corpora.mine.lang: there is no such key. Did you mean language?"),
    ):
        written = copy.deepcopy(BEIR)
        written[section]["mine"] |= changed
        with pytest.raises(ConfigError) as error:
            experiment(written)
        assert said in str(error.value)
