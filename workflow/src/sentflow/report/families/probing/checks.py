"""Acceptance checks of the scores of tasks: what must hold before anybody reads the numbers."""

import math
from dataclasses import fields

from sentflow.compare.score_rows import ScoreRow
from sentflow.report.checks import CONTROL_TOLERANCE, CheckResult, Selection, unselected
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import decimal, interval

# Limits and means are sums in another order; this is their rounding.
_ROUNDING = 1e-9


def check_intervals(inputs: Inputs, _selection: Selection) -> CheckResult:
    """Every interval contains its own estimate; rows that have none are excused: degenerate, too few documents."""
    problems, n_intervals = [], 0
    rows = inputs.rows(ScoreRow)
    for row in rows:
        if row.degenerate:
            continue
        for name, low, value, high in (
            ("repeatability", row.repeatability_low, row.mean, row.repeatability_high),
            ("generalisation", row.generalisation_low, row.mean, row.generalisation_high),
            ("item-level", row.item_low, row.item_mean, row.item_high),
        ):
            if name == "item-level" and math.isnan(low):  # folds without predictions have none
                continue
            if name == "generalisation" and row.has_too_few_documents:
                continue
            n_intervals += 1
            if not low - _ROUNDING <= value <= high + _ROUNDING:
                problems.append(
                    f"{row.task} × {row.model}: {name} {interval(low, high)} "
                    f"does not contain the score {decimal(value)}"
                )
    counts = {"intervals": n_intervals, "degenerate": sum(row.degenerate for row in rows)}
    return CheckResult(
        "intervals", "Every interval contains its own score, also at item level.", counts, problems
    )


def check_controls(inputs: Inputs, selection: Selection) -> CheckResult:
    """Random vectors score as guessing does.

    Where fold scores are cut at 0, guessing has a mean above 0. A guess has a score that is about normal with
    standard deviation sigma = 1 / sqrt((K - 1) n) on a test fold of n rows in K balanced classes (exact in
    the limit for MCC with K = 2 and for kappa-like metrics); cut at 0 its mean is sigma / sqrt(2 pi). The
    check fails where the lower limit of the generalisation interval lies above that mean by more than
    `CONTROL_TOLERANCE`: luck alone then is no explanation, and labels or texts are leaking between folds.
    """
    problems = []
    of_random = [row for row in inputs.rows(ScoreRow) if row.model in selection.random_models]
    for row in of_random:
        allowed = guessing_mean(row) + CONTROL_TOLERANCE
        no_interval = row.degenerate or row.has_too_few_documents
        low = row.mean if no_interval else row.generalisation_low
        if not low <= allowed:
            problems.append(
                f"{row.task} × {row.model}: score {decimal(row.mean)}, lower limit {decimal(low)}, but random vectors "
                f"should not exceed {decimal(allowed)}; look for texts that occur more than once"
            )
    rule = (
        f"The generalisation interval of random vectors begins no higher than {CONTROL_TOLERANCE:g} above the mean of "
        "guessing."
    )
    return CheckResult("controls", rule, {"random_scores": len(of_random)}, problems)


def guessing_mean(row: ScoreRow) -> float:
    """Expected mean of the fold scores of a guess: above 0 if they are cut at 0 (see `check_controls`)."""
    if not row.clips:
        return 0.0
    n_test = row.n_balanced_rows / row.folds
    return 1 / math.sqrt(2 * math.pi * (row.n_classes - 1) * n_test)


def check_complete(inputs: Inputs, selection: Selection) -> CheckResult:
    """There is exactly one row for every selected task and model, made of all its folds."""
    rows = inputs.rows(ScoreRow)
    problems = [*unselected([(row.task, row.model) for row in rows], selection.tasks, selection.models)]
    problems += [
        f"{row.task} × {row.model}: {row.n_folds} folds instead of {row.repetitions} × {row.folds}"
        for row in rows
        if row.n_folds != row.repetitions * row.folds
    ]
    counts = {"tasks": len(selection.tasks), "models": len(selection.models), "scores": len(rows)}
    return CheckResult("complete", "All selected tasks for all selected models, all folds.", counts, problems)


def check_no_missing(inputs: Inputs, _selection: Selection) -> CheckResult:
    """No number is undefined, except the repeatability limits of degenerate rows, and limits of too few documents."""
    numbers = [item.name for item in fields(ScoreRow) if item.type is float]
    rows = inputs.rows(ScoreRow)
    problems = []
    for row in rows:
        excused = {"repeatability_low", "repeatability_high"} if row.degenerate else set()
        if row.has_too_few_documents:
            excused |= {"generalisation_low", "generalisation_high"}
        missing = [name for name in numbers if name not in excused and not math.isfinite(getattr(row, name))]
        if missing:
            problems.append(f"{row.task} × {row.model}: undefined {', '.join(missing)}")
    counts = {"scores": len(rows), "values": len(rows) * len(numbers)}
    return CheckResult(
        "no_missing", "No undefined number, except interval limits of degenerate rows.", counts, problems
    )
