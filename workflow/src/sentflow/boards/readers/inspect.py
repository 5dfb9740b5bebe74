"""Logs of inspect_ai, as zip (``.eval``) or JSON: the score of each sample, reduced over its epochs as in the log."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from sentflow.boards.cells import name_of
from sentflow.boards.contents import beginning, json_of
from sentflow.boards.scores import FRACTION, Options, Scores, board_reader, scores_of
from sentflow.errors import DataError, listed
from sentflow.files.archives.members import member_names, read_members
from sentflow.files.io import parse_json

_LOG = re.compile(r'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:')
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_HEADER, _SUMMARIES, _REDUCTIONS = "header.json", "summaries.json", "reductions.json"


def _recognises(path: Path) -> bool:
    start = beginning(path) if path.suffix in (".eval", ".json") else ""
    return start.startswith("PK") if path.suffix == ".eval" else bool(_LOG.match(start))


@board_reader("inspect_ai", _recognises)
def _read(paths: Sequence[Path], options: Options) -> Scores:  # noqa: ARG001 - each reader has it
    logs, notes, failed = [], [], []
    for path in paths:
        log = _log(path)
        if log.get("status") != "success" or log.get("invalidated"):
            failed.append(f"{path} ({'invalidated' if log.get('invalidated') else log.get('status')})")
        else:
            logs.append((path, log, log["eval"]))
    if failed and not logs:
        raise DataError(
            f"no log of a finished evaluation: {listed(failed)}. Run it again with `inspect eval-retry`."
        )
    if failed:
        notes.append(f"Left out as unfinished or invalidated: {listed(failed)}.")
    rows: list[dict[str, Any]] = []
    for path, log, about in logs:
        task, given = str(about.get("task")), about.get("task_args") or {}
        if any(own.get("task") == task and (own.get("task_args") or {}) != given for _, _, own in logs):
            task += f" ({', '.join(f'{key}={value}' for key, value in given.items())})"  # another task
        told = {"model": about.get("model"), "task": task, "file": str(path)}
        means = _means(log)
        fractions = {name for name, metrics in means.items() if "accuracy" in metrics}
        for metric, item, score in _scores(log, means):
            unit = FRACTION if metric in fractions else ""
            rows.append({**told, "metric": metric, "item": item, "unit": unit, "score": score})
        if errors := sum(bool(sample.get("error")) for sample in log.get("samples") or ()):
            notes.append(f"{path.name}: {errors} samples ended in an error and have no score.")
    return scores_of(rows, notes)


def _log(path: Path) -> Mapping[str, Any]:
    """The map of a log; of a zip, its header with summaries as samples."""
    if path.suffix == ".eval":
        try:
            names = [name for name in (_HEADER, _SUMMARIES, _REDUCTIONS) if name in member_names(path)]
            parts = {name: parse_json(content) for name, content in read_members(path, names)}
        except (DataError, ValueError) as error:
            raise DataError(f"{path}: {error}. Copy the log again.") from error
        log = parts.get(_HEADER, {"status": "without a header", "eval": {}})
        value = log and {**log, "samples": parts.get(_SUMMARIES), "reductions": parts.get(_REDUCTIONS)}
    else:
        value = json_of(path)
    return value


def _means(log: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Scorer → its metrics of a log that are the mean over its samples; accuracy is a fraction."""
    return {
        _name(score.get("name"), score.get("reducer")): score.get("metrics") or {}
        for score in (log.get("results") or {}).get("scores") or ()
    }


def _scores(log: Mapping[str, Any], means: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    """Metric, item (empty for the mean over all) and score."""
    for name, metrics in means.items():
        if mean := metrics.get("accuracy", metrics.get("mean")):
            yield from ((name, "", value) for _, value in _numbers(mean.get("value")))
    for reduction in log.get("reductions") or ():
        name = _name(reduction.get("scorer"), reduction.get("reducer"))
        for sample in reduction.get("samples") or ():
            for key, value in _numbers(sample.get("value")):
                yield name + key, name_of(sample.get("sample_id")), value
    if log.get("reductions"):
        return
    epochs: dict[tuple[str, str], list[float]] = {}
    for sample in log.get("samples") or ():
        for scorer, score in (sample.get("scores") or {}).items() if not sample.get("error") else ():
            for key, value in _numbers(score.get("value") if isinstance(score, dict) else score):
                epochs.setdefault((scorer + key, name_of(sample.get("id"))), []).append(value)
    for (name, item), values in epochs.items():
        yield name, item, fmean(values)


def _numbers(value: Any) -> Iterator[tuple[str, float]]:
    """What stands behind the scorer's name, and the number; nothing of what is not scored or no number."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from ((f"/{key}{deeper}", number) for deeper, number in _numbers(inner))
    elif isinstance(value, str):
        yield from (("", _LETTERS[value]) for _ in range(value in _LETTERS))
    elif isinstance(value, int | float) and not math.isnan(value):
        yield "", float(value)


def _name(scorer: Any, reducer: Any) -> str:
    return f"{scorer}" if reducer in (None, "mean") else f"{scorer} ({reducer})"
