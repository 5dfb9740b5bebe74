"""Learned sparse encoders, for notebooks: SPLADE's weights of terms, and SparseEmbed with a vector for each term.

`SparsEmbed` and `Retriever`, with the modules `model`, `utils`, `losses` and `retrieve`, have the names of
raphaelsty/sparsembed@ef2a0693, so ``from sparsembed import model`` becomes ``from sentflow.sparse import model``.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentflow.sparse import losses, model, retrieve, utils
    from sentflow.sparse.model import SparsEmbed
    from sentflow.sparse.retrieve import Retriever

__all__ = ["Retriever", "SparsEmbed", "losses", "model", "retrieve", "utils"]


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    # Looked up when asked for, since the modules import torch. `import a.b as c`, for `from a import b` would ask here
    # again
    if name in ("SparsEmbed", "model"):
        import sentflow.sparse.model as model

        return model if name == "model" else model.SparsEmbed
    if name in ("Retriever", "retrieve"):
        import sentflow.sparse.retrieve as retrieve

        return retrieve if name == "retrieve" else retrieve.Retriever
    if name == "losses":
        import sentflow.sparse.losses as losses

        return losses
    if name == "utils":
        import sentflow.sparse.utils as utils

        return utils
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
