"""sentflow: from sentence encoders to tables and figures.

For notebooks: `UlyssesSentEval`, `STSBEval` and `TMUPEval` for alignment and uniformity, `retrieve`, `evaluate_run` and
`compare_runs` for search, `read_results` for a finished run, and `sparse` for learned sparse encoders.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentflow import sparse
    from sentflow.api.alignment import STSBEval, TMUPEval
    from sentflow.api.evaluator import UlyssesSentEval, UlyssesSentEvalLazy
    from sentflow.api.protocols import probe_protocol
    from sentflow.api.read_results import read_results
    from sentflow.api.retrieval import retrieve
    from sentflow.api.run_evaluation import compare_runs, evaluate_run

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
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in ("STSBEval", "TMUPEval"):
        from sentflow.api import alignment

        return getattr(alignment, name)
    if name in ("compare_runs", "evaluate_run"):
        from sentflow.api import run_evaluation

        return getattr(run_evaluation, name)
    if name == "retrieve":
        from sentflow.api.retrieval import retrieve

        return retrieve
    if name == "read_results":
        from sentflow.api.read_results import read_results

        return read_results
    if name == "sparse":
        import sentflow.sparse as sparse

        return sparse
    from sentflow.api import evaluator, protocols

    return getattr(protocols if name == "probe_protocol" else evaluator, name)
