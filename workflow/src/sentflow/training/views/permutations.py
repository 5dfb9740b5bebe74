"""Positives in another order: of the words between spaces, or of the tokens.

Yoo et al. 2022 (HCLT, pp. 360-365); HYU-NLP/Korean-Sentence-Representations@b03e1514, `SimCSE_mul`.
"""

from collections.abc import Collection, Sequence

from sentflow.training.draws import Draws


def shuffled_words(text: str, draws: Draws) -> str:
    """The words between white space in another order, with one space between them.

    A text of one word stays as it is, and the drawn order may be the one that the words had.
    """
    words = text.split()
    return " ".join(words[place] for place in draws.generator().permutation(len(words)))


def shuffled_tokens(ids: Sequence[int], draws: Draws, *, fixed: Collection[int] = ()) -> list[int]:
    """The ids of a text in another order.

    `ids`: with special tokens, cut to their number, not padded. `fixed`: ids that keep their place. None is what the
    study does: special tokens move, too, and what is read out at the first place is then the vector of any token.
    """
    places = [place for place, token in enumerate(ids) if token not in fixed]
    found = list(ids)
    for place, other in zip(places, draws.generator().permutation(places), strict=True):
        found[place] = ids[int(other)]
    return found
