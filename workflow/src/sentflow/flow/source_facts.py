"""What the source of a module says: the digest of its code, what it imports, and what it defines.

To parse every module of the package takes seconds, and each job of a run asks anew. So facts are kept in the user's
cache folder by the checksum of the source, and are those of exactly that source, whatever dates and branches do.
"""

import ast
import hashlib
import json
import os
import re
import symtable
from collections.abc import Iterator
from contextlib import suppress
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sentflow.errors import SentflowError
from sentflow.files.io import write_json

_PACKAGE = ("sentflow.", "sentflow:")
_MOST_KEPT = 5000
# Fields that say where or how something is written, not what it does. `kind` is the u of u"text".
_IGNORED_FIELDS = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
_new: dict[str, Any] = {}


class Part(NamedTuple):
    """What a module defines under one name."""

    digest: str  # of its code
    imported: list[str]  # what of the package it uses or imports itself, as in `Facts`
    uses: list[str]  # other names of the module
    signature: list[tuple[str, list[str]]]  # of a function: each parameter, and the words of its annotation
    libraries: list[str]  # those that ``@job(…)`` names
    about: str  # the docstring of a function


class Facts(NamedTuple):
    """Of one module."""

    digest: str  # of its code
    imported: list[str]  # of the package: modules, and ``module:name`` for ``from module import name``
    parts: dict[str, Part]  # name → what it defines under it; empty where nobody asked

    @classmethod
    def of(cls, digest: str, imported: list[str], parts: dict[str, list[Any]]) -> "Facts":
        """Of what JSON holds."""
        return cls(digest, imported, {name: Part(*part) for name, part in parts.items()})


def facts_of(source: bytes, *, in_parts: bool) -> Facts:
    """Facts of the source of a module, read once; with `in_parts` also of what it defines under each name.

    Raises SyntaxError: it is no Python, such as a file that an editor has not finished.
    """
    key = f"{hashlib.sha256(source).hexdigest()}{'+' if in_parts else ''}"
    if known := _new.get(key) or _kept().get(key):
        return Facts.of(*known)
    tree = ast.parse(source)
    parts = _defined(tree, source.decode("utf-8")) if in_parts else {}
    facts = Facts(_digest(tree), sorted(_imported_names(tree)), parts)
    _new[key] = facts
    return facts


def remember() -> None:
    """Keep what was read, if there is something new and the folder can be written."""
    if _new:
        kept = list({**_kept(), **_new}.items())[-_MOST_KEPT:]
        with suppress(OSError, RuntimeError, SentflowError):  # there may be no home
            write_json(_kept_file(), dict(kept))
        _kept.cache_clear()
        _new.clear()


@cache
def _kept() -> dict[str, Any]:
    """Checksum of a source → its facts, as lists."""
    try:
        facts: dict[str, Any] = json.loads(_kept_file().read_bytes())
    except (OSError, ValueError, RuntimeError):
        return {}
    return facts


@cache
def _kept_file() -> Path:
    reader = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return folder / "sentflow" / f"source-facts-{reader}.json"


# --- imports ------------------------------------------------------------------------------------------------


def _imported_names(tree: ast.AST) -> set[str]:
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return {name for node in imports for name in _bound(node).values() if name.startswith(_PACKAGE)}


def _bound(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """Name that an import gives → what it is: a module, or ``module:name``."""
    if isinstance(node, ast.Import):
        return {alias.asname or alias.name.partition(".")[0]: alias.name for alias in node.names}
    return {alias.asname or alias.name: f"{node.module}:{alias.name}" for alias in node.names}


# --- what a module defines ----------------------------------------------------------------------------------


def _defined(tree: ast.Module, text: str) -> dict[str, Part]:
    """Name → what a module defines under it; what an import gives is of the parts that use it."""
    imports: dict[str, str] = {}
    nodes: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports |= _bound(node)
        for name in _names_of(node):
            nodes.setdefault(name, []).append(node)
    globals_of = _globals(text)
    parts = {}
    for name, defining in nodes.items():
        libraries = [library for node in defining for library in _libraries(node)]
        own = [_without_job(node) for node in defining]
        used = set().union(globals_of.get(name, ()), *map(_read, own)) - {name}
        given = {imports[one] for one in used & imports.keys() if imports[one].startswith(_PACKAGE)}
        imported = given.union(*map(_imported_names, own))
        digest = hashlib.sha256("".join(map(_digest, own)).encode()).hexdigest()
        used_here = sorted(used & nodes.keys())
        signature, about = [], ""
        if isinstance(function := own[0], ast.FunctionDef):
            signature, about = _annotations(function), ast.get_docstring(function) or ""
        parts[name] = Part(digest, sorted(imported), used_here, signature, libraries, about)
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


# --- the digest ---------------------------------------------------------------------------------------------


def _digest(tree: ast.AST) -> str:
    digest = hashlib.sha256()
    for token in _tokens(tree):
        digest.update(token.encode())
        digest.update(b"\0")
    return digest.hexdigest()


def _tokens(node: ast.AST) -> Iterator[str]:
    """The tree as text that is the same in every Python version: `ast.dump` is not."""
    yield type(node).__name__
    for field, value in ast.iter_fields(node):
        if field in _IGNORED_FIELDS or value is None or value == []:
            continue
        # a class may have keywords, too
        if field == "keywords" and isinstance(node, ast.Call) and ast.unparse(node.func) == "Field":
            value = [one for one in value if one.arg != "description"]
        yield field
        if field == "body" and isinstance(value, list):
            value = _without_texts(value)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                yield from _tokens(item)
            else:
                yield f"{type(item).__name__}:{item!r}"
    yield "end"  # else a statement after a block would look like the block's last one


def _without_texts(body: list[ast.AST]) -> list[ast.AST]:
    """Statements without docstrings, those below fields included."""
    return [
        one
        for one in body
        if not (
            isinstance(one, ast.Expr)
            and isinstance(one.value, ast.Constant)
            and isinstance(one.value.value, str)
        )
    ]
