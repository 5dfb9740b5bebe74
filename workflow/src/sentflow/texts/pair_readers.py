"""One small reader per file format of scored sentence pairs; scores are still as written."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from sentflow.errors import ConfigError, DataError
from sentflow.files.decoding import decode, plain_lines, plain_records, quoted_records
from sentflow.files.io import parse_json
from sentflow.texts.formats.xml_assin import read_assin
from sentflow.texts.pair_files import SUBSET, reader_files

FORMATS = ("semeval", "tsv", "csv", "jsonl", "json", "parquet", "assin-xml", "blocks")
SPACES = ("keep", "remove")
Column = str | int  # a name, or a number from 1 where the file has no header


@dataclass(frozen=True)
class PairReader:
    """How to read the rows of a pair set: the ``reader`` of a catalog entry.

    Attributes
    ----------
    format
        One of `FORMATS`. ``semeval``: per sub-source one file of sentences (tab, no quoting, 2 columns, or 4 with
        notes on their sources) and one of gold, with a blank line where a pair was not scored. ``tsv``: tab, no
        quoting. ``csv``: real quoting. ``json``: one list of objects. ``assin-xml``: ``pair`` elements with ``t``,
        ``h`` and the attribute ``similarity``. ``blocks``: sets of paraphrases, each so many lines.
    files
        Names of the raw files, read one after the other (not for ``semeval``).
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
    delimiter
        Between the columns of a ``csv``.
    encoding
        Of text files.
    spaces
        ``"remove"`` deletes the spaces of all texts: words of Japanese are set apart in some files only.
    block
        Lines per set of paraphrases (``blocks``): the first and second are a pair, the third and fourth, …
    """

    format: str
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
    delimiter: str = ","
    encoding: str = "utf-8"
    spaces: str = "keep"
    block: int = 0

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, where: str) -> "PairReader":
        """The reader of a catalog entry.

        Raises
        ------
        ConfigError
            Unknown or missing keys, or a value that does not exist.
        """
        known = [item.name for item in fields(cls)]
        if unknown := sorted(set(settings) - set(known)):
            raise ConfigError(f"{where}: unknown key {', '.join(unknown)}. Known: {', '.join(known)}.")
        for key, allowed in (("format", FORMATS), ("spaces", SPACES)):
            value = settings.get(key, "keep" if key == "spaces" else None)
            if value not in allowed:
                raise ConfigError(
                    f"{where}.{key}: {value!r} does not exist. Write one of: {', '.join(allowed)}."
                )
        needed = {"semeval": ("subsets", "input", "gold"), "blocks": ("files", "block")}
        missing = [key for key in needed.get(settings["format"], ("files",)) if not settings.get(key)]
        if missing:
            raise ConfigError(f"{where}: format {settings['format']} needs {' and '.join(missing)}.")
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
        return reader_files({item.name: getattr(self, item.name) for item in fields(self)})


@dataclass(frozen=True)
class PairRows:
    """What a reader found in one file, in its order.

    Attributes
    ----------
    file
        Its name.
    numbers
        Number of each row, from 1 after the header, for messages.
    subset, text_a, text_b, scores
        As long as `numbers`; scores as written in the file.
    """

    file: str
    numbers: list[str]
    subset: list[str]
    text_a: list[str]
    text_b: list[str]
    scores: list[str]

    def __len__(self) -> int:
        return len(self.numbers)


def read_pair_rows(paths: Mapping[str, Path], reader: PairReader) -> list[PairRows]:
    """Read the raw files of a pair set.

    Parameters
    ----------
    paths
        Name → file, for all of `PairReader.file_names`.
    reader
        How.

    Returns
    -------
    list[PairRows]
        One part per file, or per sub-source of ``semeval``. Rows with blank gold are left out there; nothing else is.

    Raises
    ------
    DataError
        A file is missing, empty, damaged, wrongly encoded, lacks a column, or holds lines of another form.
    """
    for path in paths.values():
        if not path.is_file():
            raise DataError(f"{path}: no such file")
    if reader.format == "semeval":
        parts = [_read_semeval(paths, reader, subset) for subset in reader.subsets]
    else:
        parts = [_READERS[reader.format](paths[name], reader) for name in reader.files]
    return [_as_meant(part, reader) for part in parts]


def _read_semeval(paths: Mapping[str, Path], reader: PairReader, subset: str) -> PairRows:
    """Sentences and gold of one sub-source, line by line."""
    sentences, gold = (paths[str(name).replace(SUBSET, subset)] for name in (reader.input, reader.gold))
    records = [line.split("\t") for line in plain_lines(_text(sentences, reader))]
    scores = plain_lines(_text(gold, reader))
    if len(records) != len(scores):
        raise DataError(
            f"{sentences.name} has {len(records)} lines, but {gold.name} has {len(scores)}: "
            "every pair needs its line of gold, blank where it was not scored."
        )
    _refuse_odd_widths(sentences.name, enumerate(map(len, records), start=1), (2, 4))
    kept = [row for row, score in enumerate(scores) if score.strip()]
    if not kept:
        raise DataError(f"{gold.name} is empty: no line holds a score.")
    return PairRows(
        file=sentences.name,
        numbers=[str(row + 1) for row in kept],
        subset=[subset] * len(kept),
        text_a=[records[row][0] for row in kept],
        text_b=[records[row][1] for row in kept],
        scores=[scores[row] for row in kept],
    )


def _read_delimited(path: Path, reader: PairReader) -> PairRows:
    header, records = _records(path, reader)
    return _columns(path, reader, header, {name: [r[k] for r in records] for k, name in enumerate(header)})


def _read_jsonl(path: Path, reader: PairReader) -> PairRows:
    """One JSON object per line."""
    objects = []
    # line feeds only: JSON may hold other signs that Python counts as line ends
    for number, line in enumerate(plain_lines(_text(path, reader)), start=1):
        if line.strip():
            objects.append(_json(line, f"{path.name}, line {number}"))
    return _objects(path, reader, objects)


def _read_json(path: Path, reader: PairReader) -> PairRows:
    """One list of objects."""
    found = _json(_text(path, reader), path.name)
    if not isinstance(found, list):
        raise DataError(f"{path.name}: {type(found).__name__}, expected a list of objects.")
    return _objects(path, reader, found)


def _read_parquet(path: Path, reader: PairReader) -> PairRows:
    from sentflow.files.parquet_columns import column_names, column_values

    names: list[Column] = [*column_names(path)]
    _positions(path, names, _wanted(reader))
    columns = column_values(path, list(map(str, _wanted(reader).values())))
    written = {
        name: [_field(value, path, name, row) for row, value in enumerate(values, start=1)]
        for name, values in columns.items()
    }
    return _columns(path, reader, names, written)


def _read_assin(path: Path, _: PairReader) -> PairRows:
    pairs = read_assin(path)
    return PairRows(
        file=path.name,
        numbers=_numbers(len(pairs)),
        subset=[""] * len(pairs),
        text_a=[pair.text_a for pair in pairs],
        text_b=[pair.text_b for pair in pairs],
        scores=[pair.similarity for pair in pairs],
    )


def _read_blocks(path: Path, reader: PairReader) -> PairRows:
    """Neighbours in a set of paraphrases are pairs, all with the score 1; each sentence stands in one pair."""
    header, records = _records(path, reader)
    column = _positions(path, header, {"text_a": reader.text_a})["text_a"]
    sentences = [record[column] for record in records]
    if len(sentences) % reader.block:
        raise DataError(f"{path.name}: {len(sentences)} lines are not sets of {reader.block} lines each.")
    n_pairs = len(sentences) // 2
    return PairRows(
        file=path.name,
        numbers=[str(2 * pair + 1) for pair in range(n_pairs)],
        subset=[""] * n_pairs,
        text_a=sentences[0::2],
        text_b=sentences[1::2],
        scores=["1"] * n_pairs,
    )


_READERS: Mapping[str, Callable[[Path, PairReader], PairRows]] = {
    "tsv": _read_delimited,
    "csv": _read_delimited,
    "jsonl": _read_jsonl,
    "json": _read_json,
    "parquet": _read_parquet,
    "assin-xml": _read_assin,
    "blocks": _read_blocks,
}


def _records(path: Path, reader: PairReader) -> tuple[list[Column], list[list[str]]]:
    """Names or numbers of the columns, and the fields of each row."""
    text = _text(path, reader)
    if reader.format == "csv":
        numbered = quoted_records(text, reader.delimiter, where=path.name)
    else:
        numbered = plain_records(text, "\t", where=path.name)
    n_header = 1 if reader.header else 0
    if len(numbered) <= n_header:
        raise DataError(f"{path.name} is empty: no rows.")
    widths = reader.columns or (len(numbered[0][1]),)
    _refuse_odd_widths(path.name, ((line, len(record)) for line, record in numbered), widths)
    records = [record for _, record in numbered]
    header: list[Column] = [*records.pop(0)] if reader.header else [*range(1, min(widths) + 1)]
    return header, records


def _refuse_odd_widths(name: str, widths: Iterable[tuple[int, int]], allowed: Sequence[int]) -> None:
    odd = [f"line {line} has {n}" for line, n in widths if n not in allowed]
    if odd:
        raise DataError(
            f"{name}: {_listed(odd)} fields, expected {' or '.join(map(str, allowed))}. "
            "Is it the right format, and the right delimiter?"
        )


def _objects(path: Path, reader: PairReader, objects: Sequence[Any]) -> PairRows:
    """Columns of JSON objects; a name may be a path through nested ones."""
    if odd := [str(row) for row, found in enumerate(objects, start=1) if not isinstance(found, dict)]:
        raise DataError(f'{path.name}: row {_listed(odd)} is no object like {{"text_a": …}}.')
    if not objects:
        raise DataError(f"{path.name} is empty: no objects.")
    names = list(dict.fromkeys(name for found in objects for name in found))
    columns = {}
    for name in map(str, _wanted(reader).values()):
        values = [_value_at(found, name) for found in objects]
        if all(present for present, _ in values):
            columns[name] = [_field(value, path, name, row) for row, (_, value) in enumerate(values, start=1)]
        elif any(present for present, _ in values):
            missing = [str(row) for row, (present, _) in enumerate(values, start=1) if not present]
            raise DataError(f"{path.name}: no key {name!r} in row {_listed(missing)}.")
    return _columns(path, reader, [*names, *(name for name in columns if name not in names)], columns)


def _value_at(found: Mapping[str, Any], name: str) -> tuple[bool, Any]:
    """Whether a key is there, and its value; ``a.b`` is the key b of the object at a, unless there is a key a.b."""
    if name in found:
        return True, found[name]
    first, dot, rest = name.partition(".")
    inner = found.get(first)
    return _value_at(inner, rest) if dot and isinstance(inner, dict) else (False, None)


def _wanted(reader: PairReader) -> dict[str, Column]:
    named = {"text_a": reader.text_a, "text_b": reader.text_b, "score": reader.score, "subset": reader.subset}
    return {key: column for key, column in named.items() if column is not None}


def _columns(
    path: Path, reader: PairReader, header: Sequence[Column], columns: Mapping[Any, list[str]]
) -> PairRows:
    wanted = _wanted(reader)
    _positions(path, header, wanted)
    found = {key: columns[column] for key, column in wanted.items()}
    n = len(found["text_a"])
    if not n:
        raise DataError(f"{path.name} is empty: no rows.")
    return PairRows(
        file=path.name,
        numbers=_numbers(n),
        subset=found.get("subset", [""] * n),
        text_a=found["text_a"],
        text_b=found["text_b"],
        scores=found["score"],
    )


def _positions(path: Path, header: Sequence[Column], wanted: Mapping[str, Column]) -> dict[str, int]:
    """Where each wanted column stands; all that are missing are named together with those that exist."""
    problems = [
        f"{key}: {'no' if header.count(column) == 0 else 'more than one'} column {column!r}"
        for key, column in wanted.items()
        if header.count(column) != 1
    ]
    if problems:
        shown = _listed([repr(column) for column in header], limit=20)
        raise DataError(f"{path.name}: {'; '.join(problems)}. Columns: {shown}.")
    return {key: header.index(column) for key, column in wanted.items()}


def _field(value: Any, path: Path, column: str, row: int) -> str:
    if value is None or value != value:  # NaN stands for a missing value, not for a text
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(value)
    raise DataError(
        f"{path.name}, row {row}: the column {column!r} holds {type(value).__name__}, expected a text or a number."
    )


def _json(text: str, where: str) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        raise DataError(f"{where}: {error}. Is it JSON (json), or JSON line by line (jsonl)?") from error


def _text(path: Path, reader: PairReader) -> str:
    return decode(path.read_bytes(), reader.encoding, where=path.name)


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
        f"{number} ({score[:20]!r})"
        for number, score in zip(part.numbers, part.scores, strict=True)
        if score not in scores
    ]
    if odd:
        known = ", ".join(map(repr, scores))
        raise DataError(f"{part.file}: the score is not in reader.scores ({known}) in row {_listed(odd)}.")
    return [repr(scores[score]) for score in part.scores]


def _numbers(n: int) -> list[str]:
    return [str(number) for number in range(1, n + 1)]


def _listed(items: Sequence[str], limit: int = 10) -> str:
    return ", ".join(items[:limit]) + (f" and {len(items) - limit} more" if len(items) > limit else "")
