"""Results of HELM: runs with the statistics of each instance, or the tables of a release."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from sentflow.boards.cells import is_missing, number
from sentflow.boards.contents import beginning, json_of
from sentflow.boards.scores import Options, Scores, board_reader, of_form, scores_of
from sentflow.errors import listed

_SPEC, _STATS, _ITEMS = "run_spec.json", "stats.json", "per_instance_stats.json"
_TABLE = re.compile(r'\s*(\[\s*)?\{\s*"title"\s*:')
# What a run counts beside its scores
_COUNTS = re.compile(r"(num|max|inference|training|prompt|finish|logprob|batch|estimated)_.*|logprob")
_MODEL = re.compile(r"model(_deployment)?=")


@dataclass(frozen=True)
class _Schema:
    """What only a release says: the main metric and split of groups, directions, and names for display."""

    main: dict[str, tuple[str, str]] = field(default_factory=dict)
    is_lower_better: dict[str, bool] = field(default_factory=dict)
    short: dict[str, str] = field(default_factory=dict)  # metric → its name in tables
    groups: dict[str, str] = field(default_factory=dict)  # name in tables → group
    models: dict[str, str] = field(default_factory=dict)  # name in tables → model


def _is_run(path: Path) -> bool:
    return (path / _SPEC).is_file() and (path / _STATS).is_file()


def _is_release(path: Path) -> bool:
    return (path / "schema.json").is_file() and (path / "groups").is_dir()


def _recognises(path: Path) -> bool:
    if path.is_dir():
        return _is_run(path) or _is_release(path)
    start = beginning(path) if path.suffix == ".json" else ""
    return bool(_TABLE.match(start)) and '"header"' in start


@board_reader("HELM", _recognises)
def _read(paths: Sequence[Path], options: Options) -> Scores:
    runs = [path for path in paths if path.is_dir() and _is_run(path)]
    tables = [path for path in paths if path not in runs]
    rows: list[dict[str, Any]] = []
    notes = []
    if runs and tables:
        notes.append(f"Runs are read, not the tables over them: {listed(map(str, tables))}.")
    schemas = [folder / "schema.json" for folder in tables if folder.is_dir()]
    schema = _schema(schemas or [file for run in runs for file in _near(run)])
    for run in runs:
        rows += _of_run(run, schema, options)
    for path in tables if not runs else []:
        for file in sorted((path / "groups").glob("*.json")) if path.is_dir() else [path]:
            own = schema if path.is_dir() else _schema(_near(file))
            rows += _of_table(file, own, options)
    return scores_of(rows, notes)


def _near(path: Path) -> list[Path]:
    """Schemas above a table of a release, or of the releases beside the runs."""
    above = [folder / "schema.json" for folder in path.parents[:3]]
    beside = sorted(path.parents[min(2, len(path.parents) - 1)].glob("releases/*/schema.json"))
    return [file for file in above if file.is_file()] or beside[-1:]


def _schema(paths: Sequence[Path]) -> _Schema:
    schema = _Schema()
    for value in map(json_of, dict.fromkeys(paths)):
        for metric in value.get("metrics") or ():
            shown = metric.get("short_display_name") or metric.get("display_name")
            schema.short[metric["name"]] = shown or ""
            if "lower_is_better" in metric:
                schema.is_lower_better[metric["name"]] = bool(metric["lower_is_better"])
        for group in value.get("run_groups") or ():
            about = group.get("environment") or {}
            schema.groups[group.get("display_name") or group["name"]] = group["name"]
            if "main_name" in about:
                schema.main[group["name"]] = (about["main_name"], about.get("main_split", "test"))
        schema.models.update({own["display_name"]: own["name"] for own in value.get("models") or ()})
    return schema


@of_form
def _of_run(folder: Path, schema: _Schema, options: Options) -> list[dict[str, Any]]:
    """The main metric, where it is known, over all instances and by instance; else all metrics over all."""
    spec = json_of(folder / _SPEC)
    model, (scenario, _, arguments) = spec["adapter_spec"]["model"], str(spec["name"]).partition(":")
    kept = [part for part in arguments.split(",") if part and not _MODEL.match(part)]
    task, groups = ":".join(filter(None, (scenario, ",".join(kept)))), spec.get("groups") or [scenario]
    main, split = next((schema.main[name] for name in groups if name in schema.main), ("", ""))
    main = options.metric_of.get(task, options.metric) or main
    about = {"model": model, "task": task, "group": groups[0], "file": str(folder)}
    whole, rows = _means(json_of(folder / _STATS), split, f"{folder / _STATS}"), []
    for metric in [main] if main in whole else [name for name in whole if not _COUNTS.fullmatch(name)]:
        lower = schema.is_lower_better.get(metric)
        told = {**about, "metric": metric, "higher_is_better": None if lower is None else not lower}
        rows.append({**told, "score": whole[metric]})
        if metric == main and (folder / _ITEMS).is_file():
            items: dict[str, list[float]] = {}  # over trials
            for entry in json_of(folder / _ITEMS):
                if not entry.get("perturbation"):
                    own = _means(entry["stats"], split, f"{folder / _ITEMS}, {entry['instance_id']}")
                    if metric in own:
                        items.setdefault(str(entry["instance_id"]), []).append(own[metric])
            rows += [{**told, "item": item, "score": fmean(own)} for item, own in items.items()]
    return rows


def _means(stats: Sequence[Any], split: str, where: str) -> dict[str, float]:
    """Metric → its mean on a split (test, else validation), on texts as they are and not on parts of the split."""
    found: dict[str, dict[str, float]] = {}
    for stat in stats:
        name = stat["name"]
        if not name.get("perturbation") and not name.get("sub_split") and not is_missing(stat.get("mean")):
            mean = number(stat["mean"], f"{where}, {name['name']}")
            found.setdefault(name.get("split") or "", {})[name["name"]] = mean
    return next((found[one] for one in (split, "test", "valid", "") if one in found), {})


def _of_table(path: Path, schema: _Schema, options: Options) -> Iterator[dict[str, Any]]:
    """Cells of the columns that name a group and its metric; of main metrics only, where they are known."""
    value = json_of(path)
    for table in value if isinstance(value, list) else [value]:
        header = table.get("header") or [{}]
        if not str(header[0].get("value")).startswith("Model"):
            continue
        for place, column in enumerate(header):
            about: Mapping[str, Any] = column.get("metadata") or {}
            task, metric = about.get("run_group"), about.get("metric")
            main, _ = schema.main.get(schema.groups.get(str(task), ""), ("", ""))
            others = main and not options.metric and schema.short.get(main) not in (None, metric)
            if not task or not metric or others:
                continue
            lower = column.get("lower_is_better")
            direction = None if lower is None else not lower
            told = {"task": task, "metric": metric, "higher_is_better": direction, "file": str(path)}
            for cells in table.get("rows") or ():
                name = str(cells[0].get("value"))
                score = number(cells[place].get("value"), f"{path}, {name}, {task}")
                yield {**told, "model": schema.models.get(name, name), "score": score}
