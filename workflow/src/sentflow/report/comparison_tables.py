"""The tables of comparisons: pairs within each task, ranks, pairs over tasks."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sentflow.compare.comparisons import Comparisons, detectable
from sentflow.compare.protocol_groups import by_protocol
from sentflow.compare.rows import AcrossRow, PairRow, RankRow
from sentflow.compare.score_rows import ScoreRow
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.numbers import MISSING, count, counted, decimal, interval, listed, p_number, percent
from sentflow.report.rows import data_note, unique
from sentflow.report.table.cells import Group, names_of, records_of, table_of_cells
from sentflow.report.table.table import Cell, Table
from sentflow.stats.sign_flips import least_sign_flip_p

NOTHING = "Nothing was compared: fewer than two encoders have a score."


def differences_table(rows: Sequence[ScoreRow], title: str, comparisons: Comparisons) -> Table:
    """Every pair of encoders on every task: difference, interval, tests, and what could have been found."""
    pairs = comparisons.pairs
    groups = []
    for task in unique(pair.task for pair in pairs):
        first = next(row for row in rows if row.task == task)
        sizes = captions.sizes(first.n_balanced_rows, detectable(pairs, task))
        heading = (
            f"{task}: {first.task_title} ({captions.metric_name(first.metric)}, {sizes}"
            f"{captions.of_protocol(first.protocol, rows)})"
        )
        groups.append(Group(heading, tuple(_pair_line(pair) for pair in pairs if pair.task == task)))
    notes = [data_note(rows), captions.design_note(rows), *remarks.low_score_notes(rows)]
    if pairs:
        pair = pairs[0]
        notes += [
            f"Difference: first minus second, on the same folds, with its {percent(pair.level)} interval by the same "
            "test: where the expected difference lies, that over all samples of as many texts from the same population"
            f"{captions.population(rows)}. It is not adjusted for the number of pairs.",
            f"p: {captions.test_name(pairs)}; Holm: adjusted over all pairs of the task; over tasks: "
            f"{captions.adjusted_over_tasks(pair.adjustment, pair.alpha)}. *: significant within the task; "
            "**: also over all tasks.",
            captions.detectable_note(pair.alpha),
            *remarks.unbalanced_notes(rows),
            f"{captions.equivalence_note(pair.rope)} The CSV file has further tests.",
        ]
        if any(pair.degenerate for pair in pairs):
            notes.append(f"{MISSING} No test: all folds have the same difference.")
    else:
        notes.append(NOTHING)
    return table_of_cells(
        name="differences",
        caption=f"{title}: paired differences between encoders.",
        notes=tuple(notes),
        header=("First − second", "Difference", "Interval", "p", "Holm", "Equivalent"),
        alignment=("w2.6", "r", "l", "r", "r", "l"),
        groups=tuple(groups),
        tidy_header=names_of(PairRow),
        tidy_rows=records_of(pairs),
    )


def ranks_table(rows: Sequence[ScoreRow], title: str, comparisons: Comparisons) -> Table:
    """Encoders over all tasks: mean, average rank and its interval, wins and losses; incomplete ones without a mean."""
    ranks = sorted(
        comparisons.ranks, key=lambda row: (not row.complete, _last(row.average_rank), row.model_title)
    )
    groups = {protocol: comparisons.of(protocol).across for protocol in by_protocol(rows)}
    notes = [data_note(rows), captions.design_note(rows), *remarks.low_score_notes(rows)]
    if ranks:
        notes += [
            f"Average rank over {_n_tasks(rows)}, 1 is the best; "
            f"repetition: {percent(ranks[0].level)} interval of the average rank that other tasks (of other "
            "sources, where there are several) and other texts would give (in simulations "
            "of close encoders a 95\u202f% interval held 88\u202f%). "
            "Place: by average rank, and in a repetition.",
            *(
                "Won, neither, lost: against all other encoders on all tasks "
                f"({captions.adjusted_over_tasks(row.adjustment, row.alpha)})."
                for row in comparisons.across[:1]
            ),
            *_omnibus_notes(comparisons),
            "n and MDD of each task: see table of scores.",
        ]
        if not all(rank.complete for rank in ranks):
            notes.append(f"{MISSING} A task is missing: no mean and no rank.")
    else:
        notes.append(NOTHING)
    return table_of_cells(
        name="ranks",
        caption=f"{title}: encoders over all tasks.",
        notes=tuple(notes),
        header=(
            "Encoder",
            "Tasks",
            "Mean score",
            "Average rank",
            "Repetition",
            "Place",
            "Won",
            "Neither",
            "Lost",
        ),
        alignment=("w2.2", "r", "r", "r", "l", "l", "r", "r", "r"),
        groups=tuple(
            Group(
                captions.heading_of_protocol(protocol, rows),
                tuple(_rank_line(row, across) for row in ranks if row.protocol == protocol),
            )
            for protocol, across in groups.items()
        ),
        tidy_header=names_of(RankRow),
        tidy_rows=records_of(ranks),
    )


def matches_table(rows: Sequence[ScoreRow], title: str, comparisons: Comparisons) -> Table:
    """Pairs of complete encoders over all tasks: wins and losses, tests over tasks."""
    across = comparisons.across
    notes = [data_note(rows), captions.design_note(rows), *remarks.low_score_notes(rows)]
    if across:
        notes += [
            "Won, neither, lost: tasks on which the first is significantly better, neither is, the "
            f"second is ({captions.adjusted_over_tasks(across[0].adjustment, across[0].alpha)}).",
            f"Separated: by Wilcoxon's signed-rank test {_of_each(across, _units)} "
            "(p adjusted over all pairs, Holm), where the test of all encoders together rejects. "
            f"{_of_each(across, _never_separated)}".strip(),
            f"Average: difference of the means over tasks with its {percent(across[0].level)} interval "
            f"(variances of tasks and sources by REML). {_of_each(across, _sources)}",
            "New task: prediction interval of the true difference on one new task, by the same model.",
            *_omnibus_notes(comparisons),
            "n and MDD of each task: see table of scores.",
        ]
    else:
        notes.append("Nothing was compared: fewer than two encoders have a score on every task.")
    return table_of_cells(
        name="matches",
        caption=f"{title}: pairs of encoders over all tasks.",
        notes=tuple(notes),
        header=(
            "First − second",
            "Won",
            "Neither",
            "Lost",
            "Average",
            "Interval",
            "Separated",
            "New task",
        ),
        alignment=("w2.2", "r", "r", "r", "r", "l", "l", "l"),
        groups=tuple(
            Group(captions.heading_of_protocol(protocol, rows), tuple(map(_match_line, own)))
            for protocol, own in by_protocol(across).items()
        ),
        tidy_header=names_of(AcrossRow),
        tidy_rows=records_of(across),
    )


def _pair_line(pair: PairRow) -> tuple[Cell, ...]:
    found = pair.p_holm <= pair.alpha
    return (
        Cell(f"{pair.model_a_title} − {pair.model_b_title}"),
        Cell(decimal(pair.difference) + "*" * (found + (pair.p_over_tasks <= pair.alpha))),
        Cell(interval(pair.low, pair.high)),
        Cell(p_number(pair.p)),
        Cell(p_number(pair.p_holm)),
        Cell(captions.equivalence(pair.p_equivalence)),
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
        Cell(f"{decimal(row.repeat_low, 2)} to {decimal(row.repeat_high, 2)}" if row.complete else MISSING),
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
        Cell(decimal(row.difference)),
        Cell(interval(row.low, row.high)),
        Cell("yes" if row.separated else "no"),
        Cell(interval(row.new_low, row.new_high)),
    )


def _n_tasks(rows: Sequence[ScoreRow]) -> str:
    """``18 tasks``, of each protocol."""
    counts = {protocol: len(unique(row.task for row in own)) for protocol, own in by_protocol(rows).items()}
    if len(counts) == 1:
        return counted(sum(counts.values()), "task")
    return "the tasks of a protocol, " + listed([f"{name} {n}" for name, n in counts.items()])


def _of_each(across: Sequence[AcrossRow], said: Callable[[Sequence[AcrossRow]], str]) -> str:
    """What is said of the pairs of each protocol, if anything is."""
    groups = {protocol: said(own) for protocol, own in by_protocol(across).items()}
    if len(groups) == 1:
        return "".join(groups.values())
    each = [f"{name}: {text.removesuffix('.')}" for name, text in groups.items() if text]
    return f"({'; '.join(each)})" if each else ""


def _units(across: Sequence[AcrossRow]) -> str:
    return captions.over_units(across[0].units, across[0].n_units)


def _never_separated(across: Sequence[AcrossRow]) -> str:
    """That Wilcoxon's test cannot reject, where units are too few."""
    least = least_sign_flip_p(across[0].n_units)
    if least * len(across) <= across[0].alpha:
        return ""
    return (
        f"With so few no pair can be: the least p is {least:.2g}, and with Holm one has to be at most "
        f"{across[0].alpha / len(across):.2g}."
    )


def _sources(across: Sequence[AcrossRow]) -> str:
    """For which tasks the model over tasks speaks."""
    row = across[0]
    if row.n_sources == 1:
        return "All tasks have one source (a dataset, or a generator of texts), so it is for tasks of this source only."
    return (
        f"Tasks of one source (a dataset, or a generator of texts) count as a group: {row.n_sources} sources, and "
        "it is for tasks of sources like these."
    )


def _omnibus_notes(comparisons: Comparisons) -> list[str]:
    groups = [(protocol, comparisons.omnibus[protocol]) for protocol in by_protocol(comparisons.ranks)]
    return [
        sentence
        for protocol, facts in groups
        for sentence in _omnibus_of(facts, f" under {protocol}" if len(groups) > 1 else "")
    ]


def _omnibus_of(facts: Mapping[str, Any], where: str) -> list[str]:
    if facts.get("friedman_p") is None:
        return []
    return [
        f"All encoders equal{where} ({captions.over_units(facts['units'], facts['n_units'])})? Friedman chi² "
        f"{decimal(facts['friedman_chi2'], 2)}, p "
        f"{p_number(facts['friedman_p'])}; Iman and "
        f"Davenport F {_optional(facts['iman_davenport_f'])}, p {p_number(facts['iman_davenport_p'])}."
    ]


def _optional(value: float | None) -> str:
    return MISSING if value is None else decimal(value, 2)


def _places(row: RankRow) -> str:
    if math.isnan(row.place):
        return MISSING
    # equal encoders share a place, so halves and thirds occur
    place, low, high = (f"{value:.3g}" for value in (row.place, row.place_low, row.place_high))
    return f"{place} ({low} to {high})" if low != high else place


def _last(rank: float) -> float:
    return math.inf if math.isnan(rank) else rank
