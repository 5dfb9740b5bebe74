"""The pair table: scored sentence pairs, what every reader of a pair set makes and every later stage reads."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sentflow.files.parquet import Columns, read_described, readable, write_described


@dataclass(frozen=True)
class PairInfo:
    """What a pair table says about itself."""

    pairs: str  # name of the pair set, e.g. ``"STS12"``
    data_version: str  # what the texts are, for captions: ``"raw"``, ``"SentEval form"``, ``"sample data"``
    language: str  # ISO 639-1 code of the texts
    scale: tuple[float, float]  # least and greatest score that the set can have, e.g. (0.0, 5.0).
    # subsets: names of the sub-sources in their order; one name, which may be empty, where there are none
    subsets: list[str]


@dataclass(frozen=True)
class PairTable:
    """The scored pairs of a set, sub-source after sub-source, in the order of their files."""

    info: PairInfo
    subset: list[str]  # n names of sub-sources, each in ``info.subsets``
    # text_a, text_b: n texts each, none empty
    text_a: list[str]
    text_b: list[str]
    score: np.ndarray  # (n,) float64, finite and within ``info.scale``

    def __len__(self) -> int:
        return len(self.text_a)

    def row_texts(self) -> Iterator[tuple[str, ...]]:
        """The two texts of each row."""
        return zip(self.text_a, self.text_b, strict=True)


def write_pairs(path: Path | str, table: PairTable) -> None:
    """Write a pair table as Parquet: columns row, subset, text_a, text_b, score."""
    columns: Columns = {
        "row": np.arange(len(table)),
        "subset": table.subset,
        "text_a": table.text_a,
        "text_b": table.text_b,
        "score": np.asarray(table.score, dtype=np.float64),
    }
    write_described(path, columns, asdict(table.info))


def read_pairs(path: Path | str) -> PairTable:
    """Read a pair table."""
    with readable(path, "pair table"):
        return pairs_of(*read_described(path))


def pairs_of(about: Mapping[str, Any], stored: pa.Table) -> PairTable:
    """The pair table that `read_described` gave."""
    low, high = about["scale"]
    columns: dict[str, list[Any]] = stored.to_pydict()
    return PairTable(
        info=PairInfo(**{**about, "scale": (float(low), float(high))}),
        subset=columns["subset"],
        text_a=columns["text_a"],
        text_b=columns["text_b"],
        score=np.asarray(columns["score"], dtype=np.float64),
    )
