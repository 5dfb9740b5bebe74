"""The pipeline on a real SLURM: cancelled jobs, memory limits and drained nodes change no byte of the results.

Three runs of one small experiment, which share what they can, as a job of SLURM starts Snakemake twice; and a training.
"""

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from slurm_cluster import NODES, SlurmCluster
from slurm_runs import (
    EXPERIMENT,
    FIRST_MB,
    PER_FOLD,
    TARGETS,
    TRAINED,
    TRAINING,
    WAIT_SECONDS,
    Run,
    ask_for,
    assert_same_files,
    edit_profile,
    new_project,
    variables,
)
from workflow_copy import snakemake, snakemake_words

from sentflow.files.io import read_json

pytestmark = pytest.mark.slow

CPU_NODES = ",".join(NODES["cpu"])
# What follows from the embeddings.
LATER = ("probes", "scores", "comparisons", "summary", "tables")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = new_project(tmp_path_factory.mktemp("cluster") / "minha experiência")
    edit_profile(folder, account="lab", partition="cpu", gpu_partition="gpu")
    return folder


@pytest.fixture
def start(project: Path, cluster: SlurmCluster) -> Iterator[Callable[..., Run]]:
    runs: list[Run] = []

    def begin(*arguments: str, targets: Sequence[str] = TARGETS) -> Run:
        runs.append(Run(project, cluster, *arguments, targets=targets))
        return runs[-1]

    yield begin
    for run in runs:
        run.end()


def facts(jobs: list[dict[str, str]], *names: str) -> list[tuple[str, ...]]:
    return [tuple(job[name] for name in names) for job in jobs]


def test_a_job_per_task_with_a_cancelled_one_one_out_of_memory_and_drained_nodes(
    start, cluster, local, project
):
    ask_for(project, "probe_lazy", f"{{ mem_mb: {FIRST_MB} * attempt, runtime: 20 * attempt }}")
    run = start("--configfile", EXPERIMENT)

    run.wait_until("the raw file was written", lambda: bool(cluster.jobs_of("generate", "COMPLETED")))
    cluster("scontrol", "update", f"nodename={CPU_NODES}", "state=drain", "reason=test")
    run.wait_until("a job waited for the drained nodes", lambda: bool(cluster.jobs_of("prepare", "PENDING")))
    cluster("scontrol", "update", f"nodename={CPU_NODES}", "state=resume")

    run.wait_until("an encoder was running", lambda: bool(cluster.jobs_of("embed", "RUNNING")))
    cluster("scancel", cluster.jobs_of("embed")[0]["JobId"])

    said = run.ends_well()
    assert_same_files(project, local)
    assert (
        f"Killed: probe_lazy/T1B-one/heavy: it needed more memory than the {FIRST_MB} MB it requested."
        f" It is repeated: attempt 2 of 3 requests {2 * FIRST_MB} MB and 40 minutes."
    ) in said

    cancelled = facts(cluster.jobs_of("embed"), "JobState", "TimeLimit")
    assert cancelled == [("CANCELLED", "02:00:00"), ("COMPLETED", "04:00:00")]
    # 4000 MB, and a little for its small input
    memory = [int(job["MinMemoryNode"].removesuffix("M")) for job in cluster.jobs_of("embed")]
    assert 4000 <= memory[0] <= 4010
    assert memory[1] == 2 * memory[0]
    killed = facts(cluster.jobs_of("probe_lazy"), "MinMemoryNode", "TimeLimit")
    assert killed == [(f"{FIRST_MB}M", "00:20:00"), (f"{2 * FIRST_MB}M", "00:40:00")]
    first, second = cluster.jobs_of("probe_lazy")
    assert "exceeded memory limit" in slurm_log(project, first)
    assert (first["JobState"] in ("FAILED", "OUT_OF_MEMORY"), second["JobState"]) == (True, "COMPLETED")

    # Account and partitions come from one place, and only a neural encoder or a user's own class takes a GPU.
    jobs = cluster.jobs()
    assert {job["Account"] for job in jobs} == {"lab"}
    assert {job["Comment"] for job in jobs if job["Partition"] == "gpu"} == {
        "rule_embed_wildcards_letters_one"
    }
    assert {job.get("TresPerJob") for job in jobs if job["Partition"] == "gpu"} == {"gres:gpu:1"}
    assert {job.get("TresPerJob") for job in jobs if job["Partition"] == "cpu"} == {None}
    # what needs a network, and what writes next to nothing, ran without SLURM
    assert {job["Comment"].split("_wildcards_")[0] for job in jobs} == {
        *("rule_generate", "rule_prepare", "rule_collect", "rule_embed"),
        *("rule_probe", "rule_probe_lazy", "rule_score", "rule_compare"),
    }


def slurm_log(project: Path, job: dict[str, str]) -> str:
    (file,) = (project / ".snakemake/slurm_logs").rglob(f"{job['JobId']}.log")
    return file.read_text(encoding="utf-8", errors="replace")


def test_jobs_per_fold_in_groups_outlive_a_killed_main_process(start, cluster, local, project):
    start_from_embeddings(project, local)
    edit_profile(project, folds_per_job=4)
    before = {job["JobId"] for job in cluster.jobs()}

    def groups(*states: str) -> list[dict[str, str]]:
        ours = [job for job in cluster.jobs() if job["JobId"] not in before and "_folds" in job["Comment"]]
        return [job for job in ours if not states or job["JobState"] in states]

    run = start("--configfile", EXPERIMENT, PER_FOLD)
    run.wait_until("both groups were running", lambda: len(groups("RUNNING")) == 2)
    run.end()
    wait_until_idle(cluster)
    # As documented: unlock, and the same command does what is left.
    assert snakemake(project, "--unlock", "--configfile", EXPERIMENT).code == 0
    start("--configfile", EXPERIMENT, PER_FOLD).ends_well()
    assert_same_files(project, local)
    # Eight folds in two groups, none of them twice: one CPU and the memory of one fold each, and the sum of the times.
    assert facts(groups(), "JobState", "NumCPUs") == [("COMPLETED", "1")] * 2
    assert {job["MinMemoryNode"] for job in groups()} <= {"2000M", "4000M"}
    assert sum(minutes(job["TimeLimit"]) for job in groups()) == 4 * 2 + 4 * 5


def wait_until_idle(cluster: SlurmCluster) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while cluster("squeue", "--noheader"):
        assert time.monotonic() < deadline, cluster("squeue")
        time.sleep(0.5)


def minutes(limit: str) -> int:
    hours, rest, _ = limit.split(":")
    return 60 * int(hours) + int(rest)


def test_a_whole_run_inside_one_allocation_that_was_ended_once(cluster, local, project):
    start_from_embeddings(project, local)
    first = submit_whole_run(cluster, project)
    log = project / "results/logs/probe_lazy/T1B-one/heavy.log"
    log.unlink(missing_ok=True)
    deadline = time.monotonic() + WAIT_SECONDS
    while not log.exists():
        assert time.monotonic() < deadline, said_by(project, first)
        time.sleep(0.2)
    # What SLURM sends before the time is over: nothing new is started, what runs is finished, and the lock is gone.
    cluster("scancel", "--batch", "--signal=TERM", first)
    wait_until_idle(cluster)
    assert (project / "results/probes/T1B-one/heavy/rep-2/fold-2.parquet").exists(), said_by(project, first)
    assert not (project / "results/tables").exists()

    second = submit_whole_run(cluster, project)
    wait_until_idle(cluster)
    said = said_by(project, second)
    assert_same_files(project, local)
    # Snakemake took what SLURM gave.
    assert "Provided cores: 2" in said
    assert re.search(r"Provided resources: .*mem_mb\D+4500\b", said)
    assert "probe lazy" not in said


def submit_whole_run(cluster: SlurmCluster, project: Path) -> str:
    """Submit the batch file of profiles/slurm-node; the number of the job."""
    size = ("--cpus-per-task=2", "--mem=4500", "--time=20")
    words = [
        "sbatch",
        "--parsable",
        *size,
        "profiles/slurm-node/job.sh",
        *TARGETS,
        "--configfile",
        EXPERIMENT,
    ]
    done = subprocess.run(
        words, cwd=project, env=variables(cluster), capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def said_by(project: Path, job: str) -> str:
    return (project / f"sentflow-{job}.log").read_text(encoding="utf-8", errors="replace")


def test_a_training_that_is_asked_to_end_saves_and_goes_on(start, cluster, project):
    made = project / f"results/training/{TRAINED}/made.json"
    log = project / f"results/logs/train/{TRAINED}.log"
    words = ("--configfile", TRAINING, "--set-threads", "train=1")
    run = start(*words, targets=[str(made.relative_to(project))])
    run.wait_until("a step was made", lambda: log.exists() and "INFO step " in log.read_text("utf-8"))
    (job,) = cluster.jobs_of("train", "RUNNING")
    # Its steps, not the shell around them: srun ends at once what it started
    cluster("scancel", "--signal=TERM", job["JobId"])
    run.ends_well()
    # Begun again inside the same job
    assert facts(cluster.jobs_of("train"), "JobState") == [("COMPLETED",)]
    (step,) = read_json(made)["resumed_at"]
    assert 0 < step < 600


@pytest.mark.parametrize("filled_in", [{}, {"gpu_partition": "gpu"}, {"folds_per_job": 4}], ids=str)
def test_the_profile_can_be_planned_with_whatever_is_filled_in(cluster, tmp_path, filled_in):
    project = new_project(tmp_path / "project")
    edit_profile(project, **filled_in)
    words = snakemake_words("scores", "--profile", "profiles/slurm", "-n", "--configfile", EXPERIMENT)
    done = subprocess.run(
        words, cwd=project, env=variables(cluster), capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-6000:]
    assert "embed: encoder " in said


def start_from_embeddings(project: Path, local: Path) -> None:
    """Take data and vectors from the local run, as if only they had been made."""
    for name in ("results", ".snakemake"):
        shutil.rmtree(project / name, ignore_errors=True)
    shutil.copytree(local / "results", project / "results", ignore=shutil.ignore_patterns(*LATER, "probe*"))
    shutil.copytree(local / ".snakemake/metadata", project / ".snakemake/metadata")
