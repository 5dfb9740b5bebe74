"""Why a result differs between two runs: the first thing in the chain that led to it that differs, too.

The chain is that of the pipeline: data, settings, vectors, then the code, the libraries and the processor that made a
result from these. What comes first is named; it need not be all.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentflow.runs.differences import ResultDifference, changed
from sentflow.runs.folder import Result, ResultsFolder

STAGES = ("data", "settings", "vectors", "code", "library", "processor", "unknown")
# Titles, names of tables, and what else is run: no number of a result depends on them.
_WITHOUT_EFFECT = ("experiment.", "report.", "select.", "mirrors.", "limits.")
# Counted or found, not set
_FOUND = ("n_", "dimension", "epochs", "intervals.", "drawn.", "warnings.")
_ROWS_AT_A_TIME = 4096


@dataclass(frozen=True)
class Cause:
    """The first thing that differs."""

    stage: str  # one of `STAGES`
    what: str  # in words, with both sides where these are short


class Chain:
    """What two runs were made from."""

    def __init__(self, a: ResultsFolder, b: ResultsFolder) -> None:
        self._a, self._b = a, b
        self.settings = _both(a.settings(), b.settings())
        self.versions = _both(a.versions(), b.versions())
        self.data = {name: sides for name, sides in changed(a.data(), b.data()).items() if None not in sides}
        self._vectors_a, self._vectors_b = a.vectors(), b.vectors()

    def cause(self, difference: ResultDifference) -> Cause:
        """The first cause of a difference between two results."""
        return next(self._causes(difference), Cause("unknown", self._nothing_found()))

    def _causes(self, difference: ResultDifference) -> Iterator[Cause]:
        result = self._a.results[difference.name]
        encoders = self._encoders(result)
        collections = [
            name
            for name in sorted(self._vectors_a.keys() & self._vectors_b.keys())
            if name.partition("/")[0] in encoders
        ]
        texts = {f"texts/{name.partition('/')[2]}" for name in collections}
        # tables that the result names; for others, the texts that its encoder read
        words = result.words | self._b.results[difference.name].words
        named = [name for name in self.data if name.partition("/")[2] in words]
        if read := named or [name for name in self.data if name in texts]:
            yield Cause("data", f"{_listed(read)}: another table")
        if own := {key: sides for key, sides in difference.about.items() if not key.startswith(_FOUND)}:
            yield Cause("settings", _sides(own))
        if settings := {
            key: sides for key, sides in self.settings.items() if not key.startswith(_WITHOUT_EFFECT)
        }:
            yield Cause("settings", _sides(settings))
        yield from filter(None, map(self._of_vectors, collections))
        yield from self._of_versions()

    def _of_versions(self) -> Iterator[Cause]:
        code = {key: sides for key, sides in self.versions.items() if key.startswith("git.")}
        if code:
            yield Cause("code", _sides(code))
        elif self._is_dirty():
            yield Cause("code", "the same commit, with changes that are not in it")
        if libraries := {
            k: v for k, v in self.versions.items() if k.startswith("libraries.") or k == "python"
        }:
            yield Cause("library", _sides({k.removeprefix("libraries."): v for k, v in libraries.items()}))
        if machine := {k: v for k, v in self.versions.items() if k in ("processor", "platform")}:
            yield Cause("processor", _sides(machine))

    def _of_vectors(self, name: str) -> Cause | None:
        """Why vectors differ; None where they are the same."""
        a, b = self._vectors_a[name], self._vectors_b[name]
        if a.about.get("sha256") == b.about.get("sha256"):
            return None
        differing = changed(a.about, b.about)
        if "text_order_sha256" in differing:
            return Cause("data", f"texts of {name}: other texts, or in another order")
        own = {key: sides for key, sides in differing.items() if not key.endswith("sha256")}
        if own:
            return Cause("settings", f"vectors of {name}: {_sides(own)}")
        if "files_sha256" in differing:
            return Cause("vectors", f"{name}: the encoder's files differ")
        made = changed(a.versions, b.versions)
        by = f"made by {_sides(made)}" if made else "from the same texts, files, settings and libraries"
        return Cause("vectors", f"{name}: {by}{self._farthest(name)}")

    def _farthest(self, name: str) -> str:
        a, b = self._a.array(name), self._b.array(name)
        if a is None or b is None or a.shape != b.shape:
            return ""
        starts = range(0, len(a), _ROWS_AT_A_TIME)
        parts = ((a[start : start + _ROWS_AT_A_TIME], b[start : start + _ROWS_AT_A_TIME]) for start in starts)
        most = max((float(np.max(np.abs(one - other))) for one, other in parts), default=0.0)
        return f"; values differ by {most:.1g} at most"

    def _encoders(self, result: Result) -> set[str]:
        """Encoders that a result depends on; a retriever's is not in its file, so all of them."""
        if result.name.startswith("retrieval/"):
            return {name.partition("/")[0] for name in self._vectors_a}
        return {result.encoder}

    def _is_dirty(self) -> bool:
        return any((folder.versions() or {}).get("git.dirty") for folder in (self._a, self._b))

    def _nothing_found(self) -> str:
        if self._a.versions() is None or self._b.versions() is None:
            return (
                "data, settings and vectors are the same; code, libraries and processor are known where the record is: "
                "snakemake results/record/versions.json in both folders"
            )
        return "data, settings, vectors, code, libraries and processor are the same"


def first_of(causes: Mapping[str, Cause]) -> Cause | None:
    """The first in the chain, of the causes of all results; None without any."""
    return min(causes.values(), key=lambda cause: STAGES.index(cause.stage), default=None)


def _both(a: dict[str, Any] | None, b: dict[str, Any] | None) -> dict[str, tuple[Any, Any]]:
    """What differs; nothing where a side has no record."""
    return {} if a is None or b is None else changed(a, b)


def _sides(differing: Mapping[str, tuple[Any, Any]], most: int = 3) -> str:
    shown = [f"{key} {a} → {b}" for key, (a, b) in list(differing.items())[:most]]
    more = [f"and {len(differing) - most} more"] if len(differing) > most else []
    return ", ".join(shown + more)


def _listed(names: list[str], most: int = 3) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
