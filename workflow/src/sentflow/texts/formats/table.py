"""Raw files into records: every format of a file, and which of the keys of a reader it reads."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from sentflow.config import collections, pairs, tasks, trainings
from sentflow.errors import DataError
from sentflow.texts.formats.classic import (
    read_slashed,
    read_smart,
    read_spaced,
    read_trec_documents,
    read_trec_topics,
)
from sentflow.texts.formats.delimited import (
    delimited_batches,
    line_batches,
    read_arff,
    read_matched_lines,
    read_whole,
)
from sentflow.texts.formats.documents import (
    read_assin,
    read_conll_archive,
    read_oab_exam,
    read_oab_justifications,
    read_statute,
    read_text_folders,
)
from sentflow.texts.formats.json_records import (
    beir_judgement_batches,
    beir_text_batches,
    json_line_batches,
    read_json_lines,
    read_json_list,
    read_law_questions,
    read_laws,
    read_rasa_intents,
    read_rasa_templates,
    read_squad,
    read_turns,
    read_yaml,
)
from sentflow.texts.formats.raw import (
    Column,
    RawFile,
    Records,
    parquet_batches,
    whole,
)

FileReader: TypeAlias = tasks.Reader | pairs.Reader | collections.Records | trainings.Reader
"""What an entry of the catalog says of its files."""

WITHOUT_KEYS: Mapping[str, Callable[[RawFile], Records]] = {
    "arff": read_arff,
    "assin-xml": read_assin,
    "conll-archive": read_conll_archive,
    "law-questions": read_law_questions,
    "laws": read_laws,
    "oab-exam": read_oab_exam,
    "oab-justifications": read_oab_justifications,
    "rasa-intents": read_rasa_intents,
    "rasa-templates": read_rasa_templates,
    "slashed": read_slashed,
    "smart": read_smart,
    "squad": read_squad,
    "statute": read_statute,
    "trec": read_trec_documents,
    "trec-topics": read_trec_topics,
    "turns": read_turns,
    "whole": read_whole,
}
"""Formats that say themselves what their columns are."""
_BEIR = {"beir": beir_text_batches, "beir-judgements": beir_judgement_batches}
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
            return read_json_lines(raw, wanted, gaps=gaps, joined=joined)
        case "json":
            return read_json_list(raw, wanted, gaps=gaps, joined=joined)
        case "yaml":
            return read_yaml(raw, wanted, joined=joined)
        case "parquet":
            return whole([*parquet_batches(path, wanted, joined=joined)])
        case "spaced":
            return read_spaced(raw, widths)
        case "text-folders":
            return read_text_folders(path, str(reader.root), encoding=reader.encoding)
        case "lines":
            return read_matched_lines(raw, reader.pattern) if reader.pattern else next(line_batches(raw))
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
            yield from json_line_batches(raw, wanted, joined=joined, rows=rows)
        case "lines" if not reader.pattern:
            yield from line_batches(raw, rows=rows)
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
    return delimited_batches(
        raw,
        reader.delimiter if has_quotes else "\t",
        quoting=has_quotes and getattr(reader, "quoting", True),
        header=getattr(reader, "header", True),
        widths=widths,
        rows=rows,
    )
