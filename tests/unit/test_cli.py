"""The command `sentflow`, called as typer calls it; `show` has a file of its own."""

import json
import os
import re
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from sentflow.cli.app import app
from sentflow.cli.configuration import read_configuration
from sentflow.cli.terminal import Facts, Listing, parts_of, show_blocks
from sentflow.families.probing.family import Probing
from sentflow.files.control_characters import HIDDEN
from sentflow.graph.config.experiment import load_experiment
from sentflow.probing.protocol.settings import PUBLISHED

REPOSITORY = Path(__file__).parents[2]
WORKFLOW = REPOSITORY / "workflow"
DEFAULT = yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8"))
TINY = REPOSITORY / "tests" / "fixtures" / "tiny.yaml"


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def refused(*words: object) -> str:
    """What the command says that ends with code 2; nothing goes to standard output."""
    result = run(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    return result.stderr


def printed(*words: object) -> str:
    result = run(*words)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def as_json(*words: object) -> dict:
    return json.loads(printed(*words, "--json"))


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


# --- start


def test_help_names_every_command_and_imports_nothing_heavy():
    program = (
        "import sys, atexit\n"
        "from sentflow.cli.app import main\n"
        "atexit.register(lambda: sys.stderr.write(' '.join({m.partition('.')[0] for m in sys.modules})))\n"
        "sys.argv = ['sentflow', '--help']\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert all(
        name in done.stdout
        for name in ("tasks", "models", "validate", "show", "resources", "tune", "new-experiment")
    )
    heavy = {"rich", "yaml", "jsonschema", "numpy", "pyarrow", "pandas", "torch", "snakemake"}
    assert heavy & set(done.stderr.split()) == set()


def test_help_takes_less_than_half_a_second():
    def cpu_seconds() -> float:  # by the clock a busy machine would fail
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "sentflow", "--help"], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(cpu_seconds() for _ in range(3)) < 0.5


def test_module_is_the_command():
    done = subprocess.run([sys.executable, "-m", "sentflow"], capture_output=True, text=True, check=False)
    assert "Usage: sentflow " in done.stdout + done.stderr


def test_version():
    assert re.fullmatch(r"sentflow \d+\.\d+\.\d+\n", printed("--version"))


# --- tasks and models


def test_tasks_of_a_variant():
    samples, public = (as_json("tasks", "--variant", variant) for variant in ("sample", "open"))
    assert samples
    assert all(name.endswith("-sample") for name in samples)
    assert {"T1A-open", "SICK-E"} <= set(public)
    stand_ins = {"F5-simulated", "G4-moral-issues"}  # never under the official name
    derived = {name for name, task in public.items() if task["family"] != "Sentence pairs"}
    assert all(name.endswith("-open") for name in derived - stand_ins)
    assert stand_ins < derived


def test_official_tasks_are_the_eighteen_of_the_benchmark():
    official = as_json("tasks", "--variant", "official")
    assert len(official) == 18
    assert {name + "-sample" for name in official} == set(DEFAULT["select"]["tasks"])


def test_every_task_has_one_variant():
    variants = [as_json("tasks", "--variant", name) for name in ("sample", "open", "official")]
    assert sum(map(len, variants)) == len(as_json("tasks"))


def test_task_table_has_names_titles_and_terms():
    text = printed("tasks", "--variant", "open", "--family", "trust")
    line = next(line for line in text.splitlines() if "T1A-open" in line)
    assert "Offensive comments (HateBR)" in line
    assert "CC BY-NC 4.0" in line
    assert "single" in line


@pytest.mark.parametrize("kind", ["mlp", "alternatives"])
def test_tasks_by_probe_and_by_layout(kind):
    assert list(as_json("tasks", "--kind", kind, "--variant", "official")) == ["F3", "F5"]


def test_models_of_a_kind():
    assert list(as_json("models", "--kind", "tfidf")) == ["tfidf"]
    assert "fitted in each fold" in printed("models", "--kind", "tfidf")
    assert "11" not in as_json("models")["minilm-l6"]["source"]


@pytest.mark.parametrize("command", ["tasks", "models"])
def test_unknown_filter_is_told_with_the_known_ones(command):
    kind = {"tasks": "logistic", "models": "sentence-transformers"}[command]
    assert "--kind neural: no such value. Write one of: " in refused(command, "--kind", "neural")
    assert kind in refused(command, "--kind", "neural")


def test_own_entries_are_listed_too(tmp_path):
    mine = write(tmp_path / "mine.yaml", "models: {mine: {kind: random, dimension: 3, seed: 1, title: Mine}}")
    assert "mine" not in as_json("models")
    assert as_json("models", "--configfile", mine)["mine"]["title"] == "Mine"
    assert {"T1B-tiny", "G3-tiny", "F3-tiny"} < set(as_json("tasks", "--configfile", TINY))


def test_a_wrong_selection_does_not_hide_what_could_be_selected(tmp_path):
    mine = write(tmp_path / "mine.yaml", "select: {models: [no-such-model]}")
    assert "minilm-l6" in as_json("models", "--configfile", mine)


def test_a_wrong_entry_is_told(tmp_path):
    mine = write(tmp_path / "mine.yaml", "models: {mine: {kind: randon}}")
    assert "models.mine.kind: 'randon' is no kind of encoder" in refused("models", "--configfile", mine)


# --- validate


def test_right_configuration_tells_what_it_runs():
    text = printed("validate", TINY)
    assert f"{TINY}: no mistakes" in text
    assert "3: T1B-tiny, G3-tiny, F3-tiny" in text
    assert "3: bag-of-words, tfidf, random" in text
    assert "2 × 2 folds" in text
    assert re.search(r"downloads +none", text)
    assert re.search(r"probe_lazy +3\n", text)
    assert f"sentflow run --cores all --configfile {TINY}" in text


def test_without_a_file_the_default_experiment_is_meant():
    assert "config.yaml: no mistakes" in printed("validate")


def test_downloads_are_counted_with_their_size():
    # the five tasks of comments and news have 3.5 MB, one file of unknown size; the others are of derived tasks
    text = printed("validate", REPOSITORY / "experiments" / "open-data.yaml")
    assert re.search(r"downloads +84 files \(21\.3 MB, 1 of unknown size\)", text)


def test_models_of_the_network_are_named(tmp_path):
    mine = write(tmp_path / "mine.yaml", "select: {models: [minilm-l6, ulysses-labse], tasks: [T1B-sample]}")
    assert re.search(r"models to fetch +ulysses-labse\n", printed("validate", mine))


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
    mine = write(
        tmp_path / "mine.yaml",
        f"select: {{models: [lab, hers]}}\nmodels: {{lab: {SERVICE}, hers: {OF_HUB}}}\n",
    )
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


def test_an_experiment_that_sends_nothing_says_so():
    assert re.search(r"texts and keys sent +none\n", printed("validate", TINY))


def test_local_files_that_are_not_there_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mine = write(
        tmp_path / "mine.yaml",
        "datasets: "
        "{mine: {title: M, files: {a.csv: {urls: [data/a.csv]}}, licence: x, citation: x, language: pt}}\n"
        "tasks: {M: {like: T1B, layout: single, dataset: mine, data_version: mine,\n"
        "            reader: {format: csv, file: a.csv, text_a: text, label: label}}}\n"
        "select: {tasks: [M]}\n",
    )
    assert re.search(r"files not found +mine/a\.csv", printed("validate", mine))
    (tmp_path / "data").mkdir()
    write(tmp_path / "data" / "a.csv", rows_of_two_classes(600))
    assert "files not found" not in printed("validate", mine)


OWN_TASK = """
tasks: {M: {file: a.csv, text: text, label: label, metric: mcc, licence: x, language: pt}}
select: {tasks: [M]}
"""


def rows_of_two_classes(n: int) -> str:
    return "text,label\n" + "".join(f"texto {k},{k % 2}\n" for k in range(n))


@pytest.mark.parametrize(("n", "trained"), [(600, "a fold trains on 384 rows"), (900, None)])
def test_own_tasks_with_few_rows_are_warned_of(tmp_path, monkeypatch, n, trained):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.csv", rows_of_two_classes(n))
    published = OWN_TASK.replace("metric: mcc", "metric: mcc, protocol: published")
    text = printed("validate", write(tmp_path / "mine.yaml", published))
    assert ("Too few rows" in text) == (trained is not None)
    if trained:
        assert trained in text and "M (published)" in text
        assert "Write protocol: corrected at the task" in text
    # what own tasks take by themselves
    assert "Too few rows" not in printed("validate", write(tmp_path / "own.yaml", OWN_TASK))


def test_own_tasks_with_few_documents_are_warned_of_or_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"texto {k},{k % 2},post {k % 3}\n" for k in range(900))
    write(tmp_path / "a.csv", "text,label,post\n" + rows)
    grouped = OWN_TASK.replace("label: label,", "label: label, group: post,")
    text = printed("validate", write(tmp_path / "mine.yaml", grouped))
    assert "Too few documents" in text
    assert "3 documents cannot be assigned to 5 folds" in text
    silent = write(tmp_path / "silent.yaml", grouped + "probe: {documents: false}\n")
    assert "Too few documents" not in printed("validate", silent)
    named = write(tmp_path / "named.yaml", grouped + "probe: {protocol: published-documents}\n")
    assert "M: the rows of 3 documents cannot be assigned to 5 folds" in refused("validate", named)


def test_limits_of_the_configuration_hold_for_files_that_are_looked_at(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.csv", rows_of_two_classes(600).replace("texto", "texto " + "x" * 30_000))
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.write(tmp_path / "a.csv", "a.csv")
    mine = write(
        tmp_path / "mine.yaml", OWN_TASK.replace("file: a.csv", "file: a.zip, format: csv, member: a.csv")
    )
    assert "limits.unpacked_ratio" in refused("validate", mine)
    larger = write(tmp_path / "larger.yaml", mine.read_text() + "limits: {unpacked_ratio: 2000}\n")
    assert "no mistakes" in printed("validate", larger)


def test_own_tasks_whose_file_is_not_in_order_are_refused_before_any_job(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.csv", rows_of_two_classes(600).replace("texto 7,", ","))
    assert "text a is empty in" in refused("validate", write(tmp_path / "mine.yaml", OWN_TASK))
    write(tmp_path / "a.csv", rows_of_two_classes(60))
    published = OWN_TASK.replace("metric: mcc", "metric: mcc, protocol: published")
    told = refused("validate", write(tmp_path / "published.yaml", published))
    assert "fewer than one batch of 128" in told and "write protocol: corrected at the task" in told
    assert "no mistakes" in printed("validate", tmp_path / "mine.yaml")


def test_labels_that_are_words_are_answered_with_the_line_to_write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.csv", rows_of_two_classes(600).replace(",0", ",não").replace(",1", ",sim"))
    told = refused("validate", write(tmp_path / "mine.yaml", OWN_TASK))
    assert 'labels of a.csv, the first as class 0:\n  labels: ["não", "sim"]' in told
    labelled = OWN_TASK.replace("label: label", 'label: label, labels: ["não", "sim"]')
    assert "no mistakes" in printed("validate", write(tmp_path / "labelled.yaml", labelled))


OWN_COLLECTIONS = """
datasets:
  mine:
    title: M
    files: {p.csv: {urls: [pairs.csv]}, d.csv: {urls: [articles.csv]}, q.csv: {urls: [questions.csv]}}
    licence: x
    citation: none
    language: pt
pair_sets:
  P: {title: P, family: scored, dataset: mine, language: pt, data_version: P, scale: [0, 5],
      reader: {format: csv, files: [p.csv], score: nota}}
corpora:
  articles:
    {title: C, dataset: mine, language: pt, data_version: C,
     documents: [{format: csv, files: [d.csv], id: n, text: text}]}
question_sets:
  asked: {title: Q, dataset: mine, corpus: articles, language: pt, data_version: Q,
      questions: [{format: csv, files: [q.csv], id: n, text: question}],
      judgements: [{format: csv, files: [q.csv], question: n, document: article}]}
tasks: {M: {file: a.csv, text: text, label: label, metric: mcc, licence: x, language: pt}}
select:
  {models: [random], tasks: [M], pair_sets: [P], alignments: [], regressions: [], question_sets: [asked],
   retrievers: [bm25]}
"""


def test_mistakes_in_own_files_of_every_kind_are_told_in_one_round(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mine = write(tmp_path / "mine.yaml", OWN_COLLECTIONS)
    write(tmp_path / "a.csv", "texto,label\num,1\n")
    write(tmp_path / "pairs.csv", "text_a,text_b,nota\na,b,1\nc,d,muito\n")
    write(tmp_path / "articles.csv", "n,text\n1,um texto\n2,dois textos\n")
    write(tmp_path / "questions.csv", "n,pergunta,article\n1,qual?,1\n")
    told = refused("validate", mine)
    assert told.startswith("error: 3 data sets have files that are not in order:\n")
    for part in (
        "tasks.M: a.csv: text_a: no column 'text'",
        "pair_sets.P: P", "no number in row 2 ('muito')",
        "question_sets.asked: q.csv: text: no column 'question'",
    ):  # fmt: skip
        assert part in told
    write(tmp_path / "articles.csv", "n,texto\n1,um texto\n")
    # questions are held to their corpus, so without one nothing is said of them
    assert "corpora.articles: d.csv: text: no column 'text'" in refused("validate", mine)


def test_own_files_of_every_kind_that_are_in_order_pass(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.csv", rows_of_two_classes(600))
    write(tmp_path / "pairs.csv", "text_a,text_b,nota\na,b,1\nc,d,4.5\n")
    write(tmp_path / "articles.csv", "n,text\n1,um texto\n2,dois textos\n")
    write(tmp_path / "questions.csv", "n,question,article\n1,qual?,1\n")
    assert "no mistakes" in printed("validate", write(tmp_path / "mine.yaml", OWN_COLLECTIONS))


def test_an_estimate_goes_by_the_jobs_that_ran_in_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.csv", rows_of_two_classes(600))
    two = OWN_TASK.replace(
        "select: {", "select: {models: [random, bag-of-words], question_sets: [], pair_sets: [], "
    )
    mine = write(
        tmp_path / "mine.yaml",
        two.replace("pair_sets: [], ", "pair_sets: [], alignments: [], regressions: [], "),
    )
    before = printed("validate", mine)
    assert "by the seconds of jobs of the default experiment; rows of 1 of 1 tasks known" in before
    assert "up to 4,000 MB for a job" in before
    for model in ("a", "b"):
        file = tmp_path / f"results/benchmarks/probe/M/{model}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        write(file, json.dumps({"s": 36_000.0, "max_rss": 100.0, "cpu_time": 1.0}) + "\n")
    after = printed("validate", mine)
    assert "by the jobs in results" in after
    # a job of `probe` per encoder, 10 hours each
    assert re.search(r"about 20 h 0\d min of one core", after), after


def test_all_mistakes_are_told_at_once_in_the_words_of_the_pipeline(tmp_path):
    mine = write(
        tmp_path / "mine.yaml",
        "select: {models: [minilm-l7], tasks: [T1B-smaple]}\n"
        "models: {mine: {kind: sentence-transformers, source: {hub: a/b, revision: main}}}\n",
    )
    text = refused("validate", mine)
    assert text.startswith("error: the configuration has 3 mistakes:\n")
    for part in ("'main' can point to other weights", "Did you mean minilm-l6?", "Did you mean T1B-sample?"):
        assert part in text


def test_later_file_is_laid_over_the_earlier_one(tmp_path):
    later = write(tmp_path / "later.yaml", "probe: {repetitions: 3}\nselect: {tasks: [F3-tiny]}\n")
    text = printed("validate", TINY, later)
    assert "3 × 2 folds" in text
    assert "1: F3-tiny" in text


def test_a_file_that_stands_alone_needs_every_section(tmp_path):
    part = write(tmp_path / "part.yaml", "select: {models: [random], tasks: [T1B-sample]}\n")
    assert "'experiment' is a required property" in refused("validate", "--replace-workflow-config", part)
    whole = write(tmp_path / "whole.yaml", yaml.safe_dump(DEFAULT))
    assert "no mistakes" in printed("validate", "--replace-workflow-config", whole)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: [1, 2\nb: 3\n", "is not YAML: line 2, column 2"),
        ("- T1B-sample\n", "holds a list, not a map"),
        ("experiment: {title: 2024-01-31}\n", "YAML reads 2024-01-31 as a date. Put it in quotes"),
        ("probe:\n", "config.probe: None is not of type 'object'"),
    ],
)
def test_what_is_no_configuration_is_told(tmp_path, content, message):
    assert message in refused("validate", write(tmp_path / "mine.yaml", content))


def test_file_of_another_encoding_is_told(tmp_path):
    (tmp_path / "mine.yaml").write_bytes("experiment: {title: Eleição}\n".encode("latin-1"))
    assert "cannot be read" in refused("validate", tmp_path / "mine.yaml")


def test_missing_file_is_told(tmp_path):
    assert "there is no file " in refused("validate", tmp_path / "no.yaml")


def test_file_with_comments_alone_is_the_default(tmp_path):
    assert "no mistakes" in printed("validate", write(tmp_path / "mine.yaml", "# nothing yet\n"))


# --- new-experiment


def loaded(path: Path):
    """The experiment of a file that is merged over the default one."""
    return load_experiment(read_configuration([path]), WORKFLOW)


def test_new_experiment_is_right_and_small(tmp_path):
    path = tmp_path / "mine.yaml"
    assert f"sentflow validate {path}" in printed("new-experiment", path)
    assert "no mistakes" in printed("validate", path)
    experiment = loaded(path)
    assert (experiment.title, len(experiment.selected["tasks"]), len(experiment.models)) == ("mine", 3, 2)


def test_new_experiment_has_the_names_in_their_order(tmp_path):
    path = tmp_path / "mine.yml"
    printed(
        "new-experiment", path, "--tasks", "T4,T1B-open", "--tasks", "F1A", "--models", "tfidf, minilm-l6",
        "--title", 'Um "título": não # 1',
    )  # fmt: skip
    experiment = loaded(path)
    assert list(experiment.selected["tasks"]) == ["T4", "T1B-open", "F1A"]
    assert list(experiment.models) == ["tfidf", "minilm-l6"]
    assert experiment.title == 'Um "título": não # 1'
    assert "- T1B-open  # Offensive comments (OffComBR-2)" in path.read_text(encoding="utf-8")


def test_comments_of_a_new_experiment_are_right_when_their_sign_is_taken_away(tmp_path):
    path = tmp_path / "mine.yaml"
    printed("new-experiment", path)
    text = path.read_text(encoding="utf-8")
    uncommented = re.sub(r"^# (?=models:|tasks:|  )", "", text, flags=re.MULTILINE)
    assert uncommented != text
    write(path, uncommented.replace("- random ", "- my-model "))
    assert list(loaded(path).models) == ["minilm-l6", "my-model"]


def test_new_experiment_has_the_published_cross_validation_and_not_that_of_the_default_experiment(tmp_path):
    path = tmp_path / "mine.yaml"
    printed("new-experiment", path)
    assert Probing(loaded(path)).protocol.cross_validation == PUBLISHED.cross_validation
    assert "not comparable" not in printed("validate", path)


def test_what_makes_scores_not_comparable_is_told(tmp_path):
    mine = write(tmp_path / "mine.yaml", "select: {models: [random], tasks: [T1B-sample]}")
    text = printed("validate", mine)
    assert re.search(r"not comparable with published scores +repetitions 2 \(published: 10\)\n", text)


def test_new_experiment_never_overwrites(tmp_path):
    path = write(tmp_path / "mine.yaml", "mine\n")
    assert "already exists and was not changed" in refused("new-experiment", path)
    assert path.read_text(encoding="utf-8") == "mine\n"


def test_new_experiment_with_a_wrong_name_writes_nothing(tmp_path):
    text = refused("new-experiment", tmp_path / "mine.yaml", "--tasks", "T1B-smaple", "--models", "minilm")
    assert "Did you mean T1B-sample?" in text
    assert "Did you mean minilm-l6?" in text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "message"), [("mine.txt", "Write mine.txt.yaml"), ("no/mine.yaml", "there is no folder")]
)
def test_new_experiment_at_a_wrong_place_is_told(tmp_path, name, message):
    assert message in refused("new-experiment", tmp_path / name)
    assert list(tmp_path.iterdir()) == []


# --- the terminal


def test_too_wide_table_is_cut_between_columns():
    # fixed 10; 10 + 20 + 20 = 50 fits, one more does not
    assert parts_of([10, 20, 20, 20], fixed=1, available=50) == [[0, 1, 2], [0, 3]]
    assert parts_of([10, 20, 20, 20], fixed=1, available=1000) == [[0, 1, 2, 3]]
    # what cannot fit stands alone
    assert parts_of([10, 90, 20], fixed=1, available=50) == [[0, 1], [0, 2]]


def test_piped_output_has_whole_lines_and_no_colours():
    env = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "TTY_COMPATIBLE")}
    words = [sys.executable, "-m", "sentflow", "tasks"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env={**env, "COLUMNS": "20"})
    assert "\x1b" not in done.stdout
    line = next(line for line in done.stdout.splitlines() if line.strip().startswith("T2A-open "))
    assert line.endswith("not stated")
    assert all(line == line.rstrip() for line in done.stdout.splitlines())


def test_terminal_that_knows_no_accents_still_gets_a_table():
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    words = [sys.executable, "-m", "sentflow", "models"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, env=env)
    assert "TF-IDF (3000 word 1?3-grams)" in done.stdout


def test_no_text_steers_the_terminal(capsys):
    evil = "a\x1b]0;owned\x07\u202eb\r\ud800"
    shown = r"a\x1b]0;owned\x07\u202eb\r\ud800"
    listing = Listing((evil, "b"), [(evil, "1"), (evil,)], caption=evil, notes=(evil,), fixed=1)
    show_blocks([listing, Facts(evil, [(evil, evil)]), evil])
    text = capsys.readouterr().out
    assert HIDDEN.search(text) is None
    assert text.count(shown) == 9
