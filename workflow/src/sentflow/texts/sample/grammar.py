"""Sentences from templates: a small grammar that contracts Portuguese articles and draws its words."""

import re
import string
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

CONTRACTIONS = {
    "de": {"o": "do", "a": "da", "os": "dos", "as": "das"},
    "em": {"o": "no", "a": "na", "os": "nos", "as": "nas", "um": "num", "uma": "numa"},
    "a": {"o": "ao", "a": "à", "os": "aos", "as": "às"},
    "por": {"o": "pelo", "a": "pela", "os": "pelos", "as": "pelas"},
}
_RANGE = re.compile(r"(\d+)-(\d+)")


class Grammar(string.Formatter):
    """Writes texts from templates such as ``"Dispõe sobre {subject}, {agency:de}, em {n:2-9} artigos."``.

    A slot is filled with the keyword argument of its name, else from the word list of its name; an entry of
    a word list is drawn at random and may have slots of its own. After the colon stands how the filler is
    joined to the sentence: ``de``, ``em``, ``a``, ``por`` (preposition, contracted with the article that the
    filler begins with) or ``^`` (capital). ``{n:2-9}`` is a random number of that range, ends included.
    """

    def __init__(self, rng: np.random.Generator, words: Mapping[str, Sequence[str]]) -> None:
        self._rng = rng
        self._words = words

    def pick(self, options: Sequence[T]) -> T:
        """One of the options, each as likely as the others."""
        return options[int(self._rng.integers(len(options)))]

    def pick_other(self, options: Sequence[T], taken: T) -> T:
        """One of the options that is not `taken`."""
        return self.pick([option for option in options if option != taken])

    def sample(self, options: Sequence[T], size: int) -> list[T]:
        """Different options in random order."""
        return [options[int(i)] for i in self._rng.choice(len(options), size=size, replace=False)]

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return bool(self._rng.random() < probability)

    def number(self, low: int, high: int) -> int:
        """An integer from low to high, both included."""
        return int(self._rng.integers(low, high + 1))

    def lean(self, options: Sequence[Sequence[T]], towards: int, strength: float) -> T:
        """One entry of ``options[towards]`` with probability `strength`, else one of another list."""
        if not self.chance(strength):
            towards = self.pick_other(range(len(options)), towards)
        return self.pick(options[towards])

    def write(self, template: str, **slots: str | Sequence[str]) -> str:
        """Fill the slots of a template; a slot may be given as one filler or as a word list."""
        return self.vformat(template, (), slots)

    def sentence(self, template: str, **slots: str | Sequence[str]) -> str:
        """Fill a template, begin it with a capital and end it with a full stop unless it has an end."""
        return as_sentence(self.write(template, **slots))

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A filler: given, or drawn from the word list of the slot's name."""
        name = str(key)
        if name == "n":
            return ""
        filler = kwargs.get(name, self._words.get(name))
        if filler is None:
            raise KeyError(f"no word list for the slot {{{name}}}")
        return filler if isinstance(filler, str) else self.vformat(self.pick(filler), args, kwargs)

    def format_field(self, value: Any, format_spec: str) -> str:
        """Join a filler to its sentence as the part after the colon asks."""
        between = _RANGE.fullmatch(format_spec)
        if between:
            return str(self.number(int(between[1]), int(between[2])))
        return joined(str(value), format_spec)


def joined(phrase: str, how: str) -> str:
    """A phrase after a preposition (contracted with its article), capitalised (``"^"``), or as it is.

    Raises ValueError: the way is none of these.
    """
    if how == "":
        return phrase
    if how == "^":
        return phrase[:1].upper() + phrase[1:]
    if how not in CONTRACTIONS:
        raise ValueError(
            f"{how!r} is not a way to join {phrase!r}; write one of: {', '.join(CONTRACTIONS)}, ^"
        )
    first, _, rest = phrase.partition(" ")
    if rest and first in CONTRACTIONS[how]:
        return f"{CONTRACTIONS[how][first]} {rest}"
    return f"{how} {phrase}"


def as_sentence(text: str) -> str:
    """The text with a capital at its beginning and a mark at its end."""
    text = joined(text.strip(), "^")
    return text if text.endswith((".", "!", "?", "…", ":", ";", '"', "”")) else text + "."
