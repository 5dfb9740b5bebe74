"""Raw files into records: every format of a file, and which of the keys of a reader it reads."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from sentflow.config import collections, pairs, tasks, trainings
from sentflow.errors import DataError
from sentflow.texts.formats import classic, delimited, documents, json_records
from sentflow.texts.formats.raw import Column, RawFile, Records, parquet_batches, whole

FileReader: TypeAlias = tasks.Reader | pairs.Reader | collections.Records | trainings.Reader
"""What an entry of the catalog says of its files."""

WITHOUT_KEYS: Mapping[str, Callable[[RawFile], Records]] = {
    "arff": delimited.read_arff,
    "assin-xml": documents.read_assin,
    "conll-archive": documents.read_conll_archive,
    "law-questions": json_records.read_law_questions,
    "laws": json_records.read_laws,
    "oab-exam": documents.read_oab_exam,
    "oab-justifications": documents.read_oab_justifications,
    "rasa-intents": json_records.read_rasa_intents,
    "rasa-templates": json_records.read_rasa_templates,
    "slashed": classic.read_slashed,
    "smart": classic.read_smart,
    "squad": json_records.read_squad,
    "statute": documents.read_statute,
    "trec": classic.read_trec_documents,
    "trec-topics": classic.read_trec_topics,
    "turns": json_records.read_turns,
    "whole": delimited.read_whole,
}
"""Formats that say themselves what their columns are."""
_BEIR = {"beir": json_records.beir_text_batches, "beir-judgements": json_records.beir_judgement_batches}
_BATCH_ROWS = 1 << 10


def raw_file(path: Path, reader: FileReader) -> RawFile:
    """A file as a reader says that it is written."""
    return RawFile(path, reader.format, reader.encoding, reader.member)


def read_records(
    path: Path,
    reader: FileReader,
    wanted: Iterable[Column | None] = (),
    *,
    gaps: bool = True,
    joined: str | None = None,
) -> Records:
    """The records of a file.

    `wanted`: columns that will be picked; formats that hold many may leave out the others. `gaps`: whether an object
    of JSON may lack a column, which is then empty. `joined`: what is put between the texts of a cell that is a list;
    None refuses such cells.
    """
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    raw = raw_file(path, reader)
    if reader.format in WITHOUT_KEYS:
        return WITHOUT_KEYS[reader.format](raw)
    if reader.format in _BEIR:
        return whole([*_BEIR[reader.format](raw, rows=_BATCH_ROWS)])
    widths = getattr(reader, "columns", None) or ()
    match reader.format:
        case "csv" | "ulysses-csv" | "tsv" | "blocks":
            (records,) = _delimited(raw, reader, widths=widths)
            return records
        case "jsonl":
            return json_records.read_json_lines(raw, wanted, gaps=gaps, joined=joined)
        case "json":
            return json_records.read_json_list(raw, wanted, gaps=gaps, joined=joined)
        case "yaml":
            return json_records.read_yaml(raw, wanted, joined=joined)
        case "parquet":
            return whole([*parquet_batches(path, wanted, joined=joined)])
        case "spaced":
            return classic.read_spaced(raw, widths)
        case "text-folders":
            return documents.read_text_folders(path, str(reader.root), encoding=reader.encoding)
        case "lines":
            return (
                delimited.read_matched_lines(raw, reader.pattern)
                if reader.pattern
                else next(delimited.line_batches(raw))
            )
    raise ValueError(f"{reader.format} is not read as records")


def record_batches(
    path: Path, reader: FileReader, wanted: Iterable[Column], *, joined: str, rows: int = _BATCH_ROWS
) -> Iterator[Records]:
    """The records of `read_records`, of which about `rows` at a time are in memory, where the format can be read so.

    A file in any other format than ``csv``, ``tsv``, ``jsonl``, ``lines``, ``parquet`` and those of BEIR is a batch.
    """
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    raw, wanted = raw_file(path, reader), [*wanted]
    match reader.format:
        case "csv" | "tsv":
            yield from _delimited(raw, reader, rows=rows)
        case "jsonl":
            yield from json_records.json_line_batches(raw, wanted, joined=joined, rows=rows)
        case "lines" if not reader.pattern:
            yield from delimited.line_batches(raw, rows=rows)
        case "parquet":
            yield from parquet_batches(path, wanted)
        case "beir" | "beir-judgements":
            yield from _BEIR[reader.format](raw, rows=rows)
        case _:
            yield read_records(path, reader, wanted, joined=joined)


def _delimited(
    raw: RawFile, reader: FileReader, *, widths: Sequence[int] = (), rows: int | None = None
) -> Iterator[Records]:
    has_quotes = reader.format in ("csv", "ulysses-csv")
    return delimited.delimited_batches(
        raw,
        reader.delimiter if has_quotes else "\t",
        quoting=has_quotes and getattr(reader, "quoting", True),
        header=getattr(reader, "header", True),
        widths=widths,
        rows=rows,
    )
