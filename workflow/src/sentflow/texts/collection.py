"""The distinct texts of a dataset: what an encoder is given, once."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sentflow.errors import DataError
from sentflow.files.arrow import table_of
from sentflow.files.io import atomic, refuse_changed
from sentflow.texts.table import TaskTable, texts_to_embed


def distinct_texts(tables: Iterable[TaskTable]) -> list[str]:
    """Texts of all tables, each once, in order of first occurrence."""
    return list(dict.fromkeys(text for table in tables for text in texts_to_embed(table)))


def texts_of_sides(table: TaskTable) -> tuple[list[str], list[str]]:
    """The distinct first texts of a task, and its distinct second texts or alternatives, in order of occurrence."""
    texts_b = [text for row in range(len(table)) for text in table.second_texts(row)]
    return list(dict.fromkeys(table.text_a)), list(dict.fromkeys(texts_b))


def rows_of(texts: Sequence[str]) -> dict[str, int]:
    """Text → its row in an array of embeddings.

    Raises
    ------
    ValueError
        A text occurs twice, so that the rows would not be those of distinct texts.
    """
    rows = {text: row for row, text in enumerate(texts)}
    if len(rows) != len(texts):
        raise ValueError(f"{len(texts)} texts, but only {len(rows)} distinct ones")
    return rows


def write_texts(path: Path | str, texts: Sequence[str]) -> None:
    """Write texts as Parquet with the one column text."""
    with atomic(path) as part:
        pq.write_table(table_of({"text": texts}), part)


def read_texts(path: Path | str) -> list[str]:
    """Read what `write_texts` wrote.

    Raises
    ------
    DataError
        The file is missing or damaged, has no column text, or is not that of the digest beside it.
    """
    try:
        refuse_changed(Path(path))
        texts: list[str] = pq.ParquetFile(path).read(columns=["text"]).column("text").to_pylist()
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise DataError(
            f"{path} is not a readable list of texts ({error}). Delete it and run snakemake again."
        ) from error
    return texts
