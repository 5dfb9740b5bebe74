"""Texts whose words are marked, for encoders that were pre-trained on such texts."""

from collections.abc import Callable, Sequence
from typing import Any

from sentflow.errors import ConfigError


def segmented(texts: Sequence[str], how: str) -> list[str]:
    """The texts with "_" between the syllables of a word, and a space between words.

    `how`: a key of `sentflow.encoders.settings.SEGMENTERS`; there is one.

    PhoBERT was pre-trained on words by RDRSegmenter (Nguyen and Nguyen 2020, arXiv 2003.00744, section 3); underthesea
    finds other boundaries in some places.
    """
    word_tokenize = vietnamese_words(f"segment: {how}")
    return [
        "\n".join(word_tokenize(line, format="text") if line.strip() else "" for line in text.split("\n"))
        for text in texts
    ]


def vietnamese_words(what: str) -> Callable[..., Any]:
    """The function of underthesea that cuts texts into words. Raises ConfigError: the library is not installed."""
    try:
        from underthesea import word_tokenize
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{what} needs underthesea, which is not installed. Write: pip install -r envs/requirements-vietnamese.txt"
        ) from error
    found: Callable[..., Any] = word_tokenize
    return found
