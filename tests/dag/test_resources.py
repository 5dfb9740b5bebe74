"""What `sentflow resources` prints, in a profile, as Snakemake takes it."""

import json
import re
from pathlib import Path

import pytest
import yaml
import yte
from typer.testing import CliRunner
from workflow_copy import REPOSITORY, TINY, command_line, copy_workflow, snakemake

from sentflow.cli.app import app

AFTER_SET_RESOURCES = "# --- jobs per fold, in groups"
RETRIED = """
rule prepare:
    output:
        "done.txt",
    resources:
        mem_mb=1,
        runtime=1,
        attempt_now=lambda wildcards, attempt: attempt,
    shell:
        "echo {resources.mem_mb} {resources.runtime} >> asked.txt && [ {resources.attempt_now} = 3 ] && touch {output}"
"""


@pytest.fixture
def block(tmp_path: Path) -> str:
    """Printed from two measured rules: `prepare` by twos of its own request, `embed` with GPUs in the profile."""
    for job, memory_mb, seconds in (
        ("prepare/T1B-tiny", 1000, 700),
        ("embed/random/tiny-public", 2000, 4000),
    ):
        file = tmp_path / "results" / "benchmarks" / f"{job}.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"max_rss": memory_mb, "s": seconds}), encoding="utf-8")
    return CliRunner().invoke(app, ["resources", str(tmp_path)]).stdout


def test_a_repeated_job_asks_for_more(tmp_path, block):
    project = tmp_path / "project"
    project.mkdir()
    (project / "Snakefile").write_text(RETRIED, encoding="utf-8")
    (project / "profile.yaml").write_text(f"cores: 1\nretries: 2\n{block}", encoding="utf-8")
    outcome = snakemake(project, "--profile", str(project / "profile.yaml"))
    assert outcome.code == 0, outcome.text
    # 1000 × 1.5 + 300 MB; 700 s × 1.5 = 17.5 min
    assert (project / "asked.txt").read_text(encoding="utf-8").splitlines() == [
        "1800 20",
        "3600 40",
        "5400 60",
    ]


def test_the_workflow_takes_the_block_in_the_profile_of_slurm(tmp_path, block):
    profile = (REPOSITORY / "profiles/slurm/profile.yaml").read_text(encoding="utf-8")
    merged = [
        "    gpu: 1 if threads > 1 else 0",
        """    slurm_partition: ?f"{gpu_partition!r} if threads > 1 else {partition!r}\"""",
    ]
    pasted = block.partition("set-resources:\n")[2].replace(
        "    # MERGE", "\n".join([*merged, "    # MERGE"])
    )
    filled_in = profile.replace('gpu_partition: ""', "gpu_partition: a100").replace(
        'partition: ""', "partition: short"
    )
    asked = yte.process_yaml(
        filled_in.replace(AFTER_SET_RESOURCES, pasted + AFTER_SET_RESOURCES), require_use_yte=True
    )
    file = tmp_path / "merged.yaml"
    file.write_text(yaml.safe_dump({"set-resources": asked["set-resources"]}), encoding="utf-8")
    project = copy_workflow(tmp_path / "project")

    outcome = command_line(project, "-n", "--profile", str(file), "--configfile", str(TINY))

    assert outcome.code == 0, outcome.text
    said = {
        rule: re.search(rf"^rule {rule}:\n(?:.+\n)*? +resources: (.+)$", outcome.text, re.MULTILINE)[1]
        for rule in ("prepare", "embed", "score")
    }
    assert "mem_mb=1800" in said["prepare"]
    assert "runtime=20" in said["prepare"]
    # 2000 × 1.5 + 300 MB by steps of 500; 4000 s × 1.5 = 100 min by steps of 15
    assert all(
        part in said["embed"] for part in ("mem_mb=3500", "runtime=105", "gpu=0", "slurm_partition=short")
    )
    assert "mem_mb=1000" in said["score"]
