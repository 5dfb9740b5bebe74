"""The same numbers anywhere on one machine: another clone, locale, clock, hash seed or number of threads."""

import json
from pathlib import Path

import pytest
import yaml
from small_run import SMALL
from workflow_copy import (
    REPOSITORY,
    TINY,
    copy_workflow,
    ended,
    environment,
    repository,
    result_files,
    snakemake,
    snakemake_words,
)

from sentflow.config.entries import merge

# Every folder of numbers; what is measured anew in each run is none
FOLDERS = ("scores", "tables", "similarity", "alignments", "regressions", "geometry", "comparisons")
MEASURED = {f"{name}.{ending}" for name in ("costs", "encoders") for ending in ("csv", "md", "tex")}
# A user far away, with another shell: nothing of this may show in a result
ELSEWHERE = {
    **{"PYTHONHASHSEED": "12345", "LC_ALL": "C", "LANG": "C", "TZ": "Asia/Kathmandu", "COLUMNS": "40"},
    **{"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"},
}


def numbers(project: Path) -> dict[str, bytes]:
    """Every file of results that must be the same bytes."""
    found = result_files(project, *FOLDERS)
    return {name: content for name, content in found.items() if Path(name).name not in MEASURED}


@pytest.mark.nightly
def test_a_second_clone_elsewhere_gives_the_same_bytes(reference, tmp_path):
    clone = copy_workflow(tmp_path / "outra pasta" / "clone")
    words = snakemake_words("scores", "tables", "similarities", "--cores", "1", "--configfile", str(TINY))
    done = ended(words, clone, {**environment(), **ELSEWHERE})
    assert done.code == 0, done.text[-6000:]
    found, expected = numbers(clone), numbers(reference)
    assert found.keys() == expected.keys()
    folders = {name.split("/")[1] for name in expected}
    assert folders >= {"scores", "tables", "similarity", "alignments", "regressions", "geometry"}
    assert [name for name in expected if found[name] != expected[name]] == []


# Snakemake copies the declared inputs of a job, and nothing else, into a folder in which it runs
ALONE = """

for one in workflow.rules:
    if one.output:
        one.shadow_depth = "copy-minimal"
"""


@pytest.mark.slow
def test_jobs_that_see_nothing_but_their_inputs_give_the_same_bytes(reference, tmp_path):
    project = copy_workflow(tmp_path / "project")
    with (project / "Snakefile").open("a", encoding="utf-8") as file:
        file.write(ALONE)
    outcome = snakemake(project, "all", "exports", "--cores", "2", "--configfile", str(TINY))
    assert outcome.code == 0, outcome.text[-6000:]
    found, expected = numbers(project), numbers(reference)
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name] != expected[name]] == []
    exports = set(result_files(project, "exports"))
    assert exports == set(result_files(reference, "exports"))


MODULE = """
module {name}:
    snakefile: {snakefile}
    config: config
    replace_prefix: {{"results/": "{name}/results/"}}

use rule * from {name} as {name}_*
"""
OTHERS = """
rule summaries:
    default_target: True
    input: rules.first_scores.input, rules.first_tables.input, rules.second_scores.input, rules.second_tables.input
"""


@pytest.mark.slow
def test_two_modules_side_by_side_in_another_workflow_give_the_same_bytes(undisturbed, tmp_path):
    repository(tmp_path / "hosts" / "lab" / "sentflow")
    # As snakedeploy writes it. Git takes the repository from the folder instead.
    snakefiles = {
        "first": f'"{REPOSITORY / "Snakefile"}"',
        "second": 'github("lab/sentflow", path="workflow/Snakefile", branch="main")',
    }
    git = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{tmp_path}/hosts/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    config = merge(*(yaml.safe_load(file.read_text(encoding="utf-8")) for file in (TINY, SMALL)))
    modules = [MODULE.format(name=name, snakefile=snakefile) for name, snakefile in snakefiles.items()]
    lines = ["configfile: 'both.json'\n", *modules, OTHERS]
    (tmp_path / "both.json").write_text(json.dumps(config), encoding="utf-8")
    (tmp_path / "Snakefile").write_text("".join(lines), encoding="utf-8")
    done = ended(snakemake_words("--cores", "2"), tmp_path, {**environment(), **git})
    assert done.code == 0, done.text[-6000:]
    for name in snakefiles:
        assert result_files(tmp_path / name) == result_files(undisturbed)
    assert not (tmp_path / "results").exists()
    again = ended(snakemake_words("--cores", "2"), tmp_path, {**environment(), **git})
    assert "Nothing to be done" in again.text
