"""When two texts are the same but for what an edit changes first."""

import re
import unicodedata

_WORD = re.compile(r"\w+")


def plain(text: str) -> str:
    """A text without what an edit changes first: case, punctuation, runs of white space, forms of characters.

    A text without letters (emoji, "!!!") stays as it is.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_WORD.findall(folded)) or folded.strip()
