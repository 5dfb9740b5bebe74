"""Raw files of a pair set into its table: read, turn scores into numbers, and say all that is wrong at once."""

import logging
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sentflow.config.pairs import PairChecks, PairSettings, Reader
from sentflow.errors import DataError, listed
from sentflow.texts.checks import empty_texts, named, refuse, verified_files
from sentflow.texts.formats.delimited import read_sts_text
from sentflow.texts.formats.raw import Column, Records
from sentflow.texts.formats.table import raw_file, read_records
from sentflow.texts.pairs import PairInfo, PairTable
from sentflow.texts.raw_files import SUBSET, raw_files_of


@dataclass(frozen=True)
class PairRows:
    """What a reader found in one file, in its order."""

    file: str  # its name
    names: list[str]  # what to call each row in a message, see `Records`
    # subset, text_a, text_b, scores: as long as `names`; scores as written in the file
    subset: list[str]
    text_a: list[str]
    text_b: list[str]
    scores: list[str]

    def __len__(self) -> int:
        return len(self.names)


def read_pair_rows(paths: Mapping[str, Path], reader: Reader, *, unscored: bool = False) -> list[PairRows]:
    """Read the raw files of a pair set.

    `paths`: name → file, for all of `raw_files_of`. `unscored`: whether rows with blank gold are kept (``semeval``),
    for those who read no scores. Returns one part per file, or per sub-source of ``semeval``. Rows with blank gold are
    left out there unless `unscored`; nothing else is.
    """
    if reader.format == "semeval":
        parts = [_sub_source(paths, reader, subset, unscored=unscored) for subset in reader.subsets or ()]
    else:
        parts = [_part(paths[name], reader) for name in reader.files or ()]
    return [_as_meant(part, reader) for part in parts]


def _sub_source(paths: Mapping[str, Path], reader: Reader, subset: str, *, unscored: bool) -> PairRows:
    files = [paths[str(name).replace(SUBSET, subset)] for name in (reader.input, reader.gold)]
    for path in files:
        if not path.is_file():
            raise DataError(f"{path}: no such file")
    sentences, gold = (raw_file(path, reader) for path in files)
    records = read_sts_text(sentences, gold, unscored=unscored)
    return _rows(records, {name: name for name in ("text_a", "text_b", "score")}, subset)


def _part(path: Path, reader: Reader) -> PairRows:
    """The pairs of one file."""
    named: dict[str, Column | None] = {
        "text_a": reader.text_a,
        "text_b": reader.text_b,
        "score": reader.score,
        "subset": reader.subset,
    }
    if reader.format == "assin-xml":
        named = {"text_a": "t", "text_b": "h", "score": "similarity"}
    records = read_records(path, reader, named.values(), gaps=False)
    return _paraphrases(records, reader) if reader.format == "blocks" else _rows(records, named)


def _rows(records: Records, columns: Mapping[str, Column | None], subset: str = "") -> PairRows:
    found = records.pick(columns)
    return PairRows(
        file=records.file,
        names=records.names,
        subset=found.get("subset", [subset] * len(records)),
        text_a=found["text_a"],
        text_b=found["text_b"],
        scores=found["score"],
    )


def _paraphrases(records: Records, reader: Reader) -> PairRows:
    """Neighbours in a set of paraphrases are pairs, all with the score 1; each sentence stands in one pair."""
    sentences = records.pick({"text_a": reader.text_a})["text_a"]
    if len(sentences) % int(reader.block or 2):
        raise DataError(f"{records.file}: {len(sentences)} lines are not sets of {reader.block} lines each.")
    n_pairs = len(sentences) // 2
    return PairRows(
        file=records.file,
        names=records.names[0::2],
        subset=[""] * n_pairs,
        text_a=sentences[0::2],
        text_b=sentences[1::2],
        scores=["1"] * n_pairs,
    )


def _as_meant(part: PairRows, reader: Reader) -> PairRows:
    """Rows with other scores and without spaces, where the reader says so."""
    if reader.scores:
        part = replace(part, scores=_meant_scores(part, reader.scores))
    if reader.spaces == "keep":
        return part
    text_a, text_b = ([text.replace(" ", "") for text in texts] for texts in (part.text_a, part.text_b))
    return replace(part, text_a=text_a, text_b=text_b)


def _meant_scores(part: PairRows, scores: Mapping[str, float]) -> list[str]:
    odd = [
        f"{name} ({score[:20]!r})"
        for name, score in zip(part.names, part.scores, strict=True)
        if score not in scores
    ]
    if odd:
        known = ", ".join(map(repr, scores))
        raise DataError(
            f"{part.file}: the score is not in reader.scores ({known}) in row {listed(odd, limit=10)}."
        )
    return [repr(scores[score]) for score in part.scores]


logger = logging.getLogger(__name__)

NOTHING = PairChecks()


def prepare_pairs(
    pairs: str, raw_files: Sequence[Path], settings: PairSettings, checks: PairChecks = NOTHING
) -> PairTable:
    """Read and check the pairs of a set.

    Returns: rows in the order of the files. Texts are as read, but for spaces where the reader removes them.
    """
    where = f"pair_sets.{pairs}.reader"
    names = raw_files_of(settings.as_dict())
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
