"""Profiles: machine facts only, each explained, none that another one silently overrules."""

from pathlib import Path

import pytest
import yaml
import yte
from workflow_copy import REPOSITORY

from sentflow.cli.resources import MERGED

PROFILES = REPOSITORY / "profiles"
# What users fill in, and nothing else.
FILLED_IN = {"account": "lab", "partition": "short", "gpu_partition": "a100", "folds_per_job": 20}


def text(name: str) -> str:
    return (PROFILES / name / "profile.yaml").read_text(encoding="utf-8")


def read(name: str, **settings: str | int) -> dict:
    """A profile as Snakemake reads it, its block of variables filled in."""
    lines = text(name).splitlines()
    for key, value in settings.items():
        (row,) = [row for row, line in enumerate(lines) if line.startswith(f"  {key}:")]
        lines[row] = f"  {key}: {value}"
    return yte.process_yaml("\n".join(lines), require_use_yte=True)


@pytest.mark.parametrize("name", ["slurm", "slurm-node"])
def test_no_key_is_overruled_by_the_default_profile(name):
    # Snakemake loads profiles/default beside any other, and takes from it what both name.
    assert read(name, **(FILLED_IN if name == "slurm" else {})).keys() & read("default").keys() == set()


@pytest.mark.parametrize("name", ["default", "slurm", "slurm-node"])
def test_every_setting_has_a_comment_before_it(name):
    lines = text(name).splitlines()
    top = [row for row, line in enumerate(lines) if line and line[0] not in " #_?"]
    assert top
    for row in top:
        # of a block, the comment may be on its first lines
        around = [lines[row - 1], *lines[row + 1 : row + 2]]
        assert any(line.strip().startswith(("#", "?if folds_per_job")) for line in around), lines[row]


def test_account_and_partitions_stand_in_one_place():
    values = str(read("slurm", **FILLED_IN))
    assert values.count("'lab'") == 1
    assert all(part in values for part in ("short", "a100"))
    file = yaml.safe_load("".join(line for line in _variables()))
    assert file["__variables__"].keys() == FILLED_IN.keys()


def _variables() -> list[str]:
    lines = text("slurm").splitlines(keepends=True)
    start = lines.index("__variables__:\n")
    return lines[start : next(row for row in range(start, len(lines)) if lines[row].startswith("# ---"))]


def test_nothing_filled_in_leaves_account_and_partitions_to_the_cluster():
    profile = read("slurm")
    assert profile["default-resources"].keys() == {"tmpdir"}
    # not empty, which Snakemake takes for a mistake
    assert profile["set-resources"] == {"embed": {"gpu": 0}}
    assert not {"groups", "group-components", "resources"} & profile.keys()


def test_folds_in_groups_run_one_after_another_and_ask_for_one_of_them():
    profile = read("slurm", folds_per_job=20)
    grouped = profile["groups"]
    assert set(grouped) == set(profile["set-resources"]) - {"embed"}
    assert set(grouped.values()) == set(profile["group-components"]) == {"folds"}
    assert {profile["set-resources"][rule]["batch_slot"] for rule in grouped} == {1}
    assert profile["resources"] == {"batch_slot": 1}
    assert profile["set-resource-scopes"] == {"batch_slot": "local"}


def test_blocks_to_be_merged_are_those_of_the_profile_and_name_their_keys():
    blocks = {
        variable: read("slurm", **{**FILLED_IN, **off})["set-resources"]
        for variable, off in (
            ("gpu_partition", {"folds_per_job": 0}),
            ("folds_per_job", {"gpu_partition": '""'}),
        )
    }
    blocks["folds_per_job"].pop("embed")  # stands for an empty map
    named = {variable: {rule for rule in MERGED if MERGED[rule][0] == variable} for variable in blocks}
    assert {variable: set(block) for variable, block in blocks.items()} == named
    for rule, (variable, keys) in MERGED.items():
        # the time of the profile is for one fold, and is what was measured then
        assert set(keys.split(" and ")) == blocks[variable][rule].keys() - {"runtime"}, rule


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
    profile = read("slurm-node")
    assert (profile["cores"], profile["resources"]) == (cores, resources)
    assert ("set-resources" in profile) == ("gpu" in resources)


def test_a_node_without_limits_is_used_whole(monkeypatch):
    for name in ("CPUS_PER_TASK", "MEM_PER_NODE", "MEM_PER_CPU", "GPUS_ON_NODE"):
        monkeypatch.delenv(f"SLURM_{name}", raising=False)
    monkeypatch.setenv("SLURM_CPUS_ON_NODE", "3")
    memory = int(Path("/proc/meminfo").read_text(encoding="utf-8").split()[1]) // 1024
    profile = read("slurm-node")
    assert profile["cores"] == 3
    assert abs(profile["resources"]["mem_mb"] - memory) <= 1


def test_requirements_of_slurm_are_the_extra_of_the_package():
    pins = (REPOSITORY / "envs/requirements-slurm.in").read_text(encoding="utf-8").splitlines()
    names = {line.partition("==")[0] for line in pins if not line.startswith("#")}
    project = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    assert all("==" in line for line in pins if not line.startswith("#"))
    assert 'slurm = ["snakemake-executor-plugin-slurm"]' in project
    assert names == {"snakemake-executor-plugin-slurm", "snakemake-executor-plugin-slurm-jobstep"}
