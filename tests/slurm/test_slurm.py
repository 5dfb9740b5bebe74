"""The pipeline on a real SLURM: cancelled jobs, memory limits and drained nodes change no byte of the results.

Three runs of one small experiment; a job of SLURM starts Snakemake twice, so the runs share what they can.
"""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from slurm_cluster import NODES, SlurmCluster
from slurm_runs import (
    EXPERIMENT,
    FIRST_MB,
    PER_FOLD,
    WAIT_SECONDS,
    Run,
    ask_for,
    assert_same_files,
    edit_profile,
    new_project,
    variables,
)

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

    def begin(*arguments: str) -> Run:
        runs.append(Run(project, cluster, *arguments))
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

    run.ends_well()
    assert_same_files(project, local)

    cancelled = facts(cluster.jobs_of("embed"), "JobState", "MinMemoryNode", "TimeLimit")
    assert cancelled == [("CANCELLED", "4000M", "02:00:00"), ("COMPLETED", "8000M", "04:00:00")]
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
        *("rule_generate", "rule_prepare", "rule_collect_texts", "rule_embed"),
        *("rule_probe", "rule_probe_lazy", "rule_score", "rule_compare"),
    }


def slurm_log(project: Path, job: dict[str, str]) -> str:
    (file,) = (project / ".snakemake/slurm_logs").rglob(f"{job['JobId']}.log")
    return file.read_text(encoding="utf-8", errors="replace")


def test_a_job_per_fold_in_groups(start, cluster, local, project):
    without(project, *LATER)
    edit_profile(project, folds_per_job=4)
    before = {job["JobId"] for job in cluster.jobs()}
    start("--configfile", EXPERIMENT, PER_FOLD).ends_well()
    assert_same_files(project, local)
    groups = [job for job in cluster.jobs() if job["JobId"] not in before and "_folds" in job["Comment"]]
    # Eight folds in two groups: one CPU and the memory of one fold each, and the sum of the times.
    assert facts(groups, "JobState", "NumCPUs") == [("COMPLETED", "1")] * 2
    assert {job["MinMemoryNode"] for job in groups} <= {"2000M", "4000M"}
    assert sum(minutes(job["TimeLimit"]) for job in groups) == 4 * 2 + 4 * 5


def minutes(limit: str) -> int:
    hours, rest, _ = limit.split(":")
    return 60 * int(hours) + int(rest)


def test_a_whole_run_inside_one_allocation(cluster, local, project):
    without(project, *LATER)
    size = ("--cpus-per-task=2", "--mem=4500", "--time=20")
    done = subprocess.run(
        ["sbatch", "--parsable", "--wait", *size, "profiles/slurm-node/job.sh", "scores", "tables"]
        + ["--configfile", EXPERIMENT],
        cwd=project, env=variables(cluster), capture_output=True, text=True, check=False, timeout=WAIT_SECONDS,
    )  # fmt: skip
    said = (project / f"sentflow-{done.stdout.strip()}.log").read_text(encoding="utf-8")
    assert done.returncode == 0, said[-6000:]
    assert_same_files(project, local)
    # Snakemake took what SLURM gave.
    assert "Provided cores: 2" in said
    assert "Provided resources: mem_mb=4500" in said


def without(project: Path, *folders: str) -> None:
    for name in folders:
        shutil.rmtree(project / "results" / name, ignore_errors=True)
