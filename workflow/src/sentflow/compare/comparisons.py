"""All files of `compare` together."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, ClassVar, Self

from sentflow.compare.rows import AcrossRow, PairRow, PowerRow, RankRow, StandingRow
from sentflow.files.rows import RowsByName
from sentflow.files.sealed import read_sealed


@dataclass(frozen=True)
class Comparisons:
    """What `compare` found; all empty where there was nothing to compare.

    Attributes
    ----------
    omnibus
        By protocol.
    """

    PREFIX: ClassVar[str] = ""
    """How the names of the files begin."""

    pairs: list[PairRow] = field(default_factory=list)
    standings: list[StandingRow] = field(default_factory=list)
    ranks: list[RankRow] = field(default_factory=list)
    across: list[AcrossRow] = field(default_factory=list)
    power: list[PowerRow] = field(default_factory=list)
    omnibus: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def of(self, protocol: str) -> Self:
        """What was found on the tasks of one protocol."""
        tasks = {pair.task for pair in self.pairs if pair.protocol == protocol}
        return replace(
            self,
            pairs=[row for row in self.pairs if row.task in tasks],
            standings=[row for row in self.standings if row.task in tasks],
            ranks=[row for row in self.ranks if row.protocol == protocol],
            across=[row for row in self.across if row.protocol == protocol],
            power=[row for row in self.power if row.task in tasks],
            omnibus={name: facts for name, facts in self.omnibus.items() if name == protocol},
        )

    @classmethod
    def read(cls, files: Sequence[Path]) -> Self:
        """From the files of ``comparisons/``, told apart by their names; what is not given stays empty."""
        rows = RowsByName(files)
        return cls(
            pairs=rows(f"{cls.PREFIX}pairs", PairRow),
            standings=rows(f"{cls.PREFIX}standings", StandingRow),
            ranks=rows(f"{cls.PREFIX}ranks", RankRow),
            across=rows(f"{cls.PREFIX}across", AcrossRow),
            power=rows(f"{cls.PREFIX}power", PowerRow),
            omnibus=next((read_sealed(file) for file in files if file.stem == f"{cls.PREFIX}omnibus"), {}),
        )


class DocumentComparisons(Comparisons):
    """What `compare_documents` found: tests for new documents, task by task."""

    PREFIX: ClassVar[str] = "document-"


def detectable(pairs: Iterable[PairRow], task: str) -> float:
    """Median over the pairs of a task of the smallest true difference that is found, `mdd_power`; or NaN."""
    known = [pair.mdd_power for pair in pairs if pair.task == task and not math.isnan(pair.mdd_power)]
    return median(known) if known else math.nan
