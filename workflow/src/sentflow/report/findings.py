"""The results in plain words, said no more strongly than the numbers allow."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from sentflow.report import tested
from sentflow.report.comparisons import Comparisons, beaten
from sentflow.report.families.probing.remarks import TRAINED_TOO_LITTLE, trained_too_little, training_sentence
from sentflow.report.families.probing.rows import ScoreRow, average_score
from sentflow.report.numbers import decimal, percent
from sentflow.report.rows import unique


@dataclass(frozen=True)
class Finding:
    """A heading of a few words and what there is to say about it."""

    heading: str
    text: str


def findings(rows: Sequence[ScoreRow], comparisons: Comparisons | None = None) -> list[Finding]:
    """What a reader should take home, most important first; undefined scores are left out and said."""
    scored = [row for row in rows if not math.isnan(row.mean)]
    found = [_highest(scored), _averages(rows)]
    if comparisons and comparisons.pairs:
        found += _tested(comparisons)
    found += [_trained_too_little(scored), _controls(scored, comparisons), _precision(scored), _gaps(rows)]
    return [finding for finding in found if finding is not None]


def ranking(rows: Sequence[ScoreRow], task: str) -> list[ScoreRow]:
    """The rows of a task from the highest score to the lowest; equal scores stay in their order."""
    return sorted((row for row in rows if row.task == task), key=lambda row: -row.mean)


def _highest(rows: Sequence[ScoreRow]) -> Finding | None:
    tasks = unique(row.task for row in rows)
    if not tasks:
        return None
    titles = {row.model: row.model_title for row in rows}
    wins: Counter[str] = Counter()
    n_ties = 0
    for task in tasks:
        ranked = ranking(rows, task)
        first = [row.model for row in ranked if row.mean == ranked[0].mean]
        n_ties += len(first) > 1
        wins.update(first)
    said = [f"{titles[model]} on {n} of {len(tasks)}" for model, n in wins.most_common()]
    ties = f" On {_tasks(n_ties)} the highest score is shared and counted for each." if n_ties else ""
    return Finding("Highest score", f"{_listed(said)} {'tasks' if len(tasks) > 1 else 'task'}.{ties}")


def _averages(rows: Sequence[ScoreRow]) -> Finding | None:
    n_tasks = len(unique(row.task for row in rows))
    if n_tasks < 2:
        return None
    by_model = {row.model_title: [other for other in rows if other.model == row.model] for row in rows}
    average = {title: average_score(members, n_tasks) for title, members in by_model.items()}
    whole = {title: value for title, value in average.items() if not math.isnan(value)}
    ranked = sorted(whole, key=lambda title: -whole[title])
    text = _listed([f"{title} {decimal(whole[title])}" for title in ranked])
    left_out = [title for title in average if title not in whole]
    missing = f" No average for {_listed(left_out)}: not all tasks have a score." if left_out else ""
    return Finding(f"Average over {n_tasks} tasks", f"{text + '.' if text else 'None.'}{missing}")


def _tested(comparisons: Comparisons) -> list[Finding | None]:
    across = tested.across_tasks(comparisons)
    return [
        Finding("How clear the lead is", tested.within_tasks(comparisons)),
        Finding("Over all tasks", across) if across else None,
        Finding("What could be found", tested.what_could_be_found(comparisons)),
    ]


def _trained_too_little(rows: Sequence[ScoreRow]) -> Finding | None:
    tasks = unique(row.task for row in rows if trained_too_little(row))
    if not tasks:
        return None
    n_tasks = len(unique(row.task for row in rows))
    which = f"all {_tasks(n_tasks)}" if len(tasks) == n_tasks > 1 else _listed(tasks)
    sentence = training_sentence(next(row for row in rows if trained_too_little(row)))
    return Finding(f"Marked {TRAINED_TOO_LITTLE}", f"{which[0].upper()}{which[1:]}. {sentence}")


def _controls(rows: Sequence[ScoreRow], comparisons: Comparisons | None) -> Finding | None:
    controls = [row for row in rows if row.is_control]
    encoders = [row for row in rows if not row.is_control]
    tasks = [
        task
        for task in unique(row.task for row in encoders)
        if any(control.task == task for control in controls)
    ]
    if not tasks:
        return None
    below = [task for task in tasks if ranking(encoders, task)[0].mean <= ranking(controls, task)[0].mean]
    parts = []
    if comparisons and comparisons.pairs:
        clear = [task for task in tasks if _beats_every_control(encoders, controls, task, comparisons)]
        alpha = percent(comparisons.pairs[0].alpha)
        parts.append(
            f"On {len(clear)} of {_tasks(len(tasks))} the highest-scoring encoder is significantly better than every "
            f"control ({alpha}, Holm over all pairs of the task)."
        )
    if below:
        parts.append(f"No encoder scores higher than the best control on {_listed(below)}.")
    return Finding("Against the controls", " ".join(parts)) if parts else None


def _beats_every_control(
    encoders: Sequence[ScoreRow], controls: Sequence[ScoreRow], task: str, comparisons: Comparisons
) -> bool:
    first = ranking(encoders, task)[0].model
    lower = beaten(comparisons, task, first)
    return all(control.model in lower for control in controls if control.task == task)


def _precision(rows: Sequence[ScoreRow]) -> Finding | None:
    usable = [row for row in rows if not row.degenerate and row.repeatability_high > row.repeatability_low]
    if not usable:
        return None
    halves = [(row.generalisation_high - row.generalisation_low) / 2 for row in usable]
    ratios = [
        2 * half / (row.repeatability_high - row.repeatability_low)
        for half, row in zip(halves, usable, strict=True)
    ]
    text = (
        f"A {percent(rows[0].level)} generalisation interval reaches {decimal(median(halves))} to either "
        f"side of its score (median; from {decimal(min(halves))} to {decimal(max(halves))}). It is "
        f"{decimal(median(ratios), 1)} times as wide as the interval that papers usually print, which "
        "answers only how the score would move if the same texts were shuffled anew."
    )
    return Finding("How precise the scores are", text)


def _gaps(rows: Sequence[ScoreRow]) -> Finding | None:
    degenerate = [f"{row.model_title} on {row.task}" for row in rows if row.degenerate]
    undefined = [f"{row.model_title} on {row.task}" for row in rows if math.isnan(row.mean)]
    have = {(row.task, row.model) for row in rows}
    titles = {row.model: row.model_title for row in rows}
    absent = [
        f"{titles[model]} on {task}"
        for task in unique(row.task for row in rows)
        for model in titles
        if (task, model) not in have
    ]
    parts = []
    if degenerate:
        parts.append(f"All folds gave the same score, so there is no interval: {_listed(degenerate)}.")
    if undefined or absent:
        parts.append(f"No score: {_listed(undefined + absent)}.")
    return Finding("Gaps", " ".join(parts)) if parts else None


def _tasks(n: int) -> str:
    return "1 task" if n == 1 else f"{n} tasks"


def _listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1] if items else ""
