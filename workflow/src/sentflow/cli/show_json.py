"""JSON files and arrays in the terminal; those of the pipeline are known by their keys."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.cli.terminal import Block, Facts, Listing
from sentflow.errors import DataError
from sentflow.files.io import parse_json
from sentflow.files.rows import number_or_nan
from sentflow.files.sealed import DIGEST, digest_of
from sentflow.report.numbers import MISSING, decimal, interval, percent

_LONG_LIST = 8


def json_blocks(path: Path, _rows: int) -> list[Block]:
    """A score file with its intervals; any other file key by key."""
    try:
        value = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path} is not readable JSON ({error}). Delete it and run snakemake again."
        ) from error
    if not isinstance(value, dict):
        return [Facts(str(path), flat({"value": value}))]
    if value.keys() >= {"task", "model", "mean", "intervals", "published"}:
        return [_score(path, value)]
    told = {key: item for key, item in value.items() if key != DIGEST}
    return [Facts(f"{_kind(value)} {path}".strip(), [*_changed(value), *flat(told)])]


def jsonl_blocks(path: Path, rows: int) -> list[Block]:
    """A table with one row per line, e.g. a benchmark file of Snakemake."""
    try:
        records = [parse_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise DataError(f"{path} is not readable JSON lines ({error}).") from error
    if not records or not all(isinstance(record, dict) for record in records):
        raise DataError(f"{path} has no records: every line must be one JSON object.")
    if len(records) == 1:
        return [Facts(str(path), flat(records[0]))]
    header = tuple(dict.fromkeys(key for record in records for key in record))
    cells = [tuple(shown(record.get(key)) for key in header) for record in records[:rows]]
    return [Listing(header, cells, caption=str(path), notes=more(len(records), rows))]


def array_blocks(path: Path, _rows: int) -> list[Block]:
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
    return [Facts(f"array {path}", facts), *(block for file in beside for block in json_blocks(file, 0))]


def flat(value: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Names like ``a.b`` and values as text; empty maps too."""
    found = []
    for key, item in value.items():
        name = f"{prefix}{key}"
        if isinstance(item, Mapping) and item:
            found += flat(item, f"{name}.")
        else:
            found.append((name, shown(item)))
    return found


def shown(value: Any) -> str:
    """A value as a cell: numbers short, long lists as a count, a dash for nothing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return f"{len(value)} values" if len(value) > _LONG_LIST else ", ".join(map(shown, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {shown(item)}" for key, item in value.items()) or "none"
    return str(value)


def more(n: int, rows: int) -> tuple[str, ...]:
    """A note under a table of which only the first rows are shown."""
    return (f"{rows} of {n:,} rows; --rows shows more.",) if n > rows else ()


def _score(path: Path, value: Mapping[str, Any]) -> Facts:
    try:
        items = [
            ("task", value["task"]),
            ("model", value["model"]),
            ("score", f"{decimal(number_or_nan(value['mean']))} ({value['metric']})"),
            *((name, _interval(found)) for name, found in value["intervals"].items()),
            *_changed(value),
        ]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(
            f"{path} is a damaged score file ({error!r}). Delete it and run snakemake again."
        ) from error
    told = {"task", "model", "mean", "metric", "intervals", "published", DIGEST}
    published = {
        key: item for key, item in value["published"].items() if not isinstance(item, Sequence | Mapping)
    }
    rest = flat({key: item for key, item in value.items() if key not in told})
    return Facts(f"score {path}", [*items, *rest, *flat(published, "published.")])


def _changed(value: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A warning about a file that is not as it was written."""
    if value.get(DIGEST) in (None, digest_of(value)):
        return []
    return [
        (
            "WARNING",
            "a number or a name here was changed after the file was written; no table accepts this file",
        )
    ]


def _interval(found: Mapping[str, Any]) -> str:
    low, high = (number_or_nan(found[end]) for end in ("low", "high"))
    remark = ", not informative: all folds gave the same score" if found.get("degenerate") else ""
    return f"{interval(low, high)} ({percent(found['level'])}{remark})"


def _kind(value: Mapping[str, Any]) -> str:
    """What a file of the pipeline is, by the keys that only it has."""
    if "text_order_sha256" in value:
        return "description of embeddings"
    if value.keys() >= {"kind", "files", "dimension"}:
        return "manifest of a model"
    if value.keys() >= {"check", "passed"}:
        return "acceptance check"
    return ""
