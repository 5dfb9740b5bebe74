"""sentflow from a wheel, in an environment without its repository: library, commands, runs in any folder."""

import os
import shutil
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from workflow_copy import PACKAGE, REPOSITORY, TINY, copy_workflow, ended, environment

pytestmark = pytest.mark.nightly

EVALUATE = """\
import numpy as np
import sentflow
from sentflow.probing import cross_validate

class Words:
    def encode(self, texts, **_):
        return np.array([[len(text), text.count(" "), text.count("a")] for text in texts], dtype=np.float32)

found = sentflow.UlyssesSentEval(Words(), tasks="T1B-sample").evaluate(
    kwargs_train={"n_repeats": 1, "n_processes": 1, "show_progress_bar": False}
)
print(sentflow.__file__)
print(found["T1B-sample"]["avg_metric_test"])
run = sentflow.retrieve(["casa azul"], ["uma casa", "o rio", "a casa azul"], "bm25", k=2)
print(sentflow.evaluate_run(run, {"0": {"2": 1}}))
"""


def pip(*arguments: str) -> None:
    words = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = ended(words, Path.cwd(), os.environ)
    assert done.code == 0, done.text


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built in a copy of the repository; nothing is fetched."""
    folder = tmp_path_factory.mktemp("wheel")
    source = copy_workflow(folder / "source")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy2(REPOSITORY / name, source / name)
    shutil.copytree(REPOSITORY / "experiments", source / "experiments")
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a new environment that has the wheel and the libraries of the tests, but not what these list in turn."""
    folder = tmp_path_factory.mktemp("installed") / "environment"
    venv.create(folder, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    libraries = [entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
    (packages / "libraries.pth").write_text("\n".join(libraries) + "\n", encoding="utf-8")
    pip("--python", str(folder / "bin/python"), "install", "--no-deps", "--no-index", str(wheel))
    return folder / "bin"


def said(programs: Path, folder: Path, name: str, *arguments: str, code: int = 0) -> str:
    """What a program of the environment says in a folder."""
    variables = {**environment(), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    done = ended([str(programs / name), *arguments], folder, variables)
    assert done.code == code, done.text
    return done.text


def test_a_wheel_has_every_file_of_the_package_and_of_the_workflow(wheel):
    package = REPOSITORY / PACKAGE
    expected = {f"sentflow/{file.relative_to(package)}" for file in package.rglob("*") if file.is_file()} | {
        f"sentflow/pipeline/{file.relative_to(REPOSITORY)}"
        for part in ("Snakefile", "config.yaml", "experiments", "profiles", "workflow")
        for file in [REPOSITORY / part, *(REPOSITORY / part).rglob("*")]
        if file.is_file() and not file.is_relative_to(package.parent)
    }
    held = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in expected - held if "__pycache__" not in name} == set()
    assert not [
        name
        for name in held
        if not name.startswith(("sentflow/", "sentflow-", "snakemake_logger_plugin_sentflow/"))
    ]


def test_the_library_evaluates_a_task_and_searches(programs, tmp_path):
    lines = said(programs, tmp_path, "python", "-P", "-c", EVALUATE).splitlines()
    assert lines[0].startswith(str(programs.parent))
    assert -1 <= float(lines[1]) <= 1


def test_an_experiment_runs_in_an_empty_folder(programs, tmp_path):
    target = "results/scores/F3-tiny/tfidf.json"
    words = ["run", target, "--cores", "2", "--configfile", str(TINY)]
    said(programs, tmp_path, "sentflow", *words)
    assert (tmp_path / target).is_file()
    assert "Nothing to be done" in said(programs, tmp_path, "sentflow", *words)
