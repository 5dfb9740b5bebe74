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
PLUGINS_ATTEMPTS = 5  # after so many the plugin forgets its jobs, unless the profile says otherwise
SACCT = 'exec squeue --noheader --states=all --format="%i|%T" --name "$run"'  # docs/beyond-one-machine.md
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


def grouped(cluster: SlurmCluster, before: set[str], name: str, *states: str) -> list[dict[str, str]]:
    """Jobs since then that are groups of that name."""
    ours = [job for job in cluster.jobs() if job["JobId"] not in before and f"_{name}" in job["Comment"]]
    return [job for job in ours if not states or job["JobState"] in states]


@pytest.mark.nightly
def test_groups_outlive_a_killed_main_process(start, cluster, local, project):
    start_from_embeddings(project, local)
    edit_profile(project, folds_per_job=4)
    before = {job["JobId"] for job in cluster.jobs()}
    run = start("--configfile", EXPERIMENT, PER_FOLD)
    run.wait_until("both groups were running", lambda: len(grouped(cluster, before, "folds", "RUNNING")) == 2)
    run.end()
    wait_until_idle(cluster)
    # As documented: unlock, and the same command does what is left.
    assert snakemake(project, "--unlock", "--configfile", EXPERIMENT).code == 0
    start("--configfile", EXPERIMENT, PER_FOLD).ends_well()
    assert_same_files(project, local)
    assert len(grouped(cluster, before, "folds")) == 2


@pytest.mark.nightly
def test_lost_nodes_refused_jobs_and_a_controller_that_restarts_change_nothing(
    start, cluster, local, project, tmp_path
):
    for name in ("results", ".snakemake"):
        shutil.rmtree(project / name, ignore_errors=True)
    edit_profile(project, folds_per_job=0, tasks_per_job=2)
    before = {job["JobId"] for job in cluster.jobs()}

    def jobs_of(rule: str, *states: str) -> list[dict[str, str]]:
        return [job for job in cluster.jobs_of(rule, *states) if job["JobId"] not in before]

    (tmp_path / "refused").touch()
    cluster.put_before("sbatch", f"rm '{tmp_path}/refused' 2> /dev/null && exit 1")
    run = start("--configfile", EXPERIMENT)
    run.wait_until("the raw file was written", (project / "results/data/raw/one/comments.csv").is_file)
    cluster("scontrol", "update", f"nodename={CPU_NODES}", "state=drain", "reason=test")
    run.wait_until("a job waited for the drained nodes", lambda: bool(jobs_of("prepare", "PENDING")))
    cluster("scontrol", "update", f"nodename={CPU_NODES}", "state=resume")
    run.wait_until("an encoder was running", lambda: bool(jobs_of("embed", "RUNNING")))
    cluster("scancel", jobs_of("embed")[0]["JobId"])
    run.wait_until("it was running again", lambda: bool(jobs_of("embed", "RUNNING")))
    cluster("scontrol", "update", "nodename=gpu1", "state=down", "reason=test")
    run.wait_until("SLURM queued it again", lambda: bool(jobs_of("embed", "PENDING")))
    cluster("scontrol", "update", "nodename=gpu1", "state=resume")

    # As documented for clusters without accounting, which the plugin asks for while the controller says nothing
    looks = tmp_path / "looks"
    cluster.put_before("sacct", f"for run; do :; done; echo >> '{looks}'\n{SACCT}")
    run.wait_until("the probes were running", lambda: bool(grouped(cluster, before, "tasks", "RUNNING")))
    cluster.stop_controller()
    looked = lambda: looks.exists() and looks.read_text("utf-8").count("\n") > PLUGINS_ATTEMPTS  # noqa: E731
    run.wait_until("it asked often for the state of its jobs", looked)
    cluster.start_controller()
    run.ends_well()
    assert_same_files(project, local)
    assert facts(jobs_of("prepare"), "JobState", "TimeLimit") == [("COMPLETED", "00:20:00")]
    assert facts(jobs_of("embed"), "JobState", "TimeLimit", "Restarts") == [
        ("CANCELLED", "02:00:00", "0"),
        ("COMPLETED", "04:00:00", "1"),
    ]
    assert grouped(cluster, before, "tasks")[-1]["JobState"] == "COMPLETED"
    assert [job for rule in ("probe", "probe_lazy") for job in jobs_of(rule)] == []


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
