"""Sample pair sets: sentence pairs whose similarity is graded by construction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentflow.errors import ConfigError
from sentflow.stats.seeds import derive_seed
from sentflow.texts.sample.grammar import Grammar, as_sentence
from sentflow.texts.sample.vocabulary import vocabulary

Source = Mapping[str, Any]
"""An entry of the files of facts: `name`, `themes` (each three facts in three wordings), `places`, `times`."""

COLUMNS = ("subset", "text_a", "text_b", "score")
LEVELS = (0, 1, 2, 3, 4, 5)
ATTEMPTS_AT_NEW_PAIRS = 20
_UNEVEN = (-0.4, -0.2, 0.0, 0.2, 0.4)  # as if five people had scored, and not all alike


def sources(language: str) -> Sequence[Source]:
    """Where sentences of one manner come from, ``"english"`` or ``"portuguese"``."""
    found: Sequence[Source] = vocabulary(f"facts_{language}")["sources"]
    return found


@dataclass(frozen=True)
class PairRecipe:
    """How a sample pair set is made."""

    language: str  # of its sentences, see `sources`
    rows_per_source: int  # a multiple of six, for each level has as many
    only: str = ""  # name of the one source that its sentences come from; empty for all, one after the other
    least: int = 0  # score of pairs that have nothing in common, 0 or 1; 5 is the same meaning

    @property
    def sources(self) -> Sequence[Source]:
        """Where its sentences come from."""
        return [source for source in sources(self.language) if self.only in ("", source["name"])]


RECIPES = {
    "STS12": PairRecipe("english", 48),
    "STS13": PairRecipe("english", 48),
    "STSB-train": PairRecipe("english", 78),
    "STSB-dev": PairRecipe("english", 48),
    "STSB-test": PairRecipe("english", 60),
    "SICKR-test": PairRecipe("english", 150, only="images", least=1),
    "STSB-pt-dev": PairRecipe("portuguese", 48),
    "STSB-pt-test": PairRecipe("portuguese", 60),
    "ASSIN-test": PairRecipe("portuguese", 150, only="notícias", least=1),
}


@dataclass(frozen=True)
class SamplePairs:
    """Scored pairs, source after source, in random order within each."""

    # subset, text_a, text_b: as long as the scores
    subset: list[str]
    text_a: list[str]
    text_b: list[str]
    scores: list[float]  # with one decimal

    def __len__(self) -> int:
        return len(self.scores)


def generate_pairs(pairs: str, *, seed: int) -> SamplePairs:
    """Sample pairs in the manner of a pair set.

    `seed`: not negative. Rows depend on the seed and the name alone. They are the same on any machine. Level 5 is one
    fact in two wordings; 4 leaves out where or when in one of them; 3 has another place and time; 2 is another fact of
    the same theme, at the same place and time; 1 that at another place and time; 0 another theme. A score is its level
    ± 0.4, from `least` to 5.
    """
    if pairs not in RECIPES:
        raise ConfigError(f"There are no sample pairs for {pairs!r}. Write one of: {', '.join(RECIPES)}.")
    if seed < 0:
        raise ConfigError(f"The seed of sample data is {seed}. Write a number that is not negative.")
    recipe = RECIPES[pairs]
    rng = np.random.Generator(np.random.PCG64(derive_seed(seed, "sample pairs", pairs)))
    grammar = Grammar(rng, {})
    found = SamplePairs([], [], [], [])
    for source in recipe.sources:
        seen: set[tuple[str, str]] = set()
        levels = [level for level in LEVELS for _ in range(recipe.rows_per_source // len(LEVELS))]
        for level in grammar.sample(levels, len(levels)):
            text_a, text_b = _new_pair(grammar, source, level, seen)
            found.subset.append(source["name"])
            found.text_a.append(text_a)
            found.text_b.append(text_b)
            found.scores.append(_score(grammar, level, recipe.least))
    return found


def to_tsv(pairs: SamplePairs) -> str:
    """The pairs with a header, separated by tabs and without quoting."""
    rows = zip(pairs.subset, pairs.text_a, pairs.text_b, map(str, pairs.scores), strict=True)
    return "".join("\t".join(row) + "\n" for row in (COLUMNS, *rows))


def _new_pair(grammar: Grammar, source: Source, level: int, seen: set[tuple[str, str]]) -> tuple[str, str]:
    pair = _pair(grammar, source, level)
    for _ in range(ATTEMPTS_AT_NEW_PAIRS):
        if pair not in seen:
            break
        pair = _pair(grammar, source, level)
    seen.add(pair)
    return pair


def _pair(grammar: Grammar, source: Source, level: int) -> tuple[str, str]:
    """Two sentences of a level, in random order."""
    theme = grammar.pick(source["themes"])
    fact = grammar.pick(theme)
    wording = grammar.pick(fact)
    circumstances = circumstances_of(grammar, source)
    others = circumstances
    if level >= 3:
        second = grammar.pick_other(fact, wording)
    else:
        second = grammar.pick(_other_fact(grammar, source, theme, level, fact))
    if level == 4:
        others = (circumstances[0], "") if grammar.chance(0.5) else ("", circumstances[1])
    elif level in (1, 3) or (level == 0 and grammar.chance(0.5)):
        others = _other_circumstances(grammar, source, circumstances)
    pair = (sentence_of(grammar, wording, circumstances), sentence_of(grammar, second, others))
    return pair if grammar.chance(0.5) else (pair[1], pair[0])


def _other_fact(
    grammar: Grammar, source: Source, theme: Sequence[Sequence[str]], level: int, fact: Sequence[str]
) -> Sequence[str]:
    if level == 0:
        return grammar.pick(grammar.pick_other(source["themes"], theme))
    return grammar.pick([other for other in theme if other is not fact])


def circumstances_of(grammar: Grammar, source: Source) -> tuple[str, str]:
    """A place and a time of a source."""
    return grammar.pick(source["places"]), grammar.pick(source["times"])


def _other_circumstances(grammar: Grammar, source: Source, taken: tuple[str, str]) -> tuple[str, str]:
    return grammar.pick_other(source["places"], taken[0]), grammar.pick_other(source["times"], taken[1])


def sentence_of(grammar: Grammar, wording: str, circumstances: tuple[str, str]) -> str:
    """The fact with its place and time behind it, or its time before it."""
    place, time = circumstances
    if time and grammar.chance(0.4):
        return as_sentence(f"{time}, {wording} {place}".strip())
    return as_sentence(" ".join(part for part in (wording, place, time) if part))


def _score(grammar: Grammar, level: int, least: int) -> float:
    score = least + level * (5 - least) / 5 + grammar.pick(_UNEVEN)
    return round(min(max(score, float(least)), 5.0), 1)
