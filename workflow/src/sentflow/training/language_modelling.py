"""Masked language modelling beside a contrastive loss: which tokens are masked, and the layer that predicts them.

Devlin et al. 2019 (arXiv 1810.04805), section 3.1; as a term of SimCSE: arXiv 2104.08821, section 6, and
princeton-nlp/SimCSE@49fa580a, ``do_mlm``.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open
from sentence_transformers import SentenceTransformer
from transformers.models.bert.modeling_bert import BertLMPredictionHead
from transformers.models.roberta.modeling_roberta import RobertaLMHead

from sentflow.errors import ConfigError
from sentflow.training.draws import Draws
from sentflow.training.modules import transformer_of
from sentflow.training.new_weights import initialise, seeded

logger = logging.getLogger(__name__)

_CHOSEN = 0.15  # of the tokens that are not special; of these:
_MASKED, _REPLACED = 0.8, 0.1  # the others stay as they are
_NOT_PREDICTED = -100  # as torch's cross-entropy ignores it
_WEIGHTS = "model.safetensors"

# Model type → the class of its head, and where the head's tensors lie in a file that has them
_HEADS: Mapping[str, tuple[Any, str]] = {
    "bert": (BertLMPredictionHead, "cls.predictions."),
    "roberta": (RobertaLMHead, "lm_head."),
    "xlm-roberta": (RobertaLMHead, "lm_head."),
}


def masked(
    ids: Sequence[int], draws: Draws, *, mask: int, n_vocabulary: int, special: frozenset[int]
) -> tuple[list[int], list[int]]:
    """A text with some tokens hidden, and what was there.

    Parameters
    ----------
    ids
        With special tokens, not padded.
    mask, n_vocabulary, special
        Of the tokenizer: id of the mask, number of ids, ids that are never chosen.

    Returns
    -------
    tuple
        The ids to read; and the ids to predict, −100 where a token was not chosen. Each token is chosen with
        probability .15, and then hidden by the mask (.8), by any id (.1), or by nothing.
    """
    generator = draws.generator()
    given = np.asarray(ids, dtype=np.int64)
    chosen = (generator.random(len(ids)) < _CHOSEN) & ~np.isin(given, list(special))
    fate, others = generator.random(len(ids)), generator.integers(n_vocabulary, size=len(ids))
    hidden = np.where(fate < _MASKED, mask, np.where(fate < _MASKED + _REPLACED, others, given))
    return np.where(chosen, hidden, given).tolist(), np.where(chosen, given, _NOT_PREDICTED).tolist()


class LanguageModelling(torch.nn.Module):
    """The layer that predicts masked tokens, and its loss.

    Parameters
    ----------
    encoder
        A BERT or RoBERTa; its files may hold the layer that it was pre-trained with, which is taken then. Otherwise the
        layer is new, but for the vectors of the vocabulary, which are a copy of the encoder's.
    draws
        For new weights.

    Raises
    ------
    ConfigError
        The encoder is of another type, or its tokenizer has no mask.
    """

    def __init__(self, encoder: SentenceTransformer, draws: Draws) -> None:
        super().__init__()
        network, tokenizer = transformer_of(encoder).auto_model, encoder.tokenizer
        kind = network.config.model_type
        if kind not in _HEADS or tokenizer.mask_token_id is None:
            raise ConfigError(
                f"settings.mlm_weight: masked tokens can be predicted by {', '.join(_HEADS)} with a mask token, and "
                f"the start is a {kind}. Write mlm_weight: 0, or start from one of these."
            )
        make, prefix = _HEADS[kind]
        with seeded(draws):
            self.head = make(network.config)
        initialise(self.head, encoder, draws)
        with torch.no_grad():
            self.head.decoder.weight.copy_(network.get_input_embeddings().weight)
        _take_weights(self.head, Path(network.name_or_path), prefix)
        self.head.to(encoder.device)
        self._mask = int(tokenizer.mask_token_id)
        self._special = frozenset(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
        self._n_vocabulary = int(network.config.vocab_size)

    def masked(self, ids: Sequence[int], draws: Draws) -> tuple[list[int], list[int]]:
        """See the function of this name."""
        return masked(ids, draws, mask=self._mask, n_vocabulary=self._n_vocabulary, special=self._special)

    def cross_entropy(self, tokens: torch.Tensor, expected: Sequence[Sequence[int]]) -> torch.Tensor:
        """Sum of the cross-entropy over all masked tokens.

        Parameters
        ----------
        tokens
            (k, L, H): the last layer for masked texts.
        expected
            Per text the second value of `masked`, not padded.
        """
        labels = torch.full(tokens.shape[:2], _NOT_PREDICTED)
        for row, values in enumerate(expected):
            labels[row, : len(values)] = torch.tensor(values)
        labels = labels.to(tokens.device)
        chosen = labels != _NOT_PREDICTED
        return torch.nn.functional.cross_entropy(self.head(tokens[chosen]), labels[chosen], reduction="sum")


def n_predicted(expected: Sequence[Sequence[int]]) -> int:
    """How many tokens were chosen."""
    return sum(value != _NOT_PREDICTED for values in expected for value in values)


def _take_weights(head: torch.nn.Module, folder: Path, prefix: str) -> None:
    """Copy the tensors of a head out of a file of weights, where there is one that has them."""
    found = dict(_tensors(folder / _WEIGHTS, prefix))
    own = head.state_dict()
    # Tied in the file to the vectors of the vocabulary, which the decoder is a copy of already
    missing = own.keys() - found.keys() - {"decoder.weight", "decoder.bias", "bias"}
    if missing:
        logger.info("the layer that predicts masked tokens is new: %s has none", folder)
        return
    if "bias" in found:  # older files have it once, newer ones twice
        found.setdefault("decoder.bias", found["bias"])
    head.load_state_dict({**own, **{name: value for name, value in found.items() if name in own}})
    logger.info("the layer that predicts masked tokens is that of %s", folder)


def _tensors(file: Path, prefix: str) -> Iterator[tuple[str, torch.Tensor]]:
    if not file.is_file():
        return
    with safe_open(str(file), framework="pt") as weights:
        for name in weights.keys():  # noqa: SIM118, no mapping
            if name.startswith(prefix):
                # Older files call the parameters of LayerNorm so
                plain = name.removeprefix(prefix).replace(".gamma", ".weight").replace(".beta", ".bias")
                yield plain, weights.get_tensor(name)
