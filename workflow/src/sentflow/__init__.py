"""sentflow: from sentence encoders to tables and figures.

For notebooks: `UlyssesSentEval`, and `STSBEval` and `TMUPEval` for alignment and uniformity.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentflow.api.alignment import STSBEval, TMUPEval
    from sentflow.api.evaluator import UlyssesSentEval
    from sentflow.api.lazy import UlyssesSentEvalLazy
    from sentflow.api.protocols import probe_protocol

__all__ = ["STSBEval", "TMUPEval", "UlyssesSentEval", "UlyssesSentEvalLazy", "probe_protocol"]


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    # Looked up when asked for: every command imports this package and must start quickly.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in ("STSBEval", "TMUPEval"):
        from sentflow.api import alignment

        return getattr(alignment, name)
    from sentflow.api import lazy, protocols

    return getattr(protocols if name == "probe_protocol" else lazy, name)
