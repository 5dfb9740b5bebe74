"""What a job depends on beside its input files: the digest of its code and the versions of its libraries.

Snakemake does not see imported code. Rules carry `code` and `versions` as params, so that an edit runs
exactly the rules again whose modules it touches, while comments, docstrings, formatting and file dates count
for nothing.
"""

import ast
import hashlib
import re
import symtable
from collections.abc import Iterator
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any

from sentflow.graph.source_facts import Facts, Part, facts_of, remember
from sentflow.jobs.job import MODULES, module_of
from sentflow.jobs.versions import library_version

_PACKAGE = "sentflow"
_ROOT = Path(__file__).parents[1]

# What can change no byte of a result stands in no digest, so that an edit there runs nothing again: whole folders, and
# modules of others, with the reason.
PLUMBING_FOLDERS = ("config", "flow", "files", "graph", "jobs")
PLUMBING = {
    "sentflow.errors": "what is said when a job fails, and writes nothing",
    "sentflow.encoders.kinds.service_keys": "which key may be sent where; the answer is the same",
    "sentflow.retrieval.settings": "reaches jobs as their params",
    "sentflow.training.recipes.settings": "reaches jobs as their params",
    "sentflow.training.settings": "reaches jobs as their params",
    "sentflow.encoders.kinds.table": "reaches jobs as their params: keys, libraries, digests of the modules it names",
}
# Fields that say where or how something is written, not what it does. `kind` is the u of u"text".
_IGNORED_FIELDS = frozenset({"ctx", "kind", "type_comment", "type_ignores"})


@cache
def code(job: str, *named: str) -> str:
    """16 hex digits that change when the code of a job, or of any project module that it imports, changes.

    Parameters
    ----------
    job
        Its name: the digest starts at its function and what that uses of its module.
    named
        Modules that it imports by name here, e.g. that of a kind of encoder.

    Raises
    ------
    ConfigError
        There is no such job.
    ModuleNotFoundError
        There is no such module in the package.
    """
    module, parts = _parts(job)
    found = {f"{module}:{name}": part.digest for name, part in parts.items()}
    found |= {name: _facts(name).digest for name in modules_of(job, *named)}
    remember()
    text = "".join(f"{name}\0{digest}\n" for name, digest in sorted(found.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def modules_of(job: str, *named: str) -> set[str]:
    """The modules in the digest of a job beside its own, see `code`."""
    imported = {name for part in _parts(job)[1].values() for name in part.imported}
    return imported_modules(*(name for name in imported if _source(name) is not None), *named)


def job_params(job: str, **settings: Any) -> dict[str, Any]:
    """The params of a rule: `settings`, and what its job depends on beside its files.

    That is ``code``, the digest of the job, and ``env``, versions of the libraries that its ``@job(…)`` names, if any.

    Raises
    ------
    ConfigError
        There is no such job.
    """
    libraries = _facts(module_of(job)).parts[job].libraries
    return {"code": code(job), **({"env": versions(*libraries)} if libraries else {}), **settings}


def signature(job: str) -> dict[str, list[str]]:
    """Parameter → words of its annotation, of the function of a job.

    Raises
    ------
    ConfigError
        There is no such job.
    """
    return dict(_facts(module_of(job)).parts[job].signature)


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
    """Modules and every project module that they import, directly or through others, but for plumbing."""
    for module in modules:
        if _source(module) is None:
            raise ModuleNotFoundError(f"there is no module {module}")
    found: set[str] = set()
    open_modules = list(modules)
    while open_modules:
        name = open_modules.pop()
        if name not in found and not _is_plumbing(name):
            found.add(name)
            open_modules.extend(_imports(name))
    return found


def _is_plumbing(module: str) -> bool:
    return module in PLUMBING or module.split(".")[1] in PLUMBING_FOLDERS


def _parts(job: str) -> tuple[str, dict[str, Part]]:
    """The module of a job; its function, and what that uses of the module, directly or through others."""
    module = module_of(job)
    there = _facts(module).parts
    found: dict[str, Part] = {}
    open_names = [job]
    while open_names:
        name = open_names.pop()
        if name in there and name not in found:
            found[name] = there[name]
            open_names.extend(there[name].uses)
    return module, found


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

    def find(tree: ast.Module) -> Facts:
        parts = _defined(tree, source.read_text(encoding="utf-8")) if module in MODULES else {}
        return Facts(_digest(tree), sorted(_imported_names(tree)), parts)

    return facts_of(source.read_bytes(), find)


def _imported_names(tree: ast.AST) -> set[str]:
    """Names below the package that are imported; some are of functions, not of modules."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update(*_bound(node).values())
    return names


def _bound(node: ast.Import | ast.ImportFrom) -> dict[str, list[str]]:
    """Name that an import gives → what it is below the package: a module, or a name in one."""
    if isinstance(node, ast.Import):
        found = {alias.asname or alias.name.partition(".")[0]: [alias.name] for alias in node.names}
    elif node.module and node.level == 0:
        found = {
            alias.asname or alias.name: [node.module, f"{node.module}.{alias.name}"] for alias in node.names
        }
    else:
        return {}
    return {name: [one for one in full if one.startswith(_PACKAGE + ".")] for name, full in found.items()}


def _defined(tree: ast.Module, text: str) -> dict[str, Part]:
    """What a module defines under each of its names; what an import gives is of the parts that use it."""
    given: dict[str, list[str]] = {}
    nodes: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            given |= _bound(node)
        for name in _names_of(node):
            nodes.setdefault(name, []).append(node)
    globals_of = _globals(text)
    parts = {}
    for name, defining in nodes.items():
        libraries = [library for node in defining for library in _libraries(node)]
        own = [_without_job(node) for node in defining]
        used = set().union(globals_of.get(name, ()), *map(_read, own)) - {name}
        imported = set().union(*map(_imported_names, own), *(given[one] for one in used & given.keys()))
        digest = hashlib.sha256("".join(map(_digest, own)).encode()).hexdigest()
        signature = _annotations(own[0]) if isinstance(own[0], ast.FunctionDef) else []
        parts[name] = Part(digest, sorted(imported), sorted(used & nodes.keys()), signature, libraries)
    return parts


def _names_of(node: ast.stmt) -> list[str]:
    """Names that a statement at the top of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]


def _libraries(node: ast.stmt) -> list[str]:
    """What the decorator of a job names."""
    calls = map(ast.unparse, node.decorator_list if isinstance(node, ast.FunctionDef) else [])
    return [name for call in calls if call.startswith("job(") for name in re.findall(r"'([^']+)'", call)]


def _without_job(node: ast.stmt) -> ast.stmt:
    """A function without ``@job(…)``, whose libraries are a param."""
    if not isinstance(node, ast.FunctionDef):
        return node
    node = copy(node)
    node.decorator_list = [one for one in node.decorator_list if not ast.unparse(one).startswith("job(")]
    return node


def _globals(text: str) -> dict[str, set[str]]:
    """Function or class of a module → names of the module that its body reads, in functions within it, too."""

    def read(table: symtable.SymbolTable) -> set[str]:
        own = {one.get_name() for one in table.get_symbols() if one.is_global()}
        return own.union(*map(read, table.get_children()))

    tables = symtable.symtable(text, "", "exec").get_children()
    return {table.get_name(): read(table) for table in tables}


def _read(node: ast.stmt) -> set[str]:
    """Names that a statement reads at the top of its module; of a function, those before its body."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        node = copy(node)
        node.body = []
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def _annotations(function: ast.FunctionDef) -> list[tuple[str, list[str]]]:
    arguments = (*function.args.args, *function.args.kwonlyargs)
    return [(one.arg, re.findall(r"\w+", ast.unparse(one.annotation))) for one in arguments if one.annotation]


def _digest(tree: ast.AST) -> str:
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
        if field == "keywords" and ast.unparse(node.func) == "Field":  # type: ignore[attr-defined]
            value = [one for one in value if one.arg != "description"]
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
