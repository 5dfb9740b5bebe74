"""sentflow: from sentence encoders to tables and figures. `UlyssesSentEval` is the evaluator for notebooks."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentflow.api.lazy import UlyssesSentEval, UlyssesSentEvalLazy
    from sentflow.api.protocols import probe_protocol

__all__ = ["UlyssesSentEval", "UlyssesSentEvalLazy", "probe_protocol"]


def __getattr__(name: str) -> Any:
    # Looked up when asked for: every command imports this package and must start quickly.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sentflow.api import lazy, protocols

    return getattr(protocols if name == "probe_protocol" else lazy, name)
