"""Results of lighteval with details by document, and of the Open LLM Leaderboards, 1 and 2."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sentflow.boards.cells import number
from sentflow.boards.contents import beginning, has_columns, json_of
from sentflow.boards.grids import grids_of
from sentflow.boards.readers.lm_eval import FRACTIONS
from sentflow.boards.scores import FRACTION, PERCENT, Options, Scores, board_reader, reader, scores_of
from sentflow.errors import DataError
from sentflow.files.parquet_columns import column_batches, column_names

_RESULTS = re.compile(r'\s*\{\s*"config_general"\s*:')
_STAMP = re.compile(r"results_(.+)\.json")
# Names before a colon that join data of different sources
_COLLECTIONS = {"glue", "super_glue", "bigbench", "bigbench_hard", "truthfulqa"}
# What the first Open LLM Leaderboard counted of its tasks
_FIRST_BOARD = {
    "arc:challenge": "acc_norm",
    "hellaswag": "acc_norm",
    "hendrycksTest": "acc",
    "truthfulqa:mc": "mc2",
    "winogrande": "acc",
    "gsm8k": "acc",
}


def _is_results(path: Path) -> bool:
    return path.suffix == ".json" and bool(_RESULTS.match(beginning(path)))


def _is_details(path: Path) -> bool:
    return path.name.startswith("details_") and path.suffix == ".parquet"


@board_reader("lighteval", lambda path: _is_results(path) or _is_details(path))
def _read(paths: Sequence[Path], options: Options) -> Scores:
    files = [path for path in paths if _is_results(path)]
    if not files:
        raise DataError(f"{paths[0]} names no model. Name the folder above results and details.")
    rows: list[dict[str, Any]] = []
    for path in files:
        value = json_of(path)
        general = value["config_general"]
        model = general.get("model_name") or (general.get("model_config") or {}).get("model_name")
        for key, own in value["results"].items():
            name, task = _names(key)
            if key == "all" or name.endswith(":_average"):
                continue
            source = re.split(":|(?<=hendrycksTest)-", name)[0]
            about = {"model": model, "task": task, "file": str(path)}
            about["group"] = "" if source in _COLLECTIONS else source
            metrics = {
                metric: number(score, f"{path}, {key}, {metric}")
                for metric, score in own.items()
                if not metric.endswith("_stderr")
            }
            board = _FIRST_BOARD.get(name if name in _FIRST_BOARD else source)
            is_asked = options.metric or options.metric_of
            if key.startswith("harness|") and board in metrics and not is_asked:
                metrics = {board: metrics[board]}
            upwards, by_item = _configured(value, key)
            items = _items(path, key, [metric for metric in metrics if metric in by_item or not upwards])
            for metric, item, score in (*((metric, "", score) for metric, score in metrics.items()), *items):
                unit = FRACTION if FRACTIONS.fullmatch(metric) else ""
                told = {"metric": metric, "higher_is_better": upwards.get(metric), "unit": unit}
                rows.append({**about, **told, "item": item, "score": score})
    return scores_of(rows)


def _names(key: str) -> tuple[str, str]:
    """Name of the task, and with its number of examples; before 0.12.1 the suite stands first."""
    parts = key.split("|")
    shots = [part for part in parts[1:] if part.isdecimal()]
    name = parts[len(parts) - 1 - len(shots)] if shots else parts[-1]
    return name, f"{name}|{shots[0]}" if shots else name


def _configured(value: Mapping[str, Any], key: str) -> tuple[dict[str, bool], set[str]]:
    """Directions of metrics, and those that are means over documents, as far as the file says it."""
    tasks = value.get("config_tasks") or {}
    config = tasks.get(key) or tasks.get(key.rpartition("|")[0]) or {}
    metrics = config.get("metrics") or config.get("metric") or []
    found = [own for own in metrics if isinstance(own, dict) and isinstance(own.get("metric_name"), str)]
    means = {own["metric_name"] for own in found if own.get("corpus_level_fn", "mean") == "mean"}
    return {own["metric_name"]: own["higher_is_better"] for own in found if "higher_is_better" in own}, means


def _items(path: Path, key: str, metrics: Sequence[str]) -> Iterator[tuple[str, str, float]]:
    """Metric, item and score of each document, from the details of the same run."""
    stamp, folder = _STAMP.fullmatch(path.name), path.parent.resolve()
    root = next((one for one in (folder, *folder.parents) if one.name == "results"), None)
    if not stamp or not root:
        return
    name = f"details_{key}_{stamp[1]}.parquet"
    file = root.with_name("details") / folder.relative_to(root) / stamp[1] / name
    if not file.is_file():
        return
    columns = column_names(file)
    scores, ids = "metric" if "metric" in columns else "metrics", ["doc"] if "doc" in columns else []
    n = 0
    for batch in column_batches(file, [scores, *ids]):
        for place, own in enumerate(batch[scores]):
            item = str(batch["doc"][place]["id"]) if ids else str(n)
            n += 1
            for metric in metrics:
                if isinstance(score := (own or {}).get(metric), int | float):
                    yield metric, item, float(score)


def _is_second_board(path: Path) -> bool:
    heading = beginning(path).split("\n")[0] if path.suffix == ".csv" else ""
    return "fullname" in heading and "IFEval Raw" in heading or has_columns(path, ("fullname", "IFEval Raw"))


@reader("Open LLM Leaderboard 2", _is_second_board)
def _second_board(path: Path, options: Options) -> Scores:
    """Its rescaled percentages, or with the metric ``raw`` the fractions before them."""
    (grid, *_) = grids_of(path)
    cells, rows = grid.cells, []
    tasks = [name for name in cells.columns if f"{name} Raw" in cells.columns]
    times = Counter(cells["fullname"])
    for cell in cells.to_dict("records"):
        model = str(cell["fullname"])
        if times[cell["fullname"]] > 1 and "Precision" in cell:
            model += f" ({cell['Precision']})"
        for task in tasks:
            column = f"{task} Raw" if options.metric == "raw" else task
            about = {"model": model, "task": task, "metric": "raw" if column != task else "rescaled"}
            score = number(cell[column], f"{grid.where}, {model}, {column}")
            unit = FRACTION if column != task else PERCENT
            rows.append({**about, "higher_is_better": True, "unit": unit, "score": score})
    return scores_of(rows)
