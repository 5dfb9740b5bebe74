"""Results of RewardBench, 1 and 2: a number per subset, or the files of scores with one per pair or prompt."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sentflow.boards.cells import is_missing, number
from sentflow.boards.contents import beginning, json_of
from sentflow.boards.scores import FRACTION, Options, Scores, reader, scores_of

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
    rows = list(_items(value, path) if "id" in value else _subsets(value, path))
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
    for item, subset, score in zip(value["id"], value["subset"], value["results"], strict=True):
        if not is_missing(score):
            yield {**_task(subset), "item": item, "score": number(score, f"{path}, {item}")}


def _task(subset: Any) -> dict[str, str]:
    source = _SOURCE.match(str(subset))
    return {"task": str(subset), "group": source[1] if source else ""}
