"""sentflow: from sentence encoders to tables and figures.

For notebooks: `UlyssesSentEval`, `STSBEval` and `TMUPEval` for alignment and uniformity, `retrieve`, `evaluate_run` and
`compare_runs` for search, `leaderboard` for published boards, `read_results` for a finished run, and `sparse` for
learned sparse encoders.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentflow import sparse as sparse
    from sentflow.api.alignment import STSBEval as STSBEval
    from sentflow.api.alignment import TMUPEval as TMUPEval
    from sentflow.api.boards import leaderboard as leaderboard
    from sentflow.api.data import probe_protocol as probe_protocol
    from sentflow.api.evaluator import UlyssesSentEval as UlyssesSentEval
    from sentflow.api.evaluator import UlyssesSentEvalLazy as UlyssesSentEvalLazy
    from sentflow.api.read_results import read_results as read_results
    from sentflow.api.retrieval import retrieve as retrieve
    from sentflow.api.run_evaluation import compare_runs as compare_runs
    from sentflow.api.run_evaluation import evaluate_run as evaluate_run

_MODULES = {
    "STSBEval": "sentflow.api.alignment",
    "TMUPEval": "sentflow.api.alignment",
    "UlyssesSentEval": "sentflow.api.evaluator",
    "UlyssesSentEvalLazy": "sentflow.api.evaluator",
    "compare_runs": "sentflow.api.run_evaluation",
    "evaluate_run": "sentflow.api.run_evaluation",
    "leaderboard": "sentflow.api.boards",
    "probe_protocol": "sentflow.api.data",
    "read_results": "sentflow.api.read_results",
    "retrieve": "sentflow.api.retrieval",
    "sparse": "sentflow.sparse",
}
__all__ = list(_MODULES)


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    # Looked up when asked for: every command imports this package and must start quickly.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(_MODULES[name])
    return module if name == "sparse" else getattr(module, name)
