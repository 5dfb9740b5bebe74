"""Learned sparse encoders, for notebooks: SPLADE's weights of terms, and SparseEmbed with a vector for each term.

`SparsEmbed` and `Retriever`, with the modules `model`, `utils`, `losses` and `retrieve`, have the names of
raphaelsty/sparsembed@ef2a0693, so ``from sparsembed import model`` becomes ``from sentflow.sparse import model``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentflow.sparse import losses, model, retrieve, utils
    from sentflow.sparse.model import SparsEmbed
    from sentflow.sparse.retrieve import Retriever

__all__ = ["Retriever", "SparsEmbed", "losses", "model", "retrieve", "utils"]


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    # Looked up when asked for, since the modules import torch
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = {"Retriever": "retrieve", "SparsEmbed": "model"}.get(name, name)
    found = import_module(f"{__name__}.{module}")
    return found if module == name else getattr(found, name)
