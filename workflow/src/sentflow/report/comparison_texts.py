"""Texts above and below the figures of comparisons, and their alternative texts."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from sentflow.compare.rows import PairRow
from sentflow.compare.score_rows import OfAProtocol, by_protocol
from sentflow.report import captions
from sentflow.report.comparison_data import RankingRow
from sentflow.report.figure.recipe import Caption
from sentflow.report.numbers import counted, decimal, p_value, percent
from sentflow.report.rows import data_note, unique

NOTHING = "Nothing to compare: fewer than two encoders have a score on every task."


def ranks(rows: Sequence[RankingRow]) -> Caption:
    """Texts of the average ranks, their intervals, and the bars that join encoders."""
    groups = ranked_groups(rows)
    if not groups:
        return nothing("Average ranks")
    ranked = rows_of(groups)
    first = ranked[0]
    return Caption(
        title=f"Average ranks with {percent(first.level)} intervals, and which encoders are not separated",
        reading=" ".join(
            [
                f"Average rank over {_n_tasks(groups)}, 1 is the best. Line: interval of the average "
                "rank that a repetition with other tasks (of other sources, where there are several) and other texts "
                "would give.",
                "A bar at the right joins encoders that are not separated at "
                f"{percent(first.alpha)}: Wilcoxon's signed-rank test "
                f"{_of_each(groups, lambda row: captions.over_units(row.units, row.n_units))}, Holm over all pairs, "
                "where the test of all encoders together rejects. It does not say that they are equal.",
                f"All encoders equal? {_of_each(groups, _omnibus)}.",
                *captions.apart_notes(rows),
                *unique(row.score_notes for row in rows if row.score_notes),
                *_not_ranked(rows),
                _design(first, rows),
                data_note(rows),
            ]
        ),
        alternative=f"Average rank, its intervals and bars of encoders that are not separated, for {len(ranked)} "
        f"encoders on {_n_tasks(groups)}: "
        + ", ".join(f"{row.model_title} {decimal(row.average_rank, 2)}" for row in ranked)
        + ". The table of ranks has the same numbers.",
    )


def differences(rows: Sequence[PairRow], score_notes: Sequence[str] = (), *, n_left_out: int = 0) -> Caption:
    """Texts of the paired differences; the notes say why scores are lower than encoders allow."""
    if not rows:
        return nothing("Paired differences")
    first = rows[0]
    n_pairs = len(unique(f"{row.model_a} {row.model_b}" for row in rows))
    left_out = f" {n_left_out} further pairs are in the table of differences." if n_left_out else ""
    return Caption(
        title=f"Paired differences of scores with {percent(first.level)} intervals",
        reading=" ".join(
            [
                "First encoder minus second, task by task, on the same folds; interval of the "
                f"{captions.test_name(rows)}, not adjusted for the number of pairs. Filled: significant at "
                f"{percent(first.alpha)} (Holm over all pairs of the task); hollow: not.{left_out}",
                *score_notes,
                f"{captions.named_protocols(rows)}, {first.n_folds} folds.",
                data_note(rows),
            ]
        ),
        alternative=f"Paired differences of {n_pairs} pairs of encoders on "
        f"{len(unique(row.task for row in rows))} tasks, sorted. The table of differences has the same "
        "numbers.",
    )


def nothing(title: str) -> Caption:
    """Texts of a figure that has nothing to show."""
    return Caption(title=title, reading=NOTHING, alternative=f"{title}. {NOTHING}")


def ranked_groups(rows: Sequence[RankingRow]) -> dict[str, list[RankingRow]]:
    """Protocol → the encoders that have a rank, the best first; without the protocols that rank fewer than two."""
    ranked = by_protocol(row for row in rows if row.complete and not math.isnan(row.average_rank))
    return {protocol: own for protocol, own in ranked.items() if len(own) > 1}


def rows_of(groups: Mapping[str, Sequence[RankingRow]]) -> list[RankingRow]:
    """The rows of all groups."""
    return [row for own in groups.values() for row in own]


def _n_tasks(groups: Mapping[str, Sequence[RankingRow]]) -> str:
    counts = {protocol: own[0].n_tasks for protocol, own in groups.items()}
    if len(counts) == 1:
        return counted(sum(counts.values()), "task")
    return "the tasks of a protocol (" + ", ".join(f"{name} {n}" for name, n in counts.items()) + ")"


def _of_each(groups: Mapping[str, Sequence[RankingRow]], said: Callable[[RankingRow], str]) -> str:
    """What is said of the tasks of each protocol, by its first row."""
    if len(groups) == 1:
        return "".join(said(own[0]) for own in groups.values())
    each = "; ".join(f"{protocol}: {said(own[0])}" for protocol, own in groups.items())
    return f"({each})"


def _omnibus(row: RankingRow) -> str:
    return f"Friedman {p_value(row.friedman_p)}, Iman and Davenport {p_value(row.iman_davenport_p)}"


def _not_ranked(rows: Sequence[RankingRow]) -> list[str]:
    names = unique(row.model_title for row in rows if not row.complete)
    return [f"Not ranked, because a task is missing: {', '.join(names)}."] if names else []


def _design(row: RankingRow, rows: Iterable[OfAProtocol]) -> str:
    return f"{captions.named_protocols(rows)}, {row.repetitions} × {row.folds} folds."
