"""The whole pipeline on the tiny experiment: what it makes, and that no way of running it changes a byte."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from workflow_copy import (
    PACKAGE,
    TINY,
    copy_workflow,
    environment,
    planned,
    rules_of,
    snakemake,
    snakemake_words,
)

from sentflow.cli.measured_costs import rule_costs
from sentflow.cli.measured_jobs import measured_rules, requested_mb
from sentflow.cli.rule_requests import rule_requests
from sentflow.cli.run_log import logged_jobs

pytestmark = pytest.mark.slow

TASKS = ("T1B-tiny", "G3-tiny", "F3-tiny")
MODELS = ("bag-of-words", "tfidf", "random")
KILL_WITHIN_SECONDS = 1800  # for a run that hangs; a busy machine takes its time


def score_files(project: Path) -> dict[str, bytes]:
    """Every file of scores. All tables are made of them; test_kills.py compares these after kills, too."""
    files = sorted((project / "results/scores").rglob("*"))
    return {str(file.relative_to(project)): file.read_bytes() for file in files if file.is_file()}


def assert_same_files(project: Path, reference: Path) -> None:
    found, expected = score_files(project), score_files(reference)
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name] != expected[name]] == []


def run(project: Path, *arguments: str) -> str:
    """Run the scores of the tiny experiment to the end; what Snakemake said."""
    outcome = snakemake(project, "scores", "--configfile", str(TINY), *arguments)
    assert outcome.code == 0, outcome.text[-6000:]
    return outcome.text


def count(rule: str, said: str) -> int:
    """Jobs of a rule that began; each has a line."""
    return len(re.findall(rf"^[\d:]+ {rule.replace('_', ' ')}: ", said, flags=re.MULTILINE))


def finished_pairs(project: Path) -> int:
    """Pairs of task and model whose last fold is there."""
    return len(list((project / "results").glob("probes/*/*/rep-2/fold-2.parquet")))


def kill_half_way(project: Path, *arguments: str, kill: Callable[[subprocess.Popen[bytes]], None]) -> int:
    """Start a run on two cores and kill it when three pairs are done; its process group."""
    words = snakemake_words("scores", "--cores", "2", "--configfile", str(TINY), *arguments)
    enough = finished_pairs(project) + 3  # two may end together, and Snakemake know of neither
    with (project / "killed.log").open("wb") as log:
        process = subprocess.Popen(
            words, cwd=project, env=environment(), stdout=log, stderr=log, start_new_session=True
        )
        deadline = time.monotonic() + KILL_WITHIN_SECONDS
        while finished_pairs(project) < enough:
            assert process.poll() is None, (project / "killed.log").read_text(encoding="utf-8")[-6000:]
            assert time.monotonic() < deadline, "too few probes were done in time"
            time.sleep(0.05)
        kill(process)
        process.wait()
    return process.pid


def resume(project: Path, *arguments: str) -> str:
    """What the README says: a locked folder is unlocked, and the same command does the rest."""
    locked = snakemake(project, "scores", "--cores", "2", "--configfile", str(TINY), *arguments)
    assert locked.code != 0
    assert "cannot be locked" in locked.text
    assert "Traceback" not in locked.text
    assert snakemake(project, "--unlock", "--configfile", str(TINY)).code == 0
    return run(project, "--cores", "2", *arguments)


# --- what a run makes ---------------------------------------------------------------------------------------


def test_every_score_is_there_and_makes_sense(reference):
    means = {}
    for task in TASKS:
        for model in MODELS:
            score = json.loads(
                (reference / f"results/scores/{task}/{model}.json").read_text(encoding="utf-8")
            )
            assert (score["task"], score["model"], score["data_version"]) == (task, model, "sample data")
            assert (score["repetitions"], score["folds"], score["n_folds"]) == (2, 2, 4)
            assert 0 <= score["mean"] <= 1
            means[task, model] = score["mean"]
    assert means["T1B-tiny", "bag-of-words"] > means["T1B-tiny", "random"]
    layouts = [
        json.loads((reference / f"results/scores/{task}/random.json").read_text(encoding="utf-8"))["layout"]
        for task in TASKS
    ]
    assert layouts == ["single", "pair", "alternatives"]


def test_checks_pass(reference):
    checks = sorted((reference / "results/checks").glob("*.json"))
    of_tasks = ["complete", "controls", "figures", "intervals", "no_missing"]
    assert [check.stem for check in checks] == [*of_tasks, "similarity", "tables"]
    for check in checks:
        assert json.loads(check.read_text(encoding="utf-8"))["passed"] is True, check.stem


def test_tables_figures_report_and_record_are_there(reference):
    results = reference / "results"
    for name in (
        "scores",
        "intervals",
        "differences",
        "ranks",
        "matches",
        "power",
        "tasks",
        "encoders",
        "costs",
    ):
        assert all((results / f"tables/{name}.{ending}").stat().st_size for ending in ("csv", "md", "tex"))
    figures = (
        "heatmap",
        "forest",
        "family-means",
        "ranks",
        "wins",
        "differences",
        "curves",
        "differences-to-best",
        "score-and-cost",
        "costs",
    )
    for name in figures:
        endings = ("pdf", "png", "svg", "parquet")
        assert all((results / f"figures/{name}.{ending}").stat().st_size for ending in endings)
    page = (results / "report/index.html").read_text(encoding="utf-8")
    assert all(words in page for words in ("Tiny experiment", "sample data", *TASKS))
    assert "T1B-tiny" in (results / "record/config.yaml").read_text(encoding="utf-8")


def test_every_job_left_a_log_and_a_benchmark(reference):
    results = reference / "results"
    logs = {str(file.relative_to(results / "logs").with_suffix("")) for file in results.glob("logs/**/*.log")}
    measured = results.glob("benchmarks/**/*.jsonl")
    benchmarks = {str(file.relative_to(results / "benchmarks").with_suffix("")) for file in measured}
    assert logs == benchmarks
    assert "probe/T1B-tiny/random" in logs
    first_line = (results / "logs/probe/T1B-tiny/random.log").read_text(encoding="utf-8").splitlines()[0]
    assert "python -P -m sentflow.commands.probe --task results/data/tasks/T1B-tiny.parquet" in first_line


def test_no_rule_requests_less_memory_than_its_jobs_took(reference):
    measured = measured_rules(reference / "results/benchmarks")
    asked = rule_requests(reference / "workflow/rules")
    assert {"prepare", "embed", "probe", "probe_lazy", "geometry", "table"} <= measured.keys() <= asked.keys()
    needed = {
        rule: requested_mb(each.memory_mb.value, margin=1.5)
        for rule, each in measured.items()
        if each.memory_mb
    }
    assert {rule: mb for rule, mb in needed.items() if mb > asked[rule].memory_mb} == {}


def test_costs_are_those_of_every_job(reference):
    logged = logged_jobs(reference)
    found = rule_costs(reference / "results/benchmarks", logged, encoders=MODELS, tasks=TASKS)
    jobs = planned(copy_workflow(reference.parent / "to plan"), targets=["all", "exports"])
    assert sum(each.jobs for each in found) == len(jobs) == len(logged)
    probe = next(each for each in found if each.rule == "probe")
    assert (probe.per_encoder, probe.per_task, probe.repeated) == (True, True, 0)
    assert probe.requested_mb >= 2000


def test_nothing_is_left_over(reference):
    assert list((reference / "results").rglob("*.part")) == []
    # Hidden are only the vectors that the next run of embed may use again, and what the Hugging Face hub wants so
    hidden = {
        file.relative_to(reference / "results").as_posix() for file in (reference / "results").rglob(".*")
    }
    assert hidden == {
        f"embeddings/{model}/.{dataset}.kept"
        for model in ("bag-of-words", "random")
        for dataset in ("tiny-public", "tiny-exams", "tiny-sentences", "tiny-sentences-permuted")
    } | {f"exports/huggingface/{model}/.eval_results" for model in MODELS}


def test_jobs_run_the_code_of_their_own_folder(copy_of_reference):
    project = copy_of_reference()
    with (project / PACKAGE / "report/record.py").open("a", encoding="utf-8") as stream:
        stream.write('\nLIBRARIES = ("pytest",)\n')
    record = "results/record/versions.json"
    assert snakemake(project, record, "--cores", "1", "--configfile", str(TINY)).code == 0
    assert list(json.loads((project / record).read_text(encoding="utf-8"))["libraries"]) == ["pytest"]


# --- what runs again, after a real run ----------------------------------------------------------------------


def test_a_second_run_does_nothing(reference):
    outcome = snakemake(reference, "--cores", "2", "--configfile", str(TINY))
    assert outcome.code == 0
    assert "Nothing to be done" in outcome.text


def test_a_finished_run_knows_its_code_and_not_its_dates(copy_of_reference):
    project = copy_of_reference()
    for file in sorted(project.rglob("*"), reverse=True):
        if file.is_file() and ".snakemake" not in file.parts:
            file.touch()
    assert planned(project) == set()
    with (project / PACKAGE / "probing/protocol/metrics.py").open("a", encoding="utf-8") as stream:
        stream.write("\n_ADDED_BY_A_TEST = 1\n")
    after_scores = {"compare", "summarise", "summarise_costs", "table", "figure", "check", "report"}
    assert rules_of(planned(project)) == {"probe", "probe_lazy", "hardest", "score"} | after_scores


# --- same bytes, whichever way ------------------------------------------------------------------------------


# One core, from scratch and elsewhere: test_reproducibility.py


def test_jobs_of_a_fold(reference, copy_of_reference):
    # one lazy encoder, one MLP with alternatives, one pair; the other folds are those of whole-task jobs
    pairs = ("T1B-tiny/tfidf", "F3-tiny/bag-of-words", "G3-tiny/random")
    project = copy_of_reference(*(f"probes/{pair}" for pair in pairs), "scores")
    said = run(project, "--cores", "2", "--config", 'probe={"job": "fold"}')
    assert (count("probe", said), count("probe_lazy", said)) == (8, 4)
    assert_same_files(project, reference)


def test_a_run_that_was_killed_with_its_jobs_is_resumed(reference, copy_of_reference):
    project = copy_of_reference("probes", "scores")
    kill_half_way(project, kill=lambda process: os.killpg(process.pid, signal.SIGKILL))
    said = resume(project)
    assert 0 < count("probe", said) + count("probe_lazy", said) < len(TASKS) * len(MODELS)
    assert_same_files(project, reference)


def test_a_run_whose_snakemake_alone_was_killed_is_resumed_by_repetition(reference, copy_of_reference):
    pairs = ("T1B-tiny/tfidf", "T1B-tiny/random", "G3-tiny/tfidf", "F3-tiny/random")
    project = copy_of_reference(*(f"probes/{pair}" for pair in pairs), "scores")
    by_repetition = ("--config", 'probe={"job": "repetition"}')
    group = None
    try:
        group = kill_half_way(project, *by_repetition, kill=lambda process: process.kill())
        said = resume(project, *by_repetition)
        assert 0 < count("probe", said) + count("probe_lazy", said) < len(pairs) * 2
        assert_same_files(project, reference)
    finally:
        if group is not None:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)


# --- Snakemake's own report ---------------------------------------------------------------------------------


def test_snakemake_makes_its_report(reference, tmp_path):
    """With our captions; that it is a file of its own, or an archive, is Snakemake's business."""
    outcome = snakemake(reference, "--configfile", str(TINY), "--report", str(tmp_path / "report.html"))
    assert outcome.code == 0, outcome.text
    assert (tmp_path / "report.html").stat().st_size > 100_000
