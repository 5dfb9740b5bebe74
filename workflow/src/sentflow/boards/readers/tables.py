"""Tables of any source: wide or long, models in rows or columns, one score per task, item or seed."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sentflow.boards.cells import is_aggregate, is_missing, name_of, number, plain
from sentflow.boards.grids import Grid, grids_of, is_grid
from sentflow.boards.scores import PERCENT, Options, Scores, Told, reader, scores_of
from sentflow.errors import DataError, listed

# Headings by what their column holds, the surest first
_ROLES = {
    "model": "model, models, model name, system, systems, retriever, encoder, embedder, generator, llm, agent, method, "
    "approach, submission, name, run",
    "task": "task, tasks, task name, groups, dataset, datasets, benchmark, benchmarks, subset, corpus, collection, "
    "questions",
    "metric": "metric, metrics, measure",
    "filter": "filter",
    "item": "item, item id, instance id, example id, sample id, question id, query id, topic, qid, doc id, question, "
    "query",
    "seed": "seed, random seed, epoch, trial, repetition",
    "group": "group, source",
    "unit": "unit",
    "score": "score, value, main score, result, correct, resolved, passed, mean",
}
# Columns that describe a model or a task, or an uncertainty
_ABOUT = re.compile(
    r"(# ?)?(total |number of |active |model )?param(eter)?s?\b.*"
    r"|((model|batch|vocab(ulary)?|vector|hidden|embedding) )?size.*"
    r"|.*\btokens?\b.*|zero.?shot.*|n .*|num .*|# ?\w+"
    r"|.*\b(v?ram|memory|latency|throughput|runtime|speed|hours|cost|price|date|licen[cs]e|revision|version)\b.*"
    r"|.*\b(sha|url|link)\b.*"
    r"|(\w+ )?time\b.*|((embed(ding)?|emb\.?|output|vector|hidden) )?dim(ension)?(s|ality)?\b.*"
    r"|n.?shot|\d+.?shot|shots?|context.*|mode|rank.*|(max(imum)? )?seq(uence|\.)? len(gth)?|layers?"
    r"|(hub )?(likes|downloads)|hub ❤.*|[gt]?flops"
    r"|qps|release( year)?|released"
    r"|(\d+ ?% ?)?(ci|confidence)\b.*|.*\b(std ?err|std|stdev|standard (error|deviation)|s\.?e\.?|sd|error bars?)\.?"
    r"|\+/-|±.*|(lower|upper|low|high)( bound)?|n|year|count|votes|.* title",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"n[or]\.?|#|id|index|position|unnamed.*|column \d+", re.IGNORECASE)  # or a language
_RATING = re.compile(r"(arena )?(elo|rating)\b.*", re.IGNORECASE)
_ARROWS = {"↑": True, "↓": False}
_MARK = re.compile(r"\(? ?([↑↓]) ?\)?")
_PERCENT = re.compile(r"\( ?(?:in )?\\?% ?\)")
_COMMA = re.compile(r"[+-]?(\d+),(\d+)(?:\s*[%*†‡])*(?:\s*[±(].*)?")


@reader("table", is_grid)
def read(path: Path, options: Options) -> Scores:
    """All tables of a file; of those without a name of the model it is that of the file."""
    rows, notes, groups = [], [], []
    for grid in grids_of(path):
        roles = _roles(grid.cells.columns)
        _refuse_ratings(grid)
        names = grid.cells[roles["task"]] if "task" in roles else pd.Series([], dtype=object)
        groups += _groups_of(names)
        if _words(roles.get("task", "")) == "groups":  # lm-eval prints them again
            groups += _mapped(names, _task).tolist()
            continue
        found, told = _rows_of(grid, roles, path, options)
        rows.append(found)
        notes += told
    if len({frozenset(found["model"]) for found in rows}) > 1:
        raise DataError(
            f"{path} holds {len(rows)} tables with different models. Paste one table into a file of its own."
        )
    if not rows:
        raise DataError(f"{path} holds groups of tasks only. Paste the table of tasks too.")
    table = pd.concat(rows, ignore_index=True)
    is_group = table["task"].isin(groups)
    if is_group.any():
        notes.append(f"Dropped as a group of other tasks: {listed(table.loc[is_group, 'task'].unique())}.")
    return scores_of(table[~is_group], notes)


def _words(heading: str) -> str:
    return re.sub(r"[\s_-]+", " ", _MARK.sub(" ", heading)).strip().lower()


def _roles(headings: Iterable[str]) -> dict[str, str]:
    """What columns hold → their heading."""
    of = {_words(heading): heading for heading in reversed(list(headings))}
    found = {role: [of[word] for word in words.split(", ") if word in of] for role, words in _ROLES.items()}
    return {role: headings[0] for role, headings in found.items() if headings}


def _refuse_ratings(grid: Grid) -> None:
    names = [_words(name) for name in grid.cells.columns]
    if any(name.startswith("length controlled") for name in names):
        raise DataError(
            f"{grid.where}: length-controlled win rates come from one regression over all models, so that nothing can "
            "be tested from them. Give the annotations.json of each model, which has the preferences."
        )
    if any(map(_RATING.match, names)):
        raise DataError(
            f"{grid.where}: ratings of an arena come from battles that models share, so that their intervals depend on "
            "each other. Give the battles: one judgement per question and model, against the same opponent, as a table "
            "with model, item and score (1 won, 0.5 tied, 0 lost)."
        )


def _groups_of(cells: "pd.Series[Any]") -> list[str]:
    """Names of groups: a task whose name begins with a dash belongs to the one above with less space before it."""
    groups: list[str] = []
    above: list[tuple[int, str]] = []
    for text in map(str, cells.unique()):
        dashed = text.strip().startswith("- ")
        depth = len(text) - len(text.lstrip()) if dashed else -1
        above = [one for one in above if dashed and one[0] < depth]
        groups += [name for _, name in above[-1:]]
        if text.strip():
            above.append((depth, _task(text)))
    return groups


def _task(text: str) -> str:
    return plain(text.strip().removeprefix("- "))


def _rows_of(grid: Grid, roles: Mapping[str, str], path: Path, options: Options) -> Told:
    """One row per score of a long table, or of a wide one with a column per task, metric or model."""
    is_long = "score" in roles and ("task" in roles or "item" in roles)
    ids = {role: heading for role, heading in roles.items() if role != "score"}
    notes: list[str] = []
    if ids.keys().isdisjoint(("model", "task", "item")):
        role, notes = _kind_of_rows(grid, options)
        ids = {role: str(grid.cells.columns[0]), **ids}
    if not is_long and "model" in ids:
        ids.pop("group", None)  # of models
    across = "" if is_long else next((role for role in ("model", "task", "metric") if role not in ids), "")
    others = [name for name in grid.cells.columns if name not in ids.values()]
    comma = _decimal_comma(grid)
    about = {name for name in others if _is_about(name, grid.cells[name], comma)}.difference(options.tasks)
    scored = [roles["score"]] if is_long else [name for name in others if name not in about]
    numbers = pd.DataFrame({name: _numbers(grid.cells[name], grid, comma) for name in scored})
    if not numbers.notna().any(axis=None) or not (across or is_long):
        raise DataError(
            f"{grid.where}: no column holds scores. Columns: {listed(map(repr, grid.cells.columns))}. Call them model, "
            "task and score, or give one column of scores per task."
        )
    names = pd.DataFrame({role: _filled(grid, heading, role) for role, heading in ids.items()})
    if is_long:
        for name in others:
            if {*(signs := _mapped(grid.cells[name], str))} <= {"", *_ARROWS}:
                names["higher_is_better"] = signs.map(_ARROWS)
    else:
        filled = numbers.notna().any(axis=1)
        empty = names.loc[~filled, next(role for role in ("model", "task", "item") if role in ids)]
        left_out = {
            "rows without any score": [plain(name) for name in empty if name.strip("- ")],
            f"columns beside the scores ({listed(scored, 8)})": [name for name in others if name in about],
        }
        for what, gone in left_out.items():
            notes += [f"{grid.where}: {what} were left out: {listed(gone)}."] if gone else []
        numbers, names = numbers[filled], names[filled]
    parts = []
    for name in scored:
        percent = grid.cells[name][names.index].map(lambda cell: isinstance(cell, str) and "%" in cell)
        part = names.assign(score=numbers[name], percent=percent)
        parts.append(part.assign(**{across: name}) if across else part)
    table = pd.concat(parts, ignore_index=True)
    if "task" not in table:
        table["task"] = path.stem
    if "model" not in table:
        named = re.search(r"pretrained=([^,)\s]+)", grid.around)
        table["model"] = named[1] if named else path.stem
        notes.append(f"{grid.where} names no model: its scores are of {table['model'].iloc[0]}.")
    two = table["task"].str.partition("\n")  # a heading above that of the column
    if two[2].ne("").any():
        table["task"], table["metric"] = two[0], two[2]
    return _finished(table, grid), notes


def _kind_of_rows(grid: Grid, options: Options) -> tuple[str, list[str]]:
    """Whether rows are models or tasks: by the option, or by where the averages stand."""
    if options.models:
        return ("task" if options.models == "columns" else "model"), []
    first, *others = grid.cells.columns
    if any(map(is_aggregate, others)):
        return "model", []
    if any(is_aggregate(plain(name_of(name))) for name in grid.cells[first]):
        return "task", []
    shown = listed([plain(name_of(name)) for name in grid.cells[first]], 3)
    return "model", [
        f"{grid.where}: models are taken from the rows ({shown}). If not, write --models columns."
    ]


def _filled(grid: Grid, heading: str, role: str) -> "pd.Series[str]":
    """A column; a blank name of a model, task or metric repeats that above."""
    if role not in ("model", "task", "metric"):
        return grid.cells[heading]
    names = _mapped(grid.cells[heading], lambda name: name if name.strip() else None).astype(object).ffill()
    if names.isna().any() and role != "metric":
        raise DataError(f"{grid.where}, row {names.index[0]}, column {heading!r}: it names no {role}.")
    return names


def _is_about(heading: str, cells: "pd.Series[Any]", comma: bool) -> bool:
    """Whether a column describes models or tasks, by its name, or because it numbers them, or has hardly a number."""
    if _ABOUT.fullmatch(_words(heading)):
        return True
    written = [cell for cell in cells if not is_missing(cell)]
    counts = [[str(first + row) for row in range(len(cells))] for first in (0, 1)]
    if _NUMBERING.fullmatch(heading) and [name_of(cell) for cell in cells] in counts:
        return True
    found = 0
    for cell in written:
        if isinstance(cell, bool | np.bool_):
            continue
        with suppress(DataError):
            number(cell, "", decimal_comma=comma)
            found += 1
    return 2 * found < len(written) or not written


def _numbers(cells: "pd.Series[Any]", grid: Grid, comma: bool) -> "pd.Series[float]":
    found: dict[str, float] = {}
    for row, cell in cells.items():
        if (text := str(cell)) not in found:
            found[text] = number(cell, f"{grid.where}, row {row}, column {cells.name!r}", decimal_comma=comma)
    return cells.map(lambda cell: found[str(cell)]).astype("float64")


def _decimal_comma(grid: Grid) -> bool:
    """Whether commas are decimal ones, by all cells of the table."""
    written = [cell for name in grid.cells for cell in grid.cells[name] if isinstance(cell, str)]
    found = [parts for cell in written if "," in cell and (parts := _COMMA.fullmatch(plain(cell)))]
    if any(len(parts[2]) != 3 or parts[1].startswith("0") or len(parts[1]) > 3 for parts in found):
        return True
    if found and grid.delimiter != ",":
        raise DataError(
            f"{grid.where}: {found[0][0]!r} may be {found[0][1]}.{found[0][2]} or {found[0][1]}{found[0][2]}. Write "
            "numbers with a decimal point, and without a mark for thousands."
        )
    return False


def _mapped(names: "pd.Series[Any]", function: Callable[[str], Any]) -> "pd.Series[Any]":
    """A function of each name; it is called once for each that is different."""
    known = {name: function(name if isinstance(name, str) else name_of(name)) for name in names.unique()}
    return names.map(known)


def _finished(rows: pd.DataFrame, grid: Grid) -> pd.DataFrame:
    """With names in plain text, and what they say of direction and unit."""
    rows["model"] = _mapped(rows["model"], plain)
    percent = rows.pop("percent") | bool(_PERCENT.search(grid.around))
    said = rows["higher_is_better"] if "higher_is_better" in rows else pd.Series(None, rows.index, object)
    for role in {"task", "metric"} & {*rows.columns}:
        names = _mapped(rows[role], _task)
        percent |= _mapped(names, lambda name: bool(_PERCENT.search(name)))
        marks = _mapped(names, lambda name: _ARROWS[mark[1]] if (mark := _MARK.search(name)) else None)
        said = said.fillna(marks)
        rows[role] = _mapped(names, lambda name: _PERCENT.sub("", _MARK.sub(" ", name)).strip())
    rows["higher_is_better"] = said
    if "metric" in rows:
        rows["metric"] = _mapped(rows["metric"], lambda name: "" if is_missing(name) else name)
    if "metric" in rows and "filter" in rows:
        rows["metric"] += _mapped(rows["filter"], lambda name: "" if is_missing(name) else f",{name}")
    if "group" in rows and rows.groupby("task")["group"].nunique().gt(1).any():
        rows = rows.drop(columns="group")  # of models
    unit = _mapped(rows["unit"], str) if "unit" in rows else pd.Series("", rows.index)
    rows["unit"] = unit.mask(percent, PERCENT)
    return rows
