"""What a user's file or folder holds, and the entries of a configuration that read it."""

import codecs
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from math import log2
from pathlib import Path
from statistics import fmean
from typing import Any

from sentflow.cli.configuration import read_configuration
from sentflow.config.entries import AllEntries
from sentflow.config.load import load_catalog
from sentflow.config.short_forms import raw_name
from sentflow.errors import DataError, SentflowError, instead
from sentflow.flow.environment import workflow_folder
from sentflow.texts.formats.delimited import read_delimited
from sentflow.texts.formats.json_records import json_objects
from sentflow.texts.formats.raw import RawFile, decode

Entries = dict[str, Any]

_SECTIONS = ("tasks", "pair_sets", "corpora", "question_sets", "training_data")
_DELIMITERS = (",", ";", "\t", "|")
_LOOKED_AT = 200  # rows that say how a file is delimited, and what language its texts have
_MOST_CLASSES = 20  # of a column that is suggested as label
_ROWS_PER_CLASS = 5


@dataclass(frozen=True)
class DataFile:
    """A table of texts: CSV, TSV, JSON lines or Parquet, known by its content."""

    path: Path
    reader: Entries  # keys of a reader that differ from those of a UTF-8 file with commas
    values: dict[str, list[str]]  # column → the value of each row as text, empty where there is none

    def __post_init__(self) -> None:
        """Refuse a table without rows, and a first line that does not name the columns."""
        if not self.values or not any(self.values.values()):
            raise DataError(f"{self.path} has no rows. Name a file with rows.")
        # pandas numbers columns from 0 where they have no names
        if row := [name for n, name in enumerate(self.values) if _is_number(name) and name != str(n)]:
            raise DataError(
                f"{self.path}: the first line must name the columns, and it holds {row[0]}. Write a line of names "
                "above it."
            )

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.values.values())))

    def column(self, name: str) -> list[str]:
        """The values of a column. Raises DataError: there is none; it names the nearest."""
        if name not in self.values:
            raise DataError(f"{self.path} has no column {name!r}. {instead(name, [*self.values])}")
        return self.values[name]

    @cached_property
    def text_columns(self) -> list[str]:
        """Columns that are neither numbers nor addresses, those with much longer values first."""
        lengths = {
            name: round(log2(1 + fmean(map(len, values))))
            for name, values in self.values.items()
            if name and name not in self.number_columns and not values[0].startswith(("http:", "https:"))
        }
        return sorted(lengths, key=lambda name: -lengths[name])

    @cached_property
    def label_columns(self) -> list[str]:
        """Columns with 2 to 20 values, each more than once on average, those with the fewest first."""
        counts = {name: len(set(values)) for name, values in self.values.items() if name}
        most = min(_MOST_CLASSES, self.n_rows // 2)
        return sorted((name for name, n in counts.items() if 2 <= n <= most), key=lambda name: counts[name])

    @cached_property
    def number_columns(self) -> list[str]:
        """Columns of numbers."""
        return [name for name, values in self.values.items() if name and all(map(_is_number, values))]

    @property
    def score_columns(self) -> list[str]:
        """Columns of at least three different numbers that do not number the rows, those with the fewest first."""
        counts = {name: len(set(self.values[name])) for name in self.number_columns}
        for name, n in [*counts.items()]:
            if n < 3 or (n == self.n_rows > 20 and all(map(str.isdigit, self.values[name]))):
                del counts[name]
        return sorted(counts, key=lambda name: counts[name])


def read_data_file(path: Path, encoding: str | None = None, delimiter: str | None = None) -> DataFile:
    """Read a file; encoding and delimiter are found where they are not given.

    Raises DataError: it is none of the formats; the message names the option that says how to read it.
    """
    if not path.is_file():
        raise DataError(f"there is no file {path}. Write the path of a CSV, TSV, JSON lines or Parquet file.")
    try:
        return _read(path, path.read_bytes(), encoding, delimiter)
    except SentflowError as error:  # which names keys of a reader
        raise DataError(re.sub(r"\b(encoding|delimiter): ", r"--\1 ", str(error))) from None


def task_entry(file: DataFile, written: str, texts: Sequence[str], label: str) -> Entries:
    """The short form of a task on one or two columns of texts. DataError: labels of one class, or of too many."""
    counts = Counter(file.column(label))
    if not 2 <= len(counts) <= max(2, file.n_rows // _ROWS_PER_CLASS):
        raise DataError(
            f"{file.path}: column {label!r} has {len(counts)} different values in {file.n_rows} rows, and a label has "
            f"at least two, each in {_ROWS_PER_CLASS} rows or more on average. Name another column with --label; "
            f"{_suggestion(file.label_columns)}"
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

    Raises DataError: a score is no number, or all are equal.
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
    dataset = {**facts, "files": {raw_name(file.path.name): {"urls": [written]}}, "licence": "not stated"}
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
                "reader": {**file.reader, "files": [raw_name(file.path.name)], **columns},
            }
        },
    }


def collection_entries(name: str, folder: Path, written: str, split: str | None = None) -> Entries:
    """The corpus and the question set of a folder in BEIR's form, by section. Raises DataError: files are missing."""
    qrels = sorted({path.stem for path in (folder / "qrels").glob("*.*")})
    missing = [] if any(folder.glob("corpus.*")) else ["corpus.jsonl"]
    missing += [] if any(folder.glob("queries.*")) else ["queries.jsonl"]
    missing += [] if qrels else ["qrels/test.tsv"]
    if missing:
        raise DataError(f"{folder} is no collection in BEIR's form: it lacks {', '.join(missing)}.")
    split = split or ("test" if "test" in qrels else qrels[0])
    if split not in qrels:
        raise DataError(f"{folder}/qrels has no {split}. Write --split with one of {', '.join(qrels)}.")
    spoken = language([read_data_file(next(folder.glob("queries.*"))).column("text")])
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
    return f"{name}-own" if any(name in catalog()[section] for section in _SECTIONS) else name


@cache
def catalog() -> AllEntries:
    """Everything that could be selected, by section."""
    return load_catalog(read_configuration([]), workflow_folder())


def slug(path: Path) -> str:
    """The name of a file without its ending, or of a folder, in letters, digits and hyphens."""
    return re.sub(r"[^A-Za-z0-9]+", "-", path.stem if path.is_file() else path.name).strip("-") or "mine"


def _read(path: Path, content: bytes, encoding: str | None, delimiter: str | None) -> DataFile:
    if content.startswith(b"PAR1"):
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(path)
        columns = {name: list(map(_as_text, table[name].to_pylist())) for name in table.column_names}
        return DataFile(path, {"format": "parquet"}, columns)
    if encoding is None and content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    if encoding is None and b"\0" in content[:1000]:
        raise DataError(f"{path} is no text file. Save the table as CSV, TSV, JSON lines or Parquet.")
    text = decode(content, encoding or "utf-8", where=path.name)
    file = RawFile(path, encoding=encoding or "utf-8")
    reader = {"encoding": encoding} if encoding else {}
    if re.match(r"\s*(\{|\[\s*\{)", text):
        objects = list(json_objects(file))
        names = dict.fromkeys(name for found in objects for name in found)
        columns = {name: [_as_text(found.get(name)) for found in objects] for name in names}
        return DataFile(path, {"format": "jsonl", **reader}, columns)
    found, differing = _delimited(file, text, delimiter)
    return DataFile(path, {"format": "csv", **reader, **differing}, found)


def _delimited(file: RawFile, text: str, delimiter: str | None) -> tuple[dict[str, list[str]], Entries]:
    """The columns, and how the file is written other than with commas: by the delimiter that makes most of them."""
    header = next((line for line in text.splitlines() if line.strip()), "")
    marks = [delimiter] if delimiter else sorted(_DELIMITERS, key=lambda mark: -header.count(mark))
    found, fault = [], None
    for mark in marks:
        for quoting in (True, False) if mark == "\t" else (True,):  # TSV often has quotes as characters
            try:
                found.append((read_delimited(file, mark, quoting=quoting), mark, quoting))
            except DataError as error:
                fault = fault or error
    # a text that begins with a quote joins its row with others, where quotes enclose nothing
    records, mark, quoting = max(
        found, key=lambda one: (len(one[0].header), len(one[0])), default=(None, "", True)
    )
    if fault and (marks[0] in header or not header) and mark != marks[0]:
        raise fault
    if records is None or len(records.header) < 2:
        remedy = "Write the character between the columns, for example --delimiter '|'."
        if header[:1] == header[-1:] == '"':
            remedy = "If whole lines are in quotes, remove the outer quotes of each."
        raise DataError(
            f"{file.path} has a single column, by each of {', '.join(map(repr, marks))}. {remedy}"
        )
    if len(set(records.header)) < len(records.header):
        raise DataError(
            f"{file.path}: its first line must name each column once; it is {', '.join(map(str, records.header))}."
        )
    differing: Entries = ({} if mark == "," else {"delimiter": mark}) | (
        {} if quoting else {"quoting": False}
    )
    columns = zip(map(str, records.header), records.columns, strict=True)
    return {name: values or [] for name, values in columns}, differing


def _as_text(value: Any) -> str:
    if value is None or value != value:  # NaN
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < float("inf")
    except ValueError:
        return False


def _suggestion(columns: Sequence[str]) -> str:
    return f"it may be {', '.join(columns[:3])}." if columns else "no column looks like one."
