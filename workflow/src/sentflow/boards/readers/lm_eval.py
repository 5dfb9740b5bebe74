"""Results of lm-evaluation-harness, 0.3 to 0.4.12, by document where samples lie beside them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.boards.cells import is_missing, name_of, number
from sentflow.boards.contents import beginning, json_lines_of, json_of
from sentflow.boards.scores import FRACTION, Options, Scores, board_reader, scores_of
from sentflow.errors import DataError, listed

_RESULTS = re.compile(r'\s*\{\s*"results"\s*:\s*\{')
_SAMPLES = re.compile(r'\s*(\[\s*)?\{\s*"doc_id"\s*:')
_STAMP = re.compile(r"results_(.+)\.json")
# Metrics that are fractions whatever the task; others have scales of their own, or BLEU's percent
FRACTIONS = re.compile(r"acc\w*|exact_match|em|f1|mcc|mc[12]|\w+_level_\w+_acc|pass@\S+|brier_score")
_SEEDS = ("random_seed", "numpy_seed", "torch_seed", "fewshot_seed")


def _is_results(path: Path) -> bool:
    start = beginning(path) if path.suffix == ".json" else ""
    return bool(_RESULTS.match(start)) and '"config_general"' not in start


def _is_samples(path: Path) -> bool:
    return path.suffix == ".jsonl" and bool(_SAMPLES.match(beginning(path)))


@board_reader("lm-evaluation-harness", lambda path: _is_results(path) or _is_samples(path))
def _read(paths: Sequence[Path], options: Options) -> Scores:
    lone = [path for path in paths if not _is_results(path)]
    beside = [file for path in lone for file in sorted(path.parent.glob("*.json"))]
    values = {path: json_of(path) for path in dict.fromkeys((*paths, *beside)) if _is_results(path)}
    samples = {path: _samples_of(path, value) for path, value in values.items()}
    if lost := [path for path in lone if not any(path in own.values() for own in samples.values())]:
        raise DataError(f"{lost[0]} names no model. Put the results file of the same run beside it.")
    rows: list[dict[str, Any]] = []
    groups: set[str] = set()
    stated: dict[tuple[str, str], dict[str, str]] = {}
    for path, value in values.items():
        if path not in paths and not {*samples[path].values()} & {*lone}:
            continue
        model = _model_of(value)
        named = {name for name, tasks in _map(value, "group_subtasks").items() if tasks}
        sources = _sources(named, _map(value, "results"))
        groups |= {*_map(value, "groups"), *named}
        for task, own in _map(value, "results").items():
            if task in groups or not isinstance(own, dict):
                continue
            metrics = _metrics(own, f"{path}, {task}")
            group = max((name for name in sources if task.startswith(f"{name}_")), key=len, default="")
            upwards = _map(_map(value, "higher_is_better"), task)
            about = {"model": model, "task": task, "file": str(path), "group": group}
            items = _items(samples[path][task], metrics) if task in samples[path] else []
            for metric, item, score in (*((metric, "", score) for metric, score in metrics.items()), *items):
                name = metric.split(",")[0]
                unit = FRACTION if FRACTIONS.fullmatch(name) else ""
                told = {"metric": metric, "higher_is_better": upwards.get(name), "unit": unit}
                rows.append({**about, **told, "item": item, "score": score})
            for what, said in _conditions(value, task):
                if not {task, model} & options.without and (not options.tasks or task in options.tasks):
                    stated.setdefault((what, task), {})[model] = said
    notes = [f"Dropped as groups of other tasks: {listed(sorted(groups))}."] if groups else []
    return scores_of(rows, [*notes, *_compared(stated)])


def _samples_of(path: Path, value: Any) -> dict[str, Path]:
    """Task → the file of its samples of the same run, where one lies beside the results."""
    tasks, stamp = [*_map(value, "results")], _STAMP.fullmatch(path.name)
    if stamp:
        named = {task: path.with_name(f"samples_{task}_{stamp[1]}.jsonl") for task in tasks}
        return {task: file for task, file in named.items() if file.is_file()}
    found = {}
    for file in sorted(path.parent.glob("*.jsonl")):
        if own := [task for task in tasks if file.stem.endswith(f"_{task}")]:
            found[max(own, key=len)] = file
    return found


def _model_of(value: Any) -> str:
    config = _map(value, "config")
    arguments = config.get("model_args") or ""
    if isinstance(arguments, str):
        arguments = dict(part.split("=", 1) for part in arguments.split(",") if "=" in part)
    name = value.get("model_name") or (isinstance(arguments, dict) and arguments.get("pretrained"))
    return str(name or "")


def _sources(groups: set[str], tasks: Iterable[str]) -> set[str]:
    """Groups of tasks of one source, by their names: ``mmlu`` of ``mmlu_…``, no leaderboards."""
    single = {*tasks} - groups
    sources = {name for name in groups if any(task.startswith(f"{name}_") for task in single)}
    return {name for name in sources if not any(other.startswith(f"{name}_") for other in sources)}


def _metrics(own: Mapping[str, Any], where: str) -> dict[str, float]:
    """Metric (and filter, unless it is none) → score. Before 0.4 no key has a filter."""
    filtered = any("," in key for key in own)
    keys = [key for key in own if ("," in key if filtered else isinstance(own[key], int | float))]
    return {
        key.removesuffix(",none"): number(own[key], f"{where}, {key}")
        for key in keys
        if not key.split(",")[0].endswith("_stderr") and not isinstance(own[key], dict | list)
    }


def _items(path: Path, metrics: Mapping[str, float]) -> Iterator[tuple[str, str, float]]:
    """Metric, item and score of each document. Lists, of which perplexities are made, are no scores."""
    filters = {metric.partition(",")[2] for metric in metrics}
    values = json_of(path) if beginning(path).lstrip().startswith("[") else json_lines_of(path)
    times: Counter[tuple[str, str]] = Counter()
    for value in values:
        chosen = value.get("filter", next(iter(filters)) if len(filters) == 1 else None)
        if chosen is None:  # before 0.4.7 lines of several filters look alike
            return
        item = str(value["doc_id"])
        if "doc_hash" in value:
            item = f"{value['doc_hash'][:16]}{str(value.get('target_hash', ''))[:16]}"
        times[chosen, item] += 1
        if (time := times[chosen, item]) > 1:  # a document that its data has twice
            item += f" ({time})"
        for metric in metrics:
            name, _, filtered = metric.partition(",")
            score = value.get(name)
            if filtered == chosen.removeprefix("none") and isinstance(score, int | float):
                yield metric, item, float(score)


def _conditions(value: Any, task: str) -> Iterator[tuple[str, str]]:
    """What must be equal for all models, where the file says it."""
    config = _map(value, "config")
    shots = _map(value, "n-shot").get(task, config.get("num_fewshot"))
    said = {
        "version": _map(value, "versions").get(task),
        "n-shot": shots,
        "number of samples": _map(_map(value, "n-samples"), task).get("effective"),
        "limit": config.get("limit"),
        "chat_template_sha": value.get("chat_template_sha"),
        **{seed: config.get(seed) for seed in _SEEDS},
    }
    return ((what, name_of(own)) for what, own in said.items() if not is_missing(own))


def _compared(stated: Mapping[tuple[str, str], Mapping[str, str]]) -> list[str]:
    """Refuse what makes another task of one, and tell what else differs."""
    told: dict[str, list[str]] = {}
    for (what, task), of_models in stated.items():
        if len({*of_models.values()}) == 1:
            continue
        if what in ("chat_template_sha", *_SEEDS):
            told.setdefault(what, []).append(task)
            continue
        said = listed((f"{own} for {model}" for model, own in of_models.items()), 4)
        raise DataError(
            f"{task}: not the same {what}: {said}. Leave out the task or models with --without, or evaluate again."
        )
    return [f"Models differ in {what} on {listed(tasks)}." for what, tasks in told.items()]


def _map(value: Any, key: str) -> Mapping[str, Any]:
    """The map under a key; empty where there is none."""
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}
