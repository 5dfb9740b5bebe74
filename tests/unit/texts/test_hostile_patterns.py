"""Regular expressions need time in proportion to the text, whoever wrote it."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sentflow
from sentflow.texts.sources import quoted

SECONDS = 60  # of the processor, for all patterns; one that is quadratic needs about as long for one text
PROGRAM = r"""
import itertools, json, re, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[1]),) * 2)
for where, pattern, flags, once in json.load(sys.stdin):
    print(where, ascii(pattern), flush=True)
    compiled = re.compile(pattern, flags)
    signs = sorted({sign for sign in pattern if not sign.isalnum() and sign not in "?*+^$|"} | set(" \n1a'"))
    start = re.match(r"[\w .:/@<'-]*", re.sub(r"^(?:[(][?]\w+[)]|[\^])+", "", pattern))[0]
    texts = [first + sign * 100_000 + end for first in {"", start} for sign in signs for end in ("", "!")]
    texts += [(one + other) * 50_000 for one, other in itertools.product("\\", signs)]
    texts += [start + " a" + " " * 50_000 + " \n" * 25_000, start * 20_000]
    for text in texts:
        compiled.match(text) if once else sum(1 for _ in compiled.finditer(text))
"""


def patterns() -> Iterator[tuple[str, str, int, bool]]:
    """Place, text and flags of all patterns of the package, and whether they are tried at one place of a text only."""
    for file in Path(sentflow.__path__[0]).rglob("*.py"):
        source = file.read_text(encoding="utf-8")
        names: dict[ast.AST, str] = {}
        for node in ast.walk(ast.parse(source)):  # a statement comes before its parts
            match node:
                case ast.Assign([ast.Name(name)], value):
                    names[value] = name
                case ast.Call(
                    ast.Attribute(ast.Name("re"), used), [ast.Constant(str(text)), *rest], keywords
                ):
                    others = map(ast.unparse, [*rest, *(keyword.value for keyword in keywords)])
                    flags = sum(int(eval(one, {"re": re})) for one in others if re.match("re[.][A-Z]", one))  # noqa: S307
                    uses = re.findall(rf"\b{names[node]}\.(\w+)\(", source) if node in names else [used]
                    once = bool(uses) and set(uses) <= {"match", "fullmatch"}
                    yield f"{file.name}:{node.lineno}", text, flags, once


@pytest.mark.skipif(sys.platform == "win32", reason="time is limited by POSIX")
def test_no_pattern_takes_more_than_linear_time():
    found = list(patterns())
    assert len(found) > 80
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(SECONDS)], input=json.dumps(found), capture_output=True, text=True
    )
    assert done.returncode == 0, f"the time ended at {done.stdout.splitlines()[-1:]} {done.stderr}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"['a\'b' \"c\"]".replace(r"\"", '"'), [r"a\'b", "c"]),
        ('it\'s "a" "b', ["a"]),
        ("'" + r"\'" * 50_000, []),
        ("''", [""]),
    ],
)
def test_texts_in_quotes(text, expected):
    assert quoted(text) == expected
