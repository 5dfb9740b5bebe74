"""A claim and what we found: equal, within a tolerance, outside, or not run, and what would run it."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from sentflow.errors import DataError
from sentflow.files.rows import row_from
from sentflow.ledger.answers import NOTHING, Answer
from sentflow.ledger.claims import REDUCTION, Claim, Printed

EQUAL, WITHIN, OUTSIDE, NOT_RUN = "equal", "within tolerance", "outside", "not run here"
VERDICTS = (EQUAL, WITHIN, OUTSIDE, NOT_RUN)
_ROUNDING = 1e-9
# Of a score in [0, 1]: between processors correlations differ in the fourth decimal at most, and few ranks move
_BETWEEN_MACHINES = 5e-4


@dataclass(frozen=True, kw_only=True)
class LedgerRow(Printed):
    """A printed number with its verdict; undefined numbers NaN, ours on the scale of the source."""

    FILE: ClassVar[str] = "ledger"

    # ours, low, high: ours, and its interval where the summary has one
    ours: float
    low: float
    high: float
    difference: float  # ours less the printed value
    # tolerance, reason: largest difference that counts as reproduced, and why it is more than half a unit of the last
    # digit
    tolerance: float
    reason: str
    effect_ratio: float  # of a difference between two claims: ours over the printed one
    # verdict: one of `VERDICTS`; also `NOT_RUN` where ours was only chosen again from published cells
    verdict: str
    # expected, moved: what was found when the catalog was last written, NaN for never; whether ours is off by more
    # than what may differ between machines
    expected: float
    moved: bool
    # missing, experiment, takes: of claims that were not run: what is missing, the configuration that runs them, empty
    # where none does, and the time and memory of that, empty where they are not known
    missing: str
    experiment: str
    takes: str = ""

    @property
    def has_ours(self) -> bool:
        """Whether there is a value of ours: of a run, or chosen again from published cells."""
        return not math.isnan(self.ours)

    @property
    def is_difference(self) -> bool:
        """Whether it is what one claim has over another."""
        return self.effect_ratio == self.effect_ratio


def verdict_of(difference: float, digits: int, tolerance: float) -> str:
    """The verdict on ours less the printed value, which has so many decimals."""
    if math.isnan(difference):
        return NOT_RUN
    if abs(difference) <= 0.5 * 10.0**-digits + _ROUNDING:
        return EQUAL
    return WITHIN if abs(difference) <= tolerance + _ROUNDING else OUTSIDE


def ledger_rows(
    claims: Sequence[Claim], ledger: Mapping[str, Any], answers: Callable[[Claim], Answer]
) -> list[LedgerRow]:
    """One row per claim, then one per difference between two of them."""
    expected = {name: float(entry["value"]) for name, entry in ledger["expected"].items()}
    rows = {
        claim.name: _row(claim, _system(claim, ledger), answers(claim), expected.get(claim.name, math.nan))
        for claim in claims
    }
    try:
        between = [_between(rows[entry["claim"]], rows[entry["baseline"]]) for entry in ledger["differences"]]
    except KeyError as error:
        raise DataError(f"ledger.yaml, differences: there is no claim {error.args[0]!r}.") from None
    return [*rows.values(), *between]


def _system(claim: Claim, ledger: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] | None = ledger["systems"].get(claim.system)
    if found is None:
        raise DataError(f"ledger.yaml, systems: {claim.system!r} is missing. Say what its claims need.")
    return found


def _row(claim: Claim, system: Mapping[str, Any], answer: Answer, expected: float) -> LedgerRow:
    ours, low, high = (claim.scale * value for value in (answer.value, answer.low, answer.high))
    if claim.kind == "" or not claim.comparable:
        ours = low = high = math.nan
    difference = ours - claim.printed
    tolerance = system.get("tolerance", 0.5 * 10.0**-claim.digits)
    verdict = NOT_RUN if claim.kind == REDUCTION else verdict_of(difference, claim.digits, tolerance)
    not_run = verdict == NOT_RUN
    can_run = not_run and claim.comparable
    missing = system["needs"] if claim.comparable else "other documents, questions or pairs than ours"
    found: dict[str, Any] = {
        "ours": ours,
        "low": low,
        "high": high,
        "difference": difference,
        "effect_ratio": math.nan,
    }
    found |= {"tolerance": tolerance, "reason": system.get("reason", ""), "verdict": verdict}
    found |= {"expected": expected, "moved": abs(ours - expected) > _BETWEEN_MACHINES * claim.scale}
    found["missing"] = missing if not_run else ""
    found |= {key: system.get(key, "") if can_run else "" for key in ("experiment", "takes")}
    return row_from(LedgerRow, vars(claim) | found)


def _between(claim: LedgerRow, baseline: LedgerRow) -> LedgerRow:
    """What one claim has over another, printed and ours; each may be off by its own tolerance."""
    printed, ours = claim.printed - baseline.printed, claim.ours - baseline.ours
    tolerance = claim.tolerance + baseline.tolerance
    was_run = NOT_RUN not in (claim.verdict, baseline.verdict)
    verdict = verdict_of(ours - printed, claim.digits, tolerance) if was_run else NOT_RUN
    return replace(
        claim,
        row=f"{claim.row} less {baseline.row}",
        printed=printed,
        consistent=math.nan,
        ours=ours,
        low=NOTHING.low,
        high=NOTHING.high,
        difference=ours - printed,
        tolerance=tolerance,
        effect_ratio=ours / printed,
        verdict=verdict,
        expected=math.nan,
        moved=claim.moved or baseline.moved,
        **{key: getattr(claim, key) or getattr(baseline, key) for key in ("missing", "experiment", "takes")},
    )
