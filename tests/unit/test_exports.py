"""Exports, read back by the packages that they are for where these are installed."""

import importlib.resources
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import fake_summary
import pytest
import yaml

from sentflow.compare.score_rows import ScoreRow
from sentflow.exports.crate import write_crate
from sentflow.exports.identity import Crate, ScoreExport
from sentflow.exports.jobs import export_huggingface, export_mteb
from sentflow.files.io import read_json, write_json
from sentflow.files.parquet import write_parquet
from sentflow.files.rows import write_rows
from sentflow.report.record import versions

TASKS = ("T1A-sample", "F1A-sample")
MODELS = ("minilm-l6", "tfidf")
NAMES = {"minilm-l6": ("owner/encoder", "a" * 40), "tfidf": ("sentflow/tfidf", "b" * 40)}
DIGESTS = {"T1A-sample": "0123456789abcdef" * 4, "F1A-sample": "fedcba9876543210" * 4}


def summary_rows() -> list[ScoreRow]:
    """Two tasks and two encoders; one score is undefined."""
    rows = fake_summary.score_rows(tasks=["T1A", "F1A"], models=list(MODELS))
    undefined = ("F1A-sample", "tfidf")
    return [replace(row, mean=math.nan) if (row.task, row.model) == undefined else row for row in rows]


def settings() -> ScoreExport:
    tasks = {task: {"language": "pt", "data": "owner/data"} for task in TASKS}
    about = {"adapted_from": None, "licence": "Apache-2.0", "max_tokens": 256}
    models = {
        model: {"name": name, "revision": revision, **about} for model, (name, revision) in NAMES.items()
    }
    return ScoreExport.from_parts({"tasks": tasks, "models": models})


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> Path:
    """Summary, score tables, digests and versions, as the rules make them."""
    import pyarrow as pa

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
            write_parquet(file, pa.table(columns))
    return folder


def given(inputs: Path) -> dict[str, Any]:
    digests = [inputs / f"digests/{task}.json" for task in TASKS]
    return {"summary": inputs / "summary.parquet", "digests": digests, "settings": settings()}


def test_a_result_has_the_keys_that_mteb_asks_for(inputs, tmp_path):
    names = [*(f"{task}.json" for task in TASKS), "model_meta.json", "run_settings.jsonl"]
    folders = [facts.folder for facts in settings().models.values()]
    outputs = [tmp_path / folder / name for folder in folders for name in names]
    tables = [inputs / f"scores/{task}/{model}.parquet" for task in TASKS for model in MODELS]
    export_mteb(**given(inputs), tables=tables, versions=inputs / "versions.json", output=outputs)
    assert [file for file in outputs if not file.is_file()] == []
    row = summary_rows()[0]
    result = read_json(tmp_path / f"owner__encoder/{'a' * 40}/T1A-sample.json")
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


def test_eval_results_are_read_by_huggingface_hub(inputs, tmp_path):
    from huggingface_hub import parse_eval_result_entries

    names = [*(f".eval_results/{task}.yaml" for task in TASKS), "README.md"]
    outputs = [tmp_path / model / name for name in names for model in MODELS]
    export_huggingface(**given(inputs), output=outputs)
    assert [file for file in outputs if not file.is_file()] == []
    data = yaml.safe_load((tmp_path / "minilm-l6/.eval_results/T1A-sample.yaml").read_text(encoding="utf-8"))
    (entry,) = parse_eval_result_entries(data)
    row = summary_rows()[0]
    assert (entry.dataset_id, entry.task_id) == ("owner/data", "T1A-sample_default_test")
    assert entry.dataset_revision == DIGESTS["T1A-sample"][:40]
    assert entry.value == pytest.approx(100 * row.mean, abs=1e-5)
    assert "protocol published; generalisation 99 % interval" in entry.notes


@pytest.mark.slow
def test_a_crate_has_all_that_its_profile_requires(tmp_path, monkeypatch):
    services = pytest.importorskip(
        "rocrate_validator.services", reason="optional: envs/requirements-crosscheck.txt"
    )
    from requests import Response
    from rocrate_validator.utils.http import HttpRequester

    # The context of RO-Crates, which the validator would fetch
    served = Response()
    served.status_code, served.headers["Content-Type"] = 200, "application/ld+json"
    served._content = (importlib.resources.files("rocrate") / "data" / "ro-crate.jsonld").read_bytes()
    monkeypatch.setattr(HttpRequester, "get", lambda *_, **__: served, raising=False)
    facts = {"licence": "MIT", "citation": "none"}
    dataset = {"title": "Leis", "language": "pt", "checksums": {"leis é.csv": "0" * 64}, **facts}
    model = {"name": "owner/encoder", "title": "Encoder", "revision": "a" * 40, **facts}
    about = Crate.from_parts(
        {"title": "Um título", "description": "", "tables": (), "datasets": {"leis": dataset}}
        | {"models": {"encoder": model}}
    )
    files = {name: tmp_path / name for name in ("scores.csv", "figures/a é #1.pdf")}
    for file in files.values():
        file.parent.mkdir(exist_ok=True)
        file.write_text("1\n", encoding="utf-8")
    crate = tmp_path / "run.crate.zip"
    write_crate(crate, files, about=about, versions=json.loads(json.dumps(versions())))
    # With what it is based on: RO-Crate 1.1
    result = services.validate({"rocrate_uri": str(crate), "profile_identifier": "process-run-crate-0.5"})
    assert [issue.message for issue in result.get_issues()] == []
