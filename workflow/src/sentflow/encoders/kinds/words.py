"""Ways to cut a text into the words of a file of word vectors."""

import re
from collections.abc import Callable

_SIMPLE = re.compile(r"\w+")
_HYPHENATED = re.compile(r"\w+(?:[-'’]\w+)*")
_WITH_SIGNS = re.compile(r"\w+|[^\w\s]")

# Name → text to tokens, in the order of the text.
TOKENS: dict[str, Callable[[str], list[str]]] = {
    "words": _SIMPLE.findall,
    "hyphenated-words": _HYPHENATED.findall,
    "words-and-signs": _WITH_SIGNS.findall,
    "whitespace": str.split,
}
