"""Statistics of probe scores. `summarise` is the published aggregation."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentflow.stats.repeatability import summarise

__all__ = ["summarise"]


def __getattr__(name: str) -> Any:
    # Looked up when asked for, so that no other module of this package depends on it.
    if name == "summarise":
        from sentflow.stats.repeatability import summarise

        return summarise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
