"""All files of `compare` together, and what tables may say because of them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from sentflow.files.io import read_json
from sentflow.report.comparison_rows import AcrossRow, PairRow, PowerRow, RankRow, StandingRow
from sentflow.report.rows import RowsByName
from sentflow.report.table.cells import BEST, NOT_WORSE


@dataclass(frozen=True)
class Comparisons:
    """What `compare` found; all empty where there was nothing to compare."""

    pairs: list[PairRow] = field(default_factory=list)
    standings: list[StandingRow] = field(default_factory=list)
    ranks: list[RankRow] = field(default_factory=list)
    across: list[AcrossRow] = field(default_factory=list)
    power: list[PowerRow] = field(default_factory=list)
    omnibus: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, files: Sequence[Path]) -> "Comparisons":
        """From the files of ``comparisons/``, told apart by their names; what is not given stays empty."""
        rows = RowsByName(files)
        return cls(
            pairs=rows("pairs", PairRow),
            standings=rows("standings", StandingRow),
            ranks=rows("ranks", RankRow),
            across=rows("across", AcrossRow),
            power=rows("power", PowerRow),
            omnibus=next((read_json(file) for file in files if file.stem == "omnibus"), {}),
        )


def mark(comparisons: Comparisons, task: str, model: str) -> str:
    """`BEST` or `NOT_WORSE` where a test says so, else nothing.

    The highest mean is marked only if a test compared it with another encoder, and an encoder counts as not worse only
    if a test compared it with the highest mean.
    """
    standings = {row.model: row for row in comparisons.standings if row.task == task}
    if model not in standings:
        return ""
    tested = {
        frozenset((pair.model_a, pair.model_b))
        for pair in comparisons.pairs
        if pair.task == task and not math.isnan(pair.p_holm)
    }
    if standings[model].is_best:
        return BEST if any(model in pair for pair in tested) else ""
    best = [row.model for row in standings.values() if row.is_best]
    compared = any(frozenset((model, other)) in tested for other in best)
    return NOT_WORSE if standings[model].not_worse and compared else ""


def beaten(comparisons: Comparisons, task: str, model: str) -> list[str]:
    """The encoders that this one is significantly better than on a task."""
    found = []
    for pair in comparisons.pairs:
        if pair.task != task or model not in (pair.model_a, pair.model_b) or not pair.p_holm <= pair.alpha:
            continue
        winner, loser = (pair.model_a, pair.model_b) if pair.difference > 0 else (pair.model_b, pair.model_a)
        if winner == model:
            found.append(loser)
    return found


def detectable(pairs: Iterable[PairRow], task: str) -> float:
    """Median over the pairs of a task of the smallest difference that is significant; NaN without pairs."""
    known = [pair.mdd for pair in pairs if pair.task == task and not math.isnan(pair.mdd)]
    return median(known) if known else math.nan


def letters(models: Sequence[str]) -> dict[str, str]:
    """A letter for each encoder: a, b, …, z, aa, ab, …"""
    found = {}
    for index, model in enumerate(models):
        text, rest = "", index + 1
        while rest:
            rest, place = divmod(rest - 1, 26)
            text = chr(ord("a") + place) + text
        found[model] = text
    return found


def joined_letters(models: Sequence[str], own: Mapping[str, str]) -> str:
    """The letters of some encoders; four or more that follow each other are cut short: ``b–f``.

    Parameters
    ----------
    models
        In the order of their letters.
    own
        The letter of every encoder, as `letters` gives them.
    """
    order = {model: index for index, model in enumerate(own)}
    runs: list[list[str]] = []
    for model in models:
        if runs and order[model] == order[runs[-1][-1]] + 1:
            runs[-1].append(model)
        else:
            runs.append([model])
    between = "" if len(own) <= 26 else " "
    return between.join(
        f"{own[run[0]]}–{own[run[-1]]}" if len(run) > 3 else between.join(own[model] for model in run)
        for run in runs
    )
