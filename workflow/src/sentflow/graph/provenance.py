"""What a job depends on beside its input files: the digest of its code and the versions of its libraries.

Snakemake does not see imported code. Rules carry `code` and `versions` as params, so that an edit runs
exactly the rules again whose modules it touches, while comments, docstrings, formatting and file dates count
for nothing.
"""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from sentflow.graph.source_facts import Facts, facts_of, remember
from sentflow.jobs.versions import library_version

_PACKAGE = "sentflow"
_ROOT = Path(__file__).parents[1]

# Modules that can change no byte of a result, with the reason. They stand in no digest, so that an edit there runs
# nothing again. None of them imports a library that computes, or a module that is not here but for
# `sentflow.files.control_characters`, which counts where tables hold what it shows (tests/unit/test_provenance.py).
PLUMBING = {
    "sentflow.errors": "what is said when a job fails, and writes nothing",
    "sentflow.jobs.lifeline": "ends a job whose Snakemake is gone",
    "sentflow.jobs.long_commands": "how the words of a command reach it, not which",
    "sentflow.jobs.log": "what a log says, and the exit code",
    "sentflow.jobs.secrecy": "hides secrets in messages; a configuration that holds any is refused",
    "sentflow.files.atomic": "gives a finished file its name; what is in it was written by others",
    "sentflow.files.limits": "how much is too much: a job goes on as ever, or ends",
    "sentflow.encoders.kinds.service_keys": "which key may be sent where; the answer is the same",
    "sentflow.graph.products": "which module makes a table, figure or check: jobs have the digest of that module",
    "sentflow.training.recipes.settings": "reaches jobs as their params",
    "sentflow.training.recipes.table": "reaches jobs as their params: settings, libraries, digests of modules",
    "sentflow.training.options.table": "likewise",
    "sentflow.encoders.kinds.table": "reaches jobs as their params: keys, libraries, digests of the modules it names",
}
# What a setting may be; what it is reaches jobs as a param
_SETTINGS = f"{_PACKAGE}.config"
# Fields that say where or how something is written, not what it does. `kind` is the u of u"text".
_IGNORED_FIELDS = frozenset({"ctx", "kind", "type_comment", "type_ignores"})


@cache
def code(module: str, *named: str) -> str:
    """16 hex digits that change when the code of a module or of any project module it imports changes.

    Parameters
    ----------
    module
        Dotted name, e.g. ``"sentflow.commands.probe"``.
    named
        Modules that it imports by name in this job, e.g. that of a kind of encoder.

    Raises
    ------
    ModuleNotFoundError
        There is no such module in the package.
    """
    digest = hashlib.sha256()
    for name in sorted(imported_modules(module, *named)):
        digest.update(f"{name}\0{_facts(name).digest}\n".encode())
    remember()
    return digest.hexdigest()[:16]


def files(*names: str) -> str:
    """16 hex digits of the bytes of files of the package that code reads: names, or patterns such as ``"a/*.yaml"``.

    Raises
    ------
    FileNotFoundError
        A name or pattern has no file.
    """
    digest = hashlib.sha256()
    for name in names:
        found = sorted(_ROOT.glob(name))
        if not found:
            raise FileNotFoundError(f"there is no file {name} in the package")
        for file in found:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def versions(*distributions: str) -> str:
    """Versions of libraries that can change a job's numbers, without build tags, e.g. ``torch=2.13.0``."""
    return " ".join(f"{name}={_public_version(name)}" for name in sorted(distributions))


def imported_modules(*modules: str) -> set[str]:
    """Modules and every project module that they import, directly or through others, but for `PLUMBING`."""
    for module in modules:
        if _source(module) is None:
            raise ModuleNotFoundError(f"there is no module {module}")
    found: set[str] = set()
    open_modules = list(modules)
    while open_modules:
        name = open_modules.pop()
        if name not in found and name not in PLUMBING and not name.startswith(_SETTINGS):
            found.add(name)
            open_modules.extend(_imports(name))
    return found


@cache
def _public_version(distribution: str) -> str:
    return library_version(distribution).partition("+")[0]


@cache
def _imports(module: str) -> frozenset[str]:
    """Project modules that a module imports anywhere, inside functions too."""
    return frozenset(name for name in _facts(module).imported if _source(name) is not None)


@cache
def _facts(module: str) -> Facts:
    source = _source(module)
    assert source is not None
    return facts_of(source.read_bytes(), lambda tree: Facts(_digest(tree), _imported_names(tree)))


def _imported_names(tree: ast.Module) -> list[str]:
    """Names below the package that are imported; some are of functions, not of modules."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)  # a name may be a module
    return sorted(name for name in names if name.startswith(_PACKAGE + "."))


def _digest(tree: ast.Module) -> str:
    digest = hashlib.sha256()
    for token in _tokens(tree):
        digest.update(token.encode())
        digest.update(b"\0")
    return digest.hexdigest()


@cache
def _source(module: str) -> Path | None:
    path = _ROOT.joinpath(*module.split(".")[1:])
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _tokens(node: ast.AST) -> Iterator[str]:
    """The tree as text that is the same in every Python version: `ast.dump` is not."""
    yield type(node).__name__
    for field, value in ast.iter_fields(node):
        if field in _IGNORED_FIELDS or value is None or value == []:
            continue
        yield field
        if field == "body" and isinstance(value, list):
            value = _without_docstring(value)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                yield from _tokens(item)
            else:
                yield f"{type(item).__name__}:{item!r}"
    yield "end"  # else a statement after a block would look like the block's last one


def _without_docstring(body: list[ast.AST]) -> list[ast.AST]:
    first = body[0]
    is_text = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    return body[1:] if is_text else body
