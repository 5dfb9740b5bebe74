"""The acceptance check of similarity: all there and finite, random vectors at chance."""

import math
from collections.abc import Iterator
from operator import attrgetter

from sentflow.report.checks import CONTROL_TOLERANCE, CheckResult, Selection, unselected
from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.rows import SimilarityRow, main_rows
from sentflow.report.inputs import Inputs

_RULE = (
    "Every selected encoder has a similarity score on every selected pair set, undefined only with a warning; "
    "intervals contain their scores; random vectors score near 0."
)
_ROUNDING = 1e-9


def check_similarity(inputs: Inputs, selection: Selection) -> CheckResult:
    """Hold the summary to what was selected.

    Random vectors know nothing of a text, but two equal texts have one vector and most often the highest gold score. A
    share p of such pairs at the upper end of both rankings lifts Spearman's correlation by at most 3 p (a half of the
    ranks each, over their variance of 1/12), so the lower limit of the interval may lie that much above
    `CONTROL_TOLERANCE`.
    """
    rows = inputs.rows_if_there(SimilarityRow)
    main, systems = main_rows(rows), [*selection.pair_models, *selection.baselines]
    what = attrgetter("measure", "coefficient", "aggregation")
    random_models = [row for row in rows if row.model in selection.random_models]
    of_random = [row for row in random_models if what(row) == ("cosine", "spearman", "all")]
    problems = [
        *unselected([(row.pairs, row.model) for row in main], selection.pairs, systems),
        *(problem for row in rows for problem in _undefined_or_outside(row)),
        *(problem for row in of_random for problem in _not_random(row)),
    ]
    counts = {
        "pair_sets": len(selection.pairs),
        "scores": len(main),
        "correlations": len(rows),
        "random_scores": len(of_random),
    }
    return CheckResult("similarity", _RULE, counts, problems)


def _undefined_or_outside(row: SimilarityRow) -> Iterator[str]:
    if not math.isfinite(row.value) and not row.warnings:
        yield f"{_where(row)}: undefined, and no warning gives the reason"
    is_known = math.isfinite(row.value + row.low + row.high)
    if is_known and not row.low - _ROUNDING <= row.value <= row.high + _ROUNDING:
        limits = words.hundred_interval(row.low, row.high)
        yield f"{_where(row)}: interval {limits} does not contain {words.hundred(row.value)}"


def _not_random(row: SimilarityRow) -> Iterator[str]:
    allowed = CONTROL_TOLERANCE + 3 * row.n_equal / row.n
    # limits are undefined without a score, and where there are too few pairs to tell chance from more
    if row.low > allowed or row.high < -CONTROL_TOLERANCE:
        yield (
            f"{_where(row)}: {words.hundred(row.value)} with an interval from {words.hundred(row.low)} to "
            f"{words.hundred(row.high)}, but random vectors should reach between {words.hundred(-CONTROL_TOLERANCE)} "
            f"and {words.hundred(allowed)}; check whether vectors are matched with the right texts"
        )


def _where(row: SimilarityRow) -> str:
    what = f"{row.aggregation} {row.subset}".strip()
    return f"{row.pairs} × {row.model}, {row.measure}, {row.coefficient}, {what}"
