"""The command `sentflow`, called as typer calls it; `show` has a file of its own."""

import json
import re
from pathlib import Path

import pytest
from called import printed, refused
from experiments import DEFAULT, REPOSITORY, WORKFLOW

from sentflow.cli.configuration import read_configuration
from sentflow.cli.terminal import facts, listing, show_blocks
from sentflow.config.load import load_experiment
from sentflow.files.control_characters import HIDDEN

TINY = REPOSITORY / "tests" / "fixtures" / "tiny.yaml"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_tasks_and_models_are_listed_by_variant_and_kind():
    official = json.loads(printed("tasks", "--variant", "official", "--json"))
    assert {name + "-sample" for name in official} == set(DEFAULT["select"]["tasks"])
    assert list(json.loads(printed("tasks", "--kind", "mlp", "--variant", "official", "--json"))) == [
        "F3",
        "F5",
    ]
    assert "sentence-transformers" in refused("models", "--kind", "neural")


def test_right_configuration_tells_what_it_runs():
    text = printed("validate", TINY)
    assert f"{TINY}: no mistakes" in text
    assert "3: T1B-tiny, G3-tiny, F3-tiny" in text
    assert "3: bag-of-words, tfidf, random" in text
    assert "2 × 2 folds" in text
    assert re.search(r"downloads +none", text)
    assert f"sentflow run --cores all --configfile {TINY}" in text


SERVICE = (
    "{kind: api, url: 'https://api.example.org/v1', model: m, dimension: 4, key_variable: SENTFLOW_KEY_LAB}"
)
OF_HUB = f"{{kind: transformers, source: {{hub: a/b, revision: '{'0' * 40}'}}}}"


def test_what_would_be_sent_where_is_told(tmp_path, monkeypatch):
    for variable in (
        "SENTFLOW_KEY_LAB",
        "SENTFLOW_HOST_LAB",
        "HF_TOKEN",
        "HUGGING_FACE_HUB_TOKEN",
        "HF_ENDPOINT",
    ):
        monkeypatch.delenv(variable, raising=False)
    models = f"select: {{models: [lab, hers]}}\nmodels: {{lab: {SERVICE}, hers: {OF_HUB}}}\n"
    mine = write(tmp_path / "mine.yaml", models)
    texts = "tiny-exams, tiny-public, tiny-sentences, tiny-sentences-permuted"
    sent = f"lab: the texts of {texts} to https://api.example.org/v1, "
    text = printed("validate", TINY, mine)
    assert f"{sent}with the key in SENTFLOW_KEY_LAB, which is refused: " in text
    assert "SENTFLOW_KEY_LAB is not set" in text and "HF_TOKEN" not in text
    monkeypatch.setenv("SENTFLOW_KEY_LAB", "chave-do-lab")
    monkeypatch.setenv("HF_TOKEN", "senha-do-hub")
    assert "export SENTFLOW_HOST_LAB=api.example.org" in printed("validate", TINY, mine)
    monkeypatch.setenv("SENTFLOW_HOST_LAB", "api.example.org")
    text = printed("validate", TINY, mine)
    assert f"{sent}with the key in SENTFLOW_KEY_LAB\n" in text
    assert "hers: the token in HF_TOKEN to https://huggingface.co, for downloads\n" in text
    assert "chave-do-lab" not in text and "senha-do-hub" not in text


OWN_TASK = """
tasks: {M: {file: a.csv, text: text, label: label, metric: mcc, licence: x, language: pt}}
select: {tasks: [M]}
"""


def rows_of_two_classes(n: int) -> str:
    return "text,label\n" + "".join(f"texto {k},{k % 2}\n" for k in range(n))


def test_own_tasks_with_few_rows_are_warned_of(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.csv", rows_of_two_classes(600))
    published = OWN_TASK.replace("metric: mcc", "metric: mcc, protocol: published")
    mine = write(tmp_path / "mine.yaml", published)
    text = printed("validate", mine)
    assert "a fold trains on 384 rows" in text and "M (published)" in text
    # what own tasks take by themselves
    assert "Too few rows" not in printed("validate", write(tmp_path / "own.yaml", OWN_TASK))
    write(tmp_path / "a.csv", rows_of_two_classes(900))
    assert "Too few rows" not in printed("validate", mine)


def test_own_tasks_whose_file_is_not_in_order_are_refused_before_any_job(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.csv", rows_of_two_classes(600).replace("texto 7,", ","))
    assert "text a is empty in" in refused("validate", write(tmp_path / "mine.yaml", OWN_TASK))
    write(tmp_path / "a.csv", rows_of_two_classes(60))
    published = OWN_TASK.replace("metric: mcc", "metric: mcc, protocol: published")
    told = refused("validate", write(tmp_path / "published.yaml", published))
    assert "fewer than one batch of 128" in told and "write protocol: corrected at the task" in told
    assert "no mistakes" in printed("validate", tmp_path / "mine.yaml")


def test_texts_of_sample_data_that_cannot_be_documents_are_refused_before_any_job(tmp_path):
    mine = "tasks: {F1A-sample: {documents: texts}}\nselect: {tasks: [F1A-sample]}\n"
    told = refused("validate", write(tmp_path / "mine.yaml", mine))
    assert "tasks.F1A-sample" in told and "rows are connected" in told


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: [1, 2\nb: 3\n", "is not YAML: line 2, column 2"),
        ("- T1B-sample\n", "holds a list, not a map"),
        ("experiment: {title: 2024-01-31}\n", "YAML reads 2024-01-31 as a date. Put it in quotes"),
        ("probe:\n", "config.probe: None is not a map"),
    ],
)
def test_what_is_no_configuration_is_told(tmp_path, content, message):
    assert message in refused("validate", write(tmp_path / "mine.yaml", content))


OWN = """extends: none
experiment: {title: t, description: d}
select: {models: [random], tasks: [mine]}
tasks:
  mine: {file: mine.csv, text: text, label: label, metric: mcc, licence: none, language: pt}
"""
ROWS = 'text{0}label\n"É ótimo"{0}1\n"Não, nunca"{0}0\n'


@pytest.mark.parametrize(
    ("content", "entry", "told"),
    [
        (b"", "", "is empty"),
        (ROWS.format(";").encode(), "", "write delimiter: ';'"),
        (b'"text;label"\n"a;1"\n"b;0"\n', "", "Remove the outer quotes"),
        (ROWS.format(",").encode("cp1252"), "", "encoding: cp1252"),
        (ROWS.format(",").encode(), "encoding: cp1252, ", "Write encoding: utf-8"),
        (ROWS.format(",").encode(), "encoding: ascii, ", "write encoding: utf-8"),
        (b"text,label\na,1\nb,0\n", "language: Portuguese, ", "Write pt."),
        (b"text,label\na,1\nb,0\n", "language: no, ", "Put them in quotes"),
    ],
)
def test_validate_reads_own_files_and_says_what_helps(tmp_path, content, entry, told):
    (tmp_path / "mine.csv").write_bytes(content)
    text = (
        OWN.replace("language: pt", entry)
        if "language" in entry
        else OWN.replace("licence", f"{entry}licence")
    )
    assert told in refused("validate", write(tmp_path / "mine.yaml", text))


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (None, "there is no folder"),
        ({}, "no modules.json and no config.json"),
        ({"config.json": b"{}"}, "has no model.safetensors. Copy that file into it"),
        ({"config.json": b"{}", "model.safetensors": b"1234"}, "missing or damaged"),
        ({"config.json": b"{}", "model.safetensors": b"version https://git-lfs.github.com"}, "git lfs pull"),
        ({"config.json": b"{}", "pytorch_model.bin": b"1"}, "as a pickle only"),
    ],
)
def test_validate_looks_into_the_folders_of_models(tmp_path, files, told):
    for name, content in (files or {}).items():
        (tmp_path / "model").mkdir(exist_ok=True)
        (tmp_path / "model" / name).write_bytes(content)
    if files == {}:
        (tmp_path / "model").mkdir()
    model = "models: {mine: {title: x, kind: sentence-transformers, source: {folder: model}}}\n"
    text = f"{model}select: {{models: [mine], tasks: [T1B-sample]}}\nextends: none\n"
    about = "experiment: {title: t, description: d}\n"
    assert told in refused("validate", write(tmp_path / "mine.yaml", text + about))


def test_new_experiment_has_the_names_in_their_order(tmp_path):
    path = tmp_path / "mine.yml"
    printed(
        "new-experiment", path, "--tasks", "T4,T1B-open", "--tasks", "F1A", "--models", "tfidf, minilm-l6",
        "--title", 'Um "título": não # 1',
    )  # fmt: skip
    experiment = load_experiment(read_configuration([path]), WORKFLOW)
    assert list(experiment.selected["tasks"]) == ["T4", "T1B-open", "F1A"]
    assert list(experiment.models) == ["tfidf", "minilm-l6"]
    assert experiment.title == 'Um "título": não # 1'
    assert "- T1B-open  # Offensive comments (OffComBR-2)" in path.read_text(encoding="utf-8")


def test_new_experiment_never_overwrites(tmp_path):
    path = write(tmp_path / "mine.yaml", "mine\n")
    assert "already exists and was not changed" in refused("new-experiment", path)
    assert path.read_text(encoding="utf-8") == "mine\n"


def test_new_experiment_with_a_wrong_name_writes_nothing(tmp_path):
    text = refused("new-experiment", tmp_path / "mine.yaml", "--tasks", "T1B-smaple", "--models", "minilm")
    assert "Did you mean T1B-sample?" in text
    assert "Did you mean minilm-l6?" in text
    assert list(tmp_path.iterdir()) == []


def test_no_text_steers_the_terminal(capsys):
    evil = "a\x1b]0;owned\x07\u202eb\r\ud800"
    shown = r"a\x1b]0;owned\x07\u202eb\r\ud800"
    table = listing((evil, "b"), [(evil, "1"), (evil, "")], caption=evil, notes=(evil,), lead=1)
    show_blocks(table, facts(evil, [(evil, evil)]), evil)
    text = capsys.readouterr().out
    assert HIDDEN.search(text) is None
    assert text.count(shown) == 9
