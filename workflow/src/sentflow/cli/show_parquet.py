"""Parquet files in the terminal; those of the pipeline are known by their metadata and columns."""

from collections import Counter
from dataclasses import fields
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa

from sentflow.cli.report_tables import table_listing
from sentflow.cli.show_json import flat, more, shown
from sentflow.cli.terminal import Block, Facts, Listing
from sentflow.compare.score_rows import ScoreRow
from sentflow.errors import DataError
from sentflow.files.io import parse_json
from sentflow.files.parquet import read_parquet, readable
from sentflow.report.costs.rows import CostRow
from sentflow.report.costs.tables import costs
from sentflow.report.families.probing.tables import scores
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import decimal

_METADATA_KEY = b"sentflow"
_TEST = "metric_test"
_CELL_CHARACTERS = 60
_PREDICTIONS = {"row", "repetition", "fold", "truth", "predicted", "score"}
_FOLDS = {"kfold_repetition", "kfold_partition", "train_epoch", "metric", "value"}


def parquet_blocks(path: Path, rows: int) -> list[Block]:
    """A task table, folds, predictions, a summary, or the first rows of anything else."""
    table, about = _read(path)
    names = set(table.column_names)
    if "classes" in about and {"text_a", "label"} <= names:
        return _task(path, table, about, rows)
    if names >= _FOLDS:
        return _folds(path, table, about)
    if names >= _PREDICTIONS:
        return [_confusion(path, table), _first_rows(table, rows)]
    if names >= {field.name for field in fields(ScoreRow)}:
        return [table_listing(scores(Inputs([path]), {"caption": str(path)}))]
    if names >= {field.name for field in fields(CostRow)}:
        return [table_listing(costs(Inputs([path]), {"caption": str(path)}))]
    return [
        Facts(str(path), [("rows", f"{len(table):,}"), *flat(about)]),
        _first_rows(table, rows),
    ]


def fold_scores(path: Path) -> list[float]:
    """Test scores in a fold file."""
    table, _ = _read(path)
    if not set(table.column_names) >= _FOLDS:
        raise DataError(f"{path} is not a fold file. Delete it and run snakemake again.")
    return _test_values(table)


def _read(path: Path) -> tuple[pa.Table, dict[str, Any]]:
    """A table and what it says about itself."""
    with readable(path, "Parquet file"):
        table = read_parquet(path, any_file=True)
        about = parse_json((table.schema.metadata or {}).get(_METADATA_KEY, b"{}"))
    return table, about if isinstance(about, dict) else {}


def _task(path: Path, table: pa.Table, about: dict[str, Any], rows: int) -> list[Block]:
    texts, labels = table.column("text_a").to_pylist(), table.column("label").to_pylist()
    classes = about["classes"]
    counts = Counter(labels)
    lengths = [len(text) for text in texts]
    contents = list(zip(texts, _column(table, "text_b"), strict=True))
    with_label = set(zip(contents, labels, strict=True))
    facts = [
        *flat({key: value for key, value in about.items() if key != "classes"}),
        ("rows", f"{len(table):,}"),
        ("rows per class", ", ".join(f"{classes[label]}: {n:,}" for label, n in sorted(counts.items()))),
        ("duplicate rows", f"{len(contents) - len(set(contents)):,}"),
        ("texts with several labels", f"{len(with_label) - len(set(contents)):,}"),
    ]
    if lengths:
        facts.append(("characters of text a", f"median {median(lengths):g}, longest {max(lengths):,}"))
    return [Facts(f"task table {path}", facts), _first_rows(table, rows)]


def _column(table: pa.Table, name: str) -> list[Any]:
    return table.column(name).to_pylist() if name in table.column_names else [None] * len(table)


def _folds(path: Path, table: pa.Table, about: dict[str, Any]) -> list[Block]:
    """One fold: its description and its epochs. Several: the mean test score of each repetition."""
    repetitions = table.column("kfold_repetition").to_pylist()
    keys = set(zip(repetitions, table.column("kfold_partition").to_pylist(), strict=True))
    if len(keys) == 1:
        ((repetition, fold),) = keys
        facts = [("repetition, fold", f"{repetition}, {fold}")]
        facts += [("test score", decimal(value)) for value in _test_values(table)]
        return [Facts(f"fold {path}", [*facts, *_settings(about)]), _epochs(table), _confusion(path, table)]
    names, values = table.column("metric").to_pylist(), table.column("value").to_pylist()
    by_repetition: dict[int, list[float]] = {}
    for repetition, name, value in zip(repetitions, names, values, strict=True):
        if name == _TEST:
            by_repetition.setdefault(repetition, []).append(value)
    cells = [
        (str(repetition), str(len(found)), *map(decimal, (min(found), sum(found) / len(found), max(found))))
        for repetition, found in sorted(by_repetition.items())
    ]
    header = ("Repetition", "Folds", "Lowest", "Mean test score", "Highest")
    return [Listing(header, cells, "rrrrr", caption=f"table of {len(keys)} folds {path}")]


def _settings(about: dict[str, Any]) -> list[tuple[str, str]]:
    """What a fold file says about itself; its settings are JSON inside JSON."""
    settings = about.get("settings")
    try:
        return flat({**about, "settings": parse_json(settings)} if isinstance(settings, str) else about)
    except ValueError:
        return flat(about)


def _epochs(table: pa.Table) -> Listing:
    columns = (table.column(name).to_pylist() for name in ("train_epoch", "metric", "value"))
    by_epoch: dict[int, dict[str, float]] = {}
    for epoch, name, value in zip(*columns, strict=True):
        if epoch > 0:
            by_epoch.setdefault(epoch, {})[name] = value
    names = ("loss_per_epoch_train", "loss_per_epoch_eval", "metric_per_epoch_eval")
    cells = [
        (str(epoch), *(decimal(found.get(name, float("nan")), 4) for name in names))
        for epoch, found in sorted(by_epoch.items())
    ]
    return Listing(("Epoch", "Training loss", "Evaluation loss", "Evaluation score"), cells, "rrrr")


def _test_values(table: pa.Table) -> list[float]:
    names, values = table.column("metric").to_pylist(), table.column("value").to_pylist()
    return [value for name, value in zip(names, values, strict=True) if name == _TEST]


def _confusion(path: Path, table: pa.Table) -> Listing:
    """Truth × prediction, in rows."""
    answers = zip(table.column("truth").to_pylist(), table.column("predicted").to_pylist(), strict=True)
    pairs = Counter(
        pair for pair in answers if None not in pair
    )  # rows of a fold that are scores have neither
    labels = sorted({label for pair in pairs for label in pair})
    right = sum(n for (truth, predicted), n in pairs.items() if truth == predicted)
    cells = [(str(truth), *(f"{pairs[truth, predicted]:,}" for predicted in labels)) for truth in labels]
    return Listing(
        ("Truth", *(f"predicted {label}" for label in labels)),
        cells,
        "l" + "r" * len(labels),
        caption=f"predictions {path}",
        notes=(f"{right:,} of {pairs.total():,} correct.",),
    )


def _first_rows(table: pa.Table, rows: int) -> Listing:
    header = tuple(table.column_names)
    cells = [tuple(_cell(value) for value in row.values()) for row in table.slice(0, rows).to_pylist()]
    return Listing(header, cells, notes=more(len(table), rows))


def _cell(value: Any) -> str:
    """A value in one line, long texts cut."""
    text = " ".join(shown(value).split())
    return text if len(text) <= _CELL_CHARACTERS else text[: _CELL_CHARACTERS - 1] + "…"
