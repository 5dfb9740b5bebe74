"""Changes of what enters the first layer of a transformer: of position ids before their look-up, and of the output of
the embedding module, after its normalisation and dropout.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from sentflow.errors import ConfigError
from sentflow.training.modules import transformer_of
from sentflow.training.views.augmentations import (
    CUTOFF_FEATURES,
    CUTOFF_TOKENS,
    DROPOUT,
    SHUFFLE,
    Indices,
)

_POSITIONS = "position_embeddings"
_ADVERSARIAL_EPSILON = 1e-10  # of yym6472/ConSERT@03c9e8ff


class EmbeddingStage:
    """The embedding module of an encoder, as BERT and RoBERTa and what is built like them have it.

    Nothing stays in the encoder: every change is made for the forward passes inside a ``with``.

    Parameters
    ----------
    encoder
        Whose first module is a transformer.

    Attributes
    ----------
    width
        H, of the vectors that the module gives.

    Raises
    ------
    ConfigError
        There is no such module.
    """

    def __init__(self, encoder: SentenceTransformer) -> None:
        network = transformer_of(encoder).auto_model
        module = getattr(network, "embeddings", None)
        if not isinstance(module, torch.nn.Module):
            raise ConfigError(
                f"settings.views: a {type(network).__name__} has no embedding module whose output could be "
                "changed. Start from a BERT or a RoBERTa, or write views: [{name: none}, {name: none}]."
            )
        self._module = module
        self.width = int(network.get_input_embeddings().embedding_dim)

    def check_positions(self) -> None:
        """Refuse a model without a table of positions.

        Raises ConfigError: position ids are not looked up in this model, so there is nothing to shuffle.
        """
        if not isinstance(getattr(self._module, _POSITIONS, None), torch.nn.Embedding):
            raise ConfigError(
                f"settings.views: shuffle moves position ids, but {type(self._module).__name__} has no position "
                "embeddings. Start from a BERT or a RoBERTa, or write another view."
            )

    @contextmanager
    def augmented(self, name: str, drawn: Sequence[Indices], lengths: Sequence[int]) -> Iterator[None]:
        """Apply a view that was drawn sentence by sentence, see `Augmentation.drawn`.

        `name`: `SHUFFLE`, `CUTOFF_TOKENS`, `CUTOFF_FEATURES` or `DROPOUT`.
        """
        if name == SHUFFLE:
            with self._positions(drawn):
                yield
        else:

            def cut(output: torch.Tensor) -> torch.Tensor:
                zeros = _zeros(name, drawn, lengths, output.shape)
                return output.masked_fill(torch.from_numpy(zeros).to(output.device), 0)

            with self._changed(cut):
                yield

    @contextmanager
    def leaf(self) -> Iterator[list[torch.Tensor]]:
        """Make the output of the module the start of the graph; gives the outputs, as leaves with gradient."""
        leaves: list[torch.Tensor] = []

        def cut_off(output: torch.Tensor) -> torch.Tensor:
            leaves.append(output.detach().requires_grad_())
            return leaves[-1]

        with self._changed(cut_off):
            yield leaves

    @contextmanager
    def added(self, noise: torch.Tensor) -> Iterator[None]:
        """Add noise, (k, L, H), to the output of the module."""
        with self._changed(lambda output: output + noise):
            yield

    @contextmanager
    def _changed(self, change: Callable[[torch.Tensor], torch.Tensor]) -> Iterator[None]:
        handle = self._module.register_forward_hook(lambda _module, _inputs, output: change(output))
        try:
            yield
        finally:
            handle.remove()

    @contextmanager
    def _positions(self, orders: Sequence[Indices]) -> Iterator[None]:
        def shuffled(_module: torch.nn.Module, inputs: tuple[Any, ...]) -> tuple[torch.Tensor]:
            ids: torch.Tensor = inputs[0]  # (1 or k, L): models without an offset give all sentences the same
            places = np.tile(np.arange(ids.shape[-1]), (len(orders), 1))
            for row, order in enumerate(orders):
                places[row, : len(order)] = order
            ids = ids.expand(len(orders), -1)
            return (ids.gather(1, torch.from_numpy(places).to(ids.device)),)

        table = self._module.get_submodule(_POSITIONS)
        handle = table.register_forward_pre_hook(shuffled)
        try:
            yield
        finally:
            handle.remove()


def adversarial_noise(gradient: torch.Tensor, *, norm: float) -> torch.Tensor:
    """The direction in which a loss grows fastest, `norm` long for every token; 0 where the gradient is (padding).

    `gradient`: (k, L, H), of a loss to the output of the embedding module.
    """
    lengths = gradient.norm(dim=-1, keepdim=True) + _ADVERSARIAL_EPSILON
    noise: torch.Tensor = norm * gradient / lengths
    return noise


def _zeros(name: str, drawn: Sequence[Indices], lengths: Sequence[int], shape: torch.Size) -> np.ndarray:
    """(k, L, H) bool: what is set to 0."""
    zeros = np.zeros(shape, dtype=bool)
    for sentence, indices, n_tokens in zip(zeros, drawn, lengths, strict=True):
        _MARK[name](sentence[:n_tokens], indices)
    return zeros


def _mark_tokens(sentence: np.ndarray, indices: Indices) -> None:
    sentence[indices] = True


def _mark_features(sentence: np.ndarray, indices: Indices) -> None:
    sentence[:, indices] = True


def _mark_values(sentence: np.ndarray, indices: Indices) -> None:
    sentence.reshape(-1)[indices] = True


_MARK: Mapping[str, Callable[[np.ndarray, Indices], None]] = {
    CUTOFF_TOKENS: _mark_tokens,
    CUTOFF_FEATURES: _mark_features,
    DROPOUT: _mark_values,
}
