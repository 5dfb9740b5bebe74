"""`sentflow show`: a folder of results, or whatever file of the results tree it is, known by its keys or columns."""

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sentflow.cli.terminal import Block, beginning, facts, listing, more, show_blocks
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import ConfigError, DataError
from sentflow.files.io import DIGEST, digest_of_values, parse_json, refuse_edited
from sentflow.files.parquet import read_parquet, readable, repetition_and_fold
from sentflow.files.rows import number_or_nan
from sentflow.files.settings_files import read_settings
from sentflow.flow import paths, products
from sentflow.flow.products import TABLE
from sentflow.report import claims
from sentflow.report.costs.rows import CostRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, decimal, interval
from sentflow.report.table.table import Table, made
from sentflow.runs.folder import HEADLINES, leaves

if TYPE_CHECKING:
    import pyarrow as pa

_VIEWERS = {
    ".html": "Open it in a browser",
    ".pdf": "Open it in a viewer",
    ".png": "Open it in a viewer",
    ".svg": "Open it in a browser",
    ".zip": "Unpack it",
}
_TABLES = ("scores", "sts", "retrieval")
_TEST = "metric_test"
_CURVES = {
    "Training loss": "loss_per_epoch_train",
    "Evaluation loss": "loss_per_epoch_eval",
    "Evaluation score": "metric_per_epoch_eval",
}
_CELL_CHARACTERS, _LONG_LIST = 60, 8
_PREDICTIONS = {"row", "repetition", "fold", "truth", "predicted", "score"}
_FOLDS = {"kfold_repetition", "kfold_partition", "train_epoch", "metric", "value"}


def show(
    path: Annotated[Path, typer.Argument(help="A results folder, or any file in it.")] = Path("results"),
    rows: Annotated[int, typer.Option(min=0, help="Number of rows shown of long tables.")] = 10,
) -> None:
    """Show a results folder, or any file in it.

    For a folder: the table of scores with generalisation intervals; for a file: its contents.
    """
    if path.is_dir():
        show_blocks(*_folder(path))
        return
    if not path.is_file():
        raise DataError(f"there is no {path}. Write the path of a results folder or of a file in it.")
    if path.suffix in _VIEWERS:
        others = " results/tables/*.csv have the same numbers." if path.suffix == ".html" else ""
        raise DataError(f"{path} cannot be shown in a terminal. {_VIEWERS[path.suffix]}.{others}")
    if path.suffix not in _READERS:
        raise DataError(
            f"{path} is of a type that cannot be shown. Write a folder, or a file that ends in "
            f"{', '.join(_READERS)}."
        )
    show_blocks(*_READERS[path.suffix](path, rows))


# --- folders ------------------------------------------------------------------------------------------------


def _folder(folder: Path) -> list[Block]:
    """The scores in a results folder, in the folder that holds it, or in one of score files or folds."""
    results = folder / paths.RESULTS
    if results.is_dir() and not (folder / "scores").is_dir():
        folder = results
    if tables := [*_report_tables(folder)]:
        return ["\n".join(claims.facts(folder)) + "\n", *tables]
    if found := _score_files(folder):
        return [found]
    if folds := sorted(folder.rglob("rep-*/fold-*.parquet")):
        lines = [
            ("/".join(file.relative_to(folder).parts[:-2]), *repetition_and_fold(file.as_posix()), file)
            for file in folds
        ]
        cells = [
            (place, str(repetition), str(fold), " ".join(map(decimal, _test_scores(file))))
            for place, repetition, fold, file in sorted(lines)
        ]
        header = ("Probe", "Repetition", "Fold", "Test score")
        return [listing(header, cells, "lrrr", caption=f"{len(folds)} folds in {folder}")]
    inside = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    raise DataError(
        f"{folder} has no scores, no similarities, no retrieval and no folds. "
        + (f"It contains: {', '.join(inside)}. Add one of these to the path." if inside else "It is empty.")
    )


def _report_tables(results: Path) -> Iterator[Table]:
    try:
        title = str(read_settings(results / "record" / "config.yaml")["experiment"]["title"])
    except (ConfigError, LookupError, TypeError):
        title = str(results)
    for name in _TABLES:
        product = products.find(TABLE, name)
        inputs = Inputs.of(results)
        if any(file.stem == Path(product.reads[0]).stem and len(_read(file)[0]) for file in inputs.files):
            yield made(product, inputs, title)


def _score_files(folder: Path) -> Table | None:
    """Score files without a summary: what was measured × who, or retriever × measure."""
    lines: dict[str, dict[str, str]] = {}
    for file in (
        one for pattern in ("*.json", "*/*.json", "*/*/*.json") for one in sorted(folder.glob(pattern))
    ):
        try:
            content = parse_json(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # a file that is just being written, or none of ours
            continue
        values = leaves(content) if isinstance(content, dict) else {}
        headline = next((key for key in HEADLINES if key in values), None)
        measured = next((values[key] for key in ("task", "pairs", "questions") if key in values), None)
        who = values.get("model", values.get("retriever"))
        if headline and measured and who:
            refuse_edited(file, content)
            if "measures" in content:
                cells = {one: _number(values, f"measures.{one}.mean") for one in content["measures"]}
                lines.setdefault(f"{measured}, {who}", {}).update(cells)
            else:
                ends = [
                    number_or_nan(values.get(f"intervals.generalisation.{end}")) for end in ("low", "high")
                ]
                limits = "" if math.isnan(ends[0]) else interval(ends[0], ends[1])
                lines.setdefault(measured, {})[who] = f"{_number(values, headline)} {limits}".strip()
    if not lines:
        return None
    columns = list(dict.fromkeys(column for cells in lines.values() for column in cells))
    rows = [(line, *(cells.get(one, MISSING) for one in columns)) for line, cells in lines.items()]
    return listing(("", *columns), rows, "l" + "r" * len(columns), caption=f"Scores in {folder}", lead=1)


def _number(values: Mapping[str, Any], key: str) -> str:
    return decimal(number_or_nan(values.get(key)))


# --- JSON, arrays, text -------------------------------------------------------------------------------------


def _json_blocks(path: Path, _rows: int) -> list[Block]:
    with readable(path, "JSON"):
        content = parse_json(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        return [facts(str(path), _flat({"value": content}))]
    changed = []
    if content.get(DIGEST) not in (None, digest_of_values(content)):
        warning = "a number or a name here was changed after the file was written; no table accepts this file"
        changed = [("WARNING", warning)]
    return [facts(str(path), [*changed, *_flat({k: v for k, v in content.items() if k != DIGEST})])]


def _jsonl_blocks(path: Path, rows: int) -> list[Block]:
    with readable(path, "JSON lines"):
        records = [parse_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if not records or not all(isinstance(record, dict) for record in records):
        raise DataError(f"{path} has no records: every line must be one JSON object.")
    if len(records) == 1:
        return [facts(str(path), _flat(records[0]))]
    header = tuple(dict.fromkeys(key for record in records for key in record))
    cells = [tuple(_shown(record.get(key)) for key in header) for record in records[:rows]]
    return [listing(header, cells, caption=str(path), notes=more(len(records), rows))]


def _array_blocks(path: Path, _rows: int) -> list[Block]:
    import numpy as np

    with readable(path, "array"):
        try:
            array = np.load(path, mmap_mode="r", allow_pickle=False)
        except EOFError as error:
            raise ValueError("the file is cut") from error
    items = [
        ("shape", " × ".join(map(str, array.shape))),
        ("dtype", str(array.dtype)),
        ("size", f"{array.nbytes / 1e6:.1f} MB"),
    ]
    if array.ndim == 2 and len(array):
        lengths = np.sqrt(np.einsum("ij,ij->i", array, array, dtype=np.float64))
        items.append(("length of a row", f"{lengths.min():.4g} to {lengths.max():.4g}"))
    beside = [file for ending in (".json", ".made.json") if (file := path.with_suffix(ending)).is_file()]
    return [facts(f"array {path}", items), *(block for file in beside for block in _json_blocks(file, 0))]


def _csv_blocks(path: Path, rows: int) -> list[Block]:
    delimiter = "\t" if path.suffix == ".tsv" else ","
    lines = list(csv.reader(io.StringIO(_text(path), newline=""), delimiter=delimiter))
    if not lines:
        raise DataError(f"{path} is empty.")
    header, *records = lines
    if any(len(record) != len(header) for record in records):
        raise DataError(f"{path} has rows that are longer or shorter than its {len(header)} column names.")
    return [listing(header, records[:rows], caption=str(path), notes=more(len(records), rows))]


def _text_blocks(path: Path, _rows: int) -> list[Block]:
    return [_text(path).rstrip("\n")]


def _text(path: Path) -> str:
    with readable(path, "text in UTF-8"):
        return path.read_text(encoding="utf-8-sig")


# --- Parquet ------------------------------------------------------------------------------------------------


def _parquet_blocks(path: Path, rows: int) -> list[Block]:
    table, about = _read(path)
    names = set(table.column_names)
    if "classes" in about and {"text_a", "label"} <= names:
        return [facts(f"task table {path}", _task(table, about)), _first_rows(table, rows)]
    if names >= _FOLDS:
        return _folds(path, table, about)
    if names >= _PREDICTIONS:
        return [_confusion(path, table), _first_rows(table, rows)]
    for kind, name in ((ScoreRow, "scores"), (CostRow, "costs")):
        if names >= {field.name for field in fields(kind)}:
            return [made(products.find(TABLE, name), Inputs([path]), str(path))]
    return [facts(str(path), [("rows", f"{len(table):,}"), *_flat(about)]), _first_rows(table, rows)]


def _test_scores(path: Path) -> list[float]:
    table, _ = _read(path)
    if not set(table.column_names) >= _FOLDS:
        raise DataError(f"{path} is not a fold file. Delete it and run snakemake again.")
    return [value for name, value in _rows_of(table, "metric", "value") if name == _TEST]


def _read(path: Path) -> tuple["pa.Table", dict[str, Any]]:
    with readable(path, "Parquet file"):
        table = read_parquet(path, any_file=True)
        about = parse_json((table.schema.metadata or {}).get(b"sentflow", b"{}"))
    return table, about if isinstance(about, dict) else {}


def _rows_of(table: "pa.Table", *names: str) -> Iterator[tuple[Any, ...]]:
    """Values of columns, row by row; those of a column that is not there are None."""
    columns = [
        table.column(name).to_pylist() if name in table.column_names else [None] * len(table)
        for name in names
    ]
    return zip(*columns, strict=True)


def _task(table: "pa.Table", about: dict[str, Any]) -> list[tuple[str, str]]:
    """Classes, and what occurs twice."""
    rows = [*_rows_of(table, "text_a", "text_b", "label")]
    contents = {row[:2] for row in rows}
    counts = sorted(Counter(label for *_, label in rows).items())
    items = [
        *_flat({key: value for key, value in about.items() if key != "classes"}),
        ("rows", f"{len(table):,}"),
        ("rows per class", ", ".join(f"{about['classes'][label]}: {n:,}" for label, n in counts)),
        ("duplicate rows", f"{len(rows) - len(contents):,}"),
        ("texts with several labels", f"{len(set(rows)) - len(contents):,}"),
    ]
    if lengths := [len(text) for text, *_ in rows]:
        items.append(("characters of text a", f"median {median(lengths):g}, longest {max(lengths):,}"))
    return items


def _folds(path: Path, table: "pa.Table", about: dict[str, Any]) -> list[Block]:
    """One fold: its description and its epochs. Several: the mean test score of each repetition."""
    rows = [*_rows_of(table, "kfold_repetition", "kfold_partition", "train_epoch", "metric", "value")]
    folds = {row[:2] for row in rows}
    tests: dict[int, list[float]] = {}
    for repetition, _, _, name, value in rows:
        if name == _TEST:
            tests.setdefault(repetition, []).append(value)
    if len(folds) > 1:
        cells = [
            (str(repetition), str(len(found)), *map(decimal, (min(found), fmean(found), max(found))))
            for repetition, found in sorted(tests.items())
        ]
        header = ("Repetition", "Folds", "Lowest", "Mean test score", "Highest")
        return [listing(header, cells, "rrrrr", caption=f"table of {len(folds)} folds {path}")]
    if isinstance(settings := about.get("settings"), str):  # JSON inside JSON
        with readable(path, "fold file"):
            about = {**about, "settings": parse_json(settings)}
    items = [("repetition, fold", f"{repetition}, {fold}") for repetition, fold in folds]
    items += [("test score", decimal(value)) for found in tests.values() for value in found]
    epochs: dict[int, dict[str, float]] = {}
    for _, _, epoch, name, value in rows:
        if epoch > 0:
            epochs.setdefault(epoch, {})[name] = value
    cells = [
        (str(epoch), *(decimal(found.get(name, math.nan), 4) for name in _CURVES.values()))
        for epoch, found in sorted(epochs.items())
    ]
    curves = listing(("Epoch", *_CURVES), cells, "rrrr")
    return [facts(f"fold {path}", [*items, *_flat(about)]), curves, _confusion(path, table)]


def _confusion(path: Path, table: "pa.Table") -> Table:
    """Truth × prediction, in rows; rows of a fold that are scores have neither."""
    pairs = Counter(pair for pair in _rows_of(table, "truth", "predicted") if None not in pair)
    labels = sorted({label for pair in pairs for label in pair})
    right = sum(n for (truth, predicted), n in pairs.items() if truth == predicted)
    cells = [(str(truth), *(f"{pairs[truth, predicted]:,}" for predicted in labels)) for truth in labels]
    header = ("Truth", *(f"predicted {label}" for label in labels))
    notes = (f"{right:,} of {pairs.total():,} correct.",)
    return listing(header, cells, "l" + "r" * len(labels), caption=f"predictions {path}", notes=notes)


def _first_rows(table: "pa.Table", rows: int) -> Table:
    cells = [
        tuple(beginning(_shown(value), _CELL_CHARACTERS) for value in row.values())
        for row in table.slice(0, rows).to_pylist()
    ]
    return listing(table.column_names, cells, notes=more(len(table), rows))


# --- values -------------------------------------------------------------------------------------------------


def _flat(content: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Names like ``a.b`` and values as text; empty maps too."""
    items = []
    for key, item in content.items():
        name = f"{prefix}{key}"
        items += _flat(item, f"{name}.") if isinstance(item, Mapping) and item else [(name, _shown(item))]
    return items


def _shown(value: Any) -> str:
    """A value as a cell: numbers short, long lists as a count, a dash for nothing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return f"{len(value)} values" if len(value) > _LONG_LIST else ", ".join(map(_shown, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_shown(item)}" for key, item in value.items()) or "none"
    return str(value)


_READERS: Mapping[str, Callable[[Path, int], Sequence[Block]]] = {
    ".json": _json_blocks,
    ".jsonl": _jsonl_blocks,
    ".parquet": _parquet_blocks,
    ".npy": _array_blocks,
    ".csv": _csv_blocks,
    ".tsv": _csv_blocks,
    **dict.fromkeys((".log", ".md", ".tex", ".txt", ".yaml", ".yml"), _text_blocks),
}
