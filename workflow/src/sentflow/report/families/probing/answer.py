"""Which encoder is best over the tasks, by how much, how certain that is."""

import math
from collections.abc import Sequence

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.rows import AcrossRow, PairRow, RankRow
from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions
from sentflow.report.answers import Lead, Place, alone, first_and_next
from sentflow.report.families.probing.rows import average_score
from sentflow.report.numbers import counted
from sentflow.report.rows import unique
from sentflow.stats.sign_flips import least_sign_flip_p


def answer(rows: Sequence[ScoreRow], comparisons: Comparisons) -> str:
    """One sentence; `rows` are of one protocol, and `comparisons` of these rows."""
    tasks, ranked = unique(row.task for row in rows), complete(rows)
    several = len(tasks) > 1
    measure, where = ("mean score", f"over {len(tasks)} tasks") if several else ("score", f"on {tasks[0]}")
    if not ranked:
        return "No encoder has a score on every task, so none is called the best."
    places = {row.model: Place(row.model_title, ranked[row.model]) for row in rows if row.model in ranked}
    first, *others = ranked
    if not others:
        return alone(places[first].title, f"{measure} {where}", ranked[first])
    lead = (
        _over_tasks(comparisons, first, others[0])
        if several
        else _on_one_task(rows, comparisons, first, others[0])
    )
    said = first_and_next(
        places[first], places[others[0]], systems="encoder", measure=measure, where=where, lead=lead
    )
    return said.removesuffix(".") + _caution(rows, comparisons, first) + "."


def complete(rows: Sequence[ScoreRow]) -> dict[str, float]:
    """The encoders with a score on every task → their mean, from the highest down."""
    n_tasks = len(unique(row.task for row in rows))
    means = {
        model: average_score([row for row in rows if row.model == model], n_tasks)
        for model in unique(row.model for row in rows)
    }
    whole = {model: mean for model, mean in means.items() if not math.isnan(mean)}
    return dict(sorted(whole.items(), key=lambda item: -item[1]))


def population(row: AcrossRow) -> str:
    """Which tasks the average difference over tasks holds for."""
    return "new tasks of the same source" if row.n_sources == 1 else "tasks of new sources"


def texts(row: ScoreRow) -> str:
    """Which texts the intervals of a task hold for."""
    if not row.item_grouped:
        return "new texts"
    return captions.NEW_DOCUMENTS if row.groups_folds else captions.SAME_DOCUMENTS


def between(across: Sequence[AcrossRow], first: str, other: str) -> tuple[AcrossRow, int] | None:
    """The row of two encoders, and 1, or −1 where its differences are the other's less the first's."""
    for row in across:
        if {row.model_a, row.model_b} == {first, other}:
            return row, 1 if row.model_a == first else -1
    return None


def _over_tasks(comparisons: Comparisons, first: str, second: str) -> Lead | None:
    found = between(comparisons.across, first, second)
    if found is None:
        return None
    row, sign = found
    units = counted(row.n_units, row.units.removesuffix("s"))
    too_few = least_sign_flip_p(row.n_units) * len(comparisons.across) > row.alpha
    low, high = sorted((sign * row.low, sign * row.high))
    # A test of signs and ranks can favour the other one, or find what the average difference leaves open
    agree = row.separated and not low <= 0
    both = ", taken with that interval," if row.separated and not agree else ""
    return Lead(
        sign * row.difference,
        low,
        high,
        row.level,
        population(row),
        test=f"{units} are too few for the signed-rank test to separate any two"
        if too_few
        else f"the signed-rank test over {units}{both}",
        is_separated=agree,
        cannot_separate=too_few,
        estimate="difference",
    )


def _on_one_task(rows: Sequence[ScoreRow], comparisons: Comparisons, first: str, second: str) -> Lead | None:
    pairs: list[PairRow] = [
        pair for pair in comparisons.pairs if {pair.model_a, pair.model_b} == {first, second}
    ]
    if not pairs:
        return None
    return Lead.of(pairs[0], first, test=f"the {captions.test_name(pairs)}", population=texts(rows[0]))


def _caution(rows: Sequence[ScoreRow], comparisons: Comparisons, first: str) -> str:
    """That the first is a control, or that ranks name another one."""
    controls = {row.model for row in rows if row.is_control}
    if first in controls:
        return "; it is a control, so no encoder is above all controls"
    ranks: list[RankRow] = [row for row in comparisons.ranks if not math.isnan(row.average_rank)]
    best = min((row.average_rank for row in ranks), default=math.nan)
    leaders = [row for row in ranks if row.average_rank == best]
    if leaders and first not in {row.model for row in leaders}:
        return f"; by average rank {leaders[0].model_title} is first"
    return ""
