"""What a results folder says of itself: its results as numbers, and what they were made from."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import parse_json, read_json, read_sealed, refuse_edited
from sentflow.files.parquet import read_parquet
from sentflow.files.rows import read_rows
from sentflow.files.settings_files import read_settings
from sentflow.flow import paths

# Folders of results: files of one encoder, retriever … on one thing each, with all their numbers.
KINDS = ("scores", "similarity", "regressions", "alignments", "geometry", "retrieval")
# What a reader calls the score of a file, if it has it.
HEADLINES = (
    *("mean", "scores.cosine.all.spearman", "scores.overlap.all.spearman", "pearson", "alignment"),
    "measures.nDCG@10.mean",
)
# A digest is that of a whole file, which may differ by a last bit; curves are no scores.
_SHA = re.compile(r"[0-9a-f]{64}")
_CURVE = "per_epoch"
# Said again in other words, beside the settings themselves
_REPEATED = "not_comparable."
_FOLD = ("kfold_repetition", "kfold_partition")
_FOLD_SCORE = "metric_test"

Leaves = dict[str, Any]
Fold = tuple[int, int]


@dataclass(frozen=True)
class Result:
    """One file of results."""

    name: str  # ``kind/what/who``, e.g. ``scores/T1B-sample/tfidf``
    numbers: Mapping[str, float | None]  # measured: name of a value → the value; None where it is undefined
    about: Mapping[str, Any]  # everything else in the file, such as protocol, seed and number of rows

    @property
    def encoder(self) -> str:
        """Who was measured; a retriever too."""
        return self.name.rpartition("/")[2]

    @property
    def task(self) -> str:
        """On what: a task, pair set, question set …"""
        return self.name.split("/")[1]

    @property
    def words(self) -> set[str]:
        """Names in it, among which are those of the data that were read."""
        return {*self.name.split("/"), *(value for value in self.about.values() if isinstance(value, str))}

    @property
    def headline(self) -> str:
        """The value that a reader calls the score; empty if it has none of those names."""
        return next((key for key in HEADLINES if key in self.numbers), "")

    @property
    def score(self) -> float | None:
        """The value of `headline`."""
        return self.numbers.get(self.headline)


class Vectors(NamedTuple):
    """What the files beside an array of vectors say."""

    about: Mapping[str, Any]  # texts, files of the encoder, settings, and the digest of the array
    versions: Mapping[str, str]  # libraries that made them


class ResultsFolder:
    """The results of a run."""

    def __init__(self, path: Path) -> None:
        inside = path / paths.RESULTS
        self.path = inside if inside.is_dir() else path
        self.results = {result.name: result for result in self._results()}
        if not self.results:
            raise DataError(
                f"{path} has no results: none of the folders {', '.join(KINDS)} holds a file. Write the path of a "
                "results folder, or of the folder that holds one."
            )

    def settings(self) -> Leaves | None:
        """The effective configuration of the last run, key by key; None without a record."""
        file = self._file(paths.RECORD_CONFIG)
        try:
            return leaves(read_settings(file)) if file.is_file() else None
        except ConfigError as error:
            raise DataError(str(error)) from error

    def versions(self) -> Leaves | None:
        """Code, libraries and processor of the last run, key by key; None without a record."""
        file = self._file(paths.RECORD_VERSIONS)
        return leaves(read_json(file)) if file.is_file() else None

    def data(self) -> dict[str, str]:
        """Kind and name of a table, e.g. ``tasks/T1B-sample`` → its SHA-256."""
        folder = self.path / "data"
        found = {}
        for file in sorted(folder.rglob("*.json")):
            content = _json(file)
            if isinstance(content, dict) and content.keys() >= {"file", "sha256"}:
                found[file.relative_to(folder).with_suffix("").as_posix()] = str(content["sha256"])
        return found

    def vectors(self) -> dict[str, Vectors]:
        """``encoder/collection`` → what its vectors are."""
        folder = self.path / "embeddings"
        found = {}
        for file in sorted(folder.rglob("*.json")):
            content = _json(file)
            if not file.name.endswith(".made.json") and isinstance(content, dict) and "sha256" in content:
                made = _json(file.with_suffix(".made.json"))
                versions = made.get("versions", {}) if isinstance(made, dict) else {}
                name = file.relative_to(folder).with_suffix("").as_posix()
                found[name] = Vectors(leaves(content), versions)
        return found

    def array(self, name: str) -> np.ndarray[Any, Any] | None:
        """Vectors of `vectors`, read as they are needed; None where they are sparse or were deleted."""
        file = self.path / "embeddings" / f"{name}.npy"
        try:
            array: np.ndarray[Any, Any] = np.load(file, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None
        return array

    def folds(self, name: str) -> dict[Fold, float]:
        """Repetition and fold → test score, of a result of kind ``scores``; empty for others."""
        file = self.path / f"{name}.parquet"
        if not name.startswith("scores/") or not file.is_file():
            return {}
        rows = read_parquet(file, (*_FOLD, "metric", "value"), any_file=True).to_pylist()
        scores = [row for row in rows if row["metric"] == _FOLD_SCORE]
        return {(row[_FOLD[0]], row[_FOLD[1]]): float(row["value"]) for row in scores}

    def summary(self) -> list[ScoreRow]:
        """The summary of scores of the last run that came so far; empty without one."""
        file = self._file(paths.SUMMARY)
        return read_rows(file, ScoreRow, may_be_empty=True, any_file=True) if file.is_file() else []

    def compared(self) -> list[Leaves]:
        """What the last comparison says of the tasks of each protocol, see `omnibus_facts`; empty without one."""
        file = self._file(paths.OMNIBUS)
        return list(read_sealed(file).values()) if file.is_file() else []

    def _file(self, pattern: str) -> Path:
        return self.path / Path(pattern).relative_to(paths.RESULTS)

    def _results(self) -> Iterator[Result]:
        for kind in KINDS:
            for file in sorted(self.path.glob(f"{kind}/*/*.json")):
                content = _json(file)
                if not isinstance(content, dict):
                    raise DataError(f"{file} is not readable JSON. Delete it and run snakemake again.")
                refuse_edited(file, content)
                numbers, about = {}, {}
                for key, value in leaves(content).items():
                    if _CURVE in key or key.startswith(_REPEATED):
                        continue
                    if value is None or isinstance(value, float):
                        numbers[key] = value
                    elif not _SHA.fullmatch(str(value)):
                        about[key] = value
                yield Result(file.relative_to(self.path).with_suffix("").as_posix(), numbers, about)


def changed(a: Mapping[Any, Any], b: Mapping[Any, Any]) -> dict[Any, tuple[Any, Any]]:
    """Keys whose values differ → both values; None where a side lacks the key."""
    return {key: (a.get(key), b.get(key)) for key in sorted({*a, *b}) if a.get(key) != b.get(key)}


def leaves(value: Any, prefix: str = "") -> Leaves:
    """Names like ``a.b`` or ``a.0`` → numbers, texts, truth values and None."""
    if isinstance(value, Mapping):
        items = [(str(key), item) for key, item in value.items()]
    elif isinstance(value, list):
        items = [(str(place), item) for place, item in enumerate(value)]
    else:
        return {prefix.removesuffix("."): value}
    found: Leaves = {}
    for key, item in items:
        found |= leaves(item, f"{prefix}{key}.")
    return found


def _json(file: Path) -> Any:
    try:
        return parse_json(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
