"""Texts above and below the figures of comparisons, and their alternative texts."""

import math
from collections.abc import Sequence

from sentflow.compare.rows import PairRow
from sentflow.report import captions
from sentflow.report.comparison_data import MatchRow, RankingRow
from sentflow.report.costs.rows import EncoderRow
from sentflow.report.figure.texts import FigureTexts
from sentflow.report.numbers import counted, decimal, duration, p_value, percent
from sentflow.report.rows import unique

NOTHING = "Nothing to compare: fewer than two encoders have a score on every task."


def critical_difference(rows: Sequence[RankingRow]) -> FigureTexts:
    """Texts of the critical-difference diagram."""
    ranked = [row for row in rows if row.complete]
    if len(ranked) < 2:
        return nothing("Average ranks and significant differences")
    first = ranked[0]
    said = [
        f"Average rank over {counted(first.n_tasks, 'task')}, 1 is the best. A bar joins encoders that are not "
        f"separated at {percent(first.alpha)}: Wilcoxon's signed-rank test "
        f"{captions.over_units(first.units, first.n_units)}, Holm over all pairs, "
        "where the test of all encoders together rejects.",
        f"All encoders equal? Friedman {p_value(first.friedman_p)}, Iman and Davenport "
        f"{p_value(first.iman_davenport_p)}.",
    ]
    if not math.isnan(first.nemenyi_cd):
        said.append(
            "CD: the difference of average ranks that Nemenyi's test requires at "
            f"{percent(first.alpha)}, for "
            "comparison with other papers; the bars do not use it."
        )
    return FigureTexts(
        title="Average ranks and significant differences",
        reading=" ".join([*said, *_not_ranked(rows), _design(first), captions.data_note(rows)]),
        alternative=f"Critical-difference diagram of {len(ranked)} encoders on {first.n_tasks} tasks: "
        + ", ".join(f"{row.model_title} {decimal(row.average_rank, 2)}" for row in ranked)
        + ". The table of ranks has the same numbers.",
    )


def ranks(rows: Sequence[RankingRow]) -> FigureTexts:
    """Texts of the rank intervals."""
    ranked = [row for row in rows if row.complete]
    if len(ranked) < 2:
        return nothing("Ranks with intervals")
    first = ranked[0]
    return FigureTexts(
        title=f"Ranks with {percent(first.level)} intervals",
        reading=" ".join(
            [
                f"Average rank over {counted(first.n_tasks, 'task')}, 1 is the best. Thick: interval of the average "
                "rank that a repetition with other tasks (of other sources, where there are several) and other texts "
                "would give; thin: of the true average "
                "rank on these tasks, by the expected scores. Right: the mean score.",
                *_not_ranked(rows),
                _design(first),
                captions.data_note(rows),
            ]
        ),
        alternative=f"Average rank and interval of {len(ranked)} encoders, {ranked[0].model_title} first. "
        "The table of ranks has the same numbers.",
    )


def wins(rows: Sequence[MatchRow]) -> FigureTexts:
    """Texts of the matrix of wins, ties and losses."""
    if not rows:
        return nothing("Wins, ties and losses")
    first = rows[0]
    return FigureTexts(
        title="Wins, ties and losses by tests on each task",
        reading=" ".join(
            [
                "Row against column: tasks won – neither – lost. Won is significantly better "
                f"({captions.adjusted_over_tasks(first.adjustment, first.alpha)}); neither does not "
                "mean that two are equal.",
                _design(first),
                captions.data_note(rows),
            ]
        ),
        alternative=f"Matrix of wins, ties and losses of {len(rows)} pairs of encoders on {first.n_tasks} tasks. "
        "The table of ranks has the same numbers.",
    )


def differences(rows: Sequence[PairRow], *, n_left_out: int = 0) -> FigureTexts:
    """Texts of the paired differences."""
    if not rows:
        return nothing("Paired differences")
    first = rows[0]
    n_pairs = len(unique(f"{row.model_a} {row.model_b}" for row in rows))
    left_out = f" {n_left_out} further pairs are in the table of differences." if n_left_out else ""
    return FigureTexts(
        title=f"Paired differences of scores with {percent(first.level)} intervals",
        reading=" ".join(
            [
                "First encoder minus second, task by task, on the same folds; interval of the "
                f"{captions.test_name(rows)}, not adjusted for the number of pairs. Filled: significant at "
                f"{percent(first.alpha)} (Holm over all pairs of the task); hollow: not.{left_out}",
                f"Protocol {first.protocol}, {first.n_folds} folds.",
                captions.data_note(rows),
            ]
        ),
        alternative=f"Paired differences of {n_pairs} pairs of encoders on "
        f"{len(unique(row.task for row in rows))} tasks, sorted. The table of differences has the same "
        "numbers.",
    )


def sizes(rows: Sequence[EncoderRow]) -> FigureTexts:
    """Texts of the scores against the sizes of models."""
    shown = [row for row in rows if not math.isnan(row.parameters) and not math.isnan(row.mean)]
    return _trade_off(
        rows,
        shown,
        title="Score against model size",
        what="Mean score against number of trained parameters; encoders without weights are at the left.",
        unknown="of unknown size",
    )


def speed(rows: Sequence[EncoderRow]) -> FigureTexts:
    """Texts of the scores against the time of embedding."""
    shown = [row for row in rows if not math.isnan(row.embed_seconds) and not math.isnan(row.mean)]
    devices = unique(row.device for row in shown)
    total = math.fsum(row.embed_seconds for row in shown)
    return _trade_off(
        rows,
        shown,
        title="Score against embedding time",
        what=f"Mean score against the time to embed 1,000 texts on {', '.join(devices) or 'no device'}, including "
        f"loading the model; {duration(total)} in all.",
        unknown="not embedded separately, because they are fitted in every fold",
    )


def nothing(title: str) -> FigureTexts:
    """Texts of a figure that has nothing to show."""
    return FigureTexts(title=title, reading=NOTHING, alternative=f"{title}. {NOTHING}")


def _trade_off(
    rows: Sequence[EncoderRow], shown: Sequence[EncoderRow], *, title: str, what: str, unknown: str
) -> FigureTexts:
    first = rows[0]
    incomplete = [row.model_title for row in rows if math.isnan(row.mean)]
    absent = [row.model_title for row in rows if row not in shown and not math.isnan(row.mean)]
    said = [what, "The line joins the encoders that no other beats in both (Pareto front); it is not a test."]
    said += [f"Not shown, {unknown}: {', '.join(absent)}."] if absent else []
    said += [f"Not shown, because a task is missing: {', '.join(incomplete)}."] if incomplete else []
    said.append(_design(first))
    return FigureTexts(
        title=title,
        reading=" ".join([*said, captions.data_note(rows)]),
        alternative=f"{title}: {len(shown)} encoders, mean over {first.n_tasks} tasks. "
        "The table of encoders has the same numbers.",
    )


def _not_ranked(rows: Sequence[RankingRow]) -> list[str]:
    names = [row.model_title for row in rows if not row.complete]
    return [f"Not ranked, because a task is missing: {', '.join(names)}."] if names else []


def _design(row: RankingRow | MatchRow | EncoderRow) -> str:
    return f"Protocol {row.protocol}, {row.repetitions} × {row.folds} folds."
