"""All files of `compare` together."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, ClassVar, Self

from sentflow.compare.rows import AcrossRow, PairRow, QuestionDifference, RankRow, StandingRow
from sentflow.files.io import read_sealed
from sentflow.files.rows import RowsByName

NAMED_DIFFERENCE = 0.02  # of two systems: tables say how many texts or questions would show it


@dataclass(frozen=True)
class Comparisons:
    """What `compare` found; all empty where there was nothing to compare."""

    PREFIX: ClassVar[str] = ""
    """How the names of the files begin."""

    pairs: list[PairRow] = field(default_factory=list)
    standings: list[StandingRow] = field(default_factory=list)
    ranks: list[RankRow] = field(default_factory=list)
    across: list[AcrossRow] = field(default_factory=list)
    omnibus: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by protocol

    def of(self, protocol: str) -> Self:
        """What was found on the tasks of one protocol."""
        tasks = {pair.task for pair in self.pairs if pair.protocol == protocol}
        return replace(
            self,
            pairs=[row for row in self.pairs if row.task in tasks],
            standings=[row for row in self.standings if row.task in tasks],
            ranks=[row for row in self.ranks if row.protocol == protocol],
            across=[row for row in self.across if row.protocol == protocol],
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
            omnibus=next((read_sealed(file) for file in files if file.stem == f"{cls.PREFIX}omnibus"), {}),
        )


class DocumentComparisons(Comparisons):
    """What `compare_documents` found: tests for new documents, task by task."""

    PREFIX: ClassVar[str] = "document-"


def detectable(pairs: Iterable[PairRow | QuestionDifference], unit_set: str) -> float:
    """Median over the pairs on a task, or question set, of the smallest true difference that is found; or NaN."""
    known = [pair.mdd_power for pair in pairs if pair.unit_set == unit_set and not math.isnan(pair.mdd_power)]
    return median(known) if known else math.nan


def n_needed(n: int, mdd: float) -> float:
    """How many texts, or questions, would make `NAMED_DIFFERENCE` the minimum detectable difference.

    The standard error of a difference is taken to fall with the square root of n, as it does for new texts of the
    same kind; spread, degrees of freedom and the family of pairs to stay. The answer is rather too large: by 7 % for
    two systems on 30 questions, whose degrees of freedom grow; by 12 to 17 % from 210 of 840 texts of FactNews and
    OffComBR-2, for probes that are trained on more texts disagree less.
    """
    return n * (mdd / NAMED_DIFFERENCE) ** 2
