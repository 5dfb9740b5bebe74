"""The table of encoders over all tasks: ranks, wins and losses, and what separates each from the first."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sentflow.compare.comparisons import Comparisons
from sentflow.compare.rows import AcrossRow, RankRow
from sentflow.compare.score_rows import ScoreRow, by_protocol
from sentflow.report import captions
from sentflow.report.families.probing import remarks
from sentflow.report.inputs import Inputs
from sentflow.report.numbers import (
    MISSING,
    count,
    counted,
    decimal,
    interval,
    listed,
    p_number,
    percent,
    signed,
)
from sentflow.report.rows import unique
from sentflow.report.table.table import Table, build, fields_of, number, text
from sentflow.stats.sign_flips import least_sign_flip_p

# Against all others; then against the first, with the interval of the true difference on a new task
_AGAINST = ("won", "ties", "lost", "difference", "low", "high", "separated", "new_low", "new_high")
_YES_OR_NO = {True: "yes", False: "no", None: MISSING}


def ranks(inputs: Inputs, settings: Mapping[str, Any]) -> Table:
    """Encoders over all tasks: mean, average rank and its interval, wins and losses, and the distance to the first.

    The first of a protocol has the best average rank; incomplete encoders have neither mean nor rank. Every pair over
    all tasks is in ``comparisons/across.parquet``.
    """
    rows, comparisons = inputs.rows(ScoreRow), inputs.together(Comparisons)
    ordered = sorted(
        comparisons.ranks,
        key=lambda row: (
            not row.complete,
            math.inf if math.isnan(row.average_rank) else row.average_rank,
            row.model_title,
        ),
    )
    lines = [
        _line(row, own[0], comparisons.of(protocol).across)
        for protocol in by_protocol(rows)
        if (own := [row for row in ordered if row.protocol == protocol])
        for row in own
    ]
    return build(
        "ranks",
        f"{settings['caption']}: encoders over all tasks.",
        (*fields_of(RankRow), *_AGAINST),
        lines,
        [
            text("Encoder", "model_title", 2.2),
            number("Tasks", "n_tasks", count),
            number("Mean score", "mean"),
            number("Average rank", "average_rank", decimal, 2),
            text("Repetition", _repetition),
            text("Place", _places),
            number("Won", "won", count),
            number("Neither", "ties", count),
            number("Lost", "lost", count),
            number("To the first", "difference", signed, limits=("low", "high")),
            text("Separated", lambda line: _YES_OR_NO[line["separated"]]),
            text("New task", _new_task),
        ],
        [captions.design_note(rows), *remarks.low_score_notes(rows), *_notes(rows, ordered, comparisons)],
        data=rows,
        block="protocol",
        title=lambda protocol, _: captions.heading_of_protocol(protocol, rows),
        block_heading="Protocol",
    )


def _line(rank: RankRow, first: RankRow, across: Sequence[AcrossRow]) -> dict[str, Any]:
    own = [pair for pair in across if rank.model in (pair.model_a, pair.model_b)]
    line = {**vars(rank), **dict.fromkeys(_AGAINST), **dict.fromkeys(("difference", "low", "high"), math.nan)}
    if not rank.complete or not own:
        return line
    line["won"] = sum(pair.wins if pair.model_a == rank.model else pair.losses for pair in own)
    line["lost"] = sum(pair.losses if pair.model_a == rank.model else pair.wins for pair in own)
    line["ties"] = sum(pair.ties for pair in own)
    to_first = [pair for pair in own if first.model in (pair.model_a, pair.model_b)]
    if rank.model == first.model or not to_first:
        return line
    pair = to_first[0]
    sign = 1 if pair.model_a == rank.model else -1
    low, high = sorted((sign * pair.low, sign * pair.high))
    new_low, new_high = sorted((sign * pair.new_low, sign * pair.new_high))
    return line | {
        "difference": sign * pair.difference,
        "low": low,
        "high": high,
        "separated": pair.separated,
        "new_low": new_low,
        "new_high": new_high,
    }


def _repetition(line: Mapping[str, Any]) -> str:
    if not line["complete"]:
        return MISSING
    return f"{decimal(line['repeat_low'], 2)} to {decimal(line['repeat_high'], 2)}"


def _places(line: Mapping[str, Any]) -> str:
    if math.isnan(line["place"]):
        return MISSING
    # equal encoders share a place, so halves and thirds occur
    place, low, high = (f"{line[name]:.3g}" for name in ("place", "place_low", "place_high"))
    return f"{place} ({low} to {high})" if low != high else place


def _new_task(line: Mapping[str, Any]) -> str:
    return MISSING if line["new_low"] is None else interval(line["new_low"], line["new_high"])


def _notes(rows: Sequence[ScoreRow], ordered: Sequence[RankRow], comparisons: Comparisons) -> list[str]:
    if not ordered:
        return ["Nothing was compared: fewer than two encoders have a score."]
    across = comparisons.across
    notes = [
        f"Average rank over {_n_tasks(rows)}, 1 is the best; "
        f"repetition: {percent(ordered[0].level)} interval of the average rank that other tasks (of other "
        "sources, where there are several) and other texts would give (in simulations "
        "of close encoders a 95\u202f% interval held 88\u202f%). Place: by average rank, and in a repetition.",
    ]
    if across:
        notes += [
            "Won, neither, lost: against all other encoders on all tasks "
            f"({captions.adjusted_over_tasks(across[0].adjustment, across[0].alpha)}).",
            f"To the first: difference of the means over tasks from the encoder with the best average rank, with its "
            f"{percent(across[0].level)} interval (variances of tasks and sources by REML). "
            f"{_of_each(across, _sources)}",
            f"Separated from it: by Wilcoxon's signed-rank test {_of_each(across, _units)} (p adjusted over all pairs, "
            f"Holm), where the test of all encoders together rejects. {_of_each(across, _never_separated)}".strip(),
            "New task: prediction interval of the true difference on one new task, by the same model. Other pairs are "
            "in comparisons/across.parquet.",
        ]
    notes += [
        *_omnibus_notes(comparisons),
        "n and MDD of each task: see table of scores.",
    ]
    if not all(rank.complete for rank in ordered):
        notes.append(f"{MISSING} A task is missing: no mean and no rank.")
    return notes


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
        f"All encoders equal{where} ({captions.over_units(facts['units'], facts['n_units'])})? Friedman "
        f"chi² {decimal(facts['friedman_chi2'], 2)}, p {p_number(facts['friedman_p'])}; Iman and Davenport "
        f"F {_optional(facts['iman_davenport_f'])}, p {p_number(facts['iman_davenport_p'])}."
    ]


def _optional(value: float | None) -> str:
    return MISSING if value is None else decimal(value, 2)
