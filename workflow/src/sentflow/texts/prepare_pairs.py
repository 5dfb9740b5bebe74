"""Raw files of a pair set into its table: read, turn scores into numbers, and say all that is wrong at once."""

import logging
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sentflow.errors import ConfigError
from sentflow.texts.checks import empty_texts, named
from sentflow.texts.pair_readers import PairReader, PairRows, read_pair_rows
from sentflow.texts.pairs import PairInfo, PairTable
from sentflow.texts.preparation import picked_settings, refuse, verified_files

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class PairSettings:
    """The part of a pair set's catalog entry that its table depends on, and what is checked on the way.

    Attributes
    ----------
    reader
        How to read the raw files.
    data_version, language, scale
        See `PairInfo`.
    rows
        Expected number of scored pairs, or None. Changes no byte, as do the next two.
    subset_rows
        Sub-source → expected number of scored pairs, or None.
    files
        Name → catalog entry of raw files: what has a checksum there is verified again before it is read.
    """

    reader: PairReader
    data_version: str
    language: str
    scale: tuple[float, float]
    rows: int | None = None
    subset_rows: Mapping[str, int] | None = None
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, pairs: str) -> "PairSettings":
        """Pick the settings out of a pair set's entry; its other keys are not this stage's.

        Raises
        ------
        ConfigError
            A key is missing, or has a value that does not fit.
        """
        picked = picked_settings(cls, settings, where=f"pair_sets.{pairs}")
        picked["reader"] = PairReader.from_settings(settings["reader"], where=f"pair_sets.{pairs}.reader")
        picked["scale"] = tuple(map(float, settings["scale"]))
        if len(picked["scale"]) != 2 or not picked["scale"][0] < picked["scale"][1]:
            raise ConfigError(
                f"pair_sets.{pairs}.scale: {settings['scale']!r} is no scale. Write [least, greatest], e.g. [0, 5]."
            )
        return cls(**picked)


def prepare_pairs(pairs: str, raw_files: Sequence[Path], settings: PairSettings) -> PairTable:
    """Read and check the pairs of a set.

    Parameters
    ----------
    pairs
        Its name.
    raw_files
        Files of its dataset; those that the reader names are found among them by name.
    settings
        See `PairSettings`.

    Returns
    -------
    PairTable
        Rows in the order of the files. Texts are as read, but for spaces where the reader removes them.

    Raises
    ------
    ConfigError
        The settings do not fit the files.
    DataError
        A file or its rows are not in order; all problems with the rows are told at once.
    """
    where = f"pair_sets.{pairs}.reader"
    files = verified_files(settings.reader.file_names(), raw_files, settings.files, where=where)
    parts = read_pair_rows(files, settings.reader)
    problems = [problem for part in parts for problem in _problems(part, settings.scale)]
    n_rows = sum(map(len, parts))
    counts = Counter(subset for part in parts for subset in part.subset)
    if settings.rows is not None and n_rows != settings.rows:
        problems.append(f"{n_rows} scored pairs, expected {settings.rows}")
    if settings.subset_rows is not None and dict(counts) != dict(settings.subset_rows):
        expected = ", ".join(f"{subset}: {n}" for subset, n in settings.subset_rows.items())
        found = ", ".join(f"{subset}: {n}" for subset, n in counts.items())
        problems.append(f"pairs per sub-source are {found}, expected {expected}")
    refuse(problems, table=pairs)
    logger.info("%s: %d scored pairs, per sub-source %s", pairs, n_rows, dict(counts))
    return _table(pairs, settings, parts, list(counts))


def _problems(part: PairRows, scale: tuple[float, float]) -> list[str]:
    """What is wrong with the rows of one file."""
    low, high = scale
    scores = [_number(score) for score in part.scores]
    none = [
        f"{number} ({written[:20]!r})"
        for number, written, score in zip(part.names, part.scores, scores, strict=True)
        if score is None
    ]
    outside = [
        f"{number} ({score:g})"
        for number, score in zip(part.names, scores, strict=True)
        if score is not None and not low <= score <= high
    ]
    problems = empty_texts(part.names, part.text_a, "text a")
    problems += empty_texts(part.names, part.text_b, "text b")
    if none:
        problems.append(f"the score is missing or no number in {named(none)}")
    if outside:
        problems.append(f"the score lies outside the scale {low:g} to {high:g} in {named(outside)}")
    return [f"{part.file}: {problem}" for problem in problems]


def _number(score: str) -> float | None:
    try:
        number = float(score)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in score else None


def _table(pairs: str, settings: PairSettings, parts: Sequence[PairRows], subsets: list[str]) -> PairTable:
    info = PairInfo(
        pairs=pairs,
        data_version=settings.data_version,
        language=settings.language,
        scale=settings.scale,
        subsets=subsets,
    )
    return PairTable(
        info=info,
        subset=[subset for part in parts for subset in part.subset],
        text_a=[text for part in parts for text in part.text_a],
        text_b=[text for part in parts for text in part.text_b],
        score=np.array([float(score) for part in parts for score in part.scores], dtype=np.float64),
    )
