"""Results of MTEB: a file per task in a folder per model and revision, as in caches and clones, or the long export.

The main score of a task is the plain mean over its subsets and splits, of which files hold more or fewer than a board
counts: splits are those of the task's definition, subsets those that all models have.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

from sentflow.boards.cells import is_missing, number
from sentflow.boards.contents import beginning, has_columns, json_of
from sentflow.boards.scores import FRACTION, Options, Scores, board_reader, of_form, scores_of
from sentflow.errors import DataError, listed
from sentflow.files.parquet_columns import column_batches

_KEYS = re.compile(r'"(mteb_version|mteb_dataset_name|main_score)"')
_PREDICTIONS = "_predictions.json"
_META = "model_meta.json"
_LONG = ("model_name", "model_revision", "task_name", "split", "subset", "score")
_SPEED = {"CPUSpeedTask", "GPUSpeedTask"}
_REVISION = re.compile(r"[0-9a-f]{7,40}|no_revision_available|external|v?\d[\d.]*")
_NO_REVISION = {"", "external", "no_revision_available", "no_revision"}
# Maps of metrics in files before 1.11; other maps in a split are subsets
_NESTED = {"cos_sim", "dot", "dot_score", "euclidean", "manhattan", "max", "similarity"}
_OLD_NAMES = {
    "cosine_spearman": ("cos_sim.spearman",),
    "cosine_pearson": ("cos_sim.pearson",),
    "max_ap": ("max.ap", "cos_sim.ap"),
    "max_accuracy": ("max.accuracy", "cos_sim.accuracy"),
    "map_at_1000": ("map",),
    "max_over_subqueries_map_at_1000": ("map",),
}
# Main metrics then, the surest first, of tasks that are called differently today
_OLD_METRICS = ("cos_sim.spearman", "max.ap", "ndcg_at_10", "map", "v_measure", "accuracy")
_SAME = 1e-6
_SHOWN = 4
_Part = tuple[str, str]  # split and subset


@dataclass(frozen=True)
class _Run:
    """A task of a model in one file."""

    model: str
    task: str
    file: str
    metric: str
    order: tuple[Any, ...]  # what mteb prefers of several revisions is smallest
    parts: dict[_Part, float]


def _is_result(path: Path) -> bool:
    if path.suffix != ".json" or path.name == _META:
        return has_columns(path, _LONG)
    return path.name.endswith(_PREDICTIONS) or bool(_KEYS.search(beginning(path, 1 << 16)))


def _recognises(path: Path) -> bool:
    """A file, or a folder of files of a model, with those of experiments below it."""
    if not path.is_dir():
        return _is_result(path)
    return (path / _META).is_file() or any(_is_result(file) for file in sorted(path.glob("*.json"))[:3])


@board_reader("MTEB", _recognises)
def _read(paths: Sequence[Path], options: Options) -> Scores:
    files = [file for path in paths for file in (sorted(path.rglob("*.json")) if path.is_dir() else [path])]
    results = [file for file in files if _is_result(file) and not file.name.endswith(_PREDICTIONS)]
    if not results:
        raise DataError(
            f"{[*files, *paths][0]} holds no scores of a task. Name the result files of MTEB. If it holds rankings, "
            "write them as TREC run files and name the judgements too."
        )
    runs: list[_Run] = []
    notes = []
    for file in results:
        runs += _of_export(file) if file.suffix == ".parquet" else [_of_file(file, options)]
    if speed := sorted({run.task for run in runs} & _SPEED):
        notes.append(f"Dropped because they measure speed: {listed(speed)}.")
    runs = sorted((run for run in runs if run.task not in _SPEED), key=lambda run: run.order)
    if options.duplicates == "first":
        notes.append("Of several revisions in MTEB's files, a named one and the newest version come first.")
    rows: list[dict[str, Any]] = []
    narrowed, other_splits, apart = [], [], []
    for task, own in _by_task(runs, options).items():
        kept, common = _in_common(task, own, options)
        if not common and task not in options.without:
            apart += _apart(task, [run for run in kept if run.model not in options.without])
        if any(split not in _defined(task)[0] for split, _ in common):
            other_splits.append(task)
        if common and (widest := max(len(run.parts) for run in kept)) > len(common):
            narrowed.append(f"{task} ({len(common)} of {widest})")
        for run in kept:
            about = {"model": run.model, "task": task, "metric": run.metric, "file": run.file}
            score = fmean(map(run.parts.__getitem__, common)) if common and common <= {*run.parts} else None
            rows.append({**about, "higher_is_better": True, "unit": FRACTION, "score": score})
    if apart:
        raise DataError(
            f"no subset is common to the models that have a task: {listed(apart, _SHOWN)}. Choose one with --tasks "
            "TASK:SUBSET, or leave out the task or the models that lack it by --without."
        )
    if narrowed:
        notes.append(f"Means over the splits and subsets that all models have: {listed(narrowed)}.")
    if other_splits:
        notes.append(f"Not on the split of the task's definition, which no file has: {listed(other_splits)}.")
    return scores_of(rows, notes)


def _by_task(runs: Sequence[_Run], options: Options) -> dict[str, list[_Run]]:
    """Task → its runs; ``task:subset`` (or split, or split/subset) of `Options.tasks` is a task of its own."""
    found: dict[str, list[_Run]] = {}
    named: dict[str, list[str]] = {}
    for name in options.tasks:
        named.setdefault(name.split(":")[0], []).append(name)
    for run in runs:
        for task in sorted(named.get(run.task, [] if named else [run.task])):
            part = task.partition(":")[2]
            kept = {
                (split, subset): score
                for (split, subset), score in run.parts.items()
                if part in ("", split, subset, f"{split}/{subset}")
            }
            if kept or not part:
                found.setdefault(task, []).append(replace(run, task=task, parts=kept))
    return found


def _in_common(task: str, runs: Sequence[_Run], options: Options) -> tuple[list[_Run], set[_Part]]:
    """Runs with their scored parts of the right splits, and the parts that all models have, by their widest runs."""
    splits, _ = _defined(task)
    scored = [{part: score for part, score in run.parts.items() if not math.isnan(score)} for run in runs]
    if any(split in splits for parts in scored for split, _ in parts):
        scored = [{part: score for part, score in parts.items() if part[0] in splits} for parts in scored]
    own = [replace(run, parts=parts) for run, parts in zip(runs, scored, strict=True)]
    widest: dict[str, set[_Part]] = {}
    for run in own:
        if len(run.parts) > len(widest.get(run.model, ())) and run.model not in options.without:
            widest[run.model] = {*run.parts}
    common = set.intersection(*widest.values()) if widest else set()
    # a narrower run beside a whole one of the same model says nothing
    whole = {run.model for run in own if common <= {*run.parts}}
    return [run for run in own if run.model not in whole or common <= {*run.parts}], common


def _apart(task: str, runs: Sequence[_Run]) -> list[str]:
    """The subsets of most models, if any has scores."""
    counts = Counter(subset for _, subset in {(run.model, part[1]) for run in runs for part in run.parts})
    said = "; ".join(f"{subset} of {n} models" for subset, n in counts.most_common(_SHOWN))
    return [f"{task} ({said})"] if counts else []


@of_form
def _of_file(path: Path, options: Options) -> _Run:
    """What a file of any version says of a task."""
    value = json_of(path)
    task = str(value.get("task_name") or value.get("mteb_dataset_name") or path.stem)
    model, revision = _model_of(path)
    entries = list(_entries(value))
    metric, key = _defined(task)[1], options.metric_of.get(task, options.metric)
    names = ["main_score", metric, *_OLD_NAMES.get(metric, () if task in _definitions() else _OLD_METRICS)]
    if key and all(key in entry for _, _, entry in entries):
        metric, names = key, [key]
    parts: dict[_Part, float] = {}
    for split, subset, entry in entries:
        found = next((entry[name] for name in names if not is_missing(entry.get(name))), None)
        _add(parts, (split, subset), number(found, f"{path}, {split}, {subset}"), path)
    date = value.get("date")
    order = _order(revision, str(value.get("mteb_version") or ""), date if isinstance(date, float) else 0.0)
    return _Run(model, task, str(path), metric, order, parts)


def _entries(value: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Split, subset and scores by metric, those of maps by ``map.metric``."""
    splits = value.get("scores", {key: own for key, own in value.items() if isinstance(own, dict)})
    for split, own in splits.items():
        if isinstance(own, list):
            yield from ((split, str(entry.get("hf_subset", "default")), entry) for entry in own)
        elif isinstance(own, dict):
            subsets = {key: one for key, one in own.items() if isinstance(one, dict) and key not in _NESTED}
            for subset, one in (subsets or {"default": own}).items():
                nested = {key: inner for key, inner in one.items() if isinstance(inner, dict)}
                flat = {f"{key}.{name}": x for key, inner in nested.items() for name, x in inner.items()}
                yield split, subset, {**one, **flat}


def _of_export(path: Path) -> list[_Run]:
    """The runs in the long export."""
    parts: dict[tuple[str, str, str], dict[_Part, float]] = {}
    for batch in column_batches(path, _LONG):
        for model, revision, task, split, subset, score in zip(*(batch[name] for name in _LONG), strict=True):
            own = parts.setdefault((str(model), str(revision or ""), str(task)), {})
            _add(own, (str(split), str(subset)), number(score, f"{path}, {model}, {task}"), path)
    return [
        _Run(model, task, f"{path}, revision {revision}", _defined(task)[1], _order(revision), own)
        for (model, revision, task), own in parts.items()
    ]


def _order(revision: str, version: str = "", date: float = 0.0) -> tuple[Any, ...]:
    """Smallest for what mteb prefers: a named revision, a known version, the newest one (the end of a range)."""
    numbers = [-int(part) for part in re.findall(r"\d+", version.split("-")[-1])]
    return revision in _NO_REVISION, not version, numbers, -date


def _add(parts: dict[_Part, float], part: _Part, score: float, path: Path) -> None:
    """Add a score; a subset may be repeated with the same one."""
    before = parts.get(part, math.nan)
    if abs(before - score) > _SAME:
        raise DataError(
            f"{path} has subset {part[1]} of {part[0]} twice, with {before:g} and {score:g}. Delete the wrong one."
        )
    parts[part] = score if math.isnan(before) else before


def _model_of(path: Path) -> tuple[str, str]:
    """Name and revision of a file's model: from `model_meta.json`, else from the names of folders."""
    folder, changed = path.parent, ""
    own = json_of(folder / _META) if (folder / _META).is_file() else {}
    if folder.parent.name == "experiments":
        kwargs = own.get("experiment_kwargs") or {}
        changed = ", ".join(f"{key}={value}" for key, value in sorted(kwargs.items())) or folder.name
        folder = folder.parent.parent
    meta = own or (json_of(folder / _META) if (folder / _META).is_file() else {})
    is_revision = bool(_REVISION.fullmatch(folder.name)) or "__" in folder.parent.name
    name = str(meta.get("name") or (folder.parent if is_revision else folder).name.replace("__", "/", 1))
    revision = str(meta.get("revision") or (folder.name if is_revision else ""))
    if changed:
        name += f" ({changed})"
    if name.startswith("baseline/Human"):  # its revisions are annotators
        name += f" ({revision})"
    return name, revision


def _defined(task: str) -> tuple[tuple[str, ...], str]:
    """Splits and main metric of a task."""
    return _definitions().get(task.split(":")[0], (("test",), "main_score"))


@cache
def _definitions() -> dict[str, tuple[tuple[str, ...], str]]:
    lines = Path(__file__).with_name("mteb_tasks.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return {task: (tuple(splits.split()), metric) for task, splits, metric in rows}
