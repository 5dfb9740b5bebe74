"""Why a result differs between two runs: the first thing in the chain that led to it that differs, too.

The chain is that of the pipeline: data, settings, vectors, then the code, the libraries and the processor that made a
result from these. What comes first is named; it need not be all.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from sentflow.runs.folder import ResultsFolder, changed

STAGES = ("data", "settings", "vectors", "code", "library", "processor", "unknown")
# Titles, names of tables, and what else is run: no number of a result depends on them.
_WITHOUT_EFFECT = ("experiment.", "report.", "select.", "mirrors.", "limits.")
# Counted or found, not set
_FOUND = ("n_", "dimension", "epochs", "intervals.", "drawn.", "warnings.")
_ROWS_AT_A_TIME = 4096


class Cause(NamedTuple):
    """The first thing that differs."""

    stage: str  # one of `STAGES`
    what: str  # in words, with both sides where these are short


class Chain:
    """What two runs were made from."""

    def __init__(self, a: ResultsFolder, b: ResultsFolder) -> None:
        self._a, self._b = a, b
        self._records = a.versions(), b.versions()
        self.settings = _both(a.settings(), b.settings())
        self.versions = _both(*self._records)
        self.data = {name: sides for name, sides in changed(a.data(), b.data()).items() if None not in sides}
        self._vectors_a, self._vectors_b = a.vectors(), b.vectors()

    def cause(self, name: str, about: Mapping[str, tuple[Any, Any]]) -> Cause:
        """The first cause of a difference between two results, which say that `about` differs."""
        return next(self._causes(name, about))

    def _causes(self, name: str, about: Mapping[str, tuple[Any, Any]]) -> Iterator[Cause]:
        result = self._a.results[name]
        # a retriever's encoder is not in its file, so it may be any
        every = {vectors.partition("/")[0] for vectors in self._vectors_a}
        encoders = every if name.startswith("retrieval/") else {result.encoder}
        of_both = sorted(self._vectors_a.keys() & self._vectors_b.keys())
        collections = [vectors for vectors in of_both if vectors.partition("/")[0] in encoders]
        texts = {f"texts/{vectors.partition('/')[2]}" for vectors in collections}
        # tables that the result names; for others, the texts that its encoder read
        words = result.words | self._b.results[name].words
        named = [table for table in self.data if table.partition("/")[2] in words]
        if read := named or [table for table in self.data if table in texts]:
            yield Cause("data", f"{_first_three(read)}: another table")
        if own := {key: sides for key, sides in about.items() if not key.startswith(_FOUND)}:
            yield Cause("settings", _sides(own))
        of_runs = self.settings.items()
        if settings := {key: sides for key, sides in of_runs if not key.startswith(_WITHOUT_EFFECT)}:
            yield Cause("settings", _sides(settings))
        yield from filter(None, map(self._of_vectors, collections))
        of_stages: dict[str, dict[str, tuple[Any, Any]]] = {"code": {}, "library": {}, "processor": {}}
        for key, sides in self.versions.items():
            stage = "processor" if key in ("processor", "platform") else "library"
            of_stages["code" if key.startswith("git.") else stage][key.removeprefix("libraries.")] = sides
        for stage, differing in of_stages.items():
            if differing:
                yield Cause(stage, _sides(differing))
            elif stage == "code" and any((record or {}).get("git.dirty") for record in self._records):
                yield Cause(stage, "the same commit, with changes that are not in it")
        if None in self._records:
            yield Cause(
                "unknown",
                "data, settings and vectors are the same; code, libraries and processor are known where the record "
                "is: snakemake results/record/versions.json in both folders",
            )
        yield Cause("unknown", "data, settings, vectors, code, libraries and processor are the same")

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


def first_of(causes: Iterable[Cause | None]) -> Cause | None:
    """The first in the chain, of the causes of all results; None without any."""
    return min(filter(None, causes), key=lambda cause: STAGES.index(cause.stage), default=None)


def _both(a: dict[str, Any] | None, b: dict[str, Any] | None) -> dict[str, tuple[Any, Any]]:
    """What differs; nothing where a side has no record."""
    return {} if a is None or b is None else changed(a, b)


def _sides(differing: Mapping[str, tuple[Any, Any]]) -> str:
    return _first_three([f"{key} {a} → {b}" for key, (a, b) in differing.items()])


def _first_three(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
