"""The average over seven English tasks that papers on sentence embeddings print, by named protocol.

Standard library only.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

SEVEN_TASKS = ("STS12", "STS13", "STS14", "STS15", "STS16", "STSB", "SICKR")


@dataclass(frozen=True)
class AverageProtocol:
    """Which numbers of the seven tasks are averaged, and how."""

    name: str  # for captions
    correlation: str  # ``"spearman"`` or ``"pearson"``
    aggregation: str  # of the sub-sources of STS12 to STS16: ``"all"``, ``"mean"`` or ``"wmean"``
    # regressor: whether the numbers of STS-B and SICK-R are those of SentEval's regressor, and not of the cosine
    regressor: bool
    rounds: bool  # whether the seven numbers are rounded to two digits before they are averaged
    papers: str  # which report it

    def sentence(self) -> str:
        """For the caption of a table."""
        coefficient = {"spearman": "Spearman's ρ", "pearson": "Pearson's r"}[self.correlation]
        supervised = "regressor for STS-B and SICK-R" if self.regressor else "no regressor"
        rounded = "mean of the seven rounded values" if self.rounds else "mean of the seven values"
        return f"Protocol {self.name}: {coefficient} × 100, “{self.aggregation}”, {supervised}, test parts; {rounded}."


# Who reports what: SimCSE (arXiv 2104.08821), appendix B.1. How SimCSE rounds: princeton-nlp/SimCSE@49fa580,
# evaluation.py
SIMCSE = AverageProtocol("SimCSE", "spearman", "all", False, True, "SBERT, IS-BERT, SimCSE, ConSERT, DiffCSE")
BERT_FLOW = AverageProtocol("BERT-flow", "spearman", "wmean", False, True, "BERT-flow, BERT-whitening")
DECLUTR = AverageProtocol("DeCLUTR", "spearman", "mean", False, True, "DeCLUTR")
SENTEVAL = AverageProtocol("SentEval", "pearson", "mean", True, True, "InferSent, SentEval")
PROTOCOLS = {protocol.name: protocol for protocol in (SIMCSE, BERT_FLOW, DECLUTR, SENTEVAL)}


@dataclass(frozen=True)
class SevenTaskAverage:
    """An average, or why there is none."""

    protocol: str  # its name
    cells: dict[str, float]  # task → value × 100, rounded if the protocol rounds; of the tasks that are there
    value: float  # × 100; NaN where a task is missing or undefined. The caller rounds it for print.
    missing: tuple[str, ...]  # tasks without a value, in order


def seven_task_average(
    values: Mapping[str, float | None], protocol: AverageProtocol = SIMCSE
) -> SevenTaskAverage:
    """Average the seven tasks; incomplete ones are never averaged.

    Parameters
    ----------
    values
        Task of `SEVEN_TASKS` → correlation in [-1, 1], of the kind that the protocol names, on the test part: 4,927
        pairs of SICK-R, not the 9,927 of MTEB. None or NaN is undefined. Other keys are passed over.
    protocol
        See `AverageProtocol`.

    Notes
    -----
    SimCSE prints each task with two digits and averages what it printed; the average of unrounded values may differ in
    the last digit.
    """
    missing = tuple(task for task in SEVEN_TASKS if _undefined(values.get(task)))
    cells = {task: 100 * float(values[task] or 0.0) for task in SEVEN_TASKS if task not in missing}
    if protocol.rounds:
        cells = {task: float(f"{cell:.2f}") for task, cell in cells.items()}
    value = math.nan if missing else sum(cells.values()) / len(cells)
    return SevenTaskAverage(protocol.name, cells, value, missing)


def _undefined(value: float | None) -> bool:
    return value is None or math.isnan(value)
