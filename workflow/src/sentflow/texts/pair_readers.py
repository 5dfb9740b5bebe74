"""Raw files of a pair set into rows: which columns of a raw record are texts, score and sub-source."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError, DataError
from sentflow.texts.formats.delimited import read_delimited
from sentflow.texts.formats.json_records import read_json_lines, read_json_list
from sentflow.texts.formats.parquet import read_parquet_columns
from sentflow.texts.formats.raw_file import FileForm
from sentflow.texts.formats.records import Column, Records, listed
from sentflow.texts.formats.sts_text import read_sts_text
from sentflow.texts.formats.xml_assin import read_assin
from sentflow.texts.pair_files import SUBSET, reader_files

_NEEDED = {
    "semeval": ("subsets", "input", "gold"),
    **dict.fromkeys(("tsv", "csv", "jsonl", "json", "parquet", "assin-xml"), ("files",)),
    "blocks": ("files", "block"),
}
FORMATS = tuple(_NEEDED)
SPACES = ("keep", "remove")


@dataclass(frozen=True)
class PairReader(FileForm):
    """How to read the rows of a pair set: the ``reader`` of a catalog entry; see `FileForm`.

    Attributes
    ----------
    format
        One of `FORMATS`. ``semeval``: per sub-source one file of sentences (tab, no quoting, 2 columns, or 4 with
        notes on their sources) and one of gold, with a blank line where a pair was not scored. ``tsv``: tab, no
        quoting. ``json``: one list of objects. ``assin-xml``: ``pair`` elements with ``t``, ``h`` and the attribute
        ``similarity``. ``blocks``: sets of paraphrases, each so many lines, tab, no quoting.
    files
        Names of the raw files, read one after the other (not for ``semeval``). An archive (zip or tar) can be given
        instead of the one text file in it.
    subsets, input, gold
        Sub-sources, and the names of their files, in which ``{subset}`` stands for the sub-source (``semeval``).
    text_a, text_b, score, subset
        Columns: names, in JSON also paths like ``labels.label``; or numbers from 1 where there is no header.
        `subset` names the column of the sub-source, None where there are none.
    scores
        Score as written → as it is meant; empty where scores are written as they are meant.
    header
        Whether the first line names the columns (``tsv``, ``csv``, ``blocks``).
    columns
        Numbers of fields that a line may have; without it, as many as the first (``tsv``, ``csv``, ``blocks``).
    spaces
        ``"remove"`` deletes the spaces of all texts: words of Japanese are set apart in some files only.
    block
        Lines per set of paraphrases (``blocks``): the first and second are a pair, the third and fourth, …
    """

    files: tuple[str, ...] = ()
    subsets: tuple[str, ...] = ()
    input: str | None = None
    gold: str | None = None
    text_a: Column = "text_a"
    text_b: Column = "text_b"
    score: Column = "score"
    subset: Column | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    header: bool = True
    columns: tuple[int, ...] = ()
    spaces: str = "keep"
    block: int = 0

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, where: str) -> "PairReader":
        """The reader of a catalog entry.

        Raises
        ------
        ConfigError
            See `FileForm.check_keys`; or a value that does not exist.
        """
        cls.check_keys(settings, where=where, formats=FORMATS, needed=_NEEDED)
        spaces = settings.get("spaces", "keep")
        if spaces not in SPACES:
            raise ConfigError(
                f"{where}.spaces: {spaces!r} does not exist. Write one of: {', '.join(SPACES)}."
            )
        lists = {key: tuple(settings[key]) for key in ("files", "subsets", "columns") if key in settings}
        reader = cls(**{**settings, **lists})
        reader._check(where)
        return reader

    def _check(self, where: str) -> None:
        if self.format == "semeval":
            for key, name in (("input", self.input), ("gold", self.gold)):
                if SUBSET not in str(name):
                    raise ConfigError(f"{where}.{key}: {name!r} lacks {SUBSET}, the place of the sub-source.")
        elif not self.header:
            for key, column in (("text_a", self.text_a), ("text_b", self.text_b), ("score", self.score)):
                if not isinstance(column, int) and not (self.format == "blocks" and key != "text_a"):
                    raise ConfigError(
                        f"{where}.{key}: {column!r} names a column, but without a header columns have numbers. "
                        "Write its number, from 1."
                    )
        if self.format == "blocks" and (self.block < 2 or self.block % 2):
            raise ConfigError(f"{where}.block: {self.block} lines do not make pairs. Write an even number.")

    def file_names(self) -> list[str]:
        """The files that it reads, see `raw_files_of`."""
        return reader_files(vars(self))


@dataclass(frozen=True)
class PairRows:
    """What a reader found in one file, in its order.

    Attributes
    ----------
    file
        Its name.
    names
        What to call each row in a message, see `Records`.
    subset, text_a, text_b, scores
        As long as `names`; scores as written in the file.
    """

    file: str
    names: list[str]
    subset: list[str]
    text_a: list[str]
    text_b: list[str]
    scores: list[str]

    def __len__(self) -> int:
        return len(self.names)


def read_pair_rows(
    paths: Mapping[str, Path], reader: PairReader, *, unscored: bool = False
) -> list[PairRows]:
    """Read the raw files of a pair set.

    Parameters
    ----------
    paths
        Name → file, for all of `PairReader.file_names`.
    reader
        How.
    unscored
        Whether rows with blank gold are kept (``semeval``), for those who read no scores.

    Returns
    -------
    list[PairRows]
        One part per file, or per sub-source of ``semeval``. Rows with blank gold are left out there unless `unscored`;
        nothing else is.

    Raises
    ------
    DataError
        A file is missing, empty, damaged, wrongly encoded, lacks a column, or holds lines of another form.
    """
    for path in paths.values():
        if not path.is_file():
            raise DataError(f"{path}: no such file")
    if reader.format == "semeval":
        parts = [_sub_source(paths, reader, subset, unscored=unscored) for subset in reader.subsets]
    else:
        parts = [_part(paths[name], reader) for name in reader.files]
    return [_as_meant(part, reader) for part in parts]


def _sub_source(paths: Mapping[str, Path], reader: PairReader, subset: str, *, unscored: bool) -> PairRows:
    sentences, gold = (
        reader.raw(paths[str(name).replace(SUBSET, subset)]) for name in (reader.input, reader.gold)
    )
    records = read_sts_text(sentences, gold, unscored=unscored)
    return _rows(records, {name: name for name in ("text_a", "text_b", "score")}, subset)


def _part(path: Path, reader: PairReader) -> PairRows:
    """The pairs of one file."""
    raw = reader.raw(path)
    named: dict[str, Column | None] = {
        "text_a": reader.text_a,
        "text_b": reader.text_b,
        "score": reader.score,
        "subset": reader.subset,
    }
    match reader.format:
        case "tsv" | "csv" | "blocks":
            is_csv = reader.format == "csv"
            records = read_delimited(
                raw,
                reader.delimiter if is_csv else "\t",
                quoting=is_csv and reader.quoting,
                header=reader.header,
                widths=reader.columns,
            )
            return _paraphrases(records, reader) if reader.format == "blocks" else _rows(records, named)
        case "jsonl":
            return _rows(read_json_lines(raw, named.values()), named)
        case "json":
            return _rows(read_json_list(raw, named.values()), named)
        case "parquet":
            return _rows(read_parquet_columns(path, named.values()), named)
        case "assin-xml":
            return _rows(read_assin(raw), {"text_a": "t", "text_b": "h", "score": "similarity"})
    raise ConfigError(f"{reader.format!r} is not a format. Write one of: {', '.join(FORMATS)}.")


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


def _paraphrases(records: Records, reader: PairReader) -> PairRows:
    """Neighbours in a set of paraphrases are pairs, all with the score 1; each sentence stands in one pair."""
    sentences = records.pick({"text_a": reader.text_a})["text_a"]
    if len(sentences) % reader.block:
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


def _as_meant(part: PairRows, reader: PairReader) -> PairRows:
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
