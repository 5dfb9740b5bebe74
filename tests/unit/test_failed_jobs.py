"""A job that was killed for memory or time: the log says so, and what the next attempt requests."""

import logging
from types import SimpleNamespace

import pytest
from workflow_copy import snakemake

from sentflow.graph import failed_jobs
from sentflow.graph.failed_jobs import Reason, explanation, reason_of, told_to
from sentflow.graph.requests import memory_mb, minutes

SLURM_KILL = "slurmstepd: error: StepId=2.0 exceeded memory limit (537808896 > 209715200), being killed"


def job(attempt: int, restart_times: int = 2) -> SimpleNamespace:
    def asked(wildcards, _files, attempt):
        return {"mem_mb": memory_mb(600)(wildcards, attempt), "runtime": minutes(20)(wildcards, attempt)}

    return SimpleNamespace(
        rule=SimpleNamespace(name="probe_lazy", expand_resources=asked),
        wildcards_dict={"task": "T1B-one", "model": "heavy"},
        input=[],
        attempt=attempt,
        restart_times=restart_times,
        resources=asked({}, [], attempt),
        is_local=False,
    )


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (SLURM_KILL, Reason.MEMORY),
        ("SLURM-job '5' failed, SLURM status is: 'OUT_OF_MEMORY'.", Reason.MEMORY),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.", Reason.MEMORY),
        ("error: not enough memory: Unable to allocate 7.45 GiB for an array", Reason.MEMORY),
        ("SLURM-job '5' failed, SLURM status is: 'TIMEOUT'.", Reason.TIME),
        ("slurmstepd: error: *** JOB 5 ON cpu1 CANCELLED AT 2026-11-22T10:00:00 DUE TO TIME LIMIT ***", Reason.TIME),
        ("SLURM-job '5' failed, SLURM status is: 'CANCELLED'.", None),
        ("error: the file is damaged", None),
    ],
)  # fmt: skip
def test_reasons_are_read_from_what_the_cluster_says(said, reason):
    assert reason_of(said, is_local=False, machine_was_short=False) is reason


def test_on_one_machine_a_kill_counts_where_the_kernel_says_so_and_the_job_does_not():
    assert reason_of("INFO fold 3", is_local=True, machine_was_short=True) is Reason.MACHINE
    assert reason_of("INFO fold 3", is_local=True, machine_was_short=False) is None
    assert reason_of("error: no such task", is_local=True, machine_was_short=True) is None
    assert reason_of("error: not enough memory", is_local=True, machine_was_short=False) is Reason.MACHINE


def test_the_next_attempt_is_named_with_what_it_requests():
    assert explanation(job(1), Reason.MEMORY) == (
        "Killed: probe_lazy/T1B-one/heavy: it needed more memory than the 600 MB it requested."
        " It is repeated: attempt 2 of 3 requests 1200 MB and 40 minutes."
    )
    assert "longer than the 40 minutes" in explanation(job(2), Reason.TIME)


def test_after_the_last_attempt_the_line_for_the_profile_is_written_out():
    assert explanation(job(3), Reason.MEMORY).endswith(
        "attempt 3 of 3. Request more in the profile, under set-resources: probe_lazy: { mem_mb: 1800 * attempt }."
    )
    assert "--resources mem_mb=N" in explanation(job(1, restart_times=0), Reason.MACHINE)


def test_logs_that_the_executor_names_are_read(tmp_path):
    log = tmp_path / "5.log"
    log.write_text("x" * 100_000 + SLURM_KILL, encoding="utf-8")
    records: list[str] = []
    snakemake_log = logging.Logger("snakemake-of-a-test")
    snakemake_log.addHandler(
        SimpleNamespace(level=0, handle=lambda record: records.append(record.getMessage()))
    )
    dag = SimpleNamespace(jobs=[job(1)], jobid=lambda job: 6)
    told_to(snakemake_log, SimpleNamespace(dag=dag, local_exec=False))
    named = [f"{log} (check log file(s) for error details)", str(tmp_path / "absent.log")]
    for number in (6, 7):
        snakemake_log.error(
            "Error", extra={"event": "job_error", "jobid": number, "rule_msg": None, "log": named}
        )
    assert [text for text in records if text != "Error"] == [explanation(job(1), Reason.MEMORY)]


def test_a_snakemake_says_it(tmp_path):
    # The first attempt ends as a job of ours whose memory was not enough.
    (tmp_path / "Snakefile").write_text(
        f"""
import sys
sys.path.insert(0, {str(failed_jobs.__file__).partition("/sentflow/")[0]!r})
from snakemake.logging import logger
from sentflow.graph.failed_jobs import told_to
from sentflow.graph.requests import memory_mb

rule large:
    output: "a.txt"
    log: "a.log"
    resources: mem_mb=memory_mb(700), n=lambda wildcards, attempt: attempt
    shell: "if [ {{resources.n}} = 1 ]; then echo 'error: not enough memory' > {{log}}; exit 2; fi; touch {{output}}"

onstart:
    told_to(logger, workflow)
""",
        encoding="utf-8",
    )
    done = snakemake(tmp_path, "--cores", "1", "--retries", "1")
    assert done.code == 0, done.text
    assert "Killed: large: this machine ran out of memory. It is repeated. Run fewer jobs" in done.text
    assert "(this one requests 700)" in done.text
