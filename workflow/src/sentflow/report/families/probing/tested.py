"""What the tests between encoders say of their scores, in plain words."""

import math
from collections.abc import Sequence
from statistics import median

from sentflow.compare.comparisons import NAMED_DIFFERENCE, Comparisons, detectable
from sentflow.compare.differences import values_of, winner, winner_by
from sentflow.compare.rows import EQUIVALENT, AcrossRow, PairRow, RankRow
from sentflow.report import captions
from sentflow.report.numbers import count, counted, decimal, listed, p_value, percent
from sentflow.report.rows import unique

_FEW = 8  # names that a sentence can hold


def within_tasks(comparisons: Comparisons) -> str:
    """On how many tasks the first is significantly better than the second, and what the other tests show."""
    pairs = comparisons.pairs
    tasks = unique(pair.task for pair in pairs)
    clear = [task for task in tasks if _first_wins(pairs, task)]
    adjusted = (
        f"{captions.test_name(pairs)}, {captions.adjusted_over_tasks(pairs[0].adjustment, pairs[0].alpha)}"
    )
    text = (
        f"On {len(clear)} of {counted(len(tasks), 'task')} the highest score is significantly better "
        f"than the second ({adjusted})" + (f": {', '.join(clear)}" if 0 < len(clear) <= _FEW else "") + "."
    )
    undecided = [pair for pair in pairs if winner_by(pair, pair.p_over_tasks) is None]
    n_alone = sum(winner(pair) is not None for pair in pairs)
    text += (
        f" Of all {count(len(pairs))} pairs of encoders on a task, {count(len(pairs) - len(undecided))} "
        f"differ significantly; {count(n_alone)} are marked where each task is adjusted by itself (Holm). "
        "This does not show that the others are equal: the tests may have had too little power."
    )
    equal = [pair for pair in undecided if pair.is_equivalent]
    if equal:
        text += (
            f" {count(len(equal))} of them are equivalent: the {percent(1 - 2 * EQUIVALENT)} interval lies within ± "
            f"{decimal(equal[0].rope, 2)}."
        )
    return text


def across_tasks(comparisons: Comparisons) -> str | None:
    """What holds over all tasks of the one protocol that these are of; None where fewer than two encoders have all."""
    ranked = sorted((row for row in comparisons.ranks if row.complete), key=lambda row: row.average_rank)
    if len(ranked) < 2 or not comparisons.across:
        return None
    facts = comparisons.omnibus[ranked[0].protocol]
    first = ranked[0]
    text = f"{first.model_title} has the best average rank, {decimal(first.average_rank, 2)}."
    if facts.get("iman_davenport_p") is not None:
        text += (
            f" Test that all encoders rank equally: {p_value(facts['iman_davenport_p'])} (Friedman, in "
            f"the form of Iman and Davenport, {captions.over_units(facts['units'], facts['n_units'])})."
        )
    own = [row for row in comparisons.across if first.model in (row.model_a, row.model_b)]
    titles = {row.model: row.model_title for row in ranked}
    joined = [
        titles[row.model_b if row.model_a == first.model else row.model_a] for row in own if not row.separated
    ]
    if not joined:
        text += " It differs significantly from every other encoder."
    elif len(joined) == len(own):
        text += " It does not differ significantly from any other encoder."
    else:
        text += f" It does not differ significantly from {listed(joined)}."
    text += _on_a_new_task(comparisons.across, ranked[0], ranked[1])
    left_out = [row.model_title for row in comparisons.ranks if not row.complete]
    if left_out:
        text += f" Not ranked, because a task is missing: {listed(left_out)}."
    return text


def what_could_be_found(comparisons: Comparisons) -> str:
    """How small a difference the tests can find."""
    gaps = [pair.mdd_power for pair in comparisons.pairs if not math.isnan(pair.mdd_power)]
    if not gaps:
        return "No test is possible."
    text = (
        f"A true difference of {decimal(median(gaps))} between two encoders on a task is found four times out of five "
        f"(median of the pairs; from {decimal(min(gaps))} to {decimal(max(gaps))})."
    )
    known = [
        mdd
        for task in unique(pair.task for pair in comparisons.pairs)
        if not math.isnan(mdd := detectable(comparisons.pairs, task))
    ]
    small = sum(mdd <= NAMED_DIFFERENCE for mdd in known)
    text += (
        f" One of {NAMED_DIFFERENCE:g} is, for the typical pair, on {small} of {counted(len(known), 'task')}."
    )
    return (
        text + " More texts make smaller differences visible; beyond 10 repetitions more of them hardly do."
    )


def _first_wins(pairs: Sequence[PairRow], task: str) -> bool:
    """Whether the highest score is significantly above the second, over all tasks; no where the highest are equal."""
    values = values_of(pairs, task)
    if len(values) < 2:
        return False
    first, second = sorted(values, key=lambda model: -values[model])[:2]
    return any(
        winner_by(pair, pair.p_over_tasks) == first
        for pair in pairs
        if pair.task == task and {pair.model_a, pair.model_b} == {first, second}
    )


def _on_a_new_task(across: Sequence[AcrossRow], first: RankRow, second: RankRow) -> str:
    """What the first two by average rank would do on a new task; nothing where no model could be fitted."""
    for row in across:
        if {row.model_a, row.model_b} == {first.model, second.model} and not math.isnan(row.difference):
            is_a = row.model_a == first.model
            mean, low, high = (
                (row.difference, row.low, row.high) if is_a else (-row.difference, -row.high, -row.low)
            )
            return (
                f" It is above {second.model_title} by {decimal(mean)} on average over tasks ({percent(row.level)} "
                f"interval {decimal(low)} to {decimal(high)})."
            )
    return ""
