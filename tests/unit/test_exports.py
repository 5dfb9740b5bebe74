"""Exports, read back by the packages that they are for where these are installed."""

import json
import math
import shutil
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import fake_summary
import pytest
import yaml

from sentflow.compare.fold_scores import fold_scores
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import ConfigError
from sentflow.exports.identity import data_name, language_script, model_name
from sentflow.exports.scores import ModelFacts
from sentflow.files.io import read_json, write_json
from sentflow.files.rows import write_rows
from sentflow.report.record import versions

TASKS = ("T1A-sample", "F1A-sample")
MODELS = ("minilm-l6", "tfidf")
HUB = {"kind": "sentence-transformers", "source": {"hub": "owner/encoder", "revision": "a" * 40}}
NAMES = {"minilm-l6": ("owner/encoder", "a" * 40), "tfidf": ("sentflow/tfidf", "b" * 40)}
DIGESTS = {"T1A-sample": "0123456789abcdef" * 4, "F1A-sample": "fedcba9876543210" * 4}


def summary_rows() -> list[ScoreRow]:
    """Two tasks and two encoders; one score is undefined."""
    rows = fake_summary.score_rows(tasks=["T1A", "F1A"], models=list(MODELS))
    undefined = ("F1A-sample", "tfidf")
    return [replace(row, mean=math.nan) if (row.task, row.model) == undefined else row for row in rows]


def settings() -> str:
    tasks = {task: {"language": "pt", "data": "owner/data"} for task in TASKS}
    models = {
        model: {
            "name": name,
            "revision": revision,
            "adapted_from": None,
            "licence": "Apache-2.0",
            "max_tokens": 256,
        }
        for model, (name, revision) in NAMES.items()
    }
    return json.dumps({"tasks": tasks, "models": models})


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> Path:
    """Summary, score tables, digests and versions, as the rules make them."""
    import pandas as pd

    folder = tmp_path_factory.mktemp("inputs")
    write_rows(folder / "summary.parquet", ScoreRow, summary_rows())
    write_json(folder / "versions.json", versions())
    for task in TASKS:
        write_json(folder / f"digests/{task}.json", {"bytes": 1, "sha256": DIGESTS[task]})
        for model in MODELS:
            file = folder / f"scores/{task}/{model}.parquet"
            file.parent.mkdir(parents=True, exist_ok=True)
            columns = {
                "kfold_repetition": [1, 1, 1],
                "kfold_partition": [2, 1, 1],
                "metric": ["metric_test", "metric_test", "loss_test"],
                "value": [0.4, 0.6, 9.0],
            }
            pd.DataFrame(columns).to_parquet(file)
    return folder


def words(inputs: Path, *, tables: bool = False) -> list[str]:
    digests = [str(inputs / f"digests/{task}.json") for task in TASKS]
    found = ["--summary", str(inputs / "summary.parquet"), "--digests", *digests, "--settings", settings()]
    if tables:
        files = [str(inputs / f"scores/{task}/{model}.parquet") for task in TASKS for model in MODELS]
        found += ["--tables", *files, "--versions", str(inputs / "versions.json")]
    return found


# --- names


def test_a_hub_model_as_it_comes_has_its_own_name():
    found = model_name("mine", {**HUB, "title": "Mine", "device": "cuda:0", "licence": "MIT"})
    assert (found.name, found.revision, found.folder) == (
        "owner/encoder",
        "a" * 40,
        f"owner__encoder/{'a' * 40}",
    )


@pytest.mark.parametrize(
    "change", [{"pooling": "cls"}, {"truncate_dim": 64}, {"kind": "transformers"}], ids=str
)
def test_a_hub_model_taken_otherwise_has_a_name_of_its_own(change):
    found = model_name("mine", {**HUB, **change})
    assert (found.name, found.adapted_from) == ("sentflow/mine", "owner/encoder")
    assert found.revision != model_name("mine", {**HUB, "pooling": "max"}).revision
    assert len(found.revision) == 40


def test_the_name_of_data_is_that_of_the_hub_if_there_is_one():
    assert data_name("hatebr-2", {"hub": "owner/hatebr"}) == "owner/hatebr"
    assert data_name("hatebr-2", {}) == "sentflow/hatebr-2"


def test_languages_are_told_with_their_script():
    assert (language_script("pt"), language_script("xx")) == ("por-Latn", "und-Zyyy")


# --- MTEB


@pytest.fixture(scope="module")
def mteb_folder(inputs, tmp_path_factory) -> Path:
    from sentflow.commands.export_mteb import main

    folder = tmp_path_factory.mktemp("mteb") / "results"
    names = [*(f"{task}.json" for task in TASKS), "model_meta.json", "run_settings.jsonl"]
    outputs = [str(folder / facts_of(model).folder / name) for model in MODELS for name in names]
    assert main([*words(inputs, tables=True), "--output", *outputs]) == 0
    assert [file for file in outputs if not Path(file).is_file()] == []
    return folder


def facts_of(model: str) -> ModelFacts:
    name, revision = NAMES[model]
    return ModelFacts(name, revision, None, "MIT", None)


def test_a_result_has_the_keys_that_mteb_asks_for(mteb_folder):
    row = summary_rows()[0]
    result = read_json(mteb_folder / f"owner__encoder/{'a' * 40}/T1A-sample.json")
    assert result["dataset_revision"] == DIGESTS["T1A-sample"][:40]
    assert (result["task_name"], result["evaluation_time"]) == ("T1A-sample", None)
    (entry,) = result["scores"]["test"]
    assert entry["main_score"] == entry["mcc"] == pytest.approx(row.mean, abs=1e-6)
    assert (entry["hf_subset"], entry["languages"]) == ("default", ["por-Latn"])
    # in the order of folds
    assert entry["scores_per_experiment"] == [{"mcc": 0.6}, {"mcc": 0.4}]
    assert entry["ci99_low_nb"] == pytest.approx(row.generalisation_low, abs=1e-6)
    assert entry["ci99_low_item"] == pytest.approx(row.item_low, abs=1e-6, nan_ok=True)
    assert entry["ci99_high_ref"] == pytest.approx(row.repeatability_high, abs=1e-6)


def test_an_undefined_score_has_no_entry(mteb_folder):
    assert read_json(mteb_folder / f"sentflow__tfidf/{'b' * 40}/F1A-sample.json")["scores"] == {"test": []}


def test_mteb_itself_loads_the_results(mteb_folder):
    pytest.importorskip("mteb", reason="mteb is not installed: envs/requirements-exports.txt")
    from mteb.cache import ResultCache
    from mteb.models.model_meta import ModelMeta
    from mteb.results import TaskResult

    expected = {
        (row.task, NAMES[row.model][0]): row.mean for row in summary_rows() if not math.isnan(row.mean)
    }
    found = {}
    for file in mteb_folder.glob("*/*/*-sample.json"):
        result = TaskResult.from_disk(file)
        if result.scores["test"]:
            found[result.task_name, file.parts[-3].replace("__", "/")] = result.get_score()
    assert found == pytest.approx(expected, abs=1e-6)
    loaded = ResultCache(cache_path=mteb_folder.parent).load_results(include_remote=False)
    assert sorted(loaded.model_names) == sorted(name for name, _ in NAMES.values())
    assert {len(model.task_results) for model in loaded.model_results} == {2}
    for file in mteb_folder.glob("*/*/model_meta.json"):
        meta = ModelMeta(**read_json(file))
        assert meta.name.replace("/", "__") == file.parts[-3]
        assert meta.license == "apache-2.0"


def test_run_settings_name_every_task_and_version(mteb_folder):
    text = (mteb_folder / f"owner__encoder/{'a' * 40}/run_settings.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["task"] for line in lines] == list(TASKS)
    assert lines[0]["version"]["torch"] == versions()["libraries"]["torch"]
    assert (lines[0]["splits"], lines[0]["subsets"]) == (["test"], ["default"])


# --- Hugging Face


@pytest.fixture(scope="module")
def hub_folder(inputs, tmp_path_factory) -> Path:
    from sentflow.commands.export_huggingface import main

    folder = tmp_path_factory.mktemp("hub")
    outputs = [folder / model / f".eval_results/{task}.yaml" for model in MODELS for task in TASKS]
    outputs += [folder / model / "README.md" for model in MODELS]
    assert main([*words(inputs), "--output", *map(str, outputs)]) == 0
    assert [file for file in outputs if not file.is_file()] == []
    return folder


def test_eval_results_are_read_by_huggingface_hub(hub_folder):
    from huggingface_hub import parse_eval_result_entries

    data = yaml.safe_load(
        (hub_folder / "minilm-l6/.eval_results/T1A-sample.yaml").read_text(encoding="utf-8")
    )
    (entry,) = parse_eval_result_entries(data)
    row = summary_rows()[0]
    assert (entry.dataset_id, entry.task_id) == ("owner/data", "T1A-sample_default_test")
    assert entry.dataset_revision == DIGESTS["T1A-sample"][:40]
    assert entry.value == pytest.approx(100 * row.mean, abs=1e-5)
    assert "protocol published; generalisation 99 % interval" in entry.notes


def test_an_undefined_score_is_no_eval_result(hub_folder):
    assert (
        yaml.safe_load((hub_folder / "tfidf/.eval_results/F1A-sample.yaml").read_text(encoding="utf-8")) == []
    )


def test_eval_results_are_read_by_mteb(hub_folder):
    pytest.importorskip("mteb", reason="mteb is not installed: envs/requirements-exports.txt")
    from mteb._hf_integration.eval_result_model import HFEvalResults

    for file in hub_folder.glob("*/.eval_results/*.yaml"):
        assert HFEvalResults(yaml.safe_load(file.read_text(encoding="utf-8"))) is not None


def test_a_model_card_is_read_by_huggingface_hub(hub_folder):
    from huggingface_hub import ModelCard

    results = ModelCard((hub_folder / "minilm-l6/README.md").read_text(encoding="utf-8")).data.eval_results
    rows = [row for row in summary_rows() if row.model == "minilm-l6"]
    assert [result.metric_value for result in results] == pytest.approx([row.mean for row in rows])
    assert [result.dataset_name for result in results] == [f"{task} (default)" for task in TASKS]
    assert [result.dataset_revision for result in results] == [DIGESTS[task][:40] for task in TASKS]


# --- LaTeX


@pytest.fixture(scope="module")
def numbers(inputs, tmp_path_factory) -> Path:
    from sentflow.commands.export_numbers import main

    file = tmp_path_factory.mktemp("tex") / "numbers.tex"
    title = "100 % sure,\non two lines"
    assert main(["--summary", str(inputs / "summary.parquet"), "--title", title, "--output", str(file)]) == 0
    return file


def typeset(numbers: Path, folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    shutil.copy(numbers, folder / "numbers.tex")
    document = f"\\documentclass{{article}}\\input{{numbers}}\\begin{{document}}{body}\\end{{document}}"
    (folder / "paper.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_numbers_are_typeset(numbers, tmp_path):
    row = summary_rows()[0]
    body = r"\sentflow{T1A-sample}{minilm-l6}{mean};\sentflowrun{tasks};\sentflowaverage{tfidf}"
    done = typeset(numbers, tmp_path, rf"\edef\found{{{body}}}\typeout{{found: \meaning\found}}{body}")
    assert done.returncode == 0, done.stdout
    # an encoder without all tasks has no average
    assert f"found: macro:->{row.mean:.3f};2;---" in done.stdout


def test_an_unknown_number_stops_latex(numbers, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    done = typeset(numbers, tmp_path, r"\sentflow{T1A-sample}{minilm}{mean}")
    assert done.returncode != 0
    # TeX breaks its lines anywhere
    assert "There is no number `T1A-sample/minilm/mean'" in done.stdout.replace("\n", "")


def test_every_score_has_its_macros(numbers):
    text = numbers.read_text(encoding="utf-8")
    assert text.startswith("% Numbers of the experiment: 100 % sure, on two lines\n")
    for row in summary_rows():
        mean = "---" if math.isnan(row.mean) else f"{row.mean:.3f}"
        key = f"sentflow:{row.task}/{row.model}/mean"
        assert rf"\expandafter\def\csname {key}\endcsname{{{mean}}}" in text
    assert "−" not in text  # a sign that LaTeX may not know


# --- RO-Crate

ABOUT = {
    "title": "Trial",
    "description": "",
    "datasets": {
        "comments": {
            "title": "Comments",
            "licence": "CC BY 4.0",
            "citation": "none",
            "language": "pt",
            "checksums": {"a.csv": "f" * 64},
        }
    },
    "models": {
        "tfidf": {
            "name": "sentflow/tfidf",
            "revision": "b" * 40,
            "licence": "none",
            "title": "TF-IDF",
            "citation": "somebody 1988",
        }
    },
}


def make_crate(inputs: Path, folder: Path, monkeypatch, *, date: str = "1700000000") -> Path:
    from sentflow.commands.export_ro_crate import main

    monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
    files = [
        inputs / "summary.parquet",
        *sorted((inputs / "scores").glob("*/*.parquet")),
        inputs / "versions.json",
    ]
    digests = [str(inputs / f"digests/{task}.json") for task in TASKS]
    arguments = [
        "--files",
        *map(str, files),
        "--digests",
        *digests,
        "--versions",
        str(inputs / "versions.json"),
    ]
    output = folder / "run.crate.zip"
    tables = {file: [f"task table {task}", "comments"] for file, task in zip(digests, TASKS, strict=True)}
    assert (
        main([*arguments, "--settings", json.dumps({**ABOUT, "tables": tables}), "--output", str(output)])
        == 0
    )
    return output


def test_a_crate_is_read_by_rocrate(inputs, tmp_path, monkeypatch):
    from rocrate.rocrate import ROCrate

    crate = ROCrate(make_crate(inputs, tmp_path, monkeypatch))
    assert (crate.name, crate.datePublished.date().isoformat()) == ("Trial", "2023-11-14")
    names = {entity.id for entity in crate.data_entities}
    expected = {
        "summary.parquet",
        "versions.json",
        *(f"scores/{task}/{model}.parquet" for task in TASKS for model in MODELS),
    }
    assert names == expected
    run = crate.get("#run")
    assert {entity.id for entity in run["result"]} == expected
    assert [entity.id for entity in run["object"]] == ["#dataset-comments", "#encoder-tfidf"]
    assert run["instrument"]["name"] == "sentflow"
    assert set(crate.get("#dataset-comments")["identifier"]) == {
        f"a.csv sha256:{'f' * 64}",
        *(f"task table {task} sha256:{DIGESTS[task]}" for task in TASKS),
    }


def test_checksums_of_a_crate_are_those_of_its_files(inputs, tmp_path, monkeypatch):
    import hashlib

    with zipfile.ZipFile(make_crate(inputs, tmp_path, monkeypatch)) as archive:
        graph = json.loads(archive.read("ro-crate-metadata.json"))["@graph"]
        files = {entity["@id"]: entity for entity in graph if entity["@type"] == "File"}
        assert set(files) == set(archive.namelist()) - {"ro-crate-metadata.json"}
        for name, entity in files.items():
            assert entity["sha256"] == hashlib.sha256(archive.read(name)).hexdigest()
            assert entity["contentSize"] == str(len(archive.read(name)))


def test_same_run_and_date_give_the_same_crate(inputs, tmp_path, monkeypatch):
    first = make_crate(inputs, tmp_path, monkeypatch).read_bytes()
    assert make_crate(inputs, tmp_path, monkeypatch).read_bytes() == first


def test_a_date_that_is_none_is_told(inputs, tmp_path, monkeypatch):
    with pytest.raises(ConfigError, match="SOURCE_DATE_EPOCH is not a date"):
        make_crate(inputs, tmp_path, monkeypatch, date="yesterday")
    assert not (tmp_path / "run.crate.zip").exists()


def test_fold_scores_of_the_fixture_are_in_order(inputs):
    assert fold_scores(inputs / "scores/T1A-sample/tfidf.parquet").tolist() == [0.6, 0.4]
