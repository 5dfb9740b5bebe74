"""What a user's file or folder holds, and the entries of a configuration that read it."""

import csv
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from sentflow.cli.configuration import read_configuration
from sentflow.config.load import load_catalog
from sentflow.errors import DataError, instead
from sentflow.flow.workflow_folder import workflow_folder

Entries = dict[str, Any]

_SECTIONS = ("tasks", "pair_sets", "corpora", "question_sets", "training_data")
_DELIMITERS = (",", ";", "\t", "|")
_LOOKED_AT = 200  # rows that say how a file is delimited, and what language its texts have
_MOST_CLASSES = 20


@dataclass(frozen=True)
class DataFile:
    """A table of texts: CSV, TSV, JSON lines or Parquet, known by its content.

    Attributes
    ----------
    path
        Where it is.
    reader
        Keys of a reader that differ from those of a UTF-8 file with commas.
    columns
        Their names.
    rows
        Value of each column as text, empty where there is none.
    """

    path: Path
    reader: Entries
    columns: list[str]
    rows: list[dict[str, str]]

    def column(self, name: str) -> list[str]:
        """The values of a column.

        Raises
        ------
        DataError
            If there is no such column; it names the nearest.
        """
        if name not in self.columns:
            raise DataError(f"{self.path} has no column {name!r}. {instead(name, self.columns)}")
        return [row[name] for row in self.rows]

    @cached_property
    def text_columns(self) -> list[str]:
        """Columns, those with the longest values first."""
        lengths = {name: fmean(map(len, self.column(name))) for name in self.columns if name}
        return sorted(lengths, key=lambda name: -lengths[name])

    @property
    def label_columns(self) -> list[str]:
        """Columns with 2 to 20 values, each more than once on average, those with the fewest first."""
        counts = {name: len(set(self.column(name))) for name in self.columns if name}
        most = min(_MOST_CLASSES, len(self.rows) // 2)
        return sorted((name for name, n in counts.items() if 2 <= n <= most), key=lambda name: counts[name])

    @property
    def number_columns(self) -> list[str]:
        """Columns of numbers."""
        return [name for name in self.columns if name and all(map(_is_number, self.column(name)))]


def read_data_file(path: Path, encoding: str | None = None, delimiter: str | None = None) -> DataFile:
    """Read a file; encoding and delimiter are found where they are not given.

    Raises
    ------
    DataError
        If it is none of the formats; the message names the option that says how to read it.
    """
    if not path.is_file():
        raise DataError(f"there is no file {path}. Write the path of a CSV, TSV, JSON lines or Parquet file.")
    content = path.read_bytes()
    if content.startswith(b"PAR1"):
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(path)
        rows = [{name: _as_text(value) for name, value in row.items()} for row in table.to_pylist()]
        return _filled(DataFile(path, {"format": "parquet"}, table.column_names, rows))
    text, encoding = _decoded(path, content, encoding)
    reader = {} if encoding == "utf-8" else {"encoding": encoding}
    if text.lstrip().startswith("{"):
        return _filled(_json_lines(path, text, {"format": "jsonl", **reader}))
    return _filled(_delimited(path, text, {"format": "csv", **reader}, delimiter))


def task_entry(file: DataFile, written: str, texts: Sequence[str], label: str) -> Entries:
    """The short form of a task on one or two columns of texts.

    Raises
    ------
    DataError
        If the labels are of one class only, or of too many.
    """
    counts = Counter(file.column(label))
    if not 2 <= len(counts) <= _MOST_CLASSES:
        raise DataError(
            f"{file.path}: column {label!r} has {len(counts)} different values, and a label has 2 to {_MOST_CLASSES}. "
            f"Name another column with --label; {_suggestion(file.label_columns)}"
        )
    if "" in counts:
        raise DataError(
            f"{file.path}: {counts['']} rows have no value in column {label!r}. Remove these rows."
        )
    columns = {"text": texts[0]} if len(texts) == 1 else {"text_a": texts[0], "text_b": texts[1]}
    integers = sorted(counts) == [str(number) for number in range(len(counts))]
    return {
        "title": file.path.name,
        "file": written,
        **columns,
        "label": label,
        **({} if integers else {"labels": sorted(counts)}),
        "metric": "mcc" if len(counts) == 2 else "adjusted_macro_f1",
        "licence": "not stated",
        "language": language([file.column(name) for name in texts]),
        **file.reader,
    }


def pair_entries(name: str, file: DataFile, written: str, texts: Sequence[str], score: str) -> Entries:
    """The dataset and the pair set of two columns of sentences and one of scores, by section.

    Raises
    ------
    DataError
        If a score is no number, or all are equal.
    """
    values = file.column(score)
    for number, value in enumerate(values, 1):
        if not _is_number(value):
            raise DataError(
                f"{file.path}, row {number}: the score {value!r} in column {score!r} is no number. Name another column "
                f"with --score; {_suggestion(file.number_columns)}"
            )
    low, high = min(map(float, values)), max(map(float, values))
    if low == high:
        raise DataError(
            f"{file.path}: all scores in column {score!r} are {low:g}, so nothing can be ordered."
        )
    slug, spoken = f"own-{name.lower()}", language([file.column(column) for column in texts])
    facts = {"title": file.path.name, "language": spoken}
    dataset = {**facts, "files": {_plain(file.path.name): {"urls": [written]}}, "licence": "not stated"}
    columns = {"text_a": texts[0], "text_b": texts[1], "score": score}
    return {
        "datasets": {slug: {**dataset, "citation": "none"}},
        "pair_sets": {
            name: {
                **facts,
                "family": f"{slug}-pairs",
                "dataset": slug,
                "data_version": file.path.name,
                "scale": [min(0, low), high] if low >= 0 else [low, high],
                "reader": {**file.reader, "files": [_plain(file.path.name)], **columns},
            }
        },
    }


def is_beir(folder: Path) -> bool:
    """Whether a folder has the files of BEIR's form."""
    return any((folder / f"corpus.{ending}").is_file() for ending in ("jsonl", "parquet"))


def collection_entries(name: str, folder: Path, written: str, split: str | None = None) -> Entries:
    """The corpus and the question set of a folder in BEIR's form, by section.

    Raises
    ------
    DataError
        If files of that form are missing.
    """
    qrels = sorted({path.stem for path in (folder / "qrels").glob("*.*")})
    missing = [] if is_beir(folder) else ["corpus.jsonl"]
    missing += [] if any(folder.glob("queries.*")) else ["queries.jsonl"]
    missing += [] if qrels else ["qrels/test.tsv"]
    if missing:
        raise DataError(f"{folder} is no collection in BEIR's form: it lacks {', '.join(missing)}.")
    split = split or ("test" if "test" in qrels else qrels[0])
    if split not in qrels:
        raise DataError(f"{folder}/qrels has no {split}. Write --split with one of {', '.join(qrels)}.")
    spoken = language([_texts_of(next(iter(folder.glob("queries.*"))))])
    form = {"beir": written, "language": spoken, "title": folder.name}
    return {"corpora": {name: form}, "question_sets": {name: {**form, "split": split}}}


def language(columns: Sequence[Sequence[str]]) -> str:
    """The most frequent language of some of the texts, as ISO 639-1 code."""
    from py3langid import classify

    texts = [text for column in columns for text in islice(column, _LOOKED_AT)]
    codes = Counter(str(classify(text[:500])[0]) for text in texts)
    return next((code for code, _ in codes.most_common() if len(code) == len("en")), "en")


def training_entries(name: str, file: DataFile, written: str, texts: Sequence[str]) -> Entries:
    """Training data of one column of texts, or of two of the same meaning, by section."""
    columns = {"text": texts[0]} if len(texts) == 1 else {"text": texts[0], "other": texts[1]}
    spoken = language([file.column(column) for column in texts])
    return {"training_data": {name: {"file": written, **columns, "language": spoken, **file.reader}}}


def new_name(path: Path) -> str:
    """A name for entries of a file or folder, which the catalog does not have."""
    name = slug(path)
    catalog = load_catalog(read_configuration([]), workflow_folder())
    return f"{name}-own" if any(name in catalog[section] for section in _SECTIONS) else name


def slug(path: Path) -> str:
    """The name of a file without its ending, or of a folder, in letters, digits and hyphens."""
    return re.sub(r"[^A-Za-z0-9]+", "-", path.stem if path.is_file() else path.name).strip("-") or "mine"


def _decoded(path: Path, content: bytes, encoding: str | None) -> tuple[str, str]:
    try:
        return content.decode("utf-8-sig" if encoding is None else encoding), encoding or "utf-8"
    except LookupError:
        raise DataError(f"there is no encoding {encoding!r}. Write for example --encoding cp1252.") from None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        other = content[error.start : error.start + 1].decode("cp1252", "replace")
        raise DataError(
            f"{path}, line {line}: this is not {encoding or 'UTF-8'}. Write its encoding, for example --encoding "
            f"cp1252 (the first such byte would be {other!r})."
        ) from None


def _json_lines(path: Path, text: str, reader: Entries) -> DataFile:
    rows: list[dict[str, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise DataError(f"{path}, line {number}: no JSON object ({error.msg}).") from None
            rows.append({name: _as_text(value) for name, value in record.items()})
    return DataFile(path, reader, list(dict.fromkeys(name for row in rows for name in row)), rows)


def _delimited(path: Path, text: str, reader: Entries, delimiter: str | None) -> DataFile:
    widths = {mark: _width(text, mark) for mark in ([delimiter] if delimiter else _DELIMITERS)}
    mark, width = max(widths.items(), key=lambda item: item[1])
    if width < 2:
        raise DataError(
            f"{path} has a single column, or lines of different lengths, by each of {', '.join(map(repr, widths))}. "
            "Write the character between the columns, for example --delimiter '|'."
        )
    lines = [row for row in csv.reader(text.splitlines(keepends=True), delimiter=mark) if row]
    header, *rows = lines
    wrong = next((number for number, row in enumerate(rows, 1) if len(row) != len(header)), None)
    if wrong is not None:
        raise DataError(f"{path}, row {wrong}: {len(rows[wrong - 1])} fields, but {len(header)} columns.")
    found = {**reader, **({} if mark == "," else {"delimiter": mark})}
    return DataFile(path, found, header, [dict(zip(header, row, strict=True)) for row in rows])


def _width(text: str, delimiter: str) -> int:
    """Fields of each of the first lines; 0 where they differ."""
    first = islice(csv.reader(text.splitlines(keepends=True), delimiter=delimiter), _LOOKED_AT)
    widths = {len(row) for row in first if row}
    return widths.pop() if len(widths) == 1 else 0


def _filled(file: DataFile) -> DataFile:
    """A file with rows, whose columns have names."""
    if not file.rows:
        raise DataError(f"{file.path} has no rows.")
    if len(set(file.columns)) < len(file.columns):
        raise DataError(
            f"{file.path}: its first line must name each column once; it is {', '.join(file.columns)}."
        )
    rows = [{name: row.get(name, "") for name in file.columns} for row in file.rows]
    return DataFile(file.path, file.reader, file.columns, rows)


def _texts_of(queries: Path) -> list[str]:
    return read_data_file(queries).column("text")


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < float("inf")
    except ValueError:
        return False


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "_", name).lstrip(".-") or "data"


def _suggestion(columns: Sequence[str]) -> str:
    return f"it may be {', '.join(columns[:3])}." if columns else "no column looks like one."
