"""`sentflow show`: a folder of results, or whatever file of the results tree it is, known by its keys or columns."""

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sentflow.cli.show_folders import folder_blocks
from sentflow.cli.terminal import Block, Facts, listing, more, show_blocks
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError
from sentflow.files.io import parse_json
from sentflow.files.parquet import read_parquet, readable
from sentflow.files.rows import number_or_nan
from sentflow.files.sealed import DIGEST, digest_of
from sentflow.report.costs.rows import CostRow
from sentflow.report.costs.tables import costs
from sentflow.report.families.probing.tables import scores
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import MISSING, decimal, interval, percent
from sentflow.report.table.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

_VIEWERS = {
    ".html": "Open it in a browser",
    ".pdf": "Open it in a viewer",
    ".png": "Open it in a viewer",
    ".svg": "Open it in a browser",
    ".zip": "Unpack it",
}
_METADATA_KEY = b"sentflow"
_TEST = "metric_test"
_CELL_CHARACTERS, _LONG_LIST = 60, 8
_SCORE = {"task", "model", "mean", "metric", "intervals", "published", DIGEST}
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
        show_blocks(folder_blocks(path, fold_scores))
        return
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
    show_blocks(_READERS[path.suffix](path, rows))


# --- JSON, arrays, text -------------------------------------------------------------------------------------


def _json_blocks(path: Path, _rows: int) -> list[Block]:
    """A score file with its intervals; any other file key by key."""
    try:
        content = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path} is not readable JSON ({error}). Delete it and run snakemake again."
        ) from error
    if not isinstance(content, dict):
        return [Facts(str(path), _flat({"value": content}))]
    changed = []
    if content.get(DIGEST) not in (None, digest_of(content)):
        warning = "a number or a name here was changed after the file was written; no table accepts this file"
        changed = [("WARNING", warning)]
    if content.keys() >= {"task", "model", "mean", "intervals", "published"}:
        try:
            return [Facts(f"score {path}", [*_score(content), *changed, *_settings_of_score(content)])]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(
                f"{path} is a damaged score file ({error!r}). Delete it and run snakemake again."
            ) from error
    others = {key: item for key, item in content.items() if key != DIGEST}
    return [Facts(f"{_kind(content)} {path}".strip(), [*changed, *_flat(others)])]


def _score(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    mean = f"{decimal(number_or_nan(content['mean']))} ({content['metric']})"
    items = [("task", content["task"]), ("model", content["model"]), ("score", mean)]
    for name, ends in content["intervals"].items():
        low, high = (number_or_nan(ends[end]) for end in ("low", "high"))
        remark = ", not informative: all folds gave the same score" if ends.get("degenerate") else ""
        items.append((name, f"{interval(low, high)} ({percent(ends['level'])}{remark})"))
    return items


def _settings_of_score(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    published = {
        key: item for key, item in content["published"].items() if not isinstance(item, Sequence | Mapping)
    }
    rest = {key: item for key, item in content.items() if key not in _SCORE}
    return [*_flat(rest), *_flat(published, "published.")]


def _kind(content: Mapping[str, Any]) -> str:
    """What a file of the pipeline is, by the keys that only it has."""
    if "text_order_sha256" in content:
        return "description of embeddings"
    if content.keys() >= {"kind", "files", "dimension"}:
        return "manifest of a model"
    return "acceptance check" if content.keys() >= {"check", "passed"} else ""


def _jsonl_blocks(path: Path, rows: int) -> list[Block]:
    """A table with one row per line, e.g. a benchmark file of Snakemake."""
    try:
        records = [parse_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise DataError(f"{path} is not readable JSON lines ({error}).") from error
    if not records or not all(isinstance(record, dict) for record in records):
        raise DataError(f"{path} has no records: every line must be one JSON object.")
    if len(records) == 1:
        return [Facts(str(path), _flat(records[0]))]
    header = tuple(dict.fromkeys(key for record in records for key in record))
    cells = [tuple(_shown(record.get(key)) for key in header) for record in records[:rows]]
    return [listing(header, cells, caption=str(path), notes=more(len(records), rows))]


def _array_blocks(path: Path, _rows: int) -> list[Block]:
    """Shape and size of embeddings, and the descriptions that lie beside them."""
    import numpy as np

    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(
            f"{path} is not a readable array ({error}). Delete it and run snakemake again."
        ) from error
    facts = [
        ("shape", " × ".join(map(str, array.shape))),
        ("dtype", str(array.dtype)),
        ("size", f"{array.nbytes / 1e6:.1f} MB"),
    ]
    if array.ndim == 2 and len(array):
        lengths = np.sqrt(np.einsum("ij,ij->i", array, array, dtype=np.float64))
        facts.append(("length of a row", f"{lengths.min():.4g} to {lengths.max():.4g}"))
    beside = [file for ending in (".json", ".made.json") if (file := path.with_suffix(ending)).is_file()]
    return [Facts(f"array {path}", facts), *(block for file in beside for block in _json_blocks(file, 0))]


def _csv_blocks(path: Path, rows: int) -> list[Block]:
    """The first rows of a table with a line of names."""
    delimiter = "\t" if path.suffix == ".tsv" else ","
    lines = list(csv.reader(io.StringIO(_text(path), newline=""), delimiter=delimiter))
    if not lines:
        raise DataError(f"{path} is empty.")
    header, *records = lines
    if any(len(record) != len(header) for record in records):
        raise DataError(f"{path} has rows that are longer or shorter than its {len(header)} column names.")
    cells = [tuple(record) for record in records[:rows]]
    return [listing(tuple(header), cells, caption=str(path), notes=more(len(records), rows))]


def _text_blocks(path: Path, _rows: int) -> list[Block]:
    return [_text(path).rstrip("\n")]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not readable text in UTF-8 ({error}).") from error


# --- Parquet ------------------------------------------------------------------------------------------------


def _parquet_blocks(path: Path, rows: int) -> list[Block]:
    """A task table, folds, predictions, a summary, or the first rows of anything else."""
    table, about = _read(path)
    names = set(table.column_names)
    if "classes" in about and {"text_a", "label"} <= names:
        return [Facts(f"task table {path}", _task(table, about)), _first_rows(table, rows)]
    if names >= _FOLDS:
        return _folds(path, table, about)
    if names >= _PREDICTIONS:
        return [_confusion(path, table), _first_rows(table, rows)]
    if names >= {field.name for field in fields(ScoreRow)}:
        return [scores(Inputs([path]), {"caption": str(path)})]
    if names >= {field.name for field in fields(CostRow)}:
        return [costs(Inputs([path]), {"caption": str(path)})]
    return [Facts(str(path), [("rows", f"{len(table):,}"), *_flat(about)]), _first_rows(table, rows)]


def fold_scores(path: Path) -> list[float]:
    """Test scores in a fold file."""
    table, _ = _read(path)
    if not set(table.column_names) >= _FOLDS:
        raise DataError(f"{path} is not a fold file. Delete it and run snakemake again.")
    names, values = _columns(table, "metric", "value")
    return [value for name, value in zip(names, values, strict=True) if name == _TEST]


def _read(path: Path) -> tuple["pa.Table", dict[str, Any]]:
    """A table and what it says about itself."""
    with readable(path, "Parquet file"):
        table = read_parquet(path, any_file=True)
        about = parse_json((table.schema.metadata or {}).get(_METADATA_KEY, b"{}"))
    return table, about if isinstance(about, dict) else {}


def _columns(table: "pa.Table", *names: str) -> list[list[Any]]:
    """Values of columns; those of one that is not there are None."""
    return [
        table.column(name).to_pylist() if name in table.column_names else [None] * len(table)
        for name in names
    ]


def _task(table: "pa.Table", about: dict[str, Any]) -> list[tuple[str, str]]:
    """Classes, and what occurs twice."""
    texts, others, labels = _columns(table, "text_a", "text_b", "label")
    contents, lengths = set(zip(texts, others, strict=True)), [len(text) for text in texts]
    n_with_label = len(set(zip(texts, others, labels, strict=True)))
    counts = sorted(Counter(labels).items())
    facts = [
        *_flat({key: value for key, value in about.items() if key != "classes"}),
        ("rows", f"{len(table):,}"),
        ("rows per class", ", ".join(f"{about['classes'][label]}: {n:,}" for label, n in counts)),
        ("duplicate rows", f"{len(texts) - len(contents):,}"),
        ("texts with several labels", f"{n_with_label - len(contents):,}"),
    ]
    if lengths:
        facts.append(("characters of text a", f"median {median(lengths):g}, longest {max(lengths):,}"))
    return facts


def _folds(path: Path, table: "pa.Table", about: dict[str, Any]) -> list[Block]:
    """One fold: its description and its epochs. Several: the mean test score of each repetition."""
    repetitions, folds, names, values = _columns(
        table, "kfold_repetition", "kfold_partition", "metric", "value"
    )
    keys = set(zip(repetitions, folds, strict=True))
    tests: dict[int, list[float]] = {}
    for repetition, name, value in zip(repetitions, names, values, strict=True):
        if name == _TEST:
            tests.setdefault(repetition, []).append(value)
    if len(keys) == 1:
        ((repetition, fold),) = keys
        facts = [("repetition, fold", f"{repetition}, {fold}")]
        facts += [("test score", decimal(value)) for found in tests.values() for value in found]
        return [Facts(f"fold {path}", [*facts, *_settings(about)]), _epochs(table), _confusion(path, table)]
    cells = [
        (str(repetition), str(len(found)), *map(decimal, (min(found), sum(found) / len(found), max(found))))
        for repetition, found in sorted(tests.items())
    ]
    header = ("Repetition", "Folds", "Lowest", "Mean test score", "Highest")
    return [listing(header, cells, "rrrrr", caption=f"table of {len(keys)} folds {path}")]


def _settings(about: dict[str, Any]) -> list[tuple[str, str]]:
    """What a fold file says about itself; its settings are JSON inside JSON."""
    settings = about.get("settings")
    try:
        return _flat({**about, "settings": parse_json(settings)} if isinstance(settings, str) else about)
    except ValueError:
        return _flat(about)


def _epochs(table: "pa.Table") -> Table:
    by_epoch: dict[int, dict[str, float]] = {}
    for epoch, name, value in zip(*_columns(table, "train_epoch", "metric", "value"), strict=True):
        if epoch > 0:
            by_epoch.setdefault(epoch, {})[name] = value
    names = ("loss_per_epoch_train", "loss_per_epoch_eval", "metric_per_epoch_eval")
    cells = [
        (str(epoch), *(decimal(found.get(name, math.nan), 4) for name in names))
        for epoch, found in sorted(by_epoch.items())
    ]
    return listing(("Epoch", "Training loss", "Evaluation loss", "Evaluation score"), cells, "rrrr")


def _confusion(path: Path, table: "pa.Table") -> Table:
    """Truth × prediction, in rows."""
    # rows of a fold that are scores have neither
    answers = zip(*_columns(table, "truth", "predicted"), strict=True)
    pairs = Counter(pair for pair in answers if None not in pair)
    labels = sorted({label for pair in pairs for label in pair})
    right = sum(n for (truth, predicted), n in pairs.items() if truth == predicted)
    cells = [(str(truth), *(f"{pairs[truth, predicted]:,}" for predicted in labels)) for truth in labels]
    header = ("Truth", *(f"predicted {label}" for label in labels))
    notes = (f"{right:,} of {pairs.total():,} correct.",)
    return listing(header, cells, "l" + "r" * len(labels), caption=f"predictions {path}", notes=notes)


def _first_rows(table: "pa.Table", rows: int) -> Table:
    cells = [tuple(map(_cell, row.values())) for row in table.slice(0, rows).to_pylist()]
    return listing(tuple(table.column_names), cells, notes=more(len(table), rows))


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


def _cell(value: Any) -> str:
    """A value in one line, long texts cut."""
    text = " ".join(_shown(value).split())
    return text if len(text) <= _CELL_CHARACTERS else text[: _CELL_CHARACTERS - 1] + "…"


_READERS: Mapping[str, Callable[[Path, int], list[Block]]] = {
    ".json": _json_blocks,
    ".jsonl": _jsonl_blocks,
    ".parquet": _parquet_blocks,
    ".npy": _array_blocks,
    ".csv": _csv_blocks,
    ".tsv": _csv_blocks,
    **dict.fromkeys((".log", ".md", ".tex", ".txt", ".yaml", ".yml"), _text_blocks),
}
