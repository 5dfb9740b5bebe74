"""Which languages the texts are in, guessed without a network.

py3langid holds its model in the package. Its probabilities are calibrated: below a half it is as good as undecided,
which happens with texts of a few words.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

LEAST_PROBABILITY = 0.5
# More characters cost time and change no guess.
_READ_CHARACTERS = 200


def languages(texts: Sequence[str]) -> tuple[dict[str, float], float]:
    """ISO 639 code → share of the texts, the most frequent first; and the share whose language cannot be told."""
    counts = Counter(map(language_of, texts))
    unsure = counts.pop(None, 0)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
    return {str(language): count / len(texts) for language, count in ordered}, unsure / len(texts)


def language_of(text: str) -> str | None:
    """ISO 639 code of the language of a text; None where it cannot be told."""
    language, probability = _identifier().classify(text[:_READ_CHARACTERS])
    return str(language) if probability >= LEAST_PROBABILITY else None


@cache
def _identifier() -> Any:
    """py3langid's, with probabilities; its model takes a second to unpack."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
