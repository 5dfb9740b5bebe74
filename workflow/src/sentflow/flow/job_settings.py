"""How settings and names reach a rule: as text that Snakemake compares reliably."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from sentflow.compare.settings import ModelTitle
from sentflow.config.model import Settings


def one_of(names: Iterable[str]) -> str:
    """Regular expression that matches exactly these names; nothing at all if there are none.

    Snakemake reads the expression anew for every file of every job. So names with the same parts behind their first
    slash share these: thousands of snapshots of many trainings are as long as one training's and the others' names.
    """
    tails: dict[str, dict[str, None]] = {}
    for name in names:
        head, slash, rest = name.partition("/")
        tails.setdefault(head, {})[slash + rest] = None
    heads: dict[tuple[str, ...], list[str]] = {}
    for head, found in tails.items():
        heads.setdefault(tuple(found), []).append(head)
    parts = [
        "|".join(map(re.escape, ones)) if ends == ("",) else _any_of(ones) + _any_of(ends)
        for ends, ones in heads.items()
    ]
    return "|".join(parts) or "(?!)"


def _any_of(texts: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, texts))})"


def pick(entry: Mapping[str, Any] | Settings, *keys: str) -> dict[str, Any]:
    found = dict(entry)
    return {key: found[key] for key in keys}


def pick_known(entry: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: entry[key] for key in keys if key in entry}


def described_models(models: Mapping[str, Mapping[str, Any]]) -> dict[str, ModelTitle]:
    """What summaries say of each model of a selection: title, whether it is a control, and its position.

    Figures choose colours by the position, which counts encoders and controls apart: another control gives no encoder
    another colour.
    """
    found: dict[str, ModelTitle] = {}
    counts = {False: 0, True: 0}
    for name, entry in models.items():
        is_control = bool(entry.get("control", False))
        title = entry.get("title", name)
        found[name] = ModelTitle(title=title, control=is_control, position=counts[is_control])
        counts[is_control] += 1
    return found


def json_text(value: Any) -> str:
    """JSON with sorted keys, so that equal settings are equal text."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
