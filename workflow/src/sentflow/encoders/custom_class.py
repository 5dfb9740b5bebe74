"""What the file of a user's own encoder says about itself, read without running it.

Standard library only: the Snakefile must know in every job which rules a model needs, and the file may import torch.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError, instead

ENCODE = "encode"
EMBED = "embed"
_LAZY = "lazy"


@dataclass(frozen=True)
class CustomClass:
    """A class of a user's file."""

    file: str  # path as written in the config
    name: str  # of the class
    # level: ``"encode"``: texts to vectors. ``"embed"``: the rows of a task to features.
    level: str
    lazy: bool  # whether it learns from the training part of each fold


def read_class(reference: str) -> CustomClass:
    """The class that ``path/to/file.py:ClassName`` means. ConfigError: there is none, or it lacks a method."""
    file, name = split_reference(reference)
    classes = {node.name: node for node in _tree(file).body if isinstance(node, ast.ClassDef)}
    if name not in classes:
        raise ConfigError(f"{file} defines no class {name!r}. {instead(name, sorted(classes))}")
    members = _members(classes[name], classes)
    if EMBED not in members and ENCODE not in members:
        raise ConfigError(
            f"the class {name} of {file} has neither encode nor embed. Write def encode(self, texts) for "
            "vectors of texts, or def embed(self, texts_a, texts_b, task, split) for features of rows; a "
            "method that is inherited from another file has to be written out, e.g. encode = Base.encode."
        )
    level = EMBED if EMBED in members else ENCODE
    lazy = _lazy(members.get(_LAZY), f"the class {name} of {file}")
    if lazy and level == ENCODE and "fit" not in members:
        raise ConfigError(
            f"the class {name} of {file} is lazy, but has no fit. Write def fit(self, texts), which is "
            "given the texts of the training part of each fold, or take lazy = True away."
        )
    return CustomClass(file=file, name=name, level=level, lazy=lazy)


def split_reference(reference: str) -> tuple[str, str]:
    """File and class of ``path/to/file.py:ClassName``. Raises ConfigError: it has another form."""
    file, colon, name = reference.rpartition(":")
    if not colon or not file.endswith(".py") or not name.isidentifier():
        raise ConfigError(f"{reference!r} does not name a class. Write path/to/file.py:ClassName.")
    return file, name


def code_files(file: str) -> list[str]:
    """A file and every file beside it that it imports, directly or through others; sorted after the first."""
    found: set[str] = set()
    open_files = [file]
    while open_files:
        current = open_files.pop()
        if current not in found:
            found.add(current)
            open_files += [str(path) for path in _imported_beside(current)]
    return [file, *sorted(found - {file})]


def own_files(entry: Mapping[str, Any]) -> list[str]:
    """Files of an entry of kind ``custom``: its code, what that imports beside it, and what ``files`` names."""
    file, _ = split_reference(entry["custom"])
    return list(dict.fromkeys([*code_files(file), *entry.get("files", [])]))


def argument_problems(reference: str, arguments: Mapping[str, Any]) -> list[str]:
    """Arguments that the class's own ``__init__`` does not take, and those that it needs and are not given."""
    file, name = split_reference(reference)
    classes = {node.name: node for node in _tree(file).body if isinstance(node, ast.ClassDef)}
    members = _members(classes[name], classes)
    init = members.get("__init__")
    if not isinstance(init, ast.FunctionDef):
        return []  # none, or one that this file does not show
    given = init.args
    positional = [arg.arg for arg in (*given.posonlyargs, *given.args)][1:]
    known = [*positional, *(arg.arg for arg in given.kwonlyargs)]
    required = positional[: len(positional) - len(given.defaults)]
    required += [
        arg.arg for arg, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None
    ]
    unknown = [] if given.kwarg else [key for key in arguments if key not in known]
    problems = [
        f"{key}: {name} of {file} takes no such argument. {instead(key, sorted(known))}" for key in unknown
    ]
    return problems + [
        f"{key}: {name} of {file} needs this argument. Write {key}: <value>."
        for key in required
        if key not in arguments
    ]


def _tree(file: str) -> ast.Module:
    try:
        source = Path(file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(
            f"there is no file {file} (searched for in {Path.cwd()}). Write its path relative to the folder "
            "in which you run, or an absolute one."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error
    try:
        return _parsed(source)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise ConfigError(
            f"{file}{f', line {line}' if line else ''}: {error.args[0]}. It is not valid Python."
        ) from error


@cache
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


def _members(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> dict[str, ast.AST]:
    """Name → definition of what a class holds, bases of the same file included."""
    members: dict[str, ast.AST] = {}
    for base in reversed(node.bases):
        if isinstance(base, ast.Name) and base.id in classes and base.id != node.name:
            members |= _members(classes[base.id], classes)
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            members[statement.name] = statement
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            members |= {target.id: statement.value for target in targets if isinstance(target, ast.Name)}
    return members


def _lazy(value: ast.AST | None, where: str) -> bool:
    if value is None:
        return False
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        return value.value
    raise ConfigError(
        f"lazy of {where} is neither True nor False. Write lazy = True or lazy = False in the class."
    )


def _imported_beside(file: str) -> Iterator[Path]:
    """Files in the same folder that a file imports: the first part of a dotted name is a module or a package there."""
    folder = Path(file).parent
    for node in ast.walk(_tree(file)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module]
        for name in names:
            top = name.partition(".")[0]
            if (folder / f"{top}.py").is_file():
                yield folder / f"{top}.py"
            elif (folder / top / "__init__.py").is_file():
                yield from sorted((folder / top).rglob("*.py"))
