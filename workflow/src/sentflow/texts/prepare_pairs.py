"""Raw files of a pair set into its table: read, turn scores into numbers, and say all that is wrong at once."""

import logging
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sentflow.texts.checks import empty_texts, named
from sentflow.texts.pair_files import reader_files
from sentflow.texts.pair_readers import PairRows, read_pair_rows
from sentflow.texts.pairs import PairInfo, PairTable
from sentflow.texts.preparation import refuse, verified_files
from sentflow.texts.settings import PairChecks, PairSettings

logger = logging.getLogger(__name__)

NOTHING = PairChecks()


def prepare_pairs(
    pairs: str, raw_files: Sequence[Path], settings: PairSettings, checks: PairChecks = NOTHING
) -> PairTable:
    """Read and check the pairs of a set.

    Returns: rows in the order of the files. Texts are as read, but for spaces where the reader removes them.
    """
    where = f"pair_sets.{pairs}.reader"
    names = reader_files(settings.reader.model_dump(exclude_none=True))
    files = verified_files(names, raw_files, checks.files, where=where)
    parts = read_pair_rows(files, settings.reader)
    low, high = map(float, settings.scale)
    problems = [problem for part in parts for problem in _problems(part, (low, high))]
    n_rows = sum(map(len, parts))
    counts = Counter(subset for part in parts for subset in part.subset)
    if checks.rows is not None and n_rows != checks.rows:
        problems.append(f"{n_rows} scored pairs, expected {checks.rows}")
    if checks.subset_rows is not None and dict(counts) != dict(checks.subset_rows):
        expected = ", ".join(f"{subset}: {n}" for subset, n in checks.subset_rows.items())
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
        scale=(float(settings.scale[0]), float(settings.scale[1])),
        subsets=subsets,
    )
    return PairTable(
        info=info,
        subset=[subset for part in parts for subset in part.subset],
        text_a=[text for part in parts for text in part.text_a],
        text_b=[text for part in parts for text in part.text_b],
        score=np.array([float(score) for part in parts for score in part.scores], dtype=np.float64),
    )
