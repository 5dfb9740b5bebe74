"""What every rule of the workflow keeps to (docs/architecture.md, contracts 2 to 5)."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from workflow_copy import (
    REPOSITORY,
    TINY,
    command_line,
    copy_workflow,
    replaced_in_snakemake,
    repository,
    rule_facts,
)

from sentflow.flow.rules import without_number

HEAVY = {"matplotlib", "numpy", "pandas", "pyarrow", "requests", "scipy", "sklearn", "torch", "transformers"}


def test_jobs_have_quoted_command_lines_plain_params_and_files_of_their_own(tmp_path):
    config = {"select": {"tasks": ["T1B-tiny", "T2A-open"]}}  # one of them is downloaded
    facts = rule_facts(copy_workflow(tmp_path / "project"), config, targets=["all", "exports"])
    rules = [rule for rule in facts if rule.params and not rule.is_target]
    assert {"download", "prepare", "embed", "probe", "score", "make_checks"} <= {rule.name for rule in rules}
    for rule in rules:
        unquoted = [name for name in re.findall(r"\{([^}]+)\}", rule.shell) if not name.endswith(":q")]
        assert set(unquoted) <= {"threads"}, rule.name
        kinds = {type(value) for params in rule.params for value in params.values()}
        assert kinds <= {str, int, float, bool}, rule.name
        # a file is an input or output, which other folders and object storage have under other names
        assert "results/" not in str(rule.params), rule.name
        # its bytes are decided by the checksum in the catalog, whatever code fetched them
        assert all(
            ("code" in params) == (without_number(rule.name) != "download") for params in rule.params
        ), rule.name
    outputs = [output for rule in rules for output in rule.outputs]
    assert [output for output in outputs if not output.startswith("results/")] == []
    assert len(set(outputs)) == len(outputs)


def test_reading_the_snakefile_imports_nothing_heavy(tmp_path):
    """It is read again in every job of a cluster. What Snakemake imports for any Snakefile does not count."""
    empty = tmp_path / "Snakefile"
    empty.write_text("rule all: input: []\n", encoding="utf-8")
    found = _imported(REPOSITORY / "Snakefile", tmp_path)
    assert "sentflow" in found
    assert HEAVY & found - _imported(empty, tmp_path) == set()


def _imported(snakefile: Path, folder: Path) -> set[str]:
    """The packages of a dry run."""
    program = (
        "import sys\nfrom snakemake.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    command = [sys.executable, "-c", program, "-n", "--quiet", "--cores", "1", "--snakefile", str(snakefile)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return {*done.stdout.splitlines()[-1].split()}


def test_reading_the_snakefile_replaces_nothing_of_snakemake(tmp_path):
    of_any_snakefile = {
        "snakemake.common.APPDIRS",
        "snakemake.workflow.__doc__",
        "snakemake.workflow.__name__",
    }
    by_shell_prefix = {"snakemake.shell.shell._process_prefix"}  # Snakemake's own function for it
    replaced = replaced_in_snakemake(copy_workflow(tmp_path / "project"))
    assert set(replaced) <= of_any_snakefile | by_shell_prefix


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["open-data", "protocol-effects", "sts", "legal-retrieval", "contrastive-small", "ulysses"]
)
def test_experiments_can_be_planned(tmp_path, name):
    project = copy_workflow(tmp_path / "project")
    file = REPOSITORY / f"experiments/{name}.yaml"
    outcome = command_line(project, "-n", "--quiet", "all", "--configfile", str(file))
    assert outcome.code == 0, outcome.text


@pytest.mark.slow
def test_a_misspelt_target_is_told_with_the_nearest(tmp_path):
    project = copy_workflow(tmp_path / "project")
    outcome = command_line(project, "-n", "scroes", "--configfile", str(TINY))
    assert outcome.code == 1
    assert "there is no target 'scroes'. Did you mean scores?" in outcome.text


@pytest.mark.parametrize("is_cloned", [True, False])
def test_as_a_module_all_files_have_the_prefix_and_other_rules_stay_as_they_are(is_cloned, tmp_path):
    snakefile = REPOSITORY / "Snakefile"
    if not is_cloned:
        snakefile = f"git+file://{repository(tmp_path / 'repository')}/workflow/Snakefile@main"
    config = {
        "experiment": {
            "title": "As a module",
            "description": "Trained, chosen by development scores, probed.",
        },
        "extends": "none",
        "select": {
            "models": ["simcse-sample"],
            "tasks": ["T1B-sample"],
            "question_sets": ["municipal-laws-sample"],
            "retrievers": ["bm25"],
        },
    }
    (tmp_path / "Snakefile").write_text(
        f"""
module legal:
    snakefile: "{snakefile}"
    config: {config}
    replace_prefix: {{"results/": "legal/results/"}}

use rule * from legal as legal_*

rule note:
    output: "note.txt"
    shell: "python --version > {{output}}"

rule all:
    default_target: True
    input: rules.legal_scores.input, "note.txt"
""",
        encoding="utf-8",
    )
    said = command_line(tmp_path, "-n", "--printshellcmds", "--cores", "1").text
    assert {"legal_train", "legal_choose_snapshot", "legal_embed", "legal_score"} <= {
        *re.findall(r"\w+", said)
    }
    assert [
        word for word in re.findall(r'(?<![\w"./-])[\w./-]*results/', said) if word != "legal/results/"
    ] == []
    assert "Shell command: python --version > note.txt\n" in said
    # logs and benchmarks have the names of the rules here
    assert re.findall(r"results/(?:logs|benchmarks)/legal_\w+", said) == []
    run = "legal/results/exports/trec/municipal-laws-sample/bm25.run"
    costs = "legal/results/summary/costs.parquet"
    said = command_line(tmp_path, "-n", "--printshellcmds", "--cores", "1", run, costs).text
    given = re.findall(r"--benchmarks (.+?) --", said)
    assert sorted(map(str.split, given), key=len)[0] == [
        "legal/results/benchmarks/search/municipal-laws-sample/bm25.jsonl"
    ]
    of_costs = max(given, key=len).split()
    assert "legal/results/benchmarks/train/simcse-sample.jsonl" in of_costs
    assert [file for file in of_costs if not file.startswith("legal/results/benchmarks/")] == []


def test_rules_of_several_datasets_share_requests_and_have_logs_of_their_own(tmp_path):
    project = copy_workflow(tmp_path / "project")
    tables = [f"results/data/tasks/{task}.parquet" for task in ("T1B-tiny", "F3-tiny")]
    words = ("-n", "--set-resources", "prepare:mem_mb=1234", "--configfile", str(TINY), "--", *tables)
    said = command_line(project, *words).text
    assert said.count("mem_mb=1234") == 2
    assert set(re.findall(r"logs/prepare\w*/(.+)\.log", said)) == {"tiny-public", "tiny-exams"}


def test_the_environment_of_jobs_has_what_they_import_as_pinned():
    envs = REPOSITORY / "envs"
    of_jobs = yaml.safe_load((envs / "sentflow.yaml").read_text(encoding="utf-8"))["dependencies"][-1]["pip"]
    pins = [
        line
        for name in ("requirements.in", "requirements-torch.in")
        for line in (envs / name).read_text(encoding="utf-8").splitlines()
    ]
    assert _versions(of_jobs).items() <= _versions(pins).items()
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    # The other packages are those of Snakemake's process and of commands
    others = {"joblib", "psutil", "rich", "snakemake", "typer"}
    assert _versions(project["dependencies"]).keys() - others <= _versions(of_jobs).keys()


def _versions(lines: list[str]) -> dict[str, str]:
    requirements = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(one.name): str(one.specifier) for one in requirements}
