"""Which tokens of a text are hidden for masked language modelling.

Devlin et al. 2019 (arXiv 1810.04805), section 3.1; whole words as google-research/bert's `whole_word_mask`, and for
tokenizers that mark words in other ways.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers.models import WordPiece

from sentflow.training.draws import Draws

CHOSEN = 0.15  # of the tokens that are not special; of these:
_MASKED, _REPLACED = 0.8, 0.1  # the others stay as they are
NOT_PREDICTED = -100  # as torch's cross-entropy ignores it


@dataclass(frozen=True)
class Vocabulary:
    """What masking needs of a tokenizer."""

    mask: int  # id of the mask
    size: int  # number of ids
    special: frozenset[int]  # ids that are never chosen
    goes_on: frozenset[int] = frozenset()  # ids of tokens that belong to the word of the token before them
    unfinished: frozenset[int] = frozenset()  # ids of tokens to whose word the token after them belongs


def continuations(tokenizer: Any) -> tuple[frozenset[int], frozenset[int]] | None:
    """Which tokens go on with a word, by how a tokenizer joins tokens.

    What single tokens look like does not tell: byte-level vocabularies have ``###``, which is no piece of a word.

    Returns `Vocabulary.goes_on` and `Vocabulary.unfinished`; None where nothing tells words. Known are ``##`` before a
    token that goes on (WordPiece, which may name another prefix), ``@@`` behind one that is not finished (subword-nmt,
    so PhoBERT), and ``▁`` or ``Ġ`` before the first of a word.
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


def masked(
    ids: Sequence[int], draws: Draws, vocabulary: Vocabulary, *, whole_words: bool = False
) -> tuple[list[int], list[int]]:
    """A text with some tokens hidden, and what was there.

    `ids`: with special tokens, not padded. `whole_words`: whether words are chosen, all of their tokens, until .15 of
    the tokens are; else each token is chosen with probability .15. Returns the ids to read; and the ids to predict,
    `NOT_PREDICTED` where a token was not chosen. Each chosen token is hidden by the mask (.8), by any id (.1), or by
    nothing.
    """
    generator = draws.generator()
    given = np.asarray(ids, dtype=np.int64)
    plain = ~np.isin(given, list(vocabulary.special))
    if whole_words:
        chosen = _whole_words(given, plain, generator, vocabulary)
    else:
        chosen = (generator.random(len(ids)) < CHOSEN) & plain
    fate, others = generator.random(len(ids)), generator.integers(vocabulary.size, size=len(ids))
    hidden = np.where(fate < _MASKED, vocabulary.mask, np.where(fate < _MASKED + _REPLACED, others, given))
    return np.where(chosen, hidden, given).tolist(), np.where(chosen, given, NOT_PREDICTED).tolist()


def n_predicted(expected: Sequence[Sequence[int]]) -> int:
    """How many tokens were chosen."""
    return sum(value != NOT_PREDICTED for values in expected for value in values)


def _whole_words(
    given: npt.NDArray[np.int64],
    plain: npt.NDArray[np.bool_],
    generator: np.random.Generator,
    vocabulary: Vocabulary,
) -> npt.NDArray[np.bool_]:
    """Words in a drawn order, as many as fit into .15 of the tokens; none where every word is longer than that."""
    words: list[list[int]] = []
    for place in np.flatnonzero(plain):
        before = place - 1
        joined = bool(words) and words[-1][-1] == before
        if joined and (
            int(given[place]) in vocabulary.goes_on or int(given[before]) in vocabulary.unfinished
        ):
            words[-1].append(int(place))
        else:
            words.append([int(place)])
    chosen = np.zeros(len(given), dtype=bool)
    left = max(1, round(CHOSEN * int(plain.sum())))
    for number in generator.permutation(len(words)):
        if len(words[number]) <= left:
            chosen[words[number]] = True
            left -= len(words[number])
    return chosen
