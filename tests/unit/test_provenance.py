import re
from pathlib import Path

import pytest

from sentflow.flow import provenance, source_facts
from sentflow.jobs import job

CACHED = ("facts", "imports", "_file", "_folders", "_in_folder", "_public_version", "code")
JOBS = '''"""Jobs."""

import json

from sentflow import report
from sentflow.jobs.job import In, Out, job

LIMIT = 3


@job("numpy")
def probe(*, task: In, folds: list[Out]) -> None:
    """Train."""
    from sentflow.probing.training import train

    json.dumps(train(_limited(1)))


def _limited(x):
    return min(x, LIMIT)


@job()
def show(*, probe: str, output: Out) -> None:
    """Show."""

    def shown(train):
        return report.TITLE + probe + train

    shown("train")
'''

SOURCES = {
    "probing/jobs.py": JOBS,
    "probing/training.py": "from sentflow import losses, training\n\n\ndef train(x):\n    return losses.loss(x) + 1\n",
    "training.py": "from pydantic import Field\n\nFACTOR: int = Field(2, description='With it.')\n",
    "losses.py": '"""Losses."""\n\n\ndef loss(x):\n    """Of x."""\n    return x * 2\n',
    "report.py": "TITLE = 'Relatório'\n",
}


def clear_caches() -> None:
    for name in CACHED:
        getattr(provenance, name).cache_clear()


class SmallPackage:
    """A package of four modules, one of them with two jobs, in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name, text in SOURCES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        clear_caches()

    def digest(self, name: str = "probe") -> str:
        return provenance.code(name)


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "_ROOT", tmp_path / "sentflow")
    monkeypatch.setattr(job, "PACKAGE", tmp_path / "sentflow")
    for module in (job, provenance):
        monkeypatch.setattr(module, "MODULES", ("sentflow.probing.jobs",))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    for cached in (source_facts._kept_file, source_facts._kept):
        cached.cache_clear()
    yield SmallPackage(tmp_path / "sentflow")
    clear_caches()
    for cached in (source_facts._kept_file, source_facts._kept):
        cached.cache_clear()
    source_facts._new.clear()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("losses.py", SOURCES["losses.py"].replace("return", "# twice\n    return")),
        ("losses.py", SOURCES["losses.py"].replace("Losses", "Perdas").replace("Of x", "De x")),
        ("losses.py", SOURCES["losses.py"].replace("x * 2", "(\n        x\n        * 2\n    )")),
        ("report.py", "TITLE = 'Report'\n"),
        ("stats.py", "def unrelated(): ...\n"),
        ("probing/jobs.py", JOBS.replace("Train.", "Fit.").replace("def shown", "# that\n    def shown")),
        ("probing/jobs.py", JOBS.replace('"numpy"', '"torch"')),
        ("probing/jobs.py", JOBS.replace("report.TITLE", "report.OTHER")),
        ("probing/jobs.py", JOBS + "\n\n@job()\ndef other(*, output: Out) -> None:\n    ...\n"),
        ("training.py", "from pydantic import Field\n\nFACTOR: int = Field(2, description='By it.')\n"),
        ("training.py", SOURCES["training.py"] + '"""What it does."""\n'),
    ],
    ids=[
        *("comment", "docstring", "brackets", "unrelated", "new", "jobs", "log", "neighbour", "job", "field"),
        "text below a field",
    ],
)
def test_edit_that_changes_no_code_keeps_the_digest(package, name, text):
    before = package.digest()
    package.write(name, text)
    assert package.digest() == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("probing/jobs.py", JOBS.replace("_limited(1)", "_limited(2)")),
        ("probing/jobs.py", JOBS.replace("LIMIT = 3", "LIMIT = 4")),
        ("probing/jobs.py", JOBS.replace("task: In", "task: In = None")),
        ("training.py", "FACTOR: int = Field(3, description='With it.')\n"),
        ("probing/training.py", SOURCES["probing/training.py"].replace("+ 1", "- 1")),
        ("losses.py", SOURCES["losses.py"].replace("2", "2.0")),
        ("losses.py", SOURCES["losses.py"].replace("loss(x)", "loss(x, y=None)")),
        ("losses.py", SOURCES["losses.py"] + "\n\nUNUSED = 'é'\n"),
    ],
    ids=[
        *("job", "what it uses", "signature", "setting", "import", "import of an import"),
        *("argument", "new name"),
    ],
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
        ("x = [[1], 2]\n", "x = [[1, 2]]\n"),
        ("f(a, g(b), c)\n", "f(a, g(b, c))\n"),
        ("x = a or (b or c)\n", "x = (a or b) or c\n"),
        ("x = 1\n", "x = True\n"),
        ("x = 'é'\n", "x = b'e'\n"),
        ("x = -1\n", "x = 1\n"),
        ("def f(a, /, b): ...\n", "def f(a, b, /): ...\n"),
        ("def f(*, a=None, b): ...\n", "def f(*, a, b=None): ...\n"),
        ("{**a, 'b': c}\n", "{'b': c, **a}\n"),
        ("class A(B, file='a'): ...\n", "class A(B, file='b'): ...\n"),
    ],
)
def test_programs_that_differ_have_other_digests(package, one, other):
    digests = []
    for text in (one, other):
        package.write("losses.py", SOURCES["losses.py"] + text)
        digests.append(package.digest())
    assert digests[0] != digests[1]


def test_versions_are_sorted_and_have_no_build_tag(monkeypatch):
    clear_caches()
    found = {"torch": "2.13.0+cpu", "numpy": "2.3.1"}
    monkeypatch.setattr(provenance, "library_version", found.__getitem__)
    assert provenance.versions("torch", "numpy") == "numpy=2.3.1 torch=2.13.0"
    clear_caches()


def test_a_job_does_not_depend_on_names_that_only_look_like_its_neighbours(package):
    """Parameters and strings of `show` are called as a job and an import of another are."""
    before = package.digest("show")
    package.write("probing/jobs.py", JOBS.replace("_limited(1)", "_limited(2)"))
    package.write("probing/training.py", "def train(x):\n    return x\n")
    assert package.digest("show") == before
    package.write("report.py", "TITLE = 'Report'\n")
    assert package.digest("show") != before


@pytest.mark.parametrize("name", ["losses", "files.losses"])
def test_an_edit_of_plumbing_keeps_the_digest(package, monkeypatch, name):
    monkeypatch.setattr(provenance, "PLUMBING", {"sentflow.losses": "for this test"})
    package.write("files/losses.py", SOURCES["losses.py"])
    package.write(
        "probing/training.py", f"from sentflow.{name} import loss\n\n\ndef train(x):\n    return loss(x)\n"
    )
    before = package.digest()
    file = f"{name.replace('.', '/')}.py"
    package.write(file, SOURCES["losses.py"].replace("2", "3"))
    assert package.digest() == before


def test_a_module_that_is_imported_by_name_counts(package):
    package.write("named.py", "FACTOR = 2\n")
    before = provenance.code("probe", "sentflow.named")
    assert before != package.digest()
    package.write("named.py", "FACTOR = 3\n")
    assert provenance.code("probe", "sentflow.named") != before


def test_of_settings_only_those_that_a_job_uses_count(package):
    text = "from sentflow.losses import loss\n\n\nclass Fit:\n    epochs: int = 1\n\n\nclass Shown:\n    loss = loss\n"
    package.write("probing/settings.py", text)
    train = "from sentflow.probing.settings import Fit\n\n\ndef train(x):\n    return Fit\n"
    package.write("probing/training.py", train)
    before = package.digest()
    package.write("probing/settings.py", text.replace("loss = loss", "loss = None"))
    package.write("losses.py", SOURCES["losses.py"].replace("2", "3"))
    assert package.digest() == before
    package.write("probing/settings.py", text.replace("= 1", "= 2"))
    assert package.digest() != before


def test_a_package_that_is_named_counts_as_a_whole(package):
    package.write("shown/__init__.py", "")
    package.write("shown/table.py", "ROWS = 1\n")
    before = provenance.code("show", "sentflow.shown")
    assert before.split()[1:] == ["sentflow.shown"]
    package.write("shown/figure.py", "ROWS = 1\n")
    assert provenance.code("show", "sentflow.shown") != before


def test_files_that_code_reads_count_with_the_modules_beside_them_and_with_their_package(package):
    def digests():
        clear_caches()
        return [package.digest(), package.digest("show"), provenance.code("show", "sentflow.probing")]

    package.write("probing/__init__.py", "")
    package.write("probing/form.j2", "one")
    before = digests()
    package.write("probing/form.j2", "two")
    beside = digests()
    assert [one == other for one, other in zip(before, beside, strict=True)] == [False, True, False]
    package.write("probing/page/results.j2", "one")
    package.write("probing/.#train.py", "of an editor (")
    assert [one == other for one, other in zip(beside, digests(), strict=True)] == [True, True, False]


def test_a_user_without_a_home_keeps_no_facts(package, monkeypatch):
    """Such as that of a container."""
    before = package.digest()

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    source_facts._kept_file.cache_clear()
    package.write("losses.py", SOURCES["losses.py"].replace("2", "3"))
    assert package.digest() != before


def test_a_process_for_one_job_of_a_run_takes_the_digests_of_the_start(package, tmp_path):
    before = package.digest()
    provenance.write_sources(tmp_path / "sources.json")
    package.write("losses.py", SOURCES["losses.py"].replace("2", "3"))
    assert package.digest() != before
    clear_caches()
    provenance.use_sources(tmp_path / "sources.json")
    try:
        assert package.digest() == before
    finally:
        provenance._at_the_start.clear()


def test_what_only_plumbing_imports_computes_nothing():
    for module in job.MODULES:
        for name in job.names_in(module):
            found = {one for one in provenance.sources_of(name) if "/" not in one}
            for hidden in _behind_plumbing(found) - found:
                source = provenance._file(hidden.partition(":")[0]).read_text(encoding="utf-8")
                assert not re.search(
                    r"import (numpy|scipy|torch|pandas|sklearn)|from (numpy|scipy|torch)", source
                )


def _behind_plumbing(modules: set[str]) -> set[str]:
    imported = {one for module in modules for one in provenance.imports(module)}
    open_modules = [one for one in imported if provenance.is_plumbing(one)]
    seen, found = set(), set()
    while open_modules:
        module = open_modules.pop()
        if module not in seen:
            seen.add(module)
            behind = provenance.imports(module)
            open_modules += filter(provenance.is_plumbing, behind)
            found |= {one for one in behind if not provenance.is_plumbing(one)}
    return found


def test_an_edit_of_a_retriever_neither_cuts_nor_counts_terms_again():
    for name in ("analyse", "count_terms"):
        assert not [one for one in provenance.sources_of(name) if "retrievers" in one]
