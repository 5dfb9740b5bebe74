"""What the figures of comparisons are drawn from: rows of `compare`, with what a caption needs beside them.

Each kind of row fills one Parquet file, from which its figure can be drawn again without anything else.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sentflow.compare.rows import AcrossRow, RankRow
from sentflow.compare.score_rows import ScoreRow, by_protocol
from sentflow.files.rows import number_or_nan
from sentflow.report.families.probing import remarks
from sentflow.report.rows import data_versions, unique


@dataclass(frozen=True)
class RankingRow(RankRow):
    """An encoder over all tasks, with the tests of all encoders together."""

    # not_separated: the other encoders that the tests over tasks do not tell from this one; joined by spaces
    not_separated: str
    alpha: float  # of the tests
    # friedman_p, iman_davenport_p: of all complete encoders, the same in every row; NaN where there are too few
    friedman_p: float
    iman_davenport_p: float
    units: str
    n_units: int
    repetitions: int
    folds: int
    data_version: str
    position: int = -1
    score_notes: str = ""  # why scores of the protocol are lower than encoders allow; empty where none are


def ranking_rows(
    scores: Sequence[ScoreRow],
    ranks: Sequence[RankRow],
    across: Sequence[AcrossRow],
    omnibus: Mapping[str, Mapping[str, Any]],
) -> list[RankingRow]:
    """The ranks of `compare`, protocol after protocol, the best first, and incomplete encoders last."""
    return [
        row
        for protocol, own in by_protocol(ranks).items()
        for row in _rankings(
            [row for row in scores if row.protocol == protocol],
            own,
            [row for row in across if row.protocol == protocol],
            omnibus[protocol],
        )
    ]


def _rankings(
    scores: Sequence[ScoreRow],
    ranks: Sequence[RankRow],
    across: Sequence[AcrossRow],
    omnibus: Mapping[str, Any],
) -> list[RankingRow]:
    names = ("alpha", "friedman_p", "iman_davenport_p")
    tests: dict[str, Any] = {name: number_or_nan(omnibus.get(name)) for name in names}
    position = {row.model: row.position for row in scores}
    joined = {(row.model_a, row.model_b) for row in across if not row.separated}
    found = []
    for rank in sorted(ranks, key=lambda rank: (not rank.complete, _last(rank.average_rank))):
        others = unique(
            other
            for pair in joined
            for other in pair
            if rank.model in pair and other != rank.model and rank.complete
        )
        found.append(
            RankingRow(
                **asdict(rank),
                not_separated=" ".join(sorted(others)),
                **tests,
                units=omnibus["units"],
                n_units=omnibus["n_units"],
                **_design(scores),
                position=position[rank.model],
            )
        )
    return found


def _design(scores: Sequence[ScoreRow]) -> dict[str, Any]:
    first = scores[0]
    return {
        "repetitions": first.repetitions,
        "folds": first.folds,
        "data_version": "; ".join(data_versions(scores)),
        "score_notes": remarks.low_score_text(scores),
    }


def _last(rank: float) -> float:
    return math.inf if math.isnan(rank) else rank
