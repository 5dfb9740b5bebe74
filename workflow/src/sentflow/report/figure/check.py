"""The acceptance check of figures: all that is written in them can be read."""

from sentflow.files.io import read_sealed
from sentflow.flow.paths import FIGURE_INSPECTION
from sentflow.report.checks import CheckResult, Selection
from sentflow.report.inputs import Inputs

_RULE = "In no figure does a text cover another or reach over the edge, and no panel has collapsed."
_END = FIGURE_INSPECTION.rpartition("}")[2]


def check_figures(inputs: Inputs, _selection: Selection) -> CheckResult:
    """Read what was measured of each figure when it was drawn."""
    found = [read_sealed(file) for file in inputs.files if file.name.endswith(_END)]
    problems = [f"{one['figure']}: {problem}" for one in found for problem in one["problems"]]
    counts = {"figures": len(found), "texts": sum(one["n_texts"] for one in found)}
    return CheckResult("figures", _RULE, counts, problems)
