"""Calls that run what others wrote: none in the package.

Most are banned by ruff's rules S and TID251 (`pyproject.toml`), which `make lint` and continuous integration run. Here
is what those rules cannot say, and that no comment excepts a line from them.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from workflow_copy import PACKAGE, REPOSITORY

from sentflow.graph.config.schema import read_yaml

FILES = sorted((REPOSITORY / PACKAGE).rglob("*.py"))
BARE_CALLS = {"compile", "__import__"}
METHODS = {"extractall", "extract", "unpack_archive"}  # of archives of any kind
# Where a module of others is run: the user's own encoder, which the configuration names
MAY_IMPORT_FILES = re.compile(r"encoders/kinds/custom_code\.py")


FOR_RUFF = [
    "import pickle",
    "from pickle import loads",
    "import cloudpickle",
    "import shelve",
    "eval(x)",
    "exec('x = 1')",
    "import os; os.system('ls')",
    "import os; os.popen(x)",
    "import os; os.execl('/bin/ls', x)",
    "import os; os.spawnl(0, '/bin/ls')",
    "import subprocess; subprocess.getoutput(x)",
    "import subprocess; subprocess.run(['ls'], shell=True)",
    "import yaml; yaml.load(stream)",
    "import yaml; yaml.load(stream, Loader=yaml.Loader)",
    "import yaml; yaml.load(stream, Loader=yaml.UnsafeLoader)",
    "import yaml; loader = getattr(yaml, 'CLoader', yaml.SafeLoader); yaml.load(stream, Loader=loader)",
    "import yaml; yaml.unsafe_load(stream)",
    "import torch; torch.load(path)",
    "import torch; torch.hub.load(path)",
    "import joblib; joblib.load(path)",
    "import pandas as pd; pd.read_pickle(path)",
    "import numpy as np; np.fromfile(path)",
    "import shutil; shutil.unpack_archive(path)",
    "import tempfile; tempfile.mktemp()",
]


def dotted(node: ast.expr) -> str:
    """``a.b.c`` of a name or an attribute; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def is_keyword(call: ast.Call, name: str, value: object) -> bool | None:
    """Whether a keyword of a call is that constant; None if it is not there."""
    found = next((word.value for word in call.keywords if word.arg == name), None)
    return None if found is None else isinstance(found, ast.Constant) and found.value is value


def problems_of(tree: ast.AST, where: str) -> list[str]:
    """Every banned call of a syntax tree."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
        last = node.func.attr if isinstance(node.func, ast.Attribute) else name
        banned = {
            f"calls {name or last}": name in BARE_CALLS
            or (isinstance(node.func, ast.Attribute) and last in METHODS),
            "np.load without allow_pickle=False": name in ("np.load", "numpy.load")
            and not is_keyword(node, "allow_pickle", False),
            "trust_remote_code that is not False": is_keyword(node, "trust_remote_code", False) is False,
            "shell=": is_keyword(node, "shell", False) is False,
            "a process from a text": name.startswith("subprocess.")
            and bool(node.args)
            and not isinstance(node.args[0], ast.List | ast.Name),
            "runs a file of others": last in ("exec_module", "spec_from_file_location")
            and not MAY_IMPORT_FILES.fullmatch(where),
        }
        found += [f"{where}:{node.lineno}: {what}" for what, is_banned in banned.items() if is_banned]
    return found


def ruff(*args: str, text: str = "") -> list[str]:
    """What the rules of the project find in a text, or in files, by S and TID251."""
    words = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=concise", *args]
    found = subprocess.run(words, input=text, capture_output=True, text=True, cwd=REPOSITORY)
    assert found.returncode in (0, 1), found.stderr
    return [line for line in found.stdout.splitlines() if re.search(r": (S\d+|TID251) ", line)]


@pytest.mark.parametrize(
    "text",
    [
        "compile(text, 'x', 'exec')",
        "subprocess.run(f'ls {x}')",
        "subprocess.run(['ls'], shell=True)",
        "subprocess.run(words, shell=flag)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "archive.extractall(folder)",
        "zipfile.ZipFile(path).extract(name)",
        "AutoModel.from_pretrained(x, trust_remote_code=True)",
        "AutoModel.from_pretrained(x, trust_remote_code=entry['trust'])",
        "spec.loader.exec_module(module)",
        "importlib.util.spec_from_file_location(name, path)",
    ],
)
def test_the_search_finds(text):
    assert len(problems_of(ast.parse(text), "here.py")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "np.load(path, mmap_mode='r', allow_pickle=False)",
        "subprocess.run(['git', 'log', name], check=False)",
        "model.eval()",
        "re.compile('x')",
        "AutoModel.from_pretrained(x, trust_remote_code=False)",
    ],
)
def test_the_search_passes(text):
    assert problems_of(ast.parse(text), "here.py") == []


@pytest.fixture(scope="module")
def lines_found() -> set[int]:
    """Numbers of the lines of `FOR_RUFF` in which ruff finds something."""
    found = ruff("--stdin-filename", str(PACKAGE / "here.py"), "-", text="\n".join(FOR_RUFF) + "\n")
    return {int(line.split(":")[1]) for line in found}


@pytest.mark.parametrize("text", FOR_RUFF)
def test_ruff_finds(lines_found, text):
    assert FOR_RUFF.index(text) + 1 in lines_found


def test_no_comment_excepts_a_line_of_the_package_from_ruffs_rules():
    assert ruff("--ignore-noqa", str(PACKAGE)) == []


def test_nothing_in_the_package_runs_what_others_wrote():
    assert len(FILES) > 150
    root = REPOSITORY / PACKAGE
    found = []
    for file in FILES:
        where = file.relative_to(root).as_posix()
        found += problems_of(ast.parse(file.read_text(encoding="utf-8")), where)
    assert found == []


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system", "!!python/object/new:os.system"])
def test_a_file_of_settings_makes_no_objects(tmp_path, tag):
    file = tmp_path / "evil.yaml"
    file.write_text(f"x: {tag} ['touch {tmp_path / 'touched'}']\n", encoding="utf-8")
    with pytest.raises(yaml.constructor.ConstructorError):
        read_yaml(Path(file))
    assert not (tmp_path / "touched").exists()
