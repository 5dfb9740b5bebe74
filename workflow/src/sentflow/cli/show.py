"""Results in the terminal: a folder, or whatever file of the results tree it is."""

from collections.abc import Callable, Mapping
from pathlib import Path

from sentflow.cli import show_folders, show_json, show_parquet, show_texts
from sentflow.cli.terminal import Block, show_blocks
from sentflow.errors import DataError

_READERS: Mapping[str, Callable[[Path, int], list[Block]]] = {
    ".json": show_json.json_blocks,
    ".jsonl": show_json.jsonl_blocks,
    ".parquet": show_parquet.parquet_blocks,
    ".npy": show_json.array_blocks,
    ".csv": show_texts.csv_blocks,
    ".tsv": show_texts.csv_blocks,
    **dict.fromkeys((".log", ".md", ".tex", ".txt", ".yaml", ".yml"), show_texts.text_blocks),
}
_VIEWERS = {
    ".html": "Open it in a browser",
    ".pdf": "Open it in a viewer",
    ".png": "Open it in a viewer",
    ".svg": "Open it in a browser",
    ".zip": "Unpack it",
}


def show(path: Path, *, rows: int) -> None:
    """Print what a folder or file holds.

    Parameters
    ----------
    path
        A results folder, the folder that holds one, or a file.
    rows
        Number of rows shown of long tables.

    Raises
    ------
    DataError
        The path does not exist, is of no kind that can be shown, or is damaged.
    """
    show_blocks(blocks_of(path, rows=rows))


def blocks_of(path: Path, *, rows: int) -> list[Block]:
    """What `show` prints."""
    if path.is_dir():
        return show_folders.folder_blocks(path)
    if not path.is_file():
        raise DataError(
            f"there is no {path}. Write the path of a results folder or of a file in it; results are made by "
            "snakemake."
        )
    if path.suffix in _VIEWERS:
        others = " results/tables/*.csv have the same numbers." if path.suffix == ".html" else ""
        raise DataError(f"{path} cannot be shown in a terminal. {_VIEWERS[path.suffix]}.{others}")
    if path.suffix not in _READERS:
        raise DataError(
            f"{path} is of a type that cannot be shown. Write a folder, or a file that ends in "
            f"{', '.join(_READERS)}."
        )
    return _READERS[path.suffix](path, rows)
