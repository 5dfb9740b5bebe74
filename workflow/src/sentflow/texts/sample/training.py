"""Sample texts to train on: distinct sentences, and pairs of sentences that say the same."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from sentflow.errors import ConfigError
from sentflow.stats.seeds import derive_seed
from sentflow.texts.sample.grammar import Grammar
from sentflow.texts.sample.pairs import Source, circumstances_of, sentence_of
from sentflow.texts.sample.vocabulary import vocabulary

N_SENTENCES, N_PARAPHRASES = 400, 240


def training_file(file: str, *, seed: int) -> str:
    """The text of a file of `FILES`, the same on any machine. Raises ConfigError: a negative seed."""
    if seed < 0:
        raise ConfigError(f"The seed of sample data is {seed}. Write a number that is not negative.")
    rng = np.random.Generator(np.random.PCG64(derive_seed(seed, "sample training data", file)))
    rows = FILES[file](Grammar(rng, {}))
    return "".join("\t".join(row) + "\n" for row in rows)


def _sentences(grammar: Grammar) -> Iterator[tuple[str, ...]]:
    """Distinct sentences, one per line."""
    return _distinct(grammar, N_SENTENCES, _sentence)


def _paraphrases(grammar: Grammar) -> Iterator[tuple[str, ...]]:
    """A header, and distinct pairs: one fact in two wordings, with the same place and time."""
    yield ("text", "other")
    yield from _distinct(grammar, N_PARAPHRASES, _paraphrase)


def _sentence(grammar: Grammar, source: Source) -> tuple[str, ...]:
    wording = grammar.pick(grammar.pick(source["facts"]))
    return (sentence_of(grammar, wording, circumstances_of(grammar, source)),)


def _paraphrase(grammar: Grammar, source: Source) -> tuple[str, ...]:
    circumstances = circumstances_of(grammar, source)
    wordings = grammar.sample(grammar.pick(source["facts"]), 2)
    return tuple(sentence_of(grammar, wording, circumstances) for wording in wordings)


def _distinct(
    grammar: Grammar, n: int, draw: Callable[[Grammar, Source], tuple[str, ...]]
) -> Iterator[tuple[str, ...]]:
    """So many different draws; there are thousands, so that another is soon found."""
    sources: Sequence[Source] = vocabulary("training_english")["sources"]
    seen: set[tuple[str, ...]] = set()
    while len(seen) < n:
        found = draw(grammar, grammar.pick(sources))
        if found not in seen:
            seen.add(found)
            yield found


FILES: Mapping[str, Callable[[Grammar], Iterator[tuple[str, ...]]]] = {
    "training-sentences": _sentences,
    "training-paraphrases": _paraphrases,
}
