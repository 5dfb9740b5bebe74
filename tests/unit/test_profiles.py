"""Profiles: machine facts only, each explained, none that another one silently overrules."""

from pathlib import Path

import pytest
import yte
from snakemake.io import IOFile
from workflow_copy import REPOSITORY

from sentflow.flow.rules import HEADROOM, MARGIN_MB, OTHERS, asks


def test_memory_is_asked_for_by_the_size_of_the_input_and_again_by_the_attempt(tmp_path):
    files = [IOFile(str(tmp_path / name)) for name in ("a", "b")]
    for times in (3, lambda wildcards: len(wildcards)):
        ask = asks("one of the others", 1, per_input=times)["mem_mb"]
        base = HEADROOM * OTHERS.memory_mb + MARGIN_MB
        assert ask("abc", files, 1) == base  # as in a plan, where no file is there yet
        for file, mb in zip(files, (10, 0.2), strict=True):
            Path(file).write_bytes(bytes(int(mb * 2**20)))
        asked = base + 31  # 3 × 10.2, rounded up
        assert (ask("abc", files, 1), ask("abc", files, 2)) == (asked, 2 * asked)
        Path(files[1]).unlink()
    named = {"few": files[0], "many": [files[0], files[0]]}
    ask = asks("one of the others", 1, per_input={"few": 3, "many": 2})["mem_mb"]
    assert ask("abc", named, 1) == base + 3 * 10 + 2 * 20
    ask = asks("one of the others", 1, per_input={"few": 3}, per_largest={"both": 2})["mem_mb"]
    Path(files[1]).write_bytes(bytes(2**20))
    assert ask("abc", {"few": files[0], "both": files}, 1) == base + 3 * 10 + 2 * 10
    assert ask("abc", {"few": files[0], "both": []}, 1) == base + 3 * 10
    times = {"few": lambda wildcards: len(wildcards), "none": 6}  # of an input that the job has not
    ask = asks(lambda wildcards: wildcards, 1, per_input=times)["mem_mb"]
    assert ask("other", {**named, "none": []}, 1) == base + 5 * 10


PROFILES = sorted(folder.name for folder in (REPOSITORY / "profiles").iterdir())


@pytest.mark.parametrize("name", PROFILES)
def test_every_option_of_a_profile_is_one_of_snakemake_or_of_its_plugins(name, monkeypatch):
    from snakemake import cli

    profile = REPOSITORY / "profiles" / name
    executor = yte.process_yaml((profile / "profile.yaml").read_text(encoding="utf-8"), require_use_yte=True)
    if (plugin := executor.get("executor", "local")) != "local":
        pytest.importorskip(f"snakemake_executor_plugin_{plugin.replace('-', '_')}")
    monkeypatch.chdir(REPOSITORY)
    # SystemExit: an option that there is not, or a value that it cannot have
    _, options = cli.parse_args(["--profile", str(profile)])
    assert options.scheduler == "greedy"


@pytest.mark.parametrize(
    ("given", "cores", "resources"),
    [
        ({"SLURM_CPUS_PER_TASK": "16", "SLURM_MEM_PER_NODE": "64000"}, 16, {"mem_mb": 64000}),
        ({"SLURM_CPUS_ON_NODE": "8", "SLURM_MEM_PER_CPU": "2000"}, 8, {"mem_mb": 16000}),
        (
            {"SLURM_CPUS_ON_NODE": "8", "SLURM_MEM_PER_NODE": "9", "SLURM_GPUS_ON_NODE": "4"},
            8,
            {"mem_mb": 9, "gpu": 1},
        ),
    ],
)
def test_a_node_is_used_as_far_as_it_was_lent(monkeypatch, given, cores, resources):
    for name in ("CPUS_PER_TASK", "CPUS_ON_NODE", "MEM_PER_NODE", "MEM_PER_CPU", "GPUS_ON_NODE"):
        monkeypatch.delenv(f"SLURM_{name}", raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    text = (REPOSITORY / "profiles/slurm-node/profile.yaml").read_text(encoding="utf-8")
    profile = yte.process_yaml(text, require_use_yte=True)
    assert (profile["cores"], profile["resources"]) == (cores, resources)
    assert ("set-resources" in profile) == ("gpu" in resources)
