"""The pair table: scored sentence pairs, what every reader of a pair set makes and every later stage reads."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sentflow.errors import DataError
from sentflow.files.arrow import table_of
from sentflow.files.io import atomic, parse_json

_METADATA_KEY = b"sentflow"


@dataclass(frozen=True)
class PairInfo:
    """What a pair table says about itself.

    Attributes
    ----------
    pairs
        Name of the pair set, e.g. ``"STS12"``.
    data_version
        What the texts are, for captions: ``"raw"``, ``"SentEval form"``, ``"sample data"``.
    language
        ISO 639-1 code of the texts.
    scale
        Least and greatest score that the set can have, e.g. (0.0, 5.0).
    subsets
        Names of the sub-sources in their order; one name, which may be empty, where there are none.
    """

    pairs: str
    data_version: str
    language: str
    scale: tuple[float, float]
    subsets: list[str]


@dataclass(frozen=True)
class PairTable:
    """The scored pairs of a set, sub-source after sub-source, in the order of their files.

    Attributes
    ----------
    info
        See `PairInfo`.
    subset
        n names of sub-sources, each in ``info.subsets``.
    text_a, text_b
        n texts each, none empty.
    score
        (n,) float64, finite and within ``info.scale``.
    """

    info: PairInfo
    subset: list[str]
    text_a: list[str]
    text_b: list[str]
    score: np.ndarray

    def __len__(self) -> int:
        return len(self.text_a)

    def texts(self) -> list[str]:
        """Every text once, in order of first occurrence: row after row, text a before text b."""
        return list(
            dict.fromkeys(text for pair in zip(self.text_a, self.text_b, strict=True) for text in pair)
        )


def write_pairs(path: Path | str, table: PairTable) -> None:
    """Write a pair table as Parquet: columns row, subset, text_a, text_b, score."""
    columns: dict[str, np.ndarray | Sequence[str | None]] = {
        "row": np.arange(len(table)),
        "subset": table.subset,
        "text_a": table.text_a,
        "text_b": table.text_b,
        "score": np.asarray(table.score, dtype=np.float64),
    }
    info = json.dumps(asdict(table.info), sort_keys=True, ensure_ascii=False).encode()
    with atomic(path) as part:
        pq.write_table(table_of(columns, {_METADATA_KEY: info}), part)


def read_pairs(path: Path | str) -> PairTable:
    """Read a pair table.

    Raises
    ------
    DataError
        The file is not a pair table, or it is damaged.
    """
    try:
        stored = pq.ParquetFile(path).read()
        settings = parse_json(stored.schema.metadata[_METADATA_KEY])
        low, high = settings["scale"]
        columns: dict[str, list[Any]] = stored.to_pydict()
        return PairTable(
            info=PairInfo(**{**settings, "scale": (float(low), float(high))}),
            subset=columns["subset"],
            text_a=columns["text_a"],
            text_b=columns["text_b"],
            score=np.asarray(columns["score"], dtype=np.float64),
        )
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{path} is not a readable pair table ({error}). Delete it and run snakemake again."
        ) from error
