"""After `snakemake sources`, everything runs where there is no network interface at all."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from small_run import run_environment, run_small, run_words
from workflow_copy import Outcome, copy_workflow, ended

pytestmark = pytest.mark.nightly

NO_NETWORK = ("unshare", "--map-root-user", "--net")
# One neural encoder too: its library is the one that likes to ask the hub. Its weights come with a package.
SELECT = ("--config", 'select={"models": ["minilm-l6", "random"], "tasks": ["G3-tiny"]}')


def in_no_network(words: list[str], project: Path) -> Outcome:
    variables = run_environment(project)
    kept = {name: value for name, value in variables.items() if not name.startswith("HF_")}
    return ended([*NO_NETWORK, *words], project, kept)


@pytest.fixture(scope="module", autouse=True)
def namespaces() -> None:
    if shutil.which("unshare") is None or subprocess.run([*NO_NETWORK, "true"], check=False).returncode:
        pytest.skip("no right to make a network namespace")


def test_all_but_the_sources_needs_no_network(tmp_path):
    project = copy_workflow(tmp_path / "project")
    outcome = run_small(project, "sources", *SELECT)
    assert outcome.code == 0, outcome.text[-6000:]
    made = {path.parent.name for path in (project / "results/logs").rglob("*.log")}
    assert made == {"describe_model", "download"}  # samples are copied
    interfaces = in_no_network(["cat", "/proc/net/dev"], project).text.splitlines()
    assert all(line.split(":")[0].strip() == "lo" for line in interfaces if ":" in line)
    done = in_no_network(run_words("scores", "tables", *SELECT), project)
    assert done.code == 0, done.text[-6000:]
    score = json.loads((project / "results/scores/G3-tiny/minilm-l6.json").read_text(encoding="utf-8"))
    assert score["dimension"] == 4 * 384  # u, v, |u - v|, u * v
