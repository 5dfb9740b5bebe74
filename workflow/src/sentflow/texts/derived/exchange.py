"""Pairs that belong together into a task: half of them as they are, half with the second text of another pair.

Pairs are matched in twos. In half of the matches, which are drawn, the two exchange their second texts: two rows of
class 0; the others stay, two rows of class 1. Classes are drawn without a look at the texts, so that neither side
alone, nor its length, tells the label. Each text is in one row: a probe that saw a text in training with one label, and
meets it in the test with the other, scores below chance.
The two rows of a match are one document, so that partners are never on both sides of a fold.
"""

from collections.abc import Hashable, Sequence

import numpy as np

from sentflow.audit.ngrams import plain


def partners(topics: Sequence[Hashable], texts: Sequence[str], rng: np.random.Generator) -> list[int | None]:
    """For each pair the one that it is matched with, drawn among those of its topic; None for a pair alone.

    `texts`: n second texts. Two pairs with the same one (but for case and punctuation) are no partners.
    """
    found: list[int | None] = [None] * len(topics)
    bare = list(map(plain, texts))
    by_topic: dict[Hashable, list[int]] = {}
    for place, topic in enumerate(topics):
        by_topic.setdefault(topic, []).append(place)
    # What a topic leaves over
    left = [place for places in by_topic.values() for place in _matched(places, bare, found, rng)]
    _matched(left, bare, found, rng)
    return found


def _matched(
    places: Sequence[int], texts: Sequence[str], found: list[int | None], rng: np.random.Generator
) -> list[int]:
    """Match pairs at random, of different texts; gives those that remain."""
    order = [places[one] for one in rng.permutation(len(places)).tolist()]
    # The most frequent text first: as long as it is less than half of them, all find a partner
    counts: dict[str, int] = {}
    for place in order:
        counts[texts[place]] = counts.get(texts[place], 0) + 1
    remaining = []
    while order:
        one = max(order, key=lambda place: counts[texts[place]])
        order.remove(one)
        counts[texts[one]] -= 1
        other = next((place for place in order if texts[place] != texts[one]), None)
        if other is None:
            remaining.append(one)
            continue
        order.remove(other)
        counts[texts[other]] -= 1
        found[one], found[other] = other, one
    return remaining
