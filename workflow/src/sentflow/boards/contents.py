"""What files of boards hold: their beginnings, by which they are recognised, and their JSON."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.io import parse_json
from sentflow.files.limits import BOARD_JSON_BYTES
from sentflow.files.parquet_columns import column_names


def beginning(path: Path, size: int = 4096) -> str:
    """The first bytes of a file as text, for a look inside; empty for folders and what cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(size).decode("utf-8", errors="replace")
    except OSError:
        return ""


def has_columns(path: Path, names: Iterable[str]) -> bool:
    """Whether a file is Parquet with these columns."""
    try:
        return path.suffix == ".parquet" and path.is_file() and {*names} <= {*column_names(path)}
    except DataError:
        return False


def json_of(path: Path) -> Any:
    """What a JSON file holds, NaN as float. Raises DataError: it is no JSON, too large, or cannot be read."""
    try:
        if path.stat().st_size > BOARD_JSON_BYTES:
            raise DataError(f"{path} has more than {BOARD_JSON_BYTES} bytes. Name files with scores only.")
        return parse_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise DataError(f"{path} is not readable as JSON: {error}. Download it again.") from error


def json_lines_of(path: Path) -> Iterator[Any]:
    """The values of a file with one JSON value a line. Raises DataError: names the line that is none."""
    n = 0
    try:
        with path.open("rb") as stream:
            while line := stream.readline(BOARD_JSON_BYTES):
                n += 1
                if text := line.decode("utf-8-sig" if n == 1 else "utf-8").strip():
                    yield json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path}, line {n} is not readable as JSON: {error}. Download it again.") from error
