from pathlib import Path

import pytest

from sentflow.graph import provenance, source_facts

CACHED = ("_facts", "_imports", "_source", "_public_version", "code")

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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("losses.py", SOURCES["losses.py"].replace("return", "# twice\n    return")),
        ("losses.py", SOURCES["losses.py"].replace("Losses", "Perdas").replace("Of x", "De x")),
        ("losses.py", SOURCES["losses.py"].replace("x * 2", "(\n        x\n        * 2\n    )")),
        ("report.py", "TITLE = 'Report'\n"),
        ("stats.py", "def unrelated(): ...\n"),
    ],
    ids=["comment", "docstring", "brackets", "unrelated", "new"],
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
        ("x = [[1], 2]\n", "x = [[1, 2]]\n"),
        ("f(a, g(b), c)\n", "f(a, g(b, c))\n"),
        ("x = a or (b or c)\n", "x = (a or b) or c\n"),
        ("x = 1\n", "x = True\n"),
        ("x = 'é'\n", "x = b'e'\n"),
        ("x = -1\n", "x = 1\n"),
        ("def f(a, /, b): ...\n", "def f(a, b, /): ...\n"),
        ("def f(*, a=None, b): ...\n", "def f(*, a, b=None): ...\n"),
        ("{**a, 'b': c}\n", "{'b': c, **a}\n"),
    ],
)
def test_programs_that_differ_have_other_digests(package, one, other):
    digests = []
    for text in (one, other):
        package.write("losses.py", SOURCES["losses.py"] + text)
        digests.append(package.digest())
    assert digests[0] != digests[1]


# --- versions


def test_versions_are_sorted_and_have_no_build_tag(monkeypatch):
    clear_caches()
    found = {"torch": "2.13.0+cpu", "numpy": "2.3.1"}
    monkeypatch.setattr(provenance, "library_version", found.__getitem__)
    assert provenance.versions("torch", "numpy") == "numpy=2.3.1 torch=2.13.0"
    clear_caches()


# --- what stands in no digest, and what is imported by name


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
