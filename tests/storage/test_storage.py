"""The pipeline where files lie in a storage and no two jobs share a folder: the same files, the same bytes."""

import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from pretended_kubernetes import Kubernetes, image
from small_run import SMALL
from storage_runs import (
    EXPERIMENT,
    STEP,
    assert_same_files,
    in_folder,
    new_project,
    on_nodes,
    on_s3,
    place_of,
    run,
)
from workflow_copy import REPOSITORY, TINY

from sentflow.config.entries import merge, read_yaml


def assert_nothing_is_left(project: Path) -> None:
    """Nothing was written where Snakemake runs, but for its own records."""
    ours = {"Snakefile", "experiment.json", "run.log", ".git", ".snakemake"}
    assert {path.name for path in project.iterdir()} == ours


@pytest.mark.slow
def test_object_storage_holds_the_files_of_a_usual_run_and_needs_no_copies(server, usual, tmp_path):
    project, storage = new_project(tmp_path / "project"), on_s3(server, "local")
    arguments = ("--cores", "2", "--scheduler-subsample", "4")
    outcome = run(project, *arguments, storage=storage)
    assert outcome.code == 0, outcome.text[-8000:]
    assert_same_files(storage.files(), usual)
    assert_nothing_is_left(project)
    shutil.rmtree(project / ".snakemake/storage", ignore_errors=True)
    requests = len(server.requests)
    assert "Nothing to be done" in run(project, "-n", *arguments, storage=storage).text
    # is the bucket there, what is in it, and a few more: not one for each of its hundreds of files
    assert len(server.requests) - requests < 20


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[Path]:
    """The folder of all nodes, whose jobs do not outlive the test."""
    folder = tmp_path / "nodes"
    yield folder
    for process in folder.glob("*/process"):
        if not process.with_name("ended").exists():
            with suppress(ProcessLookupError):
                os.killpg(int(process.read_text(encoding="ascii")), signal.SIGKILL)


@contextmanager
def taken_away_once(nodes: Path) -> Iterator[None]:
    """Take the node of a training away after its first state; the training is told before, and ends."""
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(0.02):
            for state in nodes.glob(f"train-*/work/.snakemake/**/cache/training/*/step-{STEP:06}"):
                node = nodes / state.relative_to(nodes).parts[0]
                leader = psutil.Process(int((node / "process").read_text(encoding="ascii")))
                for process in leader.children(recursive=True):
                    if process.cmdline()[1:4] == ["-m", "sentflow.jobs", "train"]:
                        process.terminate()
                        process.wait()
                os.killpg(leader.pid, signal.SIGKILL)
                return

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["s3", "fs"])
def test_jobs_that_share_no_folder_make_the_same_files_and_a_training_goes_on_elsewhere(
    server, usual, tmp_path, nodes, kind
):
    storage = on_s3(server, "apart") if kind == "s3" else in_folder(tmp_path / "stored")
    project, arguments = new_project(tmp_path / "project"), on_nodes(nodes)
    with taken_away_once(nodes):
        outcome = run(project, *arguments, storage=storage)
    assert outcome.code == 0, outcome.text[-8000:]
    assert len([*nodes.glob("train-*")]) == 2
    files = storage.files()
    assert_same_files(files, usual)
    made = json.loads(files["results/training/simcse-sample/made.json"])
    (resumed_at,) = made["resumed_at"]
    assert STEP <= resumed_at < 2 * STEP
    assert_nothing_is_left(project)
    for folder in (project / ".snakemake/storage", nodes):
        shutil.rmtree(folder, ignore_errors=True)
    on_nodes(nodes)
    assert "Nothing to be done" in run(project, "-n", *arguments, storage=storage).text


@pytest.mark.nightly
def test_the_profile_of_kubernetes_gives_every_job_its_own_pod_and_the_keys_as_a_secret(
    server, usual, tmp_path
):
    pytest.importorskip("snakemake_executor_plugin_kubernetes")
    plugins = [place_of("storage_plugin_s3"), place_of("executor_plugin_kubernetes")]
    cluster = Kubernetes(tmp_path / "cluster", image(tmp_path / "bin", Path(sys.executable), plugins[0]))
    nothing = {"question_sets": [], "retrievers": []}
    chosen = merge(EXPERIMENT, {"select": {"models": ["tfidf", "bag-of-words"], **nothing}})
    project, storage = new_project(tmp_path / "project", chosen, "rules.scores.input"), on_s3(server, "pods")
    profile = str(REPOSITORY / "profiles/kubernetes")
    variables = {"KUBECONFIG": str(cluster.config), "PYTHONPATH": os.pathsep.join(plugins)}
    try:
        outcome = run(project, "--profile", profile, storage=storage, **variables)
    finally:
        cluster.stop()
    assert outcome.code == 0, outcome.text[-8000:]
    files = storage.files()
    for name in ("tfidf.json", "tfidf.parquet", "tfidf.predictions.parquet"):
        key = f"results/scores/F3-tiny/{name}"
        assert files[key] == (usual / key).read_bytes()
    # prepare, collect, embed, and of each encoder one for the folds and one for the score
    requests = [pod["containers"][0]["resources"] for pod in cluster.pods]
    assert len(requests) == 7
    assert all(one["limits"]["memory"] == one["requests"]["memory"] for one in requests)


# A rule of a workflow that imports sentflow twice
BOTH = """
configfile: "experiment.json"
{targets}
rule done:
    default_target: True
    input: rules.first_scores.input, rules.first_tables.input, rules.second_scores.input, rules.second_tables.input
"""
MODULE = f"""
module {{name}}:
    snakefile: "{REPOSITORY / "Snakefile"}"
    config: config
    replace_prefix: {{{{"results/": "{{name}}/results/"}}}}

use rule * from {{name}} as {{name}}_*
"""


@pytest.mark.nightly
def test_two_sentflows_side_by_side_on_object_storage_have_the_same_files(server, tmp_path):
    small, storage = merge(read_yaml(TINY), read_yaml(SMALL)), on_s3(server, "both")
    modules = "".join(MODULE.format(name=name) for name in ("first", "second"))
    outcome = run(new_project(tmp_path / "both", small, modules, BOTH), "--cores", "2", storage=storage)
    assert outcome.code == 0, outcome.text[-8000:]
    usual = new_project(tmp_path / "usual", small, "rules.scores.input, rules.tables.input")
    assert run(usual, "--cores", "2").code == 0
    files = storage.files()
    for name in ("first", "second"):
        own = {key.removeprefix(f"{name}/"): value for key, value in files.items() if key.startswith(name)}
        assert_same_files({"results/done": b"", **own}, usual)
    assert {key.partition("/")[0] for key in files} == {"first", "second"}


@pytest.mark.nightly
def test_all_parts_of_the_tiny_experiment_are_the_same_on_object_storage(server, tmp_path):
    storage = on_s3(server, "tiny")
    for folder, given in ((tmp_path / "usual", None), (tmp_path / "stored", storage)):
        project = new_project(folder, read_yaml(TINY), "rules.all.input, rules.exports.input")
        outcome = run(project, "--cores", "2", storage=given)
        assert outcome.code == 0, outcome.text[-8000:]
    assert_same_files(storage.files(), tmp_path / "usual")
