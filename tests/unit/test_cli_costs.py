"""`sentflow costs`: from benchmark files and Snakemake's log to what each rule cost, and would."""

import json
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner
from workflow_copy import snakemake

from sentflow.cli.app import app
from sentflow.cli.costs import Dimensions, costs_listing
from sentflow.cli.measured_costs import Size, rule_costs
from sentflow.cli.run_log import logged_jobs

MODELS, TASKS = ["a", "b"], ["T1", "T2"]
# As Snakemake 9.27 writes it with profiles/slurm: a job, one that was repeated, a local one, two in a group.
LOG = """\
[{at0}]
rule score:
    output: results/scores/T1/a.json
    jobid: 3
    benchmark: results/benchmarks/score/T1/a.jsonl
    resources: tmpdir=<TBD>, mem_mb=1000, mem=1 GB, runtime=10
Job 3 has been submitted with SLURM jobid 7 (log: 7.log).
[{at10}]
Error in rule score:
    jobid: 3
Trying to restart job 3.
[{at10}]
rule score:
    jobid: 3
    benchmark: results/benchmarks/score/T1/a.jsonl
    resources: tmpdir=<TBD>, mem_mb=2000, mem=1 GB, runtime=20
[{at20}]
localrule table:
    jobid: 4
    benchmark: results/benchmarks/table/scores.jsonl
    resources: mem_mb=500
[{at20}] Group job folds (jobs in lexicogr. order):
    [{at20}]
    rule probe:
        jobid: 5
        benchmark: results/benchmarks/probe/T1/a.jsonl
        resources: mem_mb=2100, runtime=60
    [{at20}]
    rule probe:
        jobid: 6
        benchmark: results/benchmarks/probe/T1/b.jsonl
        resources: mem_mb=2200, runtime=60
[{at30}]
Finished jobid: 3 (Rule: score)
[{at30}]
Finished jobid: 4 (Rule: table)
[{at60}]
Finished jobid: 5 (Rule: probe)
[{at60}]
Finished jobid: 6 (Rule: probe)
[{at60}]
rule score:
    jobid: 9
    benchmark: results/benchmarks/score/T2/a.jsonl
    resources: mem_mb=9000
"""


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """Four finished jobs: commands of 4, 1, 6 and 8 seconds; the log above; two encoders and two tasks."""
    for job, seconds, memory in (
        ("score/T1/a", 4.0, 100.0),
        ("table/scores", 1.0, "NA"),
        ("probe/T1/a", 6.0, 300.0),
        ("probe/T1/b", 8.0, 400.0),
    ):
        file = tmp_path / "results/benchmarks" / f"{job}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"s": seconds, "cpu_time": seconds / 2, "max_rss": memory}) + "\n")
    for model in MODELS:
        manifest = tmp_path / f"results/models/{model}/manifest.json"
        manifest.parent.mkdir(parents=True)
        manifest.write_text("{}")
    start = time.mktime((2026, 11, 22, 12, 0, 0, 0, 0, -1))
    clocks = {f"at{second}": time.asctime(time.localtime(start + second)) for second in range(0, 70, 10)}
    log = tmp_path / ".snakemake/log/2026-11-22T120000.000000.snakemake.log"
    log.parent.mkdir(parents=True)
    log.write_text(LOG.format(**clocks), encoding="utf-8")
    return tmp_path


def test_the_log_says_when_jobs_were_begun_and_seen_to_end_and_what_they_requested(run_folder):
    jobs = {name.removeprefix("results/benchmarks/"): job for name, job in logged_jobs(run_folder).items()}
    zero = jobs["score/T1/a.jsonl"].begun - 10
    # the last attempt counts; the job that never ended does not
    assert {
        name: (job.begun - zero, job.ended - zero, job.is_local, job.attempts, job.memory_mb)
        for name, job in jobs.items()
    } == {
        "score/T1/a.jsonl": (10, 30, False, 2, 2000),
        "table/scores.jsonl": (20, 30, True, 1, 500),
        "probe/T1/a.jsonl": (20, 60, False, 1, 2100),
        "probe/T1/b.jsonl": (20, 60, False, 1, 2200),
    }
    groups = {job.group for name, job in jobs.items() if name.startswith("probe/")}
    assert len(groups) == 1
    assert {job.group for name, job in jobs.items() if not name.startswith("probe/")} == {None}
    assert groups != {None}


def test_a_snakemake_writes_such_a_log(tmp_path):
    (tmp_path / "Snakefile").write_text(
        """
rule score:
    output: "results/a.txt"
    benchmark: "results/benchmarks/score/a.jsonl"
    resources: mem_mb=lambda wildcards, attempt: 100 * attempt, n=lambda wildcards, attempt: attempt
    retries: 1
    shell: "[ {resources.n} = 2 ] && touch {output}"
""",
        encoding="utf-8",
    )
    before = time.time()
    done = snakemake(tmp_path, "--cores", "1", "--quiet", "host", "reason")
    assert done.code == 0, done.text
    ((name, job),) = logged_jobs(tmp_path).items()
    assert name == "results/benchmarks/score/a.jsonl"
    assert (job.attempts, job.memory_mb, job.is_local, job.group) == (2, 200, True, None)
    assert int(before) <= job.begun <= job.ended <= time.time()


def test_costs_are_sums_over_jobs_and_a_group_shares_its_overhead(run_folder):
    found = rule_costs(
        run_folder / "results/benchmarks", logged_jobs(run_folder), encoders=MODELS, tasks=TASKS
    )
    assert [each.rule for each in found] == ["probe", "score", "table"]
    probe, score, table = found
    assert (probe.jobs, probe.seconds, probe.cpu_seconds, probe.memory_mb, probe.requested_mb) == (
        *(2, 14.0, 7.0, 400.0, 2200),
    )
    assert probe.overhead_seconds == 40 - 14  # of 40 s, two jobs worked 14, one after the other
    assert (score.overhead_seconds, score.repeated, score.is_local) == (20 - 4, 1, False)
    assert (table.overhead_seconds, table.memory_mb, table.is_local) == (10 - 1, None, True)
    assert [(each.per_encoder, each.per_task) for each in found] == [
        (True, True),
        (True, True),
        (False, False),
    ]


def test_without_a_log_there_is_no_overhead(run_folder):
    found = rule_costs(run_folder / "results/benchmarks", {}, encoders=MODELS, tasks=TASKS)
    assert {(each.overhead_seconds, each.requested_mb) for each in found} == {(None, None)}


def test_a_larger_experiment_has_more_jobs_and_each_has_more_work(run_folder):
    probe, score, table = (
        each.scaled(Size(encoders=10, tasks=9, rows=5, width=2))
        for each in rule_costs(
            run_folder / "results/benchmarks", logged_jobs(run_folder), encoders=MODELS, tasks=TASKS
        )
    )
    assert (probe.jobs, probe.seconds) == (2 * 90, 14.0 * 90 * 5 * 2)
    assert probe.overhead_seconds == 26 * 90  # starting is not more work for more rows
    assert (score.jobs, score.seconds) == (90, 4.0 * 90 * 5)
    assert (table.jobs, table.seconds) == (1, 1.0)
    size = Size(encoders=10, tasks=9, rows=5, width=2)
    assert size.work_of_a_job("probe_study", per_task=True) == 5 * 2
    assert size.work_of_a_job("embed", per_task=False) == 5 * 9  # the texts of all tasks of a collection
    assert size.work_of_a_job("compare", per_task=False) == 10**2 * 9 * 5


def test_the_table_has_a_line_per_rule_and_one_for_all(run_folder):
    found = rule_costs(
        run_folder / "results/benchmarks", logged_jobs(run_folder), encoders=MODELS, tasks=TASKS
    )
    listing = costs_listing(found, Dimensions(2, 2, 100, 8), Dimensions(20, 18, 1000, 8), at_a_time=10)
    rows = {row[0]: row[1:] for row in listing.rows}
    assert list(rows) == ["probe", "score", "table (local)", "all"]
    assert rows["score"] == (
        "1",
        "0.001",
        "0.001",
        "16.0",
        "100",
        "2,000",
        "|",
        "90",
        "0.500",
        "1.000",
        "0.400",
    )
    assert rows["all"][0] == "4"
    assert listing.notes[0].startswith("Right of |: 20 encoders × 18 tasks, 1,000 rows per task × 8.")
    assert "1 attempts failed" in listing.notes[-1]


def test_the_command_prints_it(run_folder, monkeypatch):
    monkeypatch.chdir(run_folder)
    done = CliRunner().invoke(app, ["costs", "--encoders", "4", "--tasks", "2"])
    assert (done.exit_code, done.stderr) == (0, "")
    (line,) = [line for line in done.stdout.splitlines() if line.strip().startswith("probe")]
    assert line.split()[:4] == ["probe", "2", "0.002", "0.004"]
    assert "Measured: 2 encoders × 0 tasks." in done.stdout


@pytest.mark.parametrize("words", [("--encoders", "0"), ("--rows", "-3"), ("--at-a-time", "0")])
def test_numbers_below_one_are_told(run_folder, words):
    done = CliRunner().invoke(app, ["costs", str(run_folder), *words])
    assert done.exit_code == 2
    assert f"{words[0]} {words[1]}: write a whole number above 0." in done.stderr


def test_results_without_encoders_are_told(run_folder):
    for model in MODELS:
        (run_folder / f"results/models/{model}/manifest.json").unlink()
    done = CliRunner().invoke(app, ["costs", str(run_folder)])
    assert done.exit_code == 2
    assert "holds no encoder yet" in done.stderr
