"""Results of RewardBench, 1 and 2: a number per subset, or the files of scores with one per pair or prompt."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sentflow.boards.scores import (
    FRACTION,
    Options,
    Scores,
    beginning,
    is_missing,
    json_of,
    number,
    reader,
    scores_of,
)
from sentflow.errors import DataError

_ABOUT = ("model", "model_type", "chat_template")
_ITEMS = re.compile(r'\s*\{\s*"chat_template"\s*:\s*("[^"]*"|null)\s*,\s*"id"\s*:\s*\[')
# Subsets of the first version that were made of the same data
_SOURCE = re.compile(r"(alpacaeval|mt-bench|llmbar|refusals|xstest|hep)-")


def _recognises(path: Path) -> bool:
    start = beginning(path) if path.suffix == ".json" else ""
    return bool(_ITEMS.match(start)) or all(f'"{key}"' in start for key in _ABOUT)


@reader("RewardBench", _recognises)
def _read(path: Path, options: Options) -> Scores:  # noqa: ARG001 - each reader has it
    value = json_of(path)
    if not isinstance(value, dict) or not value.get("model"):
        raise DataError(f"{path} names no model. Write it as `model` at the top of the file.")
    rows = list(_items(value, path) if isinstance(value.get("id"), list) else _subsets(value, path))
    if not rows:
        raise DataError(f"{path} holds no scores of subsets. Download the file again.")
    about = {"model": value["model"], "metric": "accuracy", "higher_is_better": True, "unit": FRACTION}
    notes = []
    if any(row["group"] for row in rows):
        notes.append("RewardBench weights its subsets within sections; here each subset counts the same.")
    return scores_of([{**about, **row} for row in rows], notes)


def _subsets(value: dict[str, Any], path: Path) -> Iterator[dict[str, Any]]:
    for subset, score in value.items():
        if not isinstance(score, str):  # what is said of the model
            yield {**_task(subset), "score": number(score, f"{path}, {subset}")}


def _items(value: dict[str, Any], path: Path) -> Iterator[dict[str, Any]]:
    """A row per pair or prompt; the prompts of Ties have a score together only."""
    columns = [value.get(name) for name in ("id", "subset", "results")]
    if (
        not all(isinstance(column, list) for column in columns)
        or len({len(column or ()) for column in columns}) > 1
    ):
        raise DataError(
            f"{path}: id, subset and results are not lists of one length. Download the file again."
        )
    for item, subset, score in zip(*map(list, columns), strict=True):  # type: ignore[arg-type]
        if not is_missing(score):
            yield {**_task(subset), "item": item, "score": number(score, f"{path}, {item}")}


def _task(subset: Any) -> dict[str, str]:
    source = _SOURCE.match(str(subset))
    return {"task": str(subset), "group": source[1] if source else ""}
