"""A small experiment whose files lie in a storage, and Snakemake runs of it, on machines that share no folder too."""

import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from s3_server import BUCKET, S3Server
from workflow_copy import REPOSITORY, TINY, Outcome, environment, snakemake_words

from sentflow.config.entries import merge, read_yaml

PLUGINS = ("storage_plugin_s3", "storage_plugin_fs", "executor_plugin_cluster_generic")
LIMIT_SECONDS = 3000  # for what never ends; a busy machine takes its time
NODE = Path(__file__).with_name("node.sh")
STEP = 10  # at which the training saves a first state, halfway

# An encoder that is fitted in every fold and one that is trained, which is probed and searches, too
EXPERIMENT: dict[str, Any] = merge(
    read_yaml(TINY),
    {
        "select": {
            "models": ["tfidf", "simcse-sample"],
            "tasks": ["F3-tiny"],
            "question_sets": ["municipal-laws-sample"],
            "retrievers": ["simcse"],
            **dict.fromkeys(("pair_sets", "alignments", "regressions"), []),
        },
        "models": {
            "simcse-sample": {
                "training": {"steps": 2 * STEP, "snapshot_every": STEP},
                "selection": {"pairs": "STSB-dev-tiny"},
            }
        },
        "question_sets": {"municipal-laws-sample": {"training": []}},
        "retrievers": {"simcse": {"kind": "dense", "model": "simcse-sample"}},
        "report": {"tables": ["scores"], "figures": [], "checks": ["complete"]},
    },
)
SNAKEFILE = f"""
configfile: "experiment.json"

module sentflow:
    snakefile: "{REPOSITORY / "Snakefile"}"
    config: config

use rule * from sentflow

rule done:
    input: {{targets}}
    output: touch("results/done")

# The first file that Snakemake looks for lies directly in results/: it lists the storage once, and that is all.
rule everything:
    default_target: True
    input: "results/done"
"""
ALL = "rules.scores.input, rules.tables.input, 'results/retrieval/municipal-laws-sample/simcse.json'"
# What was measured while a job ran is another number every time, and what shows it; and who ran it where
_MEASURED = re.compile(
    r"results/(logs|benchmarks|record|report|exports/(ro-crate|mteb))/|made\.json$"
    r"|/(costs|encoders|score-and-cost)(-wide|-compact)?\.|/checks/figures\.json$"
)


@dataclass(frozen=True)
class Storage:
    """Where files lie that no two machines share."""

    arguments: tuple[str, ...]  # for Snakemake
    variables: Mapping[str, str]  # address and keys: not in the command line, so that jobs have them
    files: Callable[[], dict[str, bytes]]


def on_s3(server: S3Server, prefix: str) -> Storage:
    """Below a prefix of the server's bucket."""
    settings = {"ENDPOINT_URL": server.address, "ACCESS_KEY": "test", "SECRET_KEY": "test"}
    return Storage(
        ("--default-storage-provider", "s3", "--default-storage-prefix", f"s3://{BUCKET}/{prefix}"),
        {f"SNAKEMAKE_STORAGE_S3_{name}": value for name, value in settings.items()},
        lambda: server.objects(prefix),
    )


def in_folder(folder: Path) -> Storage:
    """In another folder."""
    folder.mkdir()
    return Storage(
        ("--default-storage-provider", "fs", "--default-storage-prefix", str(folder)),
        {},
        lambda: files_in(folder),
    )


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def assert_same_files(found: Mapping[str, bytes], usual: Path) -> None:
    """A storage holds the files that a usual run leaves, byte for byte, and no other; no caches, no sources."""
    left = files_in(usual / "results")
    expected = {f"results/{name}": left[name] for name in left if not name.startswith("cache/")}
    assert sorted(found.keys() ^ expected.keys()) == []
    compared = [name for name in expected if not _MEASURED.search(name)]
    assert [name for name in compared if found[name] != expected[name]] == []


def missing() -> str | None:
    """Why there can be no storage here; None if there can."""
    absent = [name for name in PLUGINS if importlib.util.find_spec(f"snakemake_{name}") is None]
    if absent or importlib.util.find_spec("moto") is None:
        return "packages are missing: pip install -r envs/requirements-storage.txt"
    return None if shutil.which("rsync") else "rsync is missing (apt-get install rsync)"


def new_project(
    folder: Path, config: Mapping[str, Any] = EXPERIMENT, targets: str = ALL, snakefile: str = SNAKEFILE
) -> Path:
    """A repository that imports the workflow as a module, as in an image that holds it: jobs get these few files."""
    folder.mkdir(parents=True)
    (folder / "experiment.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "Snakefile").write_text(snakefile.format(targets=targets), encoding="utf-8")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "An experiment"]):
        who = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
        subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)
    return folder


def place_of(plugin: str) -> str:
    """The folder that a plugin was installed into, which may be another than that of Snakemake."""
    found = importlib.util.find_spec(f"snakemake_{plugin}")
    assert found is not None
    return str(Path(str(found.origin)).parents[1])


def run(
    project: Path,
    *arguments: str,
    storage: Storage | None = None,
    **variables: str,
) -> Outcome:
    """``snakemake ARGUMENTS`` in a project; what it says is in ``run.log``, too."""
    own = {**environment(), "OMP_NUM_THREADS": "1"}
    # One thread each: another number of threads may change the last bits of a training
    words = snakemake_words("--scheduler", "greedy", "--max-threads", "1", *arguments)
    if storage:
        own |= {"PYTHONPATH": place_of(PLUGINS[0]), **storage.variables}
        words += storage.arguments
    own |= variables
    log = project / "run.log"
    with log.open("wb") as stream:
        process = subprocess.run(
            words,
            cwd=project,
            env=own,
            stdout=stream,
            stderr=stream,
            stdin=subprocess.DEVNULL,
            timeout=LIMIT_SECONDS,
            check=False,
        )
    return Outcome(process.returncode, log.read_text(encoding="utf-8", errors="replace"))


def on_nodes(folder: Path) -> list[str]:
    """Arguments with which every job runs in an empty folder, below `folder`, with an empty home.

    Only twice as many jobs as run are looked at in every round.
    """
    folder.mkdir(exist_ok=True)
    return [
        *(
            "--executor",
            "cluster-generic",
            "--jobs",
            "2",
            "--shared-fs-usage",
            "none",
            "--job-deploy-sources",
        ),
        *("--cluster-generic-submit-cmd", f"{NODE} begin {folder} {{rule}}"),
        *("--cluster-generic-status-cmd", f"{NODE} state"),
        *("--seconds-between-status-checks", "1", "--scheduler-subsample", "4"),
    ]
