"""All files of `compare` together."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from sentflow.compare.rows import AcrossRow, PairRow, PowerRow, RankRow, StandingRow
from sentflow.files.io import read_json
from sentflow.files.rows import RowsByName


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


def detectable(pairs: Iterable[PairRow], task: str) -> float:
    """Median over the pairs of a task of the smallest difference that is significant; NaN without pairs."""
    known = [pair.mdd for pair in pairs if pair.task == task and not math.isnan(pair.mdd)]
    return median(known) if known else math.nan
