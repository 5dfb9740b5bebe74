"""Files of the working folder that have the names of modules: nothing runs them, and no job minds them."""

import subprocess
from pathlib import Path

import pytest
import yaml
from workflow_copy import PACKAGE, TINY, copy_workflow, environment, program

pytestmark = pytest.mark.slow

# Of Python (imported at every start, by the commands, late by Snakemake) and of the packages
MODULES = ("types", "random", "statistics", "yaml", "numpy", "pandas", "snakemake", "sentflow")
# What Python looks for by itself
UNASKED = ("sitecustomize", "usercustomize")
TARGET = "results/embeddings/random/tiny-public.json"


def spoil(folder: Path, ran: Path) -> None:
    """Put modules into a folder that tell when they are run, with the token that they see."""
    tell = "print(__name__, os.environ.get('HF_TOKEN'), file=file)"
    code = f"import os\nwith open({str(ran)!r}, 'a') as file:\n    {tell}\n"
    for name in (*MODULES, *UNASKED):
        (folder / f"{name}.py").write_text(code, encoding="utf-8")


def run(words: list[str], folder: Path, **variables: str) -> str:
    done = subprocess.run(
        [*words, TARGET, "--cores", "2", "--configfile", str(TINY)],
        cwd=folder,
        env={**environment(), "HF_TOKEN": "token-of-the-shell", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    return f"exit code {done.returncode}\n{done.stdout}{done.stderr}"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_workflow(tmp_path / "project")


@pytest.mark.parametrize("name", ["snakemake", "sentflow run"])
def test_modules_in_the_folder_of_the_workflow_are_not_run(name, project, tmp_path):
    spoil(project, tmp_path / "ran")
    command, *words = name.split()
    # With the code of the copy, as after `pip install -e` there
    said = run([program(command), *words], project, PYTHONPATH=str((project / PACKAGE).parent))
    assert said.startswith("exit code 0"), said[-4000:]
    assert not (tmp_path / "ran").exists()
    assert (project / TARGET).is_file()


def test_modules_in_another_working_folder_are_not_run(project, tmp_path):
    folder = tmp_path / "experiment"
    folder.mkdir()
    spoil(folder, tmp_path / "ran")
    said = run([program("snakemake"), "--directory", str(folder)], project)
    assert said.startswith("exit code 0"), said[-4000:]
    assert not (tmp_path / "ran").exists()
    assert (folder / TARGET).is_file()


def test_a_class_of_ones_own_still_imports_the_files_beside_it(project, tmp_path):
    (project / "words_of_mine.py").write_text("LETTERS = 'aeiou'\n", encoding="utf-8")
    (project / "mine.py").write_text(
        "from words_of_mine import LETTERS\n\n\nclass Vowels:\n"
        "    def encode(self, texts):\n        return [[text.count(letter) for letter in LETTERS] for text in texts]\n",
        encoding="utf-8",
    )
    (project / "types.py").write_text("", encoding="utf-8")
    config = {
        "models": {"vowels": {"kind": "custom", "custom": "mine.py:Vowels"}},
        "select": {"models": ["vowels"]},
    }
    (project / "mine.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    done = subprocess.run(
        [program("snakemake"), "results/embeddings/vowels/tiny-public.json", "--cores", "2"]
        + ["--configfile", str(TINY), "mine.yaml"],
        cwd=project,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
