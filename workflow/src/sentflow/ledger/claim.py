"""One published number, and which result of ours answers it."""

import math
from dataclasses import dataclass

SIMILARITY, ALIGNMENT, SCORE = "similarity", "alignment", "score"
RETRIEVAL, DECISION, REDUCTION = "retrieval", "decision", "reduction"
AVERAGE = "average"


@dataclass(frozen=True, kw_only=True)
class Printed:
    """A printed number, and where it stands."""

    system: str  # what its tolerance and its experiment are listed under in ``catalog/ledger.yaml``
    # source, reference: where it is printed; repository and commit, or number of the paper, empty where the catalog
    # has none
    source: str
    reference: str
    # row, column: its place in the table of the source
    row: str
    column: str
    # printed, digits: as printed, with so many decimals
    printed: float
    digits: int
    # protocol, data: what was measured, and on what
    protocol: str
    data: str
    # consistent: the value that goes with the others of its row where this one does not; else NaN
    consistent: float = math.nan
    remark: str = ""  # what a reader must know

    @property
    def name(self) -> str:
        """Names it in ``catalog/ledger.yaml``; no two have the same."""
        return " | ".join((self.system, self.row, self.column, self.source))


@dataclass(frozen=True, kw_only=True)
class Claim(Printed):
    """A printed number, and which result of ours answers it."""

    scale: float  # ours is multiplied by it
    # kind, ours: which summary has the answer, and the names to look it up by; both empty where nothing of ours
    # answers it
    kind: str = ""
    ours: tuple[str | int, ...] = ()
    comparable: bool = True  # whether ours, where there is any, is of the same documents, questions or pairs
