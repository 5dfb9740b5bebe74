"""The acceptance check of retrieval: all there and in range, random order at chance."""

import math
from collections.abc import Iterator

from sentflow.report.checks import CONTROL_TOLERANCE, CheckResult, Selection, unselected
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import decimal, interval

_RULE = (
    "Every selected retriever has a score on every selected question set; means lie in [0, 1] and in their intervals; "
    "a random order is at chance."
)
_ROUNDING = 1e-9


def check_retrieval(inputs: Inputs, selection: Selection) -> CheckResult:
    """Compare the summary with what was selected.

    What a random order reaches on average is known in closed form (`sentflow.retrieval.measures`). The check fails
    where the interval of a random retriever lies further than `CONTROL_TOLERANCE` from it: that is no luck.
    """
    rows = inputs.rows(RetrievalRow)
    whole = words.whole(rows)
    scored = [(row.questions, row.retriever) for row in whole]
    problems = [
        *unselected(scored, selection.question_sets, selection.retrievers),
        *(problem for row in rows for problem in _problems(row)),
    ]
    counts = {
        "question_sets": len(selection.question_sets),
        "scores": len(whole),
        "random_scores": sum(row.is_control and not math.isnan(row.chance) for row in whole),
    }
    return CheckResult("retrieval", _RULE, counts, problems)


def _problems(row: RetrievalRow) -> Iterator[str]:
    group = f", {row.group}" if row.group else ""
    where = f"{row.questions} × {row.retriever}{group}, {row.measure} {decimal(row.value)}"
    if not 0 <= row.value <= 1 + _ROUNDING:
        yield f"{where}: {row.value} is no share"
    if row.group or not math.isfinite(row.low + row.high):
        return
    if not row.low - _ROUNDING <= row.value <= row.high + _ROUNDING:
        yield f"{where}: {interval(row.low, row.high)} does not contain it"
    if row.is_control and (
        row.chance < row.low - CONTROL_TOLERANCE or row.chance > row.high + CONTROL_TOLERANCE
    ):
        yield (
            f"{where} with an interval {interval(row.low, row.high)}, but a random order reaches "
            f"{decimal(row.chance)} on average; check whether judgements and runs name the same documents"
        )
