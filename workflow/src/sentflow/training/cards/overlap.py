"""How many texts of test sets are also training texts: what a model card reads of the audit of training data.

Of its file ``audit/training/{data}.json`` these keys are read: ``data``; ``n_texts``, distinct training texts;
``threshold``, the similarity from which a text is nearly another; ``tests``, a list of maps with ``kind``, ``name`` and
``texts``, a map with ``n`` (distinct texts of the test), ``copies`` (how many of them are training texts) and ``near``
(how many more nearly are).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.sealed import read_sealed


@dataclass(frozen=True)
class OverlapOfTest:
    """Of one test set."""

    # kind, name: say ``"pair set"``, and the set
    kind: str
    name: str
    n_texts: int  # its distinct texts
    # copies, near: how many of them are training texts; how many more are near-duplicates of one
    copies: int
    near: int


@dataclass(frozen=True)
class Overlap:
    """Of training data with every test set."""

    data: str
    n_texts: int
    threshold: float
    tests: tuple[OverlapOfTest, ...]

    @classmethod
    def read(cls, path: Path) -> "Overlap":
        """From the file of the audit. Raises DataError: it is missing or does not hold what is read; names the key."""
        found = read_sealed(path)
        try:
            tests = tuple(_of_test(one) for one in found["tests"])
            return cls(str(found["data"]), int(found["n_texts"]), float(found["threshold"]), tests)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"{path} is no audit of training data ({type(error).__name__}: {error}). Delete it and run "
                "snakemake again."
            ) from error


def _of_test(found: Mapping[str, Any]) -> OverlapOfTest:
    texts = found["texts"]
    return OverlapOfTest(
        str(found["kind"]), str(found["name"]), int(texts["n"]), int(texts["copies"]), int(texts["near"])
    )
