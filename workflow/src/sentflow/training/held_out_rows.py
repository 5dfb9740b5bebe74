"""The table of what was measured on rows that were not trained on. No heavy library: model cards read it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HeldOutRow:
    """A row of ``held-out.parquet``.

    Attributes
    ----------
    step
        Steps that were done.
    measure
        See `sentflow.training.contract.Objective.measures`.
    value
        A mean over `n` things: hidden tokens, spans, rows or batches, as the measure says; NaN where there are none.
    """

    step: int
    measure: str
    value: float
    n: int
