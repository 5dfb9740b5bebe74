"""Published boards from files of any format: one table, in which each task has one metric, direction and unit."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from sentflow.boards import readers as readers  # each registers itself
from sentflow.boards.cells import is_aggregate
from sentflow.boards.scores import FRACTION, PERCENT, READERS, Options, Reader, Scores, Told
from sentflow.errors import DataError, instead, listed

_SAME = 1e-6  # duplicates that differ by no more are one
_SHOWN = 5
# A task that is the mean of others: of how many models at least, and of how many tasks it is looked for; about how
# likely it may be that another task is as near to a mean by chance
_FEWEST, _MOST_TASKS, _CHANCE = 4, 200, 1e-4
_RULES = ("first", "last", "best", "mean")
_CELL = ["model", "task", "item", "seed"]
# No boards, though a folder of results has them
_BESIDE = re.compile(r"(readme|license|licence|changelog|citation|contributing)\b.*|\..*", re.IGNORECASE)
_FORUM = re.compile(r"cqadupstack\W*\w", re.IGNORECASE)  # 12 forums of one source
_AVERAGED = re.compile(r"(naive|simple|weighted)[ _-]average", re.IGNORECASE)  # a metric of groups
_MODEL_AGGREGATE = re.compile(r"(macro[ _-]*)?(avg|average|mean|median|overall)\.?", re.IGNORECASE)
# In the names of metrics of which lower is better wherever they are used
_ERRORS = re.compile(
    r"\b(perplexity|ppl|bits per (byte|character)|bp[bc]|nll|entropy|loss|r?mse|mae|(mean )?(absolute|squared) error"
    r"|[wc]er|brier|ece|latency)\b|\b(error|ter)( rate)?$",
    re.IGNORECASE,
)


def read_files(paths: Sequence[Path], options: Options | None = None) -> Scores:
    """The scores of files and folders of any formats in `READERS`, as one table.

    Every (model, task) has either one row or rows of one kind: per item, per seed, or both. A task has one metric,
    direction and group, and all scores have one unit. Missing scores are NaN or have no row. The notes say what was
    dropped, merged, converted or assumed.

    Raises
    ------
    DataError
        If a file is in none of the formats or damaged, and where the files leave open what `Options` settles: several
        metrics, scores, units or directions of one task.
    """
    options = options or Options()
    _refuse_unknown("--duplicates", filter(None, [options.duplicates]), _RULES)
    _refuse_unknown("--unit", filter(None, [options.unit]), (FRACTION, PERCENT))
    _refuse_unknown("--models", filter(None, [options.models]), ("rows", "columns"))
    found = [one for path in dict.fromkeys(paths) for one in _readable(path)]
    options = replace(options, files=tuple(path for path, _ in found))
    tables: list[pd.DataFrame] = []
    notes: list[str] = []
    for format_of in dict.fromkeys(one for _, one in found):
        scores = format_of.read([path for path, one in found if one is format_of], options)
        tables.append(scores.rows)
        notes += scores.notes
    if not any(map(len, tables)):
        raise DataError("the files hold no scores. Name at least one file or folder with results.")
    rows = pd.concat(tables, ignore_index=True)
    if (nameless := rows.loc[rows["model"].eq(""), "file"]).size:
        raise DataError(f"{nameless.iloc[0]} names no model. Write its name where its format has it.")
    for step in _STEPS:
        rows, told = step(rows, options)
        notes += told
    rows["higher_is_better"] = rows["higher_is_better"].astype(bool)
    return Scores(rows.drop(columns="file").reset_index(drop=True), tuple(dict.fromkeys(notes)))


def _readable(path: Path) -> list[tuple[Path, Reader]]:
    """The file or folder, or what lies in it, each with the reader of its format."""
    if not path.exists():
        raise DataError(f"there is no file or folder {path}. Write the path of results.")
    if not (path.is_file() or path.is_dir()):
        raise DataError(f"{path} is a pipe or a device. Save what it gives as a file first.")
    found = list(_inside(path))
    if not found:
        if path.is_dir():
            raise DataError(f"{path} holds no file of a known format. {_instead()}")
        start = path.read_bytes()[:60]
        what = "is empty. Name a file with results." if not start else f"begins with {start!r}. {_instead()}"
        raise DataError(f"{path} is in none of the known formats: it {what}")
    formats = {one.name: where for where, one in reversed(found)}
    if len(formats) > 1:
        named = ", ".join(f"{name} ({where.relative_to(path)})" for name, where in formats.items())
        raise DataError(f"{path} holds several formats: {named}. Name the files or folders of the board.")
    return found


def _inside(path: Path) -> Iterator[tuple[Path, Reader]]:
    for one in READERS.values():
        if one.recognises(path):
            yield path, one
            return
    if path.is_dir():
        for child in sorted(path.iterdir()):
            is_link_up = child.is_dir() and child.is_symlink()  # it may lead round in a circle
            if not (_BESIDE.fullmatch(child.name) or is_link_up) and (child.is_file() or child.is_dir()):
                yield from _inside(child)


def _instead() -> str:
    return (
        f"Known formats: {', '.join(READERS)}. Write anything else as a CSV table with the columns model, task and "
        "score, and metric, item, seed or group if there are any."
    )


def _refuse_unknown(option: str, given: Iterable[str], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            raise DataError(f"{option} {name!r}: no such name. {instead(name, [*filter(None, known)])}")


def _names(values: pd.Series) -> list[str]:
    return [str(value) for value in values.unique()]


def _selected(rows: pd.DataFrame, options: Options) -> Told:
    """Without aggregates and what was left out by name."""
    notes = []
    tasks = _names(rows["task"])
    _refuse_unknown("--tasks", options.tasks, tasks)
    _refuse_unknown("--without", options.without, [*tasks, *_names(rows["model"])])
    if options.tasks:
        rows = rows[rows["task"].isin(options.tasks)]
    rows = rows[~rows["task"].isin(options.without) & ~rows["model"].isin(options.without)]
    averaged = {*rows.loc[rows["metric"].str.fullmatch(_AVERAGED), "task"]}
    averaged |= {*filter(is_aggregate, tasks)}
    dropped = [name for name in tasks if name in averaged and name not in options.tasks]
    models = [name for name in _names(rows["model"]) if _MODEL_AGGREGATE.fullmatch(name)]
    kept = rows[~rows["task"].isin(dropped) & ~rows["model"].isin(models)]
    if len(kept) < len(rows):
        gone = [*(name for name in dropped if rows["task"].eq(name).any()), *models]
        notes.append(f"Dropped as an average or rank over others: {listed(gone)}.")
    scored = {*kept.loc[kept["score"].notna(), "task"]}
    if empty := [name for name in _names(kept["task"]) if name not in scored]:
        notes.append(f"Dropped because no model has a score: {listed(empty)}.")
        kept = kept[kept["task"].isin(scored)]
    if kept.empty:
        raise DataError(f"no score is left of the tasks {listed(tasks)}. Name files with scores of tasks.")
    return kept, notes


def _one_metric(rows: pd.DataFrame, options: Options) -> Told:
    """One metric per task; rows that do not name theirs are of that one."""
    named = rows["metric"].groupby(rows["task"], sort=False)
    metrics = {str(task): _names(own[own.ne("")]) for task, own in named}
    _refuse_unknown("--metric", options.metric_of, [*metrics])
    chosen, unclear, other = {}, [], []
    for task, names in metrics.items():
        wanted = options.metric_of.get(task, options.metric)
        match = _metric_among(wanted, names)
        if match is None and task in options.metric_of:
            _refuse_unknown(f"--metric {task}=", [wanted], names)
        if match is None and len(names) > 1:
            unclear.append(f"{task} ({'; '.join(names)})")
        elif match is None and wanted and names:
            other.append(f"{task} ({names[0]})")
        chosen[task] = match if match is not None else next(iter(names), "")
    if unclear:
        raise DataError(
            f"several metrics of one task, and no file says which is the main one: {listed(unclear, _SHOWN)}. Choose "
            "with --metric NAME, or with --metric TASK=NAME for single tasks."
        )
    if len(other) == len(metrics):
        raise DataError(f"no task has the metric {options.metric!r}: {listed(other, _SHOWN)}.")
    notes = [f"Tasks without {options.metric} count by their only metric: {listed(other)}."] if other else []
    own = rows["task"].map(chosen)
    kept = rows[rows["metric"].isin([""]) | rows["metric"].eq(own)]
    return kept.assign(metric=own[kept.index]), notes


def _metric_among(wanted: str, names: Sequence[str]) -> str | None:
    """The metric that is meant: as it is written, in any case, or up to its filter, if that is only one."""
    for form in (str, str.casefold, lambda name: re.split("[,/]", name)[0].casefold()):
        if wanted and len(found := [name for name in names if form(name) == form(wanted)]) == 1:
            return found[0]
    return None


def _without_means(rows: pd.DataFrame, options: Options) -> Told:
    """Without tasks that are, for each model, the mean of those next to them, whatever their names."""
    whole = rows[rows["item"].eq("") & rows["seed"].eq("") & rows["score"].notna()]
    tasks = _names(whole["task"])
    table = whole.groupby(["task", "model"], sort=False)["score"].mean().unstack()
    if table.shape[1] < _FEWEST or len(tasks) > _MOST_TASKS:
        return rows, []
    values = table.reindex(tasks).to_numpy(dtype=np.float64)
    means = {}
    for place, (task, own) in enumerate(zip(tasks, values, strict=True)):
        known = own[~np.isnan(own)]
        step = 10.0 ** -max(len(f"{score:.10g}".partition(".")[2]) for score in known)
        spread = np.ptp(known)
        if task in options.tasks or 10 * step > spread or (10 * step / spread) ** len(known) > _CHANCE:
            continue
        before = [n for n in range(place)[::-1] if tasks[n] not in means]
        for near in (before, [*range(place + 1, len(tasks))]):
            of_first = np.cumsum(values[near], axis=0) / np.arange(1, len(near) + 1)[:, None]
            gaps = np.abs(of_first - own)[1:]  # of the mean of one there is none
            fits = ((gaps <= step) | np.isnan(gaps)).all(axis=1) & ((~np.isnan(gaps)).sum(axis=1) >= _FEWEST)
            if fits.any():
                means[task] = [tasks[n] for n in near[: 2 + int(fits.argmax())]]
    notes = [f"Dropped {task}: it is the mean of {listed(others, _SHOWN)}." for task, others in means.items()]
    return rows[~rows["task"].isin(means)], notes


def _directed(rows: pd.DataFrame, options: Options) -> Told:
    """True or False in every row, by the file, the options, or the name of a metric of errors."""
    _refuse_unknown("--lower", options.lower, [*_names(rows["task"]), *_names(rows["metric"])])
    direction: dict[str, bool] = {}
    assumed = []
    for task, of_task in ((str(task), own) for task, own in rows.groupby("task", sort=False)):
        metric, said = str(of_task["metric"].iloc[0]), {*of_task["higher_is_better"].dropna()}
        if task in options.lower or metric in options.lower:
            direction[task] = False
        elif len(said) == 2:
            raise DataError(f"{task}: files disagree whether lower is better. If so, write --lower {task}.")
        elif not said and _ERRORS.search(re.sub(r"[_-]", " ", metric or task)):
            direction[task] = False
            assumed.append(task)
        else:
            direction[task] = said != {False}
    notes = [f"Lower is taken to be better, by the name of the metric: {listed(assumed)}."] if assumed else []
    return rows.assign(higher_is_better=rows["task"].map(direction)), notes


def _grouped(rows: pd.DataFrame, options: Options) -> Told:
    """The group of each task, by the options or the file; items of a task may have groups of their own."""
    of_items = rows["item"].ne("")
    said = rows[rows["group"].ne("") & ~of_items].drop_duplicates(["task", "group"])
    several = said.loc[said["task"].duplicated(), "task"].unique()
    if open_ones := [task for task in several if task not in options.groups]:
        raise DataError(f"several groups of one task: {listed(open_ones, _SHOWN)}. Choose with --groups.")
    forums = {task: "CQADupStack" for task in _names(rows["task"]) if _FORUM.match(task)}
    group = {**forums, **dict(zip(said["task"], said["group"], strict=True)), **options.groups}
    own = rows["group"].where(of_items & ~rows["task"].isin(options.groups))
    return rows.assign(group=own.fillna(rows["task"].map(group)).fillna("").astype(object)), []


def _merged(rows: pd.DataFrame, options: Options) -> Told:
    """One score per cell."""
    repeated = rows.duplicated(_CELL, keep=False)
    if not repeated.any():
        return rows, []
    scored = rows[repeated & rows["score"].notna()]
    spread = scored.groupby(_CELL, sort=False)["score"].agg(["min", "max"])
    differing = spread[spread["max"] - spread["min"] > _SAME]
    notes = []
    if len(differing) and not options.duplicates:
        shown = [_told(rows, cell) for cell in differing.index[:_SHOWN]]
        more = f" and {len(differing) - _SHOWN} more" if len(differing) > _SHOWN else ""
        raise DataError(
            f"several scores of one cell: {'; '.join(shown)}{more}. Leave files out, or choose with --duplicates "
            f"{'|'.join(_RULES)}."
        )
    # a score goes before a missing one
    rows = rows.assign(missing=rows["score"].isna()).sort_values("missing", kind="stable")
    if len(differing):
        notes.append(f"Of {len(differing)} cells with several scores, {options.duplicates} is taken.")
        match options.duplicates:
            case "best":
                rows = rows.assign(sign=rows["score"].where(rows["higher_is_better"], -rows["score"]))
                rows = rows.sort_values("sign", ascending=False, kind="stable").drop(columns="sign")
            case "mean":
                rows = rows.assign(score=rows.groupby(_CELL, sort=False)["score"].transform("mean"))
            case "last":
                rows = rows.iloc[::-1].sort_values("missing", kind="stable")
    kept = rows.drop_duplicates(_CELL).drop(columns="missing").sort_index()
    if same := len(scored.drop_duplicates(_CELL)) - len(differing):
        notes.append(f"Merged scores that are given several times and are the same: {same}.")
    return kept, notes


def _told(rows: pd.DataFrame, cell: Sequence[str]) -> str:
    own = rows[rows[_CELL].eq(list(cell)).all(axis=1) & rows["score"].notna()]
    model, task, item, seed = cell
    place = f"{model} on {task}" + (f", item {item}" if item else "") + (f", seed {seed}" if seed else "")
    files = f" ({listed(_names(own['file']), 3)})"
    return f"{place}: {' and '.join(f'{score:g}' for score in own['score'].head(3))}{files}"


def _of_one_kind(rows: pd.DataFrame, options: Options) -> Told:  # noqa: ARG001
    """Of a task, either items (seeds) for all its models, or one score over all for all of them."""
    notes = []
    if rows.groupby(["model", "task", "item"])["seed"].nunique().max() == 1:  # nothing is repeated
        rows = rows.assign(seed="")
    for kind in ("item", "seed"):
        has = rows[kind].ne("") & rows["score"].notna()
        if not has.any():
            continue
        scored = rows["score"].notna()
        models, detailed = _n_models(rows[scored]), _n_models(rows[has])
        partly = [task for task, n in detailed.items() if n < models[task]]
        whole_too = {*rows.loc[scored & rows[kind].eq(""), "task"]}
        fully = [task for task, n in detailed.items() if n == models[task] and task in whole_too]
        in_full = rows["task"].isin(fully)
        notes += _disagreements(rows[in_full & scored], kind)
        rows = rows[~(in_full & rows[kind].eq(""))]
        if partly:
            notes.append(f"Only some models have {kind}s, so that means are taken: {listed(partly)}.")
            rows = _without_detail(rows, partly, kind)
    return rows, notes


def _n_models(rows: pd.DataFrame) -> dict[str, int]:
    return {str(task): n for task, n in rows.groupby("task", sort=False)["model"].nunique().items()}


def _disagreements(rows: pd.DataFrame, kind: str) -> list[str]:
    cell = ["model", "task"]
    whole = rows[rows[kind].eq("")].groupby(cell, sort=False)["score"].mean()
    means = rows[rows[kind].ne("")].groupby(cell, sort=False)["score"].mean()
    off = (whole - means).abs().dropna()
    unlike = off[off > 5e-4 * max(1.0, whole.abs().max())].reset_index()
    if unlike.empty:
        return []
    named = listed(_names(unlike["task"]))
    return [f"The published scores are not the means of the {kind}s, which are taken: {named}."]


def _without_detail(rows: pd.DataFrame, tasks: Iterable[str], kind: str) -> pd.DataFrame:
    """With one score per model on tasks: the published one, else the mean over its items or seeds."""
    chosen = rows["task"].isin(list(tasks))
    own, cell = rows[chosen], ["model", "task", *({"item", "seed"} - {kind})]
    whole = own[own[kind].eq("") & own["score"].notna()]
    known = pd.MultiIndex.from_frame(whole[["model", "task"]])
    rest = own[~pd.MultiIndex.from_frame(own[["model", "task"]]).isin(known)]
    means = rest.groupby(cell, sort=False)["score"].transform("mean")
    rest = rest.assign(score=means, **{kind: ""}).drop_duplicates(cell)
    return pd.concat([rows[~chosen], whole, rest]).sort_index()


def _in_one_unit(rows: pd.DataFrame, options: Options) -> Told:
    """Scores of one unit: what no file says is decided for the whole board, never per cell."""
    notes = []
    size = rows["score"].abs()
    unsaid = rows["unit"].eq("")
    largest = size[unsaid].groupby(rows["task"], sort=False).max().dropna()
    own_scale = {*rows.loc[~rows["higher_is_better"], "task"]} | {*largest[largest > 100].index}
    told = unsaid & ~rows["task"].isin(own_scale)
    if options.unit:
        rows = rows.assign(unit=rows["unit"].where(~unsaid, options.unit))
    elif told.any():
        top = float(size[told].max())
        unit = PERCENT if top > 1 else FRACTION
        if unit == FRACTION and rows["unit"].eq(PERCENT).any():
            names = listed(_names(rows.loc[told, "task"]), _SHOWN)
            raise DataError(
                f"some scores are said to be percentages, and of others no file says the unit: {names} (up to "
                f"{top:g}). Write --unit percent or --unit fraction."
            )
        if unit == PERCENT:
            _refuse_two_units(rows[told], size[told])
            notes.append(f"No file says the unit. Scores reach {top:g}, so they are read as percentages.")
        rows = rows.assign(unit=rows["unit"].where(~told, unit))
    both = rows[["task", "unit"]].assign(said=~unsaid).drop_duplicates()
    for task, own in both.groupby("task", sort=False):
        if own["unit"].nunique() > 1 and not own["said"].all():
            raise DataError(
                f"{task}: some scores are said to be {' and '.join(_names(own.loc[own['said'], 'unit']))}, and others "
                "seem not to be. Write all in one unit, or say what the others are with --unit."
            )
    said = {*rows.loc[rows["unit"].ne(""), "task"]}
    if said and (plain := [task for task in _names(rows["task"]) if task not in said]):
        raise DataError(
            f"on a scale of its own, so that no mean with the other tasks has a meaning: {listed(plain, _SHOWN)}. "
            f"Leave it out with --without {plain[0]!r}, or write --unit percent or --unit fraction if it is one."
        )
    if {FRACTION, PERCENT} <= {*rows["unit"]}:
        fractions = rows["unit"].eq(FRACTION)
        tasks = listed(_names(rows.loc[fractions, "task"]))
        notes.append(f"Fractions were turned into percentages, as other scores are: {tasks}.")
        rows = rows.assign(score=rows["score"].where(~fractions, 100 * rows["score"]), unit=PERCENT)
    return rows, notes


def _refuse_two_units(rows: pd.DataFrame, size: pd.Series) -> None:
    """Refuse models and tasks whose scores are all at most 1 where others are percentages."""
    for column in ("task", "model"):
        largest = size.groupby(rows[column], sort=False).max()
        if small := [f"{name} (up to {top:g})" for name, top in largest.items() if 0 < top <= 1]:
            raise DataError(
                f"fractions and percentages seem to be mixed: {listed(small, _SHOWN)}, while others reach "
                f"{largest.max():g}. If all are percentages, write --unit percent; else write all in one unit."
            )


_STEPS = (_selected, _one_metric, _without_means, _directed, _grouped, _in_one_unit, _merged, _of_one_kind)
