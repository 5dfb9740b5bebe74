"""Masked language modelling: which tokens are hidden, an encoder's layer that predicts them, and its loss.

Devlin et al. 2019 (arXiv 1810.04805), section 3.1; whole words as google-research/bert's `whole_word_mask`, and for
tokenizers that mark words in other ways. As a term of SimCSE: arXiv 2104.08821, section 6, and
princeton-nlp/SimCSE@49fa580a, ``do_mlm``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer
from tokenizers.models import WordPiece

from sentflow.errors import ConfigError
from sentflow.sparse.heads import KINDS
from sentflow.training.draws import Draws
from sentflow.training.layers import prediction_head, transformer_of

CHOSEN = 0.15  # of the tokens that are not special; of these:
_MASKED, _REPLACED = 0.8, 0.1  # the others stay as they are
NOT_PREDICTED = -100  # as torch's cross-entropy ignores it


@dataclass(frozen=True)
class Vocabulary:
    """What masking needs of a tokenizer."""

    mask: int  # id of the mask
    size: int  # number of ids
    special: frozenset[int]  # ids that are never chosen
    # goes_on, unfinished: ids of tokens that belong to the word of the token before them, or after them
    goes_on: frozenset[int] = frozenset()
    unfinished: frozenset[int] = frozenset()
    # whole_words: choose whole words until .15 of the tokens are; else each token with probability .15
    whole_words: bool = False

    def masked(self, ids: Sequence[int], draws: Draws) -> tuple[list[int], list[int]]:
        """A text, not padded, with some tokens hidden; and the ids to predict, `NOT_PREDICTED` where none was chosen.

        Each chosen token is hidden by the mask (.8), by any id (.1), or by nothing.
        """
        generator = draws.generator()
        given = np.asarray(ids, dtype=np.int64)
        plain = ~np.isin(given, list(self.special))
        if self.whole_words:
            chosen = self._words(given, plain, generator)
        else:
            chosen = (generator.random(len(ids)) < CHOSEN) & plain
        fate, others = generator.random(len(ids)), generator.integers(self.size, size=len(ids))
        hidden = np.where(fate < _MASKED, self.mask, np.where(fate < _MASKED + _REPLACED, others, given))
        return np.where(chosen, hidden, given).tolist(), np.where(chosen, given, NOT_PREDICTED).tolist()

    def _words(
        self, given: npt.NDArray[np.int64], plain: npt.NDArray[np.bool_], generator: np.random.Generator
    ) -> npt.NDArray[np.bool_]:
        """Words in a drawn order, as many as fit into .15 of the tokens; none where every word is longer than that."""
        words: list[list[int]] = []
        for place in np.flatnonzero(plain).tolist():
            follows = bool(words) and words[-1][-1] == place - 1
            if follows and (int(given[place]) in self.goes_on or int(given[place - 1]) in self.unfinished):
                words[-1].append(place)
            else:
                words.append([place])
        chosen = np.zeros(len(given), dtype=bool)
        left = max(1, round(CHOSEN * int(plain.sum())))
        for number in generator.permutation(len(words)):
            if len(words[number]) <= left:
                chosen[words[number]] = True
                left -= len(words[number])
        return chosen


def continuations(tokenizer: Any) -> tuple[frozenset[int], frozenset[int]] | None:
    """`Vocabulary.goes_on` and `unfinished`, by how a tokenizer joins tokens; None where nothing tells words.

    What single tokens look like does not tell: byte-level vocabularies have ``###``. Known are ``##`` before a token
    that goes on (WordPiece, which may name another prefix), ``@@`` behind one that is not finished (subword-nmt, so
    PhoBERT), and ``▁`` or ``Ġ`` before the first of a word.
    """
    joined, pieces = tokenizer.convert_tokens_to_string, tokenizer.get_vocab().items()
    model = getattr(getattr(tokenizer, "backend_tokenizer", None), "model", None)
    inside = getattr(model, "continuing_subword_prefix", None) or "##"
    if isinstance(model, WordPiece) or joined(["a", f"{inside}b"]) == "ab":
        return frozenset(
            n for piece, n in pieces if piece.startswith(inside) and piece != inside
        ), frozenset()
    if joined(["a@@", "b"]) == "ab":
        return frozenset(), frozenset(n for piece, n in pieces if piece.endswith("@@") and piece != "@@")
    for mark in ("▁", "Ġ"):
        if joined([f"{mark}a", f"{mark}b", "c"]).strip() == "a bc":
            return frozenset(n for piece, n in pieces if not piece.startswith(mark)), frozenset()
    return None


class LanguageModelling(torch.nn.Module):
    """The layer that predicts masked tokens, that of the encoder's files where they have one, and its loss.

    `encoder`: of a type of `KINDS`. `tied`: whether the vectors of the vocabulary are those of the encoder, the same
    tensor, or a copy. `instead`: what a user may write where the encoder has no such layer. Raises ConfigError: the
    encoder is of another type, its tokenizer has no mask, or does not tell words.
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
        _, self.prefix, _ = KINDS[kind]
        self.head, _ = prediction_head(encoder, draws)
        if tied:
            self.head.decoder.weight = network.get_input_embeddings().weight
        goes_on, unfinished = words or (frozenset(), frozenset())
        self._vocabulary = Vocabulary(
            mask=int(tokenizer.mask_token_id),
            size=int(network.config.vocab_size),
            special=frozenset(tokenizer.all_special_ids) - {tokenizer.unk_token_id},
            goes_on=goes_on,
            unfinished=unfinished,
            whole_words=whole_words,
        )

    def masked(self, ids: Sequence[int], draws: Draws) -> tuple[list[int], list[int]]:
        return self._vocabulary.masked(ids, draws)

    def predicted(self, tokens: torch.Tensor, expected: Sequence[Sequence[int]]) -> torch.Tensor:
        """(k, 3) per text: the sum of the cross-entropy over its masked tokens, their number, how many are right.

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

    def kept(self) -> dict[str, torch.Tensor]:
        """The tensors of the layer under the names of transformers' models, without the vectors of the vocabulary."""
        tied = self.head.decoder.weight.data_ptr()
        return {
            f"{self.prefix}{name}": value
            for name, value in self.head.state_dict().items()
            if value.data_ptr() != tied
        }
