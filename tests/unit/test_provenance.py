import ast
import json
import sys
from pathlib import Path

import pytest

from sentflow.graph import products, provenance, source_facts

PACKAGE = Path(provenance.__file__).parents[1]
CACHED = ("_facts", "_imports", "_source", "_public_version", "code")
MODULES = sorted(
    ".".join(["sentflow", *path.relative_to(PACKAGE).with_suffix("").parts])
    for path in PACKAGE.rglob("*.py")
    if path.name != "__init__.py"
)
COMMANDS = [name for name in MODULES if name.startswith("sentflow.commands.")]
FORMULAS = [
    *(
        f"sentflow.probing.{name}"
        for name in (
            "kernels.adamw",
            "kernels.logistic",
            "kernels.losses",
            "kernels.mlp",
            "protocol.draws",
            "protocol.metrics",
        )
    ),
    *(name for name in MODULES if name.startswith("sentflow.stats.") and name != "sentflow.stats.seeds"),
]

SOURCES = {
    "commands/probe.py": "from sentflow.probing.training import train\n\n\ndef main():\n    return train(1)\n",
    "probing/training.py": "from sentflow import losses\n\n\ndef train(x):\n    return losses.loss(x) + 1\n",
    "losses.py": '"""Losses."""\n\n\ndef loss(x):\n    """Of x."""\n    return x * 2\n',
    "report.py": "TITLE = 'Relatório'\n",
}


def clear_caches() -> None:
    for name in CACHED:
        getattr(provenance, name).cache_clear()


class SmallPackage:
    """A package of four modules in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name, text in SOURCES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        clear_caches()

    def digest(self) -> str:
        return provenance.code("sentflow.commands.probe")


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "_ROOT", tmp_path / "sentflow")
    monkeypatch.setattr(source_facts, "_REMEMBERED", tmp_path / "kept" / "facts.json")
    source_facts._remembered.cache_clear()
    yield SmallPackage(tmp_path / "sentflow")
    clear_caches()
    source_facts._remembered.cache_clear()
    source_facts._new.clear()


# --- the digest


def fresh_start() -> None:
    """Forget what a new process would not know."""
    clear_caches()
    source_facts._remembered.cache_clear()


def test_modules_are_parsed_once_for_all_starts(package, monkeypatch):
    digest = package.digest()
    fresh_start()
    monkeypatch.setattr(source_facts.ast, "parse", None)
    assert package.digest() == digest


def test_facts_that_other_code_found_are_not_believed(package, monkeypatch):
    digest = package.digest()
    kept = json.loads(source_facts._REMEMBERED.read_text(encoding="utf-8"))
    kept["facts"] = {key: ["0", []] for key in kept["facts"]}
    source_facts._REMEMBERED.write_text(json.dumps({**kept, "found_by": "another"}), encoding="utf-8")
    fresh_start()
    assert package.digest() == digest


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"found_by": 1, "facts": 2}'])
def test_damaged_facts_are_found_again(package, content):
    digest = package.digest()
    source_facts._REMEMBERED.write_text(content, encoding="utf-8")
    fresh_start()
    assert package.digest() == digest


def test_facts_need_not_be_kept(package, tmp_path, monkeypatch):
    digest = package.digest()
    (tmp_path / "file").touch()
    monkeypatch.setattr(source_facts, "_REMEMBERED", tmp_path / "file" / "facts.json")
    fresh_start()
    assert package.digest() == digest


def test_digest_is_the_same_for_the_same_source(package):
    before = package.digest()
    package.write("losses.py", SOURCES["losses.py"])
    assert package.digest() == before
    assert len(before) == 16
    assert int(before, 16) >= 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("losses.py", SOURCES["losses.py"].replace("return", "# twice\n    return")),
        ("losses.py", SOURCES["losses.py"].replace("Losses", "Perdas").replace("Of x", "De x")),
        ("losses.py", SOURCES["losses.py"].replace('    """Of x."""\n', "")),
        ("losses.py", SOURCES["losses.py"].replace("x * 2", "(\n        x\n        * 2\n    )")),
        ("losses.py", "\n\n" + SOURCES["losses.py"]),
        ("probing/training.py", SOURCES["probing/training.py"].replace(" + 1", "+1")),
        ("report.py", "TITLE = 'Report'\n"),
        ("stats.py", "def unrelated(): ...\n"),
    ],
    ids=["comment", "docstring", "no docstring", "brackets", "blank lines", "spaces", "unrelated", "new"],
)
def test_edit_that_changes_no_code_keeps_the_digest(package, name, text):
    before = package.digest()
    package.write(name, text)
    assert package.digest() == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("commands/probe.py", SOURCES["commands/probe.py"].replace("train(1)", "train(2)")),
        ("probing/training.py", SOURCES["probing/training.py"].replace("+ 1", "- 1")),
        ("losses.py", SOURCES["losses.py"].replace("2", "2.0")),
        ("losses.py", SOURCES["losses.py"].replace("loss(x)", "loss(x, y=None)")),
        ("losses.py", SOURCES["losses.py"] + "\n\nUNUSED = 'é'\n"),
    ],
    ids=["command", "import", "import of an import", "argument", "new name"],
)
def test_edit_of_code_that_the_command_reaches_changes_the_digest(package, name, text):
    before = package.digest()
    package.write(name, text)
    assert package.digest() != before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
        ("for a in b:\n    c()\nelse:\n    d()\n", "for a in b:\n    c()\nd()\n"),
        ("def f():\n    a = 1\n    b = 2\n", "def f():\n    a = 1\nb = 2\n"),
        ("x = [[1], 2]\n", "x = [[1, 2]]\n"),
        ("f(a, *b)\n", "f(*a, b)\n"),
        ("f(a, g(b), c)\n", "f(a, g(b, c))\n"),
        ("x = a or (b or c)\n", "x = (a or b) or c\n"),
        ("x = 1\n", "x = True\n"),
        ("x = '1'\n", "x = 1\n"),
        ("x = 'é'\n", "x = b'e'\n"),
        ("x = None\n", "x = ...\n"),
        ("x = -1\n", "x = 1\n"),
        ("del a, b\n", "del b, a\n"),
        ("def f(a, /, b): ...\n", "def f(a, b, /): ...\n"),
        ("def f(*, a=None, b): ...\n", "def f(*, a, b=None): ...\n"),
        ("{**a, 'b': c}\n", "{'b': c, **a}\n"),
        ("async def f(): ...\n", "def f(): ...\n"),
    ],
)
def test_programs_that_differ_have_other_digests(package, one, other):
    digests = []
    for text in (one, other):
        package.write("losses.py", SOURCES["losses.py"] + text)
        digests.append(package.digest())
    assert digests[0] != digests[1]


def test_import_inside_a_function_counts(package):
    package.write("losses.py", "def loss(x):\n    from sentflow.report import TITLE\n\n    return TITLE\n")
    before = package.digest()
    package.write("report.py", "TITLE = 'Report'\n")
    assert package.digest() != before


def test_modules_that_import_one_another_in_a_circle_are_followed(package):
    package.write("losses.py", "from sentflow.probing import training\n")
    modules = provenance.imported_modules("sentflow.losses")
    assert modules == {"sentflow.losses", "sentflow.probing.training"}


def test_module_that_does_not_exist_is_told(package):
    with pytest.raises(ModuleNotFoundError, match="there is no module sentflow.commands.prob"):
        provenance.code("sentflow.commands.prob")


def test_files_are_digested_by_their_bytes(package):
    package.write("page.css", "body {}")
    before = provenance.files("page.css")
    package.write("page.css", "body { }")
    assert provenance.files("page.css") != before


def test_a_pattern_stands_for_every_file_and_must_have_one(package):
    package.write("words/a.yaml", "- a")
    package.write("words/b.yaml", "- b")
    before = provenance.files("words/*.yaml")
    package.write("words/b.yaml", "- c")
    assert provenance.files("words/*.yaml") != before
    with pytest.raises(FileNotFoundError, match=r"there is no file words/\*\.yml"):
        provenance.files("words/*.yml")


# --- versions


def test_versions_are_sorted_and_have_no_build_tag(monkeypatch):
    clear_caches()
    found = {"torch": "2.13.0+cpu", "numpy": "2.3.1"}
    monkeypatch.setattr(provenance, "library_version", found.__getitem__)
    assert provenance.versions("torch", "numpy") == "numpy=2.3.1 torch=2.13.0"
    clear_caches()


def test_library_that_is_not_installed_is_absent():
    assert provenance.versions("no-such-library-é") == "no-such-library-é=absent"


# --- the modules of the package itself


def direct_imports(module: str) -> set[str]:
    """Top-level names of everything that a module imports."""
    tree = ast.parse(provenance._source(module).read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative imports are not followed"
            names.add(str(node.module))
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("module", MODULES)
def test_no_import_escapes_the_digest(module):
    assert (
        not direct_imports(module) & {"importlib"}
        or module
        in {
            "sentflow.jobs.log",  # versions only
            "sentflow.probing.training.folds",  # the code for accelerators, whose digest `Targets.probe_code` adds
            "sentflow.jobs.versions",
            "sentflow.encoders.fetch.custom",  # likewise
            "sentflow.encoders.load",  # the module of a kind, which `code` is given by name
            "sentflow.encoders.vectors.forms",  # sparse vectors, whose module that of a kind which gives them imports
            "sentflow.encoders.fetch.model",
            "sentflow.commands.prepare",  # a check, which changes no byte of the table
            "sentflow.graph.provenance",
            "sentflow.graph.family",  # the families, which no job runs
            "sentflow.graph.products",  # what makes a product, whose digest is a param of its job
            "sentflow.encoders.manifest",  # looks up where a model's package lies
            "sentflow.encoders.kinds.custom_code",  # the user's file, whose checksum is in the manifest
            "sentflow.encoders.kinds.neural.backends",  # asks whether an optional library is there
            "sentflow.encoders.kinds.scikit_learn",  # classes of scikit-learn, whose version the rule names
            "sentflow.training.job",  # the module of a recipe, which `code` is given by name
            "sentflow.training.options.apply",  # those of options, likewise
            "sentflow.retrieval.approximate",  # the module of a kind of index, likewise
        }
    )


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("__init__.py")), ids=lambda path: path.parent.name)
def test_packages_run_nothing_when_a_module_of_theirs_is_imported(path):
    """What they did would escape the digest of a module that is imported from them by its full name."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    for statement in body:
        if isinstance(statement, ast.ImportFrom):
            assert statement.module == "typing"
        elif isinstance(statement, ast.If):
            assert ast.unparse(statement.test) == "TYPE_CHECKING"
        elif isinstance(statement, ast.FunctionDef):
            assert statement.name in ("__getattr__", "__dir__")
        elif isinstance(statement, ast.Assign):
            assert ast.unparse(statement.targets[0]) == "__all__"
        else:
            assert isinstance(statement, ast.Expr)
            assert isinstance(statement.value, ast.Constant)


@pytest.mark.parametrize("module", FORMULAS)
def test_formulas_touch_no_files(module):
    # but for the cache of what is compiled
    for name in provenance.imported_modules(module) - {"sentflow.probing.kernels.loops.compiling"}:
        assert not direct_imports(name) & {"pathlib", "json", "yaml", "argparse"}, name


@pytest.mark.parametrize("command", ["probe", "probe_lazy", "score"])
def test_probes_and_scores_do_not_depend_on_the_report_or_on_neural_encoders(command):
    modules = provenance.imported_modules(f"sentflow.commands.{command}")
    assert not [name for name in modules if name.startswith("sentflow.report")]
    foreign = set().union(*(direct_imports(name) for name in modules))
    assert not foreign & {"sentence_transformers", "transformers", "matplotlib", "jinja2", "snakemake"}


@pytest.mark.parametrize("command", ["probe", "probe_lazy", "probe_featurised", "score"])
def test_jobs_on_a_processor_do_not_depend_on_the_code_for_accelerators(command):
    modules = provenance.imported_modules(f"sentflow.commands.{command}")
    assert not [name for name in modules if name.startswith("sentflow.probing.accelerator")]


@pytest.mark.parametrize("command", ["audit", "probe", "probe_lazy", "probe_featurised", "score"])
def test_jobs_do_not_depend_on_what_reads_entries_of_protocols(command):
    assert "sentflow.probing.protocol.catalog" not in provenance.imported_modules(
        f"sentflow.commands.{command}"
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_path_of_one_family_is_in_no_digest_of_another(command):
    """Commands get the paths of their files as arguments."""
    assert "sentflow.graph.paths" not in provenance.imported_modules(command)


def test_score_does_not_depend_on_torch():
    modules = provenance.imported_modules("sentflow.commands.score")
    assert "torch" not in set().union(*(direct_imports(name) for name in modules))


def test_report_does_not_depend_on_the_probes():
    commands = [f"sentflow.commands.{name}" for name in ("table", "figure", "check", "report", "summarise")]
    for made_by in (*commands, *products.modules_of_page()):
        modules = provenance.imported_modules(made_by) - {"sentflow.probing.protocol.switches"}
        assert not [name for name in modules if name.startswith(("sentflow.probing", "sentflow.encoders"))]


@pytest.mark.parametrize("command", ["compare", "compare_similarity", "compare_protocol"])
def test_comparisons_do_not_depend_on_the_report(command):
    own = {name for name in MODULES if name.startswith("sentflow.compare.")}
    found = own.union(*map(provenance.imported_modules, own | {f"sentflow.commands.{command}"}))
    assert not [name for name in found if name.startswith("sentflow.report")]


def test_every_command_has_a_digest_of_its_own():
    assert len({provenance.code(command) for command in COMMANDS}) == len(COMMANDS) >= 16


def test_snakefile_imports_nothing_heavy():
    """It is read again in every job of a cluster."""
    modules = {
        "sentflow.graph.config.experiment",
        "sentflow.graph.targets",
        "sentflow.graph.provenance",
        "sentflow.graph.family",  # the families, which no job runs
        "sentflow.graph.products",  # what makes a product, whose digest is a param of its job
        "sentflow.graph.paths",
    }
    closure = set().union(*(provenance.imported_modules(name) for name in modules))
    foreign = set().union(*(direct_imports(name) for name in closure)) - {"sentflow"}
    assert foreign - set(sys.stdlib_module_names) == {"yaml", "jsonschema"}


# --- what stands in no digest


# Shown in messages, and counted where tables hold what it shows
SHOWN = {"sentflow.files.control_characters"}
# Says which module makes a product; it asks the families, of which no job runs anything else.
REGISTRIES = {"sentflow.graph.products"}
COMPUTES = {"numba", "numpy", "pandas", "pyarrow", "safetensors", "scipy", "sklearn", "torch", "transformers"}


def all_imported(module: str) -> set[str]:
    """A module and what it imports, directly or through others, plumbing included."""
    found, open_modules = set(), [module]
    while open_modules:
        name = open_modules.pop()
        if name not in found:
            found.add(name)
            open_modules.extend(provenance._imports(name))
    return found


def plumbing_problems(plumbing: set[str]) -> list[str]:
    """Why modules may not be left out of digests."""
    problems = []
    for name in sorted(plumbing):
        if name in REGISTRIES:
            continue
        if outside := all_imported(name) - plumbing - SHOWN:
            problems.append(f"{name} imports {sorted(outside)}")
        if heavy := direct_imports(name) & COMPUTES:
            problems.append(f"{name} imports {sorted(heavy)}")
    return problems


def test_plumbing_imports_nothing_that_could_change_a_number():
    assert plumbing_problems(set(provenance.PLUMBING)) == []
    assert all(reason for reason in provenance.PLUMBING.values())


@pytest.mark.parametrize(
    "module",
    [
        "sentflow.encoders.vectors.storage",  # NumPy
        "sentflow.encoders.kinds.neural.weights",  # torch
        "sentflow.files.parquet",
        "sentflow.encoders.load",
    ],
)
def test_a_module_that_computes_cannot_be_called_plumbing(module):
    assert plumbing_problems({*provenance.PLUMBING, module}) != []


@pytest.mark.parametrize("command", COMMANDS)
def test_no_digest_holds_plumbing(command):
    assert not provenance.imported_modules(command) & set(provenance.PLUMBING)


def test_an_edit_of_plumbing_keeps_the_digest(package, monkeypatch):
    monkeypatch.setattr(provenance, "PLUMBING", {"sentflow.losses": "for this test"})
    clear_caches()
    before = package.digest()
    package.write("losses.py", SOURCES["losses.py"].replace("2", "3"))
    assert package.digest() == before


def test_a_module_that_is_imported_by_name_counts(package):
    package.write("named.py", "FACTOR = 2\n")
    before = provenance.code("sentflow.commands.probe", "sentflow.named")
    assert before != package.digest()
    package.write("named.py", "FACTOR = 3\n")
    assert provenance.code("sentflow.commands.probe", "sentflow.named") != before
