"""Do the tests notice a wrong line? Draws executable lines of the package, changes one at a time and runs tests.

    python tests/nightly/mutations.py list                    the drawn changes, numbered
    python tests/nightly/mutations.py run 4 tests/unit/stats  change number 4, run pytest with these arguments, restore

`run` prints the first test that failed, or "survived", and ends with 1 where the change survived. Choose tests that
pass without it. Lines are drawn by a seed, a package at a time, so that small packages have their share; another state
of the code gives other draws.
"""

import argparse
import ast
import contextlib
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "workflow" / "src" / "sentflow"
SECONDS = 1800  # beyond it a change has made something endless, which is noticed too
_PAIRS = (
    *((ast.Lt, ast.GtE), (ast.Gt, ast.LtE), (ast.Eq, ast.NotEq)),
    *((ast.In, ast.NotIn), (ast.Is, ast.IsNot)),
)
OPPOSITE = dict(_PAIRS) | {other: one for one, other in _PAIRS}


@dataclass(frozen=True)
class Mutation:
    """A change of one expression: where it stands, what it says now, and what is written instead."""

    file: Path
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(PACKAGE)}:{self.line}: {self.old}  →  {self.new}"


def drawn(n: int, seed: int) -> list[Mutation]:
    """Draw n changes: package, file and expression, each uniformly."""
    rng = random.Random(seed)
    packages: dict[str, list[Path]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        if any(mutations(file)):
            packages.setdefault(file.relative_to(PACKAGE).parts[0], []).append(file)
    found: list[Mutation] = []
    while len(found) < n:
        for package in rng.sample(sorted(packages), len(packages)):
            found.append(rng.choice(list(mutations(rng.choice(packages[package])))))
    return found[:n]


def mutations(file: Path) -> Iterator[Mutation]:
    """Every change of a file that is considered: expressions on one line, outside annotations and messages."""
    text = file.read_text(encoding="utf-8")
    offsets = [0]
    for line in text.encode().splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    for node in _executed(ast.parse(text)):
        new = _changed(node)
        if new is not None and node.lineno == node.end_lineno:
            start, end = (
                offsets[node.lineno - 1] + node.col_offset,
                offsets[node.lineno - 1] + node.end_col_offset,
            )
            yield Mutation(file, node.lineno, start, end, ast.unparse(node), f"({ast.unparse(new)})")


def _executed(node: ast.AST) -> Iterator[ast.expr]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "format_spec") or isinstance(
            value, ast.JoinedStr
        ):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.expr):
                yield child
            if isinstance(child, ast.AST):
                yield from _executed(child)


def _changed(node: ast.expr) -> ast.expr | None:
    match node:
        case ast.Compare(ops=[operator]):
            return ast.Compare(node.left, [OPPOSITE[type(operator)]()], node.comparators)
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
            return node.left
        case ast.BoolOp(op=operator):
            return ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not()):
            return node.operand
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return ast.Constant(value + 1)
    return None


@contextlib.contextmanager
def applied(mutation: Mutation) -> Iterator[None]:
    """The file with the change, restored afterwards, also where this process is asked to end."""
    before = mutation.file.read_bytes()
    now = ast.parse(before[mutation.start : mutation.end].decode(), mode="eval")
    assert ast.unparse(now) == mutation.old, mutation
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    mutation.file.write_bytes(before[: mutation.start] + mutation.new.encode() + before[mutation.end :])
    try:
        yield
    finally:
        mutation.file.write_bytes(before)


def noticed(command: list[str]) -> str:
    """What pytest says of its first failure; empty where all tests passed."""
    try:
        done = subprocess.run(
            command, cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"not done after {SECONDS} seconds"
    said = done.stdout + done.stderr
    if done.returncode == 0 and " passed" in said:
        return ""
    failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if not failed and done.returncode not in (1, 2, 3) and "conftest" not in said:
        raise SystemExit(f"no tests ran:\n{said[-2000:]}")
    return failed[0] if failed else said[-300:]


def main() -> int:
    """List the changes, or run tests with one of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("action", choices=["list", "run"])
    parser.add_argument("number", nargs="?", type=int, default=1)
    parser.add_argument("--n", type=int, default=30)
    parser.add_argument("--seed", type=int, default=42)
    args, pytest_arguments = parser.parse_known_args()
    chosen = drawn(args.n, args.seed)
    if args.action == "list":
        sys.stdout.writelines(f"{number:3} {mutation}\n" for number, mutation in enumerate(chosen, 1))
        return 0
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *pytest_arguments]
    with applied(chosen[args.number - 1]):
        failure = noticed(command)
    sys.stdout.write(f"{args.number:3} {chosen[args.number - 1]}\n    {failure or 'survived'}\n")
    return int(not failure)


if __name__ == "__main__":
    sys.exit(main())
