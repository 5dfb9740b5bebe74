"""What the tests between encoders say of their scores, in plain words."""

import math
from collections.abc import Sequence
from statistics import median

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.differences import winner
from sentflow.compare.marks import beaten
from sentflow.compare.rows import PairRow
from sentflow.report.numbers import count, counted, decimal, listed, p_value, percent
from sentflow.report.rows import unique

_FEW = 8  # names that a sentence can hold


def within_tasks(comparisons: Comparisons) -> str:
    """On how many tasks the first is significantly better than the second, and what the other tests show."""
    pairs = comparisons.pairs
    tasks = unique(row.task for row in comparisons.power)
    clear = [row.task for row in comparisons.power if _first_wins(pairs, row.task, row.model_a, row.model_b)]
    text = (
        f"On {len(clear)} of {counted(len(tasks), 'task')} the highest score is significantly better "
        "than the second "
        f"({percent(pairs[0].alpha)}, corrected resampled t-test on the paired folds, Holm over all "
        "pairs of the task)" + (f": {', '.join(clear)}" if 0 < len(clear) <= _FEW else "") + "."
    )
    undecided = [pair for pair in pairs if winner(pair) is None]
    text += (
        f" Of all {count(len(pairs))} pairs of encoders on a task, {count(len(pairs) - len(undecided))} "
        "differ "
        "significantly. This does not show that the others are equal: the tests may have had too little "
        "power."
    )
    equal = [pair for pair in undecided if pair.bayes_equal >= 0.95]
    if equal:
        text += (
            f" For {count(len(equal))} of them there is evidence of practical equality (within "
            f"{decimal(equal[0].rope, 2)}, probability at least {percent(0.95)})."
        )
    return text


def across_tasks(comparisons: Comparisons) -> str | None:
    """What holds over all tasks; None where fewer than two encoders have them all."""
    ranked = sorted((row for row in comparisons.ranks if row.complete), key=lambda row: row.average_rank)
    if len(ranked) < 2 or not comparisons.across:
        return None
    facts = comparisons.omnibus
    first = ranked[0]
    text = (
        f"{first.model_title} has the best average rank, {decimal(first.average_rank, 2)} "
        f"({percent(first.level)} "
        f"interval {decimal(first.rank_low, 2)} to {decimal(first.rank_high, 2)})."
    )
    if facts.get("iman_davenport_p") is not None:
        text += (
            f" Test that all encoders rank equally: {p_value(facts['iman_davenport_p'])} (Friedman, in "
            "the form of Iman "
            "and Davenport)."
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
    left_out = [row.model_title for row in comparisons.ranks if not row.complete]
    if left_out:
        text += f" Not ranked, because a task is missing: {listed(left_out)}."
    return text


def what_could_be_found(comparisons: Comparisons) -> str:
    """How small a difference the tests can find, and what would make it smaller."""
    known = [row for row in comparisons.power if not math.isnan(row.mdd)]
    if not known:
        return "No test is possible."
    gaps = [row.mdd for row in known]
    text = (
        "A difference between the first two encoders of a task had to reach "
        f"{decimal(median(gaps))} to be significant in "
        f"a single test (median; from {decimal(min(gaps))} to {decimal(max(gaps))})."
    )
    open_tasks = [
        row
        for row in known
        if not _first_wins(comparisons.pairs, row.task, row.model_a, row.model_b)
        and not math.isnan(row.rows_needed)
    ]
    if open_tasks:
        easiest = min(open_tasks, key=lambda row: row.rows_needed / row.rows_now)
        text += (
            " Where the first two do not differ significantly, more texts would help and more "
            "repetitions would not. The "
            f"fewest are needed on {easiest.task}: {count(math.ceil(easiest.rows_needed))} "
            "class-balanced rows instead of "
            f"{count(easiest.rows_now)}."
        )
    return text


def _first_wins(pairs: Sequence[PairRow], task: str, first: str, second: str) -> bool:
    return second in beaten(pairs, task, first)
