"""Raw files of a pair set into rows: which columns of a raw record are texts, score and sub-source."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sentflow.config.pairs import Reader
from sentflow.errors import DataError
from sentflow.texts.formats.records import Column, Records, listed
from sentflow.texts.formats.sts_text import read_sts_text
from sentflow.texts.formats.table import raw_file, read_records
from sentflow.texts.pair_files import SUBSET


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

    `paths`: name → file, for all of `reader_files`. `unscored`: whether rows with blank gold are kept (``semeval``),
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
