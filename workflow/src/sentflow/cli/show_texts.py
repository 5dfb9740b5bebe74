"""Files of text in the terminal."""

import csv
import io
from pathlib import Path

from sentflow.cli.show_json import more
from sentflow.cli.terminal import Block, Listing
from sentflow.errors import DataError


def csv_blocks(path: Path, rows: int) -> list[Block]:
    """The first rows of a table with a line of names."""
    delimiter = "\t" if path.suffix == ".tsv" else ","
    lines = list(csv.reader(io.StringIO(_text(path), newline=""), delimiter=delimiter))
    if not lines:
        raise DataError(f"{path} is empty.")
    header, *records = lines
    if any(len(record) != len(header) for record in records):
        raise DataError(f"{path} has rows that are longer or shorter than its {len(header)} column names.")
    cells = [tuple(record) for record in records[:rows]]
    return [Listing(tuple(header), cells, caption=str(path), notes=more(len(records), rows))]


def text_blocks(path: Path, _rows: int) -> list[Block]:
    """The text as it is."""
    return [_text(path).rstrip("\n")]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not readable text in UTF-8 ({error}).") from error
