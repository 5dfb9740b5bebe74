"""Texts with some of their words left out."""

from sentflow.training.draws import Draws


def without_words(text: str, draws: Draws, *, share: float) -> str:
    """A text of which each word between spaces was left out with a probability, joined by single spaces.

    `text`: one without words stays as it is. `share`: the probability, in [0, 1). If every word was drawn, one word is
    left, any with equal probability.
    """
    words = text.split()
    if not words:
        return text
    generator = draws.generator()
    kept = [word for word, drawn in zip(words, generator.random(len(words)), strict=True) if drawn >= share]
    return " ".join(kept) if kept else words[int(generator.integers(len(words)))]
