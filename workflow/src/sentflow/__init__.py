"""sentflow: from sentence encoders to tables and figures.

For notebooks: `UlyssesSentEval`, `STSBEval` and `TMUPEval` for alignment and uniformity, `retrieve`, `evaluate_run` and
`compare_runs` for search, `read_results` for a finished run, and `sparse` for learned sparse encoders.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentflow import sparse
    from sentflow.api.alignment import STSBEval, TMUPEval
    from sentflow.api.data import probe_protocol
    from sentflow.api.evaluator import UlyssesSentEval, UlyssesSentEvalLazy
    from sentflow.api.read_results import read_results
    from sentflow.api.retrieval import retrieve
    from sentflow.api.run_evaluation import compare_runs, evaluate_run

_MODULES = {
    "STSBEval": "sentflow.api.alignment",
    "TMUPEval": "sentflow.api.alignment",
    "UlyssesSentEval": "sentflow.api.evaluator",
    "UlyssesSentEvalLazy": "sentflow.api.evaluator",
    "compare_runs": "sentflow.api.run_evaluation",
    "evaluate_run": "sentflow.api.run_evaluation",
    "probe_protocol": "sentflow.api.data",
    "read_results": "sentflow.api.read_results",
    "retrieve": "sentflow.api.retrieval",
    "sparse": "sentflow.sparse",
}
__all__ = [
    "STSBEval",
    "TMUPEval",
    "UlyssesSentEval",
    "UlyssesSentEvalLazy",
    "compare_runs",
    "evaluate_run",
    "probe_protocol",
    "read_results",
    "retrieve",
    "sparse",
]


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    # Looked up when asked for: every command imports this package and must start quickly.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(_MODULES[name])
    return module if name == "sparse" else getattr(module, name)
