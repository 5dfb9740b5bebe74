"""Probes on frozen embeddings. `cross_validate` is the library's entry point."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentflow.probing.cross_validation import CrossValidation, cross_validate

__all__ = ["CrossValidation", "cross_validate"]


def __getattr__(name: str) -> Any:
    # Looked up when asked for: importing torch takes seconds, and most modules of this package do without it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sentflow.probing import cross_validation

    return getattr(cross_validation, name)
