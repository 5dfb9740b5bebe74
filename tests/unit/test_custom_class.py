"""What is read from the file of an own encoder before anything runs."""

import re
from pathlib import Path

import pytest

from sentflow.config.problems.encoders import custom_problems
from sentflow.encoders.custom_class import CustomClass, code_files, read_class
from sentflow.encoders.entries import custom_files, is_featuriser, is_lazy
from sentflow.errors import ConfigError

ENCODER = "class Mine:\n    def encode(self, texts): ...\n"
LAZY = "class Mine:\n    lazy = True\n    def fit(self, texts): ...\n    def encode(self, texts): ...\n"
FEATURISER = "class Mine:\n    def embed(self, texts_a, texts_b, task, split): ...\n"
LAZY_FEATURISER = f"{FEATURISER}    lazy: bool = True\n"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file into the working folder."""
    monkeypatch.chdir(tmp_path)

    def written(source: str, name: str = "mine.py") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(source, encoding="utf-8")
        return path

    return written


@pytest.mark.parametrize(
    ("source", "level", "lazy"),
    [
        (ENCODER, "encode", False),
        (LAZY, "encode", True),
        (FEATURISER, "embed", False),
        (LAZY_FEATURISER, "embed", True),
        # a featuriser may have encode as well; a later file may not run at all: it is only read
        (f"import nothing_of_this_name\n{ENCODER}    embed = encode\n", "embed", False),
        (LAZY.replace("Mine:", "Base:") + ENCODER.replace("Mine:", "Mine(Base):"), "encode", True),
    ]
)  # fmt: skip
def test_level_and_laziness_are_read_from_the_source(write, source, level, lazy):
    write(source)
    assert read_class("mine.py:Mine") == CustomClass("mine.py", "Mine", level, lazy)
    entry = {"kind": "custom", "custom": "mine.py:Mine"}
    assert is_lazy(entry) is lazy
    assert is_featuriser(entry) is (level == "embed" and not lazy)
    assert custom_problems("m", entry) == []


@pytest.mark.parametrize(
    ("source", "reference", "message"),
    [
        (ENCODER, "yours.py:Mine", r"there is no file yours\.py \(searched for in .*relative to the folder"),
        (ENCODER, "mine.py:Mein", r"mine\.py defines no class 'Mein'\. Did you mean Mine\?"),
        ("class Mine:\n  def f(:\n", "mine.py:Mine", r"mine\.py, line 2: .*not valid Python"),
        ("class Mine:\n    pass\n", "mine.py:Mine", r"Mine of mine\.py has neither encode nor embed\. Write"),
        (LAZY.replace("fit", "learn"), "mine.py:Mine", r"is lazy, but has no fit\. Write def fit"),
        (ENCODER, "mine.py", r"'mine\.py' does not name a class\. Write path/to/file\.py:ClassName"),
    ],
)
def test_what_is_wrong_is_told_with_what_to_write(write, source, reference, message):
    write(source)
    with pytest.raises(ConfigError, match=message):
        read_class(reference)
    (problem,) = custom_problems("m", {"kind": "custom", "custom": reference})
    assert problem.startswith("models.m.custom: ") and re.search(message, problem)


def test_code_beside_the_file_counts_and_no_other(write):
    write("import numpy as np, helpers\nfrom parts.a import f\n" + ENCODER)
    write("def g():\n    import deeper\n", "helpers.py")
    write("import helpers\n", "deeper.py")
    write("", "unused.py")
    write("", "parts/__init__.py")
    write("", "parts/a.py")
    expected = ["mine.py", "deeper.py", "helpers.py", "parts/__init__.py", "parts/a.py"]
    assert code_files("mine.py") == expected
    write("", "weights.npy")
    entry = {"kind": "custom", "custom": "mine.py:Mine", "files": ["weights.npy", "helpers.py"]}
    assert custom_files(entry) == [*expected, "weights.npy"]
    assert custom_files({"kind": "random"}) == []
    (Path("weights.npy")).unlink()
    assert "models.m.files: there is no file weights.npy" in custom_problems("m", entry)[0]
