"""Calls that run what others wrote: none in the package, in the rules, or anywhere else in the project."""

import ast
from pathlib import Path

import pytest
import yaml
from workflow_copy import PACKAGE, REPOSITORY

from sentflow.graph import config

SAFE_LOADERS = {"SafeLoader", "CSafeLoader"}
FILES = sorted((REPOSITORY / PACKAGE).rglob("*.py"))
# Whole modules that unpickle, and functions that run texts, unpickle, start a shell or unpack without a look
MODULES = {"pickle", "_pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "commands"}
BARE_CALLS = {"eval", "exec", "compile", "__import__", "execfile"}
CALLS = {
    "os.system",
    "os.popen",
    "os.execl",
    "os.spawnl",
    "subprocess.getoutput",
    "subprocess.getstatusoutput",
    "joblib.load",
    "np.fromfile",
    "pandas.read_pickle",
    "pd.read_pickle",
    "shutil.unpack_archive",
    "tempfile.mktemp",
    "torch.hub.load",
    "yaml.unsafe_load",
    "yaml.unsafe_load_all",
    "yaml.full_load",
    "yaml.full_load_all",
}
METHODS = {"extractall", "extract", "unpack_archive"}
# Where a module of others is run: the user's own encoder, which the configuration names
MAY_IMPORT_FILES = {"encoders/kinds/custom_code.py"}


def dotted(node: ast.expr) -> str:
    """``a.b.c`` of a name or an attribute; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((word.value for word in call.keywords if word.arg == name), None)


def is_constant(node: ast.expr | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def loader_names(tree: ast.AST, node: ast.expr | None) -> set[str]:
    """Every name that ends in Loader and can be the value of an expression, through one assignment."""
    names = (
        {part for found in ast.walk(node) if (part := dotted(found).rsplit(".", 1)[-1])} if node else set()
    )
    names |= {found.value for found in ast.walk(node) if isinstance(found, ast.Constant)} if node else set()
    for assignment in ast.walk(tree):
        if isinstance(assignment, ast.Assign) and {dotted(t) for t in assignment.targets} & names:
            names |= loader_names(ast.Module([], []), assignment.value)
    return {name for name in names if str(name).endswith("Loader")}


def problems_of(tree: ast.AST, where: str) -> list[str]:
    """Every banned import and call of a syntax tree."""
    found = []

    def note(node: ast.AST, what: str) -> None:
        found.append(f"{where}:{getattr(node, 'lineno', 0)}: {what}")

    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
            for name in names:
                if name.partition(".")[0] in MODULES:
                    note(node, f"imports {name}")
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
        last = node.func.attr if isinstance(node.func, ast.Attribute) else name
        if name in BARE_CALLS | CALLS or (isinstance(node.func, ast.Attribute) and last in METHODS):
            note(node, f"calls {name or last}")
        if name == "torch.load" and not is_constant(keyword(node, "weights_only"), True):
            note(node, "torch.load without weights_only=True")
        if name in ("np.load", "numpy.load") and not is_constant(keyword(node, "allow_pickle"), False):
            note(node, "np.load without allow_pickle=False")
        if name in ("yaml.load", "yaml.load_all"):
            loaders = loader_names(tree, keyword(node, "Loader"))
            if not loaders or loaders - SAFE_LOADERS:
                note(node, f"yaml.load with {sorted(loaders) or 'no loader'}")
        trusted = keyword(node, "trust_remote_code")
        if trusted is not None and not is_constant(trusted, False):
            note(node, "trust_remote_code that is not False")
        shell = keyword(node, "shell")
        if shell is not None and not is_constant(shell, False):
            note(node, "shell=")
        if name.startswith("subprocess.") and node.args and not isinstance(node.args[0], ast.List | ast.Name):
            note(node, "a process from a text")
        if last in ("exec_module", "spec_from_file_location") and where not in MAY_IMPORT_FILES:
            note(node, f"runs a file of others by {last}")
    return found


def problems_in(text: str) -> list[str]:
    return problems_of(ast.parse(text), "here.py")


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from pickle import loads",
        "eval(x)",
        "exec('x = 1')",
        "os.system('ls')",
        "subprocess.run(f'ls {x}')",
        "subprocess.run(['ls'], shell=True)",
        "subprocess.run(words, shell=flag)",
        "yaml.load(stream)",
        "yaml.load(stream, Loader=yaml.Loader)",
        "yaml.load(stream, Loader=yaml.UnsafeLoader)",
        "loader = getattr(yaml, 'CLoader', yaml.SafeLoader)\nyaml.load(stream, Loader=loader)",
        "yaml.unsafe_load(stream)",
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "archive.extractall(folder)",
        "zipfile.ZipFile(path).extract(name)",
        "shutil.unpack_archive(path)",
        "AutoModel.from_pretrained(x, trust_remote_code=True)",
        "AutoModel.from_pretrained(x, trust_remote_code=entry['trust'])",
        "spec.loader.exec_module(module)",
        "joblib.load(path)",
    ],
)
def test_the_search_finds(text):
    assert len(problems_in(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "yaml.safe_load(stream)",
        "loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)\nyaml.load(stream, Loader=loader)",
        "torch.load(path, weights_only=True)",
        "np.load(path, mmap_mode='r', allow_pickle=False)",
        "subprocess.run(['git', 'log', name], check=False)",
        "model.eval()",
        "re.compile('x')",
        "AutoModel.from_pretrained(x, trust_remote_code=False)",
    ],
)
def test_the_search_passes(text):
    assert problems_in(text) == []


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
        config._yaml(Path(file))
    assert not (tmp_path / "touched").exists()
