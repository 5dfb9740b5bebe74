"""The acceptance check of similarity: all there and finite, random vectors at chance."""

import math
from collections.abc import Sequence

from sentflow.report.checks import CONTROL_TOLERANCE, CheckResult, Selection
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.data import SimilarityData, main_rows
from sentflow.report.families.similarity.rows import SimilarityRow
from sentflow.report.inputs import Inputs

NAME = "similarity"
_RULE = (
    "Every selected encoder has a similarity score on every selected pair set, undefined only with a "
    "warning; intervals contain their scores; random vectors score near 0."
)
_ROUNDING = 1e-9


def check_similarity(inputs: Inputs, selection: Selection) -> CheckResult:
    """Hold the summary to what was selected.

    Random vectors know nothing of a text, but two equal texts have one vector and most often the highest gold score. A
    share p of such pairs at the upper end of both rankings lifts Spearman's correlation by at most 3 p (a half of the
    ranks each, over their variance of 1/12), so the lower limit of the interval may lie that much above
    `CONTROL_TOLERANCE`.
    """
    data = inputs.together(SimilarityData)
    main = main_rows(data.scores)
    systems = [*selection.pair_models, *selection.baselines]
    found = {(row.pairs, row.model) for row in main}
    problems = [
        f"{pairs} × {model}: no score"
        for pairs in selection.pairs
        for model in systems
        if (pairs, model) not in found
    ]
    problems += [
        f"{row.pairs} × {row.model}: not selected"
        for row in main
        if row.pairs not in selection.pairs or row.model not in systems
    ]
    problems += _undefined(data.scores)
    problems += _outside(data.scores)
    of_random = [row for row in data.scores if _is_random(row, selection)]
    problems += [problem for row in of_random if (problem := _not_random(row))]
    counts = {
        "pair_sets": len(selection.pairs),
        "scores": len(main),
        "correlations": len(data.scores),
        "random_scores": len(of_random),
    }
    return CheckResult(NAME, _RULE, counts, problems)


def _undefined(rows: Sequence[SimilarityRow]) -> list[str]:
    return [
        f"{_where(row)}: undefined, and no warning gives the reason"
        for row in rows
        if not math.isfinite(row.value) and not row.warnings
    ]


def _outside(rows: Sequence[SimilarityRow]) -> list[str]:
    return [
        f"{_where(row)}: interval {words.hundred_interval(row.low, row.high)} does not contain "
        f"{words.hundred(row.value)}"
        for row in rows
        if math.isfinite(row.value + row.low + row.high)
        and not row.low - _ROUNDING <= row.value <= row.high + _ROUNDING
    ]


def _is_random(row: SimilarityRow, selection: Selection) -> bool:
    return (row.model in selection.random_models and row.measure == "cosine"
            and (row.coefficient, row.aggregation) == ("spearman", "all"))  # fmt: skip


def _not_random(row: SimilarityRow) -> str:
    low, high = row.low, row.high
    if math.isnan(low):  # no score, or too few pairs to tell chance from more
        return ""
    allowed = CONTROL_TOLERANCE + 3 * row.n_equal / row.n
    if low <= allowed and high >= -CONTROL_TOLERANCE:
        return ""
    return (
        f"{_where(row)}: {words.hundred(row.value)} with an interval from {words.hundred(low)} to "
        f"{words.hundred(high)}, but random vectors should reach between "
        f"{words.hundred(-CONTROL_TOLERANCE)} and "
        f"{words.hundred(allowed)}; check whether vectors are matched with the right texts"
    )


def _where(row: SimilarityRow) -> str:
    what = f"{row.aggregation} {row.subset}".strip()
    return f"{row.pairs} × {row.model}, {row.measure}, {row.coefficient}, {what}"
