"""Masked language modelling: an encoder's layer that predicts hidden tokens, and its loss.

Devlin et al. 2019 (arXiv 1810.04805), section 3.1; as a term of SimCSE: arXiv 2104.08821, section 6, and
princeton-nlp/SimCSE@49fa580a, ``do_mlm``.
"""

from collections.abc import Sequence

import torch
from sentence_transformers import SentenceTransformer

from sentflow.errors import ConfigError
from sentflow.training.draws import Draws
from sentflow.training.masking import NOT_PREDICTED, Vocabulary, continuations, masked
from sentflow.training.modules import transformer_of
from sentflow.training.prediction_heads import KINDS, prediction_head


class LanguageModelling(torch.nn.Module):
    """The layer that predicts masked tokens, and its loss.

    `encoder`: of a type of `sentflow.training.prediction_heads.KINDS`; its files may hold the layer that it was
    pre-trained with, which is taken then. Otherwise the layer is new, but for the vectors of the vocabulary. `tied`:
    whether the vectors of the vocabulary are those of the encoder, the same tensor, or a copy. `instead`: what a user
    may write where the encoder has no such layer. Raises ConfigError: the encoder is of another type, its tokenizer
    has no mask, or does not tell words.
    """

    def __init__(
        self,
        encoder: SentenceTransformer,
        draws: Draws,
        *,
        tied: bool = False,
        whole_words: bool = False,
        instead: str = "",
    ) -> None:
        super().__init__()
        network, tokenizer = transformer_of(encoder).auto_model, encoder.tokenizer
        kind = network.config.model_type
        if kind not in KINDS or tokenizer.mask_token_id is None:
            raise ConfigError(
                f"start: masked tokens can be predicted by {', '.join(KINDS)} with a mask token, and the start is a "
                f"{kind}. {instead}Start from one of these."
            )
        words = continuations(tokenizer)
        if whole_words and words is None:
            raise ConfigError(
                "settings.masking: the tokenizer of the start does not tell which tokens make a word. Write tokens."
            )
        _, self.prefix = KINDS[kind]
        self.head, _ = prediction_head(encoder, draws)
        if tied:
            self.head.decoder.weight = network.get_input_embeddings().weight
        self._whole_words = whole_words
        goes_on, unfinished = words or (frozenset(), frozenset())
        self._vocabulary = Vocabulary(
            mask=int(tokenizer.mask_token_id),
            size=int(network.config.vocab_size),
            special=frozenset(tokenizer.all_special_ids) - {tokenizer.unk_token_id},
            goes_on=goes_on,
            unfinished=unfinished,
        )

    def masked(self, ids: Sequence[int], draws: Draws) -> tuple[list[int], list[int]]:
        return masked(ids, draws, self._vocabulary, whole_words=self._whole_words)

    def predicted(self, tokens: torch.Tensor, expected: Sequence[Sequence[int]]) -> torch.Tensor:
        """Per text the sum of the cross-entropy over its masked tokens, their number, and how many of them have the
        highest logit, (k, 3).

        `tokens`: (k, L, H): the last layer for masked texts. `expected`: per text the second value of `masked`, not
        padded.
        """
        labels = torch.full(tokens.shape[:2], NOT_PREDICTED)
        for row, values in enumerate(expected):
            labels[row, : len(values)] = torch.tensor(values)
        labels = labels.to(tokens.device)
        rows, places = torch.nonzero(labels != NOT_PREDICTED, as_tuple=True)
        logits, truth = self.head(tokens[rows, places]), labels[rows, places]
        losses = torch.nn.functional.cross_entropy(logits, truth, reduction="none")
        right = (logits.detach().argmax(dim=1) == truth).to(losses)
        found = torch.stack([losses, torch.ones_like(losses), right], dim=1)
        return torch.zeros(len(tokens), 3, dtype=found.dtype, device=found.device).index_add(0, rows, found)

    def cross_entropy(self, tokens: torch.Tensor, expected: Sequence[Sequence[int]]) -> torch.Tensor:
        """The first column of `predicted`, (k,)."""
        return self.predicted(tokens, expected)[:, 0]

    def kept(self) -> dict[str, torch.Tensor]:
        """The tensors of the layer under the names of transformers' models, without the vectors of the vocabulary."""
        tied = self.head.decoder.weight.data_ptr()
        return {
            f"{self.prefix}{name}": value
            for name, value in self.head.state_dict().items()
            if value.data_ptr() != tied
        }
