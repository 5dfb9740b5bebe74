"""One published number, and which result of ours answers it."""

import math
from dataclasses import dataclass

SIMILARITY, ALIGNMENT, SCORE = "similarity", "alignment", "score"
RETRIEVAL, DECISION, REDUCTION = "retrieval", "decision", "reduction"
AVERAGE = "average"


@dataclass(frozen=True, kw_only=True)
class Printed:
    """A printed number, and where it stands.

    Attributes
    ----------
    system
        What its tolerance and its experiment are listed under in ``catalog/ledger.yaml``.
    source, reference
        Where it is printed; repository and commit, or number of the paper, empty where the catalog has none.
    row, column
        Its place in the table of the source.
    printed, digits
        As printed, with so many decimals.
    protocol, data
        What was measured, and on what.
    consistent
        The value that goes with the others of its row where this one does not; else NaN.
    remark
        What a reader must know.
    """

    system: str
    source: str
    reference: str
    row: str
    column: str
    printed: float
    digits: int
    protocol: str
    data: str
    consistent: float = math.nan
    remark: str = ""

    @property
    def name(self) -> str:
        """Names it in ``catalog/ledger.yaml``; no two have the same."""
        return " | ".join((self.system, self.row, self.column, self.source))


@dataclass(frozen=True, kw_only=True)
class Claim(Printed):
    """A printed number, and which result of ours answers it.

    Attributes
    ----------
    scale
        Ours is multiplied by it.
    kind, ours
        Which summary has the answer, and the names to look it up by; both empty where nothing of ours answers it.
    comparable
        Whether ours, where there is any, is of the same documents, questions or pairs.
    """

    scale: float
    kind: str = ""
    ours: tuple[str | int, ...] = ()
    comparable: bool = True
