"""The acceptance check of retrieval: all there and in range, random order at chance."""

import math

from sentflow.report.checks import CONTROL_TOLERANCE, CheckResult, Selection
from sentflow.report.families.retrieval import words
from sentflow.report.families.retrieval.rows import RetrievalRow
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import decimal, interval

NAME = "retrieval"
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
    found = dict.fromkeys((row.questions, row.retriever) for row in whole)
    wanted = [(one, other) for one in selection.question_sets for other in selection.retrievers]
    of_random = [row for row in whole if row.is_control and not math.isnan(row.chance)]
    problems = [
        *(f"{one} × {other}: no score" for one, other in wanted if (one, other) not in found),
        *(f"{one} × {other}: not selected" for one, other in found if (one, other) not in wanted),
        *(f"{_where(row)}: {row.value} is no share" for row in rows if not 0 <= row.value <= 1 + _ROUNDING),
        *(
            f"{_where(row)}: {interval(row.low, row.high)} does not contain it"
            for row in whole
            if _outside(row)
        ),
        *(problem for row in of_random if (problem := _not_random(row))),
    ]
    counts = {
        "question_sets": len(selection.question_sets),
        "scores": len(whole),
        "random_scores": len(of_random),
    }
    return CheckResult(NAME, _RULE, counts, problems)


def _where(row: RetrievalRow) -> str:
    group = f", {row.group}" if row.group else ""
    return f"{row.questions} × {row.retriever}{group}, {row.measure} {decimal(row.value)}"


def _outside(row: RetrievalRow) -> bool:
    known = math.isfinite(row.low + row.high)
    return known and not row.low - _ROUNDING <= row.value <= row.high + _ROUNDING


def _not_random(row: RetrievalRow) -> str:
    low, high = row.low, row.high
    if math.isnan(low):  # too few questions to tell chance from more
        return ""
    if low - CONTROL_TOLERANCE <= row.chance <= high + CONTROL_TOLERANCE:
        return ""
    return (
        f"{_where(row)} with an interval {interval(low, high)}, but a random order reaches {decimal(row.chance)} on "
        "average; check whether judgements and runs name the same documents"
    )
