"""The tables of comparisons: pairs within each task, ranks, pairs over tasks, power."""

import math
from collections.abc import Sequence

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.rows import AcrossRow, PairRow, PowerRow, RankRow
from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions
from sentflow.report.numbers import MISSING, count, counted, decimal, interval, p_number, percent
from sentflow.report.rows import unique
from sentflow.report.table.cells import Cell, Group, Table, names_of, records_of

NOTHING = "Nothing was compared: fewer than two encoders have a score."


def differences_table(rows: Sequence[ScoreRow], title: str, comparisons: Comparisons) -> Table:
    """Every pair of encoders on every task: difference, interval, tests, and what could have been found."""
    pairs = comparisons.pairs
    groups = []
    for task in unique(pair.task for pair in pairs):
        first = next(row for row in rows if row.task == task)
        metric, n = captions.metric_name(first.metric), count(first.n_balanced_rows)
        heading = f"{task}: {first.task_title} ({metric}, n = {n})"
        groups.append(Group(heading, tuple(_pair_line(pair) for pair in pairs if pair.task == task)))
    notes = [captions.data_note(rows), captions.design_note(rows)]
    if pairs:
        pair = pairs[0]
        notes += [
            f"Difference: first minus second, on the same folds, with its {percent(pair.level)} "
            "generalisation interval: "
            f"{captions.GENERALISATION}.",
            "p: corrected resampled t-test; Holm: adjusted over all pairs of the task.",
            "MDD, minimum detectable difference: smallest observed difference that is significant "
            f"at {percent(pair.alpha)} "
            f"in one test; in brackets the true difference that is found with a power of {percent(0.8)}.",
            "P: probabilities that the first is better, that both are equivalent within "
            f"{decimal(pair.rope, 2)}, that the second "
            "is better (Bayesian correlated t-test).",
            "Texts: interval of the difference by a paired bootstrap over texts.",
        ]
        if any(pair.degenerate for pair in pairs):
            notes.append(f"{MISSING} No test: all folds have the same difference.")
    else:
        notes.append(NOTHING)
    return Table(
        name="differences",
        caption=f"{title}: paired differences between encoders.",
        notes=tuple(notes),
        header=("First − second", "Difference", "Interval", "p", "Holm", "MDD", "P", "Texts"),
        alignment=("w3.3", "r", "l", "r", "r", "r", "l", "l"),
        groups=tuple(groups),
        tidy_header=names_of(PairRow),
        tidy_rows=records_of(pairs),
    )


def ranks_table(rows: Sequence[ScoreRow], title: str, comparisons: Comparisons) -> Table:
    """Encoders over all tasks: mean, average rank and its interval, wins and losses; incomplete ones without a mean."""
    ranks = sorted(
        comparisons.ranks, key=lambda row: (not row.complete, _last(row.average_rank), row.model_title)
    )
    n_tasks = len(unique(row.task for row in rows))
    notes = [captions.data_note(rows), captions.design_note(rows)]
    if ranks:
        notes += [
            f"Average rank over {counted(n_tasks, 'task')}, 1 is the best; "
            f"{percent(ranks[0].level)} interval for other tasks "
            "and other texts. Place: by average rank.",
            "Won, neither, lost: tests against all other encoders within each task (Holm over its pairs).",
            *_omnibus_notes(comparisons),
            "n of each task: see table of scores. MDD: defined for a pair on a task, see table of "
            "differences.",
        ]
        if not all(rank.complete for rank in ranks):
            notes.append(f"{MISSING} A task is missing: no mean and no rank.")
    else:
        notes.append(NOTHING)
    return Table(
        name="ranks",
        caption=f"{title}: encoders over all tasks.",
        notes=tuple(notes),
        header=(
            "Encoder",
            "Tasks",
            "Mean score",
            "Average rank",
            "Interval",
            "Place",
            "Won",
            "Neither",
            "Lost",
        ),
        alignment=("w4.0", "r", "r", "r", "l", "l", "r", "r", "r"),
        groups=(Group("", tuple(_rank_line(row, comparisons.across) for row in ranks)),),
        tidy_header=names_of(RankRow),
        tidy_rows=records_of(ranks),
    )


def matches_table(rows: Sequence[ScoreRow], title: str, comparisons: Comparisons) -> Table:
    """Pairs of complete encoders over all tasks: wins and losses, tests over tasks."""
    across = comparisons.across
    notes = [captions.data_note(rows), captions.design_note(rows)]
    if across:
        notes += [
            "Won, neither, lost: tasks on which the first is significantly better, neither is, the "
            "second is (corrected "
            "resampled t-test, Holm within the task).",
            "Wilcoxon: signed-rank test of the scores per task; Holm: adjusted over all pairs.",
            "P: probabilities that, over tasks like these, the most probable outcome is that the first "
            "is better by more "
            f"than {decimal(across[0].rope, 2)}, that both are equal within it, that the second is "
            "better (Bayesian "
            "signed-rank test). The probability of that outcome on a single further task is lower.",
            *_omnibus_notes(comparisons),
            "n of each task: see table of scores. Interval and MDD are defined for a pair on a task: "
            "see table of differences.",
        ]
    else:
        notes.append("Nothing was compared: fewer than two encoders have a score on every task.")
    return Table(
        name="matches",
        caption=f"{title}: pairs of encoders over all tasks.",
        notes=tuple(notes),
        header=("First − second", "Won", "Neither", "Lost", "Wilcoxon", "Holm", "Separated", "P"),
        alignment=("w5.2", "r", "r", "r", "r", "r", "l", "l"),
        groups=(Group("", tuple(_match_line(row) for row in across)),),
        tidy_header=names_of(AcrossRow),
        tidy_rows=records_of(across),
    )


def power_table(rows: Sequence[ScoreRow], title: str, comparisons: Comparisons) -> Table:
    """Per task the first two encoders: their difference, and how many texts would make it significant."""
    power = comparisons.power
    notes = [captions.data_note(rows), captions.design_note(rows)]
    if power:
        first = power[0]
        notes += [
            "The first two encoders of each task, one corrected resampled t-test at "
            f"{percent(first.alpha)}; the interval of the difference is in the table of differences. "
            "MDD: smallest observed difference that is significant.",
            "Power: probability of a significant result if the observed difference were the true one.",
            f"n: rows after balancing, and rows that would give a power of {percent(0.8)}; more "
            "repetitions help little, as the "
            "last column shows (MDD with 100 repetitions).",
        ]
        if any(math.isnan(row.rows_needed) for row in power):
            notes.append(f"{MISSING} No difference, or none that can be tested: no number of rows is enough.")
    else:
        notes.append(NOTHING)
    return Table(
        name="power",
        caption=f"{title}: what it would take to separate the first two encoders of each task.",
        notes=tuple(notes),
        header=("Task", "First", "Second", "Difference", "MDD", "Power", "n", "n needed", "MDD at 100"),
        alignment=("l", "w2.9", "w2.9", "r", "r", "r", "r", "r", "r"),
        groups=(Group("", tuple(_power_line(row) for row in power)),),
        tidy_header=names_of(PowerRow),
        tidy_rows=records_of(power),
    )


def _pair_line(pair: PairRow) -> tuple[Cell, ...]:
    found = pair.p_holm <= pair.alpha
    return (
        Cell(f"{pair.model_a_title} − {pair.model_b_title}"),
        Cell(decimal(pair.difference) + ("*" if found else "")),
        Cell(interval(pair.low, pair.high)),
        Cell(p_number(pair.p)),
        Cell(p_number(pair.p_holm)),
        Cell(f"{decimal(pair.mdd)} ({decimal(pair.mdd_power)})" if not math.isnan(pair.mdd) else MISSING),
        Cell(_three(pair.bayes_a, pair.bayes_equal, pair.bayes_b)),
        Cell(interval(pair.item_low, pair.item_high)),
    )


def _rank_line(row: RankRow, across: Sequence[AcrossRow]) -> tuple[Cell, ...]:
    own = [match for match in across if row.model in (match.model_a, match.model_b)]
    won = sum(match.wins if match.model_a == row.model else match.losses for match in own)
    lost = sum(match.losses if match.model_a == row.model else match.wins for match in own)
    ties = sum(match.ties for match in own)
    numbers = (won, ties, lost) if row.complete and own else None
    return (
        Cell(row.model_title),
        Cell(count(row.n_tasks)),
        Cell(decimal(row.mean)),
        Cell(decimal(row.average_rank, 2)),
        Cell(f"{decimal(row.rank_low, 2)} to {decimal(row.rank_high, 2)}" if row.complete else MISSING),
        Cell(_places(row)),
        *(Cell(count(number)) for number in numbers or ()),
        *([] if numbers else [Cell(MISSING)] * 3),
    )


def _match_line(row: AcrossRow) -> tuple[Cell, ...]:
    return (
        Cell(f"{row.model_a_title} − {row.model_b_title}"),
        Cell(count(row.wins)),
        Cell(count(row.ties)),
        Cell(count(row.losses)),
        Cell(p_number(row.p_wilcoxon)),
        Cell(p_number(row.p_holm)),
        Cell("yes" if row.separated else "no"),
        Cell(_three(row.bayes_a, row.bayes_equal, row.bayes_b)),
    )


def _power_line(row: PowerRow) -> tuple[Cell, ...]:
    return (
        Cell(row.task),
        Cell(row.model_a_title),
        Cell(row.model_b_title),
        Cell(decimal(row.difference)),
        Cell(decimal(row.mdd)),
        Cell(MISSING if math.isnan(row.power_now) else percent(round(100 * row.power_now) / 100)),
        Cell(count(row.rows_now)),
        Cell(MISSING if math.isnan(row.rows_needed) else count(math.ceil(row.rows_needed))),
        Cell(decimal(row.repetitions_help)),
    )


def _omnibus_notes(comparisons: Comparisons) -> list[str]:
    facts = comparisons.omnibus
    if facts.get("friedman_p") is None:
        return []
    said = [
        f"All encoders equal? Friedman chi² {decimal(facts['friedman_chi2'], 2)}, p "
        f"{p_number(facts['friedman_p'])}; Iman and "
        f"Davenport F {_optional(facts['iman_davenport_f'])}, p {p_number(facts['iman_davenport_p'])}."
    ]
    if facts.get("nemenyi_cd") is not None:
        said.append(f"Nemenyi's critical difference of average ranks: {decimal(facts['nemenyi_cd'], 2)}.")
    return said


def _optional(value: float | None) -> str:
    return MISSING if value is None else decimal(value, 2)


def _three(*probabilities: float) -> str:
    if any(math.isnan(value) for value in probabilities):
        return MISSING
    return " / ".join(decimal(value, 2) for value in probabilities)


def _places(row: RankRow) -> str:
    if math.isnan(row.place):
        return MISSING
    # equal encoders share a place, so halves and thirds occur
    place, low, high = (f"{value:.3g}" for value in (row.place, row.place_low, row.place_high))
    return f"{place} ({low} to {high})" if low != high else place


def _last(rank: float) -> float:
    return math.inf if math.isnan(rank) else rank
