"""The pipeline on a real SLURM: cancelled jobs, memory limits and drained nodes change no byte of the results.

Runs of one small experiment, which share what they can, as a job of SLURM starts Snakemake twice.
"""

import shutil
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
    WAIT_SECONDS,
    Run,
    ask_for,
    assert_same_files,
    edit_profile,
    new_project,
)
from workflow_copy import snakemake

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


@pytest.mark.slow
def test_a_job_that_needs_more_memory_than_it_requested_is_repeated(start, cluster, local, project):
    ask_for(project, "probe_lazy", f"{{ mem_mb: {FIRST_MB} * attempt, runtime: 20 * attempt }}")
    said = start("--configfile", EXPERIMENT).ends_well()
    assert_same_files(project, local)
    assert f"more memory than the {FIRST_MB} MB it requested" in said
    first, second = cluster.jobs_of("probe_lazy")
    assert facts([first, second], "MinMemoryNode", "TimeLimit") == [
        (f"{FIRST_MB}M", "00:20:00"),
        (f"{2 * FIRST_MB}M", "00:40:00"),
    ]
    assert "exceeded memory limit" in slurm_log(project, first)
    assert second["JobState"] == "COMPLETED"
    # Account and partitions come from one place, and only a neural encoder or a user's own class takes a GPU.
    jobs = cluster.jobs()
    assert {job["Account"] for job in jobs} == {"lab"}
    assert {(job["Comment"], job.get("TresPerJob")) for job in jobs if job["Partition"] == "gpu"} == {
        ("rule_embed_wildcards_letters_one", "gres:gpu:1")
    }
    # what needs a network, and what writes next to nothing, ran without SLURM
    assert {job["Comment"].split("_wildcards_")[0] for job in jobs} == {
        *("rule_prepare", "rule_collect", "rule_embed"),
        *("rule_probe", "rule_probe_lazy", "rule_score", "rule_compare"),
    }


def slurm_log(project: Path, job: dict[str, str]) -> str:
    (file,) = (project / ".snakemake/slurm_logs").rglob(f"{job['JobId']}.log")
    return file.read_text(encoding="utf-8", errors="replace")


def groups(cluster: SlurmCluster, before: set[str], *states: str) -> list[dict[str, str]]:
    """Jobs of several folds since then."""
    ours = [job for job in cluster.jobs() if job["JobId"] not in before and "_folds" in job["Comment"]]
    return [job for job in ours if not states or job["JobState"] in states]


@pytest.mark.nightly
def test_groups_outlive_a_killed_main_process(start, cluster, local, project):
    start_from_embeddings(project, local)
    edit_profile(project, folds_per_job=4)
    before = {job["JobId"] for job in cluster.jobs()}
    run = start("--configfile", EXPERIMENT, PER_FOLD)
    run.wait_until("both groups were running", lambda: len(groups(cluster, before, "RUNNING")) == 2)
    run.end()
    wait_until_idle(cluster)
    # As documented: unlock, and the same command does what is left.
    assert snakemake(project, "--unlock", "--configfile", EXPERIMENT).code == 0
    start("--configfile", EXPERIMENT, PER_FOLD).ends_well()
    assert_same_files(project, local)
    assert len(groups(cluster, before)) == 2


@pytest.mark.nightly
def test_drained_nodes_and_a_cancelled_job_change_nothing(start, cluster, local, project):
    for name in ("results", ".snakemake"):
        shutil.rmtree(project / name, ignore_errors=True)
    before = {job["JobId"] for job in cluster.jobs()}

    def jobs_of(rule: str, *states: str) -> list[dict[str, str]]:
        return [job for job in cluster.jobs_of(rule, *states) if job["JobId"] not in before]

    run = start("--configfile", EXPERIMENT)
    run.wait_until("the raw file was written", (project / "results/data/raw/one/comments.csv").is_file)
    cluster("scontrol", "update", f"nodename={CPU_NODES}", "state=drain", "reason=test")
    run.wait_until("a job waited for the drained nodes", lambda: bool(jobs_of("prepare", "PENDING")))
    cluster("scontrol", "update", f"nodename={CPU_NODES}", "state=resume")
    run.wait_until("an encoder was running", lambda: bool(jobs_of("embed", "RUNNING")))
    cluster("scancel", jobs_of("embed")[0]["JobId"])
    run.ends_well()
    assert_same_files(project, local)
    assert facts(jobs_of("embed"), "JobState", "TimeLimit") == [
        ("CANCELLED", "02:00:00"),
        ("COMPLETED", "04:00:00"),
    ]


def wait_until_idle(cluster: SlurmCluster) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while cluster("squeue", "--noheader"):
        assert time.monotonic() < deadline, cluster("squeue")
        time.sleep(0.5)


def start_from_embeddings(project: Path, local: Path) -> None:
    """Take data and vectors from the local run, as if only they had been made."""
    for name in ("results", ".snakemake"):
        shutil.rmtree(project / name, ignore_errors=True)
    shutil.copytree(local / "results", project / "results", ignore=shutil.ignore_patterns(*LATER, "probe*"))
    shutil.copytree(local / ".snakemake/metadata", project / ".snakemake/metadata")
